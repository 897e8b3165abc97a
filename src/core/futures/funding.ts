import { spendable } from '../margin/available-balance.ts';
import { coinUsd } from '../margin/collateral.ts';
import { inSettleCoin, maintenanceAt, markTicks } from '../margin/margin.ts';
import type { ForceFunding } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { OrderKind } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, divFloor, larger, MONEY_ONE, RATE_ONE, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { post } from '../state/ledger-postings.ts';
import { type Holder, holdersOf } from '../state/position-holders.ts';
import type { Market, State } from '../state/state.ts';

/** Settles the running rate of a perpetual and starts a new interval. */
export function settleFunding(state: State, market: Market): void {
  const futures = market.futures!;
  const { rate } = futures;
  futures.premium.restart();
  exchangeFunding(state, market, rate);
  if (state.rules.fundingLimits) futures.interval.settled(rate, futures.bounds, state.now);
}

/** By command of the operator, so that it can be tried on a demo: interval and average premium go on (rules 5.10). */
export function forceFunding(state: State, { instrument: index }: ForceFunding): CommandResult {
  const instrument = state.instruments[index];
  if (instrument?.futures === undefined || instrument.futures.delivery !== undefined)
    return rejected(RejectReason.unknownInstrument);
  const market = state.market(instrument);
  exchangeFunding(state, market, market.futures!.rate);
  return OK;
}

function exchangeFunding(state: State, market: Market, rate: bigint): void {
  const futures = market.futures!;
  const fund = state.ledger.cell(SystemAccount.insurance, futures.terms.settle, Bucket.cash);
  const before = state.ledger.balance(fund);
  if (rate !== 0n) payHolders(state, market, rate);
  state.events.push({
    type: 'fundingSettled',
    instrument: market.instrument,
    rate,
    toFund: state.ledger.balance(fund) - before,
    time: state.now,
  });
}

function payHolders(state: State, market: Market, rate: bigint): void {
  const holders = holdersOf(state, market.instrument);
  const paysLong = rate > 0n;
  const payers = holders.filter(({ position }) => position.long === paysLong);
  const receivers = holders.filter(({ position }) => position.long !== paysLong);
  const collected = payers.reduce((sum, holder) => sum + pay(state, market, holder, rate), 0n);
  distribute(state, market, receivers, rate, collected);
  for (const { account } of holders) state.markDirty(account);
}

type Rounding = (dividend: bigint, divisor: bigint) => bigint;

/** |q| x mark x |F| in the settlement coin, rounded once: up for payers, down for receivers. */
function amountOf(
  state: State,
  market: Market,
  position: Position,
  rate: bigint,
  rounding: Rounding,
): bigint {
  const instrument = state.instruments[market.instrument]!;
  const { coinMargined, settle } = instrument.futures!;
  const notional = tradeValue(instrument, markTicks(state, instrument), position.lots);
  const exact = notional * (rate < 0n ? -rate : rate);
  if (!coinMargined) return rounding(exact, RATE_ONE);
  const price = coinUsd(state, settle);
  return price === 0n ? 0n : rounding(exact * MONEY_ONE, RATE_ONE * price);
}

/** A crossed payer pays in full, into debt if necessary; an isolated one keeps its maintenance margin. */
function pay(state: State, market: Market, { account, position }: Holder, rate: bigint): bigint {
  const instrument = state.instruments[market.instrument]!;
  const due = amountOf(state, market, position, rate, divCeil);
  if (!position.isolated) return payFrom(state, account, instrument, position, Bucket.cash, due);
  if (state.rules.fundingLimits) return payIsolated(state, account, instrument, position, due);
  const kept = inSettleCoin(
    state,
    instrument,
    maintenanceAt(instrument, markTicks(state, instrument), position.lots),
  );
  const amount = smaller(due, larger(0n, position.iso - kept));
  return payFrom(state, account, instrument, position, Bucket.isolated, amount);
}

/** From free cash, then from the margin down to nothing; what is still due the position owes (rules 13.8). */
function payIsolated(
  state: State,
  account: Account,
  instrument: Instrument,
  position: Position,
  due: bigint,
): bigint {
  const fromCash = smaller(due, spendable(state, account, instrument.futures!.settle));
  const fromMargin = smaller(due - fromCash, position.iso);
  if (fromCash > 0n) payFrom(state, account, instrument, position, Bucket.cash, fromCash);
  if (fromMargin > 0n) payFrom(state, account, instrument, position, Bucket.isolated, fromMargin);
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
): bigint {
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  if (bucket === Bucket.isolated) position.iso -= amount;
  position.funding -= amount;
  const posting = {
    from: ledger.cell(account.index, coin, bucket),
    to: ledger.cell(SystemAccount.insurance, coin, Bucket.cash),
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
  market: Market,
  receivers: readonly Holder[],
  rate: bigint,
  collected: bigint,
): void {
  const instrument = state.instruments[market.instrument]!;
  const coin = instrument.futures!.settle;
  const { ledger } = state;
  const due = receivers.map(({ position }) => amountOf(state, market, position, rate, divFloor));
  const total = due.reduce((sum, amount) => sum + amount, 0n);
  for (const [n, { account, position }] of receivers.entries()) {
    const amount = collected >= total ? due[n]! : divFloor(due[n]! * collected, total);
    if (position.isolated) position.iso += amount;
    position.funding += amount;
    post(state, {
      from: ledger.cell(SystemAccount.insurance, coin, Bucket.cash),
      to: ledger.cell(account.index, coin, position.isolated ? Bucket.isolated : Bucket.cash),
      amount,
      toLine: 'fundingIn',
      reference: String(position.id),
      instrument,
    });
  }
}
