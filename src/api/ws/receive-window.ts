/** Requests with a maximum age on arrival: `receiveWindow` and the time of sending (wire 5.5). */
import { type WireError, wireError } from '../wire/wire-error.ts';

const WINDOW_MIN_MS = 10;
const WINDOW_MAX_MS = 60_000;
const WHOLE_NUMBER = /^[0-9]{1,16}$/;

/** Whether the request has expired, or the error in its fields; without both fields it never does. */
export function isExpired(
  { receiveWindow, requestTime }: Readonly<Record<string, unknown>>,
  nowMs: number,
): boolean | WireError {
  if (receiveWindow === undefined || requestTime === undefined) return false;
  const [windowMs, sentMs] = [wholeNumber(receiveWindow), wholeNumber(requestTime)];
  if (!(windowMs >= WINDOW_MIN_MS && windowMs <= WINDOW_MAX_MS)) {
    return wireError('40017', `receiveWindow must be ${WINDOW_MIN_MS} to ${WINDOW_MAX_MS} milliseconds`);
  }
  if (Number.isNaN(sentMs)) return wireError('40017', 'requestTime must be Unix time in milliseconds');
  return nowMs - sentMs > windowMs;
}

/** The value is unchecked input: an object has no number in it. */
function wholeNumber(value: unknown): number {
  return typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : Number.NaN;
}
