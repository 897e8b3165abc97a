/** A pair ends in portions: nothing of it trades from its instant on, its orders go one account after the other (rules 14.1, 14.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalState } from '../../../src/core/snapshot/canonical-state.ts';
import { MARGIN, MarginFloor, SPOT } from '../borrowing/margin-floor.ts';
import { refusalName } from '../dsl/words.ts';
import { assertRestartAnywhere } from '../restart-anywhere.ts';
import { openFloor, type TradingFloor } from '../trading-floor.ts';
import { finishWork, inPortions, nextPortion, setPortion } from './in-portions.ts';

const PEOPLE = ['ann', 'bob', 'cid', 'dan'];

/** Each of them buys twice and sells twice, away from the market; every one has a stop as well. */
function crowdedFloor(portion: number): TradingFloor {
  const floor = inPortions(openFloor(...PEOPLE), portion);
  for (const name of PEOPLE) {
    floor.buy(name, '1', '59000');
    floor.buy(name, '1', '59001');
    floor.sell(name, '1', '61000');
    floor.sell(name, '2', '61001');
  }
  return floor;
}

const openOf = (floor: TradingFloor) => PEOPLE.map((name) => floor.openOrders(name).length);
const freeOf = (floor: TradingFloor) =>
  PEOPLE.map((name) => [floor.cash(name, 'USDT'), floor.cash(name, 'BTC'), floor.locked(name, 'USDT')]);

test('the orders of a pair that ended are cancelled account by account, a portion with each tick', () => {
  const floor = crowdedFloor(3);
  floor.setStatus('offline');
  assert.deepEqual(openOf(floor), [0, 4, 4, 4], 'a portion never leaves an account half done');
  assert.equal(floor.locked('bob', 'USDT'), '118001', 'what waits to be cancelled stays held');
  nextPortion(floor);
  assert.deepEqual(openOf(floor), [0, 0, 4, 4]);
  assert.equal(finishWork(floor), 2);
  assert.deepEqual(openOf(floor), [0, 0, 0, 0]);
});

test('portions come to the balances of one step', () => {
  const [whole, portioned] = [crowdedFloor(1000), crowdedFloor(1)];
  for (const floor of [whole, portioned]) floor.setStatus('offline');
  assert.ok(!whole.exchange.hasOpenWork, 'few orders end at once');
  finishWork(portioned);
  assert.deepEqual(freeOf(portioned), freeOf(whole));
});

test('between the portions nobody trades, modifies or reopens; the owner may cancel', () => {
  const floor = crowdedFloor(1);
  const [newest] = floor.openOrders('dan');
  floor.setStatus('offline');
  assert.equal(floor.sell('ann', '1', '59001').rejectReason, 'instrumentOffline');
  assert.equal(floor.marketSell('ann', '1').rejectReason, 'instrumentOffline');
  const instrument = floor.instrument().index;
  const reopen = { type: 'setInstrumentStatus', time: floor.now, instrument, status: 'online' } as const;
  assert.equal(refusalName(floor.send(reopen).rejectReason), 'instrumentOffline');
  assert.equal(floor.withdraw('bob', '9900000', 'USDT'), 'insufficientBalance');
  assert.equal(floor.cancelNamed('dan', { orderId: newest! }), 'none');
  finishWork(floor);
  assert.deepEqual(openOf(floor), [0, 0, 0, 0]);
  assert.deepEqual(floor.publicFills(), []);
  assert.equal(refusalName(floor.send(reopen).rejectReason), 'none');
  assert.equal(floor.buy('ann', '1', '59000').stands, 'new 0/1');
});

test('an order of an ended SPOT pair is not filled by MARGIN, which shares its book', () => {
  const floor = inPortions(new MarginFloor(), 1);
  for (const name of ['ann', 'bob', 'cid']) floor.trader(name, { USDT: '100000', BTC: '2' });
  floor.sell('ann', '0.1', '60000', SPOT);
  const waiting = floor.sell('bob', '0.1', '60000', SPOT);
  floor.setStatus('offline', 'BTCUSDT', 'SPOT');
  assert.equal(waiting.stands, 'new 0/0.1');
  const late = floor.buy('cid', '0.1', '60000', { ...MARGIN, tif: 'fok' });
  assert.equal(late.stands, 'cancelled 0/0.1 fok_not_full_cancel');
  assert.equal(floor.buy('cid', '0.1', '60000', MARGIN).stands, 'new 0/0.1');
  assert.equal(waiting.stands, 'cancelled 0/0.1 delegated_risk_order_cancel');
  assert.equal(floor.cash('bob', 'BTC'), '2');
});

test('open work is in the snapshot and in the hash: a restart goes on where it was', () => {
  const floor = crowdedFloor(3);
  const before = canonicalState(floor.state);
  floor.setStatus('offline');
  assert.notDeepEqual(canonicalState(floor.state), before);
  const open = { ...floor.state.delistings[0]! };
  assert.equal(floor.state.accounts[open.next]!.uid, floor.uid('bob'));
  floor.restart();
  setPortion(floor, 3);
  assert.deepEqual(floor.state.delistings, [open]);
  nextPortion(floor);
  assert.deepEqual(openOf(floor), [0, 0, 4, 4]);
  const there = canonicalState(floor.state);
  floor.state.delistings[0]!.next++;
  assert.notDeepEqual(canonicalState(floor.state), there, 'how far it has come is part of the hash');
  floor.state.delistings[0]!.next--;
});

test('under the second edition a pair ends in one step', () => {
  const floor = openFloor(...PEOPLE);
  floor.send({ type: 'setEdition', time: floor.now, edition: 2 });
  setPortion(floor, 1);
  for (const name of PEOPLE) floor.buy(name, '1', '59000');
  floor.setStatus('offline');
  assert.deepEqual(openOf(floor), [0, 0, 0, 0]);
});

test('an edition entered from the second changes nothing but the rules', () => {
  const floor = openFloor('ann');
  floor.send({ type: 'setEdition', time: floor.now, edition: 2 });
  floor.buy('ann', '1', '59000');
  floor.send({ type: 'setEdition', time: floor.now, edition: 4 });
  assert.equal(floor.state.rules.portions, true);
  assert.equal(floor.state.rules.fundReach, true);
  assertRestartAnywhere(floor);
});
