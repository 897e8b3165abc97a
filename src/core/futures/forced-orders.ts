/** Market orders that the exchange places for an account: liquidation, deleveraging, delivery, position moves. */

import { FLAG_CLOSING, FLAG_FORCED, FLAG_ISOLATED, FLAG_LONG, FLAG_SHORT } from '../book/order-slab.ts';
import {
  CancelReason,
  type OrderKind,
  OrderType,
  PosSide,
  Side,
  StpMode,
  TimeInForce,
} from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Position } from '../model/position.ts';
import { finishRestingOrder, register } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Instrument, direction and size of an order to make. */
interface Ticket {
  readonly instrument: Instrument;
  readonly side: Side;
  readonly posSide: PosSide;
  readonly isolated: boolean;
  readonly lots: number;
}

/** A market order that closes lots of a position; it never rests. */
export function forcedOrder(
  state: State,
  account: Account,
  position: Position,
  lots: number,
  kind: OrderKind,
): number {
  const { posSide, isolated, long } = position;
  const instrument = state.instruments[position.instrument]!;
  const ticket = { instrument, side: long ? Side.sell : Side.buy, posSide, isolated, lots };
  return marketOrder(state, account, ticket, FLAG_CLOSING | FLAG_FORCED, kind);
}

/** A market order that first closes the opposite position and opens the rest; it never rests. */
export function takingOrder(state: State, account: Account, ticket: Ticket, kind: OrderKind): number {
  return marketOrder(state, account, ticket, 0, kind);
}

function marketOrder(
  state: State,
  account: Account,
  { instrument, side, posSide, isolated, lots }: Ticket,
  flags: number,
  kind: OrderKind,
): number {
  const { slab } = state;
  const slot = slab.allocate(state.nextId());
  const sideFlag = posSide === PosSide.long ? FLAG_LONG : posSide === PosSide.short ? FLAG_SHORT : 0;
  slab.account[slot] = account.index;
  slab.party[slot] = account.party;
  slab.instrument[slot] = instrument.index;
  slab.side[slot] = side;
  slab.orderType[slot] = OrderType.market;
  slab.timeInForce[slot] = TimeInForce.gtc;
  slab.stpMode[slot] = StpMode.none;
  slab.flags[slot] = flags | sideFlag | (isolated ? FLAG_ISOLATED : 0);
  slab.price[slot] = 0;
  slab.size[slot] = lots;
  slab.remaining[slot] = lots;
  slab.prioritySeq[slot] = ++state.lastPriority;
  slab.createdTime[slot] = state.now;
  slab.updatedTime[slot] = state.now;
  slab.kinds.set(slot, kind);
  register(state, account, instrument, slot);
  state.digest.fold(slab.id[slot]!);
  return slot;
}

/** Closes a forced order: filled, or cancelled with its unfilled rest. */
export function endForcedOrder(state: State, slot: number): void {
  const done = state.slab.remaining[slot] === 0;
  finishRestingOrder(state, slot, done ? CancelReason.none : CancelReason.burst);
}
