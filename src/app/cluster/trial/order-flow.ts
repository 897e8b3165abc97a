/** Orders to the nodes that run, one after the other and to each in turn; what became of each is known in the end. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { demoAccount } from '../../../identity/demo-accounts.ts';

const PAUSE_MS = 20;
/** Longer than a node waits for an outcome. */
const ANSWER_MS = 5_000;
/** After the loss of a server its history is found again. */
const KNOWN_WITHIN_MS = 10_000;
const PLACE = '/api/v3/trade/place-order';
const INFO = '/api/v3/trade/order-info';
const OK = '00000';
const TRADER = demoAccount('bot', '', {});

interface Sent {
  readonly clientOid: string;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly isAcknowledged: boolean;
}

export interface FlowReport {
  readonly sent: number;
  readonly acknowledged: number;
  /** Refused, or without an answer that says what became of it. */
  readonly unanswered: number;
  /** Acknowledged orders that a node does not know. */
  readonly lost: number;
  /** Between two acknowledged orders, the longest time, in ms. */
  readonly longestGapMs: number;
}

export class OrderFlow {
  readonly #running: () => readonly string[];
  readonly #name: string;
  readonly #sent: Sent[] = [];
  #isOver = false;
  readonly #flowing: Promise<void>;

  /** `running` are the addresses of the nodes that run; `name` tells the orders of this flow from those of others. */
  constructor(running: () => readonly string[], name: string) {
    this.#running = running;
    this.#name = name;
    this.#flowing = this.#flow();
  }

  get acknowledged(): number {
    return this.#sent.filter(({ isAcknowledged }) => isAcknowledged).length;
  }

  /** Resolves when so many more were acknowledged; false when that took too long. */
  async more(orders: number, withinMs: number): Promise<boolean> {
    const [wanted, endMs] = [this.acknowledged + orders, performance.now() + withinMs];
    while (this.acknowledged < wanted) {
      if (performance.now() > endMs) return false;
      await sleep(PAUSE_MS);
    }
    return true;
  }

  /** Ends it, and asks every node that runs for every acknowledged order. */
  async end(): Promise<FlowReport> {
    this.#isOver = true;
    await this.#flowing;
    const acknowledged = this.#sent.filter(({ isAcknowledged }) => isAcknowledged);
    let lost = 0;
    for (const { clientOid } of acknowledged)
      for (const url of this.#running()) if (!(await isKnown(url, clientOid))) lost++;
    const times = acknowledged.map(({ answeredMs }) => answeredMs);
    const gaps = times.slice(1).map((time, n) => time - times[n]!);
    return {
      sent: this.#sent.length,
      acknowledged: acknowledged.length,
      unanswered: this.#sent.length - acknowledged.length,
      lost,
      longestGapMs: Math.round(Math.max(0, ...gaps)),
    };
  }

  async #flow(): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const urls = this.#running();
      const url = urls[n % urls.length];
      if (url === undefined) return;
      const clientOid = `${this.#name}-${n}`;
      const order = {
        category: 'SPOT',
        symbol: 'BTCUSDT',
        side: 'buy',
        orderType: 'limit',
        timeInForce: 'ioc',
        qty: '0.001',
        price: '10000',
        clientOid,
      };
      const sentMs = performance.now();
      const { code } = await call(url, 'POST', PLACE, JSON.stringify(order));
      this.#sent.push({ clientOid, sentMs, answeredMs: performance.now(), isAcknowledged: code === OK });
      await sleep(PAUSE_MS);
    }
  }
}

/** A node may not have applied it yet, or not reach the history; "not found" a moment later is the answer. */
async function isKnown(url: string, clientOid: string): Promise<boolean> {
  const endMs = performance.now() + KNOWN_WITHIN_MS;
  for (;;) {
    const { code } = await call(url, 'GET', `${INFO}?clientOid=${clientOid}`);
    if (code === OK) return true;
    if (performance.now() > endMs) return false;
    await sleep(PAUSE_MS);
  }
}

/** The code of the answer; empty when there was none. */
async function call(
  url: string,
  method: string,
  path: string,
  body = '',
): Promise<{ readonly code: string }> {
  const timestamp = String(Date.now());
  const sign = createHmac('sha256', TRADER.secretKey)
    .update(timestamp + method + path + body)
    .digest('base64');
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        'access-key': TRADER.apiKey,
        'access-sign': sign,
        'access-timestamp': timestamp,
        'access-passphrase': TRADER.passphrase,
        'content-type': 'application/json',
      },
      ...(body !== '' && { body }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return (await response.json()) as { code: string };
  } catch {
    return { code: '' };
  }
}
