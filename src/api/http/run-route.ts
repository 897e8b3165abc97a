/**
 * Runs a route for both transports, HTTP and WebSocket: the same rights, the same handler, the same wait for
 * durability.
 */
import { HistoryUnavailable } from '../../history/history.ts';
import { RecordDamaged } from '../../history/record-damaged.ts';
import { IdentityInDoubt, IdentityUnavailable } from '../../identity/identity.ts';
import { OutcomeUnknown, type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import type { RequestTiming } from '../../sequencer/waiting-results.ts';
import { isOutOfSpace } from '../../storage/shortage-errors.ts';
import { deniedToSubAccount } from '../auth/sub-account-rights.ts';
import type { Access, Call, Route } from '../route.ts';
import { WireError } from '../wire/wire-error.ts';
import { announceToNodes } from './order-calls.ts';

/**
 * The answer or a promise of it: one promise less on the way of each order. The body has passed the route's schema, the
 * caller its permission and limits.
 */
export function runRoute(route: Route, call: Call<never, never>): unknown {
  const { sequencer, caller, body } = call;
  const { timing } = sequencer;
  const forbidden = route.access === 'public' ? undefined : deniedToSubAccount(route.path, caller.user, body);
  const response = forbidden ?? (route.orders ? announceToNodes(route, call) : route.handle(call));
  if (response instanceof Promise)
    return response.then((settled) => whenDurable(route, sequencer, settled, timing));
  return whenDurable(route, sequencer, response, timing);
}

/** What changes users and keys: no command, but the journal gets a mark of it. */
const IDENTITY_CHANGES: ReadonlySet<Access> = new Set(['main_write', 'broker_write']);

/** A response waits until everything it shows is durable; an action has waited for its own command. */
function whenDurable(
  { changesState: acts, access }: Route,
  sequencer: Sequencer,
  response: unknown,
  timing: RequestTiming | undefined,
): unknown {
  const hasWaited = acts && !(response instanceof WireError) && !IDENTITY_CHANGES.has(access);
  const durable = hasWaited ? undefined : sequencer.durable(timing);
  return durable === undefined ? response : durable.then(() => response);
}

/** Failures of the sequencer as errors of the API; undefined for internal errors. */
export function sequencerFailure(error: unknown): WireError | undefined {
  if (error instanceof OutcomeUnknown) {
    return new WireError('40010', `${error.message}; query the order by its clientOid`);
  }
  if (error instanceof IdentityInDoubt) return new WireError('40010', error.message);
  if (
    error instanceof Unavailable ||
    error instanceof HistoryUnavailable ||
    error instanceof IdentityUnavailable
  )
    return new WireError('429', error.message, 1000);
  if (isOutOfSpace(error)) {
    return new WireError('429', 'the disk is full: nothing was changed, try again when space is free', 1000);
  }
  return undefined;
}

/** Details go to the log, not to the client. */
export function internalError(error: unknown): WireError {
  if (error instanceof RecordDamaged)
    return new WireError(
      '25000',
      'a record in the answer is damaged and is not shown; the operator can see which',
    );
  return new WireError('25000', 'internal error; the result of a change is unknown until queried');
}
