/**
 * Slows down guessing of tokens: after a few wrong ones in a minute each further one of that address gets a late 429.
 * The right token is always accepted, so that the operator cannot be locked out while trading must be halted.
 */
const WRONG_TOKENS_PER_MINUTE = 10;
export const LATE_ANSWER_MS = 1000;
const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 10_000;

interface Window {
  readonly startMs: number;
  count: number;
}

export class Throttle {
  readonly #windows = new Map<string, Window>();

  /** Counts a wrong token; true when the address has had too many. */
  exceeds(address: string, nowMs: number): boolean {
    let window = this.#windows.get(address);
    if (window === undefined || nowMs - window.startMs >= WINDOW_MS) {
      window = { startMs: nowMs, count: 0 };
      this.#windows.delete(address);
      this.#windows.set(address, window);
      if (this.#windows.size > ADDRESSES_MAX) this.#windows.delete(this.#windows.keys().next().value!);
    }
    window.count += 1;
    return window.count > WRONG_TOKENS_PER_MINUTE;
  }
}
