import { spendable } from '../margin/available-balance.ts';
import { coinUsd } from '../margin/collateral.ts';
import { inSettleCoin, maintenanceAt, markTicks } from '../margin/margin.ts';
import { OrderKind } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import { divCeil, divFloor, larger, MONEY_ONE, RATE_ONE, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { post } from '../state/ledger-postings.ts';
import type { Market } from '../state/market.ts';
import { type Holder, holdersOf } from '../state/position-holders.ts';
import type { State } from '../state/state.ts';

/** Settles the running rate of a perpetual and starts a new interval. */
export function settleFunding(state: State, market: Market): void {
  payAll(state, fixFunding(state, market));
}

/** By command of the operator: interval and average premium go on (rules 5.10). */
export function payFundingNow(state: State, market: Market): void {
  payAll(state, fundingTerms(state, market));
}

function payAll(state: State, terms: FundingTerms): void {
  const { settle } = state.instruments[terms.instrument]!.futures!;
  const fund = state.ledger.cell(SystemAccount.insurance, settle, Bucket.cash);
  const before = state.ledger.balance(fund);
  if (terms.rate !== 0n) payHolders(state, terms);
  emitFundingSettled(state, terms, state.ledger.balance(fund) - before, state.now);
}

/** What the funding of a perpetual goes by, as it is at its instant. */
export interface FundingTerms {
  readonly instrument: number;
  readonly rate: bigint;
  readonly markTicks: number;
  /** Dollar price of the settlement coin. */
  readonly coinPrice: bigint;
}

/** The running rate and its prices. */
export function fundingTerms(state: State, { instrument: index, futures }: Market): FundingTerms {
  const { rate, terms } = futures!;
  const ticks = markTicks(state, state.instruments[index]!);
  return { instrument: index, rate, markTicks: ticks, coinPrice: coinUsd(state, terms.settle) };
}

/** Fixes the running rate and its prices and starts a new interval. */
export function fixFunding(state: State, market: Market): FundingTerms {
  const fixed = fundingTerms(state, market);
  const { premium, interval, bounds } = market.futures!;
  premium.restart();
  if (state.rules.fundingLimits) interval.settled(fixed.rate, bounds, state.now);
  return fixed;
}

export function emitFundingSettled(
  state: State,
  { instrument, rate }: FundingTerms,
  toFund: bigint,
  time: number,
): void {
  state.emit({ type: 'fundingSettled', instrument, rate, toFund, time });
}

/** With a positive rate longs pay shorts. */
export function isPayer({ rate }: FundingTerms, { long }: Position): boolean {
  return long === rate > 0n;
}

function payHolders(state: State, terms: FundingTerms): void {
  const holders = holdersOf(state, terms.instrument);
  const payers = holders.filter(({ position }) => isPayer(terms, position));
  const receivers = holders.filter(({ position }) => !isPayer(terms, position));
  const fund = SystemAccount.insurance;
  const collected = payers.reduce((sum, holder) => sum + payFunding(state, terms, holder, fund), 0n);
  distribute(state, terms, receivers, collected);
  for (const { account } of holders) state.markDirty(account);
}

type Rounding = (dividend: bigint, divisor: bigint) => bigint;

/** |q| x mark x |F| in the settlement coin, rounded once: up for payers, down for receivers. */
function amountOf(state: State, terms: FundingTerms, position: Position, rounding: Rounding): bigint {
  const { rate, markTicks: ticks, coinPrice } = terms;
  const instrument = state.instruments[terms.instrument]!;
  const notional = tradeValue(instrument, ticks, position.lots);
  const exact = notional * (rate < 0n ? -rate : rate);
  if (!instrument.futures!.coinMargined) return rounding(exact, RATE_ONE);
  return coinPrice === 0n ? 0n : rounding(exact * MONEY_ONE, RATE_ONE * coinPrice);
}

/** What a receiver gets when enough is collected. */
export function dueToReceive(state: State, terms: FundingTerms, position: Position): bigint {
  return amountOf(state, terms, position, divFloor);
}

/** A crossed payer pays in full, into debt if necessary; an isolated one keeps its maintenance margin. `pot` collects. */
export function payFunding(
  state: State,
  terms: FundingTerms,
  { account, position }: Holder,
  pot: SystemAccount,
): bigint {
  const instrument = state.instruments[terms.instrument]!;
  const due = amountOf(state, terms, position, divCeil);
  if (!position.isolated) return payFrom(state, account, instrument, position, Bucket.cash, due, pot);
  if (state.rules.fundingLimits) return payIsolated(state, account, instrument, position, due, pot);
  const kept = inSettleCoin(
    state,
    instrument,
    maintenanceAt(instrument, markTicks(state, instrument), position.lots),
  );
  const amount = smaller(due, larger(0n, position.iso - kept));
  return payFrom(state, account, instrument, position, Bucket.isolated, amount, pot);
}

/** From free cash, then from the margin down to nothing; what is still due the position owes (rules 13.8). */
function payIsolated(
  state: State,
  account: Account,
  instrument: Instrument,
  position: Position,
  due: bigint,
  pot: SystemAccount,
): bigint {
  const fromCash = smaller(due, spendable(state, account, instrument.futures!.settle));
  const fromMargin = smaller(due - fromCash, position.iso);
  if (fromCash > 0n) payFrom(state, account, instrument, position, Bucket.cash, fromCash, pot);
  if (fromMargin > 0n) payFrom(state, account, instrument, position, Bucket.isolated, fromMargin, pot);
  position.fundingOwed += due - fromCash - fromMargin;
  return fromCash + fromMargin;
}

function payFrom(
  state: State,
  account: Account,
  instrument: Instrument,
  position: Position,
  bucket: Bucket,
  amount: bigint,
  pot: SystemAccount,
): bigint {
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  state.keepForReads(account.index);
  if (bucket === Bucket.isolated) position.iso -= amount;
  position.funding -= amount;
  const posting = {
    from: ledger.cell(account.index, coin, bucket),
    to: ledger.cell(pot, coin, Bucket.cash),
    amount,
    fromLine: 'fundingOut',
    reference: String(position.id),
    instrument,
  } as const;
  post(state, posting, -amount);
  return amount;
}

/**
 * A close has released margin or profit to cash: funding that is owed comes first, and is the fund's (rules 13.8). Whoever
 * closes the whole position himself, at a price of his choice, pays the rest with what cash there is.
 */
export function payOwedFunding(
  state: State,
  account: Account,
  position: Position,
  released: bigint,
  kind: OrderKind,
): void {
  const instrument = state.instruments[position.instrument]!;
  const coin = instrument.futures!.settle;
  const reference = String(position.id);
  chargeFunding(state, account, instrument, position.payOwed(released), reference);
  if (position.size !== 0 || kind !== OrderKind.user) return;
  const cash = state.ledger.balanceOf(account.index, coin, Bucket.cash);
  chargeFunding(state, account, instrument, position.payOwed(cash), reference);
}

/** Cash of the account to the fund. */
export function chargeFunding(
  state: State,
  account: Account,
  instrument: Instrument,
  amount: bigint,
  reference: string,
): void {
  if (amount === 0n) return;
  const coin = instrument.futures!.settle;
  post(state, {
    from: state.ledger.cell(account.index, coin, Bucket.cash),
    to: state.ledger.cell(SystemAccount.insurance, coin, Bucket.cash),
    amount,
    fromLine: 'fundingOut',
    reference,
    instrument,
  });
}

/** What was collected waits in the fund; receivers take their floors of it, the dust stays. */
function distribute(
  state: State,
  terms: FundingTerms,
  receivers: readonly Holder[],
  collected: bigint,
): void {
  const due = receivers.map(({ position }) => dueToReceive(state, terms, position));
  const total = due.reduce((sum, amount) => sum + amount, 0n);
  for (const [n, { account, position }] of receivers.entries())
    receiveFunding(state, terms, account, position.id, position, {
      amount: shareOf(due[n]!, collected, total),
      pot: SystemAccount.insurance,
    });
}

/** Receivers are paid no more than was collected (rules 5.10). */
export function shareOf(due: bigint, collected: bigint, total: bigint): bigint {
  return collected >= total ? due : divFloor(due * collected, total);
}

/** Without a position, which has been closed since, the amount goes to cash. */
export function receiveFunding(
  state: State,
  terms: FundingTerms,
  account: Account,
  positionId: number,
  position: Position | undefined,
  { amount, pot }: { readonly amount: bigint; readonly pot: SystemAccount },
): void {
  const { ledger } = state;
  const instrument = state.instruments[terms.instrument]!;
  const coin = instrument.futures!.settle;
  state.keepForReads(account.index);
  if (position?.isolated === true) position.iso += amount;
  if (position !== undefined) position.funding += amount;
  post(state, {
    from: ledger.cell(pot, coin, Bucket.cash),
    to: ledger.cell(account.index, coin, position?.isolated === true ? Bucket.isolated : Bucket.cash),
    amount,
    toLine: 'fundingIn',
    reference: String(positionId),
    instrument,
  });
}
