/** Snapshots that a replica makes in its own thread beside a real journal. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { Side } from '../../src/core/model/enums.ts';
import { loadState } from '../../src/core/snapshot/snapshot.ts';
import { openFileJournal } from '../../src/journal/file-journal.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { replay } from '../../src/sequencer/recovery.ts';
import { ReplicaThread } from '../../src/sequencer/replica-thread.ts';
import { Sequencer } from '../../src/sequencer/sequencer.ts';
import { SnapshotScheduler } from '../../src/sequencer/snapshot-scheduler.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { noHistory } from '../harness/memory-journal.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from '../property/venue.ts';

const SCHEDULE = { commands: 1_000_000, intervalMs: 60_000, replicaFrom: 0 };

interface Venue extends AsyncDisposable {
  readonly directory: string;
  readonly sequencer: Sequencer;
  readonly scheduler: SnapshotScheduler;
  readonly reports: Error[];
  readonly replayed: number;
  /** Orders that rest, trade and are amended by the engine. */
  trade(orders: number): Promise<void>;
}

async function openVenue(directory = temporaryDirectory(), hasMemory = () => true): Promise<Venue> {
  const { journal, snapshot, records } = await openFileJournal({ directory, segmentBytes: 262_144 });
  const accepted = { acceptHistoryGap: true };
  const { exchange, lastSeq, commands } = await replay(snapshot, records, noHistory(), accepted);
  const sequencer = new Sequencer(
    exchange,
    new JournalLog(journal),
    noHistory(),
    new ManualClock(OPENING_TIME),
    lastSeq,
  );
  const reports: Error[] = [];
  const replica = new ReplicaThread(directory, hasMemory);
  const scheduler = new SnapshotScheduler(
    sequencer,
    journal,
    (error) => reports.push(error),
    SCHEDULE,
    replica,
  );
  if (lastSeq === 0) {
    const setUp = [coin('AAA'), coin('BBB'), spotPair('AAA', 'BBB'), account(1), account(2)];
    const funds = [1, 2].flatMap((uid) => [deposit(uid, 0, 10n ** 15n), deposit(uid, 1, 10n ** 15n)]);
    await Promise.all([...setUp, ...funds].map((command) => sequencer.submit(command)));
  }
  const trade = async (orders: number) => {
    for (let n = 0; n < orders; n++)
      await sequencer.submit(
        order({
          uid: 1 + (n % 2),
          side: n % 3 === 0 ? Side.sell : Side.buy,
          priceTicks: 95 + (n % 11),
          sizeLots: 1 + (n % 5),
        }),
      );
  };
  return {
    directory,
    sequencer,
    scheduler,
    reports,
    replayed: commands,
    trade,
    async [Symbol.asyncDispose]() {
      await journal.close();
    },
  };
}

function snapshotsIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => /^snapshot-\d+$/.test(name))
    .sort();
}

test('the snapshot of a replica has the state of the exchange, and the next start replays only what came after', async () => {
  let hash: string;
  let directory: string;
  {
    await using venue = await openVenue();
    ({ directory } = venue);
    await venue.trade(300);
    venue.scheduler.note = () => new Uint8Array(16).fill(7);
    hash = stateHash(venue.sequencer.state);
    const saved = venue.scheduler.snapshot();
    await venue.trade(20);
    await saved;
    await venue.trade(20);
    const [name] = snapshotsIn(directory);
    assert.equal(
      stateHash(new Exchange(loadState(readFileSync(join(directory, name!)).subarray(64, -32))).state),
      hash,
    );
    assert.ok(
      readFileSync(join(directory, name!))
        .subarray(48, 64)
        .every((byte) => byte === 7),
      'the note is kept',
    );
    // The second one begins at the first.
    await venue.scheduler.snapshot();
    hash = stateHash(venue.sequencer.state);
    await venue.trade(5);
    assert.deepEqual(venue.reports, []);
  }
  assert.equal(snapshotsIn(directory).length, 2);
  await using again = await openVenue(directory);
  assert.equal(again.replayed, 5);
});

test('a replica that comes to another state stops the exchange', async () => {
  await using venue = await openVenue();
  await venue.trade(50);
  const halted: Error[] = [];
  venue.sequencer.onFailed((error) => halted.push(error));
  // As a bit that flipped in memory: the log does not explain this state.
  venue.sequencer.state.digest.fold(1);
  await assert.rejects(venue.scheduler.snapshot(), {
    name: 'Diverged',
    message: /replica's digest after command 59/,
  });
  assert.deepEqual(
    halted.map(({ name }) => name),
    ['Diverged'],
  );
  await assert.rejects(venue.trade(1), { name: 'Unavailable' });
  assert.deepEqual(snapshotsIn(venue.directory), []);
});

test('without memory for a second state, and on a log that cannot be read, the exchange saves its own', async () => {
  await using poor = await openVenue(undefined, () => false);
  await poor.trade(30);
  await poor.scheduler.snapshot();
  assert.deepEqual(
    [snapshotsIn(poor.directory).length, poor.reports.map(({ name }) => name)],
    [1, ['ReplicaUnavailable']],
  );

  await using damaged = await openVenue();
  await damaged.trade(30);
  const segment = join(damaged.directory, 'segment-00000001.log');
  const bytes = readFileSync(segment);
  bytes[9000]! ^= 1;
  writeFileSync(segment, bytes);
  await damaged.scheduler.snapshot();
  assert.equal(snapshotsIn(damaged.directory).length, 1);
  assert.match(damaged.reports[0]!.message, /readable only up to sequence/);
});

test('a stop does not wait for the replica', async () => {
  await using venue = await openVenue();
  await venue.trade(30);
  const abandoned = assert.rejects(venue.scheduler.snapshot(), { name: 'ReplicaUnavailable' });
  venue.scheduler.stop();
  await venue.scheduler.finalSnapshot();
  await abandoned;
  assert.equal(snapshotsIn(venue.directory).length, 1);
  assert.equal(venue.sequencer.failure, undefined);
});
