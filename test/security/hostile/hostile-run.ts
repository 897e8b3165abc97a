/**
 * Requests and frames that are nearly right, in great number, against one server (reliability 4, T9): no fault, an
 * envelope for each, none slow, no growth, no secret in any file, and a log that replays to the same books.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Operator } from '../../harness/operator-client.ts';
import { programModule } from '../../harness/program.ts';
import { type DemoKeys, type RunningServer, startServer } from '../../harness/server.ts';
import { SignedClient } from '../../harness/signed-client.ts';
import { StreamClient } from '../../harness/stream-client.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { HostileRequests, type OpenApi, wounded } from './hostile-requests.ts';
import { assertEnvelope } from './hostile-venue.ts';
import { installKey, openUser, withIdentity } from './identities.ts';
import { dial, type RawReply, ReplyReader, requestBytes } from './raw-http.ts';
import { Rng } from './rng.ts';

/** A longer frame ends the connection without a word in our envelope. */
const FRAME_BYTES = 16_384;
const AT_ONCE = 16;
/**
 * What takes longer is asked again alone, in turns with a request that is known to be cheap: a slow machine is slow with
 * both, and only a request that stalls the exchange takes many times as long, each time.
 */
const SLOW_MS = 1_000;
const SLOW_FACTOR = 100;
const ASKED_AGAIN = 10;
/** A new key's passphrase is hashed at a cost of half a second, one after the other. */
const MAKES_KEYS = /^POST \/api\/v3\/[a-z/-]*(?:agent-create|sub-?api|sub-account-api|-apikey)/;
/** Less than half of what reliability 4, T9 grants, counted from the state after the first requests: 1 KiB a request. */
const GROWTH_MAX_MB = 20;
export const WARM_UP = 3_000;
const LOOK_AFTER_MS = 1_000;
const LOOKS_MAX = 30;

const FUZZED = ['bot', 'maker'];
/** A damaged passphrase under a right signature locks its key for a minute; with many keys the doors stay open. */
const KEYS_EACH = 8;
/** Keys that only sockets use, so that no passphrase damaged over HTTP has locked them. */
const SOCKET_KEYS_EACH = 4;

const COLLECT_GARBAGE = new URL('../../harness/collect-garbage.ts', import.meta.url).href;
const BOURSE = programModule('src/bourse.ts');

interface Asked {
  /** In words, for the report. */
  readonly told: () => string;
  /** Asks the same once more; milliseconds to the answer. */
  readonly again: () => Promise<number>;
}

/** What a run of hostile requests has come to. */
export class Tally {
  sent = 0;
  slowestMs = 0;
  readonly statuses = new Map<number, number>();
  readonly faults: string[] = [];

  private readonly url: string;
  private readonly slow: { what: string; again: () => Promise<number> }[] = [];

  constructor(url: string) {
    this.url = url;
  }

  note(status: number, text: string, elapsedMs: number, { told: request, again }: Asked): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, elapsedMs);
    const what = () => `${request().slice(0, 2_000)}\n  -> ${status} ${text.slice(0, 500)}`;
    if (status >= 500) this.faults.push(what());
    if (elapsedMs > SLOW_MS && !MAKES_KEYS.test(request())) this.slow.push({ what: what(), again });
    try {
      assertEnvelope(text, '');
    } catch {
      this.faults.push(`no envelope: ${what()}`);
    }
  }

  /** Judges the run; resolves with its figures in a line. */
  async report(name: string): Promise<string> {
    for (const { what, again } of this.slow) {
      let fastestMs = Number.POSITIVE_INFINITY;
      let cheapMs = Number.POSITIVE_INFINITY;
      const isSlow = () => fastestMs > Math.max(SLOW_MS, SLOW_FACTOR * cheapMs);
      for (let n = 0; n < ASKED_AGAIN && (n === 0 || isSlow()); n++) {
        fastestMs = Math.min(fastestMs, await again());
        const startedMs = performance.now();
        await (await fetch(`${this.url}/api/v3/public/time`)).text();
        cheapMs = Math.min(cheapMs, performance.now() - startedMs);
      }
      if (isSlow())
        this.faults.push(`${Math.round(fastestMs)} ms, a cheap one ${Math.round(cheapMs)} ms: ${what}`);
    }
    const statuses = [...this.statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
    assert.deepEqual(this.faults.slice(0, 5), [], `${this.faults.length} faults`);
    return `${name}: ${this.sent} sent; ${statuses}; slowest ${Math.round(this.slowestMs)} ms`;
  }
}

/** `count` calls of `work`, `AT_ONCE` of them under way. */
async function inParallel(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

export async function signedRun(
  url: string,
  keys: readonly DemoKeys[],
  requests: HostileRequests,
  count: number,
  now: () => number = Date.now,
) {
  const tally = new Tally(url);
  const clients = keys.map((each) => new SignedClient(url, each, now));
  await inParallel(count, async () => {
    const { method, path, body } = requests.next();
    const client = clients[tally.sent % clients.length]!;
    tally.sent += 1;
    const startedMs = performance.now();
    try {
      const reply = await client.send(method, path, body);
      tally.note(reply.status, reply.text, performance.now() - startedMs, {
        told: () => `${method} ${path} ${body}`,
        again: async () => {
          const againMs = performance.now();
          await client.send(method, path, body);
          client.close();
          return performance.now() - againMs;
        },
      });
      rememberOrders(reply.text, requests.orderIds);
    } catch (error) {
      // A body over the limit is refused while it is still being sent; the refusal may be lost with the connection.
      if (body.length < 65_536) tally.faults.push(`${method} ${path} ${body}: ${String(error)}`);
    }
  });
  for (const client of clients) client.close();
  return tally;
}

/** Contracts are listed but closed until somebody opens them and they have a price. */
async function openContract(server: RunningServer): Promise<void> {
  const operator = new Operator(server);
  await operator.setPrice('BTCUSDT', '60000');
  await operator.setStatus('USDT-FUTURES', 'BTCUSDT', 'online');
}

const ANSWERS = new Set(['trade', 'error', 'subscribe', 'unsubscribe', 'login']);

/** One request under way per socket; a socket that a bad login has ended is opened again. */
async function socketRun(
  url: string,
  keys: readonly DemoKeys[],
  requests: HostileRequests,
  count: number,
): Promise<{ sent: number; carriedOut: number; faults: string[] }> {
  const faults: string[] = [];
  let sent = 0;
  let carriedOut = 0;
  const work = async (key: DemoKeys) => {
    let client = await StreamClient.login(url, key);
    while (sent < count) {
      const text = requests.nextFrame();
      if (Buffer.byteLength(text) > FRAME_BYTES) continue;
      sent += 1;
      const from = client.frames.length;
      client.send(text);
      const answer = await client.next((frame) => ANSWERS.has(frame.event), from).catch(() => undefined);
      if (answer === undefined || answer.code === '25000') {
        faults.push(`${text.slice(0, 2_000)}\n  -> ${JSON.stringify(answer)}`);
      }
      if (answer?.event === 'trade') {
        carriedOut += 1;
        rememberOrders(JSON.stringify(answer), requests.orderIds);
      }
      if (answer?.code !== 30005 && client.ws.readyState === client.ws.OPEN) continue;
      client.close();
      client = await StreamClient.login(url, key);
    }
    client.close();
  };
  await Promise.all(keys.map(work));
  return { sent, carriedOut, faults };
}

function rememberOrders(text: string, orderIds: string[]): void {
  const match = /"orderId":"(1[0-9]{18})"/.exec(text);
  if (match === null) return;
  orderIds.push(match[1]!);
  if (orderIds.length > 50) orderIds.shift();
}

async function woundedRun(
  url: string,
  keys: readonly DemoKeys[],
  requests: HostileRequests,
  dice: Rng,
  count: number,
) {
  const tally = new Tally(url);
  await inParallel(count, async () => {
    const bytes = wounded(requestBytes(requests.next(), dice.pick(keys)), dice);
    tally.sent += 1;
    const { replies, elapsedMs } = await lastWords(url, bytes);
    for (const { status, body } of replies)
      tally.note(status, body, elapsedMs, {
        told: () => bytes.toString('latin1'),
        again: async () => (await lastWords(url, bytes)).elapsedMs,
      });
  });
  return tally;
}

/** Sends, waits a moment for an answer, hangs up on our side and takes what the server still says. */
function lastWords(url: string, bytes: Buffer): Promise<{ replies: RawReply[]; elapsedMs: number }> {
  return new Promise((resolve) => {
    const socket = dial(url);
    const reader = new ReplyReader();
    let askedMs = performance.now();
    let answeredMs = 0;
    const hangUp = () => {
      if (reader.replies.length === 0) askedMs = performance.now();
      socket.end();
    };
    const patience = setTimeout(hangUp, 40);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      reader.read(chunk);
      if (reader.replies.length === 0) return;
      answeredMs ||= performance.now();
      clearTimeout(patience);
      socket.end();
    });
    socket.on('close', () => {
      clearTimeout(patience);
      resolve({ replies: reader.replies, elapsedMs: Math.max(0, answeredMs - askedMs) });
    });
    socket.write(bytes);
  });
}

/** What is held, without what only waits to be collected. */
async function residentMegabytes({ url, process }: RunningServer): Promise<number> {
  process.kill('SIGUSR2');
  // Pages go back to the machine a moment after they are free.
  await sleep(LOOK_AFTER_MS);
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes ([0-9]+)$/m.exec(text)![1]) / 2 ** 20;
}

/** A server whose fuzzed accounts have keys of their own, and what is asked of it; each step judges itself. */
export class HostileRun implements AsyncDisposable {
  readonly #data: string;
  readonly #dice: Rng;
  readonly #keys: DemoKeys[];
  readonly #socketKeys: DemoKeys[];
  readonly #requests: HostileRequests;
  readonly server: RunningServer;
  #warmMegabytes = 0;

  private constructor(
    server: RunningServer,
    data: string,
    dice: Rng,
    keys: { canaries: DemoKeys[]; sockets: DemoKeys[] },
    document: OpenApi,
  ) {
    this.server = server;
    this.#data = data;
    this.#dice = dice;
    this.#keys = keys.canaries;
    this.#socketKeys = keys.sockets;
    this.#requests = new HostileRequests(document, dice);
  }

  static async open(seed: number): Promise<HostileRun> {
    const data = temporaryDirectory();
    const keys = { canaries: [] as DemoKeys[], sockets: [] as DemoKeys[] };
    await withIdentity(data, async (identity) => {
      const rights = { permType: 'read_write', permissions: ['uta_trade', 'uta_mgt', 'withdraw'] } as const;
      for (const name of FUZZED) {
        const uid = openUser(identity, name);
        for (let n = 0; n < KEYS_EACH; n++) keys.canaries.push(await installKey(identity, uid, rights));
        for (let n = 0; n < SOCKET_KEYS_EACH; n++) keys.sockets.push(await installKey(identity, uid, rights));
      }
    });
    const server = await startServer({
      data,
      // What the recorder keeps is no leak; `recorder.test.ts` holds its bounds, and the run with limits has it on.
      args: ['--rate-limits', 'off', '--log-level', 'trace', '--inspect', 'off'],
      // The young generation stays small: room that it takes under load and keeps is no leak.
      env: { NODE_OPTIONS: `--import ${COLLECT_GARBAGE} --max-semi-space-size=2` },
    });
    await openContract(server);
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApi;
    return new HostileRun(server, data, new Rng(seed), keys, document);
  }

  /** The first requests; what the process holds after them is what growth is counted from. */
  async warmUp(): Promise<string> {
    const warm = await signedRun(this.server.url, this.#keys, this.#requests, WARM_UP);
    this.#warmMegabytes = await residentMegabytes(this.server);
    return warm.report(`${this.#requests.routeCount} routes, warming up`);
  }

  async signed(count: number): Promise<string> {
    const signed = await signedRun(this.server.url, this.#keys, this.#requests, count);
    return signed.report('signed');
  }

  async wounded(count: number): Promise<string> {
    const raw = await woundedRun(this.server.url, this.#keys, this.#requests, this.#dice, count);
    return raw.report('raw bytes');
  }

  async frames(count: number): Promise<string> {
    const run = await socketRun(this.server.url, this.#socketKeys, this.#requests, count);
    const { sent, carriedOut, faults } = run;
    assert.ok(carriedOut > sent / 200, 'some requests are right');
    assert.deepEqual(faults.slice(0, 5), [], `${faults.length} faults`);
    return `sockets: ${sent} frames sent, ${carriedOut} carried out`;
  }

  async assertNotGrown(): Promise<string> {
    assert.equal(this.server.process.exitCode, null, this.server.log());
    const warm = this.#warmMegabytes;
    // What is held for ever stays, however often it is looked at; what a busy machine has not given back yet does not.
    let megabytes = await residentMegabytes(this.server);
    for (let n = 0; n < LOOKS_MAX && megabytes - warm >= GROWTH_MAX_MB; n++)
      megabytes = await residentMegabytes(this.server);
    const growth = megabytes - warm;
    assert.ok(growth < GROWTH_MAX_MB, `grew by ${growth.toFixed(0)} MB`);
    return `resident ${warm.toFixed(0)} MB after ${WARM_UP} requests, ${megabytes.toFixed(0)} MB at the end`;
  }

  assertTrades(): Promise<void> {
    return trade(this.server);
  }

  /** Stops the server. */
  async assertNoSecretKept(): Promise<void> {
    const { server } = this;
    assert.equal(await server.stop(), 0, server.log().slice(-2_000));
    assert.ok(!/defect|request failed|over a socket failed/.test(server.log()), server.log().slice(-2_000));
    const files = readdirSync(this.#data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    assert.ok(files.length >= 4, files.join(' '));
    const texts = files.map((file) => [file, readFileSync(file)] as const);
    for (const { secretKey, passphrase } of [...this.#keys, ...this.#socketKeys]) {
      for (const secret of [secretKey, passphrase]) {
        assert.ok(!server.log().includes(secret), 'in the log');
        for (const [file, text] of texts) assert.ok(!text.includes(secret), `in ${file}`);
      }
    }
  }

  /** Resolves with the number of commands that were replayed. */
  async verified(): Promise<number> {
    const command = [BOURSE, 'verify', '--data', this.#data, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, command);
    const { ok, lastSeq } = JSON.parse(stdout) as { ok: boolean; lastSeq: number };
    assert.equal(ok, true, stdout);
    return lastSeq;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.server.process.exitCode === null) await this.server.kill();
    rmSync(this.#data, { recursive: true, force: true });
  }
}

/** Two accounts that the fuzzing has not touched trade a pair that it does not know; fees are 0.1 % of what each receives. */
async function trade(server: RunningServer): Promise<void> {
  for (const name of FUZZED) {
    const client = new SignedClient(server.url, server.account(name));
    for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'])
      await client.post('/api/v3/trade/cancel-symbol-order', { category });
    assert.deepEqual((await client.get('/api/v3/trade/unfilled-orders')).data.list, []);
    client.close();
  }
  const [alice, bob] = ['alice', 'bob'].map((name) => new SignedClient(server.url, server.account(name)));
  const balance = async (client: SignedClient, coin: string): Promise<string> => {
    const { data: account } = await client.get('/api/v3/account/assets');
    return (account.assets as { coin: string; balance: string }[]).find((asset) => asset.coin === coin)!
      .balance;
  };
  const order = { category: 'SPOT', symbol: 'LTCUSDT', orderType: 'limit', price: '85', qty: '10' };
  for (const [client, side] of [
    [alice, 'sell'],
    [bob, 'buy'],
  ] as const) {
    const placed = await client!.post('/api/v3/trade/place-order', { ...order, side });
    assert.equal(placed.code, '00000', placed.text);
  }
  assert.equal(await balance(alice!, 'LTC'), '490');
  assert.equal(await balance(bob!, 'LTC'), '509.99');
  assert.equal(await balance(alice!, 'USDT'), '100849.15');
  assert.equal(await balance(bob!, 'USDT'), '99150');
  alice!.close();
  bob!.close();
}
