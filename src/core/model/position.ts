/**
 * A futures position as integers (rules 4.4, 4.5): signed size, signed cost basis. No average price is stored, so
 * what a close releases and what stays always add up to what was paid, and clearing sums come out exact.
 */
import { type Amount, differenceOf, shareOf } from './amount.ts';
import type { Fields } from './bytes.ts';
import type { PosSide } from './enums.ts';
import type { Block } from './number-blocks.ts';
import { PositionColumn, PositionNumbers } from './position-numbers.ts';
import { assert, larger, smaller } from './units.ts';

export interface Closed {
  /** Profit of the closed part in 10^-8 of the quote coin, without fees and funding. */
  readonly realised: Amount;
  /** Isolated margin that the closed part sets free. */
  readonly margin: Amount;
}

/** As much as the account has. */
export const AUTO_MARGIN_UNBOUNDED = 2n ** 64n;

export class Position extends PositionNumbers {
  readonly id: number;
  readonly account: number;
  readonly instrument: number;
  /** Isolated positions keep margin of their own. */
  readonly isolated: boolean;
  /** `none` for the net position of one-way mode. */
  readonly posSide: PosSide;
  /** Direction of the first lots; a position never turns, it closes and another opens. */
  wasLong = false;
  /** Its place in the table of the contract (`../state/position-table.ts`); not saved. */
  row = -1;

  /** `block`: where its numbers are, else in memory of its own. */
  constructor(
    id: number,
    account: number,
    instrument: number,
    posSide: PosSide,
    isolated: boolean,
    time: number,
    block?: Block,
  ) {
    super(block);
    this.id = id;
    this.account = account;
    this.instrument = instrument;
    this.posSide = posSide;
    this.isolated = isolated;
    this.createdTime = time;
    this.updatedTime = time;
  }

  get long(): boolean {
    return this.size > 0;
  }

  get lots(): number {
    return Math.abs(this.size);
  }

  /** Adds lots in the direction of the position, or opens it. */
  open(buying: boolean, lots: number, value: Amount, queueValue = value): void {
    assert(this.size === 0 || this.long === buying, 'opening goes in the direction of the position');
    this.wasLong = buying;
    this.size += buying ? lots : -lots;
    this.add(PositionColumn.basis, buying ? value : -value);
    this.add(PositionColumn.queueBasis, buying ? queueValue : -queueValue);
    this.openedLots += lots;
    this.add(PositionColumn.openedValue, value);
  }

  /** Takes lots off; `value` is what they traded for. The last lots release all that is left of the basis. */
  close(lots: number, value: Amount): Closed {
    const { long, lots: size } = this;
    assert(lots > 0 && lots <= size, 'a close takes no more than there is');
    const released = this.partOf(this.magnitude(PositionColumn.basis), lots);
    const queueValue = this.partOf(this.magnitude(PositionColumn.queueBasis), lots);
    const margin = this.partOf(this.amount(PositionColumn.iso), lots);
    this.add(PositionColumn.basis, long ? -released : released);
    this.add(PositionColumn.queueBasis, long ? -queueValue : queueValue);
    this.size += long ? -lots : lots;
    this.closedLots += lots;
    this.add(PositionColumn.closedValue, value);
    return { realised: long ? differenceOf(value, released) : differenceOf(released, value), margin };
  }

  /** What so many of its lots have cost. */
  basisOf(lots: number): bigint {
    return BigInt(this.partOf(this.magnitude(PositionColumn.basis), lots));
  }

  /** What so many of its lots take along in the deleveraging queue. */
  queueValueOf(lots: number): bigint {
    return BigInt(this.partOf(this.magnitude(PositionColumn.queueBasis), lots));
  }

  /** What so many of its lots take along of the funding that is owed. */
  owedOf(lots: number): bigint {
    return BigInt(this.partOf(this.amount(PositionColumn.fundingOwed), lots));
  }

  private magnitude(column: number): Amount {
    const amount = this.amount(column);
    return amount < 0 ? -amount : amount;
  }

  /** What so many of its lots have of an amount; all of them have all of it. */
  private partOf(amount: Amount, lots: number): Amount {
    const { lots: size } = this;
    return lots === size || amount === 0 ? amount : shareOf(amount, lots, size);
  }

  /**
   * Books the profit of a close and the margin it set free: so much goes back to cash, so much cash has to add. A close at
   * a price beyond bankruptcy costs more than the margin: losses must be paid (rules 6.5).
   */
  release(margin: bigint, pnl: bigint): { freed: bigint; missing: bigint } {
    const freed = larger(0n, margin + pnl);
    const left = this.iso + pnl - freed;
    const missing = larger(0n, -left);
    this.iso = left + missing;
    return { freed, missing };
  }

  /** Takes what a release pays of the funding that is owed off the debt. */
  payOwed(released: bigint): bigint {
    const paid = smaller(this.fundingOwed, larger(0n, released));
    this.fundingOwed -= paid;
    this.funding -= paid;
    return paid;
  }

  /** To try something out on. */
  copy(): Position {
    const { id, account, instrument, posSide, isolated, createdTime } = this;
    const copy = new Position(id, account, instrument, posSide, isolated, createdTime);
    copy.copyFrom(this);
    copy.wasLong = this.wasLong;
    return copy;
  }

  /** Profit at a price, in 10^-8 of the quote coin: size x price - basis. */
  unrealised(markValue: bigint): bigint {
    return this.long ? markValue - this.basis : -markValue - this.basis;
  }

  /** For snapshots; what the constructor took is written by the caller. */
  fields(f: Fields): void {
    this.updatedTime = f.f64(this.updatedTime);
    this.wasLong = f.flag(this.wasLong);
    this.size = f.f64(this.size);
    this.basis = f.money(this.basis);
    this.queueBasis = f.money(this.queueBasis);
    this.iso = f.money(this.iso);
    this.autoMargin = f.money(this.autoMargin);
    this.realised = f.money(this.realised);
    this.openFee = f.money(this.openFee);
    this.closeFee = f.money(this.closeFee);
    this.funding = f.money(this.funding);
    this.openedLots = f.f64(this.openedLots);
    this.openedValue = f.money(this.openedValue);
    this.closedLots = f.f64(this.closedLots);
    this.closedValue = f.money(this.closedValue);
  }
}

/** One net position an instrument in one-way mode, two in hedge mode. */
export function positionKey(instrument: number, posSide: PosSide): number {
  return instrument * 3 + posSide;
}
