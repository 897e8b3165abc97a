/** What each topic says and when (wire 5.3, 5.4), on a clock that is moved by hand. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';

const START = Date.UTC(2026, 9, 5, 6, 30, 10);
const MINUTE_MS = 60_000;

let server: TestServer;
let operator: Operator;
let reader: StreamClient;
const people = new Map<string, SignedClient>();

before(async () => {
  server = await startHostedInMemory([
    '--clock',
    'manual',
    '--clock-start',
    String(START),
    '--rate-limits',
    'off',
  ]);
  operator = new Operator(server);
  for (const name of ['alice', 'bob', 'maker', 'bot']) {
    people.set(name, new SignedClient(server.url, server.account(name)));
  }
  for (const index of ['BTCUSDT', 'BTCUSD']) await operator.setPrice(index, '60000');
  for (const [category, symbol] of [
    ['USDT-FUTURES', 'BTCUSDT'],
    ['COIN-FUTURES', 'BTCUSDZ26'],
  ] as const) {
    await operator.setStatus(category, symbol, 'online');
  }
  await operator.advanceClock('2s');
  reader = await StreamClient.open(server.url);
});

after(async () => {
  reader.close();
  for (const person of people.values()) person.close();
  await server.stop();
});

async function post(name: string, path: string, body: object): Promise<Frame> {
  const { code, msg, data } = await people.get(name)!.post(`/api/v3/${path}`, body);
  assert.equal(code, '00000', `${path} ${JSON.stringify(body)}: ${msg}`);
  return data;
}

const place = (name: string, side: string, price: string, qty: string, more: object = {}) =>
  post(name, 'trade/place-order', {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side,
    orderType: 'limit',
    price,
    qty,
    ...more,
  });

/** Two strangers trade at a price. */
async function print(price: string, qty = '0.001'): Promise<void> {
  await place('maker', 'sell', price, qty);
  await place('bob', 'buy', price, qty);
}

const SPOT = { instType: 'spot', symbol: 'BTCUSDT' };

/** Subscribes with a socket of its own, and hands over the first push. */
async function first(arg: Record<string, string>): Promise<Frame> {
  const from = reader.frames.length;
  await reader.subscribe(arg);
  return reader.next(
    (frame) => frame.data !== undefined && JSON.stringify(frame.arg) === JSON.stringify(arg),
    from,
  );
}

function next(arg: Record<string, string>, fits: (data: Frame[]) => boolean, from: number): Promise<Frame> {
  return reader.next(
    (frame) => frame.data !== undefined && frame.arg.topic === arg.topic && fits(frame.data),
    from,
  );
}

describe('ticker', () => {
  const arg = { ...SPOT, topic: 'ticker' };

  it('comes at once and whole each time, and only when something has changed', async () => {
    await place('maker', 'sell', '60100', '0.5');
    await place('maker', 'buy', '59900', '0.4');
    const push = await first(arg);
    const { ask1Price, ask1Size, bid1Price, bid1Size } = push.data[0];
    assert.deepEqual([push.action, typeof push.ts, typeof push.data[0].ts], ['snapshot', 'number', 'string']);
    assert.deepEqual([ask1Price, ask1Size, bid1Price, bid1Size], ['60100', '0.5', '59900', '0.4']);
    const from = reader.frames.length;
    await print('60000', '0.01');
    const { action, data } = await next(arg, ([ticker]) => ticker.lastPrice === '60000', from);
    assert.equal(action, 'snapshot');
    assert.deepEqual(
      [data[0].volume24h, data[0].turnover24h, data[0].highPrice24h, data[0].ask1Price],
      ['0.01', '600', '60000', '60100'],
    );
    const mark = reader.frames.length;
    await sleep(500);
    await reader.answers();
    assert.deepEqual(reader.frames.slice(mark), ['pong']);
  });

  it('of a contract has mark, index, funding and open interest, of one that delivers its dates too', async () => {
    const [perpetual] = (await first({ instType: 'usdt-futures', topic: 'ticker', symbol: 'BTCUSDT' })).data;
    assert.deepEqual([perpetual.markPrice, perpetual.indexPrice], ['60000', '60000']);
    assert.ok(Number(perpetual.nextFundingTime) > START && 'fundingRate' in perpetual);
    const [delivery] = (await first({ instType: 'coin-futures', topic: 'ticker', symbol: 'BTCUSDZ26' })).data;
    assert.equal(delivery.deliveryStatus, 'delivery_normal');
    assert.ok(Number(delivery.deliveryTime) > Number(delivery.deliveryStartTime));
    assert.equal('nextFundingTime' in delivery, false);
  });
});

describe('kline', () => {
  it('has every interval of the list, in any letter case, and repeats it in the argument', async () => {
    for (const interval of ['1m', '3m', '5m', '15m', '30m', '1H', '4h', '6H', '12h', '1D', '1w']) {
      const { arg, action } = await first({ ...SPOT, topic: 'kline', interval });
      assert.deepEqual([arg.interval, action], [interval, 'snapshot']);
    }
  });

  it('begins with the past, then tells the running candle, the ended one and a flat one where nobody trades', async () => {
    const arg = { instType: 'SPOT', symbol: 'BTCUSDT', topic: 'kline', interval: '1m' };
    const own = await StreamClient.open(server.url);
    await own.subscribe(arg);
    const push = await own.next((frame) => frame.data !== undefined);
    assert.equal(push.action, 'snapshot');
    const start = Number(push.data.at(-1).start);
    const candle = async (fits: (candle: Frame) => boolean): Promise<Frame> => {
      const found = await own.next((frame) => frame.action === 'update' && frame.data.some(fits));
      return found.data.find(fits);
    };
    await print('60040', '0.02');
    const running = await candle(({ close }) => close === '60040');
    assert.deepEqual([Number(running.start), running.high, running.low], [start, '60040', '60000']);
    await operator.advanceClock('60s');
    const flat = await candle((each) => Number(each.start) === start + MINUTE_MS);
    assert.deepEqual(
      [flat.open, flat.high, flat.low, flat.close, flat.volume, flat.turnover],
      ['60040', '60040', '60040', '60040', '0', '0'],
    );
    const ended = own
      .pushes('kline')
      .flatMap(({ data }) => data)
      .filter((each: Frame) => Number(each.start) === start)
      .at(-1);
    const { data } = await people
      .get('alice')!
      .get('/api/v3/market/candles', { category: 'SPOT', symbol: 'BTCUSDT', interval: '1m', limit: '2' });
    const kept = data.find(([open]: string[]) => Number(open) === start);
    const { open, high, low, close, volume, turnover } = ended;
    assert.deepEqual([ended.start, open, high, low, close, volume, turnover], kept);
    own.close();
  });
});

describe('books', () => {
  it('of the best 1, 5, 15 and 50 levels are whole each time, best first', async () => {
    for (let level = 0; level < 60; level++) {
      await place('bot', 'sell', String(60200 + level), '0.001');
      await place('bot', 'buy', String(59800 - level), '0.001');
    }
    for (const [topic, levels] of [
      ['books1', 1],
      ['books5', 5],
      ['books15', 15],
      ['books50', 50],
    ] as const) {
      const arg = { ...SPOT, topic };
      const { action, data } = await first(arg);
      const [{ a, b, pseq }] = data;
      assert.deepEqual([action, a.length, b.length, pseq], ['snapshot', levels, levels, 0], topic);
      assert.deepEqual(
        [a[0], b[0]],
        [
          ['60100', '0.5'],
          ['59900', '0.4'],
        ],
      );
      const prices = (side: string[][]) => side.map(([price]) => Number(price));
      assert.deepEqual(
        prices(a),
        prices(a).toSorted((x, y) => x - y),
      );
      assert.deepEqual(
        prices(b),
        prices(b).toSorted((x, y) => y - x),
      );
    }
    const from = reader.frames.length;
    const { orderId } = await place('bob', 'sell', '60090', '0.01');
    for (const topic of ['books1', 'books5', 'books15', 'books50']) {
      const push = await next({ topic }, ([{ a }]) => a[0][0] === '60090', from);
      assert.equal(push.action, 'snapshot');
      assert.ok(push.data[0].seq > push.data[0].pseq);
    }
    await post('bob', 'trade/cancel-order', { category: 'SPOT', symbol: 'BTCUSDT', orderId });
  });

  it('with RPI tell both quantities of a level, and the plain ones their sum', async () => {
    await place('maker', 'sell', '60080', '0.02', { timeInForce: 'rpi' });
    await place('bob', 'sell', '60080', '0.01');
    for (const topic of ['rpi-books', 'rpi-books1', 'rpi-books5', 'rpi-books50']) {
      const { action, data } = await first({ ...SPOT, topic });
      assert.deepEqual([action, data[0].a[0]], ['snapshot', ['60080', '0.01', '0.02']], topic);
    }
    const own = await StreamClient.open(server.url);
    await own.subscribe({ ...SPOT, topic: 'books' });
    const { data } = await own.next((frame) => frame.data !== undefined);
    assert.deepEqual(data[0].a[0], ['60080', '0.03']);
    own.close();
  });
});

describe('publicTrade', () => {
  it('begins with the last trades, newest first, and has the price under both names', async () => {
    const arg = { ...SPOT, topic: 'publicTrade' };
    const push = await first(arg);
    assert.equal(push.action, 'snapshot');
    const ids = push.data.map(({ i }: Frame) => Number(i));
    assert.deepEqual(
      ids,
      ids.toSorted((a: number, b: number) => b - a),
    );
    const from = reader.frames.length;
    await place('maker', 'sell', '60010', '0.002');
    await place('maker', 'sell', '60011', '0.002');
    await place('bob', 'buy', '60011', '0.004');
    const { action, data } = await next(arg, (trades) => trades.length === 2, from);
    assert.deepEqual(
      [action, ...data.map(({ p, P, v, S }: Frame) => [p, P, v, S].join(' '))],
      ['update', '60011 60011 0.002 buy', '60010 60010 0.002 buy'],
    );
  });
});

describe('account', () => {
  let own: StreamClient;
  const coinOf = (push: Frame, name: string): Frame =>
    push.data[0].coin.find(({ coin }: Frame) => coin === name);
  const pushed = (fits: (frame: Frame) => boolean, from = 0) =>
    own.next((frame) => frame.arg?.topic === 'account' && frame.data !== undefined && fits(frame), from);
  const held = async (name: string): Promise<Frame> => {
    const { data } = await people.get('alice')!.get('/api/v3/account/assets');
    return data.assets.find(({ coin }: Frame) => coin === name);
  };

  before(async () => {
    own = await StreamClient.login(server.url, server.account('alice'));
    await own.subscribe({ instType: 'UTA', topic: 'account' });
  });

  after(() => own.close());

  it('comes with the subscription: one object with all coins', async () => {
    const push = await pushed(() => true);
    assert.deepEqual([push.action, push.data.length], ['snapshot', 1]);
    const { balance, available, locked, borrow, debts } = coinOf(push, 'USDT');
    assert.deepEqual([balance, available, locked, borrow, debts], ['100000', '100000', '0', '0', '0']);
  });

  it('follows a transfer, an order and a fill', async () => {
    let from = own.frames.length;
    await post('alice', 'account/transfer', {
      fromType: 'uta',
      toType: 'spot',
      coin: 'USDT',
      amount: '1000',
    });
    await pushed((push) => coinOf(push, 'USDT').balance === '99000', from);
    from = own.frames.length;
    await place('alice', 'buy', '59000', '0.1');
    await pushed((push) => coinOf(push, 'USDT').locked === '5900', from);
    from = own.frames.length;
    await place('maker', 'sell', '59950', '0.1');
    await place('alice', 'buy', '59950', '0.1');
    const push = await pushed((each) => Number(coinOf(each, 'BTC').balance) > 2, from);
    const { equity, balance, available, locked, debt } = await held('BTC');
    const coin = coinOf(push, 'BTC');
    assert.deepEqual(
      [coin.equity, coin.balance, coin.available, coin.locked, coin.debts],
      [equity, balance, available, locked, debt],
    );
  });

  it('tells a debt in `debts`, the same that HTTP calls debt, with the interest of the hours', async () => {
    const from = own.frames.length;
    await place('maker', 'sell', '59990', '2');
    await place('alice', 'buy', '59990', '2', { category: 'MARGIN' });
    const push = await pushed((each) => coinOf(each, 'USDT').debts !== '0', from);
    const owed = await held('USDT');
    assert.ok(Number(owed.debt) > 0);
    assert.deepEqual([coinOf(push, 'USDT').debts, coinOf(push, 'USDT').borrow], [owed.debt, '0']);
    const mark = own.frames.length;
    await operator.advanceClock('2h', '1m');
    const later = await held('USDT');
    assert.ok(Number(later.debt) > Number(owed.debt), 'interest joins the debt');
    await pushed((each) => coinOf(each, 'USDT').debts === later.debt, mark);
    const { data } = await people.get('alice')!.get('/api/v3/account/repayable-coins');
    assert.equal(data.repayableCoinList[0].size, later.debt);
  });
});

describe('position', () => {
  it('and the account follow the funding that is settled (wire 5.4)', async () => {
    const own = await StreamClient.login(server.url, server.account('alice'));
    await own.subscribe({ instType: 'UTA', topic: 'position' }, { instType: 'UTA', topic: 'account' });
    const contract = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };
    await operator.setPrice('BTCUSDT', '60000');
    await operator.advanceClock('1s');
    await place('maker', 'sell', '60000', '0.1', contract);
    await place('alice', 'buy', '60000', '0.1', contract);
    const opened = await own.next(({ arg, action }) => arg?.topic === 'position' && action === 'update');
    assert.deepEqual([opened.data[0].size, opened.data[0].totalFundingFee], ['0.1', '0']);
    const from = own.frames.length;
    const http = people.get('alice')!;
    const held = async () => (await http.get('/api/v3/position/current-position', contract)).data.list[0];
    operator.keepsPrices = true;
    await operator.advanceClock('8h', '1m');
    const { totalFunding } = await held();
    assert.notEqual(Number(totalFunding), 0);
    await own.next(
      ({ arg, action, data }) =>
        arg?.topic === 'position' && action === 'update' && data[0].totalFundingFee === totalFunding,
      from,
    );
    const { data } = await http.get('/api/v3/account/assets');
    const { balance } = data.assets.find(({ coin }: Frame) => coin === 'USDT');
    await own.next(
      (frame) =>
        frame.arg?.topic === 'account' &&
        frame.data?.[0].coin.some((each: Frame) => each.coin === 'USDT' && each.balance === balance),
      from,
    );
    own.close();
  });
});
