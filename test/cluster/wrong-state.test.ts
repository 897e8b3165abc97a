/** A node that learns from the packs of others that its state is wrong sends nothing more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineTime } from '../../src/cluster/engine-time.ts';
import { FIRST_CHAIN } from '../../src/cluster/pack.ts';
import { SharedLog } from '../../src/cluster/shared-log.ts';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { SimulatedCluster, SimulatedConnection } from './simulated-engine.ts';
import { dice } from './simulation.ts';
import { VirtualTime } from './virtual-time.ts';

const TICK = encodeCommand({ type: 'tick', time: 0 }).slice();

test('a log whose state is judged wrong ends before it sends what waits', async () => {
  const time = new VirtualTime();
  const world = new SimulatedCluster(time, dice(3));
  const node = (
    run: number,
    digest: number,
    judgeState?: (other: number, isEqual: boolean) => Error | undefined,
  ) =>
    new SharedLog({
      engine: new SimulatedConnection(world, { isStopped: () => undefined }),
      run,
      begin: { no: 0, nextSeq: 1, chain: FIRST_CHAIN, time: 0 },
      engineTime: new EngineTime({ monotonicMs: () => time.now, wallMs: () => time.now }, time.now),
      wallMs: () => time.now,
      timers: { after: (ms, act) => time.after(ms, act) },
      digest: () => digest,
      ...(judgeState !== undefined && { judgeState }),
    });
  const heard: [number, boolean][] = [];
  const wrong = node(1, 7, (run, isEqual) => {
    heard.push([run, isEqual]);
    return isEqual ? undefined : new Error('wrong');
  });
  const [same, other] = [node(2, 7), node(3, 8)];
  const failures: Error[] = [];
  wrong.onFailure((error) => failures.push(error));
  same.propose([TICK], 1);
  await time.run(3_000);
  assert.deepEqual([heard, failures], [[[2, true]], []]);
  other.propose([TICK], 1);
  await time.run(3);
  // On its way: it comes back after the pack of the other.
  wrong.propose([TICK], 1);
  wrong.propose([TICK], 2);
  await time.run(3_000);
  assert.deepEqual(heard.at(-1), [3, false]);
  assert.deepEqual(
    failures.map(({ message }) => message),
    ['wrong'],
  );
  assert.ok(world.primary.packs.filter(({ run }) => run === 1).length <= 1, 'what waited was not sent');
  assert.throws(() => wrong.propose([TICK], 3), { name: 'JournalFailed' });
  for (const log of [wrong, same, other]) await log.close();
});
