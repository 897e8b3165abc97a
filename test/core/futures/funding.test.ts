/** Funding with the numbers of rules 5.10 and edge cases 92 to 97. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENING_BELL } from '../dsl/exchange-floor.ts';
import { BTC_FUNDED, BTC_PERPETUAL, FuturesFloor } from './futures-floor.ts';

const EIGHT = OPENING_BELL + 8 * 3_600_000;

/** Of the contract at hand; the other one settles as well. */
function settlements(floor: FuturesFloor) {
  return floor.eventsOf('fundingSettled').filter(({ instrument }) => instrument === floor.instrument().index);
}

function rated(rate: string): FuturesFloor {
  return new FuturesFloor({
    ...BTC_PERPETUAL,
    futures: { ...BTC_PERPETUAL.futures!, minFundingRate: rate, maxFundingRate: rate },
  });
}

test('longs pay shorts: payers up, receivers down, the dust to the fund', () => {
  const floor = new FuturesFloor(BTC_FUNDED);
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { USDT: '100000' });
  floor.index('60123.4');
  floor.sell('bob', '0.8641', '60123.4');
  floor.buy('ann', '0.8641', '60123.4');
  floor.deal('ann', 'cat', '0.3704', '60123.4');
  floor.wait(60_000);
  assert.equal(floor.fields('ann').markPrice, '60123.4');
  floor.at(EIGHT);
  assert.equal(floor.fields('ann').totalFunding, '-5.26978595');
  assert.equal(floor.fields('bob').totalFunding, '3.68863672');
  assert.equal(floor.fields('cat').totalFunding, '1.58114922');
  assert.equal(floor.insurance(), '0.00000001');
  assert.equal(settlements(floor).length, 1);
});

test('case 92: a rate of zero moves nothing and is told', () => {
  const floor = rated('0');
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.at(EIGHT);
  assert.equal(floor.fields('ann').totalFunding, '0');
  for (const name of ['ann', 'bob'])
    assert.equal(floor.lines(name).filter((line) => line.startsWith('funding')).length, 0);
  assert.deepEqual(
    settlements(floor).map(({ rate, time }) => [rate, time]),
    [[0n, EIGHT]],
  );
});

test('cases 93 and 94: what opens at the very instant is not charged, nor what closed a millisecond before', () => {
  const floor = rated('0.001');
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.wait(60_000);
  floor.deal('ann', 'bob', '1', '60000');
  floor.now = EIGHT - 1;
  floor.deal('bob', 'ann', '1', '60000');
  floor.now = EIGHT;
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.fields('ann').totalFunding, '0');
  assert.deepEqual(
    floor.lines('ann').filter((line) => line.startsWith('funding')),
    [],
  );
});

test('case 95: an isolated payer keeps what its position must keep; receivers share what came in', () => {
  const floor = rated('0.003');
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.isolate('ann');
  floor.leverage('ann', 125);
  floor.deal('ann', 'bob', '1', '60000');
  floor.wait(60_000);
  floor.at(EIGHT);
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 300');
  floor.buy('bob', '1', '59900');
  floor.at(EIGHT + 8 * 3_600_000);
  // 300 - (240 + 36) is all that is to be had of another 180.
  assert.deepEqual(
    floor
      .lines('bob')
      .filter((line) => line.startsWith('fundingIn'))
      .map((line) => line.split(' ')[1]),
    ['180', '24'],
  );
});

test('case 96: a crossed payer without cash pays into debt', () => {
  const floor = rated('0.001');
  floor.trader('ann', { BTC: '1' });
  floor.trader('bob', { USDT: '100000' });
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.cash('ann', 'USDT'), '-36');
  floor.wait(60_000);
  floor.at(EIGHT);
  assert.equal(floor.cash('ann', 'USDT'), '-96');
});

test('case 97: two settlements that nobody saw are both made up, in order', () => {
  const floor = rated('0.001');
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.wait(60_000);
  floor.at(EIGHT + 9 * 3_600_000);
  assert.equal(floor.fields('ann').totalFunding, '-120');
  assert.deepEqual(
    settlements(floor).map(({ time }) => time),
    [EIGHT, EIGHT + 8 * 3_600_000],
  );
});

test('coin-margined: rounded once, in the coin, payers up and receivers down', () => {
  const floor = new FuturesFloor();
  floor.index('60123.4', 'BTCUSD');
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { BTC: '10' });
  floor.deal('ann', 'bob', '0.7', '60123.4', { on: 'BTCUSD' });
  floor.deal('cat', 'bob', '0.3', '60123.4', { on: 'BTCUSD' });
  // An old index is not sampled: the rate stays what it is made here.
  floor.wait(16 * 60_000);
  floor.arrange(({ state }) => {
    state.market(floor.instrument('BTCUSD')).futures!.rate = 71_000_001n;
  });
  floor.at(EIGHT);
  assert.equal(floor.fields('ann', { on: 'BTCUSD' }).totalFunding, '-0.00004971');
  assert.equal(floor.fields('cat', { on: 'BTCUSD' }).totalFunding, '-0.00002131');
  assert.equal(floor.fields('bob', { on: 'BTCUSD' }).totalFunding, '0.000071');
  assert.equal(floor.insurance('BTC'), '0.00000002');
});

test('funding at the word of the operator is paid at once, and again at its time', () => {
  const floor = rated('0.001');
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.wait(60_000);
  const schedule = () => {
    const { nextFunding, premium, interval } = floor.state.market(floor.instrument()).futures!;
    return structuredClone({ nextFunding, premium, interval });
  };
  const before = schedule();
  const { now } = floor;
  assert.equal(floor.forceFunding(), 'none');
  assert.deepEqual(
    ['ann', 'bob'].map((name) => floor.fields(name).totalFunding),
    ['-60', '60'],
  );
  assert.deepEqual(schedule(), before);
  floor.at(EIGHT);
  assert.equal(floor.fields('ann').totalFunding, '-120');
  assert.deepEqual(
    settlements(floor).map(({ time }) => time),
    [now, EIGHT],
  );
});

test('funding at the word of the operator may liquidate whoever cannot bear it', () => {
  const floor = rated('0.003');
  floor.trader('bob', { USDT: '100000' });
  floor.trader('ann', { USDT: '600' });
  floor.leverage('ann', 125);
  floor.deal('ann', 'bob', '1', '60000');
  floor.wait(60_000);
  floor.buy('bob', '1', '59900');
  assert.equal(floor.forceFunding(), 'none');
  assert.equal(floor.forceFunding(), 'none');
  assert.equal(floor.position('ann'), 'none');
});
