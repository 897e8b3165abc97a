import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppendQueue } from './append-queue.ts';
import { JournalFull } from './journal-errors.ts';
import { RecordRing } from './record-ring.ts';

const PAYLOAD_BYTES_MAX = 64;

function queueOf(ringBytes: number) {
  const ring = new RecordRing(RecordRing.allocate(ringBytes));
  return { ring, queue: new AppendQueue(ring, PAYLOAD_BYTES_MAX, 0, () => 0) };
}

const payload = (bytes: number) => new Uint8Array(bytes);
const plenty = () => 1 << 20;

test('of commands that belong together none is taken when one of them cannot be', () => {
  const { ring, queue } = queueOf(256);
  const refused: [Uint8Array[], () => number, typeof JournalFull | typeof RangeError][] = [
    [[payload(8), payload(PAYLOAD_BYTES_MAX + 1)], plenty, RangeError],
    [[payload(8), payload(8)], () => 64, JournalFull],
    [Array.from({ length: 4 }, () => payload(PAYLOAD_BYTES_MAX)), plenty, JournalFull],
  ];
  for (const [payloads, available, error] of refused) {
    assert.throws(() => queue.appendAll(payloads, available), error);
    assert.equal(queue.appendedSeq, 0);
    assert.equal(ring.queuedBytes, 0);
  }
  assert.equal(queue.appendAll([payload(8), payload(8)], plenty), 2);
});

test('of commands that belong together all are taken, although the writer lowers the space meanwhile', () => {
  const { queue } = queueOf(256);
  let available = 1 << 20;
  const lowered = () => {
    const before = available;
    available = 0;
    return before;
  };
  assert.equal(queue.appendAll([payload(8), payload(8)], lowered), 2);
  assert.equal(queue.appendedSeq, 2);
});
