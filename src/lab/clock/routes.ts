/** Time of the laboratory, `/lab/clock`. */
import { AdminError } from '../../admin/admin-error.ts';
import { TIME_END } from '../../admin/advance-plan.ts';
import { closed } from '../../admin/fields.ts';
import { type OperatorRoute, operatorRoute } from '../../admin/route.ts';
import { CLOCK_CHOICES, choiceOf, readClockChoice } from '../../sequencer/clock-choice.ts';
import { Type } from '../../validation/schema.ts';
import type { Laboratory } from '../laboratory.ts';
import { advanceClock } from './advance.ts';
import { NEXT_NAMES, NEXT_RULE, nextInstant } from './next-instant.ts';
import { WAIT_ENDS } from './sessions.ts';

const SpanText = Type.String({ minLength: 2, maxLength: 40 });
const NextText = Type.String({ minLength: 1, maxLength: 40 });
const Counts = Type.Record(Type.String(), Type.Integer());
const Instant = Type.Union([Type.Integer(), Type.Null()]);

export function clockRoutes(lab: Laboratory): readonly OperatorRoute[] {
  return [
    operatorRoute({
      method: 'GET',
      path: '/lab/clock',
      query: Type.Object({ next: Type.Optional(NextText) }, closed),
      answer: Type.Object({
        clock: Type.String(),
        time: Type.Integer(),
        /** When each is due; null when it is not to come. */
        next: Type.Record(Type.String(), Instant),
      }),
      handle: ({ sequencer, query: { next } }) => {
        const { clock, state } = sequencer;
        const time = clock.now();
        const names = [...NEXT_NAMES, ...(next === undefined ? [] : [next])];
        const due = names.map((name) => [name, nextInstant(name, state, time)] as const);
        if (due.some(([, instant]) => instant === undefined))
          return new AdminError('invalid_request', `next must be ${NEXT_RULE}`);
        const instants = due.map(([name, instant]) => [name, Number.isFinite(instant) ? instant! : null]);
        return { clock: choiceOf(clock), time, next: Object.fromEntries(instants) };
      },
    }),

    operatorRoute({
      method: 'POST',
      path: '/lab/clock/advance',
      body: Type.Object(
        {
          by: Type.Optional(SpanText),
          to: Type.Optional(SpanText),
          next: Type.Optional(NextText),
          step: Type.Optional(SpanText),
        },
        closed,
      ),
      answer: Type.Object({
        from: Type.Integer(),
        time: Type.Integer(),
        commands: Type.Integer(),
        events: Counts,
        happened: Type.Array(
          Type.Object({
            time: Type.Integer(),
            what: Type.String(),
            account: Type.Optional(Type.String()),
            symbol: Type.Optional(Type.String()),
            coin: Type.Optional(Type.String()),
            amount: Type.Optional(Type.String()),
          }),
        ),
        more: Type.Optional(Counts),
      }),
      action: 'lab.advance',
      auditArguments: ({ body: { by, to, next, step } }) => ({
        ...(by !== undefined && { by }),
        ...(to !== undefined && { to }),
        ...(next !== undefined && { next }),
        ...(step !== undefined && { step }),
      }),
      auditDetail: ({ from, time }) => `from ${from} to ${time}`,
      handle: async (call) => {
        const advanced = await lab.alone('an advance of the clock', () => advanceClock(call, call.body));
        return advanced instanceof AdminError
          ? advanced
          : {
              ...advanced,
              events: { ...(advanced.events as Record<string, number>) },
              happened: [...advanced.happened],
            };
      },
    }),

    // Without a line in the audit log: participants wait thousands of times, and each move of time is a command anyway.
    operatorRoute({
      method: 'POST',
      path: '/lab/clock/wait',
      body: Type.Object(
        {
          session: Type.String({ pattern: '^[\\w.-]{1,64}$' }),
          idleUntil: Type.Optional(Type.Integer({ minimum: 0 })),
          onlyTime: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
      answer: Type.Object({ time: Type.Integer(), reason: Type.Enum([...WAIT_ENDS]) }),
      handle: ({ body: { session, idleUntil, onlyTime = false } }) =>
        lab.sessions.wait(session, idleUntil ?? TIME_END, onlyTime),
    }),

    operatorRoute({
      method: 'GET',
      path: '/lab/clock/sessions',
      answer: Type.Object({
        sessions: Type.Array(
          Type.Object({
            session: Type.String(),
            waiting: Type.Boolean(),
            idleUntil: Type.Integer(),
            waits: Type.Integer(),
            busyMs: Type.Number(),
          }),
        ),
        /** Sessions that were silent for too long. */
        ended: Type.Array(Type.Object({ session: Type.String(), time: Type.Integer() })),
        /** What the exchange has taken to move time. */
        movingMs: Type.Number(),
      }),
      handle: () => lab.sessions.report(),
    }),

    operatorRoute({
      method: 'POST',
      path: '/lab/clock/mode',
      body: Type.Object({ clock: Type.String({ maxLength: 40 }) }, closed),
      answer: Type.Object({ clock: Type.String(), time: Type.Integer() }),
      action: 'lab.clock',
      auditArguments: ({ body: { clock } }) => ({ clock }),
      auditDetail: ({ clock, time }) => `${clock} from ${time} on`,
      handle: async ({ sequencer, body }) => {
        const choice = readClockChoice(body.clock);
        if (choice === undefined) return new AdminError('invalid_request', `clock must be ${CLOCK_CHOICES}`);
        const clock = await lab.setClock(choice);
        return clock instanceof AdminError ? clock : { clock, time: sequencer.clock.now() };
      },
    }),
  ];
}
