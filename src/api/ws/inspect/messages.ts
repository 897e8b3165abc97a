/** Schemas of what passes over `/v3/ws/inspect` beside login, subscriptions and errors, for the document of the streams. */
import { type TProperties, Type } from '../../../validation/schema.ts';
import { MISTAKES, type MistakeKind } from './mistakes.ts';
import { STEPS } from './why.ts';

const exactly = <T extends TProperties>(fields: T) => Type.Object(fields, { additionalProperties: false });
const text = (description: string) => Type.String({ description });

const SUMMARY = {
  id: Type.Integer({ description: 'grows by one with each entry of the exchange' }),
  ts: Type.Integer({ description: 'Unix ms, by the clock of the machine' }),
  kind: Type.Enum(['http', 'ws'] as const),
  uid: Type.String(),
  apiKey: Type.String(),
  agent: text('the user agent'),
  method: text('of a call; of a socket in, out or close'),
  path: Type.String(),
  status: Type.Integer({ description: 'of HTTP; 0 for a socket' }),
  code: text('of the answer; empty where it has none'),
  msg: Type.String(),
  ms: Type.Number({ description: 'from the arrival of a request to its answer' }),
  about: text('what was asked for or answered, in a few words'),
  refused: Type.Boolean(),
  commands: Type.Array(Type.Integer(), {
    description: 'sequence numbers of the commands that it made; of a socket those of its answer',
  }),
};

const spent = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const Times = exactly({
  parse: spent('until its bytes were read'),
  authenticate: spent('until signature, permission, limit and parameters were in order'),
  apply: spent('until the exchange had applied its first command'),
  durable: spent('until all that it made or shows was on disk'),
  answer: Type.Number({ description: 'until its answer was sent' }),
});

const Why = exactly({
  steps: Type.Array(
    exactly({ name: Type.Enum(STEPS), verdict: Type.Enum(['ok', 'no', 'not reached'] as const) }),
  ),
  means: text('of the code; empty without a refusal'),
  value: text('what came; of the exchange itself its message, which has the bound'),
  bound: text('what is allowed'),
  right: text('what would be right'),
  core: Type.Boolean({ description: 'the exchange itself refused' }),
  again: text('is it safe to send it again?'),
});

const Detail = exactly({
  ...SUMMARY,
  target: text('path and query as received'),
  peer: Type.String(),
  timestamp: text('the header ACCESS-TIMESTAMP'),
  body: text('without secrets, its first 16,384 characters'),
  answer: text('without secrets, its first 16,384 characters'),
  base: text('what had to be signed; empty where it is not known in whole'),
  left: Type.Union([Type.Integer(), Type.Null()], {
    description: 'calls that its limit left in that second',
  }),
  connection: text('of a socket'),
  times: Type.Union([Times, Type.Null()], {
    description:
      'ms that it spent before each step, null for a step that it did not take; null of frames that answer nothing',
  }),
  why: Why,
});

const Explained = exactly({
  what: text('the command in words'),
  verdict: text('such as refused: insufficientMargin'),
  checks: Type.Array(
    Type.Object({
      check: text('a sentence that is true when it passes'),
      rule: text('of the rule book'),
      inputs: Type.Record(Type.String(), Type.String(), { description: 'the values that were compared' }),
      bound: text('what is allowed'),
      verdict: Type.Enum(['passed', 'refused', 'not reached'] as const),
      reason: Type.Optional(Type.String()),
      rightWouldBe: Type.Optional(Type.String()),
    }),
  ),
  rightWouldBe: text('what would have been accepted'),
  docs: Type.Array(Type.String()),
});

const Mistake = exactly({
  kind: Type.Enum(Object.keys(MISTAKES) as MistakeKind[], {
    description: Object.entries(MISTAKES)
      .map(([kind, words]) => `${kind}: ${words}`)
      .join('; '),
  }),
  subject: text('what tells it from others of its kind'),
  advice: Type.String(),
  count: Type.Integer(),
  first: Type.Integer({ description: 'the entry that showed it first' }),
  last: Type.Integer(),
});

const push = (topic: 'requests' | 'mistakes', row: ReturnType<typeof exactly>) =>
  exactly({
    action: Type.Enum(['snapshot', 'update'] as const),
    arg: exactly({ instType: Type.Literal('UTA'), topic: Type.Literal(topic) }),
    data: Type.Array(row),
    skipped: Type.Integer({ description: 'entries that came too fast to be shown' }),
    ts: Type.Integer({ description: 'Unix ms, by the clock of the machine' }),
  });

export const INSPECT_MESSAGES = {
  entry: {
    summary: 'Ask for one request with its answer',
    direction: 'receive',
    roles: ['inspect'],
    payload: Type.Object({ op: Type.Literal('entry'), id: Type.Integer() }),
  },
  'entry-reply': {
    summary: 'The request, its answer and why it was refused; null when it is gone or not the caller’s',
    direction: 'send',
    roles: ['inspect'],
    payload: exactly({
      event: Type.Literal('entry'),
      id: Type.Integer(),
      data: Type.Union([Detail, Type.Null()]),
    }),
  },
  explain: {
    summary: 'Ask what the exchange weighed when it refused a request',
    direction: 'receive',
    roles: ['inspect'],
    payload: Type.Object({ op: Type.Literal('explain'), id: Type.Integer() }),
  },
  'explain-reply': {
    summary:
      'Every check with values and bound, and what would have been accepted; null with a reason in words',
    direction: 'send',
    roles: ['inspect'],
    payload: exactly({
      event: Type.Literal('explain'),
      id: Type.Integer(),
      data: Type.Union([Explained, Type.Null()]),
      msg: Type.String(),
    }),
  },
  'inspect-requests': {
    summary: 'Requests and frames of the account; ten pushes a second at most, 500 entries each',
    direction: 'send',
    roles: ['inspect'],
    payload: push('requests', exactly(SUMMARY)),
  },
  'inspect-mistakes': {
    summary: 'All mistakes that they show, after each change; two pushes a second at most',
    direction: 'send',
    roles: ['inspect'],
    payload: push('mistakes', Mistake),
  },
} as const;
