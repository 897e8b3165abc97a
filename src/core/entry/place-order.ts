/**
 * Placing an order: all checks in the order of rules 1.2, then the lock, the match and the time-in-force rule.
 * A refused order leaves no record and no id.
 */

import { FLAG_RETAIL, FLAG_RPI, NIL } from '../book/order-slab.ts';
import { holdForOrder } from '../futures/futures-amend.ts';
import { cancelDisplaced, planFuturesOrder } from '../futures/futures-entry.ts';
import { checkSpending } from '../margin/spending-check.ts';
import type { PlaceOrder } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { CancelReason, OrderType, Side, Source, TimeInForce } from '../model/enums.ts';
import { baseUnits, type Instrument, tradeValue } from '../model/instrument.ts';
import { SIZE_LOTS_MAX } from '../model/limits.ts';
import { formatOrderId } from '../model/order-id.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { isEmpty } from '../model/tpsl.ts';
import { openMarginLock } from '../orders/margin-order-hold.ts';
import { clientOidOf, close, lock, lockedCoin, register } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { Market, State } from '../state/state.ts';
import { fittingPreset } from '../strategy/tpsl-checks.ts';
import { execute, type Settlements } from './execution.ts';
import { asReduceOnly, checkOrder, checkTpsl, isQuoteSized, type TriggeredBy } from './pre-trade-checks.ts';

export function placeOrder(
  state: State,
  settlements: Settlements,
  command: PlaceOrder,
  child?: TriggeredBy,
): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const instrument = state.instruments[command.instrument];
  if (instrument === undefined) return rejected(RejectReason.unknownInstrument);
  const market = state.market(instrument);
  const rejectReason = checkOrder(state, account, instrument, market, command, child);
  if (rejectReason !== undefined) return rejectReason;
  return instrument.futures === undefined
    ? placeSpot(state, settlements, account, instrument, market, command, child)
    : placeFutures(state, settlements, account, instrument, market, command, child);
}

function placeSpot(
  state: State,
  settlements: Settlements,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  child: TriggeredBy | undefined,
): CommandResult {
  const byAmount = isQuoteSized(instrument, command);
  const need = byAmount
    ? command.quoteAmount
    : command.side === Side.buy
      ? tradeValue(instrument, command.priceTicks, command.sizeLots)
      : baseUnits(instrument, command.sizeLots);
  const coin = lockedCoin(instrument, command.side);
  const { side, priceTicks: limitTicks } = command;
  const rejectReason =
    checkTpsl(state, account, instrument, market, command) ??
    checkSpending(state, account, { instrument, side, limitTicks, need, slot: NIL });
  if (rejectReason !== undefined) return rejectReason;

  const size = byAmount ? SIZE_LOTS_MAX : command.sizeLots;
  const slot = accept(state, account, instrument, command, size, 0, child);
  const budget = byAmount ? command.quoteAmount : 0n;
  if (command.late) return expireLate(state, slot, budget);
  if (instrument.margin === undefined) lock(state, account.index, coin, need);
  else {
    account.mayOwe = true;
    openMarginLock(state, slot, coin, need);
  }
  return run(state, settlements, instrument, market, slot, budget);
}

function placeFutures(
  state: State,
  settlements: Settlements,
  account: Account,
  instrument: Instrument,
  market: Market,
  given: PlaceOrder,
  child: TriggeredBy | undefined,
): CommandResult {
  const command = asReduceOnly(account, instrument, given);
  const precedence = child?.takesPrecedence ?? false;
  const attached = checkTpsl(state, account, instrument, market, command);
  const plan = planFuturesOrder(state, account, instrument, market, command, { precedence, attached });
  if ('rejectReason' in plan) return plan;
  if (command.late)
    return expireLate(state, accept(state, account, instrument, command, plan.lots, plan.flags, child), 0n);
  account.mayOwe = true;
  cancelDisplaced(state, plan, precedence ? CancelReason.tpslPlan : CancelReason.normal);
  const slot = accept(state, account, instrument, command, plan.lots, plan.flags, child);
  if (plan.isolatedLock > 0n) holdForOrder(state, account, instrument, slot, plan.isolatedLock);
  return run(state, settlements, instrument, market, slot, 0n);
}

function run(
  state: State,
  settlements: Settlements,
  instrument: Instrument,
  market: Market,
  slot: number,
  budget: bigint,
): CommandResult {
  const orderId = state.slab.id[slot]!;
  const clientOid = clientOidOf(state, slot);
  execute(state, settlements, instrument, market, slot, budget);
  return { rejectReason: RejectReason.none, orderId, clientOid };
}

/** It holds nothing yet, has moved nothing aside, and leaves only its record. */
function expireLate(state: State, slot: number, budget: bigint): CommandResult {
  const outcome = {
    rejectReason: RejectReason.none,
    orderId: state.slab.id[slot]!,
    clientOid: clientOidOf(state, slot),
  };
  close(state, slot, CancelReason.receiveWindow, budget);
  return outcome;
}

/** The next id whose printed form the account has not taken for a client id of its own. */
function newOrderId(state: State, account: Account, command: PlaceOrder): number {
  let id = state.nextId();
  if (command.clientOid !== '' || account.clientOids.size === 0) return id;
  while (account.clientOids.has(formatOrderId(id))) id = state.nextId();
  return id;
}

function accept(
  state: State,
  account: Account,
  instrument: Instrument,
  command: PlaceOrder,
  size: number,
  flags: number,
  child: TriggeredBy | undefined,
): number {
  const { slab } = state;
  const slot = slab.allocate(newOrderId(state, account, command));
  slab.account[slot] = account.index;
  slab.party[slot] = account.party;
  slab.instrument[slot] = instrument.index;
  slab.side[slot] = command.side;
  slab.orderType[slot] = command.orderType;
  slab.timeInForce[slot] = command.orderType === OrderType.market ? TimeInForce.gtc : command.timeInForce;
  slab.stpMode[slot] = command.stpMode;
  slab.flags[slot] =
    flags |
    (command.timeInForce === TimeInForce.rpi ? FLAG_RPI : 0) |
    (command.source === Source.retail ? FLAG_RETAIL : 0);
  slab.price[slot] = command.priceTicks;
  slab.size[slot] = size;
  slab.remaining[slot] = size;
  slab.prioritySeq[slot] = ++state.lastPriority;
  slab.createdTime[slot] = state.now;
  slab.updatedTime[slot] = state.now;
  if (command.clientOid !== '') slab.clientOids.set(slot, command.clientOid);
  if (child !== undefined) slab.origins.set(slot, child.origin);
  if (command.preset !== undefined && !isEmpty(command.preset))
    slab.presets.set(slot, { preset: fittingPreset(instrument, command.preset), strategyId: 0 });
  register(state, account, instrument, slot);
  state.digest.fold(slab.id[slot]!);
  return slot;
}
