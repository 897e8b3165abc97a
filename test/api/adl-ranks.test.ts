/** Ranks of a contract with many holders: taken in slices, shared by the readers of a second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ranksInSlices } from '../../src/api/routes/futures/adl-ranks.ts';
import { adlRanks } from '../../src/core/reads/position-reads.ts';
import { futuresFloor } from '../core/futures/futures-floor.ts';

const SHORTS = ['s1', 's2', 's3', 's4', 's5'];
/** Holders a slice: three slices for five shorts and a long. */
const AT_A_TIME = 2;

function floorOfShorts() {
  const floor = futuresFloor('100000000', 'bob');
  for (const [n, name] of SHORTS.entries()) {
    floor.trader(name, { USDT: '1000000' });
    floor.mark(String(60_000 + 1000 * n));
    floor.deal('bob', name, '1', String(60_000 + 1000 * n));
  }
  floor.mark('50000');
  return floor;
}

test('ranks in slices are those of the whole queue, and other work goes on between them', async () => {
  const floor = floorOfShorts();
  const { state } = floor;
  const uids = SHORTS.map((name) => floor.uid(name));
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await turn();
  })();
  const found = await Promise.all(uids.map((uid) => ranksInSlices(state, uid, AT_A_TIME)));
  isDone = true;
  await others;
  assert.ok(turns >= 3, `${turns} turns`);
  assert.deepEqual(
    found,
    uids.map((uid) => adlRanks(state, uid)),
  );
  assert.deepEqual(
    found.map(([own]) => own!.rank),
    [2000n, 4000n, 6000n, 8000n, 10_000n],
  );
});

test('whoever asks within a second gets the place of his position now among the others as they were', async (t) => {
  let ms = 0;
  t.mock.method(performance, 'now', () => ms);
  const floor = floorOfShorts();
  const { state } = floor;
  const rankOf = async (name: string) => (await ranksInSlices(state, floor.uid(name), AT_A_TIME))[0]?.rank;
  assert.equal(await rankOf('s5'), 10_000n);
  floor.deal('s1', 'bob', '1', '50000');
  assert.equal(await rankOf('s2'), 4000n, 'the closed position still counts');
  assert.equal(await rankOf('s1'), undefined);
  ms += 1000;
  assert.equal(await rankOf('s2'), 2500n);
});
