/** A first start on a disk that is behind takes longer, and comes to the same exchange. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { listCatalogue } from '../../src/app/start/bootstrap.ts';
import { loadCatalogue } from '../../src/catalogue/catalogue.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command } from '../../src/core/model/command.ts';
import { type Sequencer, Unavailable } from '../../src/sequencer/sequencer.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';

const catalogue = loadCatalogue(join(import.meta.dirname, '../../catalogue'));

/** Takes so many commands, then none until everything before is safe on disk. */
function venueThatTakes(atOnce: number, capacity = 'normal') {
  const exchange = new Exchange();
  let room = atOnce;
  let waits = 0;
  const sequencer = {
    state: exchange.state,
    failure: undefined,
    memoryShort: false,
    capacity: () => capacity,
    submit: async (command: Command) => {
      if (room === 0) throw new Unavailable('the disk is behind');
      room -= 1;
      return exchange.apply({ ...command, time: 1_700_000_000_000 });
    },
    durable: async () => {
      waits += 1;
      room = atOnce;
    },
  };
  return { sequencer: sequencer as unknown as Sequencer, waits: () => waits };
}

test('what a busy disk did not take is listed when it has caught up', async () => {
  const quick = venueThatTakes(Number.POSITIVE_INFINITY);
  await listCatalogue(quick.sequencer, catalogue);
  const slow = venueThatTakes(7);
  await listCatalogue(slow.sequencer, catalogue);
  assert.ok(slow.waits() > 1);
  assert.equal(stateHash(slow.sequencer.state), stateHash(quick.sequencer.state));
});

test('a disk that is full is not waited for', async () => {
  const { sequencer } = venueThatTakes(7, 'cancel_only');
  await assert.rejects(listCatalogue(sequencer, catalogue), Unavailable);
});
