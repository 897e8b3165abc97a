/**
 * Messages a second of the order book alone: `Book` and `OrderSlab` with everything on (RPI queues, retail and API
 * takers, self-trade checks), on five shapes of flow. Baselines in the same run: the npm package nodejs-order-book and
 * the naive book of the property tests, both on the beginning of the same flow.
 */
import {
  type LimitOrderOptions,
  OrderBook,
  Side as OtherSide,
  SelfTradePreventionMode,
} from 'nodejs-order-book';
import { OrderType, Side, type StpMode, TimeInForce } from '../src/core/model/enums.ts';
import { NaiveBook } from '../test/property/naive-book.ts';
import { BookDriver } from './book-driver.ts';
import { bookFlow, SHAPES } from './flow.ts';
import { type Flow, MessageKind } from './messages.ts';
import { type Benchmark, best, printTable, rate, ratio, timed } from './report.ts';

const NEW_ORDERS = 1_000_000;
const WARM_UP_ORDERS = 100_000;
const OTHER_MESSAGES = 100_000;
const NAIVE_MESSAGES = 2_000;
const RUNS = 3;
const SEED = 20_240_101;

const STP_MODES = [
  SelfTradePreventionMode.NONE,
  SelfTradePreventionMode.EXPIRE_TAKER,
  SelfTradePreventionMode.EXPIRE_MAKER,
  SelfTradePreventionMode.EXPIRE_BOTH,
];

/** The package does not export its enumeration of these. */
type OtherTimeInForce = NonNullable<LimitOrderOptions['timeInForce']>;
const GTC = 'GTC' as OtherTimeInForce;
const IOC = 'IOC' as OtherTimeInForce;

/** The same flow on the other book; it has no RPI orders (they are post-only there) and takes ids as text. */
function runOther(book: OrderBook, flow: Flow, length: number, ids: readonly string[]): void {
  for (let at = 0; at < length; at++) {
    const kind = flow.kind[at]!;
    const id = ids[flow.order[at]!]!;
    if (kind === MessageKind.cancel) {
      book.cancel(id);
    } else if (kind === MessageKind.move) {
      book.modify(id, { price: flow.priceTicks[at]! });
    } else if (kind === MessageKind.reduce) {
      const order = book.order(id);
      if (order !== undefined && order.size > 1) book.modify(id, { size: order.size - 1 });
    } else {
      book.limit({
        id,
        side: flow.side[at] === Side.buy ? OtherSide.BUY : OtherSide.SELL,
        size: flow.lots[at]!,
        price: flow.priceTicks[at]!,
        timeInForce: kind === MessageKind.ioc ? IOC : GTC,
        postOnly: kind === MessageKind.rpi,
        accountId: ids[flow.party[at]!]!,
        stpMode: STP_MODES[flow.stpMode[at]!]!,
      });
    }
  }
}

function runNaive(book: NaiveBook, flow: Flow, length: number): void {
  for (let at = 0; at < length; at++) {
    const kind = flow.kind[at]!;
    const id = flow.order[at]!;
    if (kind === MessageKind.cancel) {
      book.cancel(id);
    } else if (kind === MessageKind.move || kind === MessageKind.reduce) {
      const order = book.orders.find((resting) => resting.id === id);
      if (order === undefined) continue;
      if (kind === MessageKind.move) book.amend(id, flow.priceTicks[at]!, order.sizeLots);
      else book.amend(id, order.priceTicks, order.sizeLots - 1);
    } else {
      book.place({
        id,
        party: flow.party[at]!,
        side: flow.side[at]! as Side,
        orderType: OrderType.limit,
        timeInForce:
          kind === MessageKind.rpi
            ? TimeInForce.rpi
            : kind === MessageKind.ioc
              ? TimeInForce.ioc
              : TimeInForce.gtc,
        stpMode: flow.stpMode[at]! as StpMode,
        retail: flow.retail[at] === 1,
        priceTicks: flow.priceTicks[at]!,
        sizeLots: flow.lots[at]!,
        filledLots: 0,
        budget: 0,
        prioritySeq: 0,
      });
    }
  }
}

function measure(flow: Flow, ids: readonly string[]): { row: string[]; ours: number } {
  let driver = new BookDriver();
  const seconds = best(RUNS, () => {
    driver = new BookDriver();
    return timed(() => driver.run(flow, flow.length));
  });
  const otherLength = Math.min(OTHER_MESSAGES, flow.length);
  const otherSeconds = best(RUNS, () => timed(() => runOther(new OrderBook(), flow, otherLength, ids)));
  const naiveSeconds = best(RUNS, () =>
    timed(() => runNaive(new NaiveBook(100_000, 99), flow, NAIVE_MESSAGES)),
  );
  const ours = flow.length / seconds;
  const other = otherLength / otherSeconds;
  const naive = NAIVE_MESSAGES / naiveSeconds;
  return {
    ours,
    row: [
      flow.name,
      flow.length.toLocaleString('en-US'),
      driver.trades.toLocaleString('en-US'),
      driver.slab.count.toLocaleString('en-US'),
      rate(flow.length, seconds),
      rate(otherLength, otherSeconds),
      ratio(ours, other),
      rate(NAIVE_MESSAGES, naiveSeconds),
      ratio(ours, naive),
    ],
  };
}

export const book: Benchmark = {
  title: 'Order book: messages a second',
  run() {
    console.log(
      `Each flow: ${NEW_ORDERS.toLocaleString('en-US')} new orders (15 % IOC, 3 % RPI, 20 % retail), 40 % moved, ` +
        `10 % reduced, cancels to keep the depth; 500 parties, every order with a self-trade mode; seed ${SEED}.`,
    );
    console.log(
      `Best of ${RUNS} each. Ours over the whole flow; baselines on its beginning, where books are still small: ` +
        `nodejs-order-book ${OTHER_MESSAGES.toLocaleString('en-US')} messages, naive book ${NAIVE_MESSAGES.toLocaleString('en-US')}.`,
    );
    const ids = Array.from({ length: NEW_ORDERS + 1 }, (_, n) => String(n));
    for (const shape of SHAPES) bookFlow(shape, WARM_UP_ORDERS, SEED + 1);
    const results = SHAPES.map((shape) => measure(bookFlow(shape, NEW_ORDERS, SEED), ids));
    printTable(
      ['flow', 'messages', 'trades', 'resting', 'Bourse', 'nodejs-order-book', '', 'naive', ''],
      results.map(({ row }) => row),
    );
    const worst = results.reduce((a, b) => (a.ours < b.ours ? a : b));
    console.log(`Worst shape: ${worst.row[0]}, ${worst.row[4]}`);
  },
};
