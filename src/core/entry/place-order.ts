/**
 * Placing an order: all checks in the order of rules 1.2, then the hold, the match and the time-in-force rule.
 * A rejected order leaves no record and uses no id.
 */

import { FLAG_RETAIL, FLAG_RPI, NIL } from '../book/order-slab.ts';
import { holdForOrder } from '../futures/futures-amend.ts';
import { cancelDisplaced, planFuturesOrder } from '../futures/futures-entry.ts';
import { checkSpending } from '../margin/spending-check.ts';
import type { PlaceOrder } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { CancelReason, OrderType, Source, TimeInForce } from '../model/enums.ts';
import { payableAmount } from '../model/instrument.ts';
import { SIZE_LOTS_MAX } from '../model/limits.ts';
import { formatOrderId } from '../model/order-id.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { isEmpty } from '../model/tpsl.ts';
import { openMarginHold } from '../orders/margin-order-hold.ts';
import type { OrderContext } from '../orders/order-context.ts';
import { clientOidOf, finishOrder, heldCoin, hold, register } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import type { TriggeredBy } from '../state/strategy-order.ts';
import { normalisedPreset } from '../strategy/tpsl-checks.ts';
import { type EntryContext, execute, type Settlements } from './execution.ts';
import { asReduceOnly, checkOrder, checkTpsl, isQuoteSized } from './pre-trade-checks.ts';

export function placeOrder(
  state: State,
  settlements: Settlements,
  command: PlaceOrder,
  triggeredBy?: TriggeredBy,
): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const instrument = state.instruments[command.instrument];
  if (instrument === undefined) return rejected(RejectReason.unknownInstrument);
  const context = { state, account, instrument, market: state.market(instrument), settlements };
  if (state.tracer !== undefined) state.tracer.onOrder(account, instrument, command, triggeredBy);
  const rejection = checkOrder(context, command, triggeredBy);
  if (rejection !== undefined) return rejection;
  return instrument.futures === undefined
    ? placeSpot(context, command, triggeredBy)
    : placeFutures(context, command, triggeredBy);
}

function placeSpot(
  context: EntryContext,
  command: PlaceOrder,
  triggeredBy: TriggeredBy | undefined,
): CommandResult {
  const { state, account, instrument } = context;
  const quoteSized = isQuoteSized(instrument, command);
  const { side, priceTicks: limitTicks } = command;
  const need = quoteSized
    ? command.quoteAmount
    : payableAmount(instrument, side, limitTicks, command.sizeLots);
  const coin = heldCoin(instrument, side);
  const rejection =
    checkTpsl(context, command) ?? checkSpending(state, account, instrument, side, limitTicks, need, NIL);
  if (rejection !== undefined) return rejection;

  const size = quoteSized ? SIZE_LOTS_MAX : command.sizeLots;
  const slot = allocate(context, command, size, 0, triggeredBy);
  const budget = quoteSized ? command.quoteAmount : 0n;
  if (command.expired) return cancelExpired(state, slot, budget);
  if (instrument.margin === undefined) hold(state, account.index, coin, need);
  else {
    account.cashCanBeNegative = true;
    openMarginHold(state, slot, coin, BigInt(need));
  }
  return match(context, slot, budget);
}

function placeFutures(
  context: EntryContext,
  given: PlaceOrder,
  triggeredBy: TriggeredBy | undefined,
): CommandResult {
  const { state, account, instrument } = context;
  const command = asReduceOnly(account, instrument, given);
  const precedence = triggeredBy?.takesPrecedence ?? false;
  const attached = checkTpsl(context, command);
  const plan = planFuturesOrder(context, command, { precedence, attached });
  if ('rejectReason' in plan) return plan;
  if (command.expired)
    return cancelExpired(state, allocate(context, command, plan.lots, plan.flags, triggeredBy), 0n);
  account.cashCanBeNegative = true;
  cancelDisplaced(state, plan, precedence ? CancelReason.tpslPlan : CancelReason.normal);
  const slot = allocate(context, command, plan.lots, plan.flags, triggeredBy);
  if (plan.isolatedHold > 0n) holdForOrder(context, slot, plan.isolatedHold);
  return match(context, slot, 0n);
}

function match(context: EntryContext, slot: number, budget: bigint): CommandResult {
  const { state } = context;
  const orderId = state.slab.id[slot]!;
  const clientOid = clientOidOf(state, slot);
  execute(context, slot, budget);
  return { rejectReason: RejectReason.none, orderId, clientOid };
}

/** An order that arrived after its receive window: holds nothing, displaces no order, and is recorded as cancelled. */
function cancelExpired(state: State, slot: number, budget: bigint): CommandResult {
  const result = {
    rejectReason: RejectReason.none,
    orderId: state.slab.id[slot]!,
    clientOid: clientOidOf(state, slot),
  };
  finishOrder(state, slot, CancelReason.receiveWindow, budget);
  return result;
}

/** The next id whose printed form is not a client id of the account. */
function newOrderId(state: State, account: Account, command: PlaceOrder): number {
  let id = state.nextId();
  const { clientOids, account: owners } = state.slab;
  if (command.clientOid !== '' || clientOids.size === 0) return id;
  while (clientOids.find(account.index, formatOrderId(id), owners) !== NIL) id = state.nextId();
  return id;
}

/** Allocates the order; returns its slot. */
function allocate(
  { state, account, instrument }: OrderContext,
  command: PlaceOrder,
  size: number,
  flags: number,
  triggeredBy: TriggeredBy | undefined,
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
  if (command.clientOid !== '') slab.clientOids.set(slot, account.index, command.clientOid);
  if (triggeredBy !== undefined) slab.origins.set(slot, triggeredBy.origin);
  if (command.preset !== undefined && !isEmpty(command.preset))
    slab.presets.set(slot, { preset: normalisedPreset(instrument, command.preset), strategyId: 0 });
  register(state, account, instrument, slot);
  state.digest.fold(slab.id[slot]!);
  return slot;
}
