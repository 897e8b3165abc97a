/** Recorded commands come to the recorded outcomes, events, balances and state, whatever the structure of the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRecording } from './recording.ts';
import { Replay, type Replayed } from './replay.ts';

const DIRECTORY = import.meta.dirname;
const results: Record<string, Replayed> = JSON.parse(readFileSync(join(DIRECTORY, 'results.json'), 'utf8'));

for (const [name, expected] of Object.entries(results)) {
  test(`the recorded commands of ${name} come to what they came to`, () => {
    const replay = new Replay();
    for (const command of readRecording(join(DIRECTORY, `${name}.commands.gz`))) replay.apply(command);
    assert.deepEqual(replay.result(), expected);
  });
}
