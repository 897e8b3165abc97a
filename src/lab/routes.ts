/** The laboratory on the operator's listener, `/lab/…`. */
import { AdminError } from '../admin/admin-error.ts';
import { REVERT_ACTION } from '../admin/audit-branches.ts';
import { closed, Empty } from '../admin/fields.ts';
import { type OperatorRoute, operatorRoute } from '../admin/route.ts';
import { CLOCK_CHOICES, readClockChoice } from '../sequencer/clock-choice.ts';
import { MARKET_LEVELS } from '../simulator/activity-level.ts';
import { Type } from '../validation/schema.ts';
import { clockRoutes } from './clock/routes.ts';
import type { Laboratory } from './laboratory.ts';
import { NOTE_CHARS_MAX, NOW } from './limits.ts';
import { replayRoutes } from './replay/routes.ts';

/** Longer than any name, so that a wrong one is refused with the rule. */
const Name = Type.String({ minLength: 1, maxLength: 200 });
const ByName = Type.Object({ name: Name });

const SnapshotView = Type.Object({
  name: Type.String(),
  note: Type.String(),
  seq: Type.Integer(),
  time: Type.Integer(),
  stateHash: Type.String(),
  bytes: Type.Integer(),
  parent: Type.Union([Type.String(), Type.Null()]),
  branch: Type.Integer(),
  taken: Type.Integer(),
  clock: Type.Optional(Type.String()),
});
const ForkView = Type.Object({
  id: Type.String(),
  from: Type.String(),
  url: Type.String(),
  operatorUrl: Type.String(),
  token: Type.String(),
  pid: Type.Integer(),
  seq: Type.Integer(),
  time: Type.Integer(),
  stateHash: Type.String(),
  ms: Type.Number(),
});
const Part = Type.Object({
  count: Type.Integer(),
  rows: Type.Array(
    Type.Object({
      account: Type.Optional(Type.String()),
      uid: Type.Optional(Type.Integer()),
      what: Type.String(),
      from: Type.Union([Type.String(), Type.Null()]),
      to: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});

export function labRoutes(lab: Laboratory): readonly OperatorRoute[] {
  return [
    ...clockRoutes(lab),
    ...replayRoutes,
    operatorRoute({
      method: 'POST',
      path: '/lab/snapshots',
      body: Type.Object(
        {
          name: Type.Optional(Name),
          note: Type.Optional(Type.String({ maxLength: NOTE_CHARS_MAX })),
        },
        closed,
      ),
      answer: Type.Object({
        name: Type.String(),
        seq: Type.Integer(),
        time: Type.Integer(),
        stateHash: Type.String(),
        bytes: Type.Integer(),
        ms: Type.Number(),
      }),
      action: 'lab.snapshot',
      auditArguments: ({ body: { name } }) => (name === undefined ? {} : { name }),
      auditDetail: ({ name, seq }) => `${name}, after command ${seq}`,
      handle: ({ body: { name, note } }) => lab.save(name, note ?? ''),
    }),

    operatorRoute({
      method: 'GET',
      path: '/lab/snapshots',
      answer: Type.Object({ snapshots: Type.Array(SnapshotView) }),
      handle: async () => ({ snapshots: [...(await lab.list())] }),
    }),

    operatorRoute({
      method: 'DELETE',
      path: '/lab/snapshots/:name',
      params: ByName,
      answer: Type.Object({ deleted: Type.String() }),
      action: 'lab.delete',
      auditArguments: ({ params: { name } }) => ({ name }),
      auditDetail: ({ deleted }) => deleted,
      handle: async ({ params }) => {
        const facts = await lab.delete(params.name);
        return facts instanceof AdminError ? facts : { deleted: facts.name };
      },
    }),

    operatorRoute({
      method: 'POST',
      path: '/lab/revert',
      body: Type.Object({ to: Name, keepSockets: Type.Optional(Type.Boolean()) }, closed),
      answer: Type.Object({
        name: Type.String(),
        seq: Type.Integer(),
        time: Type.Integer(),
        stateHash: Type.String(),
        ms: Type.Number(),
        dropped: Type.Object({ commands: Type.Integer(), orders: Type.Integer() }),
      }),
      action: REVERT_ACTION,
      auditArguments: ({ body: { to } }) => ({ to }),
      auditDetail: ({ name, seq }) => `${name}, after command ${seq}`,
      handle: ({ body: { to, keepSockets } }) => lab.revert(to, keepSockets ?? false),
    }),

    operatorRoute({
      method: 'POST',
      path: '/lab/forks',
      body: Type.Object(
        {
          from: Type.Optional(Name),
          port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
          clock: Type.Optional(Type.String({ maxLength: 40 })),
          market: Type.Optional(Type.Enum([...MARKET_LEVELS])),
          isolate: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
      answer: ForkView,
      action: 'lab.fork',
      auditArguments: ({ body: { from, isolate } }) => ({ from: from ?? NOW, isolate: isolate ?? false }),
      auditDetail: ({ id, url }) => `${id} at ${url}`,
      handle: ({ body: { from, port = 0, clock, market, isolate = false } }) => {
        if (clock !== undefined && readClockChoice(clock) === undefined)
          return new AdminError('invalid_request', `clock must be ${CLOCK_CHOICES}`);
        return lab.fork(from, {
          port,
          isolate,
          ...(clock !== undefined && { clock }),
          ...(market !== undefined && { market }),
        });
      },
    }),

    operatorRoute({
      method: 'GET',
      path: '/lab/forks',
      answer: Type.Object({ forks: Type.Array(ForkView) }),
      handle: () => ({ forks: [...lab.forks()] }),
    }),

    operatorRoute({
      method: 'DELETE',
      path: '/lab/forks/:id',
      params: Type.Object({ id: Name }),
      answer: Type.Object({ ended: Type.String() }),
      action: 'lab.endFork',
      auditArguments: ({ params: { id } }) => ({ id }),
      auditDetail: ({ ended }) => ended,
      handle: async ({ params }) => {
        const facts = await lab.endFork(params.id);
        return facts instanceof AdminError ? facts : { ended: facts.id };
      },
    }),

    operatorRoute({
      method: 'GET',
      path: '/lab/diff',
      query: Type.Object({ from: Name, to: Type.Optional(Name) }, closed),
      answer: Type.Object({ accounts: Part, orders: Part, positions: Part, prices: Part }),
      handle: ({ query: { from, to } }) => lab.diff(from, to),
    }),
  ];
}

export const LAB_OFF = new AdminError('unknown_path', 'the laboratory is off: start with --lab on');

/** Where there is no laboratory, and why. */
export function closedLab(reason: AdminError): readonly OperatorRoute[] {
  return (['GET', 'POST', 'DELETE'] as const).map((method) =>
    operatorRoute({ method, path: '/lab/*', answer: Empty, handle: () => reason }),
  );
}
