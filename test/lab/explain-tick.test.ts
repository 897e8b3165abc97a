/** What a tick did is told of everybody whom the asker may see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation } from '../../src/lab/explain/explanation.ts';
import { Lab, spotOrder } from './lab.ts';

test('the tick that ends a countdown has the orders that it cancelled in its timeline', async () => {
  const lab = await Lab.start();
  const bob = lab.client('bob');
  await bob.post('/api/v3/trade/place-order', spotOrder('buy', '50000'));
  await bob.post('/api/v3/trade/countdown-cancel-all', { countdown: '5' });
  const before = lab.exchange.sequencer.appliedSeq;
  await lab.advance('10s');
  assert.equal(lab.exchange.sequencer.state.slab.count, 0);

  const explained: Explanation[] = [];
  for (let seq = before + 1; seq <= lab.exchange.sequencer.appliedSeq; seq++)
    explained.push(await lab.ask('GET', `/lab/explain?command=${seq}&others=shown`));
  const [cancels, ...more] = explained.filter(({ timeline }) => timeline.length > 0);
  assert.deepEqual(more, []);
  assert.equal(cancels!.command.type, 'tick');
  const [{ what, facts }] = cancels!.timeline as [Explanation['timeline'][number]];
  assert.equal(what, 'order cancelled');
  assert.equal(facts.symbol, 'BTCUSDT');
  const [uid] = lab.exchange.demoAccounts
    .filter(({ account }) => account.name === 'bob')
    .map((each) => each.uid);
  assert.equal(facts.account, String(uid));

  const { timeline } = (await lab.ask('GET', `/lab/explain?command=${cancels!.command.seq}`)) as Explanation;
  assert.deepEqual(timeline, [], 'others only where they are asked for');
  await lab.stop();
});
