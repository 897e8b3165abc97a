/**
 * The end of a contract in portions (rules 14.5): what `delivery.ts` does in one step. The instant fixes the price and ends
 * the trading. Each account is settled once, in its turn or before it acts: its orders are cancelled, its positions closed.
 * Until it is known what losers lack, gains wait in `sys:settling`, and who lacks margin owes it.
 */

import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { fundBalance } from '../margin/insurance-fund.ts';
import { CancelReason, OrderKind, PosSide, StrategyReason } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import { type Position, positionKey } from '../model/position.ts';
import { divCeil, larger, smaller } from '../model/units.ts';
import { cancelWhere } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import { ContractEnd, EndStage, type Gain, type Pending } from '../state/contract-end.ts';
import { type Posting, post } from '../state/ledger-postings.ts';
import type { Market } from '../state/market.ts';
import { HourWork } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { cancelStrategies } from '../strategy/strategy-lifecycle.ts';
import { about, closeAt, closeClearing, countOutflow, debtWithoutMeans, isGain } from './delivery.ts';

/** What it costs of a portion, whose unit is the cancelling of an order: a look at an account, a close, a payment. */
const LOOK = 1 / 8;
const CLOSE = 8;
const PAYMENT = 2;

const SIDES = [PosSide.none, PosSide.long, PosSide.short];
const NO_POSITIONS: readonly Position[] = [];

const REASONS = {
  [OrderKind.delivery]: { order: CancelReason.delivery, strategy: StrategyReason.delivery },
  [OrderKind.delisting]: { order: CancelReason.delegatedRiskOrder, strategy: StrategyReason.delisting },
} as const;

/** The contract is offline. Until its last position is closed its mark is the price that they are closed at. */
export function openEnd(
  state: State,
  { instrument, futures }: Market,
  kind: ContractEnd['kind'],
  priceTicks: number,
): ContractEnd {
  futures!.holdMarkAt(priceTicks);
  state.priceVersion++;
  return new ContractEnd(state.now, instrument, kind, priceTicks, state.accounts.length);
}

/** Returns what it cost of a portion. */
export function settleEnd(
  state: State,
  settlement: FuturesSettlement,
  work: ContractEnd,
  account: Account,
): number {
  const cancelled = cancelOrders(state, work, account);
  const positions = positionsIn(account, work.instrument);
  if (positions.length > 0) closePositions(state, settlement, work, account, positions);
  return LOOK + cancelled + CLOSE * positions.length;
}

function cancelOrders(state: State, { instrument, kind }: ContractEnd, account: Account): number {
  const orders = account.openFutures === 0 ? 0 : state.openOrders.of(account.index, instrument);
  const { size: waiting } = account.strategies;
  if (orders > 0) cancelWhere(state, account, REASONS[kind].order, (each) => each === instrument);
  if (waiting > 0)
    cancelStrategies(state, account, REASONS[kind].strategy, (order) => order.instrument === instrument);
  return orders + waiting - account.strategies.size;
}

/** Older first. */
function positionsIn({ positions }: Account, instrument: number): readonly Position[] {
  // Most accounts that are looked at have none: no list is made for them.
  if (positions.size === 0) return NO_POSITIONS;
  let found: Position[] | undefined;
  for (const side of SIDES) {
    const position = positions.get(positionKey(instrument, side));
    if (position === undefined) continue;
    found ??= [];
    found.push(position);
  }
  if (found === undefined) return NO_POSITIONS;
  return found.length > 1 ? found.sort((a, b) => a.id - b.id) : found;
}

function closePositions(
  state: State,
  settlement: FuturesSettlement,
  work: ContractEnd,
  account: Account,
  positions: readonly Position[],
): void {
  const { ledger } = state;
  const instrument = state.instruments[work.instrument]!;
  const coin = instrument.futures!.settle;
  const cash = ledger.cell(account.index, coin, Bucket.cash);
  const before = ledger.balance(cash);
  const peak = ledger.peakOf(account.index, coin);
  const crossed = { realised: 0n, fee: 0n };
  const gains: Gain[] = [];
  let lacking = 0n;
  const note = (realised: bigint, fee: bigint) => {
    if (isGain(realised, fee)) gains.push({ realised, most: realised - larger(0n, fee) });
  };
  for (const position of positions) {
    const closed = closeAt(state, settlement, account, position, work.priceTicks, work.kind);
    lacking += closed.lacking;
    if (position.isolated) note(closed.realised, closed.fee);
    else {
      crossed.realised += closed.realised;
      crossed.fee += closed.fee;
    }
  }
  note(crossed.realised, crossed.fee);
  state.markDirty(account);
  const debt = awaitsOtherCoin(state, account.index, coin) ? 0n : debtWithoutMeans(state, account, coin);
  if (gains.length === 0 && lacking === 0n && debt === 0n) return;
  // Funding that was owed may have taken a part of the gain already.
  const most = gains.reduce((sum, gain) => sum + gain.most, 0n);
  const kept = smaller(most, larger(0n, ledger.balance(cash) - before));
  const to = ledger.cell(account.index, coin, Bucket.isolated);
  move(state, instrument, { from: cash, to, amount: lacking, fromLine: 'marginAdded' });
  hold(state, work, instrument, account, kept);
  work.pending.set(account.index, { gains, kept, lacking, debt, peak, acted: false });
}

/** An account that is to receive another coin can pay with it, so its debt is not shared among the others. */
function awaitsOtherCoin({ works, instruments }: State, account: number, coin: number): boolean {
  const isOther = (instrument: number) => instruments[instrument]!.futures!.settle !== coin;
  return works.some((work) =>
    work instanceof HourWork
      ? (work.receipts.get(account) ?? []).some(({ instrument }) => isOther(instrument))
      : work.owes(account) && isOther(work.instrument),
  );
}

/** From cash to what is being settled. */
function hold(
  state: State,
  work: ContractEnd,
  instrument: Instrument,
  account: Account,
  amount: bigint,
): void {
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  const from = ledger.cell(account.index, coin, Bucket.cash);
  const to = ledger.cell(SystemAccount.settling, coin, Bucket.cash);
  move(state, instrument, { from, to, amount, fromLine: 'liquidation' });
  work.held += amount;
}

/** From what is being settled to cash. */
function give(
  state: State,
  work: ContractEnd,
  instrument: Instrument,
  account: Account,
  amount: bigint,
): void {
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  const from = ledger.cell(SystemAccount.settling, coin, Bucket.cash);
  const to = ledger.cell(account.index, coin, Bucket.cash);
  move(state, instrument, { from, to, amount, toLine: 'liquidation' });
  work.held -= amount;
}

function move(state: State, instrument: Instrument, posting: Posting): void {
  if (posting.amount > 0n) post(state, { ...posting, ...about(instrument) });
}

/** What the present stage does for one account that waits. Returns what it cost of a portion. */
export function continueEnd(state: State, work: ContractEnd, account: number): number {
  const pending = work.pending.get(account);
  if (pending === undefined) return LOOK;
  if (work.stage === EndStage.counting) count(state, work, state.accounts[account]!, pending);
  else if (work.stage === EndStage.sharing) share(state, work, state.accounts[account]!, pending);
  else cover(state, work, state.accounts[account]!, pending);
  return PAYMENT;
}

/** Every account is done with the present stage. False when it was the last. */
export function nextStage(state: State, work: ContractEnd): boolean {
  if (work.stage === EndStage.covering || work.pending.size === 0) return false;
  if (work.stage === EndStage.counting) takeFromFund(state, work);
  if (work.stage === EndStage.sharing) {
    const budget = work.lacking + work.debts - work.shortage + smaller(work.shared, work.shortage);
    work.forMargins = smaller(budget, work.lacking);
    work.forDebts = budget - work.forMargins;
  }
  work.stage = (work.stage + 1) as EndStage;
  work.next = FIRST_USER_ACCOUNT;
  return true;
}

/** What was paid to it since has lessened its debt. Who cannot pay what he owes shares nothing. */
function count(state: State, work: ContractEnd, { index }: Account, pending: Pending): void {
  const coin = state.instruments[work.instrument]!.futures!.settle;
  const cash = state.ledger.balanceOf(index, coin, Bucket.cash) + pending.kept + pending.lacking;
  pending.debt = smaller(pending.debt, larger(0n, -cash));
  if (pending.debt > 0n) pending.gains = [];
  for (const { realised } of pending.gains) work.gains += realised;
  work.lacking += pending.lacking;
  work.debts += pending.debt;
}

/** Deliveries are outside the budgets of the fund. */
function takeFromFund(state: State, work: ContractEnd): void {
  const { ledger } = state;
  const coin = state.instruments[work.instrument]!.futures!.settle;
  const owed = work.lacking + work.debts;
  const before = fundBalance(state, coin);
  const insured = smaller(owed, before);
  const from = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const to = ledger.cell(SystemAccount.settling, coin, Bucket.cash);
  if (insured > 0n) post(state, { from, to, amount: insured });
  countOutflow(state, coin, before);
  work.held += insured;
  work.shortage = owed - insured;
}

/** A gain less its share of the shortage, which is rounded against the winner and never more than the gain after its fee. */
function share(state: State, work: ContractEnd, account: Account, pending: Pending): void {
  const instrument = state.instruments[work.instrument]!;
  let share = 0n;
  for (const { realised, most } of pending.gains)
    share += smaller(divCeil(realised * work.shortage, work.gains), most);
  work.shared += share;
  give(state, work, instrument, account, larger(0n, pending.kept - share));
  hold(state, work, instrument, account, larger(0n, share - pending.kept));
  pending.kept = 0n;
  state.markDirty(account);
  if (pending.lacking === 0n && pending.debt === 0n) work.pending.delete(account.index);
}

/** The fund and the winners pay; what they do not pay stays a debt of the loser. */
function cover(state: State, work: ContractEnd, account: Account, pending: Pending): void {
  const { ledger } = state;
  const instrument = state.instruments[work.instrument]!;
  const margin = smaller(pending.lacking, work.forMargins);
  const debt = smaller(pending.debt, work.forDebts);
  work.forMargins -= margin;
  work.forDebts -= debt;
  give(state, work, instrument, account, margin + debt);
  if (!pending.acted) ledger.restorePeak(account.index, instrument.futures!.settle, pending.peak);
  work.pending.delete(account.index);
  state.markDirty(account);
}

/** All accounts are settled: the rest goes to the fund, with what the contract has left in the clearing account. */
export function closeEnd(state: State, work: ContractEnd): void {
  const { ledger } = state;
  const market = state.market(state.instruments[work.instrument]!);
  const coin = market.futures!.terms.settle;
  const from = ledger.cell(SystemAccount.settling, coin, Bucket.cash);
  const to = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  if (work.held > 0n) post(state, { from, to, amount: work.held });
  work.held = 0n;
  const before = fundBalance(state, coin);
  closeClearing(state, market);
  countOutflow(state, coin, before);
  market.futures!.releaseMark();
  state.priceVersion++;
}
