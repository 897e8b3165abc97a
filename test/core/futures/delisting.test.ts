/** A contract that is switched off keeps nobody in it (rules 1.3, I42). Every command is followed by `checkInvariants`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { futuresFloor } from './futures-floor.ts';

const PERPETUAL = ['BTCUSDT', 'USDT-FUTURES'] as const;

test('positions of a contract that goes offline close at the mark without a fee', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  const waiting = floor.buy('ann', '1', '59000');
  floor.mark('61000');
  const before = floor.cash('ann', 'USDT');
  floor.setStatus('offline', ...PERPETUAL);
  assert.equal(waiting.stands, 'cancelled 0/1 delegated_risk_order_cancel');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.position('bob'), 'none');
  assert.equal(floor.executions('ann').at(-1), 'delisting close 1 @ 61000 fee 0 pnl 1000');
  assert.equal(floor.executions('bob').at(-1), 'delisting close 1 @ 61000 fee 0 pnl -1000');
  assert.equal(Number(floor.cash('ann', 'USDT')) - Number(before), 1000);
  assert.equal(floor.house('sys:clearing', 'USDT'), '0');
  assert.equal(floor.publicFills().length, 1, 'nobody traded');
});

test('an isolated position that a delisting leaves short is paid by the fund, then by those who won', () => {
  const floor = futuresFloor('100000', 'bob');
  floor.trader('ann', { USDT: '700' });
  floor.isolate('ann');
  floor.leverage('ann', 100);
  floor.deal('ann', 'bob', '1', '60000');
  floor.insure('100');
  // The index is stale, so nobody has been liquidated on the way down.
  floor.mark('59700');
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 600');
  floor.setStatus('offline', ...PERPETUAL);
  // 600 less the loss of 300, and the fund has not been needed.
  assert.equal(floor.cash('ann', 'USDT'), '364');
  assert.equal(floor.insurance(), '100');
});

test('a contract that is online again begins empty', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  floor.setStatus('offline', ...PERPETUAL);
  assert.equal(floor.buy('ann', '1', '60000').rejectReason, 'instrumentOffline');
  floor.setStatus('online', ...PERPETUAL);
  floor.deal('ann', 'bob', '0.5', '60000');
  assert.equal(floor.position('ann'), 'long 0.5 @ 60000');
});
