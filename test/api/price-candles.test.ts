/** Candles of mark, index and premium as the clients read them, on a clock that is moved by hand (rules 8.2). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type CcxtClient, ccxtClients, refusalOf, sdkClient } from './clients.ts';

const START = Date.UTC(2026, 5, 25, 7);
const MINUTE = 60_000;
const SWAP = 'BTC/USDT:USDT';
const CONTRACT = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
const ARGS = ['--clock', 'manual', '--clock-start', String(START), '--rate-limits', 'off'];

const data = temporaryDirectory();
let server: TestServer;
let operator: Operator;
let ccxt: CcxtClient;

async function open(): Promise<void> {
  server = await startHosted({ data, args: ARGS });
  operator = new Operator(server);
  [ccxt] = (await ccxtClients(server.url, [server.account('alice')])) as [CcxtClient];
}

before(open);
after(async () => {
  await server.stop();
});

const flat = (minute: number, price: number) => [START + minute * MINUTE, price, price, price, price, 0];

test('marks and indices have candles without volume, flat while the price stands, also over a crash', async () => {
  await operator.setStatus(CONTRACT.category, CONTRACT.symbol, 'online');
  await operator.setPrice('BTCUSDT', '60000');
  await operator.advanceClock('30s');
  await operator.setPrice('BTCUSDT', '60300.5');
  await operator.advanceClock('2m30s');
  await operator.setPrice('BTCUSDT', '60100');
  await operator.advanceClock('20s');
  await server.kill();
  await open();
  await operator.setPrice('BTCUSDT', '60200');
  await operator.advanceClock('20s');
  const wanted = [
    [START, 60_000, 60_300.5, 60_000, 60_300.5, 0],
    flat(1, 60_300.5),
    flat(2, 60_300.5),
    [START + 3 * MINUTE, 60_300.5, 60_300.5, 60_100, 60_200, 0],
  ];
  assert.deepEqual(await ccxt.fetchIndexOHLCV(SWAP, '1m'), wanted);
  const marks = await ccxt.fetchMarkOHLCV(SWAP, '1m');
  assert.deepEqual(
    marks.map(([time, , , , , volume]) => [time, volume]),
    wanted.map(([time]) => [time, 0]),
  );
  const [ticker] = (await sdkClient(server.url).getTickers(CONTRACT)).data;
  assert.equal(String(marks.at(-1)![4]), ticker!.markPrice);
  assert.deepEqual(await ccxt.fetchIndexOHLCV(SWAP, '5m'), [[START, 60_000, 60_300.5, 60_000, 60_200, 0]]);
});

test('premiums are fractions sampled each minute; a contract that delivers has none', async () => {
  const sdk = sdkClient(server.url, server.account('maker'));
  // A market maker's book with enough for the impact price of 25 000, 0.5 % above the index.
  for (const [side, price] of [
    ['buy', '60501'],
    ['sell', '60502'],
  ] as const)
    await sdk.submitNewOrder({ ...CONTRACT, side, orderType: 'limit', qty: '5', price });
  await operator.advanceClock('2m');
  const client = new SignedClient(server.url);
  const premium = (query: Record<string, string>) =>
    client.get('/api/v3/market/candles', { ...CONTRACT, interval: '1m', type: 'PREMIUM', ...query });
  const { data: rows } = await premium({});
  assert.deepEqual(
    rows.slice(-2).map((row: string[]) => row.slice(1)),
    // (60 501 - 60 200) / 60 200.
    [
      ['0.005', '0.005', '0.005', '0.005', '0', '0'],
      ['0.005', '0.005', '0.005', '0.005', '0', '0'],
    ],
  );
  assert.equal(rows[0][1], '0');
  const { data: instruments } = await client.get('/api/v3/market/instruments', { category: 'COIN-FUTURES' });
  const delivery = instruments.find((each: { type: string }) => each.type === 'delivery');
  assert.deepEqual((await premium({ category: 'COIN-FUTURES', symbol: delivery.symbol })).data, []);
  const spot = await premium({ category: 'SPOT' });
  assert.deepEqual([spot.code, spot.msg], ['40020', 'type premium exists for futures only']);
  client.close();
});

test('the candles of the past come a hundred at a time and at most ninety days wide', async () => {
  await operator.advanceClock('2h');
  const sdk = sdkClient(server.url);
  const rows = (await sdk.getHistoryCandles({ ...CONTRACT, interval: '1m', type: 'MARK', limit: '1000' }))
    .data;
  assert.equal(rows.length, 100);
  const span = { startTime: String(START), endTime: String(START + 91 * 86_400_000) };
  const wide = await refusalOf(sdk.getHistoryCandles({ ...CONTRACT, interval: '1m', ...span }));
  assert.equal(wide.body.code, '40020');
  assert.match(wide.body.msg, /90 days/);
});
