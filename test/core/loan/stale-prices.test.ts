/** Pledge loans while nobody tells prices (rules 5.14): what was agreed goes on, nothing new at an old price. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoanTerm } from '../../../src/core/model/loan-terms.ts';
import { loanQuote } from '../../../src/core/reads/loan-reads.ts';
import { money, refusalName } from '../dsl/words.ts';
import { HOUR, LoanFloor } from './loan-floor.ts';

/** Ann owes 10,000 USDT for 0.25641026 BTC and has more of both; the last price is 20 minutes old. */
function silentDesk(): { floor: LoanFloor; id: number } {
  const floor = new LoanFloor();
  floor.trader('ann', { BTC: '1', USDT: '5000' });
  const id = floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC' });
  floor.feedLives = false;
  floor.wait(20 * 60_000);
  return { floor, id };
}

test('no loan is made or quoted', () => {
  const { floor } = silentDesk();
  const ask = () => refusalName(floor.askFor('ann', { loan: '1000 USDT', pledge: 'BTC' }).rejectReason);
  const [loanCoin, pledgeCoin] = ['USDT', 'BTC'].map((name) => floor.state.coinByName.get(name)!) as [
    number,
    number,
  ];
  const wish = { loanCoin, pledgeCoin, loanAmount: 1000_00000000n, pledgeAmount: 0n };
  const quoted = () => 'rejectReason' in loanQuote(floor.state, wish, LoanTerm.flexible);
  assert.deepEqual([ask(), quoted()], ['noCoinPrice', true]);
  floor.index('60001');
  assert.deepEqual([ask(), quoted()], ['none', false]);
});

test('no pledge comes out, and every pledge goes in', () => {
  const { floor, id } = silentDesk();
  assert.equal(refusalName(floor.revise('ann', id, 'IN', '0.1').rejectReason), 'none');
  const out = () => refusalName(floor.revise('ann', id, 'OUT', '0.05').rejectReason);
  assert.equal(out(), 'noCoinPrice');
  floor.index('60001');
  assert.equal(out(), 'none');
});

test('a debt is paid in coin, but nothing is unlocked before its end', () => {
  const { floor, id } = silentDesk();
  const { repaid } = floor.repay('ann', id, { amount: '5000', unlock: true });
  assert.equal(repaid!.unlocked, 0n);
  assert.equal(floor.pledged('ann', 'BTC'), '0.25641026');
  assert.equal(refusalName(floor.repay('ann', id).rejectReason), 'none');
  assert.equal(floor.standing('ann', id), 'closed');
  assert.equal(floor.pledged('ann', 'BTC'), '0');
});

test('no collateral is sold to pay with', () => {
  const { floor, id } = silentDesk();
  const sell = () => refusalName(floor.repay('ann', id, { amount: '1000', fromPledge: true }).rejectReason);
  assert.equal(sell(), 'noCoinPrice');
  floor.index('60001');
  assert.equal(sell(), 'none');
});

test('nobody is warned or closed by force, however the debt grows, until somebody tells a price', () => {
  const floor = new LoanFloor();
  floor.trader('ann', { BTC: '1' });
  const id = floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC' });
  floor.wait(42 * HOUR);
  // The hour that begins would force at this price.
  floor.index('46995.01');
  floor.feedLives = false;
  floor.wait(HOUR);
  assert.notEqual(floor.standing('ann', id), 'closed');
  assert.equal(floor.loan('ann', id)!.loan.hours, 44);
  floor.index('46995.02');
  assert.equal(floor.standing('ann', id), 'closed');
  assert.equal(money(floor.eventsOf('loanReduced')[0]!.price), '46995.02');
});
