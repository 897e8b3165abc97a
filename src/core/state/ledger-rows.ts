/** Where the row of an account and a coin begins. A table for each account would have as many places as there are coins. */
import { IdIndex } from '../book/id-index.ts';
import { COINS_MAX } from '../model/limits.ts';

const NO_COINS: readonly number[] = [];
/** Lists of up to so many coins are shared by the accounts that have the same. */
const SHARED_COINS_MAX = 4;

export class LedgerRows {
  private readonly index = new IdIndex();
  /** Coins of each account's rows, ascending. */
  private readonly coins: (readonly number[])[] = [];
  private readonly shared = new Map<string, readonly number[]>();

  /** First cell of the row; -1 when there is none. */
  find(account: number, coin: number): number {
    return this.index.get(keyOf(account, coin));
  }

  /** The account must not have a row in this coin. */
  add(account: number, coin: number, first: number): void {
    this.index.set(keyOf(account, coin), first);
    while (this.coins.length <= account) this.coins.push(NO_COINS);
    this.coins[account] = this.share([...this.coins[account]!, coin].sort((a, b) => a - b));
  }

  /** Coins of an account, ascending. */
  coinsOf(account: number): readonly number[] {
    return this.coins[account] ?? NO_COINS;
  }

  /** Visits every row: account ascending, coin ascending. */
  each(visit: (account: number, coin: number, first: number) => void): void {
    for (const [account, coins] of this.coins.entries())
      for (const coin of coins) visit(account, coin, this.find(account, coin));
  }

  private share(coins: readonly number[]): readonly number[] {
    if (coins.length > SHARED_COINS_MAX) return coins;
    const name = coins.join();
    const known = this.shared.get(name);
    if (known === undefined) this.shared.set(name, coins);
    return known ?? coins;
  }
}

/** Never zero, which the index takes for no entry. */
function keyOf(account: number, coin: number): number {
  return account * COINS_MAX + coin + 1;
}
