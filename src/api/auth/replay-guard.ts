/**
 * Remembers signed requests for as long as their timestamp lets them in, so that a recorded one cannot be sent again
 * (reliability 3.1). Off unless the operator wants it: two equal orders of one millisecond are legal, and with it the
 * second is refused.
 */
import { createHash } from 'node:crypto';

/** More signed requests than the exchange takes in a window; about 100 MB. */
const REMEMBERED_MAX = 2 ** 20;

export type ReplayVerdict = 'new' | 'repeated' | 'full';

export class ReplayGuard {
  readonly #retentionMs: number;
  readonly #max: number;
  /** Until when a request is remembered; in the order in which they came, which is that of their ends. */
  readonly #seen = new Map<string, number>();

  /** A timestamp may be `windowMs` ahead, so a request can be good for twice as long. */
  constructor(windowMs: number, max = REMEMBERED_MAX) {
    this.#retentionMs = 2 * windowMs;
    this.#max = max;
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Takes note of a request whose signature is right. One that finds no room must not be let in. */
  check(apiKey: string, sign: string, nowMs: number): ReplayVerdict {
    for (const [name, untilMs] of this.#seen) {
      if (untilMs >= nowMs) break;
      this.#seen.delete(name);
    }
    const name = nameOf(apiKey, sign);
    if (this.#seen.has(name)) return 'repeated';
    if (this.#seen.size >= this.#max) return 'full';
    this.#seen.set(name, nowMs + this.#retentionMs);
    return 'new';
  }
}

/** By the bytes of the signature: Base64 can write the same ones in several ways. It signs the timestamp and the rest. */
function nameOf(apiKey: string, sign: string): string {
  return createHash('sha256').update(`${apiKey}\n`).update(Buffer.from(sign, 'base64')).digest('base64');
}
