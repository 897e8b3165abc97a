/** Cancelling by id, by client id, by category or symbol, and by countdown (rules 1.13). */

import { NIL } from '../book/order-slab.ts';
import { ANY, type CancelAll, type CancelOrder, type CountdownCancel } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { CancelReason } from '../model/enums.ts';
import { COUNTDOWN_SECONDS_MAX, COUNTDOWN_SECONDS_MIN } from '../model/limits.ts';
import { parseOrderId } from '../model/order-id.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { assert } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import { clientOidOf, finishRestingOrder } from './order-lifecycle.ts';

/** How a command names one of the caller's open orders. */
interface OrderRef {
  readonly orderId: number;
  readonly clientOid: string;
  readonly category: number;
  readonly instrument: number;
}

/** Looks only among the account's own orders: the id of another account is treated as unknown. */
export function findOpenOrder(state: State, account: Account, ref: OrderRef): number {
  const { slab } = state;
  const slot =
    ref.orderId !== 0 ? slab.byId.get(ref.orderId) : findByClientOid(state, account, ref.clientOid);
  if (slot === NIL) return NIL;
  slab.prefetch(slot);
  if (slab.account[slot] !== account.index) return NIL;
  if (ref.instrument !== ANY && slab.instrument[slot] !== ref.instrument) return NIL;
  const category = state.instrumentOf(slot).category;
  if (ref.category !== ANY && category !== ref.category) return NIL;
  return slot;
}

/** The account's open order of that client id; NIL when there is none. */
export function findByClientOid(state: State, account: Account, clientOid: string): number {
  const { slab } = state;
  const slot = slab.clientOids.find(account.index, clientOid, slab.account);
  if (slot !== NIL) return slot;
  // An order without a client id is found by its printed order id.
  const id = parseOrderId(clientOid);
  if (id === undefined) return NIL;
  const byId = slab.byId.get(id);
  const own = byId !== NIL && slab.account[byId] === account.index;
  return own && !slab.clientOids.has(byId) ? byId : NIL;
}

export function cancelOrder(state: State, command: CancelOrder): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const slot = findOpenOrder(state, account, command);
  if (slot === NIL) return rejected(RejectReason.unknownOrder);
  return cancelSlot(state, slot, CancelReason.normal);
}

export function cancelAll(state: State, command: CancelAll): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const items = cancelWhere(state, account, CancelReason.normal, (instrument) => {
    if (command.instrument !== ANY) return instrument === command.instrument;
    return state.instruments[instrument]!.category === command.category;
  });
  return { ...OK, items };
}

/** Cancels matching open orders of an account in ascending order id. */
export function cancelWhere(
  state: State,
  account: Account,
  reason: CancelReason,
  matches: (instrument: number, slot: number) => boolean,
): CommandResult[] {
  const { slab } = state;
  const items: CommandResult[] = [];
  for (let slot = account.firstOrder; slot !== NIL; ) {
    const next = slab.accountNext[slot]!;
    if (matches(slab.instrument[slot]!, slot)) items.push(cancelSlot(state, slot, reason));
    slot = next;
  }
  return items;
}

/**
 * Takes the orders of an account out of the books, where nobody meets them any more. They stay open until they are cancelled
 * (rules 19.4), which takes many times as long. `left` is called with the market of each.
 */
export function pullOrders(state: State, account: Account, left: (market: Market) => void = () => {}): void {
  const { slab } = state;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const market = state.market(state.instrumentOf(slot));
    market.book.remove(slot);
    left(market);
  }
}

export function cancelSlot(state: State, slot: number, reason: CancelReason): CommandResult {
  const { slab } = state;
  const orderId = slab.id[slot]!;
  const clientOid = clientOidOf(state, slot);
  const market = state.market(state.instrumentOf(slot));
  const rested = market.book.remove(slot);
  if (rested) market.changes++;
  else assert(state.pulled.has(slab.account[slot]!), 'I18: an open order is in no book');
  finishRestingOrder(state, slot, reason);
  return { rejectReason: RejectReason.none, orderId, clientOid };
}

export function setCountdown(state: State, command: CountdownCancel): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const { seconds } = command;
  if (seconds !== 0 && (seconds < COUNTDOWN_SECONDS_MIN || seconds > COUNTDOWN_SECONDS_MAX)) {
    return rejected(RejectReason.invalidCountdown);
  }
  account.countdownDeadline = seconds === 0 ? 0 : state.now + seconds * 1000;
  if (seconds === 0) state.countdowns.remove(account.index);
  else state.countdowns.set(account.index, account.countdownDeadline);
  scheduleCountdowns(state);
  return OK;
}

export function scheduleCountdowns(state: State): void {
  const { countdowns } = state;
  const first = countdowns.first();
  state.nextCountdown = first === undefined ? Number.POSITIVE_INFINITY : countdowns.rankOf(first);
}
