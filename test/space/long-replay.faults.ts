/** A venue that is killed before its first snapshot is due does not replay more and more. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import { openFileJournal } from '../../src/journal/file-journal.ts';
import { REPLAY_LONG } from '../../src/sequencer/limits.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';

const SEGMENT_BYTES = 16 * 1024 * 1024;
const START = Date.UTC(2026, 0, 1);

/** So many seconds pass, and the process is gone before it could save anything. */
async function appendTicks(data: string, count: number): Promise<void> {
  const { journal } = await openFileJournal({ directory: join(data, 'log'), segmentBytes: SEGMENT_BYTES });
  for (let n = 1; n <= count; n++) {
    journal.append(encodeCommand({ type: 'tick', time: START + journal.appendedSeq }));
    if (n % 10_000 === 0) await until('the log', () => journal.durableSeq === journal.appendedSeq);
  }
  await journal.close();
}

test('a long replay is followed by a snapshot, so that the next start replays little', async () => {
  const data = join(temporaryDirectory(), 'data');
  const snapshots = () => readdirSync(join(data, 'log')).filter((name) => /^snapshot-\d+$/.test(name));
  const args = ['--no-demo', '--segment-bytes', String(SEGMENT_BYTES)];
  for (let round = 1; round <= 2; round++) {
    await appendTicks(data, REPLAY_LONG + 1);
    const long = await startHosted({ data, args });
    assert.ok(long.replayedCommands() > REPLAY_LONG, String(long.replayedCommands()));
    await until(`snapshot ${round}`, () => snapshots().length === round);
    await long.kill();
    const short = await startHosted({ data, args });
    assert.ok(short.replayedCommands() < 1000, String(short.replayedCommands()));
    await short.kill();
    assert.equal(snapshots().length, round, 'a short replay needs none');
  }
});
