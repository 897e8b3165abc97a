/** The exchange's time and, for a manual clock, its advance. */

import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { manualClockOf, planOf } from '../advance-plan.ts';
import { clockView } from '../clock-view.ts';
import { CommandSeq, closed, Empty } from '../fields.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const ClockView = Type.Object({
  clock: Type.Enum(['wall', 'scaled', 'manual']),
  /** Logical seconds per second; 0 for a manual clock. */
  factor: Type.Integer(),
  time: Type.Integer(),
  /** The advance of a manual clock that is under way, else the last one. */
  advance: Type.Optional(
    Type.Object({
      from: Type.Integer(),
      until: Type.Integer(),
      ended: Type.Boolean(),
      events: Type.Record(Type.String(), Type.Integer()),
    }),
  ),
});
const SpanText = Type.String({ minLength: 2, maxLength: 40 });

export const clockRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/clock',
    answer: ClockView,
    handle: ({ sequencer, ticker: { advancePlan } }) => ({
      ...clockView(sequencer.clock),
      ...(advancePlan !== undefined && {
        advance: { ...advancePlan, events: { ...(advancePlan.events as Record<string, number>) } },
      }),
    }),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/clock/halt',
    body: Empty,
    answer: Type.Object({ time: Type.Integer() }),
    action: 'clock.halt',
    auditDetail: ({ time }) => `asked at ${time}`,
    handle: ({ sequencer, ticker }) => {
      if (!ticker.advancing) return new AdminError('not_allowed', 'the clock is not being advanced');
      ticker.haltAdvance();
      return { time: sequencer.clock.now() };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/clock/advance',
    body: Type.Object(
      { by: Type.Optional(SpanText), to: Type.Optional(SpanText), step: Type.Optional(SpanText) },
      closed,
    ),
    answer: Type.Object({
      from: Type.Integer(),
      time: Type.Integer(),
      command: CommandSeq,
      /** Events of the advance, counted by type. */
      events: Type.Record(Type.String(), Type.Integer()),
    }),
    action: 'clock.advance',
    auditArguments: ({ body: { by, to, step } }) => ({
      ...(by !== undefined && { by }),
      ...(to !== undefined && { to }),
      ...(step !== undefined && { step }),
    }),
    auditDetail: ({ from, time }) => `from ${from} to ${time}`,
    handle: async ({ sequencer, ticker, body, audited }) => {
      const clock = manualClockOf(sequencer.clock);
      if (clock instanceof AdminError) return clock;
      if (ticker.advancing) return new AdminError('busy', 'the clock is being advanced already');
      const from = clock.now();
      const advancePlan = planOf(body, from);
      if (advancePlan instanceof AdminError) return advancePlan;
      const events = await ticker.advance(clock, advancePlan.until, advancePlan.stepMs);
      // The last tick is submitted in the operator's name, so that journal and audit log refer to each other.
      const result = await audited.submit({ type: 'tick' });
      if (result instanceof AdminError) return result;
      return { from, time: clock.now(), command: audited.command, events: events };
    },
  }),
];
