/** The margin of isolated positions: added and removed by command, or added automatically (rules 5.3, 5.9). */

import { spendable, withdrawable } from '../margin/available-balance.ts';
import { isUnreliable } from '../margin/collateral.ts';
import { futuresSetting, inSettleCoin, maintenanceAt, markTicks, unrealisedOf } from '../margin/margin.ts';
import type { AdjustMargin, SetAutoMargin } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { PosSide } from '../model/enums.ts';
import { type Instrument, tradeValue } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { MONEY_MAX } from '../model/limits.ts';
import { AUTO_MARGIN_UNBOUNDED, type Position, positionKey } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { divCeil, larger, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { futuresOf } from '../state/futures-lookup.ts';
import { post } from '../state/ledger-postings.ts';
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
  return state.rules.livePrices && isUnreliable(state, state.market(instrument).futures!.index);
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
  const { cash, isolated } = marginCells(state, account, instrument);
  const about = { reference: String(position.id), instrument };
  post(
    state,
    amount > 0n
      ? { from: cash, to: isolated, amount, fromLine: 'marginAdded', ...about }
      : { from: isolated, to: cash, amount: -amount, toLine: 'marginRemoved', ...about },
    'implied',
  );
  position.iso += amount;
  noteChange(state, account, position);
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
  if (isDueWith(state, account, instrument, position, amount, isDue)) {
    noteChange(state, account, position);
    return;
  }
  addMargin(state, account, instrument, position, amount);
  if (position.autoMargin !== AUTO_MARGIN_UNBOUNDED) position.autoMargin -= amount;
}

/** Would the position be due with so much more margin? */
function isDueWith(
  state: State,
  account: Account,
  instrument: Instrument,
  position: Position,
  amount: bigint,
  isDue: (position: Position) => boolean,
): boolean {
  const { cash, isolated } = marginCells(state, account, instrument);
  return state.ledger.withTentativeMove(cash, isolated, amount, () => {
    position.iso += amount;
    const due = isDue(position);
    position.iso -= amount;
    return due;
  });
}

/** The isolated position that a command names: of its side, or the net one. */
export function isolatedOf(
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

/** Margin that must stay: initial or maintenance margin at the mark, whichever is larger, plus the unrealised loss. */
export function neededMargin(
  state: State,
  account: Account,
  instrument: Instrument,
  position: Position,
): bigint {
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const notional = tradeValue(instrument, markTicks(state, instrument), position.lots);
  const initial = divCeil(notional, BigInt(position.long ? longLeverage : shortLeverage));
  const kept = larger(initial, maintenanceAt(instrument, markTicks(state, instrument), position.lots));
  const loss = larger(0n, -unrealisedOf(state, position));
  // Rules 17.3. The conversion rounds down, what is owed is rounded up.
  return state.rules.marginRounding
    ? -inSettleCoin(state, instrument, -(kept + loss))
    : inSettleCoin(state, instrument, kept + loss);
}

/** Where margin comes from and where it stays. */
function marginCells(
  { ledger }: State,
  { index }: Account,
  instrument: Instrument,
): { cash: number; isolated: number } {
  const row = ledger.row(index, instrument.futures!.settle);
  return { cash: row + Bucket.cash, isolated: row + Bucket.isolated };
}

function noteChange(state: State, account: Account, position: Position): void {
  position.updatedTime = state.now;
  state.markDirty(account);
}
