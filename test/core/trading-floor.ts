/**
 * A trading floor for scenarios: an exchange with the examples' instruments, people with names, and decimals as
 * people write them. Each command goes through the log's bytes, and after each one the state and the events are
 * checked (`checkInvariants`, `Auditor`). At the end every scenario is played again without any of these looks, which
 * make kept figures exact, and must come to the same (I40).
 */

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { type AmendItem, ANY, type Command, OFF_GRID, OUT_OF_RANGE } from '../../src/core/command.ts';
import { decodeCommand, encodeCommand } from '../../src/core/command-codec.ts';
import type {
  CandleClosed,
  Event,
  FillRecord,
  LedgerLine,
  OrderRecord,
  Traded,
} from '../../src/core/event.ts';
import { Exchange } from '../../src/core/exchange.ts';
import type { CoinSpec, Instrument, InstrumentSpec } from '../../src/core/instrument.ts';
import { checkInvariants } from '../../src/core/invariants.ts';
import { Bucket } from '../../src/core/ledger.ts';
import { PRICE_TICKS_MAX, SIZE_LOTS_MAX } from '../../src/core/limits.ts';
import type { CandleWidth } from '../../src/core/market/candle-width.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import * as reads from '../../src/core/reads.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { loadState, saveState } from '../../src/core/snapshot.ts';
import { NO_LEG, type PresetChange, type TriggerLeg } from '../../src/core/strategy/trigger-leg.ts';
import {
  CANCEL_REASON_NAMES,
  CATEGORY_NAMES,
  type Category,
  type CategoryName,
  type InstrumentStatusName,
  ORDER_STATUS_NAMES,
  OrderType,
  POS_SIDE_NAMES,
  type PosSide,
  Side,
  Source,
  STP_MODE_NAMES,
  type StpMode,
  TIME_IN_FORCE_NAMES,
  type TimeInForce,
  TRIGGER_BY_NAMES,
  type TriggerBy,
  WALLET_NAMES,
  Wallet,
  type WalletName,
} from '../../src/core/terms.ts';
import { formatUnits, MONEY_SCALE, parseUnits, RATE_SCALE } from '../../src/core/units.ts';
import { Auditor } from './audit/auditor.ts';
import { COINS, INSTRUMENTS } from './listings.ts';

export interface OrderWords {
  /** Symbol; BTCUSDT when left out. */
  readonly on?: string;
  readonly category?: CategoryName;
  readonly tif?: (typeof TIME_IN_FORCE_NAMES)[number];
  readonly stp?: (typeof STP_MODE_NAMES)[number];
  readonly source?: 'api' | 'retail';
  readonly clientOid?: string;
  /** Futures. */
  readonly posSide?: 'long' | 'short';
  readonly reduceOnly?: boolean;
  /** What its fills shall be protected with. */
  readonly takeProfit?: LegWords;
  readonly stopLoss?: LegWords;
}

/** A trigger price, by the last trade and with a market order behind it unless told otherwise. */
export type LegWords =
  | string
  | { readonly at: string; readonly by?: 'market' | 'mark'; readonly limit?: string };

export interface AmendWords {
  readonly price?: string;
  readonly qty?: string;
  readonly autoCancel?: boolean;
  readonly source?: 'api' | 'retail';
  readonly outstanding?: number;
  readonly preset?: PresetChange;
}

export interface WithdrawalWords {
  readonly fee?: string;
  /** Both wallets when left out. */
  readonly from?: readonly WalletName[];
  readonly clientOid?: string;
}

export type RefusalName = keyof typeof Refusal;

export function refusalName(refusal: Refusal): RefusalName {
  return (Object.keys(Refusal) as RefusalName[]).find((name) => Refusal[name] === refusal)!;
}

/** A floor where each of these people has plenty of every coin. */
export function openFloor(...names: string[]): TradingFloor {
  const floor = new TradingFloor();
  for (const name of names) floor.trader(name, PLENTY);
  return floor;
}

export const PLENTY = { USDT: '10000000', BTC: '100', ETH: '1000', XAU: '100000' };

/** 2026-01-01 00:00:00 UTC. */
export const OPENING_BELL = 1_767_225_600_000;

/** A change that no command makes, for examples that begin in the middle. */
type Arrangement = (exchange: Exchange) => void;

const floors: TradingFloor[] = [];

after(() => {
  for (const floor of floors) floor.assertSameUnseen();
});

export class TradingFloor {
  exchange = new Exchange();
  private auditor = new Auditor(this.exchange.state);
  now = OPENING_BELL;
  /** Every command so far, as bytes. */
  readonly log: Uint8Array[] = [];
  /** Everything that happened so far. */
  readonly events: Event[] = [];
  private readonly outcomes: Outcome[] = [];
  /** By the number of commands before them. */
  private readonly arrangements = new Map<number, Arrangement[]>();
  /** Latest record of each order ever told of. */
  private readonly orders = new Map<number, OrderRecord>();
  private readonly uids = new Map<string, number>();

  constructor(instruments: readonly InstrumentSpec[] = INSTRUMENTS, coins: readonly CoinSpec[] = COINS) {
    floors.push(this);
    for (const spec of coins) this.carryOut({ type: 'listCoin', time: this.now, spec });
    for (const spec of instruments) this.carryOut({ type: 'listInstrument', time: this.now, spec });
  }

  get state() {
    return this.exchange.state;
  }

  // People and money

  trader(
    name: string,
    funds: Readonly<Record<string, string>> = {},
    words: { readonly marketMaker?: boolean; readonly house?: boolean; readonly master?: string } = {},
  ): void {
    const uid = 1001 + this.uids.size;
    this.uids.set(name, uid);
    const { marketMaker = false, house = false, master } = words;
    const masterUid = master === undefined ? 0 : this.uid(master);
    this.carryOut({ type: 'openAccount', time: this.now, uid, masterUid, marketMaker, house });
    for (const [coin, amount] of Object.entries(funds)) this.deposit(name, amount, coin);
  }

  uid(name: string): number {
    const uid = this.uids.get(name);
    if (uid === undefined) throw new Error(`nobody here is called ${name}`);
    return uid;
  }

  deposit(name: string, amount: string, coin: string): RefusalName {
    return this.moveMoney('deposit', name, amount, coin);
  }

  withdraw(name: string, amount: string, coin: string): RefusalName {
    return this.moveMoney('withdraw', name, amount, coin);
  }

  /** A deposit into the funding wallet. */
  fund(name: string, amount: string, coin: string): void {
    this.carryOut({
      type: 'deposit',
      time: this.now,
      uid: this.uid(name),
      coin: this.coin(coin),
      amount: moneyUnits(amount),
      reference: `fund ${this.log.length}`,
      wallet: Wallet.funding,
    });
  }

  /** `ann spot` is ann's funding wallet, `ann uta` her unified account; the sender asks unless told otherwise. */
  transfer(
    from: string,
    to: string,
    amount: string,
    coin: string,
    words: { readonly by?: string; readonly clientOid?: string } = {},
  ): RefusalName {
    const source = this.wallet(from);
    const target = this.wallet(to);
    return refusalName(
      this.send({
        type: 'transfer',
        time: this.now,
        initiatorUid: words.by === undefined ? source.uid : this.uid(words.by),
        fromUid: source.uid,
        toUid: target.uid,
        fromWallet: source.wallet,
        toWallet: target.wallet,
        coin: this.coin(coin),
        amount: moneyUnits(amount),
        clientOid: words.clientOid ?? '',
      }).refusal,
    );
  }

  requestWithdrawal(name: string, amount: string, coin: string, words: WithdrawalWords = {}): Outcome {
    return this.send({
      type: 'requestWithdrawal',
      time: this.now,
      uid: this.uid(name),
      coin: this.coin(coin),
      amount: moneyUnits(amount),
      fee: moneyUnits(words.fee ?? '0'),
      ...walletsOf(words),
      address: 'somewhere',
      chain: 'CHAIN',
      tag: '',
      clientOid: words.clientOid ?? '',
    });
  }

  /** The owner takes it back, or the operator (nobody) pays or refuses it. */
  endWithdrawal(
    withdrawalId: number,
    words: { readonly by?: string; readonly paid?: boolean } = {},
  ): RefusalName {
    return refusalName(
      this.send({
        type: 'endWithdrawal',
        time: this.now,
        withdrawalId,
        uid: words.by === undefined ? 0 : this.uid(words.by),
        paid: words.paid ?? false,
        reference: words.paid === true ? 'transaction' : 'reason',
      }).refusal,
    );
  }

  /** A withdrawal to another account of the venue. */
  pay(from: string, to: string, amount: string, coin: string, words: WithdrawalWords = {}): Outcome {
    return this.send({
      type: 'innerWithdrawal',
      time: this.now,
      uid: this.uid(from),
      toUid: this.uid(to),
      coin: this.coin(coin),
      amount: moneyUnits(amount),
      ...walletsOf(words),
      clientOid: words.clientOid ?? '',
    });
  }

  funding(name: string, coin: string): string {
    return money(this.bucket(name, coin, Bucket.funding));
  }

  withdrawing(name: string, coin: string): string {
    return money(this.bucket(name, coin, Bucket.withdrawing));
  }

  setFees(name: string, makerRate: string, takerRate: string, symbol = 'BTCUSDT'): void {
    this.carryOut({
      type: 'setFees',
      time: this.now,
      uid: this.uid(name),
      instrument: this.instrument(symbol).index,
      makerRate: parseUnits(makerRate, RATE_SCALE)!,
      takerRate: parseUnits(takerRate, RATE_SCALE)!,
    });
  }

  cash(name: string, coin: string): string {
    return money(this.coinBalance(name, coin)?.cash ?? 0n);
  }

  locked(name: string, coin: string): string {
    return money(this.coinBalance(name, coin)?.locked ?? 0n);
  }

  /** Balance of an account of the house, such as `sys:fee`. */
  house(account: string, coin: string): string {
    const index = this.coin(coin);
    const row = reads
      .systemBalances(this.state)
      .find((line) => line.account === account && line.coin === index);
    return money(row?.amount ?? 0n);
  }

  // Orders

  buy(name: string, qty: string, price: string, words: OrderWords = {}): Ticket {
    return this.limit(name, Side.buy, qty, price, words);
  }

  sell(name: string, qty: string, price: string, words: OrderWords = {}): Ticket {
    return this.limit(name, Side.sell, qty, price, words);
  }

  /** Spends quote money. */
  marketBuy(name: string, amount: string, words: OrderWords = {}): Ticket {
    const instrument = this.instrument(words.on, words.category);
    const quoteAmount = parseUnits(amount, instrument.quotePrecision);
    const units =
      quoteAmount === undefined
        ? BigInt(OFF_GRID)
        : quoteAmount * 10n ** BigInt(MONEY_SCALE - instrument.quotePrecision);
    return this.place(name, Side.buy, OrderType.market, 0, 0, units, words);
  }

  marketSell(name: string, qty: string, words: OrderWords = {}): Ticket {
    const instrument = this.instrument(words.on, words.category);
    return this.place(name, Side.sell, OrderType.market, 0, lotsOf(instrument, qty), 0n, words);
  }

  amend(name: string, order: Ticket, words: AmendWords): RefusalName {
    const [item] = this.amendBatch(name, [[order, words]]);
    return item!;
  }

  /** One name per item; throws when the whole request was refused. */
  amendBatch(name: string, items: readonly (readonly [Ticket, AmendWords])[]): RefusalName[] {
    const outcome = this.sendAmend(name, items);
    if (outcome.refusal !== Refusal.none) throw new Error(refusalName(outcome.refusal));
    return outcome.items!.map((item) => refusalName(item.refusal));
  }

  sendAmend(name: string, items: readonly (readonly [Ticket, AmendWords])[]): Outcome {
    return this.send({
      type: 'amendOrders',
      time: this.now,
      uid: this.uid(name),
      source: items[0]?.[1].source === 'retail' ? Source.retail : Source.api,
      items: items.map(([order, words]) => amendItem(order, words)),
    });
  }

  cancel(name: string, order: Ticket): RefusalName {
    return this.cancelNamed(name, { orderId: order.orderId });
  }

  cancelNamed(
    name: string,
    words: {
      readonly orderId?: number;
      readonly clientOid?: string;
      readonly category?: CategoryName;
      readonly on?: string;
    },
  ): RefusalName {
    const outcome = this.send({
      type: 'cancelOrder',
      time: this.now,
      uid: this.uid(name),
      orderId: words.orderId ?? 0,
      clientOid: words.clientOid ?? '',
      category: words.category === undefined ? ANY : categoryOf(words.category),
      instrument: words.on === undefined ? ANY : this.instrument(words.on).index,
    });
    return refusalName(outcome.refusal);
  }

  /** Ids of the orders cancelled, in the order of the answer. */
  cancelAll(name: string, words: { readonly category?: CategoryName; readonly on?: string } = {}): number[] {
    const category = words.category ?? 'SPOT';
    const outcome = this.send({
      type: 'cancelAll',
      time: this.now,
      uid: this.uid(name),
      category: categoryOf(category),
      instrument: words.on === undefined ? ANY : this.instrument(words.on, category).index,
    });
    return outcome.items!.map((item) => item.orderId);
  }

  countdown(name: string, seconds: number): RefusalName {
    return refusalName(
      this.send({ type: 'countdownCancel', time: this.now, uid: this.uid(name), seconds }).refusal,
    );
  }

  /** Ids of the open orders, newest first. */
  openOrders(name: string): number[] {
    const query = { uid: this.uid(name), limit: Number.POSITIVE_INFINITY };
    return reads.openOrders(this.state, query).map((order) => order.orderId);
  }

  // The venue

  setStatus(status: InstrumentStatusName, symbol = 'BTCUSDT', category: CategoryName = 'SPOT'): void {
    const instrument = this.instrument(symbol, category).index;
    this.carryOut({ type: 'setInstrumentStatus', time: this.now, instrument, status });
  }

  /** Lets two strangers trade at a price, so that it is the last one. */
  printPrice(price: string, symbol = 'BTCUSDT', qty = '1'): void {
    const { base, quote } = this.instrument(symbol);
    for (const [name, coin] of [
      ['printing seller', base],
      ['printing buyer', quote],
    ] as const) {
      if (!this.uids.has(name)) this.trader(name);
      this.deposit(name, '1000000000', this.state.coins[coin]!.coin);
    }
    this.sell('printing seller', qty, price, { on: symbol });
    const print = this.buy('printing buyer', qty, price, { on: symbol });
    if (print.fills[0] !== `${print.qty} @ ${print.price} taker`) throw new Error(`could not print ${price}`);
  }

  // Time

  /** Lets time pass and the clock tick. */
  wait(ms: number): void {
    this.at(this.now + ms);
  }

  at(time: number): void {
    this.now = time;
    this.carryOut({ type: 'tick', time });
  }

  // What the public sees

  /** Levels as `qty @ price`, best first. */
  depth(symbol = 'BTCUSDT', levels = 50): { asks: string[]; bids: string[] } {
    const instrument = this.instrument(symbol);
    const { asks, bids } = reads.depth(this.state, instrument, levels);
    const written = ({ lots, priceTicks }: { lots: number; priceTicks: number }) =>
      `${qtyText(instrument, lots)} @ ${priceText(instrument, priceTicks)}`;
    return { asks: asks.map(written), bids: bids.map(written) };
  }

  ticker(symbol = 'BTCUSDT') {
    const instrument = this.instrument(symbol);
    const day = reads.dayStatistics(this.state, instrument);
    return {
      last: priceText(instrument, day.lastTicks),
      open: priceText(instrument, day.openTicks),
      high: priceText(instrument, day.highTicks),
      low: priceText(instrument, day.lowTicks),
      volume: qtyText(instrument, day.volumeLots),
      turnover: money(day.turnover),
    };
  }

  runningCandle(width: CandleWidth, symbol = 'BTCUSDT'): CandleWords | undefined {
    const instrument = this.instrument(symbol);
    const candle = reads.runningCandle(this.state, instrument, width);
    return candle === undefined ? undefined : candleWords(instrument, candle);
  }

  closedCandles(width: CandleWidth, symbol = 'BTCUSDT'): CandleWords[] {
    const instrument = this.instrument(symbol);
    return this.eventsOf('candle')
      .filter((candle) => candle.width === width && candle.instrument === instrument.index)
      .map((candle) => candleWords(instrument, candle));
  }

  publicFills(symbol = 'BTCUSDT', limit = 100): Traded[] {
    return reads.publicFills(this.state, this.instrument(symbol), limit);
  }

  // Records

  eventsOf<T extends Event['type']>(type: T): Extract<Event, { type: T }>[] {
    return this.events.filter((event) => event.type === type) as Extract<Event, { type: T }>[];
  }

  fillsOf(name: string): FillRecord[] {
    const uid = this.uid(name);
    return this.eventsOf('fill').flatMap(({ fill }) => (fill.uid === uid ? [fill] : []));
  }

  /** Ledger lines as `kind amount fee coin = balance`, those of the funding wallet with `in spot` behind. */
  lines(name: string): string[] {
    return this.lineRecords(name).map(
      (line) =>
        `${line.kind} ${money(line.amount)} fee ${money(line.fee)} ${this.state.coins[line.coin]!.coin} = ${money(line.balance)}` +
        (line.wallet === Wallet.funding ? ' in spot' : ''),
    );
  }

  /** Deposits and withdrawals as they were told: `kind status amount fee coin`. */
  walletRecords(name: string): string[] {
    const uid = this.uid(name);
    return this.eventsOf('walletRecord')
      .filter((record) => record.uid === uid)
      .map(
        ({ kind, status, amount, fee, coin }) =>
          `${kind} ${status} ${money(amount)} fee ${money(fee)} ${this.state.coins[coin]!.coin}`,
      );
  }

  lineRecords(name: string): LedgerLine[] {
    const uid = this.uid(name);
    return this.eventsOf('ledgerLine').filter((line) => line.uid === uid);
  }

  record(orderId: number): OrderRecord | undefined {
    return this.orders.get(orderId);
  }

  instrument(symbol = 'BTCUSDT', category: CategoryName = 'SPOT'): Instrument {
    const instrument = this.state.instrument(category, symbol);
    if (instrument === undefined) throw new Error(`${category} ${symbol} is not listed`);
    return instrument;
  }

  // Commands

  send(command: Command): Outcome {
    const bytes = Uint8Array.from(encodeCommand(command));
    this.log.push(bytes);
    const decoded = decodeCommand(bytes);
    const outcome = this.exchange.apply(decoded);
    this.outcomes.push(outcome);
    const events = this.exchange.takeEvents();
    this.events.push(...events);
    for (const event of events) if (event.type === 'order') this.orders.set(event.order.orderId, event.order);
    checkInvariants(this.state);
    this.auditor.observe(decoded, outcome, events);
    return outcome;
  }

  arrange(change: Arrangement): void {
    const at = this.log.length;
    this.arrangements.set(at, [...(this.arrangements.get(at) ?? []), change]);
    change(this.exchange);
  }

  /** The same commands on an exchange that nobody looks into. */
  assertSameUnseen(): void {
    const exchange = new Exchange();
    let told = 0;
    for (const [at, bytes] of this.log.entries()) {
      for (const change of this.arrangements.get(at) ?? []) change(exchange);
      const command = decodeCommand(bytes);
      const where = `command ${at} ${command.type}, unseen`;
      assert.deepEqual(exchange.apply(command), this.outcomes[at], where);
      const events = exchange.takeEvents();
      assert.deepEqual(events, this.events.slice(told, told + events.length), where);
      told += events.length;
    }
    assert.equal(told, this.events.length, 'the scenario played unseen tells less');
  }

  /** Stops and starts again from a snapshot; the floor goes on with the loaded state. */
  restart(): void {
    const state = loadState(Uint8Array.from(saveState(this.state)));
    this.exchange = new Exchange(state);
    this.auditor = new Auditor(state);
    checkInvariants(state);
  }

  /** The state as canonical bytes. */
  image(): Uint8Array {
    return Uint8Array.from(saveState(this.state));
  }

  protected carryOut(command: Command): void {
    const outcome = this.send(command);
    if (outcome.refusal !== Refusal.none) {
      throw new Error(`${command.type}: ${refusalName(outcome.refusal)} ${outcome.detail ?? ''}`);
    }
  }

  private limit(name: string, side: Side, qty: string, price: string, words: OrderWords): Ticket {
    const instrument = this.instrument(words.on, words.category);
    const ticks = ticksOf(instrument, price);
    return this.place(name, side, OrderType.limit, ticks, lotsOf(instrument, qty), 0n, words);
  }

  protected place(
    name: string,
    side: Side,
    orderType: OrderType,
    priceTicks: number,
    sizeLots: number,
    quoteAmount: bigint,
    words: OrderWords,
  ): Ticket {
    const instrument = this.instrument(words.on, words.category);
    const outcome = this.send({
      type: 'placeOrder',
      time: this.now,
      uid: this.uid(name),
      source: words.source === 'retail' ? Source.retail : Source.api,
      instrument: instrument.index,
      side,
      orderType,
      timeInForce: TIME_IN_FORCE_NAMES.indexOf(words.tif ?? 'gtc') as TimeInForce,
      stpMode: STP_MODE_NAMES.indexOf(words.stp ?? 'none') as StpMode,
      priceTicks,
      sizeLots,
      quoteAmount,
      clientOid: words.clientOid ?? '',
      ...(words.posSide !== undefined && { posSide: POS_SIDE_NAMES.indexOf(words.posSide) as PosSide }),
      ...(words.reduceOnly !== undefined && { reduceOnly: words.reduceOnly }),
      ...((words.takeProfit ?? words.stopLoss) !== undefined && {
        preset: {
          takeProfit: legOf(instrument, words.takeProfit),
          stopLoss: legOf(instrument, words.stopLoss),
        },
      }),
    });
    return new Ticket(this, instrument, outcome);
  }

  private moveMoney(type: 'deposit' | 'withdraw', name: string, amount: string, coin: string): RefusalName {
    const units = moneyUnits(amount);
    const uid = this.uid(name);
    const reference = `${type} ${this.log.length}`;
    return refusalName(
      this.send({ type, time: this.now, uid, coin: this.coin(coin), amount: units, reference }).refusal,
    );
  }

  private wallet(words: string): { uid: number; wallet: Wallet } {
    const [name, wallet] = words.split(' ');
    return { uid: this.uid(name!), wallet: WALLET_NAMES.indexOf(wallet as WalletName) as Wallet };
  }

  protected bucket(name: string, coin: string, bucket: Bucket): bigint {
    return this.state.ledger.peek(
      this.state.accountByUid.get(this.uid(name))!.index,
      this.coin(coin),
      bucket,
    );
  }

  protected coin(name: string): number {
    const coin = this.state.coinByName.get(name);
    if (coin === undefined) throw new Error(`coin ${name} is not listed`);
    return coin;
  }

  private coinBalance(name: string, coin: string) {
    const index = this.coin(coin);
    return reads.balances(this.state, this.uid(name)).find((balance) => balance.coin === index);
  }
}

/** An order as its owner follows it: every property is how things stand now. */
export class Ticket {
  private readonly floor: TradingFloor;
  readonly instrument: Instrument;
  readonly outcome: Outcome;

  constructor(floor: TradingFloor, instrument: Instrument, outcome: Outcome) {
    this.floor = floor;
    this.instrument = instrument;
    this.outcome = outcome;
  }

  get orderId(): number {
    return this.outcome.orderId;
  }

  get refusal(): RefusalName {
    return refusalName(this.outcome.refusal);
  }

  /** Latest record; throws when the order was refused. */
  get record(): OrderRecord {
    const record = this.floor.record(this.orderId);
    if (record === undefined) throw new Error(`no order: ${this.refusal}`);
    return record;
  }

  /** In one line: `new 0/2`, `cancelled 1/3 stp_cancel`, `refused buyAboveBand`. */
  get stands(): string {
    if (this.outcome.refusal !== Refusal.none) return `refused ${this.refusal}`;
    const wanted = this.record.quoteAmount === 0n ? `/${this.qty}` : '';
    return `${this.status} ${this.filled}${wanted} ${this.reason}`.trimEnd();
  }

  get status(): (typeof ORDER_STATUS_NAMES)[number] {
    return ORDER_STATUS_NAMES[this.record.status];
  }

  get reason(): string {
    return CANCEL_REASON_NAMES[this.record.cancelReason];
  }

  get price(): string {
    return priceText(this.instrument, this.record.priceTicks);
  }

  get qty(): string {
    return qtyText(this.instrument, this.record.sizeLots);
  }

  get filled(): string {
    return qtyText(this.instrument, this.record.filledLots);
  }

  get value(): string {
    return money(this.record.filledValue);
  }

  get fee(): string {
    return money(this.record.fee);
  }

  /** Its executions as `qty @ price role`, oldest first. */
  get fills(): string[] {
    return this.fillRecords.map(
      (fill) =>
        `${qtyText(this.instrument, fill.sizeLots)} @ ${priceText(this.instrument, fill.priceTicks)} ` +
        (fill.maker ? 'maker' : 'taker'),
    );
  }

  get fillRecords(): FillRecord[] {
    return this.floor.eventsOf('fill').flatMap(({ fill }) => (fill.orderId === this.orderId ? [fill] : []));
  }
}

export interface CandleWords {
  readonly openTime: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly turnover: string;
}

function candleWords(
  instrument: Instrument,
  candle: Omit<CandleClosed, 'type' | 'instrument' | 'width'>,
): CandleWords {
  return {
    openTime: new Date(candle.openTime).toISOString(),
    open: priceText(instrument, candle.openTicks),
    high: priceText(instrument, candle.highTicks),
    low: priceText(instrument, candle.lowTicks),
    close: priceText(instrument, candle.closeTicks),
    volume: qtyText(instrument, candle.volumeLots),
    turnover: money(candle.turnover),
  };
}

export function moneyUnits(amount: string): bigint {
  const units = parseUnits(amount, MONEY_SCALE);
  if (units === undefined) throw new Error(`${amount} is no amount of money`);
  return units;
}

function walletsOf({ from = ['spot', 'uta'] }: WithdrawalWords) {
  return { fromFunding: from.includes('spot'), fromUnified: from.includes('uta') };
}

function amendItem(order: Ticket, words: AmendWords): AmendItem {
  const { instrument } = order;
  return {
    orderId: order.orderId,
    clientOid: '',
    category: ANY,
    instrument: ANY,
    priceTicks: words.price === undefined ? 0 : ticksOf(instrument, words.price),
    sizeLots: words.qty === undefined ? 0 : lotsOf(instrument, words.qty),
    autoCancel: words.autoCancel ?? false,
    outstanding: words.outstanding ?? 0,
    ...(words.preset !== undefined && { preset: words.preset }),
  };
}

export function legOf(instrument: Instrument, words: LegWords | undefined): TriggerLeg {
  if (words === undefined) return NO_LEG;
  const { at, by = 'market', limit } = typeof words === 'string' ? { at: words } : words;
  return {
    triggerTicks: ticksOf(instrument, at) || OUT_OF_RANGE,
    triggerBy: TRIGGER_BY_NAMES.indexOf(by) as TriggerBy,
    orderType: limit === undefined ? OrderType.market : OrderType.limit,
    limitTicks: limit === undefined ? 0 : ticksOf(instrument, limit),
  };
}

function categoryOf(name: CategoryName): Category {
  return CATEGORY_NAMES.indexOf(name) as Category;
}

/** As the gateway reads numbers: what the grid cannot hold becomes a code. */
export function ticksOf(instrument: Instrument, price: string): number {
  return onGrid(parseUnits(price, instrument.pricePrecision), BigInt(PRICE_TICKS_MAX));
}

export function lotsOf(instrument: Instrument, qty: string): number {
  return onGrid(parseUnits(qty, instrument.quantityPrecision), BigInt(SIZE_LOTS_MAX));
}

function onGrid(units: bigint | undefined, max: bigint): number {
  if (units === undefined) return OFF_GRID;
  return units > max || units < 0n ? OUT_OF_RANGE : Number(units);
}

export function priceText(instrument: Instrument, ticks: number): string {
  return formatUnits(BigInt(ticks), instrument.pricePrecision);
}

export function qtyText(instrument: Instrument, lots: number): string {
  return formatUnits(BigInt(lots), instrument.quantityPrecision);
}

export function money(units: bigint): string {
  return formatUnits(units, MONEY_SCALE);
}
