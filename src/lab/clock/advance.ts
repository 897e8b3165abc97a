/** The advance of a manual clock, with what happened on the way. */
import { AdminError } from '../../admin/admin-error.ts';
import { type AdvancePlan, manualClockOf, planOf, planUntil, type Span } from '../../admin/advance-plan.ts';
import type { AuditedAction } from '../../admin/route.ts';
import type { Identity } from '../../identity/identity.ts';
import type { ClockTicker, EventCounts } from '../../sequencer/clock-ticker.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { type AdvanceEvent, AdvanceEvents } from './advance-events.ts';
import { candleIntervalOf, NEXT_RULE, nextInstant } from './next-instant.ts';

export interface AdvanceRequest extends Span {
  readonly next?: string;
}

export interface Advanced {
  readonly from: number;
  readonly time: number;
  readonly commands: number;
  readonly events: EventCounts;
  readonly happened: readonly AdvanceEvent[];
  /** Beyond the rows of `happened`, by what it is. */
  readonly more?: Readonly<Record<string, number>>;
}

export interface Advancing {
  readonly sequencer: Sequencer;
  readonly ticker: ClockTicker;
  readonly identity: Identity;
  readonly audited: AuditedAction;
}

export async function advanceClock(
  { sequencer, ticker, identity, audited }: Advancing,
  request: AdvanceRequest,
): Promise<Advanced | AdminError> {
  const clock = manualClockOf(sequencer.clock);
  if (clock instanceof AdminError) return clock;
  if (ticker.advancing) return new AdminError('busy', 'the clock is being advanced already');
  const from = clock.now();
  const plan = planFor(request, sequencer, from);
  if (plan instanceof AdminError) return plan;
  const before = sequencer.appliedSeq;
  const nameOf = (uid: number) => identity.findUser(uid)?.name ?? '';
  const noted = new AdvanceEvents(() => sequencer.state, nameOf, candleIntervalOf(request.next ?? ''));
  const events = await ticker.advance(clock, plan.until, plan.stepMs, {
    onEvent: (event, time) => noted.note(event, time),
    // In the operator's name, so that journal and audit log refer to each other.
    lastTick: () => audited.submit({ type: 'tick' }),
  });
  const { rows, more } = noted;
  return {
    from,
    time: clock.now(),
    commands: sequencer.appliedSeq - before,
    events,
    happened: rows,
    ...(Object.keys(more).length > 0 && { more }),
  };
}

function planFor(request: AdvanceRequest, { state }: Sequencer, now: number): AdvancePlan | AdminError {
  const { by, to, next, step } = request;
  if ([by, to, next].filter((each) => each !== undefined).length !== 1)
    return new AdminError(
      'invalid_request',
      'give one of by, such as 8h, to, such as 2026-06-26T08:00:00Z, and next, such as funding',
    );
  if (next === undefined) return planOf(request, now);
  const until = nextInstant(next, state, now);
  if (until === undefined) return new AdminError('invalid_request', `next must be ${NEXT_RULE}`);
  if (until === Number.POSITIVE_INFINITY)
    return new AdminError('not_allowed', `nothing is due: no ${next === 'any' ? 'event' : next} is to come`);
  return planUntil(until, now, step);
}
