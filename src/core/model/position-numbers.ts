/**
 * The numbers of a position: a block in an array that thousands of positions share. A fill changes ten of them, and as fields of an object they
 * would be ten objects more, each of which the collector has to visit. An amount that is no exact number is a big integer beside
 * the block, and NaN in it.
 */
import { type Amount, numberOf, sumOf } from './amount.ts';
import type { Block } from './number-blocks.ts';
import { exact } from './safe-integers.ts';

/** Places in the block. Lots and times are exact numbers. */
export const PositionColumn = {
  /** Lots, positive long, negative short. */
  size: 0,
  /** For the record when it closes: everything opened and closed, in lots and in value. */
  openedLots: 1,
  closedLots: 2,
  createdTime: 3,
  updatedTime: 4,
  openedValue: 5,
  closedValue: 6,
  /** What the lots have cost: 10^-8 of the quote coin, sign of the size. */
  basis: 7,
  /**
   * What its place in the deleveraging queue counts profit from: the basis, except for lots that the owner moved here, which
   * keep what they had, or whoever is first in the queue would move to its end for nothing.
   */
  queueBasis: 8,
  /** Isolated margin in 10^-8 of the margin coin. */
  iso: 9,
  /** Funding that neither cash nor margin could pay; later releases pay it first (rules 13.8). */
  fundingOwed: 10,
  /** What it may still add to the margin by itself before it is liquidated; 0 = nothing. */
  autoMargin: 11,
  /** Life sums in the margin coin: profit without fees and funding, fees charged, funding received less paid. */
  realised: 12,
  openFee: 13,
  closeFee: 14,
  funding: 15,
} as const;
/** Two lines of the processor's cache. */
export const POSITION_NUMBERS = 16;

export class PositionNumbers {
  private numbers: Float64Array;
  private base: number;
  /** Amounts that are no exact numbers, by column. */
  private large: Map<number, bigint> | undefined;

  /** Without a block they are in memory of their own. */
  constructor(block: Block = ownBlock()) {
    this.numbers = block.numbers;
    this.base = block.base;
  }

  /** The block is needed elsewhere: the numbers move to memory of their own. Returns the block. */
  leaveBlock(): Block {
    const { numbers, base } = this;
    const own = ownBlock();
    this.numbers = own.numbers;
    this.base = own.base;
    for (let n = 0; n < POSITION_NUMBERS; n++) own.numbers[n] = numbers[base + n]!;
    return { numbers, base };
  }

  protected copyFrom({ numbers, base, large }: PositionNumbers): void {
    this.numbers.set(numbers.subarray(base, base + POSITION_NUMBERS), this.base);
    this.large = large === undefined ? undefined : new Map(large);
  }

  /** An amount as a number, NaN when that is not exact. */
  number(column: number): number {
    return this.numbers[this.base + column]!;
  }

  amount(column: number): Amount {
    const number = this.number(column);
    return Number.isNaN(number) ? this.large!.get(column)! : number;
  }

  add(column: number, amount: Amount): void {
    const { numbers, base } = this;
    const sum = exact(numbers[base + column]! + numberOf(amount));
    if (Number.isNaN(sum)) this.set(column, sumOf(this.amount(column), amount));
    else numbers[base + column] = sum;
  }

  private set(column: number, amount: Amount): void {
    const number = numberOf(amount);
    if (Number.isNaN(number)) {
      this.large ??= new Map();
      this.large.set(column, BigInt(amount));
    } else this.large?.delete(column);
    this.numbers[this.base + column] = number;
  }

  private big(column: number): bigint {
    return BigInt(this.amount(column));
  }

  get size(): number {
    return this.number(PositionColumn.size);
  }

  set size(value: number) {
    this.numbers[this.base + PositionColumn.size] = value;
  }

  get openedLots(): number {
    return this.number(PositionColumn.openedLots);
  }

  set openedLots(value: number) {
    this.numbers[this.base + PositionColumn.openedLots] = value;
  }

  get closedLots(): number {
    return this.number(PositionColumn.closedLots);
  }

  set closedLots(value: number) {
    this.numbers[this.base + PositionColumn.closedLots] = value;
  }

  get createdTime(): number {
    return this.number(PositionColumn.createdTime);
  }

  protected set createdTime(value: number) {
    this.numbers[this.base + PositionColumn.createdTime] = value;
  }

  get updatedTime(): number {
    return this.number(PositionColumn.updatedTime);
  }

  set updatedTime(value: number) {
    this.numbers[this.base + PositionColumn.updatedTime] = value;
  }

  get basis(): bigint {
    return this.big(PositionColumn.basis);
  }

  set basis(amount: bigint) {
    this.set(PositionColumn.basis, amount);
  }

  get queueBasis(): bigint {
    return this.big(PositionColumn.queueBasis);
  }

  set queueBasis(amount: bigint) {
    this.set(PositionColumn.queueBasis, amount);
  }

  get iso(): bigint {
    return this.big(PositionColumn.iso);
  }

  set iso(amount: bigint) {
    this.set(PositionColumn.iso, amount);
  }

  get fundingOwed(): bigint {
    return this.big(PositionColumn.fundingOwed);
  }

  set fundingOwed(amount: bigint) {
    this.set(PositionColumn.fundingOwed, amount);
  }

  get autoMargin(): bigint {
    return this.big(PositionColumn.autoMargin);
  }

  set autoMargin(amount: bigint) {
    this.set(PositionColumn.autoMargin, amount);
  }

  get realised(): bigint {
    return this.big(PositionColumn.realised);
  }

  set realised(amount: bigint) {
    this.set(PositionColumn.realised, amount);
  }

  get openFee(): bigint {
    return this.big(PositionColumn.openFee);
  }

  set openFee(amount: bigint) {
    this.set(PositionColumn.openFee, amount);
  }

  get closeFee(): bigint {
    return this.big(PositionColumn.closeFee);
  }

  set closeFee(amount: bigint) {
    this.set(PositionColumn.closeFee, amount);
  }

  get funding(): bigint {
    return this.big(PositionColumn.funding);
  }

  set funding(amount: bigint) {
    this.set(PositionColumn.funding, amount);
  }

  get openedValue(): bigint {
    return this.big(PositionColumn.openedValue);
  }

  set openedValue(amount: bigint) {
    this.set(PositionColumn.openedValue, amount);
  }

  get closedValue(): bigint {
    return this.big(PositionColumn.closedValue);
  }

  set closedValue(amount: bigint) {
    this.set(PositionColumn.closedValue, amount);
  }
}

function ownBlock(): Block {
  return { numbers: new Float64Array(POSITION_NUMBERS), base: 0 };
}
