/** Forced close of one position: through the book with the insurance fund behind it, the rest by deleveraging. */

import { MatchEnd } from '../book/book.ts';
import type { FillContext, ForcedFillPolicy } from '../futures/fill-context.ts';
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
 * Closes lots of a position through the book. Beyond the bankruptcy price it trades only as much as the fund can pay,
 * and only within the price band: otherwise a distant order could drain the fund while the book is empty. The rest
 * is deleveraged at the bankruptcy price. The fund pays from its balance before the close: its fees arrive later.
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
  const terms = termsOf(state, account, position);
  const { long } = terms;
  const price = bankruptcyTicks(instrument, long, terms.size, terms.basis, terms.margin);
  const forced = fundedFills(state, account, position, lots, terms);
  const slot = forcedOrder(state, account, position, lots, kind);
  const { minSellTicks, maxBuyTicks } = priceBand(instrument, market);
  const worst = long ? Math.min(price, minSellTicks) : Math.max(price, maxBuyTicks);
  const fills: FillContext = { ...settlement.contextOf(instrument), forced };
  while (market.book.match(slot, worst, settlement, fills, true) === MatchEnd.tooManyFills);
  if (state.slab.remaining[slot]! > 0) deleverage(state, settlement, slot, position, price);
  endForcedOrder(state, slot);
  if (position.isolated) settleIsolated(state, settlement, account, position);
  state.touch(account);
}

/** The position and its margin before the close. */
interface CloseTerms {
  readonly instrument: Instrument;
  readonly long: boolean;
  readonly size: number;
  readonly basis: bigint;
  /** In the settlement coin. */
  readonly margin: bigint;
}

function termsOf(state: State, account: Account, position: Position): CloseTerms {
  const { long, lots: size } = position;
  return {
    instrument: state.instruments[position.instrument]!,
    long,
    size,
    basis: long ? position.basis : -position.basis,
    margin: marginBehind(state, account, position),
  };
}

/** The fills of a forced close, with the insurance fund as their budget. */
function fundedFills(
  state: State,
  account: Account,
  position: Position,
  lots: number,
  terms: CloseTerms,
): ForcedFillPolicy {
  const size = BigInt(terms.size);
  let budget = fundBalance(state, terms.instrument.futures!.settle);
  return {
    capacity: (priceTicks) => {
      const loss = lossPerSize(terms, priceTicks);
      if (loss <= 0n) return lots;
      return Number(smaller(size, (budget * size) / loss));
    },
    filled: (priceTicks, filledLots) => {
      const loss = lossPerSize(terms, priceTicks);
      if (loss <= 0n) return;
      const paid = smaller(budget, divCeil(loss * BigInt(filledLots), size));
      budget -= paid;
      payShortfall(state, account, position, paid);
    },
  };
}

/** The fund pays the loss of a fill beyond the bankruptcy price. */
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

/** Unpaid loss of closing the whole size at a price, in the settlement coin; negative when margin is left. */
function lossPerSize({ instrument, long, size, basis, margin }: CloseTerms, priceTicks: number): bigint {
  const value = tradeValue(instrument, priceTicks, size);
  const profit = long ? value - basis : basis - value;
  const { coinMargined } = instrument.futures!;
  const feeRate = forcedFeeRate(instrument);
  if (!coinMargined) return divCeil(value * feeRate, RATE_ONE) - profit - margin;
  const units = baseUnits(instrument, size);
  const inCoin = value === 0n ? 0n : divFloor(profit * units, value);
  return divCeil(units * feeRate, RATE_ONE) - inCoin - margin;
}

/** The fund receives the margin left by an isolated liquidation, or pays its deficit. */
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
  // Neither the other side nor the fund could pay: a bad debt of the account (rules 5.9, step 7). The fills have booked
  // the loss already; cash only covers the bucket that it was booked in.
  const unpaid = larger(0n, -rest) - paid;
  if (unpaid > 0n) {
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    postStep(state, { from: cash, to: isolated, amount: unpaid, fromLine: 'marginAdded', ...about });
  }
  position.iso = 0n;
  settlement.forget(account, position);
}
