/**
 * What the ledger knows of an account: how often its money has changed, how many of its rows are in debt, and where its rows
 * begin. That is one line of the processor's cache for an account with up to three coins; further coins are in one
 * index, because a table for each account would have as many places as there are coins.
 */
import { IdIndex } from '../book/id-index.ts';
import { COINS_MAX } from '../model/limits.ts';

const PAGE_BITS = 12;
const PAGE_MASK = (1 << PAGE_BITS) - 1;
/** Columns of an account: counters, then pairs of a coin, counted from 1, and the first cell of its row. */
const CHANGES = 0;
const OWING = 1;
const FIRST_PAIR = 2;
const COLUMN_BITS = 3;
const COLUMNS = 1 << COLUMN_BITS;
const NO_COIN = 0;

const NO_COINS: readonly number[] = [];
/** Lists of up to so many coins are shared by the accounts that have the same. */
const SHARED_COINS_MAX = 4;

export class LedgerRows {
  private readonly pages: Float64Array[] = [];
  private readonly others = new IdIndex();
  /** Coins of each account's rows, ascending. */
  private readonly coins: (readonly number[])[] = [];
  private readonly shared = new Map<string, readonly number[]>();

  /** First cell of the row; -1 when there is none. */
  find(account: number, coin: number): number {
    const page = this.pages[account >> PAGE_BITS];
    if (page === undefined) return -1;
    const first = (account & PAGE_MASK) << COLUMN_BITS;
    for (let at = first + FIRST_PAIR; at < first + COLUMNS; at += 2) {
      if (page[at] === coin + 1) return page[at + 1]!;
      if (page[at] === NO_COIN) return -1;
    }
    return this.others.get(keyOf(account, coin));
  }

  /** The account must not have a row in this coin. */
  add(account: number, coin: number, cell: number): void {
    this.openPage(account);
    const page = this.pages[account >> PAGE_BITS]!;
    const first = (account & PAGE_MASK) << COLUMN_BITS;
    let at = first + FIRST_PAIR;
    while (at < first + COLUMNS && page[at] !== NO_COIN) at += 2;
    if (at < first + COLUMNS) {
      page[at] = coin + 1;
      page[at + 1] = cell;
    } else this.others.set(keyOf(account, coin), cell);
    while (this.coins.length <= account) this.coins.push(NO_COINS);
    this.coins[account] = this.share([...this.coins[account]!, coin].sort((a, b) => a - b));
  }

  /** How often the money of an account has changed; 0 without rows. */
  changesOf(account: number): number {
    return this.pages[account >> PAGE_BITS]?.[((account & PAGE_MASK) << COLUMN_BITS) + CHANGES] ?? 0;
  }

  noteChange(account: number): void {
    this.pages[account >> PAGE_BITS]![((account & PAGE_MASK) << COLUMN_BITS) + CHANGES]!++;
  }

  /** The same for an account that may have no row. */
  noteFirstChange(account: number): void {
    this.openPage(account);
    this.noteChange(account);
  }

  /** The first cell of the first or second row that was opened for an account; 0 when there is none. */
  firstCell(account: number, row: 0 | 1): number {
    const at = ((account & PAGE_MASK) << COLUMN_BITS) + FIRST_PAIR + 1 + 2 * row;
    return this.pages[account >> PAGE_BITS]?.[at] ?? 0;
  }

  /** How many rows of an account have negative cash. */
  owingOf(account: number): number {
    return this.pages[account >> PAGE_BITS]?.[((account & PAGE_MASK) << COLUMN_BITS) + OWING] ?? 0;
  }

  addOwing(account: number, rows: number): void {
    this.pages[account >> PAGE_BITS]![((account & PAGE_MASK) << COLUMN_BITS) + OWING]! += rows;
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

  private openPage(account: number): void {
    while (this.pages.length <= account >> PAGE_BITS)
      this.pages.push(new Float64Array(1 << (PAGE_BITS + COLUMN_BITS)));
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
