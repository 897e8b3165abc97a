/** Two accounts that trade in every category, and readers of what is told of it. */
import assert from 'node:assert/strict';
import { PERPETUALS } from '../harness/contracts.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, StreamClient } from '../harness/stream-client.ts';
import type { Rng } from '../security/hostile/rng.ts';
import { RECORD_TOPICS } from './pushes-and-records.ts';

export const MARKETS = [
  { category: 'SPOT', symbol: 'BTCUSDT' },
  { category: 'MARGIN', symbol: 'BTCUSDT' },
  ...PERPETUALS,
] as const;
export const CATEGORIES = MARKETS.map(({ category }) => category);
export const TRADERS = ['alice', 'bob'] as const;

export async function reader(server: TestServer, name: string): Promise<StreamClient> {
  const client = await StreamClient.login(server.url, server.account(name));
  await client.subscribe(...RECORD_TOPICS);
  return client;
}

const price = (ticks: number) => ((600_000 + ticks) / 10).toFixed(1);
const quantity = (lots: number) => (lots / 10_000).toFixed(4);

/** Two accounts trade with each other in every market: fills, part fills, cancels, modifications, plans that fire. */
export class Trading {
  private readonly server: TestServer;
  private readonly dice: Rng;
  private readonly traders: readonly StreamClient[];
  private readonly label: string;
  private requests = 0;

  constructor(server: TestServer, dice: Rng, traders: readonly StreamClient[], label: string) {
    this.server = server;
    this.dice = dice;
    this.traders = traders;
    this.label = label;
  }

  static async open(server: TestServer, dice: Rng, label: string): Promise<Trading> {
    const traders = await Promise.all(
      TRADERS.map((name) => StreamClient.login(server.url, server.account(name))),
    );
    return new Trading(server, dice, traders, label);
  }

  /** Sides change, so that positions open, turn and close. */
  async round(n: number): Promise<void> {
    const market = MARKETS[n % MARKETS.length]!;
    const turned = Math.floor(n / MARKETS.length) % 2;
    const sides = turned === 0 ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
    await Promise.all(this.traders.map((trader, who) => this.orders(trader, market, sides[who]!)));
  }

  async plans(): Promise<void> {
    const http = new SignedClient(this.server.url, this.server.account('alice'));
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
      timeInForce: this.dice.pick(['gtc', 'gtc', 'gtc', 'ioc', 'post_only', 'fok']),
      price: price(away * (this.dice.below(20) - 10)),
      qty: quantity(2 + this.dice.below(18)),
    }));
    const placed = await this.ask(trader, 'batch-place', category, orders);
    const ids = placed.args
      .filter(({ code }: Frame) => code === '0')
      .map(({ orderId }: Frame) => ({ orderId }));
    const changed = ids.slice(0, 4).map((id: object) => ({
      ...id,
      qty: quantity(2 + this.dice.below(30)),
      price: price(away * this.dice.below(10)),
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
