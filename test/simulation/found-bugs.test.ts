/** What the simulation has found, each in its smallest form. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { LoggedRecord } from '../../src/journal/command-journal.ts';
import { openSyncJournal } from '../../src/journal/sync-journal.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import { JournalLog } from '../../src/sequencer/command-log.ts';
import { replay } from '../../src/sequencer/recovery.ts';
import { HistoryGap } from '../../src/sequencer/recovery-errors.ts';
import { Sequencer, Unavailable } from '../../src/sequencer/sequencer.ts';
import { OPENING_TIME } from '../property/venue.ts';
import { SimulatedDisk } from './disk.ts';
import { SMALL } from './log-model.ts';
import { HistoryStore, SimulatedHistory } from './simulated-history.ts';
import { setUp } from './workload.ts';

const SET_UP: readonly LoggedRecord[] = setUp().map((command, n) => ({
  seq: n + 1,
  payload: encodeCommand(command).slice(),
}));

function newVenue() {
  const disk = new SimulatedDisk();
  const { journal } = openSyncJournal(disk, SMALL);
  const history = new SimulatedHistory(new HistoryStore());
  return {
    disk,
    journal,
    venue: new Sequencer(new Exchange(), new JournalLog(journal), history, new ManualClock(OPENING_TIME), 0),
  };
}

test('events of a command do not show up under the command before it that had none', async () => {
  const { venue, journal } = newVenue();
  const published: string[] = [];
  venue.onPublished(({ seq, events }) => published.push(`${seq}: ${events.length}`));
  const tick = venue.submit({ type: 'tick' });
  const listing = venue.submit(setUp()[0]!);
  journal.flush();
  await Promise.all([tick, listing]);
  assert.deepEqual(published, ['2: 1']);
});

test('history knows all instruments after a replay of commands that it holds already', async () => {
  const store = new HistoryStore();
  const listed = SET_UP.length - 1;
  for (let seq = 1; seq <= listed; seq++) store.safe.push({ seq, time: 0, events: [] });
  // The last command is a deposit; it throws when its coin has no name.
  await replay(undefined, SET_UP, new SimulatedHistory(store));
});

test('a read of a venue that has stopped is refused, it does not wait for ever', async () => {
  const { venue, journal, disk } = newVenue();
  const answer = venue.submit({ type: 'tick' });
  disk.faults.failSyncAfter = 1;
  assert.throws(() => journal.flush());
  await assert.rejects(answer, { name: 'OutcomeUnknown' });
  await assert.rejects(async () => venue.durable(), Unavailable);
});

test('a log that ends before its history is refused', async () => {
  const store = new HistoryStore();
  for (let seq = 1; seq <= 5; seq++) store.safe.push({ seq, time: 0, events: [] });
  await assert.rejects(replay(undefined, SET_UP.slice(0, 3), new SimulatedHistory(store)), HistoryGap);
});
