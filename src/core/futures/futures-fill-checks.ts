/**
 * The check of a contract's fills at the match (rules 13.1): what the resting order opens or closes, what the taker closes
 * and what it opens as a market order must be borne by their owners. Bounds in numbers answer for most fills; they pass
 * only what the rule passes.
 */

import { type FillChecks, FillVerdict } from '../book/book.ts';
import { FLAG_FORCED, FLAG_ISOLATED } from '../book/order-slab.ts';
import { closeLimitAt, marginBehindAt } from '../margin/bankruptcy.ts';
import { bearsFill, bearsFillAtUnreliablePrice } from '../margin/fill-rule.ts';
import {
  computeRisk,
  futuresSetting,
  isolatedInQuote,
  maintenanceAt,
  markTicks,
  unrealisedOf,
} from '../margin/margin.ts';
import type { MarginBuffer } from '../margin/margin-buffer.ts';
import { hasUnreliableIndex, TentativeAccount } from '../margin/tentative-account.ts';
import { HoldMode, OrderType, PosSide, Side } from '../model/enums.ts';
import { feeOf } from '../model/fees.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { Position, positionKey } from '../model/position.ts';
import { assert, divCeil, divFloor, larger, RATE_ONE } from '../model/units.ts';
import { posSideOf } from '../orders/order-lifecycle.ts';
import type { Account, FeeRates } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { type FillSide, FuturesFillBounds, type Opened } from './futures-fill-bounds.ts';
import { feeBase, openingMargin, type Part, realisedInCoin, splitFill } from './split-fill.ts';

/** An account of a dry run. */
interface RunningAccount {
  /** As the fills would leave it, but for those that are not applied yet: none is while bounds answer. */
  account: TentativeAccount;
  readonly unapplied: FillSide[];
  readonly opened: Opened;
}

export class FuturesFillChecks implements FillChecks {
  private readonly state: State;
  private readonly instrument: Instrument;
  /** Of a dry run: the accounts that have fills so far. */
  private readonly running: Map<number, RunningAccount> | undefined;
  private readonly bounds: FuturesFillBounds;
  /** What the side that passed in full last would leave of its account. */
  private passedAs: TentativeAccount | undefined;
  /** What the trade that was checked last will leave of the maker's account; only while fill checks are verified. */
  private expected:
    | {
        readonly account: Account;
        readonly marginBuffer: MarginBuffer;
        readonly key: number;
        readonly margin: bigint;
      }
    | undefined;

  constructor(state: State, instrument: Instrument, dryRun: boolean) {
    this.state = state;
    this.instrument = instrument;
    this.running = dryRun ? new Map() : undefined;
    this.bounds = new FuturesFillBounds(state, instrument);
  }

  /** A match begins. */
  begin(): void {
    this.bounds.begin();
  }

  check(taker: number, maker: number, priceTicks: number, lots: number): FillVerdict {
    const made = this.sideOf(maker, true, priceTicks, lots);
    const taken = this.sideOf(taker, false, priceTicks, lots);
    this.passedAs = undefined;
    const makerPasses = made.account === taken.account ? this.passesBehind(made, taken) : this.passes(made);
    if (!makerPasses) return FillVerdict.makerFails;
    const makerAfter = this.passedAs;
    const forced = (this.state.slab.flags[taker]! & FLAG_FORCED) !== 0;
    if (!forced && !this.takerPasses(taken)) return FillVerdict.takerFails;
    // As the fills are settled: the taker's side first.
    if (this.running !== undefined) {
      this.noteFill(this.running, taken);
      this.noteFill(this.running, made, makerAfter);
    }
    if (this.state.verifiesFillChecks) this.expect(made, taken);
    return FillVerdict.passes;
  }

  /** I50: the trade came to what it was checked for. */
  confirm(): void {
    const { expected, state } = this;
    this.expected = undefined;
    if (expected === undefined) return;
    const { effective, maintenance } = computeRisk(state, expected.account);
    const { marginBuffer } = expected;
    // More only by a rebate, which the check does not count.
    const enough = effective >= marginBuffer.effective && maintenance <= marginBuffer.maintenance;
    const margin = expected.account.positions.get(expected.key)?.iso ?? 0n;
    assert(
      enough && margin === expected.margin,
      `I50: a fill of ${expected.account.uid} left less margin than it was checked for`,
    );
  }

  private expect(made: FillSide, taken: FillSide): void {
    this.expected = undefined;
    if (this.running !== undefined) return;
    const after = new TentativeAccount(made.account);
    if (made.account === taken.account) {
      if (this.keepsRest(taken)) this.applyKept(taken, after);
      else this.apply(taken, after);
    }
    this.apply(made, after);
    const key = made.key;
    const margin = after.position(key)?.iso ?? 0n;
    this.expected = { account: made.account, marginBuffer: after.marginBuffer(this.state), key, margin };
  }

  private sideOf(slot: number, maker: boolean, priceTicks: number, lots: number): FillSide {
    const { slab, accounts } = this.state;
    const account = accounts[slab.account[slot]!]!;
    const posSide = account.holdMode === HoldMode.hedge ? posSideOf(slab.flags[slot]!) : PosSide.none;
    const key = positionKey(this.instrument.index, posSide);
    return { slot, account, buying: slab.side[slot] === Side.buy, posSide, key, maker, priceTicks, lots };
  }

  private startOf({ account }: FillSide): TentativeAccount {
    const run = this.running?.get(account.index);
    if (run === undefined) return new TentativeAccount(account);
    for (const fill of run.unapplied) this.apply(fill, run.account);
    run.unapplied.length = 0;
    return run.account;
  }

  /** `after`: the account with all fills up to this one, if its check had to compute it. */
  private noteFill(running: Map<number, RunningAccount>, side: FillSide, after?: TentativeAccount): void {
    const { account, buying } = side;
    let run = running.get(account.index);
    if (run === undefined) {
      const opened = { buying, openOnly: true, lots: 0, lost: 0 };
      run = { account: new TentativeAccount(account), unapplied: [], opened };
      running.set(account.index, run);
    }
    if (after === undefined) run.unapplied.push(side);
    else {
      run.account = after;
      run.unapplied.length = 0;
    }
    this.bounds.count(run.opened, side);
  }

  /** A maker that meets an order of its own account: the taker's side is settled first and may release its margin. */
  private passesBehind(made: FillSide, taken: FillSide): boolean {
    const short = this.running === undefined && this.bounds.bothAreAmple(made, taken);
    if (short && !this.state.verifiesFillChecks) return true;
    const passes = this.passesAfter(made, taken);
    assert(passes || !short, 'I50: the shortcut passes what the check of an own order does not');
    return passes;
  }

  private passesAfter(made: FillSide, taken: FillSide): boolean {
    const after = this.startOf(taken).copy();
    if (this.state.rules.forcedRest && this.keepsRest(taken)) this.applyKept(taken, after);
    else this.apply(taken, after);
    return this.sidePasses(made, after);
  }

  private passes(side: FillSide): boolean {
    const run = this.running?.get(side.account.index);
    const short = run === undefined ? this.bounds.isAmple(side) : this.bounds.staysAmple(side, run.opened);
    if (short && !this.state.verifiesFillChecks) return true;
    const passes = this.sidePasses(side, this.startOf(side));
    assert(passes || !short, 'I50: the shortcut passes what the check at the match does not');
    return passes;
  }

  /**
   * What a crossed limit order opens was checked at its limit when it came; a market order only at the best price of the
   * book, an isolated one without what a position of the other side leaves behind.
   */
  private takerPasses(side: FillSide): boolean {
    const { slab } = this.state;
    const isolated = (slab.flags[side.slot]! & FLAG_ISOLATED) !== 0;
    if (isolated || slab.orderType[side.slot] === OrderType.market) return this.passes(side);
    const run = this.running?.get(side.account.index);
    if (run?.opened.openOnly === true) return true;
    const key = side.key;
    const position = run === undefined ? side.account.positions.get(key) : this.startOf(side).position(key);
    if (position === undefined || position.long === side.buying) return true;
    return this.passes({ ...side, lots: Math.min(side.lots, position.lots) });
  }

  /** The rule. A turning fill closes first, then opens; both parts must pass. */
  private sidePasses(side: FillSide, start: TentativeAccount): boolean {
    const after = start.copy();
    const held = start.position(side.key);
    const passes = this.partsOf(side, held).every((part) =>
      part.closing ? this.closes(side, part, after) : this.opens(side, part, start, after),
    );
    if (passes) this.passedAs = after;
    return passes;
  }

  /** Rules 13.1 (b). `after` has had nothing of the fill yet, and has the part when this returns. */
  private closes(side: FillSide, part: Part, after: TentativeAccount): boolean {
    const { state, instrument } = this;
    const position = after.position(side.key)!;
    const mark = markTicks(state, instrument);
    const worse = side.buying ? side.priceTicks > mark : side.priceTicks < mark;
    if (worse && this.isBeyondBankruptcy(side, position, after)) return false;
    this.applyPart(side, part, after);
    if (!worse || position.isolated) return true;
    const { effective, maintenance } = after.marginBuffer(state);
    return effective >= maintenance;
  }

  private isBeyondBankruptcy(side: FillSide, position: Position, account: TentativeAccount): boolean {
    const { state } = this;
    const margin = position.isolated
      ? position.iso
      : marginBehindAt(state, position, account.marginBuffer(state).effective);
    const cash = account.cash(state, this.instrument.futures!.settle);
    const limit = closeLimitAt(state, position, margin, cash);
    return position.long ? side.priceTicks < limit : side.priceTicks > limit;
  }

  /** Rules 13.1 (a), (f). */
  private opens(side: FillSide, part: Part, start: TentativeAccount, after: TentativeAccount): boolean {
    const { state, instrument } = this;
    const { slab } = state;
    this.applyPart(side, part, after);
    if ((slab.flags[side.slot]! & FLAG_ISOLATED) !== 0) return this.opensIsolated(side, part, after);
    if (!this.hasUnreliablePrice(after)) return bearsFill(state, start, after);
    const left = slab.remaining[side.slot]! - side.lots;
    const intent = {
      instrument,
      side: side.buying ? Side.buy : Side.sell,
      priceTicks: slab.price[side.slot]!,
      lots: left,
    };
    return bearsFillAtUnreliablePrice(
      state,
      after,
      side.slot,
      left > 0 && side.maker ? { futures: intent } : {},
    );
  }

  private opensIsolated(side: FillSide, part: Part, after: TentativeAccount): boolean {
    const { state, instrument } = this;
    const position = after.position(side.key)!;
    const mark = markTicks(state, instrument);
    const worth = isolatedInQuote(state, position) + unrealisedOf(state, position);
    if (!hasUnreliableIndex(state, instrument.index))
      return worth * 9n >= maintenanceAt(instrument, mark, position.lots) * 10n;
    // What the order holds beyond the margin of the fill stands behind it too.
    const fee = this.feeOf(side, part);
    const spare = this.shareOf(side) - this.marginOf(side, part) - fee;
    const { longLeverage, shortLeverage } = futuresSetting(side.account, instrument);
    const notional = tradeValue(instrument, mark, position.lots);
    const asked =
      divCeil(notional, BigInt(side.buying ? longLeverage : shortLeverage)) +
      divCeil(notional * instrument.takerRate, RATE_ONE);
    return worth + this.inQuote(spare) >= asked;
  }

  private hasUnreliablePrice(account: TentativeAccount): boolean {
    return (
      this.bounds.anyOldIndex() &&
      (hasUnreliableIndex(this.state, this.instrument.index) || account.awaitsPrice(this.state))
    );
  }

  // What a fill does, on a tentative account: as `FuturesSettlement` books it.

  private partsOf(side: FillSide, held: Position | undefined): readonly Part[] {
    const value = tradeValue(this.instrument, side.priceTicks, side.lots);
    return splitFill(held, side.buying, side.lots, value);
  }

  private apply(side: FillSide, account: TentativeAccount): void {
    const held = account.position(side.key);
    for (const part of this.partsOf(side, held)) this.applyPart(side, part, account);
  }

  /** A forced close of an isolated position: what is left of its margin is the fund's, not the account's (rules 13.1 (a)). */
  private keepsRest(side: FillSide): boolean {
    if ((this.state.slab.flags[side.slot]! & FLAG_FORCED) === 0) return false;
    return side.account.positions.get(side.key)?.isolated === true;
  }

  private applyKept(side: FillSide, account: TentativeAccount): void {
    const key = side.key;
    const position = account.position(key)!.copy();
    for (const part of this.partsOf(side, position)) position.close(part.lots, part.value);
    account.setPosition(key, position);
  }

  private applyPart(side: FillSide, part: Part, account: TentativeAccount): void {
    const { state, instrument } = this;
    const key = side.key;
    const isolated = (state.slab.flags[side.slot]! & FLAG_ISOLATED) !== 0;
    const position =
      account.position(key)?.copy() ??
      new Position(0, side.account.index, instrument.index, side.posSide, isolated, state.now);
    const fee = this.feeOf(side, part);
    let cash = -fee;
    if (part.closing) {
      const { realised, margin } = position.close(part.lots, part.value);
      const mark = markTicks(state, instrument);
      const pnl = BigInt(realisedInCoin(state, instrument, realised, side.priceTicks, mark));
      if (position.isolated) {
        const { freed, missing } = position.release(BigInt(margin), pnl);
        // The last lots pay what funding is owed with what cash there is: at most all of it.
        const owed = position.size === 0 ? position.fundingOwed : position.payOwed(freed - fee);
        cash += freed - missing - owed;
      } else cash += pnl;
    } else {
      position.open(side.buying, part.lots, part.value);
      if (isolated) {
        const margin = this.marginOf(side, part);
        position.iso += margin;
        cash += this.shareOf(side) - margin;
      }
    }
    account.setPosition(key, position);
    account.receive(instrument.futures!.settle, cash);
  }

  /** Margin that what a fill opens takes. */
  private marginOf({ account, buying, priceTicks }: FillSide, part: Part): bigint {
    return openingMargin(account, this.instrument, buying, part.value, priceTicks);
  }

  /** What an isolated order holds for these lots. */
  private shareOf({ slot, lots }: FillSide): bigint {
    const { slab } = this.state;
    const held = slab.isolatedHolds.get(slot) ?? 0n;
    const remaining = slab.remaining[slot]!;
    return lots === remaining ? held : divFloor(held * BigInt(lots), BigInt(remaining));
  }

  private inQuote(amount: bigint): bigint {
    const { state, instrument } = this;
    if (!instrument.futures!.coinMargined) return amount;
    return divFloor(amount * tradeValue(instrument, markTicks(state, instrument), 1), instrument.unitsPerLot);
  }

  private ratesOf({ account }: FillSide): FeeRates {
    return account.fees.get(this.instrument.index) ?? this.instrument;
  }

  /** A rebate does not count: it depends on the fee of the other side (rules 13.7, 13.10). */
  private feeOf(side: FillSide, part: Part): bigint {
    const { makerRate, takerRate } = this.ratesOf(side);
    const rate = larger(0n, side.maker ? makerRate : takerRate);
    return BigInt(feeOf(feeBase(this.instrument, part), rate, this.state.rules.feeFloors));
  }
}
