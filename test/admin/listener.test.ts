/** The operator's listener: who gets in, from where, and what a misuse is told. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OPERATOR_ROUTES } from '../../src/admin/server.ts';
import { command, Server, start } from '../app/bourse-process.ts';
import { refusedHosted, startHosted } from '../harness/hosted-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { endVenues, Venue } from './venue-process.ts';

const venue = new Venue();
/** No market, and small segments: a start prepares less. */
const SMALL = ['--market', 'off', '--segment-bytes', '1048576', '--no-demo'];

before(() => venue.start());
after(endVenues);

test("the public port knows nothing of the operator's listener", async () => {
  const { token } = venue.note();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (const { method, path } of OPERATOR_ROUTES) {
    const answer = await fetch(venue.url + path.replace(/:\w+/, '1'), {
      method,
      headers,
      ...(method === 'POST' && { body: '{}' }),
    });
    assert.equal(answer.status, 404, `${method} ${path}`);
  }
  const { url } = venue.note();
  assert.equal((await fetch(`${url}/api/v3/market/instruments?category=SPOT`, { headers })).status, 404);
});

test('the page about the exchange says that there are no demo accounts, and what to do then', async () => {
  const page = await (await fetch(`${venue.url}/about`, { headers: { accept: 'text/html' } })).text();
  assert.match(page, /Demo accounts are <strong>off<\/strong>/);
  assert.match(page, /npm run -s bourse -- account create alice/);
});

test('nobody enters any route without the token', async () => {
  const { url, token } = venue.note();
  assert.ok(Buffer.from(token, 'base64url').length >= 32);
  const last = token.at(-1) === 'A' ? 'B' : 'A';
  const wrong = [
    '',
    `Bearer ${token.slice(0, -1)}${last}`,
    `Bearer ${token}x`,
    `Basic ${token}`,
    token,
    'Bearer ',
  ];
  for (const authorization of wrong) {
    const answer = await venue.admin('GET', '/admin/books', undefined, { authorization });
    assert.equal(answer.status, 401, authorization);
    assert.equal(answer.body.error.code, 'not_authenticated');
  }
  assert.equal((await fetch(`${url}/admin/no-such-path`)).status, 401);
  const lines = venue.audit().length;
  const startMs = performance.now();
  // Sign-in is refused after its body was read; all others before. At most 64 connections are taken at a time.
  const answers: Response[] = [];
  for (let from = 0; from < OPERATOR_ROUTES.length; from += 32) {
    const some = OPERATOR_ROUTES.slice(from, from + 32).map(({ method, path }) =>
      fetch(url + path.replace(/:\w+/, '1'), {
        method,
        ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }),
      }),
    );
    answers.push(...(await Promise.all(some)));
  }
  for (const { status } of answers) assert.ok(status === 401 || status === 429, String(status));
  assert.ok(
    answers.some(({ status }) => status === 429),
    'the eleventh wrong token in a minute is throttled',
  );
  assert.ok(performance.now() - startMs >= 900, 'and answered late');
  assert.equal(venue.audit().length, lines);
  assert.equal((await venue.admin('GET', '/admin/books')).status, 200, 'the right token is always let in');
});

test('the listener has no CORS, takes JSON only, and at most 64 KiB of it', async () => {
  const origin = { origin: 'https://evil.example' };
  const answer = await venue.admin('GET', '/admin/health', undefined, origin);
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
  const preflight = await fetch(`${venue.note().url}/admin/halt`, { method: 'OPTIONS', headers: origin });
  assert.equal(preflight.headers.get('access-control-allow-origin'), null);
  const form = await venue.admin('POST', '/admin/halt', {}, { 'content-type': 'text/plain' });
  assert.equal(form.status, 400);
  const big = await venue.admin('POST', '/admin/accounts', { name: 'x'.repeat(70_000) });
  assert.equal(big.status, 400);
  assert.equal((await venue.admin('GET', '/admin/health')).body.halted, false);
});

test('a mistake in a request is named', async () => {
  const cases: [string, unknown, RegExp][] = [
    ['/admin/accounts', {}, /name is missing/],
    ['/admin/accounts', { name: 'x', kynd: 'sub' }, /kynd is not a known field/],
    ['/admin/accounts', { name: 'x', kind: 'subb' }, /kind must be one of main, sub, broker/],
    ['/admin/accounts', { name: 7 }, /name must be string/],
    [
      '/admin/deposits',
      { account: 'x', coin: 'USDT', amount: '1,5', reference: 'r' },
      /amount must be a decimal/,
    ],
    ['/admin/fees', [], /must be object/],
  ];
  for (const [path, body, message] of cases) {
    const answer = await venue.admin('POST', path, body);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.match(answer.body.error.message, message);
  }
  const named = await venue.admin('POST', '/admin/halt', {}, { 'x-operator': 'eve#1' });
  assert.match(named.body.error.message, /x-operator must be a name/);
});

test('token and note are for the owner alone, the token stays, the note goes with the server', async () => {
  const own = await new Venue().start();
  const { token } = own.note();
  for (const file of ['operator.json', 'operator.token', 'audit.log', 'audit.head']) {
    assert.equal(statSync(join(own.data, file)).mode & 0o777, 0o600, file);
  }
  await own.restart();
  assert.equal(own.note().token, token);
  await own.stop();
  assert.equal(existsSync(join(own.data, 'operator.json')), false);
  await own.refused(3, /no exchange runs on .*Start it with: npm start/, 'health');
});

test('a listener beyond this machine needs a token file of its own', async () => {
  const data = join(temporaryDirectory(), 'data');
  const open = ['--operator-host', '0.0.0.0', ...SMALL];
  const refused = await start(['--data', data, ...open]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--operator-token-file/);
  const tokenFile = join(temporaryDirectory(), 'token');
  writeFileSync(tokenFile, 'short\n', { mode: 0o600 });
  const withToken = [...open, '--operator-token-file', tokenFile];
  assert.equal((await refusedHosted(data, withToken)).code, 4);
  chmodSync(tokenFile, 0o644);
  const exposed = await refusedHosted(data, withToken);
  assert.deepEqual([exposed.code, /chmod 600/.test(exposed.stderr)], [3, true]);
  chmodSync(tokenFile, 0o600);
  writeFileSync(tokenFile, `${'s3cret-'.repeat(6)}\n`);
  const server = await startHosted({ data, args: withToken });
  const port = new URL(JSON.parse(readFileSync(join(data, 'operator.json'), 'utf8')).url).port;
  const at = ['--operator', `http://127.0.0.1:${port}`, '--token-file', tokenFile];
  assert.equal((await command(['health', ...at])).code, 0);
  assert.equal((await command(['health', '--operator', `http://127.0.0.1:${port}`])).code, 2);
  writeFileSync(tokenFile, `${'guessed'.repeat(6)}\n`);
  const guessed = await command(['health', ...at]);
  assert.equal(guessed.code, 3);
  assert.match(guessed.stderr, /does not let us in/);
  await server.kill();
  const gone = await command(['health', ...at]);
  assert.equal(gone.code, 3);
  assert.match(gone.stderr, /not running. Start it with: npm start/);
});

test('--no-operator opens no listener', async () => {
  const data = join(temporaryDirectory(), 'data');
  const server = await Server.start(['--data', data, '--no-operator', ...SMALL]);
  assert.equal(JSON.parse(server.stdout.split('\n')[0]!).operator, null);
  assert.equal(existsSync(join(data, 'operator.json')), false);
  await server.end('SIGINT');
});

test('the command line names misspelt commands and shows tables or one JSON document', async () => {
  const misspelt = await venue.run('acount', 'list');
  assert.deepEqual([misspelt.code, /Did you mean account\?/.test(misspelt.stderr)], [2, true]);
  const verb = await venue.run('account', 'lst');
  assert.deepEqual([verb.code, /Did you mean list\?/.test(verb.stderr)], [2, true]);
  await venue.ask('account', 'create', 'tabled');
  const table = await venue.run('account', 'list');
  const [head, row] = table.stdout.split('\n');
  assert.equal(head!.indexOf('name'), row!.indexOf('tabled'));
  assert.equal(table.stderr, '');
  const { stdout } = await venue.run('account', 'list', '--json');
  assert.equal(stdout.trimEnd().split('\n').length, 1);
  const groups = ['account', 'key', 'withdrawal', 'instrument', 'fees', 'audit', 'identity'];
  const verbs = ['health', 'trial-balance', 'halt', 'resume', 'snapshot', 'deposit'];
  const former = await venue.run('books', '--json');
  assert.match(former.stderr, /the command books is now called trial-balance/);
  assert.equal(JSON.parse(former.stdout).balanced, true, 'a former name still works');
  for (const group of [...groups, ...verbs]) {
    const help = await command([group, '--help']);
    assert.equal(help.code, 0);
    assert.ok(help.stdout.startsWith('Examples:\n'), group);
  }
});
