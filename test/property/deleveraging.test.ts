/** Under random trading the deleveraging queue and the ranks of positions are those of a count in big integers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleveragingPlace, deleveragingQueue } from '../../src/core/margin/adl-ranking.ts';
import type { State } from '../../src/core/state/state.ts';
import { AuditedRun } from './audited-run.ts';
import { FLOWS } from './flows.ts';
import { naiveRanking } from './naive-ranking.ts';
import { OperatorFlow } from './operator-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 6, fewFrom: 2 });
const COMMANDS = 400;
const met = { ranked: 0, lost: 0, isolated: 0, netted: 0 };

function compare(state: State): void {
  for (const { index, futures } of state.instruments) {
    if (futures === undefined) continue;
    for (const long of [true, false]) {
      const expected = naiveRanking(state, index, long);
      const meant = expected.map(({ position, score, lots }) => [position.id, score, lots]);
      const found = () =>
        [...deleveragingQueue(state, index, long)].map(({ position, score, lots }) => [
          position.id,
          BigInt(score),
          lots,
        ]);
      assert.deepEqual(found(), meant, 'by what is cached');
      // As after a second of prices, in which nobody's margin was looked at; then by what the ranking before has found.
      state.priceVersion++;
      assert.deepEqual(found(), meant, 'at new prices');
      assert.deepEqual(found(), meant, 'by what the last ranking found');
      const last = expected.at(-1);
      if (last === undefined) continue;
      const { length: count } = expected;
      assert.deepEqual(deleveragingPlace(state, last.position), { ahead: count - 1, count });
      for (const { position, score, lots } of expected) {
        met.ranked++;
        if (score < 0n) met.lost++;
        if (position.isolated) met.isolated++;
        if (lots !== position.lots) met.netted++;
      }
    }
  }
}

test('the deleveraging queue is that of the rules, whatever was kept of margins (rules 5.11)', () => {
  for (const { setUp, flowOf } of Object.values(FLOWS)) {
    for (const seed of SEEDS) {
      const run = new AuditedRun(
        setUp,
        ({ state }) =>
          () =>
            compare(state),
      );
      const { state } = run.exchange;
      const flow = new OperatorFlow(seed, state, flowOf(seed, state), 40, 4);
      for (let n = 0; n < COMMANDS; n++) run.apply(flow.next());
    }
  }
  for (const [what, times] of Object.entries(met)) SEEDS.met(what, times, 20);
});
