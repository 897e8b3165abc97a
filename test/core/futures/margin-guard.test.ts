/** What must not get around the margin of a position. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { futuresFloor } from './futures-floor.ts';

test('limit_open lets a position be closed and none be opened', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.mark('60000');
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000');
  floor.setStatus('limit_open', 'BTCUSDT', 'USDT-FUTURES');
  assert.equal(floor.buy('ann', '1', '60000').stands, 'refused openingRestricted');
  assert.equal(floor.sell('ann', '1', '60000', { reduceOnly: true }).stands, 'new 0/1');
});

test('in one-way mode a plain order closes as well, as long as it cannot turn the position (rules 1.3, 1.11)', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  floor.setStatus('limit_open', 'BTCUSDT', 'USDT-FUTURES');
  assert.equal(floor.sell('ann', '1.0001', '60000').stands, 'refused openingRestricted');
  assert.equal(floor.sell('ann', '0.6', '60000').stands, 'new 0/0.6');
  assert.equal(floor.sell('ann', '0.5', '60000').stands, 'refused openingRestricted');
  assert.equal(floor.marketOrder('bob', 'buy', '0.4').stands, 'filled 0.4/0.4');
  assert.equal(floor.position('ann'), 'long 0.6 @ 60000');
  floor.setStatus('limit_close', 'BTCUSDT', 'USDT-FUTURES');
  for (const qty of ['0.4', '2'])
    assert.equal(floor.sell('ann', qty, '60000').stands, 'refused closingRestricted');
  assert.equal(floor.buy('ann', '0.1', '59000').stands, 'new 0/0.1');
});

test('what was let in to close never opens, whatever has become of the position since (rules 1.3)', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.trader('son', { USDT: '20000' }, { master: 'ann' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.setStatus('limit_open', 'BTCUSDT', 'USDT-FUTURES');
  const plain = floor.sell('ann', '0.6', '60000');
  assert.equal(plain.stands, 'new 0/0.6');
  floor.setStatus('online', 'BTCUSDT', 'USDT-FUTURES');
  assert.deepEqual(floor.move('ann', 'ann', 'son', { side: 'sell', qty: '0.9' }), ['none']);
  assert.equal(plain.stands, 'new 0/0.1');
  assert.equal(floor.marketOrder('bob', 'buy', '0.6').stands, 'cancelled 0.1/0.6 ioc_not_full_cancel');
  assert.equal(floor.position('ann'), 'none');
});

test('a position on a stale index keeps itself from liquidation, not the account', () => {
  const floor = futuresFloor('100000', 'bob');
  floor.trader('ann', { USDT: '10000', BTC: '0.01' });
  floor.trader('carl', { USDT: '1000000', BTC: '10' });
  floor.index('60000', 'BTCUSD');
  floor.mark('60000');
  floor.sell('carl', '0.001', '60000', { on: 'BTCUSD' });
  floor.buy('ann', '0.001', '60000', { on: 'BTCUSD' });
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000');
  floor.buy('carl', '2', '49500');
  // Nobody quotes BTCUSD for a quarter of an hour; BTCUSDT falls by a fifth.
  floor.wait(16 * 60_000);
  floor.mark('49600');
  assert.equal(floor.position('ann'), 'none');
  assert.notEqual(floor.position('ann', { on: 'BTCUSD' }), 'none');
});
