/**
 * Counters in fixed windows of time, in a table of constant size. A flood of new sources can evict entries but cannot
 * use memory; expired entries are evicted first, then the least used, so a source that is over its limit stays over
 * it. The hash key is random per process, so that no client can target a neighbour's slot.
 */
import { randomBytes } from 'node:crypto';

const WAYS = 8;

export interface WindowRule {
  readonly limit: number;
  readonly windowMs: number;
  /** Penalty: a source that exceeds the limit is blocked for this long. */
  readonly blockMs?: number;
  /**
   * A source that has used up a window may begin the next one this much early. That window ends no later, so the rate
   * over many windows is unchanged.
   */
  readonly earlyMs?: number;
  /** How much longer a window may become by uses that were charged beyond the limit. */
  readonly debtMs?: number;
}

export type LimitResult =
  | { readonly allowed: true; readonly remaining: number }
  | { readonly allowed: false; readonly retryAfterMs: number };

/** Three 32-bit words that identify a counter; callers keep them distinct. */
export type CounterName = readonly [number, number, number];

const BLOCKED = 0xffff_ffff;

export class FixedWindowCounters {
  readonly #setMask: number;
  readonly #tagsHigh: Uint32Array;
  readonly #tagsLow: Uint32Array;
  readonly #used: Uint32Array;
  readonly #endsMs: Float64Array;
  readonly #hash = new KeyedHash();

  /** `slots` is a power of two. */
  constructor(slots: number) {
    if (slots < WAYS || (slots & (slots - 1)) !== 0)
      throw new Error(`${slots} slots: not a power of two >= ${WAYS}`);
    this.#setMask = slots / WAYS - 1;
    this.#tagsHigh = new Uint32Array(slots);
    this.#tagsLow = new Uint32Array(slots);
    this.#used = new Uint32Array(slots);
    this.#endsMs = new Float64Array(slots);
  }

  get bytes(): number {
    return (
      this.#tagsHigh.byteLength + this.#tagsLow.byteLength + this.#used.byteLength + this.#endsMs.byteLength
    );
  }

  /** Counts `cost` uses. A rejected use is not counted, so a client that keeps trying succeeds in the next window. */
  take(name: CounterName, rule: WindowRule, nowMs: number, cost = 1): LimitResult {
    const slot = this.#slotOf(name, rule, nowMs);
    if (this.#used[slot] === BLOCKED) return { allowed: false, retryAfterMs: this.#endsMs[slot]! - nowMs };
    const used = this.#used[slot]! + cost;
    if (used <= rule.limit) {
      this.#used[slot] = used;
      return { allowed: true, remaining: rule.limit - used };
    }
    if (rule.blockMs !== undefined) {
      this.#used[slot] = BLOCKED;
      this.#endsMs[slot] = nowMs + rule.blockMs;
    }
    const retryAfterMs = this.#endsMs[slot]! - (rule.earlyMs ?? 0) - nowMs;
    if (retryAfterMs > 0 || cost > rule.limit)
      return { allowed: false, retryAfterMs: Math.max(retryAfterMs, 1) };
    this.#used[slot] = cost;
    this.#endsMs[slot]! += rule.windowMs;
    return { allowed: true, remaining: rule.limit - cost };
  }

  /**
   * Counts a use that has happened. Beyond the limit it makes the window longer by its share, so that the rate over many
   * windows is the limit, whoever admitted the uses.
   */
  charge(name: CounterName, rule: WindowRule, nowMs: number): void {
    const result = this.take(name, rule, nowMs);
    if (result.allowed) return;
    const slot = this.#slotOf(name, rule, nowMs);
    const latest = nowMs + rule.windowMs + (rule.debtMs ?? 0);
    this.#endsMs[slot] = Math.min(latest, this.#endsMs[slot]! + rule.windowMs / rule.limit);
  }

  /** Finds the running window or opens one in the slot whose eviction matters least. */
  #slotOf(name: CounterName, rule: WindowRule, nowMs: number): number {
    this.#hash.update(name);
    const { high, low } = this.#hash;
    const first = (low & this.#setMask) * WAYS;
    let victim = first;
    let victimUsed = Number.POSITIVE_INFINITY;
    for (let slot = first; slot < first + WAYS; slot += 1) {
      const same = this.#tagsHigh[slot] === high && this.#tagsLow[slot] === low;
      const running = this.#isRunning(slot, rule, nowMs);
      if (same && running) return slot;
      const used = same ? -1 : running ? this.#used[slot]! : 0;
      if (used < victimUsed) {
        victim = slot;
        victimUsed = used;
      }
    }
    this.#tagsHigh[victim] = high;
    this.#tagsLow[victim] = low;
    this.#used[victim] = 0;
    this.#endsMs[victim] = nowMs + rule.windowMs;
    return victim;
  }

  /** An end further ahead than the longest window was set before the clock was moved back. */
  #isRunning(slot: number, rule: WindowRule, nowMs: number): boolean {
    const aheadMs = this.#endsMs[slot]! - nowMs;
    const longestMs = rule.windowMs + Math.max(rule.earlyMs ?? 0, rule.debtMs ?? 0);
    return aheadMs > 0 && aheadMs <= Math.max(longestMs, rule.blockMs ?? 0);
  }
}

/** HalfSipHash-2-4 over three words, 64 bits of output, without allocation. */
class KeyedHash {
  readonly #key0: number;
  readonly #key1: number;
  #v0 = 0;
  #v1 = 0;
  #v2 = 0;
  #v3 = 0;
  high = 0;
  low = 0;

  constructor() {
    const key = randomBytes(8);
    this.#key0 = key.readInt32LE(0);
    this.#key1 = key.readInt32LE(4);
  }

  update(words: CounterName): void {
    this.#v0 = this.#key0;
    this.#v1 = this.#key1 ^ 0xee;
    this.#v2 = 0x6c796765 ^ this.#key0;
    this.#v3 = 0x74656462 ^ this.#key1;
    this.#absorb(words[0]);
    this.#absorb(words[1]);
    this.#absorb(words[2]);
    this.#absorb(12 << 24);
    this.#v2 ^= 0xee;
    this.#rounds(4);
    this.low = (this.#v1 ^ this.#v3) >>> 0;
    this.#v1 ^= 0xdd;
    this.#rounds(4);
    this.high = (this.#v1 ^ this.#v3) >>> 0;
  }

  #absorb(word: number): void {
    this.#v3 ^= word;
    this.#rounds(2);
    this.#v0 ^= word;
  }

  #rounds(count: number): void {
    let v0 = this.#v0;
    let v1 = this.#v1;
    let v2 = this.#v2;
    let v3 = this.#v3;
    for (let round = 0; round < count; round += 1) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.#v0 = v0;
    this.#v1 = v1;
    this.#v2 = v2;
    this.#v3 = v3;
  }
}
