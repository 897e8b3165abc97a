/** The auditor must notice: each test tells it a story that is wrong in one place, named by the rule of rules 10.1. */
import { doesNotThrow, throws } from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../../src/core/model/command.ts';
import { OK } from '../../../src/core/model/command-result.ts';
import { CancelReason, OrderStatus, Source, StpMode, TimeInForce } from '../../../src/core/model/enums.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../../src/core/model/ledger-accounts.ts';
import { MARGIN, MarginFloor } from '../borrowing/margin-floor.ts';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { BTC_FUNDED, FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { protect } from '../strategy/strategy-tickets.ts';
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
  auditor.observe(command, OK, floor.events.slice(told).map(tamper));
}

function changing<T extends Event['type']>(
  type: T,
  change: (event: Extract<Event, { type: T }>) => object,
  where: (event: Extract<Event, { type: T }>) => boolean = () => true,
): Tamper {
  return (event) => {
    const own = event as Extract<Event, { type: T }>;
    return event.type === type && where(own) ? { ...event, ...change(own) } : event;
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
  'I17: an order filled more than its fills': [order({ filledLots: 1_000_001 }, OrderStatus.filled), /I17/],
  'I17: a fee that is not the sum of the fills': [order({ fee: 1n }, OrderStatus.filled), /I17/],
  'I18: a filled order with something left': [order({ sizeLots: 2_000_000 }, OrderStatus.filled), /I18/],
  'I18: a partly filled order that says new': [
    order({ status: OrderStatus.new }, OrderStatus.partiallyFilled),
    /I18/,
  ],
  'an order that changes its owner': [order({ uid: 1 }, OrderStatus.cancelled), /became another order/],
  'a price changed by nobody': [
    order({ priceTicks: 1 }, OrderStatus.partiallyFilled),
    /was modified by tick/,
  ],
  'I20: a cancelled order without a reason': [
    order({ cancelReason: CancelReason.none }, OrderStatus.cancelled),
    /I20/,
  ],
  'I20: a reason on an open order': [order({ cancelReason: CancelReason.stp }, OrderStatus.new), /I20/],
  'I21: an ioc order that rests': [order({ timeInForce: TimeInForce.ioc }), /I21/],
  'I21: a post-only taker': [order({ timeInForce: TimeInForce.postOnly }), /I21/],
  'I30: two orders with one id': [order({ orderId: 1 }), /I30/],
  'a fee not due': [fill({ fee: 0n }, true), /fee 0, due/],
  'a value that is not price x quantity': [fill({ value: 1n }, true), /not exact/],
  'I25: two makers': [fill({ maker: true }, false), /I25|fee|disagree/],
  'I25: two buyers': [fill({ side: 0 }, true), /fee|I25/],
  'I22: an RPI fill through the API': [
    (event) =>
      event.type === 'fill'
        ? { ...event, fill: { ...event.fill, rpi: true } }
        : event.type === 'trade'
          ? { ...event, rpi: true }
          : event,
    /I22/,
  ],
  'I25: a public fill at another price': [changing('trade', () => ({ priceTicks: 1 })), /I25/],
  'I30: a trade number that went back': [changing('trade', () => ({ execLinkId: 1 })), /I30|I25/],
  'I02: a line whose balance is not the sum': [changing('ledgerLine', () => ({ balance: 1n })), /I02/],
  'I02: a line with another amount': [
    changing('ledgerLine', (line) => ({ amount: line.amount + 1n })),
    /I02/,
  ],
  'I30: a line number that went back': [changing('ledgerLine', () => ({ lineId: 1 })), /I30/],
  'I38: a candle out of line': [changing('candle', (candle) => ({ openTime: candle.openTime + 1 })), /I38/],
  'I38: a high below the close': [changing('candle', () => ({ highTicks: 1 })), /I38/],
  'I38: a candle that counts too much': [
    changing('candle', (c) => ({ volumeLots: c.volumeLots + 1 })),
    /I38/,
  ],
};

for (const [lie, [tamper, finding]] of Object.entries(LIES)) {
  test(lie, () => throws(() => tell(tamper), finding));
}

test('I19: an order that lives on after its end', () => {
  const story: Event[] = [];
  throws(() => {
    tell((event) => {
      story.push(event);
      const dead = story.find((old) => old.type === 'order' && old.order.status === OrderStatus.filled);
      return event.type === 'candle' && dead !== undefined ? dead : event;
    });
  }, /I19/);
});

test('I23: a self-trade that the taker wanted prevented', () => {
  const floor = openFloor('ann');
  const auditor = new Auditor(floor.state);
  const told = floor.events.length;
  floor.sell('ann', '1', '60000');
  floor.buy('ann', '1', '60000');
  const events = floor.events.slice(told).map(order({ stpMode: StpMode.cancelTaker }));
  throws(() => auditor.observe({ type: 'tick', time: floor.now }, OK, events), /I23/);
});

test('I24: a trade at another price than the maker’s, and one beyond the limit', () => {
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
  auditor.observe({ type: 'tick', time: floor.now }, OK, floor.events.slice(told).map(tamper));
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
  'I27: a close of what is not there': [futuresFill({ closing: true }, { closing: false }), /I27.*closes/],
  'I27: an opening that makes a position smaller': [
    futuresFill({ closing: false, pnl: 0n }, { closing: true }),
    /I27.*opens/,
  ],
  'I27: an order that may only close and opens': [
    changing('order', (event) => ({
      order: { ...event.order, futures: { ...event.order.futures!, reduceOnly: true } },
    })),
    /I27.*may only close/,
  ],
  'I31: funding that stays with nobody': [
    changing('fundingSettled', (event) => ({ toFund: event.toFund + 1n })),
    /I31/,
  ],
  'I31: a fund that pays for funding': [
    changing('fundingSettled', () => ({ toFund: -1n })),
    /I31: the fund paid/,
  ],
};

for (const [lie, [tamper, finding]] of Object.entries(FUTURES_LIES)) {
  test(lie, () => throws(() => tellFutures(tamper), finding));
}

test('I02: money that is inside and came from nobody outside', () => {
  const floor = openFloor('ann');
  const auditor = new Auditor(floor.state);
  const { ledger } = floor.state;
  ledger.move(
    ledger.cell(SystemAccount.external, 0, Bucket.cash),
    ledger.cell(SystemAccount.fee, 0, Bucket.cash),
    1n,
  );
  throws(() => auditor.observe({ type: 'tick', time: floor.now }, OK, []), /I02: coin 0/);
});

/** Ann owes 200 USDT for an hour; what that hour told goes to a fresh auditor. */
function tellInterest(tamper: Tamper): void {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  floor.buy('ann', '0.005', '60000', MARGIN);
  const auditor = new Auditor(floor.state);
  const told = floor.events.length;
  floor.at(OPENING_BELL + 3_600_000);
  auditor.observe({ type: 'tick', time: floor.now }, OK, floor.events.slice(told).map(tamper));
}

const interest = (change: object) =>
  changing(
    'ledgerLine',
    () => change,
    (line) => line.kind === 'interest',
  );

test('I32: interest that the house did not get, and interest off the hour', () => {
  doesNotThrow(() => tellInterest((event) => event));
  const all = 200_000n;
  throws(() => tellInterest(interest({ kind: 'fundingOut' })), /I32: coin 0: 200000 for 0 charged/);
  throws(() => tellInterest(interest({ time: OPENING_BELL + 3_599_999, amount: -all })), /I32: interest of/);
});

test('I33: a partial record of more than the position', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  const auditor = new Auditor(floor.state);
  const told = floor.events.length;
  protect(floor, 'ann', { qty: '1', stopLoss: '58000' });
  const events = floor.events
    .slice(told)
    .map(changing('strategyOrder', ({ order: record }) => ({ order: { ...record, sizeLots: 10_001 } })));
  throws(() => auditor.observe({ type: 'tick', time: floor.now }, OK, events), /I33/);
});

test('I44: a loan that the pool did not have', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  const auditor = new Auditor(floor.state);
  const told = floor.events.length;
  floor.buy('ann', '0.005', '60000', MARGIN);
  const { terms } = floor.state.lending[0]!;
  Object.assign(terms, { poolLimit: 19_999_999_999n });
  const events = floor.events.slice(told);
  throws(() => auditor.observe({ type: 'tick', time: floor.now }, OK, events), /I44/);
});
