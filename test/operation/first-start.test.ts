/** A first start lists dozens of coins and instruments at once; the disk may be slow. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import pino from 'pino';
import { listCatalogue, openDemo } from '../../src/operation/first-start.ts';
import { openRooms } from '../../src/operation/rooms.ts';
import { resolveConfig } from '../../src/operation/settings/resolve-config.ts';
import { loadCatalogue } from '../../src/venue/catalogue.ts';
import { QUEUE_AGE_MAX_MS } from '../../src/venue/limits.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

/** So long a command needs to be on disk. */
const WRITE_MS = 60;

test('a first start waits for a disk that needs 60 ms for each command, and is complete', async () => {
  const home = temporaryDirectory();
  const data = join(home, 'data');
  const flags = { data, segmentBytes: '1048576' };
  const { config } = await resolveConfig({ flags, environment: {}, directory: home });
  await using open = new AsyncDisposableStack();
  const { venue, identity, log } = await openRooms(config, pino({ level: 'silent' }), open, assert.ifError);
  let oldestMs = 0;
  mock.method(log, 'queueAgeMs', () => {
    const ageMs = (log.appendedSeq - log.durableSeq) * WRITE_MS;
    oldestMs = Math.max(oldestMs, ageMs);
    return ageMs;
  });
  const catalogue = loadCatalogue(config.catalogue);
  const commands = catalogue.coins.length + catalogue.instruments.length;
  assert.ok(commands * WRITE_MS > QUEUE_AGE_MAX_MS, `${commands} commands would be too few to tell`);
  await listCatalogue(venue, catalogue);
  const accounts = await openDemo(venue, identity, data);
  assert.ok(oldestMs > 0 && oldestMs <= QUEUE_AGE_MAX_MS, `${oldestMs} ms`);
  assert.equal(venue.state.instruments.length, catalogue.instruments.length);
  assert.equal(accounts.length, 4);
});
