/** The exchange's time and, for a manual clock, its advance. */

import { ManualClock } from '../../sequencer/clock.ts';
import { formatDuration, parseDuration } from '../../sequencer/duration.ts';
import { ADVANCE_STEPS_MAX } from '../../sequencer/limits.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { clockView } from '../clock-view.ts';
import { CommandSeq, closed, Empty } from '../fields.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const DEFAULT_STEP = '1s';
/** Times of the state must stay within their range. */
const TIME_END = Date.UTC(2100);

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

interface Span {
  readonly by?: string;
  readonly to?: string;
  readonly step?: string;
}

interface AdvancePlan {
  readonly until: number;
  readonly stepMs: number;
}

/** Target and step of an advance, or why it is not possible. */
function planOf({ by, to, step = DEFAULT_STEP }: Span, now: number): AdvancePlan | AdminError {
  if ((by === undefined) === (to === undefined))
    return new AdminError(
      'invalid_request',
      'give either by, such as 8h, or to, such as 2026-06-26T08:00:00Z',
    );
  const until = by === undefined ? Date.parse(to!) : now + (parseDuration(by) ?? Number.NaN);
  if (Number.isNaN(until)) {
    const wanted =
      by === undefined
        ? 'to must be an instant such as 2026-06-26T08:00:00Z'
        : 'by must be a span such as 8h, 1d12h, 90s';
    return new AdminError('invalid_request', wanted);
  }
  if (until < now) return new AdminError('invalid_request', 'time does not go back');
  if (until >= TIME_END) return new AdminError('invalid_request', 'time ends with the year 2099');
  const stepMs = parseDuration(step);
  if (stepMs === undefined || stepMs < 1)
    return new AdminError('invalid_request', 'step must be a span such as 1s or 1m');
  if ((until - now) / stepMs > ADVANCE_STEPS_MAX) {
    const steps = `${formatDuration(until - now)} in steps of ${step} are more than ${ADVANCE_STEPS_MAX} ticks`;
    return new AdminError('invalid_request', `${steps}: give a longer step, such as 1m`);
  }
  return { until, stepMs };
}

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
      const { clock } = sequencer;
      if (!(clock instanceof ManualClock)) {
        const running = `the clock is ${clockView(clock).clock} and moves by itself`;
        return new AdminError('not_allowed', `${running}: start the exchange with --clock manual to move it`);
      }
      if (ticker.advancing) return new AdminError('not_allowed', 'the clock is being advanced already');
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
