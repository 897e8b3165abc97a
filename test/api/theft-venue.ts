/**
 * A venue for one theft (rules 13): a running exchange without demo accounts on a manual clock, so that it holds only what
 * the people of the theft brought. Thieves and strangers trade with the unmodified SDK, the operator acts over the operator's
 * listener, and at the end the books and the reserves are looked at.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHostedEmpty } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { type SdkClient, sdkClient } from './clients.ts';
import { decimal, units } from './ledger-by-hand.ts';

/** Half past nine: no hour, and with it no interest and no funding, ends by accident. */
const START = '2026-03-02T09:30:00Z';
const PERMISSIONS = ['uta_trade', 'uta_mgt', 'withdraw'] as const;
const ONE = 100_000_000n;

type Money = Readonly<Record<string, string>>;
type Side = 'buy' | 'sell';
type OrderWords = Parameters<SdkClient['submitNewOrder']>[0];

export interface Market {
  readonly category: OrderWords['category'];
  readonly symbol: string;
}

export const PERPETUAL = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
export const COIN_PERPETUAL = { category: 'COIN-FUTURES', symbol: 'BTCUSD' } as const;
export const SPOT = { category: 'SPOT', symbol: 'BTCUSDT' } as const;
export const MARGIN = { category: 'MARGIN', symbol: 'BTCUSDT' } as const;

interface AccountPage {
  readonly balances: readonly ({ readonly coin: string } & Readonly<Record<string, string>>)[];
  readonly positions: readonly {
    readonly category: string;
    readonly symbol: string;
    readonly side: string;
    readonly size: string;
    readonly averagePrice: string;
    readonly margin: string;
    readonly unrealised: string;
    readonly fundingOwed: string;
  }[];
}

/** One account and the client of its owner. */
export class Person {
  readonly name: string;
  readonly uid: string;
  readonly sdk: SdkClient;

  constructor(name: string, uid: number, sdk: SdkClient) {
    this.name = name;
    this.uid = String(uid);
    this.sdk = sdk;
  }

  /** A limit order; resolves with its id. */
  async order(side: Side, qty: string, price: string, on: Market, more = {}): Promise<string> {
    const order = { ...on, side, orderType: 'limit', qty, price, ...more } as OrderWords;
    return (await this.sdk.submitNewOrder(order)).data.orderId;
  }

  buy(qty: string, price: string, on: Market, more = {}): Promise<string> {
    return this.order('buy', qty, price, on, more);
  }

  sell(qty: string, price: string, on: Market, more = {}): Promise<string> {
    return this.order('sell', qty, price, on, more);
  }

  /** Status, filled size and, of an order that was cancelled, why. */
  async stands(orderId: string): Promise<string> {
    const { orderStatus, cumExecQty, cancelReason } = (await this.sdk.getOrderInfo({ orderId })).data;
    return `${orderStatus} ${cumExecQty} ${cancelReason}`.trim();
  }

  async leverage(
    leverage: number,
    on: Market,
    marginMode: 'crossed' | 'isolated' = 'crossed',
  ): Promise<void> {
    await this.sdk.setLeverage({ ...on, leverage: String(leverage), marginMode } as never);
  }

  async coinLeverage(leverage: number, coin: string): Promise<void> {
    await this.sdk.setLeverage({ category: 'MARGIN', coin, leverage: String(leverage) } as never);
  }

  /** Pays a debt with another coin. */
  async repay(debt: string, payment: string): Promise<void> {
    await this.sdk.submitRepay({ repayableCoinList: [debt], paymentCoinList: [payment] });
  }

  /** Resolves with the id of the withdrawal. */
  async withdraw(size: string, coin: string, chain: string): Promise<string> {
    const asked = { coin, transferType: 'on_chain', chain, address: 'outside', size } as const;
    return (await this.sdk.submitWithdraw(asked)).data.orderId;
  }

  /** A main account hands a short (`buy`) or a long (`sell`) of its family from one account to another: the code of the answer. */
  async move(
    from: Person,
    to: Person,
    side: Side,
    qty: string,
    { category, symbol }: Market,
  ): Promise<string> {
    const positionList = [{ symbol, side, qty }];
    const wish = { fromUid: from.uid, toUid: to.uid, category, positionList };
    return (await this.sdk.movePositions(wish as never)).data.closePosition[0]!.code;
  }

  async cancelAll(): Promise<void> {
    for (const category of ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES'] as const) {
      const { list } = (await this.sdk.getUnfilledOrders({ category })).data;
      for (const { orderId } of list ?? []) await this.sdk.cancelOrder({ orderId });
    }
  }
}

/** What was won, below zero what was lost. */
export function gainOf(now: bigint, brought: string): string {
  const gain = now - units(brought);
  return gain < 0n ? `-${decimal(-gain)}` : decimal(gain);
}

/** The code with which the venue refuses; empty when it does not. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return (error as { body: { code: string } }).body.code;
  }
  return '';
}

export class Venue {
  readonly server: TestServer;
  readonly operator: Operator;

  constructor(server: TestServer) {
    this.server = server;
    this.operator = new Operator(server);
  }

  /** Opens an account with a key, and deposits what it brings. */
  async open(name: string, { brings = {}, of, broker = false }: Part): Promise<Person> {
    const kind = of !== undefined ? { kind: 'sub', master: of } : { kind: broker ? 'broker' : 'main' };
    const { account } = await this.act('/admin/accounts', { name, ...kind });
    const { uid } = account as { uid: number };
    for (const [coin, amount] of Object.entries(brings))
      await this.operator.deposit({ account: String(uid), coin, amount, reference: 'brought' });
    const keys = await this.operator.openKey(uid, name, PERMISSIONS);
    return new Person(name, uid, sdkClient(this.server.url, keys));
  }

  /** Prices of bitcoin are said by hand and seen a second later; where one is left out it is the other's. */
  async btc(inTether: string, inDollars = inTether): Promise<void> {
    for (const [index, price] of [
      ['BTCUSDT', inTether],
      ['BTCUSD', inDollars],
    ] as const)
      await this.operator.setPrice(index, price);
    await this.operator.advanceClock('1s');
  }

  /** `seller` rests, `buyer` takes. */
  async deal(buyer: Person, seller: Person, qty: string, price: string, on: Market): Promise<void> {
    await seller.sell(qty, price, on);
    await buyer.buy(qty, price, on);
  }

  /** Wallets of an account, its positions at the mark, in USDT where bitcoin costs so much in the world outside. */
  async worth(person: Person, btc: string): Promise<bigint> {
    const { balances, positions } = await this.account(person);
    const price = { BTC: units(btc), USDT: ONE } as Record<string, bigint>;
    let sum = 0n;
    const add = (coin: string, ...amounts: readonly string[]) => {
      for (const amount of amounts) sum += (units(amount) * price[coin]!) / ONE;
    };
    for (const { coin, ...of } of balances)
      add(coin, of.unified!, of.locked!, of.funding!, of.withdrawing!, of.pledged!);
    for (const { category, margin, unrealised, fundingOwed } of positions)
      add(category === 'COIN-FUTURES' ? 'BTC' : 'USDT', margin, unrealised, `-${fundingOwed}`);
    const loans = (await person.sdk.getLoanBorrowOngoing()).data;
    for (const { loanCoin, loanAmount, interestAmount } of loans)
      add(loanCoin, `-${loanAmount}`, `-${interestAmount}`);
    return sum;
  }

  /** What a family could take home once its orders are cancelled: nobody pays in what an account of it lacks. */
  async takeHome(family: readonly Person[], btc: string): Promise<bigint> {
    let sum = 0n;
    for (const person of family) {
      await person.cancelAll();
      const own = await this.worth(person, btc);
      if (own > 0n) sum += own;
    }
    return sum;
  }

  async account(person: Person): Promise<AccountPage> {
    return (await this.ask(`/admin/accounts/${person.uid}`)) as unknown as AccountPage;
  }

  /** Every position of an account, such as `long 10 @ 60000`. */
  async held(person: Person): Promise<string> {
    const { positions } = await this.account(person);
    return positions.map(({ side, size, averagePrice }) => `${side} ${size} @ ${averagePrice}`).join();
  }

  /** A row of the trial balance. */
  async books(coin: string): Promise<Record<string, string>> {
    const { coins } = await this.ask('/admin/books');
    return (coins as Record<string, string>[]).find((row) => row.coin === coin)!;
  }

  /** The insurance fund of contracts. */
  async fund(coin = 'USDT'): Promise<bigint> {
    return units((await this.books(coin)).insurance!);
  }

  async insure(amount: string, coin = 'USDT'): Promise<void> {
    const body = { coin, fund: 'futures', amount, reference: 'seed' };
    await this.act('/admin/insurance/fund', body);
  }

  /** The HTTP status with which rates of an account are taken or refused. */
  async tryFees(person: Person, on: Market, maker: string, taker: string): Promise<number> {
    return (await this.#send('/admin/fees', { account: person.uid, ...on, maker, taker })).status;
  }

  async fees(person: Person, on: Market, maker: string, taker: string): Promise<void> {
    assert.equal(await this.tryFees(person, on, maker, taker), 200);
  }

  /** Per coin everything adds up to nothing, and what is owed is held or lent to somebody who can pay. */
  async audit(): Promise<void> {
    await this.operator.assertBooksAgree();
    const { solvency, coins } = await this.act('/admin/reserves/audit', {});
    assert.notEqual(solvency, 'insolvent', JSON.stringify(coins));
    for (const { badDebt } of coins as { badDebt: string }[]) assert.equal(badDebt, '0');
  }

  async ask(path: string): Promise<Record<string, unknown>> {
    return read(path, await this.#send(path));
  }

  async act(path: string, body: object): Promise<Record<string, unknown>> {
    return read(path, await this.#send(path, body));
  }

  #send(path: string, body?: object): Promise<Response> {
    const { url, token } = this.operator.endpoint;
    return fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
  }
}

async function read(path: string, answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text();
  assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Who takes part, by name: what it brings, its main account, is it a broker. Main accounts come first. */
export interface Part {
  readonly brings?: Money;
  readonly of?: string;
  readonly broker?: boolean;
}

/** A test with a venue of its own: what one theft leaves behind would be in the way of the next. */
export function theft<Cast extends Readonly<Record<string, Part>>>(
  name: string,
  cast: Cast,
  run: (venue: Venue, people: Readonly<Record<keyof Cast, Person>>) => Promise<void>,
  start = START,
): void {
  void test(name, async () => {
    const args = ['--clock', 'manual', '--clock-start', start, '--rate-limits', 'off'];
    const server = await startHostedEmpty(args);
    try {
      const venue = new Venue(server);
      for (const { category, symbol } of [PERPETUAL, COIN_PERPETUAL])
        await venue.operator.setStatus(category, symbol, 'online');
      const people: Record<string, Person> = {};
      for (const [name, part] of Object.entries(cast)) people[name] = await venue.open(name, part);
      await run(venue, people as Record<keyof Cast, Person>);
      await venue.audit();
    } finally {
      await server.stop();
    }
  });
}
