/** Chance after a snapshot: the original, every revert and every fork go on alike. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { stopAll } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const hashOf = ({ exchange }: Lab) => stateHash(exchange.sequencer.state);

test('with a market and a manual clock the same commands lead to the same state, wherever a snapshot is gone on from', async () => {
  const lab = await Lab.start({ market: 'normal' });
  await lab.advance('20s');
  await lab.snapshot('s');
  const goOn = async (here: Lab) => {
    await here.advance('15s');
    await here.client('alice').post('/api/v3/trade/place-order', spotOrder('buy', '59000'));
    await here.advance('15s');
    return hashOf(here);
  };
  const original = await goOn(lab);
  const { id } = await lab.ask('POST', '/lab/forks', { from: 's' });
  assert.equal(await goOn(new Lab(lab.exchange.fork(id)!)), original, 'the fork');
  for (let n = 0; n < 2; n++) {
    await lab.revert('s');
    assert.equal(await goOn(lab), original, `revert ${n + 1}`);
  }
  await lab.stop();
});
