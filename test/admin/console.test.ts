/** Sign-in of the console, its sessions and stream, and that its actions are those of the command line. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { ConsoleSessions } from '../../src/admin/console-sessions.ts';
import { ACTIONS, type Action, commandLine, firstValues } from '../../web/console/actions.ts';
import { command } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { endVenues, type Json, Venue } from './venue-process.ts';

const venue = new Venue();
before(() => venue.start());
after(endVenues);

async function signIn(body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${venue.note().url}/admin/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Json };
}

/** A session in the name of ann. */
async function session(): Promise<{ id: number; bearer: string }> {
  const { url } = await venue.ask('console', '--by', 'ann');
  const { status, body } = await signIn({ code: new URL(url).hash.slice('#code='.length) });
  assert.equal(status, 200);
  return body;
}
const as = (bearer: string, headers: Record<string, string> = {}) => ({
  authorization: `Bearer ${bearer}`,
  ...headers,
});

describe('a code of the console', () => {
  it('opens one session, once, in the name of who asked for it', async () => {
    const { url, validSeconds } = await venue.ask('console', '--by', 'ann');
    assert.equal(validSeconds, 60);
    assert.ok(url.startsWith(`${venue.note().url}/#code=`));
    const code = new URL(url).hash.slice('#code='.length);
    assert.equal(Buffer.from(code, 'base64url').length, 16);
    const first = await signIn({ code });
    assert.deepEqual([first.status, first.body.operator], [200, 'ann']);
    const { status, body } = await signIn({ code });
    assert.deepEqual([status, body.error.code], [401, 'not_authenticated']);
    // The page cannot act in another name.
    await venue.admin('POST', '/admin/resume', {}, as(first.body.bearer, { 'x-operator': 'eve' }));
    const { operator, action } = venue.audit().at(-1)!;
    assert.deepEqual([operator, action], ['ann', 'resume']);
    const log = JSON.stringify(venue.audit());
    for (const secret of [code, first.body.bearer, venue.note().token]) assert.ok(!log.includes(secret));
  });

  it('and a session have their time', () => {
    let now = 0;
    const sessions = new ConsoleSessions(() => now);
    const late = sessions.issueCode('ann');
    now = 60_000;
    assert.equal(sessions.redeem(late), undefined);
    assert.equal(sessions.redeem(sessions.issueCode('ann')), 'ann');
    const { bearer, id } = sessions.begin('ann');
    now += 8 * 3_600_000 - 1;
    assert.equal(sessions.find(bearer)?.operator, 'ann');
    now += 1;
    assert.deepEqual([sessions.find(bearer), sessions.list()], [undefined, []]);
    assert.equal(sessions.end(id), true);
  });
});

describe('a session', () => {
  it('reads and acts, is listed, cannot open another, and ends', async () => {
    const { bearer, id } = await session();
    assert.equal((await venue.admin('GET', '/admin/config', undefined, as(bearer))).status, 200);
    assert.equal((await venue.admin('GET', '/admin/risk?limit=5', undefined, as(bearer))).status, 200);
    const more = await venue.admin('POST', '/admin/session-codes', {}, as(bearer));
    assert.deepEqual([more.status, more.body.error.code], [422, 'not_allowed']);
    const listed = (await venue.admin('GET', '/admin/sessions')).body.sessions;
    assert.ok(listed.some((each: Json) => each.id === id && each.operator === 'ann'));
    assert.ok(!JSON.stringify(listed).includes(bearer));
    assert.equal((await venue.admin('DELETE', `/admin/sessions/${id}`, undefined, as(bearer))).status, 200);
    assert.equal((await venue.admin('GET', '/admin/health', undefined, as(bearer))).status, 401);
    assert.equal((await venue.admin('DELETE', `/admin/sessions/${id}`)).status, 404);
  });

  it('may begin with the token, which the page then forgets', async () => {
    const { token } = venue.note();
    const { status, body } = await signIn({}, as(token, { 'x-operator': 'bea' }));
    assert.deepEqual([status, body.operator], [200, 'bea']);
    assert.notEqual(body.bearer, token);
  });

  it('is nothing to a page of another origin', async () => {
    const { bearer } = await session();
    for (const foreign of [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await venue.admin('GET', '/admin/health', undefined, as(bearer, foreign));
      assert.deepEqual(
        [answer.status, answer.body.error.code],
        [403, 'foreign_page'],
        JSON.stringify(foreign),
      );
      assert.equal((await signIn({ code: 'x' }, foreign)).status, 403);
    }
    const own = { origin: venue.note().url, 'sec-fetch-site': 'same-origin' };
    assert.equal((await venue.admin('GET', '/admin/health', undefined, as(bearer, own))).status, 200);
  });
});

describe('the stream of figures', () => {
  const STREAM = () => `${venue.note().url.replace('http', 'ws')}/admin/stream`;

  it('tells figures and lines of the audit log to a session, and ends with it', async () => {
    const { bearer, id } = await session();
    const socket = new WebSocket(STREAM());
    const messages: Json[] = [];
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    const told = new Promise<void>((resolve) =>
      socket.on('message', (data) => {
        messages.push(JSON.parse((data as Buffer).toString()));
        if (messages.some(({ type }) => type === 'audit')) resolve();
      }),
    );
    socket.on('open', () => socket.send(JSON.stringify({ bearer })));
    await new Promise((resolve) => socket.once('message', resolve));
    await venue.admin('POST', '/admin/resume', {}, as(bearer));
    await told;
    assert.equal(messages[0].type, 'figures');
    assert.ok(messages[0].checks.length > 5 && messages[0].applied > 0);
    assert.equal(messages.find(({ type }) => type === 'audit').line.action, 'resume');
    await venue.admin('DELETE', `/admin/sessions/${id}`);
    assert.equal(await closed, 4401);
  });

  it('tells nothing without a session, and opens for no foreign page or name', async () => {
    const socket = new WebSocket(STREAM());
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(data));
    socket.on('open', () => socket.send('{"bearer":"wrong"}'));
    assert.equal(await new Promise((resolve) => socket.on('close', resolve)), 4401);
    assert.deepEqual(messages, []);
    for (const headers of [
      { origin: 'http://evil.example' },
      { host: 'evil.example:80' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      const foreign = new WebSocket(STREAM(), { headers });
      const refused = await new Promise<number>((resolve) => {
        foreign.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode!));
        foreign.on('open', () => resolve(101));
        foreign.on('error', () => {});
      });
      assert.equal(refused, headers.host === undefined ? 403 : 421, JSON.stringify(headers));
      foreign.terminate();
    }
  });
});

describe('every action of the console', () => {
  interface Seen {
    readonly method: string;
    readonly path: string;
    readonly body: unknown;
  }
  let seen: Seen[] = [];
  const listener = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const { method, url } = request;
      seen.push({ method: method!, path: url!, body: text === '' ? undefined : JSON.parse(text) });
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end('{"error":{"code":"already_exists","message":"seen"}}');
    });
  });
  const tokenFile = join(temporaryDirectory(), 'token');
  before(async () => {
    writeFileSync(tokenFile, `${'t'.repeat(40)}\n`, { mode: 0o600 });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  });
  after(() => listener.close());

  /** Values that a person could give; a name that a shell would take apart. */
  const VALUES: Readonly<Record<string, string>> = {
    account: "o'neil & co",
    name: 'new one',
    amount: '10.5',
    coin: 'USDT',
    reference: 'bank 17',
    symbol: 'BTCUSDT',
    percent: '-10',
    factor: '5',
    extra: '40',
    seconds: '30',
    id: '17',
  };

  for (const [name, action] of Object.entries<Action>(ACTIONS)) {
    it(`sends what its command sends: ${name}`, async () => {
      const values = firstValues(action, {});
      for (const { name: field, options } of action.fields)
        values[field] = VALUES[field] ?? (options === undefined ? 'abc' : options.at(-1)!);
      if (name === 'createKey') values.permissions = 'uta_trade,uta_mgt';
      if (name === 'createAccount') values.kind = 'sub';
      const { method, path, body } = action.request(values);
      seen = [];
      const at = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
      const args = [...action.command(values), '--operator', at, '--token-file', tokenFile];
      const { stderr } = await command(args);
      const sent = seen.find((each) => each.method === method);
      assert.ok(sent !== undefined, `${commandLine(action.command(values))}: ${stderr}`);
      assert.deepEqual(sent, { method, path, body });
    });
  }

  it('asks for the typed name when it is dangerous', () => {
    const given = { account: 'bob', coin: 'BTC', symbol: 'BTCUSDT', status: 'offline' };
    const typed = Object.fromEntries(
      Object.entries<Action>(ACTIONS).flatMap(([name, { typed: needed }]) =>
        needed === undefined ? [] : [[name, needed(given)]],
      ),
    );
    assert.deepEqual(typed, {
      halt: 'halt',
      rotate: 'rotate',
      status: 'BTCUSDT',
      freeze: 'bob',
      deleteKey: 'delete',
      drainPool: 'BTC',
      drainInsurance: 'BTC',
      writeOff: 'bob',
      liquidate: 'bob',
      deleverage: 'bob',
    });
    assert.equal(ACTIONS.status.typed({ ...given, status: 'online' }), undefined);
  });

  it('shows its command as a shell reads it', () => {
    assert.equal(commandLine(['freeze', "o'neil & co"]), "bourse freeze 'o'\\''neil & co'");
    assert.equal(commandLine(['market', 'shock', 'BTC', '-10']), 'bourse market shock BTC -10');
  });
});

// The last: from then on this address has had too many attempts for a minute.
describe('a code of the console', () => {
  it('is not guessed: without one nothing is written, and guesses are slowed down', async () => {
    const lines = venue.audit().length;
    const tries = await Promise.all(
      Array.from({ length: 14 }, (_, n) => signIn(n === 0 ? {} : { code: `guess-${n}` })),
    );
    assert.ok(tries.every(({ status }) => status === 401 || status === 429));
    assert.ok(tries.some(({ status }) => status === 429));
    assert.equal(venue.audit().length, lines);
  });
});
