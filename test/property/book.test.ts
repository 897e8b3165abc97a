/**
 * The fast book inside the real exchange against the naive one: the same trades, the same end of every order and the
 * same queues after every message of random flows.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { ANY, type Command } from '../../src/core/model/command.ts';
import {
  CancelReason,
  OrderStatus,
  OrderType,
  Side,
  Source,
  StpMode,
  TimeInForce,
} from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { MATCHES_PER_ORDER_MAX_BEFORE } from '../../src/core/model/limits.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import {
  NaiveBook,
  type NaiveEnd,
  type NaiveOrder,
  type NaiveRefusal,
  type NaiveResult,
} from './naive-book.ts';
import { Seeds } from './seeds.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from './venue.ts';

const RUNS = new Seeds({ all: 150, few: 40 });
const OPENING_TICKS = 100;
const BAND_PERCENT = 5;
const VALUE_OF_TICK_LOT = 10n ** 8n;
const PLENTY = 10n ** 18n;

/** Accounts 1, 2 and 3 are one party; 4 may place RPI orders, and so may 3. */
const PARTY_OF = new Map([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 4],
  [5, 5],
]);
const MARKET_MAKERS = [3, 4];

interface Placing {
  readonly kind: 'place';
  readonly uid: number;
  readonly side: Side;
  readonly shape: 'limit' | 'market' | 'rpi';
  readonly timeInForce: TimeInForce;
  readonly stpMode: StpMode;
  readonly retail: boolean;
  readonly priceTicks: number;
  readonly lots: number;
  readonly budget: number;
}
interface Cancelling {
  readonly kind: 'cancel';
  readonly pick: number;
}
interface Amending {
  readonly kind: 'amend';
  readonly pick: number;
  /** 0 keeps the price. */
  readonly priceTicks: number;
  /** 0 keeps the size; else what would remain, and so may be what is filled already. */
  readonly lots: number;
}
type Message = Placing | Cancelling | Amending;

const priceTicks = fc.integer({ min: 95, max: 105 });
const lots = fc.integer({ min: 1, max: 6 });

const placing: fc.Arbitrary<Placing> = fc.record({
  kind: fc.constant('place' as const),
  uid: fc.constantFrom(...PARTY_OF.keys()),
  side: fc.constantFrom(Side.buy, Side.sell),
  shape: fc.constantFrom('limit', 'limit', 'limit', 'limit', 'market', 'rpi', 'rpi'),
  timeInForce: fc.constantFrom(
    TimeInForce.gtc,
    TimeInForce.gtc,
    TimeInForce.gtc,
    TimeInForce.ioc,
    TimeInForce.fok,
    TimeInForce.postOnly,
  ),
  stpMode: fc.constantFrom(StpMode.none, StpMode.cancelTaker, StpMode.cancelMaker, StpMode.cancelBoth),
  retail: fc.boolean(),
  priceTicks,
  lots,
  budget: fc.integer({ min: 50, max: 1500 }),
});
const cancelling: fc.Arbitrary<Cancelling> = fc.record({ kind: fc.constant('cancel'), pick: fc.nat(1000) });
const amending: fc.Arbitrary<Amending> = fc.record({
  kind: fc.constant('amend'),
  pick: fc.nat(1000),
  priceTicks: fc.oneof(fc.constant(0), priceTicks),
  lots: fc.oneof(fc.constant(0), lots),
});
const flow: fc.Arbitrary<Message[]> = fc.array(
  fc.oneof(
    { arbitrary: placing, weight: 6 },
    { arbitrary: cancelling, weight: 1 },
    { arbitrary: amending, weight: 3 },
  ),
  { minLength: 1, maxLength: 240, size: 'max' },
);

/** Both books, fed with the same messages. */
class Pair {
  readonly exchange = new Exchange();
  readonly naive = new NaiveBook(OPENING_TICKS, BAND_PERCENT);

  constructor() {
    this.apply(coin('BASE'));
    this.apply(coin('QUOTE'));
    this.apply(spotPair('BASE', 'QUOTE', { openingPrice: String(OPENING_TICKS) }));
    for (const [uid, party] of PARTY_OF) {
      this.apply(account(uid, uid === party ? 0 : party, MARKET_MAKERS.includes(uid)));
      for (const coinIndex of [0, 1]) this.apply(deposit(uid, coinIndex, PLENTY));
    }
  }

  /** How the order of the message ended in the exchange. */
  send(message: Message): NaiveEnd | undefined {
    const end =
      message.kind === 'place'
        ? this.place(message)
        : message.kind === 'cancel'
          ? this.cancel(message)
          : this.amend(message);
    this.compareQueues();
    return end;
  }

  private apply(command: Command): { rejectReason: RejectReason; orderId: number; events: readonly Event[] } {
    const outcome = this.exchange.apply(command);
    const inner = outcome.items?.[0] ?? outcome;
    return { rejectReason: inner.rejectReason, orderId: inner.orderId, events: this.exchange.takeEvents() };
  }

  private place(message: Placing): NaiveEnd | undefined {
    const isRpi = message.shape === 'rpi';
    const orderType = message.shape === 'market' ? OrderType.market : OrderType.limit;
    const byAmount = orderType === OrderType.market && message.side === Side.buy;
    const uid = isRpi ? MARKET_MAKERS[message.uid % MARKET_MAKERS.length]! : message.uid;
    const timeInForce = isRpi
      ? TimeInForce.rpi
      : orderType === OrderType.market
        ? TimeInForce.gtc
        : message.timeInForce;
    const retail = message.retail && !isRpi;
    const price = orderType === OrderType.market ? 0 : message.priceTicks;
    const sizeLots = byAmount ? 0 : message.lots;
    const { side, stpMode } = message;
    const real = this.apply(
      order({
        uid,
        side,
        orderType,
        timeInForce,
        stpMode,
        source: retail ? Source.retail : Source.api,
        priceTicks: price,
        sizeLots,
        quoteAmount: byAmount ? BigInt(message.budget) * VALUE_OF_TICK_LOT : 0n,
      }),
    );
    const naive = this.naive.place({
      id: real.orderId,
      party: PARTY_OF.get(uid)!,
      side,
      orderType,
      timeInForce,
      stpMode,
      retail,
      priceTicks: price,
      sizeLots,
      filledLots: 0,
      budget: byAmount ? message.budget : 0,
      prioritySeq: 0,
    });
    return this.compare(real, naive);
  }

  private cancel({ pick }: Cancelling): undefined {
    const { id, uid } = this.pick(pick);
    const real = this.apply({
      type: 'cancelOrder',
      time: OPENING_TIME,
      uid,
      orderId: id,
      clientOid: '',
      category: ANY,
      instrument: ANY,
    });
    assert.equal(real.rejectReason === RejectReason.none, this.naive.cancel(id));
  }

  private amend(message: Amending): NaiveEnd | undefined {
    const { id, uid, resting } = this.pick(message.pick);
    const sizeLots = message.lots === 0 ? 0 : (resting?.filledLots ?? 0) + message.lots - 1;
    const item = {
      orderId: id,
      clientOid: '',
      category: ANY,
      instrument: ANY,
      priceTicks: message.priceTicks,
      sizeLots,
      autoCancel: false,
      outstanding: 0,
    } as const;
    const real = this.apply({
      type: 'amendOrders',
      time: OPENING_TIME,
      uid,
      source: Source.api,
      items: [item],
    });
    const naive = this.naive.amend(
      id,
      message.priceTicks === 0 ? (resting?.priceTicks ?? 0) : message.priceTicks,
      sizeLots === 0 ? (resting?.sizeLots ?? 0) : sizeLots,
    );
    return this.compare(real, naive);
  }

  /** Some resting order, or an order that does not exist. */
  private pick(pick: number): { id: number; uid: number; resting: NaiveOrder | undefined } {
    const { orders } = this.naive;
    const resting = orders[pick % (orders.length + 1)];
    if (resting === undefined) return { id: 999_999_999, uid: 1, resting };
    const { slab, accounts } = this.exchange.state;
    return { id: resting.id, uid: accounts[slab.account[slab.byId.get(resting.id)]!]!.uid, resting };
  }

  private compare(
    real: { rejectReason: RejectReason; orderId: number; events: readonly Event[] },
    naive: NaiveResult | NaiveRefusal,
  ): NaiveEnd | undefined {
    if (typeof naive === 'string') {
      assert.ok(
        REFUSALS[naive].includes(real.rejectReason),
        `naive refuses (${naive}), real answers ${real.rejectReason}`,
      );
      assert.deepEqual(real.events, []);
      return undefined;
    }
    assert.equal(real.rejectReason, RejectReason.none);
    assert.deepEqual(tradesOf(real.events), naive.trades);
    assert.deepEqual(makersCancelled(real.events, real.orderId), naive.makersCancelled);
    const end = endOf(real.events, real.orderId);
    assert.deepEqual(end, naive.end);
    return end;
  }

  private compareQueues(): void {
    const { slab, markets } = this.exchange.state;
    for (const side of [Side.buy, Side.sell]) {
      const real: number[][] = [];
      markets[0]!.book.eachOrder(side, (slot) => {
        real.push([slab.id[slot]!, slab.price[slot]!, slab.size[slot]!, slab.remaining[slot]!]);
      });
      const naive = this.naive
        .queue(side)
        .map(({ id, priceTicks, sizeLots, filledLots }) => [id, priceTicks, sizeLots, sizeLots - filledLots]);
      assert.deepEqual(real, naive);
    }
  }
}

const REFUSALS: Record<NaiveRefusal, readonly RejectReason[]> = {
  unknown: [RejectReason.unknownOrder],
  nothing: [RejectReason.nothingToAmend],
  belowFilled: [RejectReason.sizeBelowFilled],
  band: [RejectReason.buyAboveBand, RejectReason.sellBelowBand],
  wouldTake: [RejectReason.amendWouldTake],
};

function tradesOf(events: readonly Event[]): unknown[] {
  return events.flatMap((event) => {
    if (event.type !== 'fill' || !event.fill.maker) return [];
    const { orderId, priceTicks, sizeLots } = event.fill;
    return [{ makerId: orderId, priceTicks, lots: sizeLots }];
  });
}

function makersCancelled(events: readonly Event[], takerId: number): number[] {
  return events.flatMap((event) =>
    event.type === 'order' && event.order.orderId !== takerId && event.order.cancelReason === CancelReason.stp
      ? [event.order.orderId]
      : [],
  );
}

/** The last record of the order. */
function endOf(events: readonly Event[], orderId: number): NaiveEnd | undefined {
  const last = events.findLast((event) => event.type === 'order' && event.order.orderId === orderId);
  if (last?.type !== 'order') return undefined;
  const { status, cancelReason, filledLots } = last.order;
  return { status, reason: cancelReason, filledLots };
}

test('random flows give the same trades, ends and queues as the naive book', () => {
  fc.assert(
    fc.property(flow, (messages) => {
      const pair = new Pair();
      for (const message of messages) pair.send(message);
      checkInvariants(pair.exchange.state);
    }),
    { numRuns: RUNS.count },
  );
});

const SELL: Placing = {
  kind: 'place',
  uid: 4,
  side: Side.sell,
  shape: 'limit',
  timeInForce: TimeInForce.gtc,
  stpMode: StpMode.none,
  retail: false,
  priceTicks: 100,
  lots: 1,
  budget: 0,
};

test('the order that would trade more than the limit of fills is cut at the same maker', () => {
  const pair = new Pair();
  for (let n = 0; n <= MATCHES_PER_ORDER_MAX_BEFORE; n++) pair.send({ ...SELL, uid: [1, 4, 5][n % 3]! });
  pair.send({ ...SELL, uid: 2, side: Side.buy, lots: MATCHES_PER_ORDER_MAX_BEFORE + 1 });
  assert.equal(pair.naive.orders.length, 1);
  assert.equal(pair.exchange.state.slab.count, 1);
});

test('a market buy that spends its amount to the last unit is filled even when it empties the book', () => {
  const pair = new Pair();
  pair.send(SELL);
  const end = pair.send({ ...SELL, uid: 5, side: Side.buy, shape: 'market', budget: 100 });
  assert.deepEqual(end, { status: OrderStatus.filled, reason: CancelReason.none, filledLots: 1 });
});

test('an API market order that meets only RPI orders beyond its band found an empty book', () => {
  const pair = new Pair();
  pair.send({ ...SELL, shape: 'rpi', priceTicks: 106 });
  const end = pair.send({ ...SELL, uid: 5, side: Side.buy, shape: 'market', budget: 100 });
  assert.deepEqual(end, { status: OrderStatus.cancelled, reason: CancelReason.iocNotFull, filledLots: 0 });
});
