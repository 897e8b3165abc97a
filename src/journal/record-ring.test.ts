import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../test/simulation/disk.ts';
import { dataViewOf } from './bytes.ts';
import { endOfWholeRecord, recordAt } from './record-format.ts';
import { RecordRing } from './record-ring.ts';

/** Positions start here, so that they overflow 32 bits both signed and unsigned within the test. */
for (const start of [0, 2 ** 31 - 4096, 2 ** 32 - 4096]) {
  test(`records leave the ring whole and in order, from position ${start}`, () => {
    const memory = RecordRing.allocate(1024);
    new Int32Array(memory).fill(start | 0, 0, 2);
    const ring = new RecordRing(memory);
    const random = seededRandom(start + 1);
    let pushed = 0;
    let popped = 0;
    let refused = 0;
    while (popped < 2000) {
      if (random() < 0.6) {
        const payload = new Uint8Array(Math.floor(random() * 200)).fill(pushed & 0xff);
        if (ring.push(pushed + 1, payload)) pushed += 1;
        else refused += 1;
        continue;
      }
      const run = ring.next();
      if (run === undefined) {
        assert.equal(popped, pushed);
        continue;
      }
      // Releases one record of the run, as a batch that took only a part of it.
      const view = dataViewOf(run);
      const record = recordAt(run, view, 0);
      assert.equal(endOfWholeRecord(run, view, 0, popped + 1), record.endOffset);
      assert.equal(record.seq, popped + 1);
      assert.ok(record.payload.every((byte) => byte === (popped & 0xff)));
      popped += 1;
      ring.release(record.endOffset);
    }
    assert.ok(refused > 0);
  });
}
