/**
 * The positions of a contract side by side, with the numbers that rank them for deleveraging. A ranking looks at every holder
 * of a side, and what costs then is to fetch account, table of positions, position and basis, each from its own place in
 * memory. It is not part of the state: it follows from the positions.
 */

import { PosSide } from '../model/enums.ts';
import type { Position } from '../model/position.ts';
import { PositionColumn } from '../model/position-numbers.ts';
import type { Account } from './account.ts';
import type { MarginCache } from './margin-cache-state.ts';

/** Columns of a position. */
export const PositionRow = {
  /** Lots, positive long, negative short. */
  size: 0,
  /** What its profit counts from in the queue, without a sign; NaN where its rank does not follow from these numbers alone. */
  queueBasis: 1,
  account: 2,
  uid: 3,
  /** Score as a ranking has found it, and what it was found with (`State.priceVersion`, `Ledger.changesOf`). */
  score: 4,
  priceVersion: 5,
  changes: 6,
} as const;
/** A line of the processor's cache. */
export const POSITION_COLUMNS = 8;
const NO_VERSION = -1;

const FIRST_ROWS = 16;

export class PositionTable {
  readonly positions: Position[] = [];
  private readonly margins: (MarginCache | undefined)[] = [];
  private columns = new Float64Array(0);

  get size(): number {
    return this.positions.length;
  }

  /** The columns; another array after a position was added. */
  get numbers(): Float64Array {
    return this.columns;
  }

  add(account: Account, position: Position): void {
    const row = this.positions.length;
    if (this.columns.length === row * POSITION_COLUMNS) this.grow();
    position.row = row;
    this.positions.push(position);
    this.margins.push(account.margin);
    this.columns[row * POSITION_COLUMNS + PositionRow.account] = account.index;
    this.columns[row * POSITION_COLUMNS + PositionRow.uid] = account.uid;
    this.changed(position);
  }

  /** The position has another size now. */
  changed(position: Position): void {
    const { row, size, isolated, posSide } = position;
    // Of a hedged pair only the difference is ranked, and an isolated position by its own margin.
    const simple = !isolated && posSide === PosSide.none;
    const at = row * POSITION_COLUMNS;
    this.columns[at + PositionRow.priceVersion] = NO_VERSION;
    this.columns[at + PositionRow.size] = size;
    this.columns[at + PositionRow.queueBasis] = simple
      ? Math.abs(position.number(PositionColumn.queueBasis))
      : Number.NaN;
  }

  has(position: Position): boolean {
    return this.positions[position.row] === position;
  }

  /** The last one takes its place. */
  remove(position: Position): void {
    const { positions, margins, columns } = this;
    const last = positions.pop()!;
    const margin = margins.pop();
    const { row } = position;
    if (last === position) return;
    positions[row] = last;
    margins[row] = margin;
    last.row = row;
    const from = positions.length * POSITION_COLUMNS;
    columns.copyWithin(row * POSITION_COLUMNS, from, from + POSITION_COLUMNS);
  }

  /** The cached margin of the owner, which is made once; undefined before. */
  marginOf(row: number, accounts: readonly Account[]): MarginCache | undefined {
    const known = this.margins[row];
    if (known !== undefined) return known;
    const { margin } = accounts[this.columns[row * POSITION_COLUMNS + PositionRow.account]!]!;
    this.margins[row] = margin;
    return margin;
  }

  private grow(): void {
    const grown = new Float64Array(Math.max(FIRST_ROWS * POSITION_COLUMNS, 2 * this.columns.length));
    grown.set(this.columns);
    this.columns = grown;
  }
}
