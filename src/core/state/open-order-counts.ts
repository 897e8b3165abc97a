/**
 * How many orders an account has open in each instrument. Orders come and go all the time, so there is one table of those that
 * are open: a table for each account would cost memory for every account and a walk through it for every order.
 */
import { IdIndex } from '../book/id-index.ts';
import { INSTRUMENTS_MAX } from '../model/limits.ts';

export class OpenOrderCounts {
  private readonly index = new IdIndex();

  of(account: number, instrument: number): number {
    return Math.max(0, this.index.get(keyOf(account, instrument)));
  }

  add(account: number, instrument: number): void {
    const key = keyOf(account, instrument);
    const open = this.index.get(key);
    if (open < 0) this.index.set(key, 1);
    else this.index.replace(key, open + 1);
  }

  drop(account: number, instrument: number): void {
    const key = keyOf(account, instrument);
    const open = this.index.get(key);
    if (open === 1) this.index.delete(key);
    else this.index.replace(key, open - 1);
  }
}

/** Never zero, which the index takes for no entry. */
function keyOf(account: number, instrument: number): number {
  return account * INSTRUMENTS_MAX + instrument + 1;
}
