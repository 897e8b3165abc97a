/** The book that a reader builds from the stream is the book that HTTP shows, change by change (wire 5.3). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPerpetuals, PERPETUALS } from '../harness/contracts.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';
import { sizeOf } from '../property/seeds.ts';
import { Rng } from '../security/hostile/rng.ts';

const CHANGES = sizeOf(5_000, 10_000);
const ORDERS_PER_ROUND = 20;

/** MARGIN orders stand in the book of SPOT. */
const MARKETS = [
  { category: 'SPOT', symbol: 'BTCUSDT', orders: ['spot', 'margin'] },
  ...PERPETUALS.map(({ category, symbol }) => ({ category, symbol, orders: [category] })),
] as const;
type Market = (typeof MARKETS)[number];

interface OpenOrder {
  readonly orderId: string;
  readonly category: string;
}

type Levels = [string, string][];
interface Book {
  readonly a: Levels;
  readonly b: Levels;
}

/** What a client does with `books`: absolute sizes, 0 deletes, each push names the one before. */
class Rebuilt {
  seq = 0;
  pushes = 0;
  /** The book after each push, by its number. */
  readonly history = new Map<number, Book>();
  private readonly asks = new Map<string, string>();
  private readonly bids = new Map<string, string>();

  take({ action, data }: Frame): void {
    const [{ a, b, seq, pseq, ...rest }] = data;
    assert.deepEqual(Object.keys(rest), ['ts'], 'no checksum and nothing else');
    if (this.pushes === 0) {
      assert.deepEqual([action, pseq], ['snapshot', 0]);
    } else {
      assert.equal(action, 'update', 'never a second snapshot');
      assert.equal(pseq, this.seq, 'each push names the one before');
      assert.ok(seq > this.seq, 'numbers rise');
    }
    for (const [side, levels, direction] of [
      [this.asks, a, 1],
      [this.bids, b, -1],
    ] as const) {
      assert.ok(isSorted(levels, direction), 'asks rise, bids fall');
      for (const [price, size] of levels as Levels) {
        if (size === '0') assert.ok(side.delete(price), `only a level that was there is deleted: ${price}`);
        else side.set(price, size);
      }
    }
    this.seq = seq;
    this.pushes++;
    this.history.set(seq, this.book());
  }

  book(): Book {
    const sorted = (side: Map<string, string>, direction: number) =>
      [...side].sort(([x], [y]) => (Number(x) - Number(y)) * direction);
    return { a: sorted(this.asks, 1), b: sorted(this.bids, -1) };
  }
}

function isSorted(levels: Levels, direction: 1 | -1): boolean {
  return levels.every(([price], n) => n === 0 || (Number(price) - Number(levels[n - 1]![0])) * direction > 0);
}

let server: TestServer;
let http: SignedClient;
const clients: StreamClient[] = [];

before(async () => {
  server = await startHosted({ args: ['--rate-limits', 'off'] });
  http = new SignedClient(server.url);
  await openPerpetuals(server, '60000');
});

after(async () => {
  for (const client of clients) client.close();
  http.close();
  await server.stop();
});

test(`through ${CHANGES} changes the rebuilt book equals the book of HTTP at the same number, in every category`, async () => {
  await Promise.all(MARKETS.map(follow));
});

test('of more than 1000 levels a side the best are shown, and others come forward as those go (wire 5.3)', async () => {
  const DEPTH = 1_000;
  const sellers = ['alice', 'maker', 'bot'].map((name) => new SignedClient(server.url, server.account(name)));
  const levels = Array.from({ length: DEPTH + 140 }, (_, n) => ((300_000 + n) / 100).toFixed(2));
  const shares = sellers.map((_, n) => levels.filter((_, level) => level % sellers.length === n));
  const where = { category: 'SPOT', symbol: 'ETHUSDT' };
  const placed = await Promise.all(
    sellers.map(async (seller, n) => {
      for (const category of ['SPOT', 'MARGIN']) {
        await seller.post('/api/v3/trade/cancel-symbol-order', { category });
      }
      const ids: string[] = [];
      for (let from = 0; from < shares[n]!.length; from += ORDERS_PER_ROUND) {
        const { data } = await seller.post(
          '/api/v3/trade/place-batch',
          shares[n]!.slice(from, from + ORDERS_PER_ROUND).map((price) => ({
            ...where,
            side: 'sell',
            orderType: 'limit',
            price,
            qty: '0.01',
          })),
        );
        ids.push(...data.map(({ orderId }: Frame) => orderId));
      }
      return ids;
    }),
  );
  const rebuilt = new Rebuilt();
  const reader = await readerOf(rebuilt);
  await reader.subscribe({ instType: 'spot', topic: 'books', symbol: 'ETHUSDT' });
  const shows = async (prices: readonly string[]) => {
    const told = () => rebuilt.book().a.map(([price]) => Number(price).toFixed(2));
    for (let n = 0; n < 20_000 && JSON.stringify(told()) !== JSON.stringify(prices); n++) await sleep(5);
    assert.deepEqual(told(), prices);
  };
  await shows(levels.slice(0, DEPTH));
  for (const [n, seller] of sellers.entries()) {
    const batch = placed[n]!.slice(0, ORDERS_PER_ROUND).map((orderId) => ({ ...where, orderId }));
    await seller.post('/api/v3/trade/cancel-batch', batch);
    await shows(levels.filter((_, level) => level >= 60 || level % 3 > n).slice(0, DEPTH));
  }
  for (const seller of sellers) {
    await seller.post('/api/v3/trade/cancel-symbol-order', where);
    seller.close();
  }
  await shows([]);
});

/** A reader whose book is rebuilt push by push. */
async function readerOf(rebuilt: Rebuilt): Promise<StreamClient> {
  const reader = await StreamClient.open(server.url);
  clients.push(reader);
  reader.ws.on('message', () => {
    const frame = reader.frames.at(-1);
    if (frame.arg?.topic === 'books' && frame.data !== undefined) rebuilt.take(frame);
  });
  return reader;
}

async function follow(market: Market, seed: number): Promise<void> {
  const { category, symbol } = market;
  const topic = { instType: category.toLowerCase(), topic: 'books', symbol };
  const rebuilt = [new Rebuilt(), new Rebuilt()];
  const [early, late] = await Promise.all(rebuilt.map(readerOf));
  const traders = await Promise.all(
    ['alice', 'bob'].map((name) => StreamClient.login(server.url, server.account(name))),
  );
  clients.push(...traders);
  await early!.subscribe(topic);
  const dice = new Rng(20_26 + seed);
  const open: OpenOrder[][] = [[], []];
  let compared = 0;
  let lateJoined = false;
  for (let round = 0, seq = 0; seq < CHANGES; round++) {
    await Promise.all(traders.map((trader, n) => trade(trader, n, round, market, dice, open[n]!)));
    const { data } = await http.get('/api/v3/market/orderbook', { category, symbol, limit: '200' });
    seq = data.seq;
    // Mostly the next round begins before the stream has caught up.
    if (dice.chance(0.75) && seq < CHANGES) continue;
    const shown = { a: data.a, b: data.b };
    for (const each of lateJoined ? rebuilt : rebuilt.slice(0, 1)) {
      // A change that shows nothing is not pushed: then the book of the last push is still the right one.
      while (each.seq < seq && JSON.stringify(each.book()) !== JSON.stringify(shown)) await sleep(5);
      const told: Book = each.history.get(seq) ?? each.book();
      assert.deepEqual(told, shown, `${category}: book at ${seq}`);
      if (each.history.has(seq)) compared++;
    }
    if (!lateJoined && seq > CHANGES / 2) {
      // Joins in the middle, while orders go on, and must come to the same book.
      lateJoined = true;
      await late!.subscribe(topic);
      await late!.next((frame) => frame.action === 'snapshot');
    }
  }
  assert.ok(lateJoined);
  assert.ok(
    compared > CHANGES / 500,
    `${category}: ${compared} books were compared at exactly the same number`,
  );
}

/** Orders around one price, so that some trade, some rest and some join a level; then some are cancelled. */
async function trade(
  trader: StreamClient,
  n: number,
  round: number,
  { symbol, orders }: Market,
  dice: Rng,
  open: OpenOrder[],
): Promise<void> {
  const category = dice.pick(orders);
  const batch = Array.from({ length: ORDERS_PER_ROUND }, () => ({
    symbol,
    side: n === 0 ? 'buy' : 'sell',
    orderType: 'limit',
    timeInForce: dice.chance(0.1) ? 'ioc' : 'gtc',
    price: ((600_000 + (n === 0 ? -1 : 1) * (dice.below(68) - 8)) / 10).toFixed(1),
    qty: ((2 + dice.below(18)) / 10_000).toFixed(4),
  }));
  const placed = await trader.trade(`p${round}`, 'batch-place', category, ...batch);
  assert.equal(placed.code, '0', JSON.stringify(placed));
  for (const { code, orderId } of placed.args) if (code === '0') open.push({ orderId, category });
  while (open.length > 150) {
    const gone = open.splice(0, ORDERS_PER_ROUND);
    await trader.trade(`c${round}-${open.length}`, 'batch-cancel', category, ...gone);
  }
}
