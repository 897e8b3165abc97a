/**
 * Margin of an account without computing everything each time. Contributions of contracts and coins are kept
 * (`../state/margin-cache-state.ts`) and computed again, in exact numbers, when prices, positions, orders, settings or balances have
 * changed since. `margin.ts` says what they are: `computeRisk` is the rule, and an invariant holds this file to it.
 */

import { NIL } from '../book/order-slab.ts';
import { Side } from '../model/enums.ts';
import { type Instrument, valueNumber } from '../model/instrument.ts';
import { keptOf } from '../model/margin-fractions.ts';
import type { Position } from '../model/position.ts';
import { exact, exactNumber } from '../model/safe-integers.ts';
import type { Account } from '../state/account.ts';
import { AccountMargin, Line } from '../state/margin-cache-state.ts';
import type { State } from '../state/state.ts';
import { addCoins, takeDebts } from './collateral-rows.ts';
import {
  addLines,
  addNoted,
  lineInitial,
  lineOf,
  orderLoss,
  takeOrders,
  takePositions,
  takeSettings,
} from './contract-margin.ts';
import { computeRisk, hasObligations, type Intent, markTicks, type Risk } from './margin.ts';

/** What the account is worth, must have for new orders and must keep, now. */
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

/** The present figures. Initial margin may be an estimate that is too high when opening orders would lose at the mark. */
export function currentMargin(state: State, account: Account): AccountMargin {
  account.margin ??= new AccountMargin();
  const { margin } = account;
  const moved = margin.prices !== state.priceVersion;
  const paid = margin.moneyChanges !== state.ledger.changesOf(account.index);
  if (!moved && !paid && !margin.isUnsettled) {
    if (margin.haircut !== 0) margin.liable = hasObligations(state, account);
    return margin;
  }
  if (margin.positionsUnknown || margin.ordersUnknown || margin.settingsUnknown || moved) {
    if (margin.positionsUnknown) takePositions(state, account, margin);
    if (margin.settingsUnknown) takeSettings(state, account, margin);
    const losses = margin.ordersUnknown;
    if (losses) takeOrders(state, account, margin);
    addLines(state, account, margin, losses);
    margin.prices = state.priceVersion;
  } else if (margin.noted) {
    addNoted(state, account, margin);
  }
  const recounted = addCoins(state, account, margin, moved, paid);
  if (recounted || margin.claimsUnknown) takeDebts(state, account, margin, false);
  margin.liable = margin.haircut !== 0 && hasObligations(state, account);
  return margin;
}

/** The same with initial margin exact, for which every opening order is looked at. */
export function exactMargin(state: State, account: Account): AccountMargin {
  const margin = currentMargin(state, account);
  if (margin.haircutEstimated) {
    takeDebts(state, account, margin, true);
    margin.liable = margin.haircut !== 0 && hasObligations(state, account);
  }
  if (!margin.estimated) return margin;
  takeOrders(state, account, margin);
  addLines(state, account, margin, true);
  return margin;
}

/**
 * Initial margin of the account if an order were added and another left out, at most (exactly, unless the margin is
 * estimated); NaN when it cannot be told in numbers. Only the contract of the two is computed again.
 */
export function initialMarginWith(
  state: State,
  account: Account,
  margin: AccountMargin,
  instrument: Instrument,
  intent: Intent | undefined,
  leaveOut: number,
): number {
  const at = lineOf(state, account, margin, instrument);
  const { lines } = margin;
  let buys = lines[at + Line.buyValue]!;
  let sells = lines[at + Line.sellValue]!;
  let loss = lines[at + Line.openLoss]!;
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
  const changed = lineInitial(state, account, instrument, lines, at, buys, sells, loss);
  // With an order the collateral stands behind something.
  const haircut = intent !== undefined && !margin.liable ? margin.haircut : 0;
  return exact(margin.initial + haircut - lines[at + Line.initial]! + changed);
}

/** Maintenance margin and closing fee of a size at a price in the quote coin, NaN when not exact. */
export function maintenanceAtNumber(instrument: Instrument, priceTicks: number, lots: number): number {
  const { scale } = instrument.futures!;
  return scale === undefined ? Number.NaN : keptOf(scale, valueNumber(instrument, priceTicks, lots));
}

/** What an isolated position has above what it must keep, in the quote coin at the mark; NaN when not exact. */
export function isolatedSlackNumber(state: State, position: Position): number {
  const instrument = state.instruments[position.instrument]!;
  if (instrument.futures!.coinMargined) return Number.NaN;
  const mark = markTicks(state, instrument);
  const value = valueNumber(instrument, mark, position.size);
  const profit = exact(value - exactNumber(position.basis));
  return exact(exactNumber(position.iso) + profit - maintenanceAtNumber(instrument, mark, position.lots));
}
