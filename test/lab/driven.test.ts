/** The driven clock: time that moves when every participant waits, and programs that live by it unmodified. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { runReplay } from '../../src/app/start/replay-run.ts';
import { ClockSessions } from '../../src/lab/clock/sessions.ts';
import { Rng } from '../../src/simulator/rng.ts';
import { command } from '../app/bourse-process.ts';
import { programModule } from '../harness/program.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type Flags, stopAll } from '../memory/in-process.ts';
import { Lab, START, spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

after(stopAll);

const BEGIN = Date.parse(START);
const PLACE = '/api/v3/trade/place-order';

describe('time on a driven clock', () => {
  let lab: Lab;
  before(async () => {
    lab = await Lab.start({ clock: 'driven' });
    await lab.snapshot('start');
  });
  after(() => lab.stop());

  const now = () => lab.exchange.sequencer.clock.now() - BEGIN;
  const wait = async (session: string, ms: number | undefined, more: object = {}) => {
    const until = ms === undefined ? {} : { idleUntil: BEGIN + ms };
    const { time, reason } = await lab.ask('POST', '/lab/clock/wait', { session, ...until, ...more });
    return { ms: time - BEGIN, reason };
  };
  /** Until nothing is left to read. */
  const waitFor = async (session: string, ms: number | undefined) => {
    for (;;) {
      const answer = await wait(session, ms);
      if (answer.reason === 'time') return answer.ms;
    }
  };

  it('moves to the earliest instant that somebody waits for, second by second', async () => {
    const seq = lab.exchange.sequencer.appliedSeq;
    assert.equal(await waitFor('a', 2500), 2500);
    assert.equal(lab.exchange.sequencer.appliedSeq - seq, 3, 'ticks at 1 s, 2 s and 2.5 s');
    const late = waitFor('b', 9000);
    await sleep(30);
    assert.equal(now(), 2500, 'a does something else');
    assert.equal(await waitFor('a', 4000), 4000);
    const farther = waitFor('a', 12_000);
    assert.equal(await late, 9000);
    assert.equal(now(), 9000);
    const done = waitFor('b', 20_000);
    assert.equal(await farther, 12_000);
    const last = waitFor('a', 25_000);
    assert.equal(await done, 20_000);
    assert.deepEqual(await Promise.all([last, waitFor('b', 25_000)]), [25_000, 25_000]);
    const { sessions } = await lab.ask('GET', '/lab/clock/sessions');
    assert.deepEqual(
      sessions.map(({ session }: { session: string }) => session),
      ['a', 'b'],
    );
  });

  it('stands still while requests are answered, and for those who have not read what came', async () => {
    await lab.revert('start');
    await waitFor('a', 1000);
    const alice = lab.client('alice');
    const placed = alice.post(PLACE, spotOrder('buy', '50000'));
    const first = await wait('a', 60_000);
    assert.deepEqual(first, { ms: 1000, reason: 'activity' });
    assert.equal((await placed).code, '00000');
    assert.equal(await waitFor('a', 60_000), 60_000);
  });

  it('is told to those who only look at it, and they do not move it', async () => {
    await lab.revert('start');
    const looking = wait('looker', 5000, { onlyTime: true });
    await sleep(30);
    assert.equal(now(), 0);
    const moved = waitFor('a', 7000);
    assert.deepEqual(await looking, { ms: 5000, reason: 'time' });
    void wait('looker', 90_000, { onlyTime: true });
    assert.equal(await moved, 7000);
  });

  it('goes back with a revert, which ends the waits', async () => {
    await lab.revert('start');
    await waitFor('a', 3000);
    assert.equal((await wait('b', 50_000)).reason, 'activity');
    const waiting = wait('b', 50_000);
    await lab.revert('start');
    assert.equal((await waiting).reason, 'activity');
    assert.equal(now(), 0);
    assert.equal(await waitFor('a', 1000), 1000, 'b is forgotten');
  });

  it('counts alone for rate limits', async () => {
    await lab.revert('start');
    await waitFor('a', 1000);
    const alice = lab.client('alice');
    const burst = async () => {
      let placed = 0;
      for (let n = 0; n < 15; n++)
        if ((await alice.post(PLACE, spotOrder('buy', String(40_000 + n), '0.001'))).code === '00000')
          placed++;
      return placed;
    };
    assert.equal(await burst(), 10);
    await sleep(1100);
    assert.equal(await burst(), 0, 'real time does not count');
    await waitFor('a', 2100);
    assert.equal(await burst(), 10);
  });

  it('refuses what makes no sense', async () => {
    for (const [body, status, message] of [
      [{ idleUntil: BEGIN }, 400, /session/],
      [{ session: 'a b', idleUntil: BEGIN }, 400, /session/],
      [{ session: 'a', idleUntil: -1 }, 400, /idleUntil/],
      [{ session: 'a', idleUntil: Date.UTC(2101) }, 400, /time ends with the year 2099/],
      [{ session: 'a', until: 1 }, 400, /until/],
    ] as const) {
      const [given, , says] = await lab.refused('POST', '/lab/clock/wait', body);
      assert.equal(given, status, says);
      assert.match(says, message);
    }
    // Somebody else does not wait, so that time stands; a second wait takes the place of the first.
    await wait('other', 0);
    await wait('a', 3_600_000);
    const first = wait('a', 3_600_000);
    await sleep(20);
    const second = wait('a', 7_200_000);
    assert.equal((await first).reason, 'activity');
    await lab.revert('start');
    await second;
    for (const clock of ['wall', 'manual'])
      assert.equal((await lab.refused('POST', '/lab/clock/mode', { clock }))[0], 422);
    const manual = await Lab.start();
    const [status, , message] = await manual.refused('POST', '/lab/clock/wait', {
      session: 'a',
      idleUntil: BEGIN,
    });
    assert.deepEqual(
      [status, message],
      [422, 'the clock does not wait for anybody: start with --clock driven'],
    );
    assert.equal((await manual.refused('POST', '/lab/clock/mode', { clock: 'driven' }))[0], 422);
    await manual.stop();
  });

  it('goes on without one that is silent for too long', async () => {
    await lab.revert('start');
    const { sequencer, ticker } = lab.exchange;
    const host = {
      venue: { sequencer, ticker },
      traffic: () => ({ open: 0, done: 0, subscriptions: 0 }),
      pushDue: () => {},
    };
    const sessions = new ClockSessions(host, 40);
    await sessions.wait('gone', BEGIN, false);
    await sessions.wait('a', BEGIN + 1000, false);
    const waiting = Promise.resolve(sessions.wait('a', BEGIN + 1000, false)).then((answer) => answer);
    await sleep(10);
    assert.equal(now(), 0, 'it may still come');
    assert.deepEqual(await waiting, { time: BEGIN + 1000, reason: 'time' });
    assert.deepEqual(sessions.report().ended, [{ session: 'gone', time: BEGIN }]);
  });
});

/** Two hours of trades, one a second on average. */
function recorded(directory: string): string {
  const rng = new Rng(11, 'recorded');
  let time = Date.UTC(2026, 0, 5, 12);
  let price = 60_000;
  const rows = Array.from({ length: 3000 }, (_, n) => {
    time += Math.ceil(rng.between(100, 2000));
    price += rng.between(-8, 8);
    const size = rng.between(0.001, 0.5).toFixed(5);
    return `${n},${price.toFixed(2)},${size},1,${time}000,${rng.chance(0.5) ? 'True' : 'False'},True`;
  });
  const path = join(directory, 'BTCUSDT-trades-2026-01-05.csv');
  writeFileSync(path, `${rows.join('\n')}\n`);
  return path;
}

/** Trades by the minute through HTTP, follows trades by a socket, and writes down when it saw what. */
const NODE_BOT = `
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
const { BOURSE_URL, BOURSE_WS_URL, BOURSE_API_KEY, BOURSE_SECRET_KEY, BOURSE_PASSPHRASE } = process.env;
if (process.env.BOURSE_KEY !== BOURSE_API_KEY || process.env.BOURSE_SECRET !== BOURSE_SECRET_KEY)
  throw new Error("the older names of the keys differ");
const seen = createHash('sha256');
async function call(method, path, body) {
  const timestamp = String(Date.now());
  const text = body === undefined ? '' : JSON.stringify(body);
  const sign = createHmac('sha256', BOURSE_SECRET_KEY).update(timestamp + method + path + text).digest('base64');
  const headers = { 'ACCESS-KEY': BOURSE_API_KEY, 'ACCESS-SIGN': sign, 'ACCESS-TIMESTAMP': timestamp,
    'ACCESS-PASSPHRASE': BOURSE_PASSPHRASE, 'content-type': 'application/json' };
  const answer = await (await fetch(BOURSE_URL + path, { method, headers, ...(body && { body: text }) })).json();
  if (answer.code !== '00000') throw new Error(JSON.stringify(answer));
  return answer.data;
}
const socket = new WebSocket(BOURSE_WS_URL + '/public');
let frames = 0;
socket.onmessage = ({ data }) => {
  frames += 1;
  seen.update(Date.now() + data.replace(/"connId":"[^"]+"/, ''));
};
await new Promise((resolve) => { socket.onopen = resolve; });
socket.send(JSON.stringify({ op: 'subscribe', args: [{ instType: 'spot', topic: 'publicTrade', symbol: 'BTCUSDT' }] }));
setInterval(() => socket.send('ping'), 20_000).unref();
const began = performance.now();
for (let n = 0; n < 8; n++) {
  const [{ lastPrice }] = await call('GET', '/api/v3/market/tickers?category=SPOT&symbol=BTCUSDT');
  const side = n % 2 === 0 ? 'buy' : 'sell';
  const price = (Number(lastPrice) + (side === 'buy' ? -2 : 2)).toFixed(2);
  await call('POST', '/api/v3/trade/place-order',
    { category: 'SPOT', symbol: 'BTCUSDT', side, orderType: 'limit', qty: '0.01', price });
  await sleep(60_000);
}
if (performance.now() - began !== 480_000) throw new Error('eight minutes are ' + (performance.now() - began));
writeFileSync(process.argv[2], frames + ' ' + seen.digest('hex'));
socket.close();
`;

const PYTHON_BOT = `
import asyncio, datetime, json, os, sys, time, urllib.parse, urllib.request
address = urllib.parse.urlsplit(os.environ["BOURSE_URL"])
TICKER = "/api/v3/market/tickers?category=SPOT&symbol=BTCUSDT"
seen = []

async def get(path):
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(f"GET {path} HTTP/1.1\\r\\nhost: {address.hostname}\\r\\nconnection: close\\r\\n\\r\\n".encode())
    await writer.drain()
    text = await reader.read()
    writer.close()
    return json.loads(text.split(b"\\r\\n\\r\\n", 1)[1])

async def look(name, every):
    while True:
        answer = await get(TICKER)
        seen.append((round(time.time(), 3), name, answer["data"][0]["lastPrice"]))
        await asyncio.sleep(every)

async def main():
    try:
        await asyncio.wait_for(asyncio.gather(look("a", 60), look("b", 90)), 450)
    except asyncio.TimeoutError:
        pass

before = datetime.datetime.now(datetime.timezone.utc)
asyncio.run(main())
for n in range(5):
    time.sleep(30.5)
    seen.append((time.time(), urllib.request.urlopen(os.environ["BOURSE_URL"] + TICKER).status))
after = datetime.datetime.now(datetime.timezone.utc)
assert isinstance(after, datetime.datetime) and after - before == datetime.timedelta(seconds=450 + 5 * 30.5), after - before
open(sys.argv[1], "w").write(repr(seen))
`;

const TIMERS = `
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import * as timers from 'node:timers';
import { setInterval as every, setTimeout as sleep } from 'node:timers/promises';
const start = Date.now();
const seen = [];
const note = (name) => () => seen.push([name, Date.now() - start]);
setTimeout(note('late'), 5000);
setTimeout(note('first'), 1000);
setTimeout(note('second'), 1000);
timers.setTimeout((a, b) => seen.push([a + b, Date.now() - start]), 2000, 'arg', 's');
clearTimeout(setTimeout(note('never'), 1500));
const again = setInterval(() => { note('again')(); if (seen.filter(([name]) => name === 'again').length === 3) clearInterval(again); }, 700);
const refreshed = setTimeout(note('refreshed'), 1000);
setTimeout(() => refreshed.refresh(), 500);
setTimeout(note('unrefed'), 60_000).unref();
await promisify(setTimeout)(100);
assert.equal(Date.now() - start, 100);
await assert.rejects(sleep(50_000, undefined, { signal: AbortSignal.abort() }), { name: 'AbortError' });
const controller = new AbortController();
setTimeout(() => controller.abort(), 50);
await assert.rejects(sleep(50_000, undefined, { signal: controller.signal }), { code: 'ABORT_ERR' });
assert.equal(await sleep(10, 'value'), 'value');
let rounds = 0;
for await (const _ of every(10)) if (++rounds === 3) break;
assert.equal(new Date() instanceof Date, true);
assert.equal(new Date().getTime(), Date.now());
assert.equal(typeof Date(), 'string');
assert.equal(new Date(0).constructor, Date);
assert.equal(new Date(2026, 0, 2).getDate(), 2);
class Mine extends Date {}
assert.ok(new Mine() instanceof Mine && new Mine().getTime() === Date.now());
assert.throws(() => setTimeout('code'), { code: 'ERR_INVALID_ARG_TYPE' });
const before = process.hrtime.bigint();
await sleep(5000);
assert.equal(process.hrtime.bigint() - before, 5_000_000_000n);
assert.deepEqual(seen, [['again', 700], ['first', 1000], ['second', 1000], ['again', 1400], ['refreshed', 1500],
  ['args', 2000], ['again', 2100], ['late', 5000]]);
writeFileSync(process.argv[2], 'all');
`;

describe('a replay with a bot', () => {
  const directory = temporaryDirectory();
  const file = recorded(directory);
  const written = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return JSON.stringify(path);
  };
  const node = (name: string, text: string) => `${JSON.stringify(process.execPath)} ${written(name, text)}`;

  /** With what the bot has written down. */
  async function run(bot: string, flags: Flags = {}, span?: string) {
    const seen = join(directory, 'seen');
    rmSync(seen, { force: true });
    const resolved = await resolveConfig({
      flags: { instruments: 'SPOT:BTCUSDT', depth: 'tape', market: 'quiet', ...flags },
      environment: {},
      directory: '/nonexistent',
    });
    const wish = { file, bot: `${bot} ${JSON.stringify(seen)}`, ...(span !== undefined && { span }) };
    const result = await runReplay(resolved, wish);
    return { result, seen: existsSync(seen) ? readFileSync(seen, 'utf8') : '' };
  }

  it('comes to the same fills and state with the same file, whatever the bot does on the way', async () => {
    const bot = node('bot.mjs', NODE_BOT);
    const first = await run(bot);
    const { accounts, replay, from, to, bot: ended, stateHash } = first.result;
    assert.deepEqual(ended, { code: 0, stopped: false });
    assert.match(first.seen, /^\d{3,} /, 'hundreds of frames');
    assert.equal(to - from, 480_000);
    assert.equal(accounts[0]!.account, 'bot');
    assert.ok(accounts[0]!.fills > 5, JSON.stringify(accounts));
    assert.ok(replay.books[0]!.withUsers.volume > 0.05);
    const second = await run(bot);
    assert.equal(second.seen, first.seen);
    assert.deepEqual([second.result.stateHash, second.result.accounts], [stateHash, accounts]);
    const other = await run(bot, { seed: '2', market: 'normal', depth: 'price' });
    assert.notEqual(other.result.stateHash, stateHash, 'another world, another state');
  });

  it('runs programs of Python, with and without a loop', async (context) => {
    const python = process.env.PYTHON ?? 'python3';
    if (spawnSync(python, ['-c', '']).status !== 0) {
      context.skip('there is no Python');
      return;
    }
    const bot = `${python} ${written('bot.py', PYTHON_BOT)}`;
    const [first, second] = [await run(bot), await run(bot)];
    assert.deepEqual(first.result.bot, { code: 0, stopped: false });
    assert.match(first.seen, /'a', '.*'b', '/);
    assert.deepEqual([second.seen, second.result.stateHash], [first.seen, first.result.stateHash]);
  });

  it('keeps timers in order and dates as always, and a program that has nothing to do ends', async () => {
    const { result, seen } = await run(node('timers.mjs', TIMERS), { depth: 'price' });
    assert.deepEqual([result.bot, seen], [{ code: 0, stopped: false }, 'all']);
  });

  it('ends after a part of the data, and says how the bot ended', async () => {
    const endless = node(
      'endless.mjs',
      "setInterval(() => fetch(process.env.BOURSE_URL + '/api/v3/public/time'), 30_000);\n",
    );
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const { result } = await run(endless, {}, '5m');
    assert.deepEqual(result.bot, { code: 0, stopped: true });
    assert.ok(timers() <= before, 'no timer keeps the process once the bot has ended');
    assert.equal(result.to - result.from, 300_000);
    const broken = await run(node('broken.mjs', 'process.exit(7)\n'));
    assert.deepEqual(broken.result.bot, { code: 7, stopped: false });
  });

  it('leaves nothing behind when it cannot start', async () => {
    const before = process.env.TMPDIR;
    const place = temporaryDirectory();
    process.env.TMPDIR = place;
    try {
      await assert.rejects(run('true', { clock: 'manual', depth: 'tape', instruments: 'SPOT:NONE' }));
      assert.deepEqual(readdirSync(place), []);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });

  it('is a command, with its refusals', async () => {
    const args = [
      programModule('src/bourse.ts'),
      'lab',
      'replay',
      file,
      '--instruments',
      'SPOT:BTCUSDT',
      '--for',
      '1m',
      '--depth',
      'tape',
    ];
    const bot = node('short.mjs', "setTimeout(() => console.log('hello'), 5000);\n");
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args, '--bot', bot]);
    assert.match(stdout, /times real time[\s\S]*state hash +[0-9a-f]{64}/);
    assert.equal(stderr, 'hello\n', 'what the bot prints is not in the answer');
    for (const [more, says] of [
      [['--for', 'long'], /--for must be a span/],
      [['--as', 'tape'], /--as "tape" must be one of prices/],
      [['--as', 'binance-klines:BTC/USDT'], /line 1: close/],
      [['--bot', ' '], /--bot must be a command/],
    ] as const) {
      const refused = await command(['lab', 'replay', file, '--bot', bot, ...more]);
      assert.equal(refused.code, 2, refused.stderr);
      assert.match(refused.stderr, says);
    }
  });
});
