/** A full disk under log and history together, on a real small file system (reliability 2.1). */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { command, start } from '../app/bourse-process.ts';
import { startCommand } from '../harness/child-programs.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { programModule } from '../harness/program.ts';
import { type DemoKeys, type LoggedServer, startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { SmallDisk } from '../harness/small-disk.ts';
import { until } from '../harness/until.ts';

const MAIN = programModule('src/main.ts');
const SEGMENT_BYTES = 256 * 1024;
const ARGS = ['--operator-port', '0', '--rate-limits', 'off', '--segment-bytes', String(SEGMENT_BYTES)];
const PLACE = '/api/v3/trade/place-order';
const CANCEL = '/api/v3/trade/cancel-order';
const impossible = SmallDisk.impossible;
const onSmallDisk = (name: string, body: (disk: SmallDisk) => Promise<void>) =>
  test(name, { skip: impossible ?? false }, async () => {
    using disk = SmallDisk.mount(16);
    await body(disk);
  });

const order = (clientOid: string) => ({
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '59000',
  qty: '0.001',
  clientOid,
});

/** An exchange on the small disk, and what its user does. */
class DiskFullVenue implements AsyncDisposable {
  readonly server: LoggedServer;
  readonly client: SignedClient;
  readonly acknowledged: string[] = [];
  #orders = 0;
  #stopped: Promise<number | null> | undefined;

  constructor(server: LoggedServer) {
    this.server = server;
    this.client = new SignedClient(server.url, server.account('alice'));
  }

  /** In a process of its own, which can be killed and whose log is read while it runs. */
  static async open(disk: SmallDisk): Promise<DiskFullVenue> {
    return new DiskFullVenue(await startServer({ data: join(disk.directory, 'data'), args: ARGS }));
  }

  static async openHosted(disk: SmallDisk): Promise<DiskFullVenue> {
    return new DiskFullVenue(await startHosted({ data: join(disk.directory, 'data'), args: ARGS }));
  }

  async place(): Promise<string | undefined> {
    const clientOid = `full-${++this.#orders}`;
    const reply = await this.client.post(PLACE, order(clientOid));
    if (reply.code === '00000') this.acknowledged.push(clientOid);
    else assert.equal(reply.status, 429, reply.text);
    return reply.code === '00000' ? clientOid : undefined;
  }

  /** Placing and cancelling writes to the log and, with the cancelled order, to the history. */
  async placeAndCancel(): Promise<void> {
    const clientOid = await this.place();
    if (clientOid === undefined) return;
    const reply = await this.client.post(CANCEL, { category: 'SPOT', clientOid });
    assert.equal(reply.code, '00000', reply.text);
  }

  /** Once; returns the exit code. */
  async stop(): Promise<number | null> {
    this.#stopped ??= this.server.stop();
    return this.#stopped;
  }

  async mode(): Promise<string> {
    const text = await (await fetch(`${this.server.url}/metrics`)).text();
    return /^bourse_mode\{mode="(\w+)"\} 1$/m.exec(text)![1]!;
  }

  /** Checks of space that fail; others depend on how busy the machine is. */
  async failingChecks(): Promise<string[]> {
    const { checks } = (await (await fetch(`${this.server.url}/readyz`)).json()) as {
      checks: { name: string; ok: boolean }[];
    };
    return checks.filter(({ name, ok }) => !ok && / space$/.test(name)).map(({ name }) => name);
  }

  async untilMode(wanted: string): Promise<void> {
    await until(`mode ${wanted}`, async () => (await this.mode()) === wanted);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    if ('process' in this.server) await this.server.kill();
    else await this.stop();
  }
}

onSmallDisk('normal, cancel-only, read-only and normal again; nothing acknowledged is lost', async (disk) => {
  const modes: string[] = [];
  const data = join(disk.directory, 'data');
  let acknowledged: string[];
  {
    await using desk = await DiskFullVenue.open(disk);
    const { client, server } = desk;
    const note = async () => {
      const mode = await desk.mode();
      if (modes.at(-1) !== mode) modes.push(mode);
      return mode;
    };
    for (let n = 0; n < 50; n++) await desk.place();
    await note();
    disk.fill();
    await until('cancel-only', async () => {
      await desk.placeAndCancel();
      return (await note()) === 'cancel_only';
    });
    assert.equal(await desk.place(), undefined);
    assert.deepEqual(await desk.failingChecks(), ['history space']);
    // An order that was cancelled on the full disk is found as such: reads see what waits for space.
    const [first = '', ...others] = desk.acknowledged;
    assert.equal((await client.post(CANCEL, { category: 'SPOT', clientOid: first })).code, '00000');
    const shown = await client.get('/api/v3/trade/order-info', { clientOid: first });
    assert.equal(shown.data.orderStatus, 'cancelled', shown.text);
    // Only cancellations, until the log has no room either.
    for (let n = 0; n < 40; n++) {
      const reply = await client.post(CANCEL, { category: 'SPOT', clientOid: others[n] });
      assert.ok(reply.code === '00000' || reply.code === '25204', reply.text);
    }
    // Cancellations of orders that do not exist are commands too: they fill the log.
    const nothing = Array.from({ length: 20 }, (_, n) => ({
      category: 'SPOT',
      symbol: 'BTCUSDT',
      clientOid: `none-${n}`.padEnd(32, '-'),
    }));
    await until('read-only', async () => {
      await Promise.all(Array.from({ length: 32 }, () => client.post('/api/v3/trade/cancel-batch', nothing)));
      return (await note()) === 'read_only';
    });
    assert.ok((await desk.failingChecks()).includes('log space'));
    const late = await client.post(CANCEL, { category: 'SPOT', clientOid: desk.acknowledged.at(-1) });
    assert.match(late.msg, /read-only until space is free/);
    assert.equal((await client.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' })).code, '00000');
    disk.free();
    await desk.untilMode('normal');
    await note();
    assert.notEqual(await desk.place(), undefined);
    assert.deepEqual(await desk.failingChecks(), []);
    // The process looks at its mode a few times a second.
    for (const told of [
      /the disk is full for the history/,
      /read-only until space/,
      /the disk has space again/,
    ])
      await until(`a line of ${told}`, () => told.test(server.log()));
    ({ acknowledged } = desk);
  }
  assert.deepEqual(modes, ['normal', 'cancel_only', 'read_only', 'normal']);
  await using desk = await DiskFullVenue.open(disk);
  for (const clientOid of acknowledged) {
    const reply = await desk.client.get('/api/v3/trade/order-info', { clientOid });
    assert.equal(reply.code, '00000', `LOST: ${clientOid} was acknowledged: ${reply.text}`);
  }
  assert.equal(await desk.stop(), 0);
  const verified = await command(['verify', '--data', data]);
  assert.equal(verified.code, 0, verified.output);
});

onSmallDisk('users, keys and operators are refused on a full disk, with nothing half done', async (disk) => {
  await using desk = await DiskFullVenue.openHosted(disk);
  const { client } = desk;
  const admin = operatorOf(disk);
  disk.fill();
  // Small writes find room in what files have; then there is none.
  const key = { label: 'full' };
  await until('a key that is refused', async () => {
    const reply = await admin('POST', '/admin/accounts/alice/keys', key);
    if (reply.status === 200) return false;
    assert.equal(reply.status, 503, JSON.stringify(reply.body));
    assert.match(reply.body.error!.message, /disk is full|no space left/);
    return true;
  });
  await desk.untilMode('cancel_only');
  const names = await subNames(client);
  const sub = await client.post('/api/v3/user/create-sub', { username: 'fullsub' });
  assert.equal(sub.status, 429, sub.text);
  assert.deepEqual(await subNames(client), names);
  disk.free();
  await desk.untilMode('normal');
  assert.equal((await client.post('/api/v3/user/create-sub', { username: 'fullsub' })).code, '00000');
  assert.equal((await admin('POST', '/admin/accounts/alice/keys', key)).status, 200);
  assert.equal(await desk.stop(), 0);
  const audit = await command(['audit', 'verify', '--data', join(disk.directory, 'data')]);
  assert.equal(audit.code, 0, audit.output);
});

onSmallDisk('a snapshot without space fails softly and the old ones stay', async (disk) => {
  await using desk = await DiskFullVenue.openHosted(disk);
  const journal = join(disk.directory, 'data', 'log');
  const snapshots = () => readdirSync(journal).filter((name) => name.startsWith('snapshot-'));
  const admin = operatorOf(disk);
  await desk.placeAndCancel();
  assert.equal((await admin('POST', '/admin/snapshots', {})).status, 200);
  const before = snapshots();
  await desk.placeAndCancel();
  disk.fill();
  await desk.untilMode('cancel_only');
  assert.notEqual((await admin('POST', '/admin/snapshots', {})).status, 200);
  assert.deepEqual(snapshots(), before);
  assert.equal(await desk.stop(), 0, desk.server.log());
  assert.match(desk.server.log(), /no snapshot at the stop/);
});

onSmallDisk(
  'a start on a full disk names file, free and needed bytes; with space it starts',
  async (disk) => {
    const data = join(disk.directory, 'data');
    disk.fill(SEGMENT_BYTES / 2);
    const args = [...ARGS, '--port', '0', '--market', 'off', '--data', data];
    const refused = await start(args);
    assert.equal(refused.code, 3, refused.output);
    assert.match(refused.stderr, /the disk is full: \S+ needs \d+ bytes and \d+ bytes are free in \S+/);
    assert.match(refused.stderr, /Free space on this disk/);
    assert.doesNotMatch(refused.stderr, /\n\s+at /);
    disk.free();
    await using desk = await DiskFullVenue.openHosted(disk);
    assert.notEqual(await desk.place(), undefined);
    assert.equal(await desk.stop(), 0);
  },
);

onSmallDisk('killed on a full disk it starts there with what its reserve has', async (disk) => {
  let acknowledged: string[];
  {
    await using desk = await DiskFullVenue.open(disk);
    for (let n = 0; n < 20; n++) await desk.place();
    await until('two segments in reserve', () => existsSync(join(disk.directory, 'data/log/reserve-2')));
    disk.fill();
    await until('cancel-only', async () => {
      await desk.place();
      return (await desk.mode()) === 'cancel_only';
    });
    ({ acknowledged } = desk);
  }
  await using desk = await DiskFullVenue.open(disk);
  for (const clientOid of acknowledged) {
    assert.equal((await desk.client.get('/api/v3/trade/order-info', { clientOid })).code, '00000', clientOid);
  }
});

onSmallDisk('a log of the process on the full disk does not end it', async (disk) => {
  const output = join(disk.directory, 'output.log');
  const data = join(disk.directory, 'data');
  const args = ['--data', data, '--port', '0', '--market', 'off', '--log-level', 'debug', ...ARGS];
  const redirected = ['-c', 'exec "$@" >>"$OUT" 2>&1', 'bash', process.execPath, MAIN, ...args];
  const program = startCommand('bash', redirected, { env: { ...process.env, OUT: output } });
  try {
    const url = await until('the server', () => /^Listening on (\S+)$/m.exec(readIfThere(output))?.[1]);
    const accounts = JSON.parse(readFileSync(join(data, 'demo-accounts.json'), 'utf8')) as DemoKeys[];
    // Its process is stopped below, by a signal.
    const server = { url, account: () => accounts[0], stop: async () => 0 };
    await using desk = new DiskFullVenue(server as unknown as LoggedServer);
    disk.fill();
    await desk.untilMode('cancel_only');
    // Each request is a line of this log: more than the file's last block can take.
    for (let n = 0; n < 200; n++) assert.equal((await fetch(`${url}/healthz`)).status, 200);
    disk.free();
    await desk.untilMode('normal');
    assert.notEqual(await desk.place(), undefined);
    program.process.kill('SIGTERM');
    assert.equal((await program.ended).code, 0, readIfThere(output));
  } finally {
    program.process.kill('SIGKILL');
  }
});

/** What these tests read of an answer: a refusal has an error. */
interface OperatorAnswer {
  readonly error?: { readonly message: string };
}

/** The operator's listener of the exchange on the disk. */
function operatorOf(disk: SmallDisk) {
  const path = join(disk.directory, 'data', 'operator.json');
  const { url, token } = JSON.parse(readFileSync(path, 'utf8')) as { url: string; token: string };
  return async (method: string, route: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${route}`, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as OperatorAnswer };
  };
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

async function subNames(client: SignedClient): Promise<string[]> {
  const reply = await client.get('/api/v3/user/sub-list');
  assert.equal(reply.code, '00000', reply.text);
  return (reply.data.list as { username: string }[]).map(({ username }) => username);
}
