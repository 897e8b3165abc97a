/** The last requests and socket frames of all accounts (docs/inspector.md). Secrets are not among them. */
import { summaryOf, timesOf, verdictOf } from '../../inspector/entry-summary.ts';
import type { Entry } from '../../inspector/recorder.ts';
import type { Party } from '../../inspector/traffic.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { AccountText, closed } from '../fields.ts';
import { findUser } from '../lookup.ts';
import { LimitText, limitOf } from '../page-limit.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const REQUESTS = 100;

const Spent = Type.Union([Type.Number(), Type.Null()]);

const RequestView = Type.Object({
  id: Type.Integer(),
  ts: Type.Integer(),
  kind: Type.Enum(['http', 'ws']),
  uid: Type.String(),
  apiKey: Type.String(),
  agent: Type.String(),
  peer: Type.String(),
  /** `in`, `out` or `close` for a socket. */
  method: Type.String(),
  path: Type.String(),
  /** 0 for a socket. */
  status: Type.Integer(),
  /** Empty where the answer has none. */
  code: Type.String(),
  msg: Type.String(),
  ms: Type.Number(),
  about: Type.String(),
  refused: Type.Boolean(),
  /** Sequence numbers. */
  commands: Type.Array(Type.Integer()),
  /** Milliseconds before each step, null where it was not taken. */
  times: Type.Union([
    Type.Object({ parse: Spent, authenticate: Spent, apply: Spent, durable: Spent, answer: Type.Number() }),
    Type.Null(),
  ]),
});

export const requestRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/requests',
    query: Type.Object(
      {
        after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' })),
        account: Type.Optional(AccountText),
        code: Type.Optional(Type.String({ pattern: '^[0-9]{1,6}$' })),
        path: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
        limit: Type.Optional(LimitText),
      },
      closed,
    ),
    answer: Type.Object({
      /** The oldest first. */
      requests: Type.Array(RequestView),
      /** What to ask for after these. */
      after: Type.Integer(),
    }),
    handle: ({ recorder, identity, query }) => {
      if (recorder === undefined)
        return new AdminError('not_allowed', 'nothing is recorded: start with --inspect on');
      const limit = limitOf(query.limit, REQUESTS);
      if (limit instanceof AdminError) return limit;
      const user = query.account === undefined ? undefined : findUser(identity, query.account);
      if (user instanceof AdminError) return user;
      const belongs = ({ uid }: Party) => user === undefined || uid === user.uid;
      const fits = (entry: Entry) =>
        (query.path === undefined || entry.target.split('?', 1)[0]!.includes(query.path)) &&
        (query.code === undefined || verdictOf(entry).code === query.code);
      const found =
        query.after === undefined
          ? recorder.newest(limit, belongs, fits)
          : recorder.after(Number(query.after), limit, belongs, fits);
      const full = query.after !== undefined && found.length === limit;
      return {
        requests: found.map((entry) => ({ ...summaryOf(entry), peer: entry.peer, times: timesOf(entry) })),
        after: full ? found.at(-1)!.id : recorder.nextId - 1,
      };
    },
  }),
];
