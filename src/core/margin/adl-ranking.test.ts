import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PosSide } from '../model/enums.ts';
import { Position } from '../model/position.ts';
import { Account } from '../state/account.ts';
import { AdlQueue, type Ranked } from './adl-queue.ts';
import { AdlSearch } from './adl-ranking.ts';

/** Isolated longs of 2 lots, in this order. */
function ranking(count: number) {
  const all = Array.from({ length: count }, (_, n): Ranked => {
    const position = new Position(n, n, 0, PosSide.none, true, 0);
    position.size = 2;
    return {
      account: new Account(5000 + n, n, 0, n, false, false),
      position,
      score: count - n,
      lots: 2,
      liquidating: false,
    };
  });
  const order = new AdlQueue(
    all.map(({ account }) => account),
    count,
  );
  for (const ranked of all) order.addRanked(ranked);
  return { positions: all.map(({ position }) => position), queue: { order: order.close(), head: 0 } };
}

test('a close asks each once, takes those who can bear its price first, then the others in their order', () => {
  const { positions, queue } = ranking(200);
  let asked = 0;
  const search = new AdlSearch(({ position }) => {
    asked++;
    return position.id >= 150;
  });
  const taken: number[] = [];
  for (let found = search.next(queue); found !== undefined; found = search.next(queue)) {
    taken.push(found.position.id);
    found.position.size = 0;
  }
  const ids = positions.map(({ id }) => id);
  assert.deepEqual(taken, [...ids.slice(150), ...ids.slice(0, 150)]);
  assert.equal(asked, 200);
});

test('whom a close has taken is out of the ranking for the next close of the instant, also with lots again', () => {
  const { positions, queue } = ranking(2);
  const [first, second] = positions;
  const ruined = new AdlSearch(() => false);
  assert.equal(ruined.next(queue)!.position, first);
  first!.size = 0;
  assert.equal(ruined.next(queue)!.position, second);
  second!.size = 1;
  first!.size = 2;
  assert.equal(new AdlSearch(() => true).next(queue)!.position, second);
});
