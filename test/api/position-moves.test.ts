/**
 * A main account hands positions to its sub-accounts with the unmodified SDK, in the three futures categories, on a
 * clock that moves by hand: what both sides are told over the socket and over HTTP, what nobody else sees, who may not,
 * and the same history after `kill -9`. Figures are worked out by hand.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebsocketClientV3, WS_KEY_MAP } from 'bitget-api';
import { PERPETUALS } from '../harness/contracts.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import type { Frame } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { refusalOf, type SdkClient, sdkClient } from './clients.ts';
import { isPush, Listener, SILENT, socketSettings } from './sdk-listener.ts';

const START = Date.UTC(2026, 2, 2, 9);
const ARGS = ['--clock', 'manual', '--clock-start', String(START), '--rate-limits', 'off'];
const PASSPHRASE = 'Passphrase1';
const USDT = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;

/** Per category: the profit of 0.2 from 60000 to 61000 that a move pays, its coin, and the entry price it leaves. */
const PROFITS = {
  'USDT-FUTURES': { coin: 'USDT', purse: '10000', profit: '200', entry: '61000' },
  'USDC-FUTURES': { coin: 'USDC', purse: '10000', profit: '200', entry: '61000' },
  // The cost basis goes along, and nothing is realised (rules 13.2).
  'COIN-FUTURES': { coin: 'BTC', purse: '0.2', profit: '0', entry: '60000' },
} as const;

const data = temporaryDirectory();
let server: TestServer;
let operator: Operator;
let alice: SdkClient;
let maker: SdkClient;
let desk: SdkClient;
let deskKeys: DemoKeys;
let main: string;
let sub: string;

before(async () => {
  await open();
  main = String(server.account('alice').uid);
  sub = (await alice.createSubAccount({ username: 'desk' })).data.subUid;
  const asked = {
    subUid: sub,
    note: 'desk',
    type: 'read_write',
    passphrase: PASSPHRASE,
    ips: [] as string[],
  };
  const rights = { permissions: ['uta_mgt', 'uta_trade'] };
  const key = (await alice.createSubAccountApiKey({ ...asked, ...rights } as never)).data;
  deskKeys = {
    name: 'desk',
    uid: Number(sub),
    apiKey: key.apiKey,
    secretKey: key.secret,
    passphrase: PASSPHRASE,
  };
  desk = sdkClient(server.url, deskKeys);
  for (const { category, symbol } of PERPETUALS) {
    await operator.setStatus(category, symbol, 'online');
    const { coin, purse } = PROFITS[category];
    await operator.deposit({ account: sub, coin, amount: purse, reference: `purse ${coin}` });
  }
  await price('60000');
});

after(async () => {
  Listener.closeAll();
  await server.kill();
});

async function open(): Promise<void> {
  server = await startHosted({ data, args: ARGS });
  operator = new Operator(server);
  alice = sdkClient(server.url, server.account('alice'));
  maker = sdkClient(server.url, server.account('maker'));
  if (deskKeys !== undefined) desk = sdkClient(server.url, deskKeys);
}

/** All indices, seen a second later. */
async function price(btc: string): Promise<void> {
  for (const { index } of PERPETUALS) await operator.setPrice(index, btc);
  await operator.advanceClock('2s');
}

type Contract = Pick<(typeof PERPETUALS)[number], 'category' | 'symbol'>;

async function buy({ category, symbol }: Contract, qty: string, at: string): Promise<void> {
  const order = { category, symbol, orderType: 'limit', qty, price: at } as const;
  await maker.submitNewOrder({ ...order, side: 'sell' });
  await alice.submitNewOrder({ ...order, side: 'buy' });
}

function move(category: Contract['category'], fromUid: string, toUid: string, ...items: readonly Item[]) {
  return alice.movePositions({ fromUid, toUid, category, positionList: [...items] });
}
type Item = Parameters<SdkClient['movePositions']>[0]['positionList'][number];

async function listen(keys: DemoKeys): Promise<Listener> {
  const settings = socketSettings(server.url, '/v3/ws/private', keys);
  const listener = new Listener(new WebsocketClientV3(settings, SILENT));
  for (const topic of ['position', 'order', 'fill'] as const) {
    void listener.client.subscribe({ topic, payload: { instType: 'UTA' } }, WS_KEY_MAP.v3Private);
    await listener.until((frame) => frame.event === 'subscribe' && frame.arg.topic === topic);
  }
  return listener;
}

/** The first record of a topic that fits. */
async function pushed(listener: Listener, topic: string, fits: (record: Frame) => boolean): Promise<Frame> {
  const frame = await listener.until((each) => isPush(topic)(each) && each.data.some(fits));
  return frame.data.find(fits);
}

/** What the public can see of a contract. */
async function publicView({ category, symbol }: Contract) {
  const [ticker] = (await alice.getTickers({ category, symbol })).data;
  const { lastPrice, volume24h, turnover24h } = ticker!;
  return {
    ticker: { lastPrice, volume24h, turnover24h },
    fills: (await alice.getFills({ category, symbol })).data,
    openInterest: (await alice.getOpenInterest({ category, symbol })).data.list,
    candles: (await alice.getCandles({ category, symbol, interval: '1m' } as never)).data,
  };
}

for (const { category, symbol } of PERPETUALS) {
  const { coin, profit, entry } = PROFITS[category];

  test(`${category}: both accounts are told of orders, fills and positions, and the market of nothing`, async () => {
    await price('60000');
    await buy({ category, symbol }, '0.5', '60000');
    await price('61000');
    const giver = await listen(server.account('alice'));
    const taker = await listen(deskKeys);
    const before = await publicView({ category, symbol });

    const { closePosition, openPosition } = (
      await move(category, main, sub, { symbol, side: 'sell', qty: '0.2' })
    ).data;
    assert.equal(closePosition.length, 1);
    assert.equal(openPosition.length, 1);
    const [{ orderId: closed }, { orderId: opened }] = [closePosition[0]!, openPosition[0]!];
    assert.deepEqual(closePosition[0], { orderId: closed, clientOid: closed, code: '00000', msg: 'success' });
    assert.deepEqual(openPosition[0], { orderId: opened, clientOid: opened, code: '00000', msg: 'success' });
    assert.deepEqual(await publicView({ category, symbol }), before);

    const is = (id: string) => (record: Frame) => record.orderId === id;
    for (const [listener, id, side, tradeSide, pnl] of [
      [giver, closed, 'sell', 'close', profit],
      [taker, opened, 'buy', 'open', '0'],
    ] as const) {
      const order = await pushed(listener, 'order', is(id));
      assert.deepEqual(
        [
          order.orderStatus,
          order.side,
          order.orderType,
          order.avgPrice,
          order.cumExecQty,
          order.delegateType,
        ],
        ['filled', side, 'market', entry, '0.2', 'market'],
      );
      const fill = await pushed(listener, 'fill', is(id));
      assert.deepEqual(
        [fill.execPrice, fill.execQty, fill.execPnl, fill.tradeSide, fill.feeDetail[0].fee],
        ['61000', '0.2', pnl, tradeSide, '0'],
      );
    }
    const held = (size: string) => (record: Frame) => record.symbol === symbol && record.size === size;
    assert.equal((await pushed(giver, 'position', held('0.3'))).avgPrice, '60000');
    assert.equal((await pushed(taker, 'position', held('0.2'))).avgPrice, entry);

    for (const [client, id, type, amount] of [
      [alice, closed, 'SELL_DEAL', profit],
      [desk, opened, 'BUY_DEAL', '0'],
    ] as const) {
      const order = (await client.getOrderInfo({ orderId: id })).data;
      assert.deepEqual([order.orderStatus, order.execType, order.avgPrice], ['filled', 'normal', entry]);
      const { list: fills } = (await client.getTradeFills({ category, orderId: id })).data;
      assert.deepEqual(
        fills.map(({ execPrice, execQty }) => [execPrice, execQty]),
        [['61000', '0.2']],
      );
      const [line] = (await client.getFinancialRecords({ category, coin, type })).data.list;
      assert.deepEqual([line!.amount, line!.fee, line!.symbol], [amount, '0', symbol]);
    }
    for (const listener of [giver, taker]) listener.client.closeAll(true);
  });

  test(`${category}: the record names accounts and fills, and a position given away whole is history`, async () => {
    const { orderId } = (await move(category, main, sub, { symbol, side: 'sell', qty: '0.3' })).data
      .closePosition[0]!;
    const { list } = (await alice.getMovePositionHistory({ category, symbol })).data;
    const [last] = list;
    const closing = (await alice.getTradeFills({ category, orderId })).data.list[0]!;
    const opening = (await desk.getTradeFills({ category })).data.list[0]!;
    const now = String(await operator.time());
    assert.deepEqual(last, {
      category,
      fromUid: main,
      toUid: sub,
      orderId,
      openExecId: opening.execId,
      closeExecId: closing.execId,
      symbol,
      posSide: 'long',
      qty: '0.3',
      price: '61000',
      status: 'completed',
      createdTime: now,
      updatedTime: now,
    });
    const [ended] = (await alice.getPositionHistory({ category, symbol })).data.list;
    assert.deepEqual(
      [
        ended!.openTotalPos,
        ended!.closeTotalPos,
        ended!.openPriceAvg,
        ended!.closePriceAvg,
        ended!.closeFeeTotal,
      ],
      ['0.5', '0.5', '60000', entry, '0'],
    );
    assert.deepEqual((await alice.getCurrentPosition({ category, symbol })).data.list, []);
    const [position] = (await desk.getCurrentPosition({ category, symbol })).data.list;
    assert.deepEqual([position!.total, position!.avgPrice], ['0.5', entry]);
  });
}

test('items are moved or refused on their own, and the refused say why in both lists', async () => {
  await buy(USDT, '0.1', '61000');
  const items: readonly Item[] = [
    { symbol: 'NOSUCHUSDT', side: 'sell', qty: '1' },
    { symbol: 'BTCUSDT', side: 'sell', qty: '0.00001' },
    { symbol: 'BTCUSDT', side: 'sell', qty: '0.2' },
    { symbol: 'BTCUSDT', side: 'buy', qty: '0.1' },
    { symbol: 'btcusdt', side: 'SELL' as 'sell', qty: '0.1' },
    { symbol: 'BTCUSDT', side: 'sell', qty: '0.1' },
  ];
  const { closePosition, openPosition } = (await move('USDT-FUTURES', main, sub, ...items)).data;
  const codes = ['25100', '25610', '25225', '25227', '00000', '25227'];
  for (const results of [closePosition, openPosition]) {
    assert.deepEqual(
      results.map(({ code }) => code),
      codes,
    );
    assert.deepEqual(
      results.map(({ orderId }) => orderId !== ''),
      codes.map((code) => code === '00000'),
    );
  }
  assert.match(closePosition[2]!.msg, /qty must be at most 0\.1, which is the position of fromUid/);
  assert.match(closePosition[3]!.msg, /sell gives a long away, buy a short/);
  await move('USDT-FUTURES', sub, main, { symbol: 'BTCUSDT', side: 'sell', qty: '0.1' });
});

test('what is wrong with the whole request is said once, and nothing moves', async () => {
  const good = { symbol: 'BTCUSDT', side: 'sell', qty: '0.1' } as const;
  const refusals: readonly (readonly [() => Promise<unknown>, string, RegExp])[] = [
    [() => move('USDT-FUTURES', main, main, good), '40017', /fromUid and toUid must be different/],
    [() => move('USDT-FUTURES', String(server.account('bob').uid), main, good), '25005', /fromUid/],
    [() => move('USDT-FUTURES', main, '1999999999', good), '25005', /toUid/],
    [() => move('USDT-FUTURES', main, sub, ...Array.from({ length: 11 }, () => good)), '40306', /at most 10/],
    [() => move('USDT-FUTURES', main, sub), '40017', /positionList must have at least one/],
    [() => move('SPOT' as 'USDT-FUTURES', main, sub, good), '40020', /category/],
    [() => move('USDT-FUTURES', main, sub, { ...good, qty: '-1' }), '40017', /positionList\.0\.qty/],
    [
      () => move('USDT-FUTURES', main, sub, { symbol: 'BTCUSDT', qty: '1' } as never),
      '40019',
      /positionList\.0\.side/,
    ],
  ];
  for (const [call, code, message] of refusals) {
    const { body } = await refusalOf(call());
    assert.equal(body.code, code, body.msg);
    assert.match(body.msg, message);
  }
});

test('a sub-account neither moves nor looks at moves; a broker’s one without the right receives none', async () => {
  const positionList: Item[] = [{ symbol: 'BTCUSDT', side: 'sell', qty: '0.1' }];
  const wish = { fromUid: sub, toUid: main, category: 'USDT-FUTURES', positionList } as const;
  assert.equal((await refusalOf(desk.movePositions(wish))).body.code, '40014');
  assert.equal(
    (await refusalOf(desk.getMovePositionHistory({ category: 'USDT-FUTURES' }))).body.code,
    '40014',
  );
  await operator.makeBroker('bob');
  const bob = sdkClient(server.url, server.account('bob'));
  const { subUid } = (await bob.createBrokerSubAccount({ subaccountName: 'spot-only', label: 'x' })).data;
  await bob.modifyBrokerSubAccount({ subUid, permList: ['deposit', 'spot_trade'] });
  const own = { ...wish, fromUid: String(server.account('bob').uid), toUid: subUid };
  assert.equal((await refusalOf(bob.movePositions(own))).body.code, '25620');
});

test('who has no margin receives nothing, and who is told so reads whose margin it was', async () => {
  const poor = (await alice.createSubAccount({ username: 'poor' })).data.subUid;
  const item = { symbol: 'BTCUSDT', side: 'sell', qty: '0.1' } as const;
  const [result] = (await move('USDT-FUTURES', main, poor, item)).data.openPosition;
  assert.deepEqual([result!.code, result!.orderId], ['25203', '']);
  assert.match(result!.msg, /^toUid has not enough margin/);
  // A quarter of an hour later the index is stale.
  await operator.advanceClock('16m', '1m');
  const [stale] = (await move('USDT-FUTURES', main, sub, item)).data.closePosition;
  assert.equal(stale!.code, '25108');
});

test('after kill -9 history, positions and pages are what they were', async () => {
  const look = async () => ({
    moves: await Promise.all(
      PERPETUALS.map(async ({ category }) => (await alice.getMovePositionHistory({ category })).data),
    ),
    held: await Promise.all(
      [alice, desk].flatMap((client) =>
        PERPETUALS.map(async ({ category }) => (await client.getCurrentPosition({ category })).data.list),
      ),
    ),
  });
  const before = await look();
  await server.kill();
  await open();
  assert.deepEqual(await look(), before);

  const all = before.moves[0]!.list;
  assert.equal(all.length, 4);
  const paged: string[] = [];
  for (let cursor: string | undefined; paged.length < all.length; ) {
    const page = (
      await alice.getMovePositionHistory({ ...USDT, limit: '3', ...(cursor !== undefined && { cursor }) })
    ).data;
    paged.push(...page.list.map(({ orderId }) => orderId));
    cursor = page.cursor;
  }
  assert.deepEqual(
    paged,
    all.map(({ orderId }) => orderId),
  );
  const none = (await alice.getMovePositionHistory({ category: 'USDT-FUTURES', symbol: 'ETHUSDT' })).data;
  assert.deepEqual(none, { list: [], cursor: '' });
  // The one who gave and took has no history of its own, nor has a stranger.
  const bob = sdkClient(server.url, server.account('bob'));
  assert.deepEqual((await bob.getMovePositionHistory({ category: 'USDT-FUTURES' })).data.list, []);
  assert.ok((await operator.books()).balanced);
});

test('the reference tells what side means and how many may be moved', async () => {
  const client = new SignedClient(server.url);
  const { paths } = JSON.parse((await client.get('/openapi.json')).text);
  const call = paths['/api/v3/account/move-positions'].post;
  assert.match(JSON.stringify(call.requestBody), /sell gives a long away, buy a short/);
  assert.match(JSON.stringify(call.requestBody), /at most 10/);
  client.close();
});
