/**
 * An older `identity.sqlite`, put back with its own mark or without one, in which a deleted key would work again: the journal
 * and its snapshots know how many changes there were.
 */
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endVenues, Venue } from '../admin/venue-process.ts';
import { refusedHosted } from '../harness/hosted-server.ts';
import { command, type Ended, refusedStart } from './bourse-process.ts';

const STORE = 'identity.sqlite';
const MARK = 'identity.mark';
const venue = new Venue();
const older = `${venue.data}-older`;
const QUIET = ['--no-demo', '--market', 'off', '--port', '0', '--operator-port', '0'];

before(async () => {
  await venue.start();
  await venue.ask('account', 'create', 'alice');
  for (const label of ['one', 'two']) await venue.ask('key', 'create', 'alice', '--label', label);
  assert.equal((await venue.stop()).code, 0);
  mkdirSync(older);
  for (const file of [STORE, MARK]) copyFileSync(join(venue.data, file), join(older, file));
});
after(endVenues);

async function deleteKey(label: string): Promise<void> {
  const { keys } = await venue.ask('key', 'list', 'alice');
  const { apiKey } = keys.find((key: { label: string }) => key.label === label);
  await venue.ask('key', 'delete', apiKey);
}

/** The older store in a copy of the directory, with its mark or without any. */
function putBack(name: string, withMark: boolean): string {
  const data = `${venue.data}-${name}`;
  cpSync(venue.data, data, { recursive: true });
  for (const file of [STORE, `${STORE}-wal`, `${STORE}-shm`, MARK]) rmSync(join(data, file), { force: true });
  copyFileSync(join(older, STORE), join(data, STORE));
  if (withMark) copyFileSync(join(older, MARK), join(data, MARK));
  return data;
}

/** `start`: in a process or in a host. */
async function refuses(data: string, start: (data: string) => Promise<Refusal> = hosted): Promise<void> {
  const refusal =
    /identity\.sqlite: it is older than this exchange: it ends with change \d+, \d+ were made\. Restore/;
  const verified = await command(['verify', '--data', data]);
  assert.equal(verified.code, 4, verified.output);
  assert.match(verified.output, refusal);
  const { code, stderr } = await start(data);
  assert.equal(code, 4, stderr);
  assert.match(stderr, refusal);
}

type Refusal = Pick<Ended, 'code' | 'stderr'>;
const hosted = (data: string): Promise<Refusal> => refusedHosted(data, QUIET);
const inProcess = (data: string): Promise<Refusal> => refusedStart(['--data', data, ...QUIET]);

test('an older store is refused after a stop: the snapshot knows the number', async () => {
  await venue.start();
  await deleteKey('one');
  assert.equal((await venue.stop()).code, 0);
  await refuses(putBack('stopped', true), inProcess);
  await refuses(putBack('stopped-bare', false));
});

test('an older store is refused after a kill: the journal knows the number', async () => {
  for (const file of [STORE, MARK]) copyFileSync(join(venue.data, file), join(older, file));
  await venue.start();
  await deleteKey('two');
  await venue.kill();
  await refuses(putBack('killed', true));
  await refuses(putBack('killed-bare', false));
});

test('with the gap accepted it counts from then on', async () => {
  const accepted = new Venue(putBack('accepted', true));
  await accepted.start('--accept-identity-gap');
  assert.equal((await accepted.ask('key', 'list', 'alice')).keys.length, 1);
  await accepted.restart();
  await accepted.kill();
  assert.equal((await command(['verify', '--data', accepted.data])).code, 0);
  copyFileSync(join(venue.data, STORE), join(accepted.data, STORE));
  rmSync(join(accepted.data, MARK));
  const { code, stderr } = await refusedStart(['--data', accepted.data, ...QUIET]);
  assert.equal(code, 4, stderr);
  assert.match(stderr, /identity\.sqlite: it is not the one of this exchange/);
});

test('a backup that was made while keys change is whole', async () => {
  await venue.start();
  const making = Array.from({ length: 6 }, () => venue.ask('key', 'create', 'alice'));
  const backup = await command(['backup', `${venue.data}-backup`, '--data', venue.data]);
  assert.equal(backup.code, 0, backup.output);
  await Promise.all(making);
  await venue.kill();
  const restored = `${venue.data}-restored`;
  assert.equal((await command(['restore', `${venue.data}-backup`, '--data', restored])).code, 0);
  const verified = await command(['verify', '--data', restored]);
  assert.equal(verified.code, 0, verified.output);
  const again = new Venue(restored);
  await again.start();
  assert.equal((await again.stop()).code, 0);
});
