/** What an outage leaves half done is completed when the exchange is back, as a start does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operate } from '../memory/in-process.ts';
import { Lab, spotOrder } from './lab.ts';

test('a freeze that a kill has cut off: the orders are cancelled when the exchange is back', async () => {
  const lab = await Lab.start();
  const { sequencer } = lab.exchange;
  await lab.client('bob').post('/api/v3/trade/place-order', spotOrder('buy', '50000'));
  assert.equal(sequencer.state.slab.count, 1);
  const submit = sequencer.submit.bind(sequencer);
  sequencer.submit = (command, ...more) =>
    command.type === 'cancelEverything' ? Promise.reject(new Error('killed')) : submit(command, ...more);
  assert.equal((await operate(lab.exchange, 'POST', '/admin/accounts/bob/freeze', {})).status, 500);
  assert.equal(sequencer.state.slab.count, 1);

  await lab.ask('POST', '/lab/faults', { do: { outage: 0.05, how: 'kill' } });
  while (lab.exchange.sequencer === sequencer) await sleep(20);
  assert.equal(lab.exchange.sequencer.state.slab.count, 0);
  await lab.stop();
});
