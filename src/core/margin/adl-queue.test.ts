import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PosSide } from '../model/enums.ts';
import { Position } from '../model/position.ts';
import { Account } from '../state/account.ts';
import { AdlQueue, type Ranked } from './adl-queue.ts';

/** Few different values, so that each rule of the order decides between some. */
function rankedOf(count: number): Ranked[] {
  return Array.from({ length: count }, (_, n): Ranked => {
    const drawn = (n * 7919) % 1009;
    return {
      account: new Account(5000 - n, n, 0, n, false, false),
      position: new Position(n, n, 0, PosSide.none, false, 0),
      score: drawn % 3 === 0 ? BigInt(drawn % 5) : drawn % 5,
      lots: 1 + (drawn % 2),
      liquidating: drawn % 7 === 0,
    };
  });
}

function byRule(a: Ranked, b: Ranked): number {
  if (a.liquidating !== b.liquidating) return a.liquidating ? 1 : -1;
  return Number(b.score) - Number(a.score) || b.lots - a.lots || a.account.uid - b.account.uid;
}

test('positions come in the order of the rule, whoever asks for which place', () => {
  for (const count of [0, 1, 2, 3, 10, 127, 1000]) {
    const all = rankedOf(count);
    const sorted = [...all].sort(byRule);
    const queue = () => {
      const made = new AdlQueue(
        all.map(({ account }) => account),
        count,
      );
      for (const ranked of all) made.addRanked(ranked);
      return made.close();
    };
    assert.deepEqual([...queue()], sorted);
    const asked = queue();
    for (const place of [3, 0, 1, 500, 2, count])
      assert.deepEqual(asked.at(place), sorted[place], `${place} of ${count}`);
  }
});
