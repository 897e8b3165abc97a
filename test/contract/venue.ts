/**
 * The venue that the interface is held against: one real server on a manual clock, so that nothing waits and every edge
 * in time is exact. It has a past of forty days: windows of history have something on both sides, and a contract has
 * been delivered.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codesOf } from '../../src/api/http/route-codes.ts';
import { ROUTES } from '../../src/api/http/routes.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { type Reply, SignedClient } from '../harness/signed-client.ts';
import { ENDPOINTS, holds } from './endpoints.ts';
import { memoryOf } from './memory.ts';
import { CATEGORIES } from './objects.ts';
import { assertRejection } from './rejections.ts';

/** The codes that the OpenAPI document names for each call. */
const CODES = new Map(
  ROUTES.map((route) => [
    `${route.method} ${route.path.replace('/api/v3/', '')}`,
    new Set<string>(codesOf(route)),
  ]),
);

export const DAY_MS = 86_400_000;
/** When the past was traded: midnight of the day that the server starts on. */
export const PAST_MS = 40 * DAY_MS;
const START_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - PAST_MS;
export const DELIVERED = 'BTCUSDV26';

// biome-ignore lint/suspicious/noExplicitAny: answers are what this suite examines
export type Data = any;

/** A caller whose every answer is held against interface 1 and the endpoint's row of interface 4. */
export class Caller {
  readonly client: SignedClient;
  readonly uid: number;
  readonly keys: DemoKeys | undefined;
  readonly #url: string;

  constructor(url: string, keys?: DemoKeys) {
    this.client = new SignedClient(url, keys);
    this.uid = keys?.uid ?? 0;
    this.keys = keys;
    this.#url = url;
  }

  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Data> {
    const data = await this.#ok(`GET ${path}`, this.client.get(`/api/v3/${path}`, query));
    memoryOf(this.#url).chosen(`GET ${path}`, query, data);
    return data;
  }

  async post(path: string, body: unknown): Promise<Data> {
    const sent = this.client.post(`/api/v3/${path}`, body);
    const data = await this.#ok(`POST ${path}`, sent);
    const { requestTime } = JSON.parse((await sent).text) as { requestTime: number };
    memoryOf(this.#url).asked(`POST ${path}`, body, data, String(requestTime));
    return data;
  }

  /** What was accepted without this caller's knowing, as in a packet of many requests. */
  learned(path: string, body: unknown, data: Data): void {
    memoryOf(this.#url).asked(`POST ${path}`, body, data, '');
  }

  /** The code of a refusal and its message; the envelope carries no data. */
  async refusedGet(path: string, query: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.#refused(`GET ${path}`, await this.client.get(`/api/v3/${path}`, query));
  }

  async refusedPost(path: string, body: unknown): Promise<Reply> {
    return this.#refused(`POST ${path}`, await this.client.post(`/api/v3/${path}`, body));
  }

  /** The same account through another key. */
  withKey(keys: DemoKeys): Caller {
    return new Caller(this.#url, keys);
  }

  async #ok(call: string, sent: Promise<Reply>): Promise<Data> {
    const reply = await sent;
    assertEnvelope(reply, call);
    assert.equal(reply.status, 200, `${call}: ${reply.text}`);
    assert.equal(reply.code, '00000', `interface 1.4: ${call}: ${reply.text}`);
    assert.equal(reply.msg, 'success', `interface 1.4: ${call}`);
    holds(call, reply.data);
    memoryOf(this.#url).told(call, reply.data);
    return reply.data;
  }

  #refused(call: string, reply: Reply): Reply {
    assertRefused(reply, call);
    return reply;
  }
}

/** Interface 7.2: a whole request that fails says so in its envelope, and why. */
export function assertRefused(reply: Reply, call: string): void {
  assertEnvelope(reply, call);
  assert.notEqual(reply.code, '00000', `interface 7.2: ${call} was accepted`);
  assert.equal(reply.data, null, `interface 7.2: ${call}`);
  assert.ok(reply.status >= 400 && reply.status < 500, `${call}: HTTP ${reply.status}`);
  const codes = CODES.get(call);
  if (codes !== undefined)
    assert.ok(codes.has(reply.code), `/openapi.json: ${call} is not said to answer with ${reply.code}`);
  if (call in ENDPOINTS) assertRejection(reply.code, reply.msg, call);
  else assert.match(reply.msg, /\w/, `interface 7.2: ${call}: the message says why`);
}

/** Interface 1.4: four fields, `requestTime` the only number. */
export function assertEnvelope(reply: Reply, call: string): void {
  const envelope = JSON.parse(reply.text) as Record<string, unknown>;
  const where = `interface 1.4: ${call}: ${reply.text.slice(0, 300)}`;
  assert.deepEqual(Object.keys(envelope).sort(), ['code', 'data', 'msg', 'requestTime'], where);
  assert.equal(typeof envelope.code, 'string', where);
  assert.equal(typeof envelope.msg, 'string', where);
  assert.ok(Number.isSafeInteger(envelope.requestTime), where);
  assert.match(String(envelope.requestTime), /^1[0-9]{12}$/, where);
}

export interface Order {
  readonly category: string;
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly orderType: 'limit' | 'market';
  readonly qty: string;
  readonly price?: string;
  readonly [field: string]: string | undefined;
}

export function limit(
  where: readonly [category: string, symbol: string],
  side: 'buy' | 'sell',
  qty: string,
  price: string,
  more: Readonly<Record<string, string>> = {},
): Order {
  const [category, symbol] = where;
  return { category, symbol, side, orderType: 'limit', qty, price, ...more };
}

export const SPOT = ['SPOT', 'BTCUSDT'] as const;
export const LINEAR = ['USDT-FUTURES', 'BTCUSDT'] as const;
export const COIN = ['COIN-FUTURES', 'BTCUSD'] as const;
export const USDC = ['USDC-FUTURES', 'BTCPERP'] as const;

/** What is listed in a category from the start. */
export function catalogue(category: string): Data[] {
  const path = join(import.meta.dirname, '../../catalogue', `${category.toLowerCase()}.json`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** What the catalogue says about an instrument, as the start of another one's listing. */
export function catalogued(category: string, symbol: string): Data {
  const entry = catalogue(category).find((each) => each.symbol === symbol);
  assert.ok(entry, `${symbol} in ${category}`);
  return entry;
}

/** A quarterly coin-margined contract of these days. */
export function quarterly(symbol: string, startTime: number, deliveryTime: number, period: string): Data {
  const model = catalogued('coin-futures', 'BTCUSDZ26');
  return {
    ...model,
    symbol,
    status: 'online',
    launchTime: String(startTime),
    futures: {
      ...model.futures,
      deliveryStartTime: String(startTime),
      deliveryTime: String(deliveryTime),
      deliveryPeriod: period,
    },
  };
}

export class ContractVenue {
  readonly server: TestServer;
  readonly operator: Operator;
  readonly nobody: Caller;
  readonly alice: Caller;
  readonly bob: Caller;
  readonly bot: Caller;
  readonly maker: Caller;
  /** Both held a contract that has been delivered since, in hedge mode. */
  delivered!: { readonly long: Caller; readonly short: Caller };
  #now = START_MS;

  constructor(server: TestServer) {
    this.server = server;
    this.operator = new Operator(server);
    this.operator.keepsPrices = true;
    this.nobody = new Caller(server.url);
    const caller = (name: string) => new Caller(server.url, server.account(name));
    [this.alice, this.bob, this.bot, this.maker] = ['alice', 'bob', 'bot', 'maker'].map(caller) as [
      Caller,
      Caller,
      Caller,
      Caller,
    ];
  }

  /** The venue's time, which stands still between two advances. */
  now(): number {
    return this.#now;
  }

  /** A moment so long ago, as requests carry it. */
  ago(ms: number): string {
    return String(this.#now - ms);
  }

  async advance(ms: number, step = '1s'): Promise<void> {
    await this.operator.advanceClock(`${ms / 1000}s`, step);
    this.#now += ms;
  }

  /** The maker offers, the taker takes; returns the taker's order id. */
  async trade(taker: Caller, order: Order): Promise<string> {
    const { category, symbol, side, qty, price } = order;
    const against = side === 'buy' ? 'sell' : 'buy';
    await this.maker.post('trade/place-order', limit([category, symbol], against, qty, price!));
    const { orderId } = await taker.post('trade/place-order', order);
    return orderId;
  }

  /** A sub-account of alice with so much money: what happens to it concerns nobody else. */
  async small(name: string, usdt: string): Promise<Caller> {
    const keys = await this.operator.openSub(name, 'alice', ['uta_trade', 'uta_mgt']);
    const money = { account: String(keys.uid), coin: 'USDT', amount: usdt, reference: `fund-${name}` };
    await this.operator.deposit(money);
    return new Caller(this.server.url, keys);
  }

  /** Nobody of these has an open order any more. */
  async cleared(...who: readonly Caller[]): Promise<void> {
    const of = (caller: Caller) =>
      CATEGORIES.map((category) => caller.post('trade/cancel-symbol-order', { category }));
    await Promise.all(who.flatMap(of));
  }

  /** Moves an index and lets mark prices follow: they are taken each second. */
  async price(index: string, price: string): Promise<void> {
    await this.operator.setPrice(index, price);
    await this.advance(2000);
  }

  /** Lets a stablecoin be worth a dollar again: indices that moved apart count for a minute (rules 13.3). */
  async levelPrices(): Promise<void> {
    for (const index of ['BTCUSDT', 'BTCUSD', 'BTCUSDC']) await this.price(index, '60000');
    await this.advance(60_000);
  }
}

/** A contract that has been delivered since, a spot trade and a cancelled order. */
async function past(venue: ContractVenue): Promise<void> {
  const { alice, operator } = venue;
  const now = venue.now();
  const [long, short] = [
    await venue.small('delivers-long', '10000'),
    await venue.small('delivers-short', '10000'),
  ];
  venue.delivered = { long, short };
  await operator.list(quarterly(DELIVERED, now - DAY_MS, now + DAY_MS, 'this_quarter'));
  await venue.price('BTCUSD', '60000');
  await venue.trade(alice, limit(['COIN-FUTURES', DELIVERED], 'buy', '0.01', '60000'));
  await venue.trade(alice, limit(SPOT, 'buy', '0.01', '60000'));
  await alice.post('trade/place-order', limit(SPOT, 'buy', '0.01', '59000', { clientOid: 'long-ago' }));
  await alice.post('trade/cancel-order', { clientOid: 'long-ago' });
  for (const [who, side] of [
    [long, 'buy'],
    [short, 'sell'],
  ] as const) {
    await who.post('account/set-hold-mode', { holdMode: 'hedge_mode' });
    const posSide = side === 'buy' ? 'long' : 'short';
    await venue.trade(who, limit(['COIN-FUTURES', DELIVERED], side, '0.01', '60000', { posSide }));
  }
  const waits = { posSide: 'long', clientOid: 'waits-for-delivery' };
  await long.post('trade/place-order', limit(['COIN-FUTURES', DELIVERED], 'buy', '0.01', '59000', waits));
}

async function present(venue: ContractVenue): Promise<void> {
  const { operator } = venue;
  for (const [category, symbol] of [LINEAR, COIN, USDC]) {
    await operator.setStatus(category, symbol, 'online');
  }
  await operator.approveMarketMaker('maker');
  await operator.makeBroker('bob');
  for (const index of ['BTCUSDT', 'BTCUSD', 'BTCUSDC']) await venue.price(index, '60000');
}

export async function openVenue(): Promise<ContractVenue> {
  const clock = ['--clock', 'manual', '--clock-start', String(START_MS)];
  const server = await startHosted({ args: ['--rate-limits', 'off', ...clock] });
  const venue = new ContractVenue(server);
  try {
    await past(venue);
    await venue.advance(PAST_MS, '4h');
    await present(venue);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return venue;
}

/** A venue whose market lives: agents trade on every book as the clock is moved. */
export async function openLivingVenue(): Promise<ContractVenue> {
  const clock = ['--clock', 'manual', '--clock-start', String(START_MS)];
  const market = ['--market', 'normal', '--backfill', '0', '--seed', '1'];
  const venue = new ContractVenue(await startHosted({ args: ['--rate-limits', 'off', ...clock, ...market] }));
  await venue.advance(5000);
  return venue;
}
