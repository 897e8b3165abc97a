/** The auditor must notice: each test tells it a story that is wrong in one place. */
import { doesNotThrow, throws } from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../../src/core/command.ts';
import type { Event } from '../../../src/core/event.ts';
import { DONE } from '../../../src/core/outcome.ts';
import { CancelReason, OrderStatus, Source, StpMode, TimeInForce } from '../../../src/core/terms.ts';
import { BTC_FUNDED, FuturesFloor } from '../futures/futures-floor.ts';
import { openFloor } from '../trading-floor.ts';
import { Auditor } from './auditor.ts';

type Tamper = (event: Event) => Event;

/** Plays one trade for real, then tells it to a fresh auditor with every event passed through `tamper`. */
function tell(tamper: Tamper): void {
  const floor = openFloor('ann', 'bob');
  const auditor = new Auditor(floor.state);
  floor.wait(60_000);
  const told = floor.events.length;
  floor.sell('ann', '2', '60000');
  floor.buy('bob', '1', '60000');
  floor.cancelAll('ann');
  floor.wait(61_000);
  const command: Command = { type: 'tick', time: floor.now };
  auditor.observe(command, DONE, floor.events.slice(told).map(tamper));
}

function changing<T extends Event['type']>(
  type: T,
  change: (event: Extract<Event, { type: T }>) => object,
  where: (event: Extract<Event, { type: T }>) => boolean = () => true,
): Tamper {
  return (event) => {
    const own = event as Extract<Event, { type: T }>;
    return event.type === type && where(own) ? ({ ...event, ...change(own) } as Event) : event;
  };
}

const order = (change: object, where?: OrderStatus) =>
  changing(
    'order',
    (event) => ({ order: { ...event.order, ...change } }),
    (event) => where === undefined || event.order.status === where,
  );
const fill = (change: object, maker: boolean) =>
  changing(
    'fill',
    (event) => ({ fill: { ...event.fill, ...change } }),
    (event) => event.fill.maker === maker,
  );

test('the true story passes', () => {
  doesNotThrow(() => tell((event) => event));
});

const LIES: Record<string, readonly [Tamper, RegExp]> = {
  'an order filled more than its fills': [order({ filledLots: 1_000_001 }, OrderStatus.filled), /I17/],
  'a fee that is not the sum of the fills': [order({ fee: 1n }, OrderStatus.filled), /I17/],
  'a filled order with something left': [order({ sizeLots: 2_000_000 }, OrderStatus.filled), /I18/],
  'a partly filled order that says new': [
    order({ status: OrderStatus.new }, OrderStatus.partiallyFilled),
    /I18/,
  ],
  'an order that changes its owner': [order({ uid: 1 }, OrderStatus.cancelled), /became another order/],
  'a price changed by nobody': [
    order({ priceTicks: 1 }, OrderStatus.partiallyFilled),
    /was modified by tick/,
  ],
  'a cancelled order without a reason': [
    order({ cancelReason: CancelReason.none }, OrderStatus.cancelled),
    /I20/,
  ],
  'a reason on an open order': [order({ cancelReason: CancelReason.stp }, OrderStatus.new), /I20/],
  'an ioc order that rests': [order({ timeInForce: TimeInForce.ioc }), /I21/],
  'a post-only taker': [order({ timeInForce: TimeInForce.postOnly }), /I21/],
  'two orders with one id': [order({ orderId: 1 }), /I30/],
  'a fee not due': [fill({ fee: 0n }, true), /fee 0, due/],
  'a value that is not price x quantity': [fill({ value: 1n }, true), /not exact/],
  'two makers': [fill({ maker: true }, false), /I25|fee|disagree/],
  'two buyers': [fill({ side: 0 }, true), /fee|I25/],
  'an RPI fill through the API': [
    (event) =>
      event.type === 'fill'
        ? { ...event, fill: { ...event.fill, rpi: true } }
        : event.type === 'trade'
          ? { ...event, rpi: true }
          : event,
    /I22/,
  ],
  'a public fill at another price': [changing('trade', () => ({ priceTicks: 1 })), /I25/],
  'a trade number that went back': [changing('trade', () => ({ execLinkId: 1 })), /I30|I25/],
  'a line whose balance is not the sum': [changing('ledgerLine', () => ({ balance: 1n })), /I02/],
  'a line with another amount': [changing('ledgerLine', (line) => ({ amount: line.amount + 1n })), /I02/],
  'a line number that went back': [changing('ledgerLine', () => ({ lineId: 1 })), /I30/],
  'a candle out of line': [changing('candle', (candle) => ({ openTime: candle.openTime + 1 })), /I38/],
  'a high below the close': [changing('candle', () => ({ highTicks: 1 })), /I38/],
  'a candle that counts too much': [changing('candle', (c) => ({ volumeLots: c.volumeLots + 1 })), /I38/],
};

for (const [lie, [tamper, finding]] of Object.entries(LIES)) {
  test(`it notices ${lie}`, () => throws(() => tell(tamper), finding));
}

test('it notices an order that lives on after its end', () => {
  const story: Event[] = [];
  throws(() => {
    tell((event) => {
      story.push(event);
      const dead = story.find((old) => old.type === 'order' && old.order.status === OrderStatus.filled);
      return event.type === 'candle' && dead !== undefined ? dead : event;
    });
  }, /I19/);
});

test('it notices a self-trade that the taker wanted prevented', () => {
  const floor = openFloor('ann');
  const auditor = new Auditor(floor.state);
  const told = floor.events.length;
  floor.sell('ann', '1', '60000');
  floor.buy('ann', '1', '60000');
  const events = floor.events.slice(told).map(order({ stpMode: StpMode.cancelTaker }));
  throws(() => auditor.observe({ type: 'tick', time: floor.now }, DONE, events), /I23/);
});

test('it notices a trade at another price than the maker’s, and one beyond the limit', () => {
  for (const priceTicks of [5_999_900, 6_000_100]) {
    throws(() => tell(order({ priceTicks, source: Source.api })), /I24/);
  }
});

/** A long that pays funding and is closed in part, told to a fresh auditor. */
function tellFutures(tamper: Tamper): void {
  const floor = new FuturesFloor(BTC_FUNDED);
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  const auditor = new Auditor(floor.state);
  const told = floor.events.length;
  floor.deal('ann', 'bob', '1', '60000');
  floor.at(floor.now + 8 * 3_600_000);
  floor.buy('bob', '0.4', '60000');
  floor.sell('ann', '0.4', '60000', { reduceOnly: true });
  auditor.observe({ type: 'tick', time: floor.now }, DONE, floor.events.slice(told).map(tamper));
}

const futuresFill = (change: object, where: { closing: boolean }) =>
  changing(
    'fill',
    (event) => ({ fill: { ...event.fill, futures: { ...event.fill.futures, ...change } } }),
    (event) => event.fill.futures!.closing === where.closing,
  );

test('the true story of a position passes', () => {
  doesNotThrow(() => tellFutures((event) => event));
});

const FUTURES_LIES: Record<string, readonly [Tamper, RegExp]> = {
  'a close of what is not there': [futuresFill({ closing: true }, { closing: false }), /I27.*closes/],
  'an opening that makes a position smaller': [
    futuresFill({ closing: false, pnl: 0n }, { closing: true }),
    /I27.*opens/,
  ],
  'an order that may only close and opens': [
    changing('order', (event) => ({
      order: { ...event.order, futures: { ...event.order.futures!, reduceOnly: true } },
    })),
    /I27.*may only close/,
  ],
  'funding that stays with nobody': [
    changing('fundingSettled', (event) => ({ toFund: event.toFund + 1n })),
    /I31/,
  ],
  'a fund that pays for funding': [changing('fundingSettled', () => ({ toFund: -1n })), /I31: the fund paid/],
};

for (const [lie, [tamper, finding]] of Object.entries(FUTURES_LIES)) {
  test(`it notices ${lie}`, () => throws(() => tellFutures(tamper), finding));
}
