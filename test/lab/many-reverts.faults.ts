/** Reverts leave nothing behind. `LAB_REVERTS=1000` tries a thousand, which takes a minute and more. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { stopAll } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const REVERTS = Number(process.env.LAB_REVERTS ?? 150);
/** The branches that are kept and compiled code are there by then. */
const WARM = 50;
const COLLECTIONS = 5;

test(`${REVERTS} reverts: the state is the same each time, and memory within 10 %`, async () => {
  const lab = await Lab.start({ inspect: 'off' });
  await lab.client('alice').post('/api/v3/trade/place-order', spotOrder('buy', '60000'));
  const { stateHash: saved } = await lab.snapshot('s');
  const bob = lab.client('bob');
  let warm = 0;
  for (let n = 1; n <= REVERTS; n++) {
    await bob.post('/api/v3/trade/place-order', spotOrder('sell', '60000', '0.001'));
    await lab.revert('s');
    assert.equal(stateHash(lab.exchange.sequencer.state), saved);
    if (n === WARM) warm = await memoryUsed();
  }
  const used = await memoryUsed();
  assert.ok(used < warm * 1.1, `${used} bytes after ${REVERTS} reverts, ${warm} after ${WARM}`);
  await lab.stop();
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Stores of arrays are given back some turns after a collection has found them. */
async function memoryUsed(): Promise<number> {
  for (let n = 0; n < COLLECTIONS; n++) {
    collectGarbage();
    await sleep(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
