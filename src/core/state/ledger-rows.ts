/**
 * The rows of each account: how often its money has changed, how many of its rows are in debt, and the coins of the rows in its
 * block. Rows of further coins are in one index, because a table for each account would have as many places as there are coins.
 */
import { IdIndex } from '../book/id-index.ts';
import { COINS_MAX } from '../model/limits.ts';
import { type LedgerCells, LINE_CELLS, placeOf, ROWS_IN_BLOCK } from './ledger-cells.ts';

/** The line of an account: counters, then the coins of the rows in its block, counted from 1. */
const CHANGES = 0;
const OWING = 1;
const FIRST_COIN = 2;
const NO_COIN = 0;

const OPENED_BITS = 12;
const OPENED_MASK = (1 << OPENED_BITS) - 1;

const NO_COINS: readonly number[] = [];
/** Lists of up to so many coins are shared by the accounts that have the same. */
const SHARED_COINS_MAX = 4;

export class LedgerRows {
  private readonly cells: LedgerCells;
  private readonly others = new IdIndex();
  /** First cell of each row, in the order in which they were opened; in pages, because a large array is copied when it grows. */
  private readonly opened: Int32Array[] = [];
  /** Coins of each account's rows, ascending. */
  private readonly coins: (readonly number[])[] = [];
  private readonly shared = new Map<string, readonly number[]>();
  /** Rows opened so far. */
  count = 0;

  constructor(cells: LedgerCells) {
    this.cells = cells;
  }

  /** First cell of the row that was opened as the nth, from 0. */
  at(n: number): number {
    return this.opened[n >> OPENED_BITS]![n & OPENED_MASK]!;
  }

  /** Reads the line of an account and those of its first rows; returns the sum of what was read. */
  prefetch(account: number): number {
    const block = this.cells.block(account);
    if (block < 0) return 0;
    const page = this.cells.page(block);
    const at = placeOf(block);
    return page[at]! + page[at + LINE_CELLS]! + page[at + 2 * LINE_CELLS]!;
  }

  /** First cell of the row; -1 when there is none. */
  find(account: number, coin: number): number {
    const block = this.cells.block(account);
    if (block < 0) return -1;
    const page = this.cells.page(block);
    const coins = placeOf(block) + FIRST_COIN;
    for (let row = 0; row < ROWS_IN_BLOCK; row++) {
      if (page[coins + row] === coin + 1) return block + (row + 1) * LINE_CELLS;
      if (page[coins + row] === NO_COIN) return -1;
    }
    return this.others.get(keyOf(account, coin));
  }

  /** Opens the row of an account that has none in this coin; returns its first cell. */
  open(account: number, coin: number): number {
    const first = this.openInBlock(account, coin) ?? this.openOutside(account, coin);
    if (this.opened.length << OPENED_BITS === this.count) this.opened.push(new Int32Array(OPENED_MASK + 1));
    this.opened[this.count >> OPENED_BITS]![this.count++ & OPENED_MASK] = first;
    while (this.coins.length <= account) this.coins.push(NO_COINS);
    this.coins[account] = this.share([...this.coins[account]!, coin].sort((a, b) => a - b));
    return first;
  }

  /** How often the money of an account has changed; 0 without rows. */
  changesOf(account: number): number {
    return this.numberOf(account, CHANGES);
  }

  noteChange(account: number): void {
    const block = this.cells.block(account);
    this.cells.page(block)[placeOf(block) + CHANGES]!++;
  }

  /** The same for an account that may have no row. */
  noteFirstChange(account: number): void {
    this.cells.openBlock(account);
    this.noteChange(account);
  }

  /** How many rows of an account have negative cash. */
  owingOf(account: number): number {
    return this.numberOf(account, OWING);
  }

  addOwing(account: number, rows: number): void {
    const block = this.cells.block(account);
    this.cells.page(block)[placeOf(block) + OWING]! += rows;
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

  /** Undefined when the block is full. */
  private openInBlock(account: number, coin: number): number | undefined {
    const { cells } = this;
    const block = cells.openBlock(account);
    const page = cells.page(block);
    const coins = placeOf(block) + FIRST_COIN;
    for (let row = 0; row < ROWS_IN_BLOCK; row++) {
      if (page[coins + row] !== NO_COIN) continue;
      page[coins + row] = coin + 1;
      return cells.openInBlock(account, coin, row);
    }
    return undefined;
  }

  private openOutside(account: number, coin: number): number {
    const first = this.cells.openOutside(account, coin);
    this.others.set(keyOf(account, coin), first);
    return first;
  }

  private numberOf(account: number, column: number): number {
    const block = this.cells.block(account);
    return block < 0 ? 0 : this.cells.page(block)[placeOf(block) + column]!;
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
