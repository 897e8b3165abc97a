/** Rejections of amendments (rules 1.12) and of countdowns. */
import { NIL } from '../book/order-slab.ts';
import { Side, TIME_IN_FORCE_NAMES } from '../model/enums.ts';
import { BATCH_ITEMS_MAX, OUTSTANDING_AMENDS_MAX } from '../model/limits.ts';
import { formatOrderId } from '../model/order-id.ts';
import type { Facts } from './figures.ts';
import { boundQty, price, qty, rejection } from './rejection.ts';
import type { Subject } from './subject.ts';

/** How a command names an order. */
export function named({ command, result }: Subject): Facts {
  const given = command.type === 'amendOrders' ? result : command;
  const { orderId = 0, clientOid = '' } = given as { orderId?: number; clientOid?: string };
  return {
    ...(orderId !== 0 && { orderId: formatOrderId(orderId) }),
    ...(clientOid !== '' && { clientOid }),
  };
}

/** The order as it rests, for amendments. */
function resting(s: Subject): Facts {
  const { state, slot } = s;
  if (slot === NIL) return {};
  const { slab } = state;
  return {
    price: price(s, slab.price[slot]!),
    qty: qty(s, slab.size[slot]!),
    filled: qty(s, slab.filled(slot)),
    timeInForce: TIME_IN_FORCE_NAMES[slab.timeInForce[slot]!]!,
  };
}

/** The nearest price at which a maker-only order would not trade. */
function restingPrice(s: Subject): string {
  const { state, instrument, order } = s;
  if (instrument === undefined || order === undefined) return '';
  const buying = order.side === Side.buy;
  const best = state.market(instrument).book.bestTicks(buying ? Side.sell : Side.buy, true);
  return buying
    ? `at most ${price(s, best - instrument.tickStep)}`
    : `at least ${price(s, best + instrument.tickStep)}`;
}

export const REJECTED_AMENDS = {
  nothingToAmend: rejection(
    'something changes',
    'rules 1.12',
    resting,
    'another price or quantity, or another take-profit or stop-loss',
  ),
  notAmendable: rejection(
    'the order can be modified',
    'rules 1.12',
    resting,
    'no reduce-only order',
    'a cancel and a new order',
  ),
  sizeBelowFilled: rejection(
    'the quantity is not below the filled one',
    'rules 1.12',
    (s) => ({ ...resting(s), asked: qty(s, s.order?.sizeLots ?? 0) }),
    (s) => `at least ${boundQty(s)}`,
  ),
  tooManyOutstandingAmends: rejection(
    'few modifications of the order are under way',
    'rules 1.12',
    ({ command, result }) => ({
      outstanding: String(
        command.type === 'amendOrders'
          ? (command.items.find(
              ({ orderId, clientOid }) => orderId === result.orderId || clientOid === result.clientOid,
            )?.outstanding ?? 0)
          : 0,
      ),
    }),
    `fewer than ${OUTSTANDING_AMENDS_MAX}`,
    'the same when the answers to the earlier ones have come',
  ),
  amendAfterFailure: rejection(
    'no earlier modification has cancelled the order',
    'rules 1.12',
    named,
    'an open order of the account',
    'a new order',
  ),
  amendWouldTake: rejection(
    'a maker-only order would not trade',
    'rules 1.12',
    (s) => ({ ...resting(s), asked: price(s, s.order?.priceTicks ?? 0) }),
    restingPrice,
  ),
  duplicateInBatch: rejection(
    'every order is named once',
    'rules 1.12',
    ({ command }) => ({ items: String(command.type === 'amendOrders' ? command.items.length : 0) }),
    `at most ${BATCH_ITEMS_MAX} items, each of another order`,
  ),
  invalidCountdown: rejection(
    'the countdown is in range',
    'rules 1.13',
    ({ command }) => ({ seconds: String(command.type === 'countdownCancel' ? command.seconds : 0) }),
    '0, or 5 to 60 seconds',
  ),
} as const;
