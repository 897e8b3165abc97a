/** Faults of the exchange itself: for each, what an unmodified bot sees, and what is true in the books. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import ccxt from 'ccxt';
import type { Bourse, BourseOptions } from '../../src/testkit/index.ts';
import { startBourse } from '../../src/testkit/index.ts';
import { Operator } from '../../src/testkit/operator.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const SPOT = 'BTC/USDT';
const SWAP = 'BTC/USDT:USDT';

interface FaultView {
  readonly id: string;
  readonly hits: number;
  readonly over: boolean;
  readonly active: boolean;
  readonly problem: string | null;
}

/** An exchange with a bot of ccxt and the calls of the laboratory. */
class Trial {
  readonly bourse: Bourse;
  readonly operator: Operator;
  readonly bot: InstanceType<typeof ccxt.bitget>;

  constructor(bourse: Bourse) {
    this.bourse = bourse;
    this.operator = new Operator(bourse.operatorUrl, bourse.operatorToken);
    this.bot = new ccxt.bitget({ ...bourse.ccxt('bot'), enableRateLimit: false });
  }

  static async start(options: BourseOptions = {}): Promise<Trial> {
    const trial = new Trial(
      await startBourse({
        instruments: ['BTCUSDT', 'BTCUSD'],
        prices: { BTCUSDT: '60000' },
        rateLimits: false,
        ...options,
      }),
    );
    await trial.bot.loadMarkets();
    return trial;
  }

  fault(action: object, when: object = {}): Promise<FaultView> {
    return this.operator.post<FaultView>('/lab/faults', { when, do: action });
  }

  async view({ id }: FaultView): Promise<FaultView> {
    const { faults } = await this.operator.get<{ faults: FaultView[] }>('/lab/faults');
    return faults.find((fault) => fault.id === id)!;
  }

  /** An outage so short that a busy machine may not see it; the clock is refused to everybody until it is over. */
  async outlast(outage: object): Promise<void> {
    await this.fault(outage);
    await until('it is over', async () => (await this.seen(() => this.bourse.advance('1s'))) === undefined);
  }

  /** Every coin adds up to nothing over users, house and world. */
  async assertBooksBalance(): Promise<void> {
    const { coins, balanced } = await this.operator.get<{ coins: unknown[]; balanced: boolean }>(
      '/admin/books',
    );
    assert.ok(coins.length > 0);
    assert.equal(balanced, true);
  }

  async seen(act: () => Promise<unknown>): Promise<Error | undefined> {
    try {
      await act();
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }
}

describe('a bot meets', () => {
  let trial: Trial;
  before(async () => {
    trial = await Trial.start();
  });
  after(() => trial.bourse.close());
  afterEach(async () => {
    await trial.operator.delete('/lab/faults');
    for (const account of trial.bourse.accounts)
      for (const order of await account.openOrders()) await account.cancel(order);
    await trial.assertBooksBalance();
  });

  for (const symbol of [SPOT, SWAP])
    it(`a part of its order on ${symbol} that trades, with a real counterparty`, async () => {
      const { bot, bourse } = trial;
      // Others stand before it.
      const category = symbol === SPOT ? 'SPOT' : 'USDT-FUTURES';
      for (const price of ['59100', '59000'])
        await bourse.account('alice').place({
          ...{ category, symbol: 'BTCUSDT', orderType: 'limit', side: 'buy', qty: '0.05', price },
        });
      const standing = await trial.fault({ fill: 40 }, { account: 'bot', times: 1 });
      const { id } = await bot.createOrder(symbol, 'limit', 'buy', 0.01, 59_000);
      const { problem, hits } = await trial.view(standing);
      assert.deepEqual([problem, hits], [null, 1]);
      const order = await bot.fetchOrder(id!, symbol);
      assert.deepEqual([order.filled, order.status], [0.004, 'open']);
      const trades = (await bot.fetchMyTrades(symbol)).filter((trade) => trade.order === id);
      assert.equal(
        trades.reduce((sum, { amount }) => sum + amount!, 0),
        0.004,
      );
      assert.deepEqual(
        new Set(trades.map(({ price, takerOrMaker }) => `${price} ${takerOrMaker}`)),
        new Set(['59000 maker']),
      );
      const balances = await bourse.account('bot').balances();
      if (symbol === SPOT) assert.equal(balances.BTC, '2.003996');
      else assert.equal((await bourse.account('bot').positions())[0]!.total, '0.004');
    });

  it('a market order that trades in an empty book, at the offset from the index', async () => {
    const { bot } = trial;
    const standing = await trial.fault({ fill: 50, priceOffsetBps: 20 }, { account: 'bot' });
    const { id } = await bot.createOrder(SWAP, 'market', 'buy', 0.02);
    assert.equal((await trial.view(standing)).problem, null);
    const trades = (await bot.fetchMyTrades(SWAP)).filter((trade) => trade.order === id);
    assert.deepEqual(
      trades.map(({ price, amount }) => [price, amount]),
      [[60_120, 0.01]],
    );
    const spent = await bot.createMarketBuyOrderWithCost(SPOT, 1000);
    const [trade] = (await bot.fetchMyTrades(SPOT)).filter((each) => each.order === spent.id);
    assert.deepEqual([trade!.price, trade!.amount], [60_120, 0.008316]);
  });

  it('a fill that the rules forbid, and the operator hears why', async () => {
    const { bot } = trial;
    const standing = await trial.fault({ fill: 100 }, { account: 'bot' });
    const { id } = await bot.createOrder(SPOT, 'limit', 'buy', 0.01, 40_000);
    assert.equal((await bot.fetchOrder(id!, SPOT)).filled, 0);
    assert.match((await trial.view(standing)).problem!, /refused: sellBelowBand/);
  });

  it('a halt, which ends by itself', async () => {
    const { bot, bourse } = trial;
    const standing = await trial.fault({ halt: true, seconds: 30 });
    assert.equal(standing.active, true);
    const refused = await trial.seen(() => bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000));
    assert.match(String(refused), /25106/);
    await bourse.advance('31s');
    await bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000);
    const { active, over } = await trial.view(standing);
    assert.deepEqual([active, over], [false, true]);
  });

  it('a gap: the price jumps at the third order, and its position with it', async () => {
    const { bot, bourse } = trial;
    const before = Number((await bot.fetchTicker(SWAP)).info.indexPrice);
    await trial.fault({ gap: 'BTC', percent: -10 }, { account: 'bot', path: 'trade/place-order', nth: [3] });
    for (let n = 0; n < 3; n++) await bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000);
    await bourse.advance('1s');
    const after = Number((await bot.fetchTicker(SWAP)).info.indexPrice);
    assert.equal(after, before * 0.9);
    await trial.operator.post('/admin/prices', { index: 'BTCUSDT', price: '60000' });
    await bourse.advance('1s');
  });

  it('an index without fresh prices: what the rules refuse', async () => {
    const { bot, bourse, operator } = trial;
    await trial.fault({ stale: 'BTC', seconds: 1200 });
    await assert.rejects(
      operator.post('/admin/prices', { index: 'BTCUSD', price: '61000' }),
      /holds prices of this index back/,
    );
    await bourse.advance('16m');
    const { indices } = await operator.get<{ indices: { index: string; stale: boolean }[] }>('/admin/prices');
    assert.deepEqual(
      indices.map(({ stale }) => stale),
      indices.map(() => true),
    );
    const refused = await trial.seen(() => bot.createOrder('BTC/USD:BTC', 'limit', 'buy', 0.01, 59_000));
    assert.match(String(refused), /25108/);
    await bourse.advance('5m');
    for (const index of ['BTCUSDT', 'BTCUSD'])
      await operator.post('/admin/prices', { index, price: '60000' });
    await bourse.advance('1s');
    assert.equal(
      await trial.seen(() => bot.createOrder('BTC/USD:BTC', 'limit', 'buy', 0.01, 59_000)),
      undefined,
    );
  });

  it('a disk that is slow: the answer waits, the order is there', async () => {
    const { bot } = trial;
    const standing = await trial.fault({ 'slow-disk': 2000 });
    let answered = false;
    const placing = bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000).then(() => {
      answered = true;
    });
    // What shows nothing of the state does not wait for the disk.
    for (let n = 0; n < 3; n++) await fetch(`${trial.bourse.url}/healthz`);
    assert.equal(answered, false);
    await placing;
    await trial.operator.delete(`/lab/faults/${standing.id}`);
    assert.equal((await trial.bourse.account('bot').openOrders()).length, 1);
  });

  it('an instrument that takes closing orders only, and is delisted then', async () => {
    const { bot, bourse } = trial;
    const market = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' };
    await bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000);
    await trial.fault({ status: 'limit_open', ...market });
    assert.match(
      String(await trial.seen(() => bot.createOrder(SWAP, 'limit', 'buy', 0.01, 59_000))),
      /25105/,
    );
    await trial.fault({ status: 'online', ...market });
    await trial.fault({ delist: 'BTCUSDT', category: 'SPOT' }, { from: '5s' });
    assert.equal((await bourse.account('bot').openOrders()).length, 1);
    await bourse.advance('6s');
    assert.equal((await bourse.account('bot').openOrders()).length, 0);
    assert.match(
      String(await trial.seen(() => bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000))),
      /25102/,
    );
  });

  it('nothing that makes no sense: the operator is refused', async () => {
    for (const [action, expected] of [
      [{ fill: 0 }, /do.fill: must be > 0; fill is the percentage/],
      [{ fill: 40, priceOffsetBps: 5000 }, /do.priceOffsetBps: must be <= 1000/],
      [{ stale: 'ETH', seconds: 10 }, /do.stale: there is no index or coin "ETH"/],
      [{ stale: 'BTC' }, /do: seconds is missing/],
      [{ gap: 'ETH', percent: 5 }, /do.gap: no index has the price of "ETH"/],
      [{ gap: 'BTC', percent: -100 }, /do.percent: must be > -100/],
      [{ halt: false }, /do.halt: must be equal to constant; halt is true/],
      [{ delist: 'ETHUSDT', category: 'SPOT' }, /do.delist: there is no SPOT instrument "ETHUSDT"/],
      [{ status: 'gone', category: 'SPOT', symbol: 'BTCUSDT' }, /do.status: must be one of listed, online/],
      [{ outage: 0 }, /do.outage: must be > 0/],
      [{ outage: 1, how: 'softly' }, /do.how: must be one of clean, kill/],
      [{ 'slow-disk': 60_000 }, /do.slow-disk: must be <= 10000/],
    ] as const)
      await assert.rejects(trial.fault(action), expected);
  });
});

describe('a bot meets an outage', () => {
  for (const how of ['clean', 'kill'] as const)
    for (const place of ['memory', 'disk'] as const)
      it(`${how}, in ${place}: nobody answers, then everything is as it was`, async () => {
        const data = place === 'disk' ? { data: `${temporaryDirectory()}/data` } : {};
        const trial = await Trial.start(data);
        const { bot, bourse } = trial;
        try {
          const { id } = await bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000);
          const before = { hash: await bourse.stateHash(), now: await bourse.now() };
          const lost = await trial.fault({ drop: 'after' }, { path: 'nowhere' });
          const standing = await trial.fault({ outage: 0.3, how });
          await until('nobody answers', () => trial.seen(() => bot.fetchTime()));
          const error = await trial.seen(() => bot.fetchBalance());
          assert.ok(error instanceof ccxt.NetworkError, String(error));
          await until('it is back', async () => (await trial.seen(() => bot.fetchTime())) === undefined);
          assert.deepEqual(
            (await bot.fetchOpenOrders(SPOT)).map((order) => order.id),
            [id],
          );
          assert.deepEqual({ hash: await bourse.stateHash(), now: await bourse.now() }, before);
          assert.equal((await trial.view(standing)).over, true);
          assert.equal((await trial.view(lost)).id, lost.id);
          // It goes on: orders, time, a second outage.
          await bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_001);
          await bourse.advance('10s');
          await trial.outlast({ outage: 0.05, how });
          assert.equal((await bot.fetchOpenOrders(SPOT)).length, 2);
          await trial.assertBooksBalance();
        } finally {
          await bourse.close();
        }
      });

  it('at its order, which is not carried out', async () => {
    const trial = await Trial.start();
    const { bot, bourse } = trial;
    await trial.fault({ outage: 0.1, how: 'kill' }, { account: 'bot', path: 'trade/place-order', nth: [2] });
    await bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000);
    const error = await trial.seen(() => bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_001));
    assert.ok(error === undefined || error instanceof ccxt.NetworkError, String(error));
    await until('it is back', async () => (await trial.seen(() => bot.fetchTime())) === undefined);
    assert.equal((await bot.fetchOpenOrders(SPOT)).length, error === undefined ? 2 : 1);
    await bourse.close();
  });

  it('at its time, in the middle of an advance', async () => {
    const trial = await Trial.start();
    const { bourse, bot } = trial;
    await trial.fault({ outage: 0.05 }, { from: '30s' });
    const { to } = await bourse.advance('2m');
    assert.equal((await bourse.now()).getTime(), to.getTime());
    await bot.createOrder(SPOT, 'limit', 'buy', 0.001, 50_000);
    await bourse.close();
  });

  it('while a market runs, and gaps that makers run away from', async () => {
    const trial = await Trial.start({ market: 'quiet', prices: {} });
    const { bot, bourse } = trial;
    await bourse.advance('5s');
    const before = (await bot.fetchOrderBook(SPOT)).bids.length;
    assert.ok(before > 0);
    await trial.fault({ gap: 'BTC', percent: -10 });
    assert.equal((await bot.fetchOrderBook(SPOT)).bids.length, 0);
    await bourse.advance('5s');
    assert.ok((await bot.fetchOrderBook(SPOT)).bids.length > 0);
    await trial.outlast({ outage: 0.05 });
    await bourse.advance('5s');
    assert.ok((await bot.fetchOrderBook(SPOT)).bids.length > 0);
    await trial.assertBooksBalance();
    await bourse.close();
  });
});
