/** The data directory is its owner's alone, whatever it was before. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Logger } from 'pino';
import { closeToOthers } from '../../src/app/start/file-permissions.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { Server } from './bourse-process.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

function closed(data: string): string[] {
  const told: string[] = [];
  closeToOthers(data, { warn: (line: string) => told.push(line) } as unknown as Logger);
  return told;
}

test('a directory and files of ours that others may read are closed, and the log says so', () => {
  const home = temporaryDirectory();
  const data = join(home, 'data');
  const log = join(data, 'log');
  mkdirSync(log, { recursive: true });
  const ours = [
    'identity.sqlite',
    'identity.key',
    'operator.token',
    'audit.log',
    'history.sqlite-wal',
    'history-generated.sqlite',
  ];
  for (const name of [...ours, 'notes.txt', 'log/segment-00000001.log']) {
    writeFileSync(join(data, name), '');
    chmodSync(join(data, name), 0o644);
  }
  chmodSync(data, 0o755);
  chmodSync(log, 0o750);
  const told = closed(data);
  assert.deepEqual([modeOf(data), modeOf(log)], ['700', '700']);
  for (const name of [...ours, 'log/segment-00000001.log'])
    assert.equal(modeOf(join(data, name)), '600', name);
  assert.equal(modeOf(join(data, 'notes.txt')), '644', 'what is not ours stays as it is');
  assert.equal(told.length, 2 + ours.length + 1);
  assert.match(told[0]!, /data was open to others \(mode 755\)/);
  assert.deepEqual(closed(data), [], 'once');
});

test('a shared directory is told of and left as it is, a link is not followed, and nothing is made', () => {
  const home = temporaryDirectory();
  const shared = join(home, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  assert.match(closed(shared).join(), /shared is open to others/);
  assert.equal(modeOf(shared), '777');
  const secret = join(home, 'secret');
  writeFileSync(secret, '');
  chmodSync(secret, 0o644);
  symlinkSync(secret, join(shared, 'identity.key'));
  closed(shared);
  assert.equal(modeOf(secret), '644');
  assert.deepEqual(closed(join(home, 'nowhere')), []);
});

test('a start closes the directory that it is given, and says so', async () => {
  const data = join(temporaryDirectory(), 'data');
  mkdirSync(data);
  chmodSync(data, 0o755);
  const server = await Server.start(['--data', data, '--operator-port', '0', '--segment-bytes', '1048576']);
  assert.equal(modeOf(data), '700');
  assert.equal(modeOf(join(data, 'log')), '700');
  const { code, stderr } = await server.end('SIGTERM');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /data was open to others \(mode 755\); it is closed to them now/);
});
