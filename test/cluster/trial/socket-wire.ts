/** Orders over a WebSocket; a socket that closes leaves the outcome of what was under way unknown. */
import type { DemoKeys } from '../../harness/server.ts';
import { StreamClient } from '../../harness/stream-client.ts';
import { type Answer, type NewOrder, outcomeOf, type Wire } from './session.ts';

interface TradeFrame {
  readonly code: string | number;
  readonly msg: string;
  readonly args?: readonly { readonly orderId: string }[];
}

export class SocketWire implements Wire {
  readonly #keys: DemoKeys;
  #socket: StreamClient | undefined;
  #requests = 0;

  constructor(keys: DemoKeys) {
    this.#keys = keys;
  }

  async place(url: string, { clientOid, side, price, qty }: NewOrder): Promise<Answer> {
    const order = { symbol: 'BTCUSDT', orderType: 'limit', timeInForce: 'gtc', side, price, qty, clientOid };
    const frame = await this.#ask(url, 'place-order', order);
    const answer = read(frame);
    return answer.outcome === 'done' ? { ...answer, orderId: frame.args![0]!.orderId } : answer;
  }

  async cancel(url: string, orderId: string): Promise<Answer> {
    return read(await this.#ask(url, 'cancel-order', { orderId }));
  }

  leave(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  async #ask(url: string, topic: string, order: object): Promise<TradeFrame> {
    this.#socket ??= await StreamClient.login(url, this.#keys);
    return (await this.#socket.trade(String(++this.#requests), topic, 'spot', order)) as TradeFrame;
  }
}

function read({ code, msg }: TradeFrame): Answer {
  const outcome = outcomeOf(200, String(code));
  return { outcome, ...(outcome !== 'done' && { message: `${code} ${msg}` }) };
}
