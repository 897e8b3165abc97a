/**
 * The watch over accounts that a price move may have made due must never miss one: after every second of prices it is
 * compared with a plain look at everybody. It must also be worth having: most of the time it looks at few.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateWarning } from '../../src/core/borrowing/risk-warning.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { onComponentPrice, samplePrices } from '../../src/core/engine/price-tick.ts';
import { isDue } from '../../src/core/liquidation/liquidation-check.ts';
import { LiquidationMonitor } from '../../src/core/liquidation/liquidation-monitor.ts';
import { isInDebt } from '../../src/core/margin/debts.ts';
import { nearestToLiquidation, riskLevels } from '../../src/core/reads/risk-reads.ts';
import type { State } from '../../src/core/state/state.ts';
import { FuturesFlow, PRICES, Rng, SET_UP, UIDS } from './futures-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 25, few: 3 });
const TRADES = 250;
const SECONDS = 120;
/** After so long without a change an index is stale. */
const UNCHANGED_MS = 15 * 60_000;

function settled(seed: number): Exchange {
  const exchange = new Exchange();
  for (const command of SET_UP) exchange.apply(command);
  const flow = new FuturesFlow(seed, exchange.state);
  for (let n = 0; n < TRADES; n++) exchange.apply(flow.next());
  exchange.takeEvents();
  return exchange;
}

/** A walk of one price: mostly small steps, now and then a jump. */
function step(dice: Rng, price: bigint): bigint {
  const size = dice.chance(0.04) ? 0.15 : dice.chance(0.3) ? 0.02 : 0.001;
  const change = Math.round((dice.next() - 0.5) * 2 * size * 1_000_000);
  return (price * BigInt(1_000_000 + change)) / 1_000_000n;
}

/** What readers are told is what a look at every account tells; returns whether there were more than they asked for. */
function readsAgree(state: State, monitor: LiquidationMonitor): number {
  const obliged = [...state.accountByUid.values()].filter(
    (account) => account.positions.size > 0 || isInDebt(state, account),
  );
  assert.equal(monitor.size, obliged.length);
  const warned = obliged.filter((account) => account.warned);
  assert.deepEqual(new Set(warned), monitor.warnedAccounts);
  const { due, warned: waits, calm } = riskLevels(state, monitor, [10_000_000, 200_000_000]);
  assert.equal(due + waits, warned.length);
  assert.equal(
    calm.reduce((sum, count) => sum + count, due + waits),
    obliged.length,
  );
  const moves = (count: number) => nearestToLiquidation(state, monitor, count).map(({ move }) => move);
  const all = moves(UIDS.length);
  assert.equal(all.length, obliged.length);
  for (const count of [0, 1, 3]) assert.deepEqual(moves(count), all.slice(0, count));
  return all.length > 3 ? 1 : 0;
}

test('the watch never misses an account that a price move has made due, nor one whose index is fresh again', () => {
  let dueSeen = 0;
  let staleSeen = 0;
  let looks = 0;
  let chances = 0;
  let reads = 0;
  for (const seed of SEEDS) {
    const { state } = settled(seed);
    const dice = new Rng(seed * 7919);
    const monitor = new LiquidationMonitor(state);
    const prices = state.indices.map((index, n) => index.price || PRICES[n]!);
    let { now } = state;
    const alreadyDue = new Set([...state.accountByUid.values()].filter((account) => isDue(state, account)));
    assert.equal(alreadyDue.size, 0);
    for (let second = 0; second < SECONDS; second++) {
      now += dice.chance(0.05) ? UNCHANGED_MS : 1000;
      state.now = now;
      for (const [index, before] of prices.entries()) {
        if (dice.chance(0.5)) continue;
        const price = step(dice, before);
        prices[index] = price;
        onComponentPrice(state, {
          type: 'componentPrice',
          time: now,
          index,
          component: 0,
          price,
          volume: 0n,
        });
      }
      samplePrices(state, now);
      if (state.indices.some(({ stale }) => stale)) staleSeen++;
      monitor.onPrices();
      const seen = new Set(monitor.toCheck(monitor.size)!.map((index) => state.accounts[index]!));
      looks += seen.size;
      for (const account of state.accountByUid.values()) {
        if (account.positions.size > 0) chances++;
        if (!isDue(state, account)) continue;
        dueSeen++;
        assert.ok(seen.has(account), `seed ${seed}, second ${second}: account ${account.uid} was missed`);
      }
      for (const account of seen) {
        monitor.release(account);
        updateWarning(state, account);
        monitor.watch(account);
      }
      reads += readsAgree(state, monitor);
    }
  }
  SEEDS.met('accounts due', dueSeen, 201);
  SEEDS.met('seconds with a stale index', staleSeen, 201);
  SEEDS.met('lists of the nearest', reads, 201);
  assert.ok(looks < chances, `${looks} looks at ${chances} chances`);
});
