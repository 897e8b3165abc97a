/** Orders and fills over the socket are those of HTTP: none missing, none twice, nothing that was not durable. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPerpetuals, PERPETUALS } from '../harness/contracts.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { sizeOf } from '../property/seeds.ts';
import { Rng } from '../security/hostile/rng.ts';
import { assertNothingUndone, assertToldIsKept, kept, RECORD_TOPICS, told } from './pushes-and-records.ts';

const CHANGES = sizeOf(1_500, 10_000);
const MARKETS = [
  { category: 'SPOT', symbol: 'BTCUSDT' },
  { category: 'MARGIN', symbol: 'BTCUSDT' },
  ...PERPETUALS,
] as const;
const CATEGORIES = MARKETS.map(({ category }) => category);
const TRADERS = ['alice', 'bob'] as const;
const STANDING_TOPICS = ['account', 'position'].map((topic) => ({ instType: 'UTA', topic }));

const data = temporaryDirectory();
const ARGS = ['--rate-limits', 'off'];

let server: TestServer;
let dice: Rng;

before(async () => {
  server = await startHosted({ data, args: ARGS });
  dice = new Rng(8);
  await openPerpetuals(server, '60000');
});

after(() => server.stop());

async function reader(name: string): Promise<StreamClient> {
  const client = await StreamClient.login(server.url, server.account(name));
  await client.subscribe(...RECORD_TOPICS);
  return client;
}

const price = (ticks: number) => ((600_000 + ticks) / 10).toFixed(1);
const quantity = (lots: number) => (lots / 10_000).toFixed(4);

/** Two accounts trade with each other in every market: fills, part fills, cancels, modifications, plans that fire. */
class Trading {
  private readonly traders: readonly StreamClient[];
  private readonly label: string;
  private requests = 0;

  constructor(traders: readonly StreamClient[], label: string) {
    this.traders = traders;
    this.label = label;
  }

  static async open(label: string): Promise<Trading> {
    const traders = await Promise.all(
      TRADERS.map((name) => StreamClient.login(server.url, server.account(name))),
    );
    return new Trading(traders, label);
  }

  /** Sides change, so that positions open, turn and close. */
  async round(n: number): Promise<void> {
    const market = MARKETS[n % MARKETS.length]!;
    const turned = Math.floor(n / MARKETS.length) % 2;
    const sides = turned === 0 ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
    await Promise.all(this.traders.map((trader, who) => this.orders(trader, market, sides[who]!)));
  }

  async plans(): Promise<void> {
    const http = new SignedClient(server.url, server.account('alice'));
    for (const { category, symbol } of MARKETS) {
      const plan = { category, symbol, type: 'trigger', side: 'sell', qty: '0.001' };
      const waits = { ...plan, triggerPrice: '66000', triggerOrderType: 'limit', triggerOrderPrice: '66000' };
      // The market trades around 60,000: this one fires with one of the next trades, or has.
      const fires = {
        ...plan,
        triggerPrice: '60000.2',
        triggerOrderType: 'limit',
        triggerOrderPrice: '60001',
      };
      for (const body of [waits, fires]) {
        const { code, msg } = await http.post('/api/v3/trade/place-strategy-order', body);
        assert.equal(code, '00000', `${category}: ${msg}`);
      }
    }
    http.close();
  }

  close(): void {
    for (const trader of this.traders) trader.close();
  }

  private async orders(
    trader: StreamClient,
    { category, symbol }: (typeof MARKETS)[number],
    side: 'buy' | 'sell',
  ): Promise<void> {
    const away = side === 'buy' ? -1 : 1;
    const orders = Array.from({ length: 20 }, () => ({
      symbol,
      side,
      orderType: 'limit',
      timeInForce: dice.pick(['gtc', 'gtc', 'gtc', 'ioc', 'post_only', 'fok']),
      price: price(away * (dice.below(20) - 10)),
      qty: quantity(2 + dice.below(18)),
    }));
    const placed = await this.ask(trader, 'batch-place', category, orders);
    const ids = placed.args
      .filter(({ code }: Frame) => code === '0')
      .map(({ orderId }: Frame) => ({ orderId }));
    const changed = ids.slice(0, 4).map((id: object) => ({
      ...id,
      qty: quantity(2 + dice.below(30)),
      price: price(away * dice.below(10)),
    }));
    if (changed.length > 0) await this.ask(trader, 'batch-modify', category, changed);
    if (ids.length > 0) await this.ask(trader, 'batch-cancel', category, ids.slice(2));
  }

  private async ask(trader: StreamClient, topic: string, category: string, args: object[]): Promise<Frame> {
    const reply = await trader.trade(`${this.label}${++this.requests}`, topic, category, ...args);
    assert.equal(reply.code, '0', JSON.stringify(reply));
    return reply;
  }
}

async function assertAllKept(sockets: readonly (readonly StreamClient[])[]) {
  return Promise.all(
    TRADERS.map(async (name, n) => {
      const http = new SignedClient(server.url, server.account(name));
      const counts = await assertToldIsKept(http, sockets[n]!, CATEGORIES);
      http.close();
      return counts;
    }),
  );
}

test(`${CHANGES} changes of orders in every category: pushes equal the history, also across a restart with reconnect`, async () => {
  const first = await Promise.all(TRADERS.map(reader));
  const changes = (readers: readonly StreamClient[]) => told(readers, 'order').length;
  const before = await Trading.open('a');
  await before.plans();
  for (let n = 0; changes(first) < CHANGES / 2; n++) await before.round(n);
  await assertAllKept(first.map((socket) => [socket]));
  before.close();

  const { port } = new URL(server.url);
  await server.stop();
  const reasons = await Promise.all(first.map(({ closed }) => closed));
  assert.deepEqual(
    reasons.map(({ code }) => code),
    [1012, 1012],
  );
  server = await startHosted({ data, args: [...ARGS, '--port', port] });
  const second = await Promise.all(TRADERS.map(reader));
  const afterwards = await Trading.open('b');
  await afterwards.plans();
  for (let n = 0; changes(second) < CHANGES / 2; n++) await afterwards.round(n);
  const counts = await assertAllKept(TRADERS.map((_, n) => [first[n]!, second[n]!]));
  const sum = (of: (each: (typeof counts)[number]) => number) =>
    counts.reduce((all, each) => all + of(each), 0);
  assert.ok(sum(({ orderChanges }) => orderChanges) >= CHANGES);
  assert.ok(sum(({ fills }) => fills) > CHANGES / 10, 'many of them traded');
  assert.equal(counts[0]!.strategyOrders, 4 * MARKETS.length);
  const seen = new Set<string>(
    told([...first, ...second], 'fill').map(({ category }) => category.toUpperCase()),
  );
  assert.deepEqual(seen, new Set(CATEGORIES), 'every category traded');
  afterwards.close();
  for (const client of second) client.close();
});

test('through a kill -9 while every category trades: what was told is kept, and who comes back is told each once', async () => {
  await server.stop();
  // In a host it would tell more after the moment that is kept.
  server = await startServer({ data, args: ARGS });
  const first = await reader('alice');
  const trading = await Trading.open('k');
  const rounds = (async () => {
    await trading.plans();
    for (let n = 0; n < 1_000; n++) await trading.round(n);
  })().catch(() => {});
  await first.next((frame) => frame.arg?.topic === 'fill' && told([first], 'fill').length > 300);
  const { port } = new URL(server.url);
  await server.kill();
  await first.closed;
  await rounds;
  server = await startHosted({ data, args: [...ARGS, '--port', port] });
  const second = await reader('alice');
  const http = new SignedClient(server.url, server.account('alice'));
  const between = await kept(http, CATEGORIES);
  assertNothingUndone([first], between);
  await assertStandingIsKept(http, second);

  const afterwards = await Trading.open('l');
  await afterwards.plans();
  for (let n = 0; n < 2 * MARKETS.length; n++) await afterwards.round(n);
  const counts = await assertToldIsKept(http, [second], CATEGORIES, between);
  assert.ok(counts.fills > 100 && counts.strategyOrders >= 2 * MARKETS.length, JSON.stringify(counts));
  for (const topic of ['fill', 'fast-fill']) {
    const ids = told([first, second], topic).map(({ execId }) => execId);
    assert.equal(new Set(ids).size, ids.length, `${topic}: none before and after the kill`);
  }
  await assertStandingIsKept(http, second);
  afterwards.close();
  second.close();
  http.close();
});

/** Balances and positions as they were pushed last are those of HTTP, now that nothing moves. */
async function assertStandingIsKept(http: SignedClient, socket: StreamClient): Promise<void> {
  const from = socket.frames.length;
  await socket.subscribe(...STANDING_TOPICS);
  const { data: assets } = await http.get('/api/v3/account/assets');
  const account = await socket.next(
    (frame) => frame.arg?.topic === 'account' && frame.data !== undefined,
    from,
  );
  const balances = (coins: Frame[]) =>
    coins.map(({ coin, balance, available, locked }) => [coin, balance, available, locked]);
  assert.deepEqual(balances(account.data[0].coin), balances(assets.assets));
  const lists = await Promise.all(
    PERPETUALS.map(({ category }) => http.get('/api/v3/position/current-position', { category })),
  );
  const position = await socket.next(
    ({ arg, action, data }) => arg?.topic === 'position' && action === 'snapshot' && data !== undefined,
    from,
  );
  const held = (list: Frame[]) =>
    new Set(
      list.map(({ symbol, posSide, size, total, avgPrice }) =>
        [symbol, posSide, size ?? total, avgPrice].join(' '),
      ),
    );
  assert.deepEqual(held(position.data), held(lists.flatMap(({ data }) => data.list)));
  socket.send({ op: 'unsubscribe', args: STANDING_TOPICS });
  await socket.answers();
}
