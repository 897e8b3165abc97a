/**
 * A futures position as integers (rules 4.4, 4.5): signed size, signed cost basis. No average price is stored, so
 * what a close releases and what stays always add up to what was paid, and clearing sums come out exact.
 */
import type { Fields } from './bytes.ts';
import type { PosSide } from './enums.ts';
import { assert, divFloor, larger, smaller } from './units.ts';

export interface Closed {
  /** Profit of the closed part in 10^-8 of the quote coin, without fees and funding. */
  readonly realised: bigint;
  /** Isolated margin that the closed part sets free. */
  readonly margin: bigint;
}

/** As much as the account has. */
export const AUTO_MARGIN_UNBOUNDED = 2n ** 64n;

export class Position {
  readonly id: number;
  readonly account: number;
  readonly instrument: number;
  /** Isolated positions keep margin of their own. */
  readonly isolated: boolean;
  /** `none` for the net position of one-way mode. */
  readonly posSide: PosSide;
  readonly createdTime: number;
  updatedTime: number;
  /** Direction of the first lots; a position never turns, it closes and another opens. */
  wasLong = false;
  /** Lots, positive long, negative short. */
  size = 0;
  /** 10^-8 of the quote coin, sign of the size. */
  basis = 0n;
  /**
   * What its place in the deleveraging queue counts profit from: the basis, except for lots that the owner moved here, which
   * keep what they had, or whoever is first in the queue would move to its end for nothing.
   */
  queueBasis = 0n;
  /** Isolated margin in 10^-8 of the margin coin. */
  iso = 0n;
  /** Funding that neither cash nor margin could pay; later releases pay it first (rules 13.8). */
  fundingOwed = 0n;
  /** What it may still add to that by itself before it is liquidated; 0 = nothing. */
  autoMargin = 0n;
  /** Life sums in the margin coin: profit without fees and funding, fees charged, funding received less paid. */
  realised = 0n;
  openFee = 0n;
  closeFee = 0n;
  funding = 0n;
  /** For the record when it closes: everything opened and closed, in lots and in value. */
  openedLots = 0;
  openedValue = 0n;
  closedLots = 0;
  closedValue = 0n;
  /** Its place in the table of the contract (`../state/position-table.ts`); not saved. */
  row = -1;

  constructor(
    id: number,
    account: number,
    instrument: number,
    posSide: PosSide,
    isolated: boolean,
    time: number,
  ) {
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
  open(buying: boolean, lots: number, value: bigint, queueValue = value): void {
    assert(this.size === 0 || this.long === buying, 'opening goes in the direction of the position');
    this.wasLong = buying;
    this.size += buying ? lots : -lots;
    this.basis += buying ? value : -value;
    this.queueBasis += buying ? queueValue : -queueValue;
    this.openedLots += lots;
    this.openedValue += value;
  }

  /** Takes lots off; `value` is what they traded for. The last lots release all that is left of the basis. */
  close(lots: number, value: bigint): Closed {
    const size = this.lots;
    assert(lots > 0 && lots <= size, 'a close takes no more than there is');
    const released = this.basisOf(lots);
    const margin = lots === size ? this.iso : divFloor(this.iso * BigInt(lots), BigInt(size));
    const realised = this.long ? value - released : released - value;
    const queueValue = this.queueValueOf(lots);
    this.basis += this.long ? -released : released;
    this.queueBasis += this.long ? -queueValue : queueValue;
    this.size += this.long ? -lots : lots;
    this.closedLots += lots;
    this.closedValue += value;
    return { realised, margin };
  }

  /** What so many of its lots have cost. */
  basisOf(lots: number): bigint {
    const whole = this.basis < 0n ? -this.basis : this.basis;
    return lots === this.lots ? whole : divFloor(whole * BigInt(lots), BigInt(this.lots));
  }

  /** What so many of its lots take along in the deleveraging queue. */
  queueValueOf(lots: number): bigint {
    const whole = this.queueBasis < 0n ? -this.queueBasis : this.queueBasis;
    return lots === this.lots ? whole : divFloor(whole * BigInt(lots), BigInt(this.lots));
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

  /** What so many of its lots take along of the funding that is owed. */
  owedOf(lots: number): bigint {
    return lots === this.lots
      ? this.fundingOwed
      : divFloor(this.fundingOwed * BigInt(lots), BigInt(this.lots));
  }

  /** To try something out on. */
  copy(): Position {
    const { id, account, instrument, posSide, isolated, createdTime } = this;
    return Object.assign(new Position(id, account, instrument, posSide, isolated, createdTime), this);
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
