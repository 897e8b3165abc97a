/** An exchange with its history in PostgreSQL, as operators start and clients read it. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ccxtClient } from '../api/clients.ts';
import { command, start } from '../app/bourse-process.ts';
import { refusedHosted, startHosted } from '../harness/hosted-server.ts';
import { type RunningServer, startServer, type TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER, type PostgresServer, sharedServer } from './server.ts';

const PAIR = 'BTC/USDT';
/** One pair, which clients load in no time. */
const ONE_PAIR = ['--instruments', 'SPOT:BTCUSDT'];
/** Small segments and frequent snapshots: the log soon does not reach back to its beginning. */
const SHORT_LOG = [
  ...['--segment-bytes', '262144', '--snapshot-commands', '200', '--rate-limits', 'off'],
  ...ONE_PAIR,
];

describe('an exchange with its history in PostgreSQL', { skip: NO_SERVER }, () => {
  const home = temporaryDirectory();
  const data = join(home, 'data');
  let server: PostgresServer;
  let database: string;
  let url: string;
  let exchange: TestServer | undefined;
  let seen: unknown;

  const run = async (...args: string[]) => {
    exchange = await startHosted({ data, args: [...SHORT_LOG, ...args] });
    return exchange;
  };
  /** For tests that read its output. */
  const runAlone = async (...args: string[]): Promise<RunningServer> => {
    const alone = await startServer({ data, args: [...SHORT_LOG, ...args] });
    exchange = alone;
    return alone;
  };
  const stop = async () => {
    assert.equal(await exchange?.stop(), 0);
    exchange = undefined;
  };
  after(() => exchange?.kill());

  it('takes over the file of an exchange that had one, and clients see no difference', async () => {
    server = await sharedServer();
    database = await server.createDatabase();
    url = server.url(database);
    const before = await run();
    for (let round = 0; round < 60; round++) await trade(before, round);
    seen = await everythingOf(before);
    await stop();
    const after = await runAlone('--history', url.replace('bourse@', 'bourse:s3cret@'));
    assert.deepEqual(await everythingOf(after), seen);
    assert.match(after.log(), /the history is moved up to command \d+/);
    assert.match(
      readFileSync(join(data, 'history.json'), 'utf8'),
      /^\{"postgres":"postgres:\/\/bourse@127\.0\.0\.1:\d+\/\w+"\}\n$/,
    );
    assert.doesNotMatch(after.log(), /s3cret/);
    await trade(after, 1000);
    seen = await everythingOf(after);
    await stop();
  });

  it('is found again without being named, and verified in the database', async () => {
    assert.deepEqual(await everythingOf(await run()), seen);
    await stop();
    const verified = await command(['verify', '--data', data]);
    assert.equal(verified.code, 0, verified.output);
    assert.match(
      verified.stdout,
      /ok +history: rows +\d+ rows compared with the replay; \d+ rows with the right checksum/,
    );

    const newest = 'WHERE exec_id = (SELECT max(exec_id) FROM history.fills)';
    const [written] = await server.run(`SELECT exec_qty FROM history.fills ${newest}`, database);
    await server.run(`UPDATE history.fills SET exec_qty = '77' ${newest}`, database);
    const damaged = await command(['verify', '--data', data]);
    assert.equal(damaged.code, 4, damaged.output);
    assert.match(damaged.stdout, /in postgres:\/\/bourse@127\.0\.0\.1:\d+\/\w+: see below/);
    assert.match(damaged.stdout, /fills exec_id=\d+: (its checksum does not match|.*exec_qty is 77)/);
    const repair = await command(['verify', '--data', data, '--repair-history']);
    assert.equal(repair.code, 2);
    assert.match(repair.stderr, /is not repaired in place/);
    await server.run(
      `UPDATE history.fills SET exec_qty = '${String(written?.exec_qty)}' ${newest}`,
      database,
    );
  });

  it('goes on trading while the server restarts, shows the lag, and loses nothing', async () => {
    const running = await runAlone();
    const status = await command(['status', '-o', 'json', '--data', data]);
    assert.equal(JSON.parse(status.stdout).history, url);
    await server.stop();
    await trade(running, 2000);
    await until('the lag shows', async () =>
      /^bourse_history_lag_rows [1-9]/m.test(await metricsOf(running)),
    );
    const client = ccxtClient(running.url, running.account('alice'));
    await assert.rejects(client.fetchMyTrades(PAIR), /the history cannot be read now/);
    await server.resume();
    await until('the history is back', async () =>
      /^bourse_history_lag_rows 0$/m.test(await metricsOf(running)),
    );
    await trade(running, 2001);
    seen = await everythingOf(running);
    assert.match(running.log(), /is away: .*[\s\S]*is back after/);
    await running.kill();
    const again = await run();
    assert.deepEqual(await everythingOf(again), seen);
    await stop();
  });

  it('is backed up as a file, which a restored exchange begins with, and never with the place of the first', async () => {
    const running = await run();
    const backup = join(home, 'backup');
    const made = await command(['backup', backup, '--data', data]);
    assert.equal(made.code, 0, made.output);
    await trade(running, 3000);
    await stop();
    const proven = await command(['verify', backup]);
    assert.equal(proven.code, 0, proven.output);
    const copy = join(home, 'copy');
    assert.equal((await command(['restore', backup, '--data', copy])).code, 0);
    assert.ok(existsSync(join(copy, 'history.sqlite')) && !existsSync(join(copy, 'history.json')));
    const inFile = await startHosted({ data: copy, args: SHORT_LOG });
    assert.deepEqual(await everythingOf(inFile), seen);
    assert.equal(await inFile.stop(), 0);
    const other = await server.createDatabase();
    const moved = await startHosted({ data: copy, args: [...SHORT_LOG, '--history', server.url(other)] });
    assert.deepEqual(await everythingOf(moved), seen);
    assert.equal(await moved.stop(), 0);
  });

  it('refuses a database of another exchange, one that is behind the log, and the laboratory', async () => {
    const flags = (...args: string[]) => [
      ...['--data', data, '--port', '0', '--operator-port', '0', '--market', 'off'],
      ...args,
    ];
    const refuses = async (expected: RegExp, code: number, ...args: string[]) => {
      const refused = await refusedHosted(data, args);
      assert.match(refused.stderr, expected);
      assert.equal(refused.code, code, refused.stderr);
      assert.doesNotMatch(refused.stderr, /s3cret/);
    };
    const foreign = await server.createDatabase();
    const stranger = await startHosted({ args: [...ONE_PAIR, '--history', server.url(foreign)] });
    assert.equal(await stranger.stop(), 0);
    const withPassword = server.url(foreign).replace('bourse@', 'bourse:s3cret@');
    const ended = await start(flags('--history', withPassword));
    assert.match(ended.stderr, /it holds the history of another exchange/);
    assert.equal(ended.code, 3, ended.stderr);
    assert.doesNotMatch(ended.output, /s3cret/);
    const empty = await server.createDatabase();
    await refuses(
      /the history in postgres:.* ends at command 0, the oldest usable snapshot/,
      4,
      '--history',
      server.url(empty).replace('bourse@', 'bourse:s3cret@'),
    );
    await refuses(
      /history\.sqlite ends at command \d+, the oldest usable snapshot/,
      4,
      '--history',
      'sqlite',
    );
    await refuses(/the laboratory copies the history/, 2, '--lab', 'on');
    await refuses(/--memory keeps nothing/, 2, '--memory', '--history', url);
    const wrong = await command(['config', '--history', 'postgres:/u:s3cret@h']);
    assert.match(wrong.stderr, /--history must be sqlite or postgres:\/\/USER@HOST\/DATABASE/);
    assert.doesNotMatch(wrong.output, /s3cret/);
    const config = await command(['config', '--history', 'postgres://u:s3cret@h/x']);
    assert.match(config.stdout, /"history": "postgres:\/\/u@h\/x"/);
    const explained = await command([
      'config',
      '--explain',
      '--history',
      'postgres://u:s3cret@h/x?password=s3cret',
    ]);
    assert.doesNotMatch(explained.output, /s3cret/);
  });

  it('is projected again from a log that reaches back far enough', async () => {
    const fresh = join(home, 'fresh');
    const first = await server.createDatabase();
    const running = await startHosted({ data: fresh, args: [...ONE_PAIR, '--history', server.url(first)] });
    for (let round = 0; round < 5; round++) await trade(running, round);
    const expected = await everythingOf(running);
    // Without a snapshot the log is replayed from its first command.
    await running.kill();
    await server.run('DROP SCHEMA history CASCADE', first);
    const again = await startHosted({ data: fresh, args: ONE_PAIR });
    assert.deepEqual(await everythingOf(again), expected);
    assert.equal(await again.stop(), 0);
    assert.equal((await command(['verify', '--data', fresh])).code, 0);
  });
});

/** Alice and Bob trade with each other, and Bob cancels an order. */
async function trade(exchange: TestServer, round: number): Promise<void> {
  const [alice, bob] = ['alice', 'bob'].map((name) => new SignedClient(exchange.url, exchange.account(name)));
  const place = async (client: SignedClient, side: string, price: number, clientOid: string) => {
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      orderType: 'limit',
      timeInForce: 'gtc',
      qty: '0.001',
    };
    const reply = await client.post('/api/v3/trade/place-order', {
      ...order,
      side,
      price: String(price),
      clientOid,
    });
    assert.equal(reply.code, '00000', reply.text);
  };
  const price = 59_000 + (round % 50);
  await place(alice!, 'sell', price, `sold-${round}`);
  await place(bob!, 'buy', price, `bought-${round}`);
  await place(bob!, 'buy', 50_000, `resting-${round}`);
  const cancelled = await bob!.post('/api/v3/trade/cancel-order', {
    clientOid: `resting-${round}`,
    category: 'SPOT',
    symbol: 'BTCUSDT',
  });
  assert.equal(cancelled.code, '00000', cancelled.text);
  for (const client of [alice!, bob!]) client.close();
}

/** What clients can read of the past. */
async function everythingOf(exchange: TestServer) {
  const client = ccxtClient(exchange.url, exchange.account('bob'));
  const window = { since: undefined, limit: 100 };
  const [trades, orders, cancelled, ledger, deposits] = await Promise.all([
    client.fetchMyTrades(PAIR, window.since, window.limit),
    client.fetchClosedOrders(PAIR, window.since, window.limit),
    client.fetchCanceledOrders(PAIR, window.since, window.limit),
    client.fetchLedger('USDT', window.since, window.limit),
    client.fetchDeposits('USDT', window.since, window.limit),
  ]);
  return { trades, orders, cancelled, ledger, deposits };
}

async function metricsOf(exchange: TestServer): Promise<string> {
  await sleep(1);
  return (await fetch(`${exchange.url}/metrics`)).text();
}
