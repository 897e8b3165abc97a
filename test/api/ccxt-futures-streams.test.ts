/** ccxt pro, unmodified, on contracts of every category: prices, books, trades, candles, orders, fills, positions, money. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderBook } from 'ccxt';
import { openPerpetuals, PERPETUALS } from '../harness/contracts.ts';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type CcxtProClient, ccxtProClient } from './clients.ts';

/** Calls a watch method again and again, so that no push falls between two calls. */
class Following<T> {
  private readonly watch: () => Promise<T>;
  private next: Promise<T>;

  constructor(watch: () => Promise<T>) {
    this.watch = watch;
    this.next = this.follow();
  }

  async until(fits: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await this.next;
      this.next = this.follow();
      if (fits(value)) return value;
    }
  }

  private follow(): Promise<T> {
    const next = this.watch();
    // Whoever waits hears of it; at the end nobody does.
    next.catch(() => {});
    return next;
  }
}

const SYMBOLS = {
  'USDT-FUTURES': { swap: 'BTC/USDT:USDT', money: 'USDT' },
  'COIN-FUTURES': { swap: 'BTC/USD:BTC', money: 'BTC' },
  'USDC-FUTURES': { swap: 'BTC/USDC:USDC', money: 'USDC' },
} as const;

let server: TestServer;
let markets: CcxtProClient | undefined;
let bob: SignedClient;

before(async () => {
  server = await startHostedInMemory(['--rate-limits', 'off']);
  await openPerpetuals(server, '60000');
  bob = new SignedClient(server.url, server.account('bob'));
});

after(async () => {
  await markets?.close();
  bob.close();
  await server.stop();
});

async function subscriptions(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^bourse_stream_subscriptions (\S+)$/m.exec(text)![1]);
}

for (const { category, symbol } of PERPETUALS) {
  const { swap, money } = SYMBOLS[category];

  describe(`${swap} (${category})`, () => {
    let alice: CcxtProClient;

    before(async () => {
      alice = await ccxtProClient(server.url, server.account('alice'), markets);
      markets ??= alice;
      await quote('sell', '60100', '0.5');
      await quote('buy', '59900', '0.5');
    });

    after(async () => {
      await alice.cancelAllOrders(swap).catch(() => {});
      if (alice !== markets) await alice.close();
    });

    async function quote(side: 'buy' | 'sell', price: string, qty: string): Promise<void> {
      const order = { category, symbol, side, orderType: 'limit', price, qty };
      const { code, msg } = await bob.post('/api/v3/trade/place-order', order);
      assert.equal(code, '00000', msg);
    }

    const levels = ({ bids, asks }: OrderBook) =>
      [bids, asks].map((side) => Array.from(side, ([price, size]) => [price, size]));

    test('watchTicker, watchTickers and watchBidsAsks: best prices, mark, index and funding', async () => {
      const ticker = await alice.watchTicker(swap);
      assert.deepEqual([ticker.symbol, ticker.bid, ticker.ask], [swap, 59900, 60100]);
      assert.deepEqual([ticker.info.markPrice, ticker.info.indexPrice], ['60000', '60000']);
      assert.ok(Number(ticker.info.nextFundingTime) > 0);
      const tickers = new Following(() => alice.watchTickers([swap]));
      const best = new Following(() => alice.watchBidsAsks([swap]));
      await quote('sell', '60050', '0.01');
      await tickers.until((all) => all[swap]?.ask === 60050);
      await best.until((all) => all[swap]?.ask === 60050);
    });

    test('watchOrderBook equals the book of HTTP, at first and after changes', async () => {
      const first = await alice.watchOrderBook(swap);
      assert.deepEqual(levels(first), levels(await alice.fetchOrderBook(swap, 50)));
      const books = new Following(() => alice.watchOrderBook(swap));
      await quote('buy', '59950', '0.02');
      await quote('sell', '60060', '0.02');
      const wanted = JSON.stringify(levels(await alice.fetchOrderBook(swap, 50)));
      await books.until((book) => JSON.stringify(levels(book)) === wanted);
    });

    test('watchOrders, watchMyTrades, watchTrades, watchOHLCV, watchPositions and watchBalance tell of one trade', async () => {
      const { total: start } = (await alice.watchBalance())[money]!;
      assert.deepEqual(await alice.watchPositions(), []);
      const known = await subscriptions();
      const orders = new Following(() => alice.watchOrders(swap));
      const fills = new Following(() => alice.watchMyTrades(swap));
      const trades = new Following(() => alice.watchTrades(swap));
      const candles = new Following(() => alice.watchOHLCV(swap, '1m'));
      const positions = new Following(() => alice.watchPositions([swap]));
      const balances = new Following(() => alice.watchBalance());
      // The client tells nobody when orders, fills, trades and candles are subscribed; the venue does.
      while ((await subscriptions()) < known + 4) await sleep(5);
      const { id } = await alice.createOrder(swap, 'limit', 'buy', 0.01, 60050);
      const changes = await orders.until((list) => list.some((each) => each.id === id));
      const order = changes.find((each) => each.id === id)!;
      assert.deepEqual([order.symbol, order.status, order.filled], [swap, 'closed', 0.01]);
      const mine = await fills.until((list) => list.some((each) => each.order === id));
      const [fill] = mine.filter((each) => each.order === id);
      assert.deepEqual([fill!.symbol, fill!.price, fill!.amount, fill!.side], [swap, 60050, 0.01, 'buy']);
      const kept = await alice.fetchMyTrades(swap, undefined, undefined, { category });
      const same = kept.find((each) => each.order === id)!;
      assert.deepEqual([fill!.id, fill!.fee!.currency], [same.id, same.fee!.currency]);
      // Coin-margined contracts tell the size in quote coin (interface 2.9).
      const size = category === 'COIN-FUTURES' ? 600.5 : 0.01;
      await trades.until((list) => list.some(({ price, amount }) => price === 60050 && amount === size));
      await candles.until((list) => list.at(-1)?.[4] === 60050);
      const opened = await positions.until(([position]) => position?.contracts === 0.01);
      assert.deepEqual([opened[0]!.symbol, opened[0]!.side, opened[0]!.entryPrice], [swap, 'long', 60050]);
      const { free } = (await alice.fetchBalance())[money]!;
      const told = await balances.until((balance) => balance[money]!.free === free);
      assert.ok(told[money]!.total! < start!, `the fee was paid in ${money}`);

      await alice.createOrder(swap, 'market', 'sell', 0.01, undefined, { reduceOnly: true });
      await positions.until((list) => list.some(({ contracts }) => contracts === 0));
      assert.deepEqual(await alice.fetchPositions([swap]), []);
    });

    test('unWatch methods resolve and end the stream', async () => {
      assert.equal(await alice.unWatchTicker(swap), true);
      assert.equal(await alice.unWatchOrderBook(swap), true);
      assert.equal(await alice.unWatchTrades(swap), true);
    });
  });
}
