/**
 * Double-entry books (domain.md 4). Each account has, per coin, a row of buckets; the only way to change a bucket is
 * `move`, which takes from one and gives to another, so per coin the sum over all rows is always zero (I01, I41).
 */
import { assert } from './units.ts';

/**
 * `withdrawing` holds what has left a wallet and not yet the venue; `isolated` the margin of isolated positions,
 * `isolatedOrders` that of orders which may open such positions.
 */
export const Bucket = {
  cash: 0,
  locked: 1,
  pledge: 2,
  funding: 3,
  withdrawing: 4,
  isolated: 5,
  isolatedOrders: 6,
} as const;
export type Bucket = (typeof Bucket)[keyof typeof Bucket];
export const BUCKETS = 7;

/** Accounts of the house and the outside world come first; users follow. */
export const SystemAccount = {
  external: 0,
  fee: 1,
  insurance: 2,
  interest: 3,
  loanPool: 4,
  convert: 5,
  clearing: 6,
} as const;
export const SYSTEM_ACCOUNT_NAMES = [
  'ext',
  'sys:fee',
  'sys:insurance',
  'sys:interest',
  'sys:loanpool',
  'sys:convert',
  'sys:clearing',
];
export const FIRST_USER_ACCOUNT = 16;
const NO_COINS: readonly number[] = [];

export class Ledger {
  /** Row of (account, coin), opened when first touched. */
  private readonly rows: (Int32Array<ArrayBuffer> | undefined)[] = [];
  private readonly cells: bigint[] = [];
  /** Coins of each account's rows, ascending. */
  private readonly coins: number[][] = [];
  /** Rows opened so far. */
  rowCount = 0;

  /** Cell of a bucket; opens the row. */
  cell(account: number, coin: number, bucket: Bucket): number {
    let rows = this.rows[account];
    if (rows === undefined || coin >= rows.length) rows = this.widen(account, coin);
    let row = rows[coin]!;
    if (row === 0) {
      row = ++this.rowCount;
      rows[coin] = row;
      this.addCoin(account, coin);
      this.cells.push(0n, 0n, 0n, 0n, 0n, 0n, 0n);
    }
    return (row - 1) * BUCKETS + bucket;
  }

  balance(cell: number): bigint {
    return this.cells[cell]!;
  }

  /** Bucket of an account without opening a row. */
  peek(account: number, coin: number, bucket: Bucket): bigint {
    const row = this.rows[account]?.[coin] ?? 0;
    return row === 0 ? 0n : this.cells[(row - 1) * BUCKETS + bucket]!;
  }

  move(from: number, to: number, amount: bigint): void {
    assert(amount >= 0n, 'a posting moves a positive amount');
    this.cells[from] = this.cells[from]! - amount;
    this.cells[to] = this.cells[to]! + amount;
  }

  /** Coins an account has ever touched, ascending. */
  coinsOf(account: number): readonly number[] {
    return this.coins[account] ?? NO_COINS;
  }

  /** Visits every row: account ascending, coin ascending. */
  eachRow(visit: (account: number, coin: number, buckets: readonly bigint[]) => void): void {
    for (let account = 0; account < this.rows.length; account++) {
      this.rows[account]?.forEach((row, coin) => {
        if (row !== 0) visit(account, coin, this.cells.slice((row - 1) * BUCKETS, row * BUCKETS));
      });
    }
  }

  /** Used by snapshots only: puts back what `eachRow` gave. */
  restoreRow(account: number, coin: number, buckets: readonly bigint[]): void {
    const first = this.cell(account, coin, Bucket.cash);
    for (let bucket = 0; bucket < BUCKETS; bucket++) this.cells[first + bucket] = buckets[bucket]!;
  }

  private addCoin(account: number, coin: number): void {
    while (this.coins.length <= account) this.coins.push([]);
    const coins = this.coins[account]!;
    coins.push(coin);
    coins.sort((a, b) => a - b);
  }

  private widen(account: number, coin: number): Int32Array<ArrayBuffer> {
    const old = this.rows[account];
    const rows = new Int32Array(Math.max(8, (coin + 8) & ~7));
    if (old !== undefined) rows.set(old);
    while (this.rows.length <= account) this.rows.push(undefined);
    this.rows[account] = rows;
    return rows;
  }
}
