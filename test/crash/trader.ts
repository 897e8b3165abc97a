/** One client with one connection: it places, changes and cancels orders as fast as the answers come. */
import type { DemoKeys } from '../harness/server.ts';
import { type Reply, SignedClient } from '../harness/signed-client.ts';
import type { Answer, OrderJournal, PlacedOrder } from './order-journal.ts';

const SYMBOL = 'BTCUSDT';
const MIDDLE = 60_000;
const SPREAD = 12;
const REMEMBERED = 30;
/** The venue does not know whether the command was carried out (reliability 2.0, C2). */
const UNKNOWN_CODE = '40010';

export class Trader {
  readonly #name: string;
  readonly #keys: DemoKeys;
  readonly #journal: OrderJournal;
  readonly #random: () => number;
  readonly #mine: PlacedOrder[] = [];
  #count = 0;

  constructor(name: string, keys: DemoKeys, journal: OrderJournal, random: () => number) {
    this.#name = name;
    this.#keys = keys;
    this.#journal = journal;
    this.#random = random;
  }

  /** Trades until the server is gone or `until` says so. */
  async trade(url: string, until: () => boolean): Promise<void> {
    const client = new SignedClient(url, this.#keys);
    try {
      while (!until()) if (!(await this.#act(client))) return;
    } finally {
      client.close();
    }
  }

  /** False when the connection broke. */
  async #act(client: SignedClient): Promise<boolean> {
    const roll = this.#random();
    const order = this.#mine[Math.floor(this.#random() * this.#mine.length)];
    if (order === undefined || roll < 0.55) return this.#place(client);
    return roll < 0.8 ? this.#cancel(client, order) : this.#modify(client, order);
  }

  async #place(client: SignedClient): Promise<boolean> {
    this.#count += 1;
    const { price, qty } = this.#priceAndQty();
    const order = this.#journal.intend(this.#keys.name, `${this.#name}-${this.#count}`, price, qty);
    const side = this.#random() < 0.5 ? 'buy' : 'sell';
    const timeInForce = this.#random() < 0.15 ? 'ioc' : 'gtc';
    const { clientOid } = order;
    const body = {
      category: 'SPOT',
      symbol: SYMBOL,
      orderType: 'limit',
      side,
      timeInForce,
      price,
      qty,
      clientOid,
    };
    const reply = await send(client, '/api/v3/trade/place-order', body);
    order.answer = answerOf(reply);
    if (order.answer === 'done') {
      order.orderId = (reply!.data as { orderId: string }).orderId;
      this.#mine.push(order);
      if (this.#mine.length > REMEMBERED) this.#mine.shift();
    }
    return reply !== undefined;
  }

  async #cancel(client: SignedClient, order: PlacedOrder): Promise<boolean> {
    const change = this.#journal.intendChange(order, 'cancel');
    const reply = await send(client, '/api/v3/trade/cancel-order', { orderId: order.orderId });
    change.answer = answerOf(reply);
    this.#mine.splice(this.#mine.indexOf(order), 1);
    return reply !== undefined;
  }

  async #modify(client: SignedClient, order: PlacedOrder): Promise<boolean> {
    const { price, qty } = this.#priceAndQty();
    const change = this.#journal.intendChange(order, 'modify', price, qty);
    const reply = await send(client, '/api/v3/trade/modify-order', { orderId: order.orderId, price, qty });
    change.answer = answerOf(reply);
    return reply !== undefined;
  }

  #priceAndQty(): { price: string; qty: string } {
    const price = String(MIDDLE - SPREAD + Math.floor(this.#random() * (2 * SPREAD + 1)));
    const qty = `0.00${String(1 + Math.floor(this.#random() * 9999)).padStart(4, '0')}`;
    return { price, qty };
  }
}

async function send(client: SignedClient, path: string, body: unknown): Promise<Reply | undefined> {
  try {
    return await client.post(path, body);
  } catch {
    return undefined;
  }
}

/** A half-sent answer is no answer. */
function answerOf(reply: Reply | undefined): Answer {
  if (reply === undefined || reply.code === '' || reply.code === UNKNOWN_CODE || reply.status >= 500)
    return 'unknown';
  return reply.code === '00000' ? 'done' : 'refused';
}
