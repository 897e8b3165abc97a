/**
 * Rejects a signed request that is sent twice, for as long as its timestamp is accepted (reliability 3.1). Off by
 * default: two equal orders in one millisecond are legal, and this rejects the second.
 */
import { createHash } from 'node:crypto';

/** More than the rate limits admit in one window; about 100 MB. */
const REMEMBERED_MAX = 2 ** 20;

export type ReplayVerdict = 'new' | 'repeated' | 'full';

export class ReplayGuard {
  readonly #retentionMs: number;
  readonly #max: number;
  /** Expiry by request, in order of arrival, which is also the order of expiry. */
  readonly #seen = new Map<string, number>();

  /** A timestamp may be `windowMs` ahead, so a request can stay valid for twice as long. */
  constructor(windowMs: number, max = REMEMBERED_MAX) {
    this.#retentionMs = 2 * windowMs;
    this.#max = max;
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Remembers a request whose signature is valid. When the table is full, the request must be rejected. */
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

/**
 * Keyed by the decoded bytes of the signature, because Base64 can write the same bytes in several ways. The signature
 * covers the timestamp and the rest.
 */
function nameOf(apiKey: string, sign: string): string {
  return createHash('sha256').update(`${apiKey}\n`).update(Buffer.from(sign, 'base64')).digest('base64');
}
