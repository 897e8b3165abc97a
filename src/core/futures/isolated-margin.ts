/** The margin of isolated positions: added and removed by command, or added automatically (rules 5.3, 5.9). */

import { spendable, withdrawable } from '../margin/available-balance.ts';
import { isOld } from '../margin/collateral.ts';
import { futuresSetting, inSettleCoin, maintenanceAt, markTicks, unrealisedOf } from '../margin/margin.ts';
import type { AdjustMargin, SetAutoMargin } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { PosSide, Wallet } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { AUTO_MARGIN_UNBOUNDED, type Position, positionKey } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, larger, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { futuresOf } from '../state/futures-lookup.ts';
import { emitLedgerLine } from '../state/ledger-lines.ts';
import type { State } from '../state/state.ts';

/** Adds or removes margin of an isolated position, down to the margin that it needs. */
export function adjustMargin(state: State, command: AdjustMargin): CommandResult {
  const found = isolatedOf(state, command);
  if ('rejectReason' in found) return found;
  const { account, instrument, position } = found;
  const { amount } = command;
  const coin = instrument.futures!.settle;
  const available = withdrawable(state, account, coin);
  if (amount === 0n) return rejected(RejectReason.amountOutOfRange);
  if (amount > 0n && available < amount) {
    return { rejectReason: RejectReason.insufficientBalance, orderId: 0, clientOid: '', available, coin };
  }
  if (amount < 0n && position.fundingOwed > 0n) return rejected(RejectReason.marginTooLow);
  if (amount < 0n && hasOldMark(state, instrument)) return rejected(RejectReason.staleIndexPrice);
  if (amount < 0n && position.iso + amount < neededMargin(state, account, instrument, position)) {
    return rejected(RejectReason.marginTooLow);
  }
  addMargin(state, account, instrument, position, amount);
  return OK;
}

/** What a position needs by an old mark may be less than it has lost since: nothing leaves it then (rules 13.6 (d)). */
function hasOldMark(state: State, instrument: Instrument): boolean {
  return state.rules.livePrices && isOld(state, state.market(instrument).futures!.index);
}

/** Moves cash into the position, or out of it when negative, and writes the ledger line. */
export function addMargin(
  state: State,
  account: Account,
  instrument: Instrument,
  position: Position,
  amount: bigint,
): void {
  if (amount === 0n) return;
  moveMargin(state, account, instrument, position, amount);
  emitMoved(state, account, instrument, position, amount);
}

/** Sets how much of the account's cash the position may add before it would be liquidated; 0n = none. */
export function setAutoMargin(state: State, command: SetAutoMargin): CommandResult {
  const found = isolatedOf(state, command);
  if ('rejectReason' in found) return found;
  const { room } = command;
  if (room < 0n || room > MONEY_MAX) return rejected(RejectReason.amountOutOfRange);
  found.position.autoMargin = room;
  found.position.updatedTime = state.now;
  return OK;
}

/**
 * A position due for liquidation takes cash up to its initial margin, as far as its setting allows. If that does not
 * prevent the liquidation, no cash moves: the loss of an isolated position is limited to its margin (rules 5.3).
 */
export function autoTopUp(
  state: State,
  account: Account,
  position: Position,
  isDue: (position: Position) => boolean,
): void {
  if (position.autoMargin === 0n) return;
  const instrument = state.instruments[position.instrument]!;
  const wanted = larger(
    0n,
    neededMargin(state, account, instrument, position) + position.fundingOwed - position.iso,
  );
  const coin = instrument.futures!.settle;
  const amount = smaller(smaller(wanted, position.autoMargin), spendable(state, account, coin));
  if (amount === 0n) return;
  moveMargin(state, account, instrument, position, amount);
  if (isDue(position)) {
    moveMargin(state, account, instrument, position, -amount);
    return;
  }
  if (position.autoMargin !== AUTO_MARGIN_UNBOUNDED) position.autoMargin -= amount;
  emitMoved(state, account, instrument, position, amount);
}

/** The isolated position that a command names: of its side, or the net one. */
function isolatedOf(
  state: State,
  { uid, instrument: index, posSide }: { uid: number; instrument: number; posSide: PosSide },
): { account: Account; instrument: Instrument; position: Position } | CommandResult {
  const found = futuresOf(state, uid, index);
  if ('rejectReason' in found) return found;
  const { positions } = found.account;
  const position =
    positions.get(positionKey(index, posSide)) ?? positions.get(positionKey(index, PosSide.none));
  if (position === undefined || !position.isolated) return rejected(RejectReason.noPositionToClose);
  return { ...found, position };
}

function emitMoved(
  state: State,
  account: Account,
  instrument: Instrument,
  position: Position,
  amount: bigint,
): void {
  const kind = amount > 0n ? 'marginAdded' : 'marginRemoved';
  const coin = instrument.futures!.settle;
  emitLedgerLine(state, account, Wallet.unified, coin, kind, -amount, String(position.id), { instrument });
}

/** Margin that must stay: initial or maintenance margin at the mark, whichever is larger, plus the unrealised loss. */
function neededMargin(state: State, account: Account, instrument: Instrument, position: Position): bigint {
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const notional = tradeValue(instrument, markTicks(state, instrument), position.lots);
  const initial = divCeil(notional, BigInt(position.long ? longLeverage : shortLeverage));
  const kept = larger(initial, maintenanceAt(instrument, markTicks(state, instrument), position.lots));
  const loss = larger(0n, -unrealisedOf(state, position));
  return inSettleCoin(state, instrument, kept + loss);
}

function moveMargin(
  state: State,
  account: Account,
  instrument: Instrument,
  position: Position,
  amount: bigint,
): void {
  const { ledger } = state;
  const coin = instrument.futures!.settle;
  const cash = ledger.cell(account.index, coin, Bucket.cash);
  const isolated = ledger.cell(account.index, coin, Bucket.isolated);
  if (amount > 0n) ledger.move(cash, isolated, amount);
  else ledger.move(isolated, cash, -amount);
  position.iso += amount;
  position.updatedTime = state.now;
  state.markDirty(account);
}
