/** The laboratory of an exchange in this process, over its operator's listener. */
import assert from 'node:assert/strict';
import type { RunningExchange } from '../../src/app/start/start-exchange.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Flags, keysOf, operate, startInMemory } from '../memory/in-process.ts';

export const START = '2026-01-01T00:00:00Z';
export const MANUAL: Flags = { clock: 'manual', clockStart: START, instruments: 'BTCUSDT' };

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any;

export class Lab {
  readonly exchange: RunningExchange;

  constructor(exchange: RunningExchange) {
    this.exchange = exchange;
  }

  static async start(flags: Flags = {}): Promise<Lab> {
    return new Lab(await startInMemory({ ...MANUAL, ...flags }));
  }

  async ask(method: string, path: string, body?: object): Promise<Json> {
    const { status, content } = await operate(this.exchange, method, path, body);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(content)}`);
    return content;
  }

  async refused(method: string, path: string, body?: object): Promise<[number, string, string]> {
    const { status, content } = await operate(this.exchange, method, path, body);
    return [status, content.error?.code, content.error?.message];
  }

  snapshot(name: string): Promise<Json> {
    return this.ask('POST', '/lab/snapshots', { name });
  }

  revert(to: string, more: object = {}): Promise<Json> {
    return this.ask('POST', '/lab/revert', { to, ...more });
  }

  client(name: string): SignedClient {
    return new SignedClient(this.exchange.url, keysOf(this.exchange, name));
  }

  advance(by: string): Promise<Json> {
    return this.ask('POST', '/admin/clock/advance', { by });
  }

  stop(): Promise<void> {
    return this.exchange.stop();
  }
}

export const spotOrder = (side: 'buy' | 'sell', price: string, qty = '0.01') => ({
  category: 'SPOT',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  side,
  price,
  qty,
});
