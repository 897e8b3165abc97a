/** Who lets go of old commands in memory: snapshots that the serving thread makes, the rarer the larger the state. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { Side } from '../../src/core/model/enums.ts';
import { openMemoryJournal } from '../../src/journal/memory-journal.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { replay } from '../../src/sequencer/recovery.ts';
import { Sequencer } from '../../src/sequencer/sequencer.ts';
import { SnapshotScheduler } from '../../src/sequencer/snapshot-scheduler.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { noHistory } from '../harness/memory-journal.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from '../property/venue.ts';

const SCHEDULE = {
  commands: 2000,
  commandsPerOrder: 2,
  intervalMs: Number.POSITIVE_INFINITY,
  replicaFrom: Number.POSITIVE_INFINITY,
};

test('old commands go, and what is kept makes the same state', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const { journal } = openMemoryJournal();
  const clock = new ManualClock(OPENING_TIME);
  const sequencer = new Sequencer(new Exchange(), new JournalLog(journal), noHistory(), clock, 0);
  const fail = (error: Error) => {
    throw error;
  };
  const scheduler = new SnapshotScheduler(sequencer, journal, fail, SCHEDULE);
  scheduler.start();
  const listed = [coin('AAA'), coin('BBB'), spotPair('AAA', 'BBB'), account(1)];
  const funds = [deposit(1, 0, 10n ** 15n), deposit(1, 1, 10n ** 15n)];
  await Promise.all([...listed, ...funds].map((command) => sequencer.submit(command)));

  /** A timer of the scheduler, and the turns that its snapshot needs. */
  const tick = async () => {
    mock.timers.tick(1000);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const saved = () => journal.kept().snapshot?.seq ?? 0;
  const idle = async (commands: number) => {
    for (let n = 0; n < commands; n++) sequencer.submit({ type: 'tick' }).catch(fail);
    await tick();
  };

  await idle(1500);
  assert.equal(saved(), 0);
  for (let round = 0; round < 4; round++) await idle(2000);
  assert.ok(saved() > 8000, `${saved()}`);
  assert.ok(journal.firstSeq > 6000, `${journal.firstSeq}`);

  const before = saved();
  for (let n = 0; n < 300; n++)
    await sequencer.submit(order({ uid: 1, side: Side.buy, priceTicks: 10 + n, sizeLots: 1 }));
  assert.equal(sequencer.appliedSeq - before < 2000, true);
  const rare = { ...SCHEDULE, commandsPerOrder: 100 };
  const rarer = new SnapshotScheduler(sequencer, journal, fail, rare);
  scheduler.stop();
  rarer.start();
  await idle(5000);
  assert.equal(saved(), before);
  rarer.stop();
  mock.timers.reset();

  const { snapshot, records } = journal.kept();
  const again = await replay(snapshot, records, noHistory(), { acceptHistoryGap: true });
  assert.equal(again.lastSeq, sequencer.appliedSeq);
  assert.equal(stateHash(again.exchange.state), stateHash(sequencer.state));
  await journal.close();
});
