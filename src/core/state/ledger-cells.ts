/**
 * The cells of the ledger: numbers side by side, in pages that are never copied once they are full. A row is one line of the processor's cache:
 * seven buckets, then account and coin. A cell whose balance is beyond exact numbers is NaN and has its balance in a table
 * of big integers.
 */
import { type Amount, differenceOf, numberOf, sumOf } from '../model/amount.ts';
import { BUCKETS, type Bucket } from '../model/ledger-accounts.ts';
import { exact } from '../model/safe-integers.ts';

const PAGE_BITS = 15;
const PAGE_MASK = (1 << PAGE_BITS) - 1;

/** Cells of the first page at first; it doubles up to the size of the others. */
const FIRST_CELLS = 1 << 9;

/** Eight cells a row: the row of a cell is found by a shift. */
const ROW_SHIFT = 3;
const BUCKET_MASK = (1 << ROW_SHIFT) - 1;
/** The cell after the buckets, as two halves. */
const ACCOUNT = 2 * BUCKETS;
const COIN = ACCOUNT + 1;

export class LedgerCells {
  private readonly pages: Float64Array[] = [];
  /** The same memory as halves of cells. */
  private readonly halves: Int32Array[] = [];
  private readonly large = new Map<number, bigint>();

  /** Rows opened so far. */
  rowCount = 0;

  /** The first cell of a new row; its buckets are empty. */
  open(account: number, coin: number): number {
    const first = this.rowCount++ << ROW_SHIFT;
    if (first === 0) this.setPage(0, new Float64Array(FIRST_CELLS));
    else if (this.pages.length << PAGE_BITS === first)
      this.setPage(this.pages.length, new Float64Array(1 << PAGE_BITS));
    else if (first === this.pages[0]!.length) {
      const grown = new Float64Array(2 * first);
      grown.set(this.pages[0]!);
      this.setPage(0, grown);
    }
    const halves = this.halves[first >> PAGE_BITS]!;
    halves[2 * (first & PAGE_MASK) + ACCOUNT] = account;
    halves[2 * (first & PAGE_MASK) + COIN] = coin;
    return first;
  }

  private setPage(at: number, page: Float64Array): void {
    this.pages[at] = page;
    this.halves[at] = new Int32Array(page.buffer);
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
}

/** The first cell of the row of a cell. */
export function firstOf(cell: number): number {
  return cell & ~BUCKET_MASK;
}

export function bucketOf(cell: number): Bucket {
  return (cell & BUCKET_MASK) as Bucket;
}

/** The first cell of a row by its number, and back. */
export function cellOf(row: number): number {
  return row << ROW_SHIFT;
}

export function rowOf(cell: number): number {
  return cell >> ROW_SHIFT;
}
