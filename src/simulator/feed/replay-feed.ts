/** Replays recorded prices at the speed of the exchange's clock; after the last row its prices stay. */
import { EVERY_COMPONENT } from '../../core/model/command.ts';
import { type Recording, replayStart } from '../recording/recording.ts';
import { type PartialFeed, pairNames } from './layered-feed.ts';
import { type FollowedIndex, priceUnits, type Report } from './price-feed.ts';

/** An unchanged price is reported again before the index counts it as stale (rules 5.14). */
const NUDGE_MS = 10 * 60_000;

export class ReplayFeed implements PartialFeed {
  readonly name: string;
  private readonly data: Recording;
  private readonly last: (number | undefined)[];
  private readonly lastReported = new Map<number, { price: bigint; time: number }>();
  private next = 0;
  private startMs: number | undefined;

  constructor(name: string, data: Recording) {
    this.name = `replay of ${name}`;
    this.data = data;
    this.last = data.names.map(() => undefined);
    // The first price of each pair counts from the start.
    for (const [n, pair] of data.pairs.entries()) this.last[pair] ??= data.prices[n]!;
  }

  covers(index: FollowedIndex): boolean {
    return this.pairOf(index) !== undefined;
  }

  reports(indices: readonly FollowedIndex[], now: number): readonly Report[] {
    const { times, pairs, prices } = this.data;
    this.startMs ??= replayStart(this.data, now);
    while (this.next < times.length && times[this.next]! <= now - this.startMs) {
      this.last[pairs[this.next]!] = prices[this.next]!;
      this.next++;
    }
    return indices.flatMap((index) => this.report(index, now));
  }

  close(): void {}

  private report(index: FollowedIndex, now: number): Report[] {
    const price = priceUnits(this.last[this.pairOf(index)!]!, Math.max(index.pricePrecision, 2));
    const lastReported = this.lastReported.get(index.index);
    if (lastReported?.price === price && now - lastReported.time < NUDGE_MS) return [];
    // One unit up or down is no price move, and keeps the component fresh.
    const shown = lastReported?.price === price ? price + 1n : price;
    this.lastReported.set(index.index, { price, time: now });
    return [{ index: index.index, component: EVERY_COMPONENT, price: shown, volume: 0n }];
  }

  private pairOf(index: FollowedIndex): number | undefined {
    for (const name of pairNames(index)) {
      const pair = this.data.names.indexOf(name);
      if (pair >= 0) return pair;
    }
    return undefined;
  }
}
