/** Each step of a second uses what the steps before it made of the same second (rules 13.11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moneyUnits } from '../dsl/words.ts';
import { ConversionFloor } from './conversion-floor.ts';

test('indices, means, dollar coins, coin prices and marks of one second come from the prices told before it', () => {
  const floor = new ConversionFloor();
  floor.trader('mia', { USDT: '10000000' }, { marketMaker: true });
  floor.btc('60000');
  // Up to the second before a basis sample.
  while (floor.now % 5000 !== 4000) floor.btc('60000');
  floor.buy('mia', '1', '57150');
  floor.sell('mia', '1', '57170');
  floor.btc('54150', '57000');
  assert.equal(floor.now % 5000, 0);
  const index = floor.indexOf('BTCUSDT');
  assert.equal(index.price, moneyUnits('57000'));
  // One second of sixty at 57 000.
  assert.equal(index.highest, moneyUnits('59950'));
  // One of sixty at 0.95; the coin by its own index.
  assert.equal(floor.usd('USDT'), '0.99916667');
  assert.equal(floor.usd('BTC'), '54150.00000000');
  const { mark } = floor.state.market(floor.instrument()).futures!;
  assert.ok(mark.inputs[2] > moneyUnits('57000'), 'the basis was sampled against the index of this second');
});
