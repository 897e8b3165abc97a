/**
 * Margin of an account without computing everything each time. `../state/margin-cache-state.ts` holds the contributions
 * of contracts and coins and knows what is stale; `cache/` computes them again in exact numbers. `margin.ts` is the rule:
 * the cached values must equal `computeRisk`, which a running exchange asserts for one account each second.
 */

import { NIL } from '../book/order-slab.ts';
import { Side } from '../model/enums.ts';
import { type Instrument, valueNumber } from '../model/instrument.ts';
import { maintenanceWithFee } from '../model/margin-fractions.ts';
import type { Position } from '../model/position.ts';
import { PositionColumn } from '../model/position-numbers.ts';
import { exact } from '../model/safe-integers.ts';
import type { Account } from '../state/account.ts';
import { ContractRow, MarginCache, Stale } from '../state/margin-cache-state.ts';
import type { State } from '../state/state.ts';
import { reloadDebts, sumCoins } from './cache/coin-rows.ts';
import {
  findOrAddRow,
  initialOf,
  orderLoss,
  reloadOrders,
  reloadPositions,
  reloadSettings,
  repriceAll,
  repriceDirty,
} from './cache/contract-rows.ts';
import { computeRisk, hasObligations, type Intent, markTicks, type Risk } from './margin.ts';

export { quotePrice } from './cache/contract-rows.ts';
export { RepricedMaintenance } from './cache/repriced-maintenance.ts';

/** Any of these changes requires all contract rows to be recomputed. */
const ALL_CONTRACTS = Stale.positions | Stale.orders | Stale.settings | Stale.prices;
/** Any of these, the dirty rows. */
const SOME_CONTRACTS = Stale.contracts | Stale.orderRows;

/** Equity, and the margin required for new orders and to hold positions, at the present prices. */
export function accountRisk(state: State, account: Account): Risk {
  const { equity, effective, initial, maintenance } = exactMargin(state, account);
  if (Number.isNaN(equity + effective + initial + maintenance)) return computeRisk(state, account);
  return {
    equity: BigInt(equity),
    effective: BigInt(effective),
    initial: BigInt(initial),
    maintenance: BigInt(maintenance),
  };
}

/** The cache, brought up to date. Initial margin may be an upper bound when opening orders would lose at the mark. */
export function currentMargin(state: State, account: Account): MarginCache {
  const margin = account.margin ?? openCache(state, account);
  const stale = margin.takeStale(state.priceVersion, state.ledger.changesOf(account.index));
  if (stale === 0) {
    if (margin.haircut !== 0) margin.setLiable(hasObligations(state, account));
    return margin;
  }
  if ((stale & ALL_CONTRACTS) !== 0) {
    if ((stale & Stale.positions) !== 0) reloadPositions(state, account, margin);
    if ((stale & Stale.settings) !== 0) reloadSettings(state, account, margin);
    const exactLosses = (stale & Stale.orders) !== 0;
    if (exactLosses) reloadOrders(state, account, margin);
    repriceAll(state, account, margin, exactLosses);
  } else if ((stale & SOME_CONTRACTS) !== 0) {
    repriceDirty(state, account, margin);
  }
  const revalued = sumCoins(state, account, margin, stale);
  if (revalued || (stale & Stale.claims) !== 0) reloadDebts(state, account, margin, false);
  margin.setLiable(margin.haircut !== 0 && hasObligations(state, account));
  return margin;
}

/** The cache with effective equity and maintenance margin up to date, not initial margin: for the check of each fill. */
export function currentMaintenance(state: State, account: Account): MarginCache {
  const { margin } = account;
  if (margin?.isMaintenanceCurrent(state.priceVersion, state.ledger.changesOf(account.index)) === true)
    return margin;
  return currentMargin(state, account);
}

/** A view of an account, which does not last, has memory of its own. */
function openCache(state: State, account: Account): MarginCache {
  const margin = new MarginCache(state.accounts[account.index] === account ? state.marginBlocks : undefined);
  account.margin = margin;
  return margin;
}

/** The same with initial margin exact, for which every opening order is visited. */
export function exactMargin(state: State, account: Account): MarginCache {
  const margin = currentMargin(state, account);
  if (margin.haircutIsBounded) {
    reloadDebts(state, account, margin, true);
    margin.setLiable(margin.haircut !== 0 && hasObligations(state, account));
  }
  if (!margin.lossesAreBounded) return margin;
  reloadOrders(state, account, margin);
  repriceAll(state, account, margin, true);
  return margin;
}

/**
 * Initial margin of the account with one order more and another left out: an upper bound, exact unless the margin is
 * bounded; NaN when not exact in numbers. Only the contract of the two is computed again.
 */
export function initialMarginWith(
  state: State,
  account: Account,
  margin: MarginCache,
  instrument: Instrument,
  intent: Intent | undefined,
  leaveOut: number,
): number {
  const at = findOrAddRow(state, account, margin, instrument);
  const { numbers } = margin;
  let buys = numbers[at + ContractRow.buyValue]!;
  let sells = numbers[at + ContractRow.sellValue]!;
  let loss = numbers[at + ContractRow.openLoss]!;
  const mark = markTicks(state, instrument);
  if (leaveOut !== NIL) {
    const { slab } = state;
    const side = slab.side[leaveOut] as Side;
    const value = valueNumber(instrument, slab.price[leaveOut]!, slab.remaining[leaveOut]!);
    if (side === Side.buy) buys -= value;
    else sells -= value;
    loss -= orderLoss(instrument, side, slab.price[leaveOut]!, slab.remaining[leaveOut]!, mark);
  }
  if (intent !== undefined) {
    const { side, priceTicks, lots } = intent;
    const value = valueNumber(instrument, priceTicks, lots);
    if (side === Side.buy) buys += value;
    else sells += value;
    loss += orderLoss(instrument, side, priceTicks, lots, mark);
  }
  const changed = initialOf(state, account, instrument, numbers, at, buys, sells, loss);
  // With an order the account has obligations.
  const haircut = intent !== undefined && !margin.isLiable ? margin.haircut : 0;
  return exact(exact(margin.initial - numbers[at + ContractRow.initial]! + changed) + haircut);
}

/** Maintenance margin and closing fee of a size at a price in the quote coin, NaN when not exact. */
export function maintenanceAtNumber(instrument: Instrument, priceTicks: number, lots: number): number {
  const { scale } = instrument.futures!;
  return scale === undefined
    ? Number.NaN
    : maintenanceWithFee(scale, valueNumber(instrument, priceTicks, lots));
}

/** Margin of an isolated position above its maintenance, in the quote coin at the mark; NaN when not exact. */
export function isolatedSlackNumber(state: State, position: Position): number {
  const instrument = state.instruments[position.instrument]!;
  if (instrument.futures!.coinMargined) return Number.NaN;
  const mark = markTicks(state, instrument);
  const value = valueNumber(instrument, mark, position.size);
  const profit = exact(value - position.number(PositionColumn.basis));
  const own = exact(position.number(PositionColumn.iso) - position.number(PositionColumn.fundingOwed));
  return exact(exact(own + profit) - maintenanceAtNumber(instrument, mark, position.lots));
}
