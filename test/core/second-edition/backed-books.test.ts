/** Only orders of backed accounts speak for the mark (rules 13.4). Every command is followed by `checkInvariants`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moneyUnits } from '../dsl/words.ts';
import { DELIVERY_TIME, PERPETUAL, PriceFloor } from './price-floor.ts';

const RICH = { USDT: '10000000', BTC: '1000' };
const MINUTES_5 = 300;

/** A floor with a maker that quotes 60 060 / 60 072 for more than the impact value. */
function made(on = 'BTCUSDT') {
  const floor = new PriceFloor();
  floor.index('60000', 'BTCUSD');
  floor.trader('mia', RICH, { marketMaker: true });
  for (const name of ['sam', 'tom']) floor.trader(name, RICH);
  floor.buy('mia', '1', '60060', { on });
  floor.sell('mia', '1', '60072', { on });
  return floor;
}

const basisOf = (floor: PriceFloor, on = 'BTCUSDT') => {
  const { mark, index } = floor.state.market(floor.instrument(on)).futures!;
  return Number(mark.inputs[2] - index.price) / 1e8;
};

test('R4: the example of rules 13.4', () => {
  const floor = made();
  floor.seconds(MINUTES_5 + 5);
  assert.equal(floor.markOf(), '60066');
  // A stranger in front of it on both sides: still +66.
  floor.buy('sam', '1', '60061');
  floor.sell('sam', '1', '60062');
  floor.seconds(5);
  assert.equal(basisOf(floor), 66);
  // The maker leaves for a minute, then for good.
  floor.cancelAll('mia', { category: 'USDT-FUTURES' });
  floor.seconds(60);
  assert.equal(floor.markOf(), '60052.8');
  floor.seconds(MINUTES_5 - 60);
  assert.equal(floor.markOf(), '60000');
});

test('R4 (a): orders of strangers in front of the maker do not lead the mark, nor silence the maker', () => {
  const floor = made();
  floor.seconds(MINUTES_5 + 5);
  assert.equal(basisOf(floor), 66);
  floor.buy('sam', '1', '60066');
  floor.sell('tom', '1', '60067');
  floor.sell('tom', '5', '60200');
  floor.seconds(MINUTES_5 + 5);
  assert.equal(basisOf(floor), 66);
  assert.equal(floor.markOf(), '60066');
});

test('R4 (a): impact prices go by the depth of the maker, without its RPI orders', () => {
  const floor = made();
  // 25 000 at 60 060 and 60 072 are there; RPI orders nearer to the index do not count.
  floor.sell('mia', '1', '60061', { tif: 'rpi' });
  floor.seconds(MINUTES_5 + 5);
  assert.equal(basisOf(floor), 66);
});

test('R4 (a): a house account is backed, and who is no longer a market maker is not', () => {
  const floor = new PriceFloor();
  floor.trader('desk', RICH, { house: true });
  floor.trader('mia', RICH, { marketMaker: true });
  floor.buy('desk', '1', '60100');
  floor.sell('mia', '1', '60120');
  floor.seconds(MINUTES_5 + 5);
  assert.equal(basisOf(floor), 110);
  const [uid, time] = [floor.uid('mia'), floor.now];
  floor.send({ type: 'setMarketMaker', time, uid, marketMaker: false });
  floor.seconds(MINUTES_5);
  assert.equal(basisOf(floor), 0);
});

test('R4 (a): quotes more than 1 % of the index apart are none', () => {
  const floor = new PriceFloor();
  floor.trader('mia', RICH, { marketMaker: true });
  floor.buy('mia', '1', '60000');
  const ask = floor.sell('mia', '1', '60600');
  floor.seconds(MINUTES_5 + 5);
  assert.equal(basisOf(floor), 300);
  floor.amend('mia', ask, { price: '60600.1' });
  floor.seconds(MINUTES_5);
  assert.equal(basisOf(floor), 0);
});

test('R4 (b): a maker that leaves a perpetual takes its basis along; samples are 0, not repetitions', () => {
  const floor = made();
  floor.seconds(MINUTES_5 + 5);
  floor.cancelAll('mia', { category: 'USDT-FUTURES' });
  floor.seconds(60);
  assert.equal(basisOf(floor), 52.8);
  assert.equal(floor.markOf(), '60052.8');
  floor.seconds(240);
  assert.equal(floor.markOf(), '60000');
});

test('R4 (b): the basis of a delivery contract is carry: it shrinks with the time that is left', () => {
  const on = 'BTCUSDH26';
  const floor = made(on);
  const mark = () => Number(floor.markOf(on));
  floor.seconds(MINUTES_5 + 5, '60000', 'BTCUSD');
  assert.equal(mark(), 60_066);
  floor.cancelAll('mia', { category: 'COIN-FUTURES' });
  // The last sample of the maker was taken with this much left; now half of it is.
  const then = Math.floor(floor.now / 5000) * 5000;
  const middle = Math.floor((DELIVERY_TIME - (DELIVERY_TIME - then) / 2) / 5000) * 5000;
  floor.at(middle - 305_000);
  floor.seconds(306, '60000', 'BTCUSD');
  assert.equal(mark(), 60_033);
});

test('R4 (c): the last trade counts from a tenth of the impact value on, and for a minute', () => {
  const floor = new PriceFloor();
  for (const name of ['sam', 'tom']) floor.trader(name, RICH);
  const last = () => Number(floor.state.market(floor.instrument()).futures!.mark.inputs[0]) / 1e8;
  // 2 500 USDT are a tenth of 25 000.
  floor.deal('sam', 'tom', '0.04', '62000');
  floor.seconds(1);
  assert.equal(last(), 60_000);
  floor.deal('sam', 'tom', '0.05', '62000');
  floor.seconds(1);
  assert.equal(last(), 62_000);
  floor.seconds(58);
  assert.equal(last(), 62_000);
  floor.seconds(1);
  assert.equal(last(), 60_000);
});

test('R4 (d): samples of seconds that nobody saw go by the book as it stands', () => {
  const floor = made();
  floor.seconds(5);
  floor.cancelAll('mia', { category: 'USDT-FUTURES' });
  floor.wait(150_000);
  // One sample of the maker, thirty or thirty-one made up.
  assert.ok(basisOf(floor) > 0 && basisOf(floor) < 3, String(basisOf(floor)));
  floor.wait(160_000);
  assert.equal(basisOf(floor), 0);
});

test('R4 (d): a venue without backed accounts has marks at the index', () => {
  const floor = new PriceFloor();
  for (const name of ['sam', 'tom']) floor.trader(name, RICH);
  floor.buy('sam', '5', '62000');
  floor.sell('tom', '5', '62001');
  floor.seconds(MINUTES_5 + 5);
  assert.equal(floor.markOf(), '60000');
});

test('R4: samples and the last sizable trade survive a restart', () => {
  const floor = made('BTCUSDH26');
  floor.seconds(20, '60000', 'BTCUSD');
  floor.deal('sam', 'tom', '0.05', '60010');
  const before = floor.image();
  floor.restart();
  assert.deepEqual(floor.image(), before);
});

/** In a deserted book a stranger is short; the thieves quote and print a price, and wait below or above. */
function theft(without: readonly 'backedBooks'[]) {
  const floor = new PriceFloor(PERPETUAL, without);
  floor.insure('1000000');
  floor.trader('lou', { USDT: '400000' });
  floor.trader('sue', { USDT: '15500' });
  for (const name of ['max', 'moe']) floor.trader(name, { USDT: '400000' });
  floor.leverage('sue', 20);
  floor.deal('lou', 'sue', '5', '60000');
  // Two lonely orders, one print between them, and the ask that waits for the stranger.
  floor.buy('max', '0.001', '62940');
  floor.sell('moe', '0.001', '62960');
  floor.deal('max', 'moe', '0.001', '62950');
  floor.sell('moe', '5', '62990');
  floor.seconds(MINUTES_5);
  const liquidated = floor.position('sue') === 'none';
  const gain = floor.worth('max', '60000') + floor.worth('moe', '60000') - moneyUnits('800000');
  return { gain, liquidated };
}

test('R4: two lonely orders and a print liquidate a stranger into the own ask; with the rule they do nothing', () => {
  const old = theft(['backedBooks']);
  assert.ok(old.liquidated);
  assert.ok(old.gain > moneyUnits('10000'), `${old.gain}`);
  const now = theft([]);
  assert.ok(!now.liquidated);
  assert.ok(now.gain <= 0n, `${now.gain}`);
});
