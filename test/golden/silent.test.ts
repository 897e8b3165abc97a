/** A replay without the events of orders and money comes to the same state as one that emits all. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { canonicalState } from '../../src/core/snapshot/canonical-state.ts';
import { readRecording } from './recording.ts';
import type { Replayed } from './replay.ts';

const DIRECTORY = import.meta.dirname;
const LEFT_OUT = new Set(['order', 'fill', 'trade', 'ledgerLine']);
const results: Record<string, Replayed> = JSON.parse(readFileSync(join(DIRECTORY, 'results.json'), 'utf8'));

for (const [name, { state }] of Object.entries(results)) {
  test(`the recorded commands of ${name} come to the same state without events of orders and money`, () => {
    const [full, silent] = [new Exchange(), new Exchange()];
    silent.silent = true;
    for (const command of readRecording(join(DIRECTORY, `${name}.commands.gz`))) {
      assert.deepEqual(silent.apply(command), full.apply(command));
      const others = full.takeEvents().filter(({ type }) => !LEFT_OUT.has(type));
      const kinds = silent.takeEvents().map(({ type }) => type);
      assert.deepEqual(
        kinds,
        others.map(({ type }) => type),
      );
    }
    assert.equal(createHash('sha256').update(canonicalState(silent.state)).digest('hex'), state);
  });
}
