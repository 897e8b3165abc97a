/**
 * The three clocks through the real door: a manual one moves only by the operator's hand and keeps its place over a
 * crash, a scaled one runs ahead and never back, the machine's own cannot be moved. Clients sign as they always do.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { converse, requestBytes } from '../security/hostile/raw-http.ts';
import { ccxtClients, sdkClient } from './clients.ts';
import { decimal, units } from './ledger-by-hand.ts';

const START = Date.UTC(2026, 5, 25, 7);
const HOUR = 3_600_000;
const CONTRACT = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
const MANUAL = [
  ...['--clock', 'manual', '--clock-start', '2026-06-25T07:00:00Z', '--rate-limits', 'off'],
  // Of every other instrument each second of the hours would be counted too.
  ...['--instruments', 'BTCUSDT'],
];

const running = new Set<TestServer>();

after(async () => {
  for (const server of running) await server.stop();
});

async function start(data: string, ...args: string[]): Promise<TestServer> {
  const server = await startHosted({ data, args });
  running.add(server);
  return server;
}

async function crash(server: TestServer): Promise<void> {
  await server.kill();
  running.delete(server);
}

test('on a manual clock funding is paid when eight o’clock is reached, not before, also after a crash', async () => {
  const data = temporaryDirectory();
  let server = await start(data, ...MANUAL);
  let operator = new Operator(server);
  let alice = sdkClient(server.url, server.account('alice'));
  const maker = sdkClient(server.url, server.account('maker'));
  await operator.setStatus(CONTRACT.category, CONTRACT.symbol, 'online');
  await operator.setPrice('BTCUSDT', '60000');
  await operator.advanceClock('1s');
  const order = { ...CONTRACT, orderType: 'limit', qty: '0.5', price: '60000' } as const;
  await maker.submitNewOrder({ ...order, side: 'sell' });
  await alice.submitNewOrder({ ...order, side: 'buy' });

  const toEight = 60 * 60 - 1;
  assert.equal((await operator.advanceClock(`${toEight - 1}s`)).fundingSettled, undefined);
  const [open] = (await alice.getCurrentPosition(CONTRACT)).data.list;
  assert.equal(open!.totalFunding, '0');
  await crash(server);

  server = await start(data, ...MANUAL);
  operator = new Operator(server);
  alice = sdkClient(server.url, server.account('alice'));
  assert.equal(await operator.time(), START + HOUR - 1000);
  const events = await operator.advanceClock('1s');
  assert.ok(events.fundingSettled! > 0);
  assert.equal(await operator.time(), START + HOUR);

  // The SDK's type says a bare list; the wire has it in `resultList` (wire 4.3).
  const { resultList } = (await alice.getHistoryFundingRate(CONTRACT)).data as unknown as {
    resultList: { fundingRate: string; fundingRateTimestamp: string }[];
  };
  assert.deepEqual(
    resultList.map((row) => [row.fundingRate, row.fundingRateTimestamp]),
    [['0.0001', String(START + HOUR)]],
  );
  // 0.5 x 60 000 x 0.01 %.
  const [paid] = (await alice.getCurrentPosition(CONTRACT)).data.list;
  assert.equal(paid!.totalFunding, '-3');
});

test('cases 139 and 141: the minutes that nobody traded in are flat, and 1,000 candles come at most', async () => {
  const server = await start(temporaryDirectory(), ...MANUAL);
  const operator = new Operator(server);
  const [alice] = await ccxtClients(server.url, [server.account('alice')]);
  const maker = sdkClient(server.url, server.account('maker'));
  const spot = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit', qty: '0.01' } as const;
  await maker.submitNewOrder({ ...spot, side: 'sell', price: '60000' });
  await alice!.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 60_000);
  // The candles of 1m and 3m.
  assert.equal((await operator.advanceClock('4m')).candle, 2);
  await maker.submitNewOrder({ ...spot, side: 'sell', price: '60100' });
  await alice!.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 60_100);
  const candles = await alice!.fetchOHLCV('BTC/USDT', '1m');
  const flat = [60_000, 60_000, 60_000, 60_000, 0];
  assert.deepEqual(candles.slice(-5), [
    [START, ...flat.slice(0, 4), 0.01],
    [START + 60_000, ...flat],
    [START + 120_000, ...flat],
    [START + 180_000, ...flat],
    [START + 240_000, 60_100, 60_100, 60_100, 60_100, 0.01],
  ]);
  await operator.advanceClock('1000m', '1m');
  const asked = { category: 'SPOT', symbol: 'BTCUSDT', interval: '1m', limit: '1001' };
  const { data } = await new SignedClient(server.url).get('/api/v3/market/candles', asked);
  assert.equal(data.length, 1000);
  assert.equal(Number(data.at(-1)![0]), START + 1004 * 60_000);
});

test('an instrument opens and goes offline by its calendar, also after a crash between the two', async () => {
  const data = temporaryDirectory();
  let server = await start(data, ...MANUAL);
  const catalogue = join(import.meta.dirname, '../../catalogue/usdt-futures.json');
  const [model] = JSON.parse(readFileSync(catalogue, 'utf8'));
  const futures = { ...model.futures, limitOpenTime: '', offTime: String(START + 2 * HOUR) };
  const symbol = 'BTCUSDTNEW';
  let operator = new Operator(server);
  await operator.list({ ...model, symbol, status: 'listed', launchTime: String(START + HOUR), futures });
  await operator.setPrice('BTCUSDT', '60000');
  const order = { category: 'USDT-FUTURES', symbol, side: 'buy', orderType: 'limit', qty: '0.5' } as const;
  const place = () =>
    sdkClient(server.url, server.account('alice')).submitNewOrder({ ...order, price: '60000' });
  const status = async () =>
    (
      await new SignedClient(server.url).get(
        `/api/v3/market/instruments?category=USDT-FUTURES&symbol=${symbol}`,
      )
    ).data[0].status;
  await operator.advanceClock('3599s');
  await assert.rejects(place(), (error: { body: { code: string } }) => error.body.code === '25103');
  await operator.advanceClock('1s');
  assert.equal(await status(), 'online');
  assert.equal((await place()).code, '00000');
  await crash(server);

  server = await start(data, ...MANUAL);
  operator = new Operator(server);
  await operator.advanceClock('3599s', '1m');
  assert.equal(await status(), 'online');
  await operator.advanceClock('1s');
  assert.equal(await status(), 'offline');
  const open = await sdkClient(server.url, server.account('alice')).getUnfilledOrders({
    category: 'USDT-FUTURES',
    symbol,
  });
  assert.deepEqual(open.data.list, []);
});

test('a client may sign with its own clock or with the time that the exchange tells, and with no other', async () => {
  const server = await start(temporaryDirectory(), ...MANUAL);
  const asWithSdk = sdkClient(server.url, server.account('alice'));
  const balance = (await asWithSdk.getBalances()).data.assets.find(({ coin }) => coin === 'USDT')!.balance;
  const told = Number((await new SignedClient(server.url).get('/api/v3/public/time')).data.serverTime);
  assert.equal(told, START);
  const behind = START - Date.now();
  for (const [offset, code] of [
    [behind, '00000'],
    [behind + 31_000, '40008'],
    [behind - 31_000, '40008'],
    [31_000, '40008'],
  ] as const) {
    const client = new SignedClient(server.url, server.account('alice'), () => Date.now() + offset);
    const reply = await client.get('/api/v3/account/assets');
    assert.equal(reply.code, code, `${offset}: ${reply.msg}`);
    client.close();
  }
  assert.ok(units(balance) > 0n, decimal(units(balance)));
});

test('only a manual clock is moved by hand, and only forward', async () => {
  const server = await start(temporaryDirectory(), '--clock', 'wall');
  const operator = new Operator(server);
  const wall = await operator.tryAdvance({ by: '8h' });
  assert.deepEqual([wall.status, wall.code], [422, 'not_allowed']);
  assert.match(wall.message, /the clock is wall .* --clock manual/);
  await crash(server);

  const manual = new Operator(await start(temporaryDirectory(), ...MANUAL));
  for (const [body, message] of [
    [{}, /either by.* or to/],
    [{ by: '8h', to: '2026-06-26T08:00:00Z' }, /either by.* or to/],
    [{ by: 'soon' }, /by must be a span such as 8h/],
    [{ to: 'tomorrow' }, /to must be an instant/],
    [{ to: '2026-06-25T06:00:00Z' }, /time does not go back/],
    [{ by: '8h', step: '0s' }, /step must be a span/],
    [{ by: '30d' }, /more than 200000 ticks: give a longer step/],
    [{ by: '9999999d', step: '1d' }, /time ends with the year 2099/],
  ] as const) {
    const refused = await manual.tryAdvance(body);
    assert.deepEqual([refused.status, refused.code], [400, 'invalid_request'], JSON.stringify(body));
    assert.match(refused.message, message);
  }
  // In one packet, so that the second is there before the first is done.
  const { url, token } = manual.endpoint;
  const advance = requestBytes({
    method: 'POST',
    path: '/admin/clock/advance',
    body: JSON.stringify({ by: '1h' }),
    headers: [['Authorization', `Bearer ${token}`]],
  });
  const { replies } = await converse(url, Buffer.concat([advance, advance]), { replies: 2 });
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 409],
  );
  assert.equal(await manual.time(), START + HOUR);
});

test('a scaled clock runs that many times as fast, a tick for each of its seconds, and goes on after a crash', async () => {
  const data = temporaryDirectory();
  const args = ['--clock', 'scaled:600', '--clock-start', String(START), '--instruments', 'BTCUSDT'];
  let server = await start(data, ...args);
  let operator = new Operator(server);
  while ((await operator.time()) < START + 5 * 60_000) await sleep(50);
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.1' };
  let client = new SignedClient(server.url, server.account('alice'));
  const placed = await client.post('/api/v3/trade/place-order', { ...order, price: '59000' });
  const shown = await client.get('/api/v3/trade/order-info', { orderId: placed.data.orderId });
  const acknowledged = Number(shown.data.createdTime);
  assert.ok(acknowledged >= START + 5 * 60_000);
  client.close();
  await crash(server);
  server = await start(data, ...args);
  operator = new Operator(server);
  const resumed = await operator.time();
  assert.ok(resumed >= acknowledged, `${resumed - START} after ${acknowledged - START}`);
  client = new SignedClient(server.url, server.account('alice'));
  assert.equal((await client.get('/api/v3/account/assets')).code, '00000');
  client.close();
});
