/**
 * The check of spot and margin fills at the match (rules 13.1): a resting margin order, and a resting spot order of an
 * account with crossed positions or debts, must leave its owner far enough from liquidation. Other makers are not checked;
 * for most of them this is one read of a flag.
 */

import { type FillChecks, FillVerdict } from '../book/book.ts';
import { isInDebt } from '../margin/debts.ts';
import {
  bearsFill,
  bearsFillAtUnreliablePrice,
  isFarFromLiquidationNumber,
  ROUNDING_TOLERANCE,
} from '../margin/fill-rule.ts';
import { computeRisk } from '../margin/margin.ts';
import type { MarginBuffer } from '../margin/margin-buffer.ts';
import { currentMaintenance } from '../margin/margin-cache.ts';
import { hasAnyUnreliableIndex, TentativeAccount } from '../margin/tentative-account.ts';
import { Side } from '../model/enums.ts';
import { feeOf } from '../model/fees.ts';
import { baseUnits, tradeValue } from '../model/instrument.ts';
import { ceilValue, exactNumber } from '../model/safe-integers.ts';
import { assert, larger, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { isEnding } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { feeRateOf } from './spot-fees.ts';

/** What a fill takes from an account and brings to it. */
interface Exchanged {
  readonly given: number;
  readonly givenAmount: bigint;
  readonly received: number;
  /** Less the fee; a rebate does not count, because it depends on the fee of the other side. */
  readonly receivedAmount: bigint;
}

export class SpotFillChecks implements FillChecks {
  private readonly state: State;
  /** Of a dry run: the accounts as the fills so far would leave them. */
  private readonly running: Map<number, TentativeAccount> | undefined;
  /** Is any index old? Undefined until the first fill of the match asks. */
  private unreliableIndices: boolean | undefined;
  /** What the trade that was checked last will leave of the maker's account; only while fill checks are verified. */
  private expected: { readonly account: Account; readonly marginBuffer: MarginBuffer } | undefined;

  constructor(state: State, dryRun: boolean) {
    this.state = state;
    this.running = dryRun ? new Map() : undefined;
  }

  /** A match begins. */
  begin(): void {
    this.unreliableIndices = undefined;
  }

  check(taker: number, maker: number, priceTicks: number, lots: number): FillVerdict {
    const { state, running } = this;
    this.expected = undefined;
    // SPOT and MARGIN share a book: one may have ended while the other trades.
    if (isEnding(state, state.slab.instrument[maker]!)) return FillVerdict.makerFails;
    const account = state.accounts[state.slab.account[maker]!]!;
    if (!account.cashCanBeNegative && running === undefined) return FillVerdict.passes;
    if (this.isChecked(account, maker) && !this.passes(account, maker, priceTicks, lots))
      return FillVerdict.makerFails;
    if (state.accountOf(taker) === account) this.expected = undefined;
    if (running !== undefined) {
      this.note(taker, true, priceTicks, lots);
      this.note(maker, false, priceTicks, lots);
    }
    return FillVerdict.passes;
  }

  /** In a dry run: what a fill would leave of an account that is checked, or may be by one of its other orders. */
  private note(slot: number, takes: boolean, priceTicks: number, lots: number): void {
    const account = this.state.accountOf(slot);
    if (account.cashCanBeNegative)
      apply(this.exchanged(slot, takes, priceTicks, lots), this.startOf(account));
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
    assert(enough, `I50: a fill of ${expected.account.uid} left less margin than it was checked for`);
  }

  /** Accounts that owe nothing and hold no crossed position cannot lose what is not theirs by a spot order. */
  private isChecked(account: Account, maker: number): boolean {
    if (!account.cashCanBeNegative) return false;
    const { state } = this;
    if (state.instrumentOf(maker).margin !== undefined) return true;
    for (const { isolated } of account.positions.values()) if (!isolated) return true;
    return isInDebt(state, account) || this.running?.has(account.index) === true;
  }

  private passes(account: Account, maker: number, priceTicks: number, lots: number): boolean {
    const { state } = this;
    const trade = this.exchanged(maker, false, priceTicks, lots);
    const short = this.running === undefined && this.isAmple(account, trade);
    if (short && !state.verifiesFillChecks) return true;
    const start = this.startOf(account);
    const after = start.copy();
    apply(trade, after);
    const passes = this.hasUnreliablePrice(after)
      ? !this.borrows(start, after, trade) &&
        bearsFillAtUnreliablePrice(state, after, maker, this.restOf(maker, trade, lots))
      : bearsFill(state, start, after);
    assert(passes || !short, 'I50: the shortcut passes what the check at the match does not');
    if (passes && state.verifiesFillChecks && this.running === undefined)
      this.expected = { account, marginBuffer: after.marginBuffer(state) };
    return passes;
  }

  /** Does the fill make a debt or a larger one? Nothing is lent at an unreliable price (rules 13.6 (d)). */
  private borrows(start: TentativeAccount, after: TentativeAccount, { given }: Exchanged): boolean {
    const { state } = this;
    return state.rules.livePrices && after.balance(state, given) < smaller(0n, start.balance(state, given));
  }

  private startOf(account: Account): TentativeAccount {
    if (this.running === undefined) return new TentativeAccount(account);
    let start = this.running.get(account.index);
    if (start === undefined) {
      start = new TentativeAccount(account);
      this.running.set(account.index, start);
    }
    return start;
  }

  private exchanged(slot: number, takes: boolean, priceTicks: number, lots: number): Exchanged {
    const { state } = this;
    const instrument = state.instrumentOf(slot);
    const value = tradeValue(instrument, priceTicks, lots);
    const base = baseUnits(instrument, lots);
    const buying = state.slab.side[slot] === Side.buy;
    const brought = buying ? base : value;
    const rate = feeRateOf(state, slot, takes);
    return {
      given: buying ? instrument.quote : instrument.base,
      givenAmount: buying ? value : base,
      received: buying ? instrument.base : instrument.quote,
      receivedAmount: brought - BigInt(feeOf(brought, larger(0n, rate), state.rules.feeFloors)),
    };
  }

  /** What the order will still want of the margin when these lots are gone. */
  private restOf(maker: number, { givenAmount }: Exchanged, lots: number) {
    const { slab } = this.state;
    const instrument = this.state.instrumentOf(maker);
    const left = slab.remaining[maker]! - lots;
    if (left === 0) return {};
    const side = slab.side[maker] as Side;
    const priceTicks = slab.price[maker]!;
    const need = side === Side.buy ? tradeValue(instrument, priceTicks, left) : baseUnits(instrument, left);
    const lock = slab.marginHolds.get(maker);
    const borrowed =
      lock === undefined ? 0n : larger(0n, lock.borrowed - larger(0n, givenAmount - lock.held));
    return { spot: { instrument, side, priceTicks, need, borrowed, hold: 0n } };
  }

  private hasUnreliablePrice(account: TentativeAccount): boolean {
    this.unreliableIndices ??= hasAnyUnreliableIndex(this.state);
    return this.unreliableIndices && account.awaitsPrice(this.state);
  }

  /** Would it pass if nothing came back for what is given? Never true where the rule would not pass. */
  private isAmple(account: Account, { given, givenAmount }: Exchanged): boolean {
    const { state } = this;
    this.unreliableIndices ??= hasAnyUnreliableIndex(state);
    if (this.unreliableIndices) return false;
    const margin = currentMaintenance(state, account);
    const n = margin.findCoin(given);
    const amount = exactNumber(givenAmount);
    if (n < 0 || !(margin.balanceOf(n) + margin.profitOf(n) >= amount)) return false;
    const lost = ceilValue(amount, state.coinPriceNumbers[given] ?? Number.NaN) + ROUNDING_TOLERANCE;
    return isFarFromLiquidationNumber(margin.effective - lost, margin.maintenance);
  }
}

function apply({ given, givenAmount, received, receivedAmount }: Exchanged, account: TentativeAccount): void {
  account.receive(given, -givenAmount);
  account.receive(received, receivedAmount);
}
