/** An account of the exchange: signed calls of the public interface, and deposits by the operator. */
import { createHmac } from 'node:crypto';
import { BourseError } from './errors.ts';
import type { Account, Order, PlaceOrder, Position } from './interface.ts';
import { jsonCall } from './json-call.ts';
import type { Operator } from './operator.ts';

const OK = '00000';
const PAGE = 100;

export interface Credentials {
  readonly name: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

interface Page<Row> {
  readonly list: readonly Row[] | null;
  readonly cursor?: string | null;
}

export class SigningAccount implements Account {
  readonly name: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
  readonly #url: string;
  readonly #operator: Operator;
  readonly #lastCommand: () => number;
  /** Under way. */
  #deposits = 0;

  constructor(
    { name, uid, apiKey, secretKey, passphrase }: Credentials,
    url: string,
    operator: Operator,
    lastCommand: () => number,
  ) {
    this.name = name;
    this.uid = uid;
    this.apiKey = apiKey;
    this.secretKey = secretKey;
    this.passphrase = passphrase;
    this.#url = url;
    this.#operator = operator;
    this.#lastCommand = lastCommand;
  }

  async balances(): Promise<Record<string, string>> {
    const { assets } = await this.#call<{ assets: readonly { coin: string; balance: string }[] }>(
      'GET',
      '/api/v3/account/assets',
    );
    return Object.fromEntries(assets.map(({ coin, balance }) => [coin, balance]));
  }

  async openOrders(): Promise<readonly Order[]> {
    const orders: Order[] = [];
    let cursor = '';
    do {
      const query = `limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = await this.#call<Page<Order>>('GET', `/api/v3/trade/unfilled-orders?${query}`);
      orders.push(...(page.list ?? []));
      cursor = (page.list?.length ?? 0) < PAGE ? '' : (page.cursor ?? '');
    } while (cursor !== '');
    return orders;
  }

  async positions(): Promise<readonly Position[]> {
    const categories = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES'];
    const pages = await Promise.all(
      categories.map((category) =>
        this.#call<Page<Position>>('GET', `/api/v3/position/current-position?category=${category}`),
      ),
    );
    return pages.flatMap(({ list }) => list ?? []);
  }

  async place(order: PlaceOrder): Promise<Order> {
    const { orderId } = await this.#call<{ orderId: string }>('POST', '/api/v3/trade/place-order', order);
    return this.#call<Order>('GET', `/api/v3/trade/order-info?orderId=${orderId}`);
  }

  async cancel({ orderId }: { readonly orderId: string }): Promise<void> {
    await this.#call('POST', '/api/v3/trade/cancel-order', { orderId });
  }

  async deposit(coin: string, amount: string): Promise<void> {
    // A reference counts once, also after a restart on the same directory; after a revert the same deposit has the same one.
    const reference = `testkit-${this.#lastCommand()}-${++this.#deposits}`;
    try {
      await this.#operator.post('/admin/deposits', { account: this.name, coin, amount, reference });
    } finally {
      this.#deposits -= 1;
    }
  }

  async #call<Data>(method: string, path: string, body?: object): Promise<Data> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const timestamp = String(Date.now());
    const sign = createHmac('sha256', this.secretKey)
      .update(timestamp + method + path + text)
      .digest('base64');
    const headers = {
      'ACCESS-KEY': this.apiKey,
      'ACCESS-SIGN': sign,
      'ACCESS-TIMESTAMP': timestamp,
      'ACCESS-PASSPHRASE': this.passphrase,
    };
    const { code, msg, data } = (await jsonCall(this.#url + path, method, headers, text)) as {
      code: string;
      msg: string;
      data: Data;
    };
    if (code !== OK) throw new BourseError(code, msg);
    return data;
  }
}
