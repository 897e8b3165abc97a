/** The last public trades of one book, newest last. */
import type { Traded } from '../model/event.ts';
import { PUBLIC_FILLS_KEPT } from '../model/limits.ts';

export class Tape {
  private trades: Traded[] = [];

  print(trade: Traded): void {
    this.trades.push(trade);
    // Cut to half at twice the size, so that the copy happens once per PUBLIC_FILLS_KEPT trades.
    if (this.trades.length >= 2 * PUBLIC_FILLS_KEPT) this.trades = this.trades.slice(-PUBLIC_FILLS_KEPT);
  }

  /** Newest first. */
  latest(limit: number): Traded[] {
    const count = Math.min(limit, PUBLIC_FILLS_KEPT, this.trades.length);
    return this.trades.slice(this.trades.length - count).reverse();
  }

  restore(oldestFirst: Traded[]): void {
    this.trades = oldestFirst;
  }
}
