/** What the clients make of a refusal: the SDK hands over the envelope, ccxt throws the class that the code maps to. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import ccxt from 'ccxt';
import { CATALOGUE, entryOf, type WireCode } from '../../src/api/wire/error-catalogue.ts';
import { HeldWall } from '../harness/held-wall.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type CcxtClient, ccxtClient, refusalOf, refusesWith, type SdkClient, sdkClient } from './clients.ts';

/** The clock of limits and signatures at the venue of today's dialect. */
const wall = new HeldWall();
let v3: TestServer;
let classic: TestServer;
let sdk: SdkClient;
/** The same account at a venue of each dialect. */
let modern: CcxtClient;
let older: CcxtClient;

before(async () => {
  [v3, classic] = await Promise.all([
    startHostedInMemory([], wall),
    startHostedInMemory(['--error-dialect', 'classic']),
  ]);
  sdk = sdkClient(v3.url, v3.account('alice'));
  modern = ccxtClient(v3.url, v3.account('bob'));
  older = ccxtClient(classic.url, classic.account('bob'));
  await modern.loadMarkets();
  older.setMarketsFromExchange(modern);
  await Promise.all([v3, classic].map(prepare));
});

/** A contract that trades, one that is gone, a pair under maintenance. */
async function prepare(server: TestServer): Promise<void> {
  const operator = new Operator(server);
  await operator.setPrice('BTCUSDT', '60000');
  await operator.setStatus('USDT-FUTURES', 'BTCUSDT', 'online');
  await operator.setStatus('USDT-FUTURES', 'SOLUSDT', 'offline');
  await operator.setStatus('SPOT', 'LTCUSDT', 'offline');
  // The index and the mark are taken each second.
  const client = new SignedClient(server.url);
  const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };
  while ((await client.get('/api/v3/market/tickers', contract)).data[0].markPrice === '') await sleep(100);
  client.close();
}

after(async () => {
  await Promise.all([v3.stop(), classic.stop()]);
});

const buy = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' } as const;
const NO_SUCH_ORDER = '1000000000999999999';

test('the SDK gets HTTP 400 and the envelope, whose message names the value and what would be right', async () => {
  await sdk.submitNewOrder({ ...buy, qty: '0.01', price: '58000', clientOid: 'taken' });
  const refused: [call: () => Promise<unknown>, code: string, msg: RegExp][] = [
    [
      () => sdk.submitNewOrder({ ...buy, qty: '2', price: '60000' }),
      '25202',
      /balance is insufficient: 99420 USDT available/,
    ],
    [() => sdk.submitNewOrder({ ...buy, symbol: 'NOPEUSDT', qty: '1', price: '1' }), '25100', /not known/],
    [() => sdk.submitNewOrder({ ...buy, qty: '0.00001', price: '58000' }), '25611', /minimum of 1 USDT/],
    [
      () => sdk.submitNewOrder({ ...buy, qty: '0.01', price: '63000.01' }),
      '25206',
      /highest buy price is 63000 /,
    ],
    [
      () => sdk.submitNewOrder({ ...buy, side: 'sell', qty: '0.01', price: '56999.99' }),
      '25205',
      /lowest sell price is 57000 /,
    ],
    [() => sdk.submitNewOrder({ ...buy, qty: '0.01', price: '58000.001' }), '25244', /multiple of 0\.01$/],
    [
      () => sdk.submitNewOrder({ ...buy, qty: '0.0100001', price: '58000' }),
      '25610',
      /multiple of 0\.000001$/,
    ],
    [
      () => sdk.submitNewOrder({ ...buy, qty: '0.01', price: '58000', clientOid: 'taken' }),
      '25212',
      /clientOid is used/,
    ],
    [() => sdk.getOrderInfo({ orderId: NO_SUCH_ORDER }), '25204', /does not exist/],
    [() => sdk.cancelOrder({ clientOid: 'nobody' }), '25204', /does not exist/],
    [() => sdk.modifyOrder({ orderId: NO_SUCH_ORDER, price: '58001' }), '25204', /does not exist/],
    [() => sdk.modifyOrder({ clientOid: 'taken', price: '58000' }), '25571', /what they were/],
  ];
  for (const [call, code, msg] of refused) {
    const { code: status, body } = await refusalOf(call());
    assert.equal(status, 400);
    assert.deepEqual([body.code, body.data], [code, null], body.msg);
    assert.match(body.msg, msg);
    assert.ok(Number.isInteger(body.requestTime));
  }
  assert.equal((await sdk.getUnfilledOrders()).data.list.length, 1, 'nothing refused was placed');
});

type AdminError = readonly [
  what: string,
  call: (client: CcxtClient) => Promise<unknown>,
  v3Code: string,
  classicCode: string,
  classicClass: new (message: string) => Error,
];

const stopAt = (triggerPrice: number) => ({ stopLoss: { triggerPrice }, slTriggerBy: 'mark' });

const REFUSED: readonly AdminError[] = [
  [
    'an order beyond the balance',
    (client) => client.createOrder('BTC/USDT', 'limit', 'buy', 2, 60000),
    '25202',
    '43012',
    ccxt.InsufficientFunds,
  ],
  [
    'an order that does not exist',
    (client) => client.fetchOrder(NO_SUCH_ORDER, 'BTC/USDT'),
    '25204',
    '43001',
    ccxt.OrderNotFound,
  ],
  [
    'a cancellation of an order that does not exist',
    (client) => client.cancelOrder(NO_SUCH_ORDER, 'BTC/USDT'),
    '25204',
    '43001',
    ccxt.OrderNotFound,
  ],
  [
    'an order below the minimum amount',
    (client) => client.createOrder('BTC/USDT', 'limit', 'buy', 0.00001, 58000),
    '25611',
    '45110',
    ccxt.InvalidOrder,
  ],
  [
    'a quantity that was rounded down to nothing',
    (client) => client.privateUtaPostV3TradePlaceOrder({ ...buy, qty: '0', price: '58000' }),
    '25207',
    '45110',
    ccxt.InvalidOrder,
  ],
  [
    'a price off the tick',
    (client) => client.privateUtaPostV3TradePlaceOrder({ ...buy, qty: '0.01', price: '58000.001' }),
    '25244',
    '40808',
    ccxt.InvalidOrder,
  ],
  [
    'an unknown pair',
    (client) => client.publicUtaGetV3MarketTickers({ category: 'SPOT', symbol: 'NOPEUSDT' }),
    '25100',
    '40102',
    ccxt.BadRequest,
  ],
  [
    'a buy above the price band',
    (client) => client.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 70000),
    '25206',
    '41117',
    ccxt.InvalidOrder,
  ],
  [
    'a sell below the price band',
    (client) => client.createOrder('BTC/USDT', 'limit', 'sell', 0.01, 50000),
    '25205',
    '41117',
    ccxt.InvalidOrder,
  ],
  [
    'a size off the lot',
    (client) => client.privateUtaPostV3TradePlaceOrder({ ...buy, qty: '0.0100001', price: '58000' }),
    '25610',
    '41103',
    ccxt.InvalidOrder,
  ],
  [
    'a contract order larger than one may be',
    (client) => client.createOrder('BTC/USDT:USDT', 'limit', 'buy', 5000, 60000),
    '25208',
    '45113',
    ccxt.InvalidOrder,
  ],
  [
    'a contract order beyond the margin',
    (client) => client.createOrder('BTC/USDT:USDT', 'limit', 'buy', 300, 60000),
    '25203',
    '40762',
    ccxt.InsufficientFunds,
  ],
  [
    'a contract that is not open yet',
    (client) => client.createOrder('ETH/USDT:USDT', 'limit', 'buy', 0.1, 2500),
    '25103',
    '43115',
    ccxt.OnMaintenance,
  ],
  [
    'a contract that was taken off',
    (client) => client.createOrder('SOL/USDT:USDT', 'limit', 'buy', 1, 150),
    '25104',
    '40309',
    ccxt.BadSymbol,
  ],
  [
    'a pair under maintenance',
    (client) => client.createOrder('LTC/USDT', 'limit', 'buy', 1, 100),
    '25102',
    '41114',
    ccxt.OnMaintenance,
  ],
  [
    'a stop-loss of a long above the mark',
    (client) => client.createOrder('BTC/USDT:USDT', 'limit', 'buy', 0.01, 60000, stopAt(61000)),
    '25590',
    '40917',
    ccxt.InvalidOrder,
  ],
  [
    'a stop-loss of a short below the mark',
    (client) => client.createOrder('BTC/USDT:USDT', 'limit', 'sell', 0.01, 60000, stopAt(59000)),
    '25592',
    '45122',
    ccxt.InvalidOrder,
  ],
  [
    'a stop that is not there any more',
    (client) => client.cancelOrder(NO_SUCH_ORDER, 'BTC/USDT:USDT', { trigger: true }),
    '25597',
    '43001',
    ccxt.OrderNotFound,
  ],
  [
    'a client id that another open order has',
    async (client) => {
      const twice = () =>
        client.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 58000, { clientOrderId: 'taken-by-bob' });
      await twice().catch(() => undefined);
      return twice();
    },
    '25212',
    '40500',
    ccxt.InvalidOrder,
  ],
  [
    'an order of hedge mode without a side',
    async (client) => {
      await client.setPositionMode(true).catch(() => undefined);
      return client.privateUtaPostV3TradePlaceOrder({
        ...buy,
        category: 'USDT-FUTURES',
        qty: '0.01',
        price: '60000',
      });
    },
    '25236',
    '40774',
    ccxt.InvalidOrder,
  ],
  [
    'a modification that changes nothing, which has no older code',
    async (client) => {
      const [open] = await client.fetchOpenOrders('BTC/USDT');
      return client.editOrder(open!.id!, 'BTC/USDT', 'limit', 'buy', open!.amount, open!.price);
    },
    '25571',
    '25571',
    ccxt.ExchangeError,
  ],
];

test('every code of the classic dialect is one that ccxt has a class for', () => {
  const { exact } = new ccxt.bitget().exceptions as { exact: Record<string, { name: string }> };
  for (const code of Object.keys(CATALOGUE) as WireCode[]) {
    const twin = entryOf(code).classic;
    if (twin === undefined) continue;
    assert.equal(exact[code], undefined, `${code} needs no twin`);
    assert.ok(exact[twin] !== undefined && exact[twin].name !== 'ExchangeError', `${twin} for ${code}`);
  }
});

for (const [what, call, v3Code, classicCode, classicClass] of REFUSED) {
  test(`${what}: ccxt throws ExchangeError ${v3Code}, and ${classicClass.name} in the classic dialect`, async () => {
    await refusesWith(call(modern), ccxt.ExchangeError, v3Code);
    await refusesWith(call(older), classicClass, classicCode);
  });
}

test('ccxt refuses an unknown symbol by itself', async () => {
  await assert.rejects(modern.fetchTicker('NOPE/USDT'), ccxt.BadSymbol);
});

test('a failed item of a batch speaks the dialect of the venue', async () => {
  const order = { symbol: 'BTC/USDT', type: 'limit', side: 'buy', amount: 2, price: 60000 } as const;
  const codes = [];
  for (const client of [modern, older]) codes.push((await client.createOrders([order]))[0]!.info.code);
  assert.deepEqual(codes, ['25202', '43012']);
});

test('wrong credentials are told apart, for both clients', async () => {
  const bot = v3.account('bot');
  const wrong: [keys: DemoKeys, code: string][] = [
    [{ ...bot, secretKey: 'not the secret' }, '40009'],
    [{ ...bot, passphrase: 'not the passphrase' }, '40012'],
    [{ ...bot, apiKey: 'nobody' }, '40037'],
  ];
  for (const [keys, code] of wrong) {
    const rejectReason = await refusalOf(sdkClient(v3.url, keys).getBalances());
    assert.deepEqual([rejectReason.code, rejectReason.body.code, rejectReason.body.data], [400, code, null]);
    const client = ccxtClient(v3.url, keys);
    client.setMarketsFromExchange(modern);
    await refusesWith(client.fetchBalance(), ccxt.AuthenticationError, code);
  }
});

test('a clock that is a minute slow is told so, for both clients', async (context) => {
  const late = ccxtClient(v3.url, v3.account('bot'), { options: { uta: true, timeDifference: 60_000 } });
  late.setMarketsFromExchange(modern);
  await refusesWith(late.fetchBalance(), ccxt.InvalidNonce, '40008');

  const bot = sdkClient(v3.url, v3.account('bot'));
  wall.hold();
  const slow = wall.now() - 60_000;
  context.mock.method(Date, 'now', () => slow);
  const { body } = await refusalOf(bot.getBalances());
  assert.equal(body.code, '40008');
  assert.match(body.msg, /60\.000 s behind server time/);
  context.mock.restoreAll();
  wall.release();
});

test('over the limit of an endpoint the answer is 429 with the time to wait, and then it works again', async () => {
  const bot = sdkClient(v3.url, v3.account('bot'));
  const ask = () => bot.getFeeRate({ category: 'SPOT', symbol: 'BTCUSDT' });
  wall.hold();
  const calls = await Promise.allSettled([ask(), ask(), ask(), ask(), ask()]);
  const refused = calls.filter((call) => call.status === 'rejected');
  assert.equal(refused.length, 2, 'three a second are allowed');
  const { code, body, headers } = await refusalOf(Promise.reject(refused[0]!.reason));
  assert.deepEqual([code, body.code, body.data], [429, '429', null]);
  assert.match(body.msg, /fee-rate/);
  wall.advance(Number(headers['retry-after']) * 1_000);
  assert.equal((await ask()).data.takerFeeRate, '0.001');
  wall.release();
});

test('ccxt that holds itself back, as it does unless told otherwise, is never refused', async () => {
  const paced = ccxtClient(v3.url, v3.account('bob'), { enableRateLimit: true });
  paced.setMarketsFromExchange(modern);
  // The venue sees each call at the moment when the client sent it, whatever it has to wait for on the way.
  const send = paced.fetch.bind(paced);
  const behindMs = wall.now() - Date.now();
  let answered: Promise<unknown> = Promise.resolve();
  paced.fetch = (...request) => {
    const sentMs = Date.now() + behindMs;
    const answer = answered.then(() => {
      wall.advance(Math.max(0, sentMs - wall.now()));
      return send(...request);
    });
    answered = answer.catch(() => {});
    return answer;
  };
  wall.hold();
  const calls = await Promise.all(Array.from({ length: 45 }, () => paced.fetchOpenOrders('BTC/USDT')));
  assert.equal(calls.length, 45);
  wall.release();
});

test('ccxt that does not hold itself back gets DDoSProtection', async () => {
  const hasty = ccxtClient(v3.url, v3.account('maker'), { enableRateLimit: false });
  hasty.setMarketsFromExchange(modern);
  wall.hold();
  const calls = await Promise.allSettled([1, 2, 3, 4].map(() => hasty.fetchTradingFee('BTC/USDT')));
  wall.release();
  const refused = calls.filter((call) => call.status === 'rejected');
  assert.equal(refused.length, 1);
  await refusesWith(Promise.reject(refused[0]!.reason), ccxt.DDoSProtection, '429');
});
