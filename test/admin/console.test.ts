/** Sign-in of the console, its sessions and stream, and that its actions are those of the command line. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { ConsoleSessions } from '../../src/admin/console-sessions.ts';
import { searchUsers } from '../../src/admin/search-accounts.ts';
import type { Identity } from '../../src/identity/identity.ts';
import { ACTIONS, type Action, commandLine, firstValues, isComplete } from '../../web/console/actions.ts';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
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

describe('a session', () => {
  it('is in no cookie: a page of this server without its bearer is nobody', async () => {
    const { bearer } = await session();
    for (const headers of [
      { cookie: `session=${bearer}` },
      { 'sec-fetch-site': 'none', accept: 'text/html' },
    ]) {
      const answer = await fetch(`${venue.note().url}/admin/health`, {
        headers: headers as Record<string, string>,
      });
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('set-cookie'), null);
    }
    const page = await fetch(venue.note().url, { headers: { accept: 'text/html' } });
    assert.deepEqual([page.status, page.headers.get('set-cookie')], [200, null]);
    const begun = await fetch(`${venue.note().url}/admin/session`, {
      method: 'POST',
      headers: as(venue.note().token, { 'content-type': 'application/json' }),
      body: '{}',
    });
    assert.deepEqual([begun.status, begun.headers.get('set-cookie')], [200, null]);
  });

  it('is for this listener alone: the public port and another exchange do not know it', async () => {
    const { bearer } = await session();
    const other = await new Venue().start();
    assert.equal((await other.admin('GET', '/admin/health', undefined, as(bearer))).status, 401);
    assert.equal((await fetch(`${venue.url}/admin/health`, { headers: as(bearer) })).status, 404);
    await other.stop();
  });

  it('and a code end with the token: a new one is made when its file is gone', async () => {
    const other = await new Venue().start();
    const { url } = await other.ask('console');
    const code = new URL(url).hash.slice('#code='.length);
    const { token } = other.note();
    const begun = await other.admin('POST', '/admin/session', {}, as(token));
    assert.equal(begun.status, 200);
    rmSync(join(other.data, 'operator.token'));
    await other.restart();
    assert.notEqual(other.note().token, token);
    for (const bearer of [begun.body.bearer, token])
      assert.equal((await other.admin('GET', '/admin/health', undefined, as(bearer))).status, 401);
    const late = await fetch(`${other.note().url}/admin/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    assert.equal(late.status, 401);
    await other.stop();
  });
});

describe('what the console reads', () => {
  it('accounts are found beyond the first thousand', async () => {
    const users = Array.from({ length: 2500 }, (_, n) => ({ uid: n + 1, name: `user ${n + 1}`, note: '' }));
    const listUsers = ({ afterUid = 0, limit = 1000 } = {}) => users.slice(afterUid, afterUid + limit);
    const found = (text: string, limit: number) =>
      searchUsers({ listUsers } as unknown as Identity, text, { afterUid: 0, limit });
    assert.deepEqual(
      (await found('user 249', 1000)).map(({ uid }) => uid),
      [249, ...Array.from({ length: 10 }, (_, n) => 2490 + n)],
    );
    assert.equal((await found('', 1000)).length, 1000);
    assert.equal((await found('USER 2500', 1)).length, 1);
  });

  it('accounts are found by a part of uid, name or note', async () => {
    await venue.ask('account', 'create', 'needle-main', '--note', 'Kept for the Test');
    await venue.ask('account', 'create', 'thread', '--kind', 'sub', '--master', 'needle-main');
    const list = async (query: string) =>
      (await venue.admin('GET', `/admin/accounts?${query}`)).body.accounts as Json[];
    const [main, sub] = await list('search=needle').then(async ([found]) => [
      found,
      (await list(`master=${found.uid}`))[0],
    ]);
    assert.deepEqual([main.name, sub.name, sub.master], ['needle-main', 'thread', main.uid]);
    for (const search of [String(main.uid), 'NEEDLE', 'for the test'])
      assert.deepEqual(
        (await list(`search=${encodeURIComponent(search)}`)).map(({ uid }) => uid),
        [main.uid],
      );
    assert.deepEqual(await list('search=nobody-has-this'), []);
    const { rights, quotas } = (await venue.admin('GET', `/admin/accounts/${main.uid}`)).body;
    assert.deepEqual([rights, quotas.map(({ category }: Json) => category)], [[], ['spot', 'futures']]);
  });

  it('past deposits are listed, of one account or of all, the newest first and page by page', async () => {
    for (const name of ['saver-a', 'saver-b']) await venue.ask('account', 'create', name);
    const pay = (name: string, amount: string, reference: string) =>
      venue.ask('deposit', name, amount, 'USDT', '--reference', reference);
    await pay('saver-a', '10', 'tx-a1');
    const { id, uid } = await pay('saver-b', '20.5', 'tx-b1');
    await pay('saver-a', '30', 'tx-a2');
    const list = async (query: string) =>
      (await venue.admin('GET', `/admin/deposits${query}`)).body.deposits as Json[];
    const references = (deposits: Json[]) => deposits.map(({ reference }) => reference);
    assert.deepEqual(references(await list('?limit=3')), ['tx-a2', 'tx-b1', 'tx-a1']);
    assert.deepEqual(references(await list('?account=saver-a')), ['tx-a2', 'tx-a1']);
    assert.deepEqual(references(await list(`?limit=1&before=${id}`)), ['tx-a1']);
    const [{ created, ...deposit }] = (await list('?account=saver-b')) as [Json];
    const outside = { from: '', chain: '', address: '', reference: 'tx-b1' };
    assert.deepEqual(deposit, { id, uid, coin: 'USDT', amount: '20.5', ...outside });
    assert.ok(created > 0);
    assert.deepEqual(references((await venue.ask('deposits', '--account', 'saver-b')).deposits), ['tx-b1']);
    assert.equal((await venue.admin('GET', '/admin/deposits?account=nobody')).status, 404);
  });

  it('a list that is asked for more than it gives says how much that is', async () => {
    for (const path of ['risk', 'deposits'])
      for (const limit of ['0', '1001']) {
        const { status, body } = await venue.admin('GET', `/admin/${path}?limit=${limit}`);
        assert.deepEqual([status, body.error.message], [400, 'limit must be 1 to 1000'], path);
      }
  });

  it('entries of the catalogue are shown as they can be listed again', async () => {
    const { spec } = (await venue.admin('GET', '/admin/instruments/SPOT/BTCUSDT')).body;
    assert.equal(spec.symbol, 'BTCUSDT');
    const again = await venue.admin('POST', '/admin/instruments', { spec });
    assert.deepEqual([again.status, again.body.error.code], [409, 'already_exists']);
    const coin = (await venue.admin('GET', '/admin/coins/USDT')).body.spec;
    await venue.ask('instrument', 'add', JSON.stringify({ ...coin, coin: 'NEWCOIN', name: 'New coin' }));
    assert.equal((await venue.admin('GET', '/admin/coins/NEWCOIN')).body.spec.name, 'New coin');
    const { instruments } = (await venue.admin('GET', '/admin/instruments?category=USDT-FUTURES')).body;
    const btc = instruments.find(({ symbol }: Json) => symbol === 'BTCUSDT');
    assert.ok(btc.nextFunding > Date.now() && btc.fundingRate !== '', JSON.stringify(btc));
    assert.deepEqual([btc.bid, btc.bidDepth], ['', '0']);
  });

  it('the audit log is checked as a whole, and searched', async () => {
    await venue.ask('account', 'create', 'audited-one', '--by', 'zoe');
    const { lines, total, head } = (await venue.admin('GET', '/admin/audit?search=ZOE&limit=10')).body;
    assert.deepEqual(
      lines.map(({ action, outcome }: Json) => `${action} ${outcome}`),
      ['account.create begun', 'account.create done'],
    );
    const written = venue.audit();
    assert.deepEqual([total, head], [written.length, written.at(-1)!.hash]);
    for (const [query, checked] of [
      ['limit=1', 1],
      ['limit=1&verify=yes', written.length],
    ] as const) {
      const { body } = await venue.admin('GET', `/admin/audit?${query}`);
      assert.deepEqual(
        [body.lines.length, body.total, body.checked, body.head],
        [1, written.length, checked, head],
      );
    }
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

describe('the stream of figures of a busy market', () => {
  it('counts orders of agents, which cause no events of their own, and trades', async () => {
    const busy = await startHosted({ args: ['--market', 'wild', '--backfill', '0'] });
    const { url, token } = JSON.parse(readFileSync(join(busy.data, 'operator.json'), 'utf8'));
    const headers = as(token, { 'content-type': 'application/json' });
    const socket = new WebSocket(`${url.replace('http', 'ws')}/admin/stream`);
    socket.on('open', () => socket.send(JSON.stringify({ bearer: token })));
    const counted = await new Promise<Json>((resolve) =>
      socket.on('message', (data) => {
        const figures = JSON.parse((data as Buffer).toString());
        if (figures.ordersPerSecond > 0 && figures.tradesPerSecond > 0) resolve(figures);
      }),
    );
    // One command may amend several orders, so neither figure bounds the other.
    assert.ok(counted.commandsPerSecond > 0, JSON.stringify(counted));
    const { market, clock, factor, demo, nextFunding } = counted;
    assert.deepEqual(
      [market.level, market.running, clock, factor, demo],
      ['wild', market.agents, 'wall', 1, true],
    );
    assert.ok(nextFunding > counted.time);
    const risk = await fetch(`${url}/admin/risk?limit=3`, { headers });
    const { levels, contracts } = (await risk.json()) as Json;
    assert.deepEqual(Object.keys(levels), ['due', 'warned', 'within1', 'within5', 'within20', 'beyond20']);
    assert.ok(Array.isArray(contracts));
    const { stdout } = await command([
      ...['force', 'funding', 'USDT-FUTURES', 'BTCUSDT', '--data', busy.data, '--json'],
    ]);
    assert.match(JSON.parse(stdout).rate, /^-?0/);
    const body = JSON.stringify({ category: 'SPOT', symbol: 'BTCUSDT' });
    const refused = await fetch(`${url}/admin/force/funding`, { method: 'POST', headers, body });
    assert.match(((await refused.json()) as Json).error.message, /not a perpetual/);
    socket.terminate();
    await busy.stop();
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
      // The command line looks at the clock before it moves it.
      if (url === '/admin/clock') {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"clock":"manual","factor":0,"time":0}');
        return;
      }
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
    span: '8h',
    step: '1m',
  };

  for (const [name, action] of Object.entries<Action>(ACTIONS)) {
    it(`sends what its command sends: ${name}`, async () => {
      const values = firstValues(action, {});
      for (const { name: field, options } of action.fields)
        values[field] = VALUES[field] ?? (options === undefined ? 'abc' : options.at(-1)!);
      if (name === 'createKey') values.permissions = 'uta_trade,uta_mgt';
      if (name === 'createAccount') values.kind = 'sub';
      if (name === 'addInstrument') values.entry = '{\n  "symbol": "NEWUSDT",\n  "note": "it\'s new"\n}';
      if (name === 'addFault')
        Object.assign(values, { do: '{ "drop": "after" }', when: '{ "path": "trade/*", "nth": [3] }' });
      if (name === 'addCoin') values.entry = '{ "coin": "NEW" }';
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

  it('moves the clock up to an instant as well', () => {
    const to = '2026-06-26T08:00:00.000Z';
    const { request, command: line } = ACTIONS.advanceClock;
    assert.deepEqual(request({ span: to, step: '' }).body, { to });
    assert.deepEqual(line({ span: to, step: '' }), ['clock', 'advance', to]);
  });

  it('waits for an entry that can be read', () => {
    const complete = (entry: string) => isComplete(ACTIONS.addCoin, { entry });
    assert.deepEqual(['', '{', '[]', 'null', '{}'].map(complete), [false, false, false, false, true]);
  });

  it('asks for the typed name when it is dangerous', () => {
    const given = {
      ...{ account: 'bob', coin: 'BTC', symbol: 'BTCUSDT', status: 'offline' },
      ...{ name: 'before', id: 'fork-1' },
    };
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
      forceFunding: 'BTCUSDT',
      deleteSnapshot: 'before',
      revert: 'before',
      endFork: 'fork-1',
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
