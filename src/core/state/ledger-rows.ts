/** Which row of the ledger belongs to an account and a coin. A table for each account would have as many cells as coins. */
import { IdIndex } from '../book/id-index.ts';
import { COINS_MAX } from '../model/limits.ts';

const FIRST_ROWS = 1024;

export class LedgerRows {
  private readonly index = new IdIndex();
  /** Whose row it is, and in which coin. */
  private accounts = new Int32Array(FIRST_ROWS);
  private coins = new Int32Array(FIRST_ROWS);
  /** Rows opened so far. */
  count = 0;

  accountOf(row: number): number {
    return this.accounts[row]!;
  }

  coinOf(row: number): number {
    return this.coins[row]!;
  }

  /** -1 when there is none. */
  find(account: number, coin: number): number {
    return this.index.get(keyOf(account, coin));
  }

  /** A new row; the account must not have one in this coin. */
  open(account: number, coin: number): number {
    const row = this.count++;
    if (row === this.accounts.length) this.grow();
    this.accounts[row] = account;
    this.coins[row] = coin;
    this.index.set(keyOf(account, coin), row);
    return row;
  }

  private grow(): void {
    const { accounts, coins } = this;
    this.accounts = new Int32Array(2 * accounts.length);
    this.accounts.set(accounts);
    this.coins = new Int32Array(2 * coins.length);
    this.coins.set(coins);
  }
}

/** Never zero, which the index takes for no entry. */
function keyOf(account: number, coin: number): number {
  return account * COINS_MAX + coin + 1;
}
