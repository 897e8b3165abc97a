/** A market that moves draws a crowd: how many takers come follows the size of recent moves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelativeVolatility } from '../../src/simulator/relative-volatility.ts';
import { Rig } from './rig.ts';

const SECONDS_A_YEAR = 365 * 86_400;
const VOLATILITY = 0.5;

/** The crowd after an hour in which the price moved up and down by a multiple of its usual mean move. */
function crowdAt(multiple: number, stepSeconds: number): number {
  const turbulence = new RelativeVolatility(VOLATILITY);
  const stretch = Math.max(30, stepSeconds);
  const move = multiple * VOLATILITY * Math.sqrt((2 / Math.PI) * (stretch / SECONDS_A_YEAR));
  turbulence.observe(100, 0);
  for (let second = stepSeconds; second <= 3600; second += stepSeconds) {
    turbulence.observe(Math.floor(second / stretch) % 2 === 0 ? 100 : 100 * Math.exp(move), stepSeconds);
  }
  return turbulence.activityFactor;
}

test('the crowd is as large as moves are, whatever the steps of the clock', () => {
  for (const step of [1, 30, 60]) {
    assert.ok(Math.abs(crowdAt(1, step) - 1) < 0.01, `usual moves, steps of ${step} s`);
    assert.ok(Math.abs(crowdAt(2, step) - 2) < 0.02, `twice the usual moves, steps of ${step} s`);
  }
});

test('it neither leaves a market that stands still nor grows without bound', () => {
  assert.equal(crowdAt(0, 1), 0.35);
  assert.equal(crowdAt(50, 1), 3);
});

test('a shock brings takers to the book, and they go when it has passed', async () => {
  const rig = await new Rig({
    seed: 3,
    only: (category, symbol) => category === 'SPOT' && symbol === 'BTCUSDT',
  }).open();
  const [view] = rig.market.views;
  const activityFactor = () => view!.arrivalRateFactor / (1 + view!.excitement);
  rig.run(120_000, 1000);
  const before = activityFactor();
  rig.market.shock('BTC', 0.97, 60_000);
  rig.run(120_000, 1000);
  const during = activityFactor();
  assert.ok(during > 1.5 * before, `${before} before, ${during} in the shock`);
  rig.run(40 * 60_000, 1000);
  assert.ok(activityFactor() < during / 1.5, `${activityFactor()} after it`);
});
