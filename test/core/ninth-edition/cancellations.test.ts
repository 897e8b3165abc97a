/** All orders of many accounts are cancelled in portions: countdowns that end together, a freeze of a large party (rules 19.4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkInvariants } from '../../../src/core/engine/invariants.ts';
import { canonicalState } from '../../../src/core/snapshot/canonical-state.ts';
import type { Ticket } from '../dsl/ticket.ts';
import { finishWork, nextPortion, setPortion } from '../fourth-edition/in-portions.ts';
import { FuturesFloor } from '../futures/futures-floor.ts';
import { assertRestartAnywhere } from '../restart-anywhere.ts';
import { protect, when } from '../strategy/strategy-tickets.ts';

const DESKS = ['ann', 'bob', 'cat', 'dan'];
const COUNTDOWN = 'normal_cancel';
const FREEZE = 'delegated_risk_order_cancel';

/** Acme's desks bid with two orders each; zoe is a stranger. */
function deskFloor(edition = 9) {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition });
  for (const name of ['acme', 'zoe']) floor.trader(name, { USDT: '1000000' });
  for (const name of DESKS) floor.trader(name, { USDT: '1000000' }, { master: 'acme' });
  const bids = new Map(
    DESKS.map((name) => [
      name,
      [floor.buy(name, '1', '59000'), floor.buy(name, '1', '58000')] as readonly Ticket[],
    ]),
  );
  return { floor, bids };
}

/** Whose orders are gone, each cancelled for this reason. */
function without(bids: ReadonlyMap<string, readonly Ticket[]>, reason: string): string[] {
  const gone = (ticket: Ticket) => ticket.stands === `cancelled 0/1 ${reason}`;
  return [...bids].filter(([, tickets]) => tickets.every(gone)).map(([name]) => name);
}

/** All countdowns end in one millisecond; the portion has room for one account. */
function expired(edition = 9) {
  const { floor, bids } = deskFloor(edition);
  for (const name of DESKS) floor.countdown(name, 5);
  setPortion(floor, 2);
  floor.wait(5000);
  return { floor, bids, gone: () => without(bids, COUNTDOWN) };
}

test('19.4: the example: countdowns that end together cancel in portions, each account whole', () => {
  const { floor, gone } = expired();
  assert.deepEqual(gone(), ['ann']);
  floor.buy('cat', '1', '57000');
  assert.deepEqual(gone(), ['ann', 'cat'], 'who acts is silent before, and only then');
  assert.equal(floor.openOrders('cat').length, 1);
  nextPortion(floor);
  assert.deepEqual(gone(), ['ann', 'bob', 'cat']);
  nextPortion(floor);
  assert.deepEqual(gone(), DESKS);
  assert.equal(floor.exchange.hasOpenWork, false);
  assert.equal(floor.openOrders('cat').length, 1, 'what came later stays');
});

test('orders that wait for their turn are in no book: they trade with nobody, and nobody sees them', () => {
  const { floor, bids, gone } = expired();
  assert.deepEqual(floor.depth().bids, []);
  const { changes } = floor.state.market(floor.instrument());
  const ask = floor.sell('zoe', '1', '59000', { tif: 'post_only' });
  assert.equal(ask.stands, 'new 0/1');
  for (const name of ['bob', 'cat', 'dan'])
    assert.deepEqual(
      bids.get(name)!.map(({ stands }) => stands),
      ['new 0/1', 'new 0/1'],
      'until their turn they are open',
    );
  finishWork(floor);
  assert.deepEqual(gone(), DESKS);
  assert.equal(floor.openOrders('zoe').length, 1);
  assert.equal(
    floor.state.market(floor.instrument()).changes,
    changes + 1,
    'of the book only the ask is new',
  );
});

test('orders behind those that wait are met as if these were gone, by every kind of order', () => {
  const { floor, gone } = expired();
  floor.trader('eve', { USDT: '1000000' });
  floor.buy('eve', '3', '58500');
  assert.equal(floor.sell('zoe', '4', '58500', { tif: 'fok' }).stands, 'cancelled 0/4 fok_not_full_cancel');
  assert.equal(floor.sell('zoe', '1', '58500', { tif: 'fok' }).stands, 'filled 1/1');
  assert.equal(floor.marketOrder('zoe', 'sell', '1').stands, 'filled 1/1');
  assert.equal(floor.sell('zoe', '1', '58500').stands, 'filled 1/1');
  assert.deepEqual(gone(), ['ann'], 'and none of them is cancelled for it');
});

test('a stop-loss that fires while many orders wait to be cancelled closes its position', () => {
  const { floor } = deskFloor();
  for (const name of DESKS) {
    for (let n = 0; n < 300; n++) floor.buy(name, '0.001', '59500');
    floor.countdown(name, 5);
  }
  floor.trader('eve', { USDT: '1000000' });
  floor.deal('eve', 'zoe', '1', '60000');
  floor.buy('zoe', '2', '58500');
  const stop = protect(floor, 'eve', { stopLoss: { at: '58600', by: 'mark' } });
  floor.wait(4999);
  floor.tell('58550', 'BTCUSDT');
  // The countdowns end with the second that reaches it.
  floor.wait(1);
  assert.equal(floor.openOrders('dan').length, 302);
  assert.equal(stop.stands, 'success stopLoss');
  assert.equal(floor.view('eve'), undefined);
});

test('after a jump of the clock nothing trades that ran out on the way', () => {
  const { floor } = deskFloor();
  const late = floor.buy('zoe', '1', '59500');
  for (const name of DESKS) floor.countdown(name, 5);
  floor.countdown('zoe', 6);
  floor.trader('tom', { USDT: '1000000' });
  setPortion(floor, 2);
  floor.now += 3_600_000;
  const sold = floor.sell('tom', '1', '59500');
  assert.deepEqual([late.stands, sold.stands], ['new 0/1', 'new 0/1']);
  finishWork(floor);
  assert.deepEqual([late.stands, sold.stands], [`cancelled 0/1 ${COUNTDOWN}`, 'new 0/1']);
  assert.deepEqual(floor.executions('zoe'), []);
});

test('a countdown that ends while others wait has its turn behind them, and one that is set anew keeps its orders', () => {
  const { floor, gone } = expired();
  floor.buy('zoe', '1', '50000');
  floor.countdown('zoe', 5);
  floor.countdown('dan', 5);
  assert.deepEqual(gone(), ['ann', 'dan'], 'his countdown had run out before he set it anew');
  const later = floor.buy('dan', '1', '50000');
  floor.now += 5000;
  nextPortion(floor);
  assert.deepEqual(gone(), ['ann', 'bob', 'dan']);
  assert.deepEqual(
    [floor.openOrders('zoe').length, later.stands],
    [1, 'new 0/1'],
    'theirs ended after that of cat',
  );
  finishWork(floor);
  assert.deepEqual([floor.openOrders('zoe').length, later.stands], [0, `cancelled 0/1 ${COUNTDOWN}`]);
  assert.deepEqual(gone(), DESKS);
});

test('a countdown that ends later, when nobody waits any more, ends at its own instant', () => {
  const { floor } = expired();
  floor.buy('zoe', '1', '50000');
  floor.countdown('zoe', 10);
  const end = floor.now + 10_000;
  finishWork(floor);
  floor.wait(60_000);
  assert.equal(floor.eventsOf('order').at(-1)!.order.updatedTime, end);
});

test('before the ninth edition all were cancelled at once', () => {
  assert.deepEqual(expired(8).gone(), DESKS);
  const { floor, bids } = deskFloor(8);
  setPortion(floor, 2);
  floor.send({ type: 'cancelEverything', time: floor.now, uid: floor.uid('acme') });
  assert.deepEqual(without(bids, FREEZE), DESKS);
});

/** Acme is frozen; the portion has room for one account. */
function frozen() {
  const { floor, bids } = deskFloor();
  const own = floor.buy('acme', '1', '59000');
  const [stop] = [when(floor, 'cat', 'buy', '1', '60500', { by: 'market' })];
  floor.deal('dan', 'zoe', '1', '60000');
  const protection = protect(floor, 'dan', { stopLoss: { at: '50000' } });
  setPortion(floor, 2);
  floor.send({ type: 'cancelEverything', time: floor.now, uid: floor.uid('acme') });
  return { floor, bids, own, stop, protection, gone: () => without(bids, FREEZE) };
}

test('19.4: of a frozen account its own orders go at once, those of its sub-accounts in portions', () => {
  const { floor, own, stop, protection, gone } = frozen();
  assert.equal(own.stands, `cancelled 0/1 ${FREEZE}`);
  assert.deepEqual(gone(), []);
  for (let turn = 1; turn <= DESKS.length; turn++) {
    assert.equal(stop.stands, turn <= 3 ? 'pending' : `cancelled ${FREEZE}`);
    nextPortion(floor);
    assert.deepEqual(gone(), DESKS.slice(0, turn));
  }
  assert.equal(floor.exchange.hasOpenWork, false);
  assert.equal(protection.stands, 'pending');
});

test('no strategy order of a frozen account fires while it waits, not even one that is reached', () => {
  const { floor, stop, gone } = frozen();
  floor.trader('eve', { USDT: '1000000' });
  floor.sell('eve', '1', '60500');
  floor.buy('zoe', '1', '60500');
  assert.equal(stop.stands, `cancelled ${FREEZE}`);
  assert.deepEqual(gone(), ['cat']);
  finishWork(floor);
  assert.deepEqual(gone(), DESKS);
});

/** Acme is frozen while each of her desks has a trigger order that the next trade reaches. */
function frozenWithStops() {
  const { floor, bids } = deskFloor();
  for (const name of DESKS) when(floor, name, 'buy', '1', '60500', { by: 'market' });
  setPortion(floor, 2);
  floor.send({ type: 'cancelEverything', time: floor.now, uid: floor.uid('acme') });
  return { floor, bids, gone: () => without(bids, FREEZE) };
}

test('trigger orders of many accounts that wait do not cancel the orders of all of them with one command', () => {
  const { floor, bids, gone } = frozenWithStops();
  floor.trader('eve', { USDT: '1000000' });
  const sold = floor.sell('eve', '1', '60500');
  setPortion(floor, 10);
  floor.buy('zoe', '1', '60500');
  assert.equal(sold.stands, 'filled 1/1');
  // Ann's went with the freeze. Of the others 4 for the turn, and 4 for the account, its two orders and its trigger order.
  assert.deepEqual(gone(), ['ann', 'bob', 'cat']);
  finishWork(floor);
  assert.deepEqual(gone(), DESKS);
  for (const [, [bid]] of bids) assert.equal(bid!.stands, `cancelled 0/1 ${FREEZE}`);
});

test('a strategy order that was cancelled while it waited takes no turn: a snapshot does not have it', () => {
  const { floor } = deskFloor();
  floor.trader('eve', { USDT: '1000000' });
  const stops = ['zoe', 'eve', 'ann'].map((name) =>
    when(floor, name, 'buy', '0.1', '60500', { by: 'market' }),
  );
  floor.trader('tom', { USDT: '1000000' });
  floor.sell('tom', '5', '60500');
  setPortion(floor, 4);
  floor.buy('zoe', '1', '60500');
  const stand = () => stops.map(({ stands }) => stands);
  assert.deepEqual(stand(), ['success', 'pending', 'pending']);
  floor.send({ type: 'cancelEverything', time: floor.now, uid: floor.uid('ann') });
  nextPortion(floor);
  assert.deepEqual(stand(), ['success', 'success', `cancelled ${FREEZE}`]);
  assert.equal(floor.exchange.hasOpenWork, false, 'as after a restart');
});

test('who is frozen while he waits for the end of his countdown keeps his turn, and loses his strategy orders too', () => {
  const { floor, bids } = expired();
  floor.send({ type: 'cancelEverything', time: floor.now, uid: floor.uid('acme') });
  finishWork(floor);
  assert.deepEqual(without(bids, COUNTDOWN), ['ann']);
  assert.deepEqual(without(bids, FREEZE), ['bob', 'cat', 'dan']);
  const ends = floor.eventsOf('order').filter(({ order }) => order.cancelReason !== 0);
  assert.equal(ends.length, 2 * DESKS.length);
});

test('a snapshot between two portions: the restored exchange goes on where it was', () => {
  for (const begin of [expired, frozen]) {
    const [{ floor: unbroken }, { floor: restored }] = [begin(), begin()];
    restored.restart();
    setPortion(restored, 2);
    for (let turn = 0; turn < DESKS.length; turn++) {
      for (const floor of [unbroken, restored]) {
        assert.equal(floor.exchange.hasOpenWork, turn < 3 || begin === frozen);
        nextPortion(floor);
        checkInvariants(floor.state);
      }
      assert.deepEqual(canonicalState(restored.state), canonicalState(unbroken.state));
    }
  }
});

test('with portions of their true size: 300 orders take two, and a restart may come at any time', () => {
  const floor = new FuturesFloor();
  floor.send({ type: 'setEdition', time: floor.now, edition: 9 });
  floor.trader('acme', { USDT: '1000000' });
  const desks = Array.from({ length: 6 }, (_, n) => `desk ${n}`);
  for (const name of desks) {
    floor.trader(name, { USDT: '1000000' }, { master: 'acme' });
    for (let n = 0; n < 50; n++) floor.buy(name, '0.001', '59000');
  }
  floor.send({ type: 'cancelEverything', time: floor.now, uid: floor.uid('acme') });
  const open = () => desks.map((name) => floor.openOrders(name).length);
  assert.deepEqual(open(), [0, 0, 0, 0, 0, 50]);
  nextPortion(floor);
  assert.deepEqual(open(), [0, 0, 0, 0, 0, 0]);
  assertRestartAnywhere(floor);
});
