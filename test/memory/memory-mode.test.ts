/** `--memory` as a user meets it: what it refuses, what it says, and the commands around it. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bourse, command, refusedStart, Server } from '../app/bourse-process.ts';
import { programModule } from '../harness/program.ts';
import { failingChecks } from '../harness/readiness.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { operate, startInMemory, stopAll } from './in-process.ts';

after(stopAll);

test('it is refused with everything that needs a data directory, all named at once', async () => {
  await assert.rejects(startInMemory({ demo: 'off' }), {
    name: 'ConfigError',
    message: /--memory keeps nothing when the process ends, .*--no-demo/,
  });
  await assert.rejects(startInMemory({ data: '/tmp/x', segmentBytes: '1048576', acceptHistoryGap: 'on' }), {
    name: 'ConfigError',
    message: /does not go with --data, --segment-bytes, --accept-history-gap: there is no data directory/,
  });
});

test('the start is refused with exit code 2 and touches nothing', async () => {
  const cwd = temporaryDirectory();
  const { code, stderr } = await refusedStart(['--memory', '--no-demo', '--data', 'd'], { cwd });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /^bourse: --memory keeps nothing/m);
  assert.match(stderr, /--no-demo.*--data/);
  assert.deepEqual(readdirSync(cwd), []);
});

test('commands that work on a data directory say that there is none', async () => {
  const place = { env: { BOURSE_MEMORY: 'on' } };
  for (const args of [
    ['verify'],
    ['backup', 'b'],
    ['restore', 'b'],
    ['skip-command', '7'],
    ['audit', 'verify'],
  ]) {
    const { code, stderr } = await bourse(args, place);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /needs a data directory, and the exchange has none: .*environment BOURSE_MEMORY/);
  }
});

test('a backup is refused; audit log, snapshot and console work', async () => {
  const exchange = await startInMemory();
  const backup = await operate(exchange, 'POST', '/admin/backups', { directory: '/tmp/x' });
  assert.deepEqual([backup.status, backup.content.error.code], [422, 'not_allowed']);
  assert.match(backup.content.error.message, /--memory and keeps no files/);
  assert.equal((await operate(exchange, 'POST', '/admin/halt', {})).status, 200);
  const { content } = await operate(exchange, 'GET', '/admin/audit');
  assert.deepEqual(
    content.lines.map(({ action, outcome }: { action: string; outcome: string }) => `${action} ${outcome}`),
    ['audit.begin done', 'backup.begin begun', 'backup.begin refused', 'halt begun', 'halt done'],
  );
  const page = await fetch(exchange.operatorUrl!, { headers: { accept: 'text/html' } });
  assert.equal(page.status, 200);
  const signedIn = await fetch(`${exchange.operatorUrl}/admin/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: exchange.consoleCode!() }),
  });
  assert.equal(signedIn.status, 200);
  await exchange.stop();
});

test('the process says what is lost, writes only its ready file, and removes it at a clean stop', async () => {
  const cwd = temporaryDirectory();
  const file = join(cwd, 'ready.json');
  const server = await Server.start(['--memory', '--operator-port', '0', '--ready-file', file], { cwd });
  assert.deepEqual(readdirSync(cwd), ['ready.json']);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const ready = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual([ready.url, ready.pid, ready.memory], [server.url, server.pid, true]);
  assert.equal(ready.wsUrl, `${server.url.replace('http', 'ws')}/v3/ws`);
  const alice = ready.accounts.find(({ name }: { name: string }) => name === 'alice');
  assert.deepEqual(Object.keys(alice).sort(), ['apiKey', 'name', 'passphrase', 'secretKey', 'uid']);
  const printed = JSON.parse(server.stdout.split('\n')[0]!);
  assert.deepEqual([printed.memory, printed.data, printed.operatorToken], [true, null, ready.operatorToken]);

  const status = await command(['status', '-o', 'json', '--ready-file', file]);
  assert.equal(status.code, 0, status.stderr);
  const { operatorUrl } = ready;
  const told = JSON.parse(status.stdout);
  assert.deepEqual(
    [told.url, told.operatorUrl, told.ready, told.accounts],
    [server.url, operatorUrl, true, ready.accounts],
  );
  const env = await command(['status', '-o', 'env', '--ready-file', file]);
  assert.match(env.stdout, new RegExp(`^BOURSE_URL=${server.url}$`, 'm'));
  assert.match(env.stdout, new RegExp(`^BOURSE_ALICE_API_KEY=${alice.apiKey}$`, 'm'));
  assert.match((await command(['health', '--ready-file', file])).stdout, /ready\s+yes/);
  assert.match((await command(['client', 'curl', '--ready-file', file])).stdout, new RegExp(alice.apiKey));

  const { code, stderr } = await server.end('SIGINT');
  assert.equal(code, 0);
  assert.match(stderr, /everything is in memory: all of it is gone when this process ends/);
  assert.match(stderr, /nothing of it saved \(--memory\)/);
  assert.deepEqual(readdirSync(cwd), []);
  const gone = await command(['status', '--ready-file', file]);
  assert.equal(gone.code, 3);
  assert.match(gone.stderr, /there is none: no exchange that writes it is ready/);
});

test('a ready file of an earlier run is gone before the start, and one without a folder is refused', async () => {
  const cwd = temporaryDirectory();
  const file = join(cwd, 'no', 'ready.json');
  const { code, stderr } = await refusedStart(['--memory', '--ready-file', file], { cwd });
  assert.equal(code, 2);
  assert.match(stderr, /--ready-file .*: there is no directory/);
  const first = await Server.start(['--memory', '--operator-port', '0', '--ready-file', 'r.json'], { cwd });
  await first.end('SIGKILL');
  assert.ok(existsSync(join(cwd, 'r.json')));
  const failed = await refusedStart(['--memory', '--instruments', 'NOPE', '--ready-file', 'r.json'], { cwd });
  assert.equal(failed.code, 2);
  assert.ok(!existsSync(join(cwd, 'r.json')));
});

test('bourse starts an exchange, by the command of that name and by none', async () => {
  const program = programModule('src/bourse.ts');
  const server = await Server.start(['--memory', '--operator-port', '0'], {}, program);
  assert.deepEqual(await failingChecks(server.url), []);
  assert.equal((await server.end('SIGINT')).code, 0);
  const named = await bourse(['start', '--memory', '--no-demo']);
  assert.equal(named.code, 2, named.stderr);
  assert.match(named.stderr, /--memory keeps nothing/);
  const help = await command(['--help']);
  assert.deepEqual(
    [help.code, /^ {2}start /m.test(help.stdout), /^ {2}status /m.test(help.stdout)],
    [0, true, true],
  );
  const unknown = await command(['strat']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /unknown command 'strat'/);
});
