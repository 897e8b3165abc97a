import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, Recorder, TEXT_CHARS_MAX } from './recorder.ts';
import type { HttpCall } from './traffic.ts';

const CALL: HttpCall = {
  party: { uid: 7, mainUid: 7, apiKey: 'k' },
  atMs: 1,
  tookMs: 2,
  peer: '127.0.0.1',
  agent: 'test',
  finding: undefined,
  steps: undefined,
  method: 'POST',
  target: '/api/v3/trade/place-order',
  timestamp: '1',
  body: Buffer.from('{}'),
  status: 200,
  answer: '{"code":"00000"}',
  left: 9,
  unread: false,
};
const everything = () => true;

test('the oldest entries make room when there are too many', () => {
  const recorder = new Recorder({ entries: 3, bytes: 1e6 });
  for (let n = 0; n < 10; n++) recorder.call({ ...CALL, atMs: n });
  assert.equal(recorder.count, 3);
  assert.deepEqual(
    recorder.newest(10, everything).map(({ id, atMs }) => [id, atMs]),
    [
      [8, 7],
      [9, 8],
      [10, 9],
    ],
  );
  assert.equal(recorder.find(7), undefined);
  assert.equal(recorder.find(11), undefined);
  assert.equal(recorder.find(8)?.atMs, 7);
});

test('the oldest entries make room when they are too large', () => {
  const recorder = new Recorder({ entries: 1_000, bytes: 1_000_000 });
  for (let n = 0; n < 200; n++) recorder.call({ ...CALL, atMs: n, body: Buffer.alloc(10_000, 'a') });
  assert.ok(recorder.bytes <= 1_000_000);
  // Half of them were too many; the oldest went.
  assert.ok(recorder.count > 40 && recorder.count < 100, `${recorder.count} are kept`);
  assert.equal(recorder.find(200)!.atMs, 199);
  for (let n = 0; n < 5_000; n++) recorder.call(CALL);
  assert.ok(recorder.bytes <= 1_000_000);
  assert.equal(recorder.count, 1_000);
});

test('of long bodies and answers the beginning is kept', () => {
  const recorder = new Recorder();
  recorder.call({
    ...CALL,
    body: Buffer.alloc(60_000, 'é'),
    answer: 'x'.repeat(1e6),
    agent: 'y'.repeat(8_000),
  });
  const { body, answer, agent } = recorder.find(1)!;
  assert.deepEqual([body.length, answer.length, agent.length], [TEXT_CHARS_MAX, TEXT_CHARS_MAX, 200]);
});

test('a secret that stands across the cut is left out', () => {
  const recorder = new Recorder();
  const body = JSON.stringify({ filler: 'x'.repeat(TEXT_CHARS_MAX - 30), passphrase: 'canary'.repeat(10) });
  recorder.call({ ...CALL, body: Buffer.from(body) });
  assert.doesNotMatch(recorder.find(1)!.body, /canary/);
});

test('bytes that are no text do no harm', () => {
  const recorder = new Recorder();
  recorder.call({ ...CALL, body: Buffer.from([0xff, 0xfe, 0x00, 0xc0]) });
  assert.equal(recorder.find(1)!.body.length, 4);
});

test('a listener hears of entries until it leaves', () => {
  const recorder = new Recorder();
  const heard: Entry[] = [];
  const leave = recorder.listen((entry) => heard.push(entry));
  recorder.call(CALL);
  assert.equal(recorder.count, 1);
  leave();
  recorder.call(CALL);
  assert.equal(recorder.count, 2);
  assert.deepEqual(
    heard.map(({ id }) => id),
    [1],
  );
});

test('who has left is told nothing of what was still to be written', () => {
  const recorder = new Recorder();
  const told: string[] = [];
  const leave = recorder.listen(() => told.push('left'));
  recorder.listen(() => told.push('stays'));
  recorder.call(CALL);
  leave();
  assert.equal(recorder.count, 1);
  assert.deepEqual(told, ['stays']);
});
