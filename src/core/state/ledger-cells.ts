/**
 * The memory of the ledger: numbers side by side, in pages that are never copied. An account has a block of four lines: one of
 * its own, then the rows of the first coins that it touches. Among a hundred thousand accounts a command waits longer for the
 * translation of addresses than for the data, so these four are in one page of the machine's memory as a rule. A line is about one
 * of the processor's cache. Rows of further coins are in pages of their own.
 *
 * A row is one line: seven buckets, then account and coin. A cell whose balance is beyond exact numbers is NaN and has its
 * balance in a table of big integers.
 */
import { type Amount, differenceOf, numberOf, sumOf } from '../model/amount.ts';
import { BUCKETS, type Bucket } from '../model/ledger-accounts.ts';
import { exact } from '../model/safe-integers.ts';
import { assert } from '../model/units.ts';

const PAGE_BITS = 15;
const PAGE_CELLS = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_CELLS - 1;
/** Cells are found by shifts, which are of 32 bits with a sign. */
const PAGES_MAX = 2 ** 31 / PAGE_CELLS;

/** A power of two: the row of a cell is found by a mask. */
export const LINE_CELLS = 8;
const BUCKET_MASK = LINE_CELLS - 1;
/** The cell after the buckets, as two halves. */
const ACCOUNT = 2 * BUCKETS;
const COIN = ACCOUNT + 1;

const BLOCK_BITS = 5;
/** Rows of an account in its block, behind the line of its own. */
export const ROWS_IN_BLOCK = (1 << BLOCK_BITS) / LINE_CELLS - 1;
/** Blocks of a page. */
const BLOCKS_BITS = PAGE_BITS - BLOCK_BITS;
const BLOCKS_MASK = (1 << BLOCKS_BITS) - 1;

export class LedgerCells {
  private readonly pages: Float64Array[] = [];
  /** The same memory as halves of cells. */
  private readonly halves: Int32Array[] = [];
  /** First cell of each page of blocks; the blocks of accounts follow each other. */
  private readonly blockPages: number[] = [];
  /** The next row outside of blocks, and the end of its page. */
  private nextRow = 0;
  private rowsEnd = 0;
  private readonly large = new Map<number, bigint>();

  /** First cell of the block of an account, whose first line is the account's own; -1 when it has none. */
  block(account: number): number {
    const page = this.blockPages[account >> BLOCKS_BITS];
    return page === undefined ? -1 : page + ((account & BLOCKS_MASK) << BLOCK_BITS);
  }

  /** The same; makes it. */
  openBlock(account: number): number {
    while (this.blockPages.length <= account >> BLOCKS_BITS) this.blockPages.push(this.addPage());
    return this.block(account);
  }

  /** First cell of a row in the block of its account, which must be there; its buckets are empty. */
  openInBlock(account: number, coin: number, row: number): number {
    return this.open(account, coin, this.block(account) + (row + 1) * LINE_CELLS);
  }

  /** The same outside. */
  openOutside(account: number, coin: number): number {
    if (this.nextRow === this.rowsEnd) {
      this.nextRow = this.addPage();
      this.rowsEnd = this.nextRow + PAGE_CELLS;
    }
    const row = this.nextRow;
    this.nextRow += LINE_CELLS;
    return this.open(account, coin, row);
  }

  /** The page that a cell is in, for those who read several of its cells; `placeOf` says where. */
  page(cell: number): Float64Array {
    return this.pages[cell >> PAGE_BITS]!;
  }

  accountOf(cell: number): number {
    return this.halves[cell >> PAGE_BITS]![2 * (firstOf(cell) & PAGE_MASK) + ACCOUNT]!;
  }

  coinOf(cell: number): number {
    return this.halves[cell >> PAGE_BITS]![2 * (firstOf(cell) & PAGE_MASK) + COIN]!;
  }

  /** NaN when it would not be exact. */
  number(cell: number): number {
    return this.pages[cell >> PAGE_BITS]![cell & PAGE_MASK]!;
  }

  get(cell: number): Amount {
    const number = this.number(cell);
    return Number.isNaN(number) ? this.large.get(cell)! : number;
  }

  set(cell: number, amount: Amount): void {
    const number = numberOf(amount);
    const page = this.pages[cell >> PAGE_BITS]!;
    if (Number.isNaN(number)) this.large.set(cell, BigInt(amount));
    else if (Number.isNaN(page[cell & PAGE_MASK])) this.large.delete(cell);
    page[cell & PAGE_MASK] = number;
  }

  add(cell: number, amount: Amount): void {
    const page = this.pages[cell >> PAGE_BITS]!;
    const sum = exact(page[cell & PAGE_MASK]! + numberOf(amount));
    if (Number.isNaN(sum)) this.set(cell, sumOf(this.get(cell), amount));
    else page[cell & PAGE_MASK] = sum;
  }

  /** Returns whether the cell is below zero then. */
  subtract(cell: number, amount: Amount): boolean {
    const page = this.pages[cell >> PAGE_BITS]!;
    const left = exact(page[cell & PAGE_MASK]! - numberOf(amount));
    if (Number.isNaN(left)) this.set(cell, differenceOf(this.get(cell), amount));
    else page[cell & PAGE_MASK] = left;
    return Number.isNaN(left) ? this.get(cell) < 0 : left < 0;
  }

  private open(account: number, coin: number, row: number): number {
    const halves = this.halves[row >> PAGE_BITS]!;
    halves[2 * placeOf(row) + ACCOUNT] = account;
    halves[2 * placeOf(row) + COIN] = coin;
    return row;
  }

  /** Returns its first cell. */
  private addPage(): number {
    assert(this.pages.length < PAGES_MAX, 'a cell is a number of 31 bits');
    const page = new Float64Array(PAGE_CELLS);
    this.halves.push(new Int32Array(page.buffer));
    return (this.pages.push(page) - 1) << PAGE_BITS;
  }
}

/** Where a cell is in its page. */
export function placeOf(cell: number): number {
  return cell & PAGE_MASK;
}

/** The first cell of the row of a cell. */
export function firstOf(cell: number): number {
  return cell & ~BUCKET_MASK;
}

export function bucketOf(cell: number): Bucket {
  return (cell & BUCKET_MASK) as Bucket;
}
