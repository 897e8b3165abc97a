/**
 * The end of a contract (rules 1.3, 5.15), in this order: its orders are cancelled, the settlement price is fixed, every
 * position closes at it, losers' shortfalls are paid by the fund and then by the winners (the rest stays as debt), the
 * contract goes offline and the next quarter is listed.
 */

import { endForcedOrder, forcedOrder } from '../futures/forced-orders.ts';
import { payOwedFunding } from '../futures/funding.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { listSpecification } from '../listing/listing.ts';
import { coinUsd } from '../margin/collateral.ts';
import { fundBalance } from '../margin/insurance-fund.ts';
import { markTicks } from '../margin/margin.ts';
import { forcedEquity } from '../margin/other-wallets.ts';
import { deliveryAfter, quarterSymbol } from '../model/delivery-calendar.ts';
import { CancelReason, InstrumentStatus, OrderKind, StrategyReason } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { FuturesSpec, InstrumentSpec } from '../model/listing-spec.ts';
import type { Position } from '../model/position.ts';
import { divCeil, larger, MONEY_ONE, smaller } from '../model/units.ts';
import { cancelWhere } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import { post } from '../state/ledger-postings.ts';
import type { Market } from '../state/market.ts';
import { holdersOf } from '../state/position-holders.ts';
import type { State } from '../state/state.ts';
import { cancelInstrumentStrategies } from '../strategy/strategy-lifecycle.ts';

/** Buckets whose money can pay a debt of the account. */
const OWN_BUCKETS = [Bucket.cash, Bucket.locked, Bucket.isolatedOrders] as const;

/** Gain or loss by the settlement: of each isolated position, and of all crossed positions of an account together. */
interface Result {
  readonly account: Account;
  realised: bigint;
  fee: bigint;
}

/** A bucket below zero that the fund or the winners cover. */
interface Claim {
  readonly account: Account;
  readonly bucket: typeof Bucket.cash | typeof Bucket.isolated;
  readonly amount: bigint;
}

export function deliver(state: State, settlement: FuturesSettlement, market: Market): void {
  const instrument = state.instruments[market.instrument]!;
  for (const account of state.accountByUid.values()) {
    cancelWhere(state, account, CancelReason.delivery, (index) => index === instrument.index);
  }
  cancelInstrumentStrategies(state, instrument, StrategyReason.delivery);
  const priceTicks = market.futures!.fixSettlement();
  const coin = market.futures!.terms.settle;
  const before = fundBalance(state, coin);
  settlePositions(state, settlement, instrument, priceTicks, OrderKind.delivery);
  closeClearing(state, market);
  countOutflow(state, coin, before);
  instrument.status = InstrumentStatus.offline;
  state.emit({ type: 'instrument', instrument: instrument.index });
  listNextQuarter(state, instrument);
}

/**
 * Delists a contract before its delivery, or a perpetual: positions close at the mark, without a fee because the owner
 * did not ask for it; shortages are shared as at a delivery. Its orders are cancelled already.
 */
export function delist(state: State, settlement: FuturesSettlement, market: Market): void {
  const instrument = state.instruments[market.instrument]!;
  if (market.futures === undefined || market.holders.size === 0) return;
  const priceTicks = markTicks(state, instrument);
  const coin = market.futures.terms.settle;
  const before = fundBalance(state, coin);
  settlePositions(state, settlement, instrument, priceTicks, OrderKind.delisting);
  closeClearing(state, market);
  countOutflow(state, coin, before);
}

/** Deliveries are outside the budgets of the fund, and outside what I47 adds up. */
export function countOutflow(state: State, coin: number, before: bigint): void {
  state.fundHours.add('futures', coin, 'unlimited', larger(0n, before - fundBalance(state, coin)));
}

function settlePositions(
  state: State,
  settlement: FuturesSettlement,
  instrument: Instrument,
  priceTicks: number,
  kind: OrderKind,
): void {
  const holders = holdersOf(state, instrument.index);
  const results = new Map<Account | Position, Result>();
  const claims: Claim[] = [];
  for (const { account, position } of holders) {
    const { realised, fee, lacking } = closeAt(state, settlement, account, position, priceTicks, kind);
    const party = position.isolated ? position : account;
    const result = results.get(party) ?? { account, realised: 0n, fee: 0n };
    result.realised += realised;
    result.fee += fee;
    results.set(party, result);
    if (lacking > 0n) claims.push({ account, bucket: Bucket.isolated, amount: lacking });
    state.markDirty(account);
  }
  const debts = debtsOf(state, instrument, new Set(holders.map(({ account }) => account)));
  const debtors = new Set(debts.map(({ account }) => account));
  const winners = [...results.values()].filter(
    ({ account, realised, fee }) => isGain(realised, fee) && !debtors.has(account),
  );
  coverClaims(state, instrument, [...claims, ...debts], winners);
}

/** What a position has won or lost by its last close, the fee of it, and what its isolated margin lacks. */
interface Closed {
  readonly realised: bigint;
  readonly fee: bigint;
  readonly lacking: bigint;
}

/** Closes a position of a contract that has ended, against the clearing account. What is lacking stays in its bucket. */
export function closeAt(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
  priceTicks: number,
  kind: OrderKind,
): Closed {
  const instrument = state.instruments[position.instrument]!;
  const { realised, closeFee } = position;
  const slot = forcedOrder(state, account, position, position.lots, kind);
  settlement.settleAlone(settlement.contextOf(instrument), slot, priceTicks, position.lots);
  endForcedOrder(state, slot);
  const lacking = releaseMargin(state, settlement, instrument, account, position);
  return { realised: position.realised - realised, fee: position.closeFee - closeFee, lacking };
}

/** Is there something that a shortage may be taken of? */
export function isGain(realised: bigint, fee: bigint): boolean {
  return realised > 0n && realised > fee;
}

/** Returns the rest of an isolated margin to cash. The result is the missing amount, left in the bucket until covered. */
function releaseMargin(
  state: State,
  settlement: FuturesSettlement,
  instrument: Instrument,
  account: Account,
  position: Position,
): bigint {
  const rest = position.iso;
  // The last fill has already removed a crossed position, and an isolated one without margin.
  if (rest === 0n) return 0n;
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  if (rest > 0n) {
    post(
      state,
      {
        from: ledger.cell(account.index, coin, Bucket.isolated),
        to: ledger.cell(account.index, coin, Bucket.cash),
        amount: rest,
        toLine: 'marginRemoved',
        ...about(instrument),
      },
      'implied',
    );
  }
  position.iso = 0n;
  payOwedFunding(state, account, position, rest, OrderKind.delivery);
  settlement.forget(account, position);
  return larger(0n, -rest);
}

/** Crossed losers that owe the settlement coin and have no other money to pay it. */
function debtsOf(state: State, instrument: Instrument, accounts: ReadonlySet<Account>): Claim[] {
  const coin = instrument.futures!.settle;
  const claims: Claim[] = [];
  for (const account of accounts) {
    const amount = debtWithoutMeans(state, account, coin);
    if (amount > 0n) claims.push({ account, bucket: Bucket.cash, amount });
  }
  return claims;
}

/** What an account owes of a coin that has no position and no money to pay it with. */
export function debtWithoutMeans(state: State, account: Account, coin: number): bigint {
  const cash = state.ledger.balanceOf(account.index, coin, Bucket.cash);
  if (cash >= 0n || account.positions.size > 0) return 0n;
  if (state.rules.endMeans) return smaller(-cash, lackingOf(state, account, coin));
  return ownsAnything(state, account) ? 0n : -cash;
}

/** What coins, funding wallet and pledges of an account lack for its debts, in a coin that it owes (rules 17.2). */
function lackingOf(state: State, account: Account, coin: number): bigint {
  const lacking = larger(0n, -forcedEquity(state, account));
  const price = coinUsd(state, coin);
  return price === 0n ? 0n : divCeil(lacking * MONEY_ONE, price);
}

function ownsAnything(state: State, { index }: Account): boolean {
  const { ledger } = state;
  return ledger
    .coinsOf(index)
    .some((coin) => OWN_BUCKETS.some((bucket) => ledger.balanceOf(index, coin, bucket) > 0n));
}

/** The fund pays first, then the winners through the fund; the rest stays as debt of the loser. */
function coverClaims(
  state: State,
  instrument: Instrument,
  claims: readonly Claim[],
  winners: readonly Result[],
): void {
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const owed = claims.reduce((sum, { amount }) => sum + amount, 0n);
  const insured = smaller(owed, fundBalance(state, coin));
  const shared = shareShortage(state, instrument, winners, owed - insured);
  let budget = insured + shared;
  for (const { account, bucket, amount } of claims) {
    const paid = smaller(amount, budget);
    budget -= paid;
    const to = ledger.cell(account.index, coin, bucket);
    post(state, { from: fund, to, amount: paid, toLine: 'liquidation', ...about(instrument) });
    const unpaid = amount - paid;
    if (bucket === Bucket.cash || unpaid === 0n) continue;
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    post(state, { from: cash, to, amount: unpaid, fromLine: 'marginAdded', ...about(instrument) }, 'implied');
  }
}

/**
 * Winners pay their share of a shortage, rounded against them, at most their gain by the settlement after its fee.
 * Returns the amount for the losers; the remainder of the rounding stays with the fund.
 */
function shareShortage(
  state: State,
  instrument: Instrument,
  winners: readonly Result[],
  shortage: bigint,
): bigint {
  if (shortage === 0n) return 0n;
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const total = winners.reduce((sum, { realised }) => sum + realised, 0n);
  let collected = 0n;
  for (const { account, realised, fee } of winners) {
    const share = smaller(divCeil(realised * shortage, total), realised - larger(0n, fee));
    collected += share;
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    post(state, { from: cash, to: fund, amount: share, fromLine: 'liquidation', ...about(instrument) });
  }
  return smaller(collected, shortage);
}

/** Reference of the ledger lines of a contract's end. */
export function about(instrument: Instrument): { reference: string; instrument: Instrument } {
  return { reference: instrument.symbol, instrument };
}

/** Coin-margined profit is not zero-sum in coin: the remainder goes to the fund. */
export function closeClearing(state: State, market: Market): void {
  const futures = market.futures!;
  const { ledger } = state;
  const coin = futures.terms.settle;
  const clearing = ledger.cell(SystemAccount.clearing, coin, Bucket.cash);
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  if (futures.clearing >= 0n) {
    post(state, { from: clearing, to: fund, amount: futures.clearing });
    futures.clearing = 0n;
  } else {
    const paid = smaller(-futures.clearing, fundBalance(state, coin));
    post(state, { from: fund, to: clearing, amount: paid }, futures.clearing);
    futures.clearing += paid;
    if (!state.rules.clearingShortfall || futures.clearing === 0n) return;
    // What the fund does not have was lost by the house, and says so (rules 13.2).
    const badDebt = ledger.cell(SystemAccount.badDebt, coin, Bucket.cash);
    post(state, { from: badDebt, to: clearing, amount: -futures.clearing });
    futures.clearing = 0n;
  }
}

/** The later contract becomes this quarter's, and a new one is listed behind it. */
export function listNextQuarter(state: State, delivered: Instrument): void {
  const { spec } = delivered;
  if (spec.futures?.deliveryPeriod !== 'this_quarter') return;
  const sibling = state.instruments.find(
    ({ spec: other }) =>
      other.category === spec.category &&
      other.baseCoin === spec.baseCoin &&
      other.quoteCoin === spec.quoteCoin &&
      other.futures?.deliveryPeriod === 'next_quarter',
  );
  const from = sibling?.spec ?? spec;
  if (sibling !== undefined) {
    sibling.spec = withPeriod(sibling.spec, 'this_quarter');
    state.emit({ type: 'instrument', instrument: sibling.index });
  }
  const deliveryTime = deliveryAfter(Number(from.futures!.deliveryTime), 1);
  const next: InstrumentSpec = {
    ...withPeriod(from, sibling === undefined ? 'this_quarter' : 'next_quarter', deliveryTime, state.now),
    symbol: quarterSymbol(spec.baseCoin, spec.quoteCoin, deliveryTime),
    status: 'online',
    launchTime: String(state.now),
  };
  listSpecification(state, next, true);
}

function withPeriod(
  spec: InstrumentSpec,
  deliveryPeriod: FuturesSpec['deliveryPeriod'],
  deliveryTime?: number,
  startTime?: number,
): InstrumentSpec {
  const times =
    deliveryTime === undefined
      ? {}
      : {
          deliveryTime: String(deliveryTime),
          deliveryStartTime: String(startTime),
          limitOpenTime: '',
          offTime: '',
        };
  return { ...spec, futures: { ...spec.futures!, deliveryPeriod, ...times } };
}
