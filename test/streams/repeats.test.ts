/** What a private reader is told without having asked: balances and positions, complete, every five seconds (wire 5.4). */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamClient } from '../harness/stream-client.ts';
import { StreamServer } from '../harness/stream-server.ts';

let room: StreamServer;
let alice: StreamClient;

before(async () => {
  room = await StreamServer.start();
  alice = await room.login(room.account('alice'));
});

after(() => room.close());

const count = (topic: string) => alice.pushes(topic).length;

/** The venue looks at its topics every few milliseconds. */
async function pause(): Promise<void> {
  await sleep(50);
  await alice.answers();
}

for (const topic of ['account', 'position']) {
  it(`${topic}: at the start, not before five seconds, then again as a snapshot`, async () => {
    await alice.subscribe({ instType: 'UTA', topic });
    await alice.next((frame) => frame.arg?.topic === topic && count(topic) === 1);
    await pause();
    assert.equal(count(topic), 1);
    for (let n = 0; n < 3; n++) {
      await room.pass(4_999, alice);
      await pause();
      assert.equal(count(topic), 1 + n, 'not before its time');
      await room.pass(1, alice);
      await alice.next((frame) => frame.arg?.topic === topic && count(topic) === 2 + n);
    }
    assert.deepEqual(new Set(alice.pushes(topic).map(({ action }) => action)), new Set(['snapshot']));
  });
}

for (const topic of ['order', 'fill', 'fast-fill', 'strategy-order', 'adl-notification']) {
  it(`${topic}: nothing at the start and nothing on a timer`, async () => {
    await alice.subscribe({ instType: 'UTA', topic });
    await room.pass(5_000, alice);
    await pause();
    assert.equal(count(topic), 0);
  });
}
