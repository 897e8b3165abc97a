/** Settings of an account for its contracts: leverage, margin mode, hold mode (rules 5.3, 5.6). */

import { NIL } from '../book/order-slab.ts';
import { spendable } from '../margin/available-balance.ts';
import { futuresSetting, inSettleCoin, markTicks } from '../margin/margin.ts';
import { accountRisk } from '../margin/margin-cache.ts';
import type { SetHoldMode, SetLeverage, SetMarginMode } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { HOLD_MODE_NAMES, type HoldMode, Side } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { tierIndex } from '../model/margin-tiers.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, larger } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { futuresOf, positionsOf } from '../state/futures-lookup.ts';
import type { State } from '../state/state.ts';
import { holdForOrder } from './futures-amend.ts';
import { addMargin } from './isolated-margin.ts';
import { isolatedReserve } from './opening-checks.ts';
import { notionalOfOthers, openValue } from './opening-notional.ts';

export function setLeverage(state: State, command: SetLeverage): CommandResult {
  const found = futuresOf(state, command.uid, command.instrument);
  if ('rejectReason' in found) return found;
  const { account, instrument } = found;
  const chosen = account.futuresSettings.get(instrument.index);
  const before = futuresSetting(account, instrument);
  const setting = {
    ...before,
    longLeverage: command.longLeverage || before.longLeverage,
    shortLeverage: command.shortLeverage || before.shortLeverage,
  };
  const { minLeverage } = instrument.futures!;
  const highest = Math.max(setting.longLeverage, setting.shortLeverage);
  const allowed = allowedLeverage(state, account, instrument);
  if (highest > allowed) return rejected(RejectReason.leverageAboveMaximum, allowed);
  if (Math.min(setting.longLeverage, setting.shortLeverage) < minLeverage) {
    return rejected(RejectReason.leverageAboveMaximum, allowed);
  }
  const { initial } = accountRisk(state, account);
  account.setFuturesSetting(instrument.index, setting);
  const short = before.isolated
    ? addIsolatedMargin(state, account, instrument)
    : lacksMargin(state, account, initial);
  if (short) {
    account.setFuturesSetting(instrument.index, chosen);
    return rejected(RejectReason.leverageNeedsMargin);
  }
  return OK;
}

/** The highest leverage at the notional of positions and open orders, those of the party included. */
export function allowedLeverage(state: State, account: Account, instrument: Instrument): number {
  const { tiers, maxLeverage } = instrument.futures!;
  let notional = 0n;
  for (const side of [Side.buy, Side.sell]) {
    const value = positionsOf(account, instrument)
      .filter((position) => position.long === (side === Side.buy))
      .reduce(
        (sum, { lots }) => sum + tradeValue(instrument, markTicks(state, instrument), lots),
        openValue(state, account, instrument, side),
      );
    notional = larger(notional, value + notionalOfOthers(state, account, instrument, side));
  }
  return Math.min(maxLeverage, tiers[tierIndex(tiers, notional)]!.maxLeverage);
}

/** Is the initial margin higher than before, and not covered? */
function lacksMargin(state: State, account: Account, before: bigint): boolean {
  const { effective, initial } = accountRisk(state, account);
  return initial > before && effective < initial;
}

/**
 * Lower leverage requires more margin at once, for positions and for opening orders; higher leverage returns none by
 * itself. Returns true when the account lacks the margin; then nothing has changed.
 */
function addIsolatedMargin(state: State, account: Account, instrument: Instrument): boolean {
  const coin = instrument.futures!.settle;
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const wanted = positionsOf(account, instrument).map((position) => {
    const basis = position.long ? position.basis : -position.basis;
    const margin = divCeil(basis, BigInt(position.long ? longLeverage : shortLeverage));
    return { position, more: larger(0n, inSettleCoin(state, instrument, margin) - position.iso) };
  });
  const orders = ordersThatNeedMore(state, account, instrument);
  const total =
    wanted.reduce((sum, { more }) => sum + more, 0n) + orders.reduce((sum, { more }) => sum + more, 0n);
  if (total > 0n && total > spendable(state, account, coin)) return true;
  for (const { position, more } of wanted) addMargin(state, account, instrument, position, more);
  for (const { slot, amount } of orders) holdForOrder({ state, account, instrument }, slot, amount);
  return false;
}

/** Isolated orders that hold less margin than a fill would need at the present leverage. */
function ordersThatNeedMore(
  state: State,
  account: Account,
  instrument: Instrument,
): { slot: number; amount: bigint; more: bigint }[] {
  const { slab } = state;
  const found: { slot: number; amount: bigint; more: bigint }[] = [];
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const held = slab.isolatedHolds.get(slot);
    if (held === undefined || slab.instrument[slot] !== instrument.index) continue;
    const intent = {
      instrument,
      side: slab.side[slot] as Side,
      priceTicks: slab.price[slot]!,
      lots: slab.remaining[slot]!,
    };
    const amount = isolatedReserve(account, intent);
    if (amount > held) found.push({ slot, amount, more: amount - held });
  }
  return found;
}

export function setHoldMode(state: State, command: SetHoldMode): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (HOLD_MODE_NAMES[command.holdMode] === undefined) return rejected(RejectReason.illegalCombination);
  if (account.holdMode === command.holdMode) return OK;
  if (account.positions.size > 0 || account.openFutures > 0)
    return rejected(RejectReason.positionsOrOrdersOpen);
  // A waiting strategy order names its position side by the present mode.
  for (const { instrument } of account.strategies.values()) {
    if (state.instruments[instrument]!.futures !== undefined)
      return rejected(RejectReason.positionsOrOrdersOpen);
  }
  account.holdMode = command.holdMode as HoldMode;
  return OK;
}

/** The margin mode of a symbol changes only while it has no positions and no open orders. */
export function setMarginMode(state: State, command: SetMarginMode): CommandResult {
  const found = futuresOf(state, command.uid, command.instrument);
  if ('rejectReason' in found) return found;
  const { account, instrument } = found;
  const setting = futuresSetting(account, instrument);
  if (setting.isolated === command.isolated) return OK;
  const ordered = state.openOrders.of(account.index, instrument.index) > 0;
  if (ordered || positionsOf(account, instrument).length > 0)
    return rejected(RejectReason.positionsOrOrdersOpen);
  account.setFuturesSetting(instrument.index, { ...setting, isolated: command.isolated });
  return OK;
}
