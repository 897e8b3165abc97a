/** ccxt as its users have it, pointed at one node after the other. */
import ccxt from 'ccxt';
import { type CcxtClient, ccxtClient } from '../../api/clients.ts';
import type { DemoKeys } from '../../harness/server.ts';
import { type Answer, type NewOrder, outcomeOf, PATIENCE_MS, type Wire } from './session.ts';

const SYMBOL = 'BTC/USDT';

export class CcxtWire implements Wire {
  readonly #keys: DemoKeys;
  #client: CcxtClient | undefined;
  /** Of the first node that gave them; every node has the same. */
  #loaded: CcxtClient | undefined;
  #seen = 0;

  constructor(keys: DemoKeys) {
    this.#keys = keys;
  }

  async place(url: string, { clientOid, side, price, qty }: NewOrder): Promise<Answer> {
    const client = await this.#at(url);
    return this.#read(client, async () => {
      const order = await client.createOrder(SYMBOL, 'limit', side, Number(qty), Number(price), {
        clientOrderId: clientOid,
      });
      return { orderId: order.id };
    });
  }

  async cancel(url: string, orderId: string): Promise<Answer> {
    const client = await this.#at(url);
    return this.#read(client, async () => {
      await client.cancelOrder(orderId, SYMBOL);
      return {};
    });
  }

  leave(): void {
    this.#client = undefined;
  }

  async #at(url: string): Promise<CcxtClient> {
    if (this.#client !== undefined) return this.#client;
    const client = ccxtClient(url, this.#keys, { timeout: PATIENCE_MS, enableRateLimit: false });
    if (this.#loaded === undefined) await client.loadMarkets();
    else client.setMarketsFromExchange(this.#loaded);
    this.#loaded = client;
    this.#client = client;
    return client;
  }

  async #read(client: CcxtClient, call: () => Promise<Partial<Answer>>): Promise<Answer> {
    client.headers = this.#seen === 0 ? {} : { 'X-Bourse-After': String(this.#seen) };
    try {
      const more = await call();
      const seq = seqOf(client);
      if (seq !== undefined) this.#seen = Math.max(this.#seen, seq);
      return { outcome: 'done', seq, ...more };
    } catch (error) {
      const { message } = error as Error;
      const code = /"code":"(\w*)"/.exec(message)?.[1] ?? '';
      const isRefusal = error instanceof ccxt.ExchangeError && !(error instanceof ccxt.NetworkError);
      return {
        outcome: isRefusal || code !== '' ? outcomeOf(200, code) : 'unknown',
        message: message.slice(0, 200),
      };
    }
  }
}

function seqOf(client: CcxtClient): number | undefined {
  const headers: Readonly<Record<string, string>> | undefined = client.last_response_headers;
  const [, told] =
    Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'x-bourse-seq') ?? [];
  return told === undefined ? undefined : Number(told);
}
