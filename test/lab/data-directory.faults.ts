/** What a stop and a kill -9 leave of a laboratory in a data directory, whatever moment it was. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHosted } from '../harness/hosted-server.ts';
import { startServer } from '../harness/server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { hashOf, kill, killAll, place, proven, revert, save, start, stop } from './directory-lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

afterEach(killAll);

describe('a data directory', () => {
  it('is whole after a stop in order, whatever moment of a revert or of a snapshot it was', async () => {
    const data = temporaryDirectory();
    let server = await start(data);
    await place(server, 'buy');
    const saved = await save(server, 'saved');
    for (const delayMs of [0, 10, 25]) {
      await place(server, 'sell', '60000');
      const before = await hashOf(server);
      const begun = revert(server, 'saved').catch(() => undefined);
      const also = save(server, `at-${delayMs}`).catch(() => undefined);
      await sleep(delayMs);
      await stop(server);
      await Promise.all([begun, also]);
      server = await start(data);
      assert.ok([before, saved.stateHash].includes(await hashOf(server)), 'one branch or the other');
      await revert(server, 'saved');
    }
    await stop(server);
    await proven(data);
  });

  it('goes on after kill -9 with the branch it was on, whatever moment of a revert it was', async () => {
    const data = temporaryDirectory();
    let server = await start(data);
    await place(server, 'buy');
    const saved = await save(server, 'saved');
    await place(server, 'sell');
    await revert(server, 'saved');
    await kill(server);
    server = await start(data);
    assert.equal(await hashOf(server), saved.stateHash, 'a revert that was answered stays');
    // In a host the files are taken amid the revert too, which takes as long there; the last is killed as a process.
    for (const [delayMs, next] of [
      [0, startHosted],
      [15, startHosted],
      [40, startServer],
      [80, startHosted],
    ] as const) {
      await place(server, 'sell', '60000');
      const before = await hashOf(server);
      void revert(server, 'saved').catch(() => undefined);
      await sleep(delayMs);
      await kill(server);
      server = await start(data, next);
      const now = await hashOf(server);
      assert.ok([before, saved.stateHash].includes(now), 'one branch or the other');
      assert.equal((await revert(server, 'saved')).stateHash, saved.stateHash);
    }
    await kill(server);
    server = await start(data);
    await stop(server);
    await proven(data);
    for (const part of ['snapshots', 'branches'])
      assert.deepEqual(
        readdirSync(join(data, 'lab', part)).filter((name) => name.endsWith('.tmp')),
        [],
      );
  });
});
