/** One position closed by force: through the book, with the fund behind it, and against the other side for the rest. */

import { MatchEnd } from '../book/book.ts';
import { endForcedOrder, forcedOrder } from '../futures/forced-orders.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { bankruptcyTicks, forcedFeeRate, marginBehind } from '../margin/bankruptcy.ts';
import { fundBalance } from '../margin/insurance-fund.ts';
import type { OrderKind } from '../model/enums.ts';
import { baseUnits, type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import { divCeil, divFloor, larger, RATE_ONE, smaller } from '../model/units.ts';
import { priceBand } from '../orders/order-checks.ts';
import type { Account } from '../state/account.ts';
import { postStep } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { deleverage } from './deleveraging.ts';

/**
 * Sells (or buys) lots of a position through the book; beyond the bankruptcy price only what the fund can pay, and only
 * within the price band, or whoever empties the book for a moment could take the fund with an order far away; the rest
 * is deleveraged at that price. What the fund may pay is what it had before: fees of this close come later.
 */
export function closeOut(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
  lots: number,
  kind: OrderKind,
): void {
  const instrument = state.instruments[position.instrument]!;
  const market = state.market(instrument);
  const coin = instrument.futures!.settle;
  const size = position.lots;
  const basis = position.long ? position.basis : -position.basis;
  const margin = marginBehind(state, account, position);
  const price = bankruptcyTicks(instrument, position.long, size, basis, margin);
  let budget = fundBalance(state, coin);
  const slot = forcedOrder(state, account, position, lots, kind);
  const long = position.long;
  settlement.begin(instrument, market);
  settlement.forcedCapacity = (priceTicks) => {
    const loss = lossPerSize(instrument, long, size, basis, margin, priceTicks);
    if (loss <= 0n) return lots;
    const payable = (budget * BigInt(size)) / loss;
    return Number(payable > BigInt(size) ? BigInt(size) : payable);
  };
  settlement.onForcedFill = (priceTicks, filled) => {
    const loss = lossPerSize(instrument, long, size, basis, margin, priceTicks);
    if (loss <= 0n) return;
    const paid = smaller(budget, divCeil(loss * BigInt(filled), BigInt(size)));
    budget -= paid;
    payShortfall(state, account, position, paid);
  };
  const { minSellTicks, maxBuyTicks } = priceBand(instrument, market);
  const worst = long ? Math.min(price, minSellTicks) : Math.max(price, maxBuyTicks);
  while (market.book.match(slot, worst, settlement, true) === MatchEnd.tooManyFills);
  settlement.forcedCapacity = undefined;
  settlement.onForcedFill = undefined;
  if (state.slab.remaining[slot]! > 0) deleverage(state, settlement, slot, position, price);
  endForcedOrder(state, slot);
  if (position.isolated) settleIsolated(state, settlement, account, position);
  state.touch(account);
}

/** The fund pays what a fill beyond bankruptcy lacks. */
function payShortfall(state: State, account: Account, position: Position, amount: bigint): void {
  const { ledger } = state;
  const instrument = state.instruments[position.instrument]!;
  const coin = instrument.futures!.settle;
  if (position.isolated) position.iso += amount;
  postStep(state, {
    from: ledger.cell(SystemAccount.insurance, coin, Bucket.cash),
    to: ledger.cell(account.index, coin, position.isolated ? Bucket.isolated : Bucket.cash),
    amount,
    toLine: 'liquidation',
    reference: String(position.id),
    instrument,
  });
}

/** What closing the whole size at a price would leave unpaid, in the settlement coin; negative when margin is left. */
function lossPerSize(
  instrument: Instrument,
  long: boolean,
  size: number,
  basis: bigint,
  margin: bigint,
  priceTicks: number,
): bigint {
  const value = tradeValue(instrument, priceTicks, size);
  const profit = long ? value - basis : basis - value;
  const { coinMargined } = instrument.futures!;
  const feeRate = forcedFeeRate(instrument);
  if (!coinMargined) return divCeil(value * feeRate, RATE_ONE) - profit - margin;
  const units = baseUnits(instrument, size);
  const inCoin = value === 0n ? 0n : divFloor(profit * units, value);
  return divCeil(units * feeRate, RATE_ONE) - inCoin - margin;
}

/** What an isolated liquidation leaves goes to the fund, what it lacks comes from there. */
function settleIsolated(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
): void {
  if (position.size !== 0) return;
  const { ledger } = state;
  const instrument = state.instruments[position.instrument]!;
  const coin = instrument.futures!.settle;
  const isolated = ledger.cell(account.index, coin, Bucket.isolated);
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const rest = position.iso;
  const paid = smaller(larger(0n, -rest), fundBalance(state, coin));
  const about = { reference: String(position.id), instrument };
  if (rest > 0n)
    postStep(state, { from: isolated, to: fund, amount: rest, fromLine: 'liquidation', ...about });
  else postStep(state, { from: fund, to: isolated, amount: paid, toLine: 'liquidation', ...about });
  // No opposite side could bear it and the fund is empty: a bad debt of the account (rules 5.9, step 7). The fills
  // have the loss on the statement already; here cash only goes to where it was booked.
  const unpaid = larger(0n, -rest) - paid;
  if (unpaid > 0n) {
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    postStep(state, { from: cash, to: isolated, amount: unpaid, fromLine: 'marginAdded', ...about });
  }
  position.iso = 0n;
  settlement.forget(account, position);
}
