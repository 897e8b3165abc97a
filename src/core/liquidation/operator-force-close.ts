/** Liquidation and deleveraging by command of the operator, so that they can be tried on a demo. */

import { endForcedOrder, forcedOrder } from '../futures/forced-orders.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { closingOrders } from '../futures/reduce-only-orders.ts';
import { queueLots } from '../margin/adl-ranking.ts';
import { markTicks } from '../margin/margin.ts';
import type { ForceClose } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { CancelReason, OrderKind } from '../model/enums.ts';
import type { Position } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { cancelSlot } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import { positionsOf } from '../state/futures-lookup.ts';
import type { State } from '../state/state.ts';
import { deleverage } from './deleveraging.ts';
import { liquidateWholeAccount } from './liquidation.ts';

export function forceClose(state: State, settlement: FuturesSettlement, command: ForceClose): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  if (!command.deleverage) {
    if (account.positions.size === 0) return rejected(RejectReason.noPositionToClose);
    liquidateWholeAccount(state, settlement, account);
    state.markDirty(account);
    return OK;
  }
  const instrument = state.instruments[command.instrument];
  if (instrument?.futures === undefined) return rejected(RejectReason.unknownInstrument);
  const positions = positionsOf(account, instrument).filter((position) => queueLots(account, position) > 0);
  if (positions.length === 0) return rejected(RejectReason.noPositionToClose);
  for (const position of positions) giveUp(state, settlement, account, position);
  return OK;
}

/** The position closes at the mark against the other side's queue, as if a bankrupt account had needed it. */
function giveUp(state: State, settlement: FuturesSettlement, account: Account, position: Position): void {
  const instrument = state.instruments[position.instrument]!;
  // A position of the account's own other side may have taken it already.
  const lots = queueLots(account, position);
  if (lots <= 0) return;
  for (const order of closingOrders(state, account, position.instrument, position.posSide))
    cancelSlot(state, order, CancelReason.adl);
  const slot = forcedOrder(state, account, position, lots, OrderKind.adl);
  deleverage(state, settlement, slot, position, markTicks(state, instrument));
  endForcedOrder(state, slot);
}
