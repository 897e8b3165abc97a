/** The operator's limits of a coin count from the command on (rules 13.2, 13.5, 13.7). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lendingLimit } from '../../../src/core/margin/custody.ts';
import type { SetCoinLimits } from '../../../src/core/model/command.ts';
import { readFund } from '../../../src/core/reads/fund-reads.ts';
import { MarginFloor } from '../borrowing/margin-floor.ts';
import { money, refusalName } from '../dsl/words.ts';
import { fund, secondEdition } from './fund-floor.ts';

function limit(floor: MarginFloor, coin: string, limits: Partial<SetCoinLimits>): string {
  const unset = { houseShortUsd: '', lendShare: '', insuranceFloor: '' };
  const index = floor.state.coinByName.get(coin) ?? 99;
  const command = { type: 'setCoinLimits', time: floor.now, coin: index, ...unset, ...limits } as const;
  return refusalName(floor.send(command).rejectReason);
}

test('R5 (a): the share that is lent changes for what comes next, and survives a restart', () => {
  const floor = secondEdition(new MarginFloor());
  floor.trader('xia', { BTC: '8' });
  const lent = () => money(lendingLimit(floor.state, floor.state.coinByName.get('BTC')!));
  assert.equal(lent(), '4');
  assert.equal(limit(floor, 'BTC', { lendShare: '0.25' }), 'none');
  assert.equal(lent(), '2');
  floor.restart();
  assert.equal(lent(), '2');
  assert.equal(floor.state.coins[floor.state.coinByName.get('BTC')!]!.borrow!.poolLimit, '100');
});

test('R7 (d): the floor of a coin holds back drains', () => {
  const floor = secondEdition(new MarginFloor());
  fund(floor, '1000');
  assert.equal(limit(floor, 'USDT', { insuranceFloor: '400' }), 'none');
  assert.equal(money(readFund(floor.state, 'futures', floor.state.coinByName.get('USDT')!).floor), '400');
  assert.equal(fund(floor, '-601'), 'insufficientBalance');
  assert.equal(fund(floor, '-600'), 'none');
});

test('R2 (c): a smaller allowance closes contracts at once, a larger one opens them at the next second', () => {
  const floor = secondEdition(new MarginFloor());
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { BTC: '10' });
  floor.index('50000', 'BTCUSD');
  floor.deal('ann', 'bob', '1', '50000', { on: 'BTCUSD' });
  floor.index('60000', 'BTCUSD');
  floor.deal('cat', 'ann', '1', '60000', { on: 'BTCUSD' });
  floor.index('66000', 'BTCUSD');
  const closes = () => floor.instrument('BTCUSD').closeOnly;
  assert.equal(closes(), false);
  // The house lacks about 1 000 dollars.
  assert.equal(limit(floor, 'BTC', { houseShortUsd: '900' }), 'none');
  assert.equal(closes(), true);
  assert.equal(limit(floor, 'BTC', { houseShortUsd: '2000' }), 'none');
  assert.equal(closes(), true);
  floor.index('66000', 'BTCUSD');
  assert.equal(closes(), false);
});

test('limits that are no limits are refused and change nothing', () => {
  const floor = secondEdition(new MarginFloor());
  const before = floor.image().length;
  for (const wrong of [
    { lendShare: '1.01' },
    { lendShare: '-0.1' },
    { lendShare: 'half' },
    { houseShortUsd: '-1' },
    { houseShortUsd: '1e5' },
    { insuranceFloor: '0.000000001' },
    { insuranceFloor: `1${'0'.repeat(40)}` },
  ])
    assert.equal(limit(floor, 'BTC', wrong), 'invalidSpecification', JSON.stringify(wrong));
  assert.equal(limit(floor, 'XAU', { lendShare: '0.5' }), 'invalidSpecification');
  assert.equal(limit(floor, 'NONE', { lendShare: '0.5' }), 'unknownCoin');
  assert.equal(floor.image().length, before);
});
