/**
 * Bounds of the check at the match in numbers (rules 13.1 (e)), for the majority of accounts, which are far from their limits: never
 * true where the rule would not pass; false says nothing.
 */

import { FLAG_FORCED, FLAG_ISOLATED } from '../book/order-slab.ts';
import { forcedFeeRate } from '../margin/bankruptcy.ts';
import { isFarFromLiquidationNumber, ROUNDING_TOLERANCE } from '../margin/fill-rule.ts';
import { markTicks } from '../margin/margin.ts';
import { currentMaintenance, maintenanceAtNumber, quotePrice } from '../margin/margin-cache.ts';
import { hasAnyUnreliableIndex } from '../margin/tentative-account.ts';
import { HoldMode, type PosSide } from '../model/enums.ts';
import { type Instrument, valueNumber } from '../model/instrument.ts';
import { ceilValue } from '../model/safe-integers.ts';
import { RATE_ONE } from '../model/units.ts';
import type { Account, FeeRates } from '../state/account.ts';
import { ContractRow, type MarginCache } from '../state/margin-cache-state.ts';
import type { State } from '../state/state.ts';

/** One side of a trade that is about to happen. */
export interface FillSide {
  readonly slot: number;
  readonly account: Account;
  readonly buying: boolean;
  readonly posSide: PosSide;
  /** Of the position. */
  readonly key: number;
  readonly maker: boolean;
  readonly priceTicks: number;
  readonly lots: number;
}

/** Fills of an account in a dry run: all open crossed positions in one direction, so many lots, which cost no more than `lost`. */
export interface Opened {
  readonly buying: boolean;
  openOnly: boolean;
  lots: number;
  lost: number;
}

export class FuturesFillBounds {
  private readonly state: State;
  private readonly instrument: Instrument;
  /** The highest fee rate of the contract itself. */
  private readonly listedRate: number;
  /** Is any index unreliable? Undefined until the first fill of the match needs it. */
  private unreliableIndices: boolean | undefined;

  constructor(state: State, instrument: Instrument) {
    this.state = state;
    this.instrument = instrument;
    this.listedRate = Math.max(rateNumber(instrument), Number(forcedFeeRate(instrument)) / Number(RATE_ONE));
  }

  /** A match begins. */
  begin(): void {
    this.unreliableIndices = undefined;
  }

  /** Never true where the rule would not pass; false says nothing. */
  isAmple(side: FillSide): boolean {
    const { account, buying, lots } = side;
    const position = account.positions.get(side.key);
    const worse = this.distanceToMark(side);
    if (position !== undefined && position.long !== buying) {
      if (position.lots < lots) return false;
      return worse === 0 || (!position.isolated && this.closeIsAmple(side, position.lots, worse));
    }
    return this.isCrossedOpening(side) && this.openIsAmple(side, lots, this.mostLost(side, lots, worse));
  }

  /** The bound is for fills of the account as it stands: one more of its kind, with those before it. */
  staysAmple(side: FillSide, opened: Opened): boolean {
    if (!opened.openOnly || opened.buying !== side.buying || !this.isCrossedOpening(side)) return false;
    const lost = opened.lost + this.mostLost(side, side.lots, this.distanceToMark(side));
    return this.openIsAmple(side, opened.lots + side.lots, lost);
  }

  /** A fill is added to those before it. */
  count(opened: Opened, side: FillSide): void {
    opened.openOnly &&= opened.buying === side.buying && this.isCrossedOpening(side);
    opened.lots += side.lots;
    opened.lost += this.mostLost(side, side.lots, this.distanceToMark(side));
  }

  /** Of the account as it stands. */
  private isCrossedOpening(side: FillSide): boolean {
    if ((this.state.slab.flags[side.slot]! & FLAG_ISOLATED) !== 0) return false;
    const position = side.account.positions.get(side.key);
    return position === undefined || position.long === side.buying;
  }

  /** By how much the price is worse than the mark for this side. */
  private distanceToMark({ buying, priceTicks }: FillSide): number {
    const mark = markTicks(this.state, this.instrument);
    return Math.max(0, buying ? priceTicks - mark : mark - priceTicks);
  }

  /** Even if the whole position went at this price, what must be kept now would be there. */
  private closeIsAmple(side: FillSide, held: number, worse: number): boolean {
    const margin = currentMaintenance(this.state, side.account);
    const lost = this.mostLost(side, held, worse);
    return this.staysPositive(margin, lost) && margin.effective - this.dollarLoss(lost) >= margin.maintenance;
  }

  private openIsAmple({ account, buying }: FillSide, lots: number, lost: number): boolean {
    if (this.anyOldIndex()) return false;
    const margin = currentMaintenance(this.state, account);
    const { long, short } = this.heldLots(margin);
    const most = Math.max(buying ? long + lots : long, buying ? short : short + lots);
    return this.isFarWith(margin, most, lost);
  }

  /**
   * An own order, of a crossed net position: the taker's side moves the position by the lots, the maker's side back. Even
   * if the larger of the two positions went at this price besides what the fills lose, it would be far from liquidation.
   */
  bothAreAmple(made: FillSide, taken: FillSide): boolean {
    const { account, lots } = made;
    const { flags } = this.state.slab;
    const special = (flags[made.slot]! | flags[taken.slot]!) & (FLAG_ISOLATED | FLAG_FORCED);
    if (special !== 0 || account.holdMode === HoldMode.hedge) return false;
    if (this.anyOldIndex()) return false;
    const margin = currentMaintenance(this.state, account);
    const { long, short } = this.heldLots(margin);
    const most = long + short + lots;
    const worse = Math.abs(made.priceTicks - markTicks(this.state, this.instrument));
    return (
      margin.isolated.length === 0 &&
      this.isFarWith(margin, most, this.mostLost(made, most + 2 * lots, worse))
    );
  }

  anyOldIndex(): boolean {
    this.unreliableIndices ??= hasAnyUnreliableIndex(this.state);
    return this.unreliableIndices;
  }

  /** Crossed positions of the contract. */
  private heldLots(margin: MarginCache): { readonly long: number; readonly short: number } {
    const at = margin.find(this.instrument.index);
    if (at < 0) return { long: 0, short: 0 };
    const { numbers } = margin;
    return {
      long: numbers[at + ContractRow.longLots]!,
      short: numbers[at + ContractRow.shortLots]!,
    };
  }

  /** Is the account far from liquidation with so many lots of the contract on its larger side, and so much less? */
  private isFarWith(margin: MarginCache, lots: number, lost: number): boolean {
    const { state, instrument } = this;
    const at = margin.find(instrument.index);
    const kept = at < 0 ? 0 : margin.numbers[at + ContractRow.maintenance]!;
    const keeps = maintenanceAtNumber(instrument, markTicks(state, instrument), lots);
    return (
      this.staysPositive(margin, lost) &&
      isFarFromLiquidationNumber(
        margin.effective - this.dollarLoss(lost),
        margin.maintenance - kept + ceilValue(keeps, quotePrice(state, instrument)),
      )
    );
  }

  /** At most: the distance to the mark and the highest fee. NaN where quote and settlement coin are two. */
  private mostLost(side: FillSide, lots: number, worse: number): number {
    const { state, instrument } = this;
    if (instrument.futures!.settle !== instrument.quote) return Number.NaN;
    const rate = this.highestRate(side.account);
    const value = valueNumber(instrument, Math.max(side.priceTicks, markTicks(state, instrument)), lots);
    return valueNumber(instrument, worse, lots) + Math.ceil(value * rate) + ROUNDING_TOLERANCE;
  }

  /** Of everything that a fill may cost, as a share of its value. */
  private highestRate(account: Account): number {
    const own = account.fees.get(this.instrument.index);
    return own === undefined ? this.listedRate : Math.max(this.listedRate, rateNumber(own));
  }

  private dollarLoss(lost: number): number {
    const { settle } = this.instrument.futures!;
    return ceilValue(Math.ceil(lost), this.state.coinPriceNumbers[settle] ?? Number.NaN) + ROUNDING_TOLERANCE;
  }

  /** Does so much less leave no debt in the settlement coin, which would need margin of its own? */
  private staysPositive(margin: MarginCache, lost: number): boolean {
    const n = margin.findCoin(this.instrument.futures!.settle);
    return n >= 0 && margin.balanceOf(n) + margin.profitOf(n) >= lost;
  }
}

function rateNumber({ makerRate, takerRate }: FeeRates): number {
  return Math.max(Number(makerRate), Number(takerRate)) / Number(RATE_ONE);
}
