/**
 * The positions of one direction in the order in which they are deleveraged, by what was when they were ranked. There may be
 * tens of thousands and mostly the first few are wanted: their numbers are kept in columns, and they are put in order when
 * they are asked for.
 */

import type { Amount } from '../model/amount.ts';
import type { Position } from '../model/position.ts';
import type { Account } from '../state/account.ts';

/** A position with its place in the order, by what was when it was ranked. */
export interface Ranked {
  readonly account: Account;
  readonly position: Position;
  readonly score: Amount;
  readonly lots: number;
  readonly liquidating: boolean;
}

export class AdlQueue implements Iterable<Ranked> {
  private readonly accounts: readonly Account[];
  private readonly positions: Position[];
  /** NaN where the score is a big integer. */
  private readonly scores: Float64Array;
  private readonly large = new Map<number, bigint>();
  private readonly lots: Float64Array;
  private readonly uids: Float64Array;
  private readonly liquidating: Uint8Array;
  /** A heap of those that are not in order yet, the first of them on top. */
  private readonly heap: Uint32Array;
  private unordered = 0;
  private readonly ordered: Ranked[] = [];

  /** For so many positions at most. */
  constructor(accounts: readonly Account[], most: number) {
    this.accounts = accounts;
    this.positions = new Array<Position>(most);
    this.scores = new Float64Array(most);
    this.lots = new Float64Array(most);
    this.uids = new Float64Array(most);
    this.liquidating = new Uint8Array(most);
    this.heap = new Uint32Array(most);
  }

  add(position: Position, uid: number, score: number, lots: number, liquidating: boolean): void {
    const n = this.unordered++;
    this.positions[n] = position;
    this.scores[n] = score;
    this.lots[n] = lots;
    this.uids[n] = uid;
    this.liquidating[n] = liquidating ? 1 : 0;
    this.heap[n] = n;
  }

  /** One that was ranked by itself. */
  addRanked({ account, position, score, lots, liquidating }: Ranked): void {
    if (typeof score === 'bigint') this.large.set(this.unordered, score);
    this.add(position, account.uid, typeof score === 'bigint' ? Number.NaN : score, lots, liquidating);
  }

  /** All have been added. */
  close(): this {
    for (let at = (this.unordered >> 1) - 1; at >= 0; at--) this.sink(this.heap[at]!, at);
    return this;
  }

  /** The one in this place, from 0; undefined behind the last one. */
  at(place: number): Ranked | undefined {
    const { heap, ordered } = this;
    while (ordered.length <= place && this.unordered > 0) {
      ordered.push(this.ranked(heap[0]!));
      const last = heap[--this.unordered]!;
      if (this.unordered > 0) this.sink(last, 0);
    }
    return ordered[place];
  }

  *[Symbol.iterator](): Generator<Ranked> {
    for (let place = 0; ; place++) {
      const ranked = this.at(place);
      if (ranked === undefined) return;
      yield ranked;
    }
  }

  private ranked(n: number): Ranked {
    const position = this.positions[n]!;
    return {
      account: this.accounts[position.account]!,
      position,
      score: this.scoreOf(n),
      lots: this.lots[n]!,
      liquidating: this.liquidating[n] === 1,
    };
  }

  private scoreOf(n: number): Amount {
    return this.large.get(n) ?? this.scores[n]!;
  }

  /** Puts one where it belongs, at this place of the heap or below it. */
  private sink(item: number, from: number): void {
    const { heap, unordered } = this;
    let at = from;
    for (let child = 2 * at + 1; child < unordered; child = 2 * at + 1) {
      if (child + 1 < unordered && this.isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!this.isBefore(heap[child]!, item)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = item;
  }

  private isBefore(a: number, b: number): boolean {
    const { scores, liquidating } = this;
    if (liquidating[a] !== liquidating[b]) return liquidating[b] === 1;
    if (scores[a]! > scores[b]!) return true;
    if (scores[a]! < scores[b]!) return false;
    if (scores[a] !== scores[b]) {
      const [own, other] = [this.scoreOf(a), this.scoreOf(b)];
      if (own > other) return true;
      if (own < other) return false;
    }
    if (this.lots[a] !== this.lots[b]) return this.lots[a]! > this.lots[b]!;
    return this.uids[a]! < this.uids[b]!;
  }
}
