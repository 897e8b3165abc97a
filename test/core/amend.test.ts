/** Modifying orders (rules 1.12). */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { type AmendOrders, ANY } from '../../src/core/model/command.ts';
import { FAILED_AMENDS_REMEMBERED } from '../../src/core/model/limits.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { refusalName } from './dsl/words.ts';
import { openFloor, type TradingFloor } from './trading-floor.ts';

const XAU = { on: 'XAUUSDT' } as const;

/** A buy of 5 @ 100 of which 2 are filled, and a later one of 5 behind it. */
function partlyFilled() {
  const floor = openFloor('ann', 'bob', 'cid');
  const order = floor.buy('ann', '5', '100', XAU);
  const behind = floor.buy('bob', '5', '100', XAU);
  floor.sell('cid', '2', '100', XAU);
  return { floor, order, behind };
}

test('case 58: 5 to 3 with 2 filled leaves 1 in the same place of the queue', () => {
  const { floor, order, behind } = partlyFilled();
  equal(floor.amend('ann', order, { qty: '3' }), 'none');
  equal(order.stands, 'partially_filled 2/3');
  equal(floor.locked('ann', 'USDT'), '100');
  floor.sell('cid', '2', '100', XAU);
  equal(order.stands, 'filled 3/3');
  equal(behind.stands, 'partially_filled 1/5');
});

test('case 59: 5 to 2 with 2 filled is filled', () => {
  const { floor, order } = partlyFilled();
  equal(floor.amend('ann', order, { qty: '2' }), 'none');
  equal(order.stands, 'filled 2/2');
  equal(floor.locked('ann', 'USDT'), '0');
  deepEqual(floor.depth('XAUUSDT').bids, ['5 @ 100']);
});

test('case 60: 5 to 1 with 2 filled fails and changes nothing', () => {
  const { floor, order } = partlyFilled();
  equal(floor.amend('ann', order, { qty: '1' }), 'sizeBelowFilled');
  equal(order.stands, 'partially_filled 2/5');
});

test('case 61: the same with autoCancel cancels the rest', () => {
  const { floor, order } = partlyFilled();
  equal(floor.amend('ann', order, { qty: '1', autoCancel: true }), 'sizeBelowFilled');
  equal(order.stands, 'cancelled 2/5 modify_limit_order');
  equal(floor.locked('ann', 'USDT'), '0');
});

test('case 62: a price amended to cross takes as taker, keeps its id and pays the taker fee', () => {
  const floor = openFloor('ann', 'bob');
  floor.setFees('ann', '0.0002', '0.001', 'XAUUSDT');
  floor.sell('bob', '1', '100', XAU);
  const order = floor.buy('ann', '3', '99', XAU);
  const { createdTime } = order.record;
  floor.wait(1000);
  equal(floor.amend('ann', order, { price: '100.5' }), 'none');
  deepEqual(order.fills, ['1 @ 100 taker']);
  equal(order.stands, 'partially_filled 1/3');
  equal(order.price, '100.5');
  equal(order.fee, '0.001');
  equal(order.record.createdTime, createdTime);
  equal(order.record.updatedTime, createdTime + 1000);
  // 2 left at 100.5; the first was paid 100, not 100.5.
  equal(floor.locked('ann', 'USDT'), '201');
  equal(floor.cash('ann', 'USDT'), '9999699');
});

test('case 63: nothing changed is a failure', () => {
  const { floor, order } = partlyFilled();
  equal(floor.amend('ann', order, { price: '100', qty: '5' }), 'nothingToAmend');
  equal(floor.amend('ann', order, {}), 'nothingToAmend');
});

test('case 65: a batch with one order twice is refused whole, also under its client id', () => {
  const floor = openFloor('ann');
  const one = floor.buy('ann', '1', '100', { ...XAU, clientOid: 'mine' });
  const two = floor.buy('ann', '1', '100', XAU);
  const outcome = floor.sendAmend('ann', [
    [two, { qty: '2' }],
    [one, { qty: '2' }],
    [two, { qty: '3' }],
  ]);
  equal(outcome.rejectReason, RejectReason.duplicateInBatch);
  deepEqual([one.stands, two.stands], ['new 0/1', 'new 0/1']);

  const twoNames: AmendOrders = {
    type: 'amendOrders',
    time: floor.now,
    uid: floor.uid('ann'),
    source: 0,
    items: [
      { ...blank, orderId: one.orderId, sizeLots: 200 },
      { ...blank, clientOid: 'mine', sizeLots: 300 },
    ],
  };
  equal(floor.send(twoNames).rejectReason, RejectReason.duplicateInBatch);
  equal(one.stands, 'new 0/1');
});

const blank = {
  orderId: 0,
  clientOid: '',
  category: ANY,
  instrument: ANY,
  priceTicks: 0,
  sizeLots: 0,
  autoCancel: false,
  outstanding: 0,
} as const;

test('case 66: 21 items are refused whole, 20 are carried out', () => {
  const floor = openFloor('ann');
  const orders = Array.from({ length: 21 }, () => floor.buy('ann', '1', '100', XAU));
  const command = (count: number): AmendOrders => ({
    type: 'amendOrders',
    time: floor.now,
    uid: floor.uid('ann'),
    source: 0,
    items: orders.slice(0, count).map(({ orderId }) => ({ ...blank, orderId, sizeLots: 200 })),
  });
  equal(floor.exchange.apply(command(21)).rejectReason, RejectReason.duplicateInBatch);
  deepEqual(floor.exchange.takeEvents(), []);
  throws(() => encodeCommand(command(21)), /21 items in a batch/);
  equal(floor.send(command(20)).items!.length, 20);
  deepEqual([orders[19]!.stands, orders[20]!.stands], ['new 0/2', 'new 0/1']);
});

test('case 67: a modification with five outstanding before it is refused; the fifth is not', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '100', XAU);
  for (let outstanding = 0; outstanding < 5; outstanding++) {
    equal(floor.amend('ann', order, { qty: String(outstanding + 2), outstanding }), 'none');
  }
  const [sixth] = floor.sendAmend('ann', [[order, { qty: '9', outstanding: 5 }]]).items!;
  equal(refusalName(sixth!.rejectReason), 'tooManyOutstandingAmends');
  equal(sixth!.bound, 5);
  equal(order.stands, 'new 0/6');
});

test('case 68: after the second of three fails with autoCancel the third is told so', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '100', XAU);
  equal(floor.amend('ann', order, { qty: '2' }), 'none');
  equal(floor.amend('ann', order, { price: '105.1', autoCancel: true, outstanding: 1 }), 'buyAboveBand');
  equal(order.stands, 'cancelled 0/2 modify_limit_order');
  equal(floor.amend('ann', order, { qty: '3', outstanding: 2 }), 'amendAfterFailure');
});

test('case 68: also when the third names the order by its client id', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '100', { ...XAU, clientOid: 'mine' });
  floor.amend('ann', order, { price: '105.1', autoCancel: true });
  equal(amendByClientOid(floor, 'ann', 'mine'), 'amendAfterFailure');
});

test('a stranger who names an order that failed hears nothing of it', () => {
  const floor = openFloor('ann', 'bob');
  const order = floor.buy('ann', '1', '100', XAU);
  floor.amend('ann', order, { price: '105.1', autoCancel: true });
  equal(floor.amend('bob', order, { qty: '3' }), 'unknownOrder');
});

function amendByClientOid(floor: TradingFloor, name: string, clientOid: string) {
  const { items } = floor.send({
    type: 'amendOrders',
    time: floor.now,
    uid: floor.uid(name),
    source: 0,
    items: [{ ...blank, clientOid, sizeLots: 300 }],
  });
  return refusalName(items![0]!.rejectReason);
}

test('the memory of failed modifications is bounded: the oldest is forgotten first', () => {
  const floor = openFloor('ann');
  const first = floor.buy('ann', '1', '100', XAU);
  const failing = { price: '105.1', autoCancel: true } as const;
  floor.amend('ann', first, failing);
  for (let n = 1; n < FAILED_AMENDS_REMEMBERED; n++) {
    floor.amend('ann', floor.buy('ann', '1', '100', XAU), failing);
  }
  equal(floor.amend('ann', first, { qty: '2' }), 'amendAfterFailure');
  floor.amend('ann', floor.buy('ann', '1', '100', XAU), failing);
  equal(floor.amend('ann', first, { qty: '2' }), 'unknownOrder');
});

test('a larger quantity loses the place', () => {
  const floor = openFloor('ann', 'bob', 'cid');
  const order = floor.buy('ann', '5', '100', XAU);
  const behind = floor.buy('bob', '5', '100', XAU);
  equal(floor.amend('ann', order, { qty: '6' }), 'none');
  floor.sell('cid', '5', '100', XAU);
  deepEqual([order.stands, behind.stands], ['new 0/6', 'filled 5/5']);
});

for (const price of ['99.9', '100.1']) {
  test(`a price amended to ${price} and back loses the place`, () => {
    const floor = openFloor('ann', 'bob', 'cid');
    const order = floor.buy('ann', '5', '100', XAU);
    const behind = floor.buy('bob', '5', '100', XAU);
    floor.amend('ann', order, { price });
    floor.amend('ann', order, { price: '100' });
    floor.sell('cid', '5', '100', XAU);
    deepEqual([order.stands, behind.stands], ['new 0/5', 'filled 5/5']);
  });
}

test('less quantity at another price loses the place too', () => {
  const floor = openFloor('ann', 'bob', 'cid');
  const behind = floor.buy('bob', '5', '99', XAU);
  const order = floor.buy('ann', '5', '100', XAU);
  floor.amend('ann', order, { price: '99', qty: '1' });
  floor.sell('cid', '5', '99', XAU);
  deepEqual([order.stands, behind.stands], ['new 0/1', 'filled 5/5']);
});

test('an order of another account, a closed one and an unknown one are all not found', () => {
  const floor = openFloor('ann', 'bob');
  const order = floor.buy('ann', '1', '100', XAU);
  equal(floor.amend('bob', order, { qty: '2' }), 'unknownOrder');
  floor.cancel('ann', order);
  equal(floor.amend('ann', order, { qty: '2' }), 'unknownOrder');
});

test('a post-only order whose new price crosses fails and stays, with autoCancel it goes', () => {
  const floor = openFloor('ann', 'bob');
  floor.sell('bob', '1', '100', XAU);
  const order = floor.buy('ann', '1', '99', { ...XAU, tif: 'post_only' });
  equal(floor.amend('ann', order, { price: '100' }), 'amendWouldTake');
  equal(order.stands, 'new 0/1');
  equal(floor.amend('ann', order, { price: '99.9' }), 'none');
  equal(floor.amend('ann', order, { price: '100', autoCancel: true }), 'amendWouldTake');
  equal(order.stands, 'cancelled 0/1 modify_limit_order');
});

test('only the difference must be paid, and freed money is free at once', () => {
  const floor = openFloor('bob');
  floor.trader('ann', { USDT: '500' });
  const order = floor.buy('ann', '4', '100', XAU);
  equal(floor.amend('ann', order, { qty: '5' }), 'none');
  equal(floor.cash('ann', 'USDT'), '0');
  const [failed] = floor.sendAmend('ann', [[order, { qty: '5.01' }]]).items!;
  equal(refusalName(failed!.rejectReason), 'insufficientBalance');
  equal(failed!.available, 0n);
  equal(floor.amend('ann', order, { price: '90', qty: '5.5' }), 'none');
  equal(floor.locked('ann', 'USDT'), '495');
  equal(floor.cash('ann', 'USDT'), '5');
});

test('an amended order passes the checks of grid, minimum and amount again', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '100', XAU);
  equal(floor.amend('ann', order, { price: '99.95' }), 'priceOffTick');
  equal(floor.amend('ann', order, { qty: '1.005' }), 'sizeOffStep');
  equal(floor.amend('ann', order, { qty: '0.01', price: '99' }), 'belowMinimumAmount');
  equal(order.stands, 'new 0/1');
});

test('an amended price that meets the own order obeys the stp mode of the amended order', () => {
  const floor = openFloor('ann');
  const sell = floor.sell('ann', '1', '100', XAU);
  const buy = floor.buy('ann', '1', '99', { ...XAU, stp: 'cancel_taker' });
  equal(floor.amend('ann', buy, { price: '100' }), 'none');
  equal(buy.stands, 'cancelled 0/1 stp_cancel');
  equal(sell.stands, 'new 0/1');
});

test('one item of a batch may fail while the others are carried out', () => {
  const floor = openFloor('ann');
  const one = floor.buy('ann', '1', '100', XAU);
  const two = floor.buy('ann', '1', '100', XAU);
  const answers = floor.amendBatch('ann', [
    [one, { price: '106' }],
    [two, { qty: '2' }],
  ]);
  deepEqual(answers, ['buyAboveBand', 'none']);
  deepEqual([one.stands, two.stands], ['new 0/1', 'new 0/2']);
});

test('the items of a batch are carried out in their order', () => {
  const floor = openFloor('ann', 'bob');
  const bid = floor.buy('ann', '1', '99', XAU);
  const lower = floor.buy('ann', '1', '98', XAU);
  floor.sell('bob', '1', '100', XAU);
  deepEqual(
    floor.amendBatch('ann', [
      [lower, { price: '100' }],
      [bid, { price: '100' }],
    ]),
    ['none', 'none'],
  );
  deepEqual([lower.stands, bid.stands], ['filled 1/1', 'new 0/1']);
});
