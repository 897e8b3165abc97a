/** A change of users and keys is no command, and its response waits for the disk all the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/api/http/routes.ts';
import { runRoute } from '../../src/api/http/run-route.ts';
import type { Access, Call } from '../../src/api/route.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { SUB_RIGHTS } from '../../src/identity/identity.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { Sequencer } from '../../src/sequencer/sequencer.ts';
import { MemoryJournal, noHistory } from '../harness/memory-journal.ts';

/** Of every route that changes users or keys. */
const CHANGES: readonly Access[] = ['main_write', 'broker_write'];

test('the mark of a change is durable before the response leaves', async () => {
  const changing = ROUTES.filter(({ access }) => CHANGES.includes(access));
  assert.ok(changing.length >= 10);
  for (const route of changing) {
    const journal = new MemoryJournal();
    const clock = new ManualClock(1_800_000_000_000);
    const sequencer = new Sequencer(new Exchange(), new JournalLog(journal), noHistory(), clock, 0);
    const handle = () => {
      void sequencer.submit({ type: 'identityMark', store: '00'.repeat(16), changes: 7 });
      return {};
    };
    const caller = { user: { rights: SUB_RIGHTS } };
    let left = false;
    const response = Promise.resolve(
      runRoute({ ...route, handle }, { sequencer, caller, body: {} } as unknown as Call<never, never>),
    ).then(() => (left = true));
    await new Promise(setImmediate);
    assert.equal(left, false, route.path);
    journal.flush();
    await response;
  }
});
