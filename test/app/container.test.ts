/** As a container runs it: first process, without rights, nothing writable but the data directory. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChildProgram } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { bourse, Server } from './bourse-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOBODY = 65_534;
const SMALL = ['--port', '0', '--market', 'off', '--segment-bytes', '1048576'];

/** Own mounts and process numbers, as far as this machine lets its user have them. */
const SPACES = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const isRoot = process.getuid?.() === 0;
const unshare = isRoot ? SPACES : ['--user', '--map-root-user', ...SPACES];
const impossible =
  spawnSync('unshare', [...unshare, 'mount', '-o', 'remount,ro,bind', '/']).status !== 0 &&
  'this machine has no name spaces for its user';

/** Everything read-only but the data directory; then the command, as somebody without rights. */
const READ_ONLY = `
  set -e
  mount --bind "$DATA" "$DATA"
  mount -o remount,ro,bind /
  if touch "$DATA/../writable" 2> /dev/null; then echo 'not read-only'; exit 9; fi
  exec "$@"
`;
const asNobody = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'] : [];

test('it runs as the first process of a container, and SIGTERM ends it', { skip: impossible }, async () => {
  const parent = temporaryDirectory();
  chmodSync(parent, 0o755);
  const data = join(parent, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  const start = [process.execPath, 'launch.cjs', 'src/main.ts', '--data', data, ...SMALL];
  const args = [...unshare, 'bash', '-c', READ_ONLY, 'bash', ...asNobody, ...start];
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const container = new ChildProgram(spawn('unshare', args, { cwd: ROOT, env: { ...env, DATA: data } }));
  while (!container.stdout.includes('Listening on ')) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 20)), container.ended]);
    assert.equal(container.process.exitCode, null, container.output);
  }
  const [first] = spawnSync('pgrep', ['-P', String(container.process.pid)], {
    encoding: 'utf8',
  }).stdout.split('\n');
  process.kill(Number(first), 'SIGTERM');
  const { code, stderr } = await container.ended;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^4 accounts, 0 open orders, saved to [^\n]+\n$/, 'and nothing else was said');
});

test('no place for compiled code and none for temporary files is no trouble', async () => {
  const data = join(temporaryDirectory(), 'data');
  const nowhere = '/dev/null/nowhere';
  const env = { NODE_COMPILE_CACHE: nowhere, TMPDIR: nowhere, SQLITE_TMPDIR: nowhere };
  const server = await Server.start(['--data', data, '--no-demo', ...SMALL], { env });
  const { code, stderr } = await server.end('SIGTERM');
  assert.deepEqual([code, stderr], [0, `0 accounts, 0 open orders, saved to ${data}\n`]);
  const verified = await bourse(['verify', '--data', data], { env });
  assert.deepEqual([verified.code, verified.stderr], [0, '']);
});
