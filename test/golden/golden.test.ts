/**
 * Recorded commands come to the recorded outcomes, events, balances and state, whatever the structure of the code; and
 * beside it an exchange that leaves out the events of orders and money, as a replay does, to the same but for those.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRecording } from './recording.ts';
import { Replay, type Replayed } from './replay.ts';

const DIRECTORY = import.meta.dirname;
const LEFT_OUT = new Set(['order', 'fill', 'trade', 'ledgerLine']);
const results: Record<string, Replayed> = JSON.parse(readFileSync(join(DIRECTORY, 'results.json'), 'utf8'));

for (const [name, expected] of Object.entries(results)) {
  test(`the recorded commands of ${name} come to what they came to, also without events of orders and money`, () => {
    const [full, suppressed] = [new Replay(), new Replay()];
    suppressed.exchange.suppressEvents = true;
    for (const command of readRecording(join(DIRECTORY, `${name}.commands.gz`))) {
      const others = full.apply(command).filter((type) => !LEFT_OUT.has(type));
      assert.equal(suppressed.apply(command).join(), others.join());
    }
    assert.deepEqual(full.result(), expected);
    assert.deepEqual({ ...suppressed.result(), events: expected.events }, expected);
  });
}
