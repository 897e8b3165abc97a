/** Signed requests over HTTP. A session tells each node how far it has seen the log, and is never shown less. */
import type { DemoKeys } from '../../harness/server.ts';
import { type Reply, SignedClient } from '../../harness/signed-client.ts';
import { type Answer, type NewOrder, outcomeOf, type Wire } from './session.ts';
import { BALANCES, OPEN_ORDERS, ORDER } from './shown.ts';

const SEQ_HEADER = 'x-bourse-seq';
const AFTER_HEADER = 'x-bourse-after';
const NOT_FOUND = '25204';
const OPEN: ReadonlySet<string> = new Set(['new', 'partially_filled']);

export class HttpWire implements Wire {
  readonly #keys: DemoKeys;
  #client: SignedClient | undefined;
  #seen = 0;

  constructor(keys: DemoKeys) {
    this.#keys = keys;
  }

  async place(url: string, { clientOid, side, price, qty }: NewOrder): Promise<Answer> {
    const body = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc' };
    const reply = await this.#send(url, 'POST', '/api/v3/trade/place-order', {
      ...body,
      side,
      price,
      qty,
      clientOid,
    });
    const answer = this.#read(reply);
    if (answer.outcome !== 'done') return answer;
    return { ...answer, orderId: (reply.data as { orderId: string }).orderId };
  }

  async cancel(url: string, orderId: string): Promise<Answer> {
    return this.#read(await this.#send(url, 'POST', '/api/v3/trade/cancel-order', { orderId }));
  }

  openOrders(url: string): Promise<Answer> {
    return this.#show(url, OPEN_ORDERS);
  }

  balances(url: string): Promise<Answer> {
    return this.#show(url, BALANCES);
  }

  async lookUp(url: string, clientOid: string): Promise<Answer> {
    const path = `${ORDER}?clientOid=${clientOid}`;
    const reply = await this.#send(url, 'GET', path);
    const answer = this.#read(reply);
    if (reply.code === NOT_FOUND) return { ...answer, outcome: 'done', message: undefined };
    if (answer.outcome !== 'done') return answer;
    const order = reply.data as { orderId: string; orderStatus: string };
    const isOpen = OPEN.has(order.orderStatus);
    return { ...answer, data: { orderId: order.orderId, ...(isOpen && { open: order }) } };
  }

  leave(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  async #show(url: string, path: string): Promise<Answer> {
    const reply = await this.#send(url, 'GET', path);
    const answer = this.#read(reply);
    return answer.outcome === 'done' ? { ...answer, data: reply.data as unknown } : answer;
  }

  #send(url: string, method: string, path: string, body?: object): Promise<Reply> {
    this.#client ??= new SignedClient(url, this.#keys);
    const after = this.#seen === 0 ? {} : { [AFTER_HEADER]: String(this.#seen) };
    return this.#client.send(method, path, body === undefined ? '' : JSON.stringify(body), after);
  }

  #read({ status, code, msg, headers }: Reply): Answer {
    const outcome = outcomeOf(status, code);
    const told = headers[SEQ_HEADER];
    const seq = told === undefined ? undefined : Number(told);
    if (seq !== undefined) this.#seen = Math.max(this.#seen, seq);
    return { outcome, seq, ...(outcome !== 'done' && { message: `${status} ${code} ${msg}` }) };
  }
}
