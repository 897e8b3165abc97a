/** Faults of the streams: for each, what an unmodified bot sees, and what is true in the books. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import ccxt from 'ccxt';
import type { Account, Bourse } from '../../src/testkit/index.ts';
import { startBourse } from '../../src/testkit/index.ts';
import { Operator } from '../../src/testkit/operator.ts';
import { StreamClient } from '../harness/stream-client.ts';
import { until } from '../harness/until.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const PAIR = 'BTC/USDT';
const LIMIT = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit' } as const;

describe('a bot that follows streams meets', () => {
  let bourse: Bourse;
  let operator: Operator;
  let bot: InstanceType<typeof ccxt.pro.bitget>;
  let other: Account;
  before(async () => {
    bourse = await startBourse({
      instruments: ['SPOT:BTCUSDT'],
      prices: { BTCUSDT: '60000' },
      rateLimits: false,
    });
    operator = new Operator(bourse.operatorUrl, bourse.operatorToken);
    other = bourse.account('alice');
  });
  after(() => bourse.close());
  beforeEach(async () => {
    bot = new ccxt.pro.bitget({ ...bourse.ccxt('bot'), enableRateLimit: false });
    await bot.loadHttpProxyAgent();
    await bot.loadMarkets();
  });
  afterEach(async () => {
    await operator.delete('/lab/faults');
    await bot.close();
    for (const account of [bourse.account('bot'), other])
      for (const order of await account.openOrders()) await account.cancel(order);
  });

  const fault = (action: object, when: object = {}) =>
    operator.post<{ id: string; hits: number; seen: number }>('/lab/faults', { when, do: action });
  const hits = async () => {
    const { faults } = await operator.get<{ faults: { hits: number }[] }>('/lab/faults');
    return faults.map((each) => each.hits);
  };
  const seen = async () => {
    const { faults } = await operator.get<{ faults: { seen: number }[] }>('/lab/faults');
    return faults[0]!.seen;
  };
  const buy = (price: number, account: Account = bourse.account('bot')) =>
    account.place({ ...LIMIT, side: 'buy', qty: '0.001', price: String(price) });
  /** Resolves when the subscription is there. */
  const watchOrders = async () => {
    const orders = bot.watchOrders(PAIR);
    await bot.watchBalance();
    return { orders };
  };
  /** Client ids in the order in which the bot heard of them. */
  const heard = () => [...((bot.orders ?? []) as { id: string }[])].map(({ id }) => id);

  for (const code of [1012, 1006, 4001])
    it(`a socket that is closed with ${code}; its order is in the books`, async () => {
      const watching = bot.watchOrders(PAIR).catch((error: Error) => error);
      await bot.watchBalance();
      await fault({ disconnect: code }, { account: 'bot' });
      assert.ok((await watching) instanceof ccxt.NetworkError);
      assert.deepEqual(await hits(), [1]);
      const { orderId } = await buy(50_000);
      assert.deepEqual(
        (await bourse.account('bot').openOrders()).map((each) => each.orderId),
        [orderId],
      );
      // It comes back as if nothing had been.
      const again = bot.watchOrders(PAIR);
      await bot.watchBalance();
      const next = await buy(50_001);
      assert.equal((await again).at(-1)!.id, next.orderId);
    });

  it('sockets that are closed again and again, by the clock of the exchange', async () => {
    const client = await StreamClient.open(bourse.url);
    await fault({ disconnect: 1001, every: '30s' }, { path: 'ws/public', from: '10s', until: '100s' });
    assert.deepEqual(await hits(), [0]);
    await bourse.advance('11s');
    await client.closed;
    assert.deepEqual(await hits(), [1]);
    const second = await StreamClient.open(bourse.url);
    await bourse.advance('28s');
    assert.deepEqual(await hits(), [1]);
    await bourse.advance('3s');
    await second.closed;
    assert.deepEqual(await hits(), [2]);
  });

  it('a socket that is half open: nothing comes, nothing closes; the order is in the books', async () => {
    const orders = bot.watchOrders(PAIR);
    await bot.watchBalance();
    await fault({ disconnect: 'half-open' }, { account: 'bot' });
    const { orderId } = await buy(50_000);
    const came = await Promise.race([
      orders.then(
        () => 'pushed',
        () => 'closed',
      ),
      sleep(150, 'silence'),
    ]);
    assert.equal(came, 'silence');
    assert.deepEqual(
      (await bourse.account('bot').openOrders()).map((each) => each.orderId),
      [orderId],
    );
    orders.catch(() => {});
    // A closing handshake would wait for half a minute.
    for (const { connection } of Object.values(bot.clients)) connection.terminate();
  });

  it('a gap in the book: a level that it never hears of', async () => {
    await bot.watchOrderBook(PAIR);
    await fault({ push: 'skip', topic: 'books' });
    await buy(50_000, other);
    await until('the push has met its fault', async () => (await hits())[0] === 1);
    // Asked for before it can come.
    const pushed = bot.watchOrderBook(PAIR);
    await buy(50_001, other);
    const book = await pushed;
    assert.deepEqual(
      [...book.bids].map(([price]) => price),
      [50_001],
    );
    const { bids } = await bot.fetchOrderBook(PAIR);
    assert.deepEqual(
      bids.map(([price]) => price),
      [50_001, 50_000],
    );
  });

  it('a gap that a careful reader sees: pseq is not the seq before', async () => {
    const client = await StreamClient.open(bourse.url);
    await client.subscribe({ instType: 'spot', topic: 'books', symbol: 'BTCUSDT' });
    const isBook = (frame: { arg?: { topic?: string }; action?: string }) =>
      frame.action !== undefined && frame.arg?.topic === 'books';
    const first = await client.next(isBook);
    await fault({ push: 'skip', topic: 'b*', count: 2 }, { symbol: 'BTCUSDT', nth: [1] });
    for (const [n, price] of [50_000, 50_001].entries()) {
      await buy(price, other);
      await until('its push', async () => (await seen()) === n + 1);
    }
    await buy(50_002, other);
    const next = await client.next(isBook, client.frames.indexOf(first) + 1);
    assert.notEqual(next.data[0].pseq, first.data[0].seq);
    assert.deepEqual(
      next.data[0].b.map(([price]: [string]) => price),
      ['50002'],
    );
    client.close();
  });

  it('a trade that is told twice, of which there was one', async () => {
    const watched = bot.watchTrades(PAIR);
    await sleep(100);
    await fault({ push: 'duplicate', topic: 'publicTrade' });
    await buy(58_000, other);
    const { orderId } = await bourse
      .account('bot')
      .place({ ...LIMIT, side: 'sell', qty: '0.001', price: '58000' });
    await watched;
    await until('the second push', () => (bot.trades[PAIR] as unknown[]).length === 2);
    assert.equal((await bot.fetchMyTrades(PAIR)).filter(({ order }) => order === orderId).length, 1);
  });

  it('orders that it hears of in the wrong order', async () => {
    const { orders } = await watchOrders();
    await fault({ push: 'reorder', topic: 'order' }, { account: 'bot' });
    const one = await buy(50_000);
    const two = await buy(50_001);
    await orders;
    await until('both orders', () => heard().length === 2);
    assert.deepEqual(heard(), [two.orderId, one.orderId]);
    assert.ok(one.orderId < two.orderId);
  });

  it('a push that comes late, of an order that is there', async () => {
    const { orders } = await watchOrders();
    await fault({ push: 'delay', ms: 200, topic: 'order' }, { account: 'bot' });
    const { orderId } = await buy(50_000);
    const came = await Promise.race([orders, sleep(100, 'nothing')]);
    assert.equal(came, 'nothing');
    assert.equal((await bourse.account('bot').openOrders()).length, 1);
    assert.equal((await orders).at(-1)!.id, orderId);
  });

  describe('orders over a socket', () => {
    let client: StreamClient;
    let id = 0;
    beforeEach(async () => {
      client = await StreamClient.login(bourse.url, bourse.account('bot') as never);
    });
    afterEach(() => client.close());
    const place = (clientOid: string) => {
      const args = [{ ...LIMIT, category: undefined, side: 'buy', qty: '0.001', price: '50000', clientOid }];
      client.send({ op: 'trade', id: String(++id), category: 'spot', topic: 'place-order', args });
    };
    const answer = () => client.next((frame) => frame.id === String(id));
    const open = async () => (await bourse.account('bot').openOrders()).map(({ clientOid }) => clientOid);

    it('are refused, late, or answered with something else', async () => {
      const when = { account: 'bot', path: 'trade/place-order', symbol: 'BTCUSDT', times: 1 };
      await fault({ reject: '25203' }, when);
      place('rejected');
      assert.equal((await answer()).code, '25203');
      await fault({ status: 503, at: 'after' }, when);
      place('done-and-refused');
      assert.equal((await answer()).code, '429');
      await fault({ latency: 30, at: 'after' }, when);
      place('late');
      assert.equal((await answer()).event, 'trade');
      await fault({ garble: 'wrong-type' }, when);
      // The client of the tests refuses what is not documented.
      client.ws.removeAllListeners('message');
      const message = new Promise<Buffer>((resolve) => client.ws.once('message', resolve));
      place('mistyped');
      assert.equal(typeof JSON.parse((await message).toString()).args, 'string');
      assert.deepEqual((await open()).sort(), ['done-and-refused', 'late', 'mistyped']);
    });

    for (const [at, arrives] of [
      ['before', []],
      ['after', ['lost']],
    ] as const)
      it(`whose socket is reset ${at} them: ${arrives.length} in the books`, async () => {
        await fault({ drop: at }, { account: 'bot', times: 1 });
        place('lost');
        await client.closed;
        assert.deepEqual(await open(), arrives);
      });
  });

  it('a login that is refused, because the clock of the exchange is wrong', async () => {
    await fault({ skew: 120_000 }, { account: 'bot' });
    const error = await bot.watchOrders(PAIR).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    assert.match(String(error), /behind server time/);
  });

  it('nothing else: the operator is refused what makes no sense', async () => {
    for (const [action, when, expected] of [
      [{ disconnect: 99 }, {}, /do.disconnect: .*disconnect is a close code/],
      [{ disconnect: 1005 }, {}, /do.disconnect: no server sends this code/],
      [{ disconnect: 1012, every: 'often' }, {}, /do.every: must be a span/],
      [{ disconnect: 1012 }, { method: 'GET' }, /when.method: disconnect does not go by it/],
      [{ push: 'lose' }, {}, /do.push: must be one of skip, duplicate, reorder, delay/],
      [{ push: 'delay' }, {}, /do.ms: a delay needs it/],
      [{ push: 'skip', ms: 4 }, {}, /do.ms: only a delay has it/],
      [{ push: 'skip', topic: 'a b' }, {}, /do.topic: must match/],
      [{ push: 'skip' }, { path: 'x' }, /when.path: push does not go by it/],
    ] as const)
      await assert.rejects(fault(action, when), expected);
  });
});
