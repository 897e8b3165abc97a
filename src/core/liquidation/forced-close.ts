/** Forced close of one position: through the book with the insurance fund behind it, the rest by deleveraging. */

import { MatchEnd } from '../book/book.ts';
import { FLAG_PASSES_OWN } from '../book/order-slab.ts';
import type { FillContext } from '../futures/fill-context.ts';
import { endForcedOrder, forcedOrder } from '../futures/forced-orders.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { bankruptcyTicks, forcedFeeRate, forcedMargin } from '../margin/bankruptcy.ts';
import { fundBalance } from '../margin/insurance-fund.ts';
import type { OrderKind } from '../model/enums.ts';
import { baseUnits, type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { Position } from '../model/position.ts';
import { divCeil, divFloor, divTrunc, larger, RATE_ONE, smaller } from '../model/units.ts';
import { priceBand } from '../orders/order-checks.ts';
import type { Account } from '../state/account.ts';
import { post } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';
import { deleverage } from './deleveraging.ts';
import { type BudgetedClose, budgetedClose, cancelOwnBeyond, reachTicks } from './fund-reach.ts';

/**
 * Closes lots of a position through the book, no farther than the price W (rules 13.7); beyond the bankruptcy price it
 * trades only what the fund may pay. The rest is deleveraged at the better of the two prices. In the first edition the
 * price band was the limit, the whole fund the budget, and the bankruptcy price that of deleveraging.
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
  const limited = state.rules.fundReach;
  const forced = limited
    ? limitedFills(state, account, position, lots, terms)
    : fundedFills(state, account, position, lots, terms);
  const reach = limited
    ? reachTicks(state, instrument, long, terms.size)
    : bandTicks(state, instrument, long, price);
  state.tracer?.onForcedClose(account, position, {
    margin: terms.margin,
    bankruptcyTicks: price,
    reachTicks: reach,
  });
  const slot = forcedOrder(state, account, position, lots, kind);
  const fills: FillContext = { ...settlement.contextOf(instrument), forced };
  const unfilled = () => state.slab.remaining[slot]! > 0;
  const matchTo = (limit: number) => {
    while (unfilled() && market.book.match(slot, limit, settlement, fills, true) === MatchEnd.tooManyFills);
  };
  const beyond = long ? reach < price : reach > price;
  if (limited && beyond) {
    matchTo(price);
    const passesOwn = unfilled() && !cancelOwnBeyond(state, account, instrument, long, price, reach);
    if (passesOwn) state.slab.flags[slot]! |= FLAG_PASSES_OWN;
  }
  matchTo(reach);
  const others = limited && !beyond ? reach : price;
  if (unfilled()) deleverage(state, settlement, slot, position, others);
  endForcedOrder(state, slot);
  if (position.isolated) settleIsolated(state, settlement, account, position, forced.left());
  forced.end();
  state.markDirty(account);
}

/** The first edition's: as far as the bankruptcy price, and beyond it within the price band. */
function bandTicks(state: State, instrument: Instrument, long: boolean, price: number): number {
  const { minSellTicks, maxBuyTicks } = priceBand(instrument, state.market(instrument));
  return long ? Math.min(price, minSellTicks) : Math.max(price, maxBuyTicks);
}

/** The position and the margin behind it before the close. */
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
    margin: forcedMargin(state, account, position),
  };
}

/** The fills of a forced close within the budgets of the insurance fund. */
function limitedFills(
  state: State,
  account: Account,
  position: Position,
  lots: number,
  terms: CloseTerms,
): BudgetedClose {
  return budgetedClose(
    state,
    terms.instrument,
    { lots, size: terms.size },
    (priceTicks) => ({ loss: lossPerSize(terms, priceTicks), fee: feePerSize(terms, priceTicks) }),
    (amount) => payShortfall(state, account, position, amount),
  );
}

/** The fills of a forced close, with the whole insurance fund as their budget. */
function fundedFills(
  state: State,
  account: Account,
  position: Position,
  lots: number,
  terms: CloseTerms,
): BudgetedClose {
  const size = BigInt(terms.size);
  const coin = terms.instrument.futures!.settle;
  let budget = fundBalance(state, coin);
  return {
    left: () => fundBalance(state, coin),
    end: () => {},
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
  post(
    state,
    {
      from: ledger.cell(SystemAccount.insurance, coin, Bucket.cash),
      to: ledger.cell(account.index, coin, position.isolated ? Bucket.isolated : Bucket.cash),
      amount,
      toLine: 'liquidation',
      reference: String(position.id),
      instrument,
    },
    'implied',
  );
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

/** What the fund gets as a fee for closing the whole size at a price. */
function feePerSize({ instrument, size }: CloseTerms, priceTicks: number): bigint {
  const chargedOn = instrument.futures!.coinMargined
    ? baseUnits(instrument, size)
    : tradeValue(instrument, priceTicks, size);
  return divTrunc(chargedOn * forcedFeeRate(instrument), RATE_ONE);
}

/** The fund takes the margin that an isolated liquidation leaves, or pays its deficit as far as it may. */
function settleIsolated(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
  mostPaid: bigint,
): void {
  if (position.size !== 0) return;
  const { ledger } = state;
  const instrument = state.instruments[position.instrument]!;
  const coin = instrument.futures!.settle;
  const isolated = ledger.cell(account.index, coin, Bucket.isolated);
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const rest = position.iso;
  const paid = smaller(larger(0n, -rest), mostPaid);
  const about = { reference: String(position.id), instrument };
  if (rest > 0n)
    post(state, { from: isolated, to: fund, amount: rest, fromLine: 'liquidation', ...about }, 'implied');
  else post(state, { from: fund, to: isolated, amount: paid, toLine: 'liquidation', ...about }, 'implied');
  // Neither the other side nor the fund could pay: a bad debt of the account (rules 5.9, step 7). The fills have booked
  // the loss already; cash only covers the bucket that it was booked in.
  const unpaid = larger(0n, -rest) - paid;
  if (unpaid > 0n) {
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    post(state, { from: cash, to: isolated, amount: unpaid, fromLine: 'marginAdded', ...about }, 'implied');
  }
  position.iso = 0n;
  settlement.forget(account, position);
}
