/**
 * A trading floor for scenarios: an exchange with the examples' instruments, people with names, and decimals as
 * people write them.
 */

import type { CandleInterval } from '../../src/core/model/candle-interval.ts';
import { type AmendItem, ANY, OFF_GRID } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import {
  type CategoryName,
  type InstrumentStatusName,
  OrderType,
  POS_SIDE_NAMES,
  type PosSide,
  Side,
  Source,
  STP_MODE_NAMES,
  type StpMode,
  TIME_IN_FORCE_NAMES,
  type TimeInForce,
} from '../../src/core/model/enums.ts';
import type { FillRecord, Traded } from '../../src/core/model/event.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { MONEY_SCALE, parseUnits, RATE_SCALE } from '../../src/core/model/units.ts';
import * as reads from '../../src/core/reads/reads.ts';
import { Ticket } from './dsl/ticket.ts';
import { WalletFloor } from './dsl/wallet-floor.ts';
import {
  type AmendWords,
  type CandleWords,
  candleWords,
  categoryOf,
  legOf,
  lotsOf,
  money,
  type OrderWords,
  priceText,
  qtyText,
  type RefusalName,
  refusalName,
  ticksOf,
} from './dsl/words.ts';

/** A floor where each of these people has plenty of every coin. */
export function openFloor(...names: string[]): TradingFloor {
  const floor = new TradingFloor();
  for (const name of names) floor.trader(name, PLENTY);
  return floor;
}

export const PLENTY = { USDT: '10000000', BTC: '100', ETH: '1000', XAU: '100000' };

export class TradingFloor extends WalletFloor {
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
    if (outcome.rejectReason !== RejectReason.none) throw new Error(refusalName(outcome.rejectReason));
    return outcome.items!.map((item) => refusalName(item.rejectReason));
  }

  sendAmend(name: string, items: readonly (readonly [Ticket, AmendWords])[]): CommandResult {
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
    return refusalName(outcome.rejectReason);
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
      this.send({ type: 'countdownCancel', time: this.now, uid: this.uid(name), seconds }).rejectReason,
    );
  }

  /** Ids of the open orders, newest first. */
  openOrders(name: string): number[] {
    const query = { uid: this.uid(name), limit: Number.POSITIVE_INFINITY };
    return reads.openOrders(this.state, query).map((order) => order.orderId);
  }

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
      if (!this.isHere(name)) this.trader(name);
      this.deposit(name, '1000000000', this.state.coins[coin]!.coin);
    }
    this.sell('printing seller', qty, price, { on: symbol });
    const print = this.buy('printing buyer', qty, price, { on: symbol });
    if (print.fills[0] !== `${print.qty} @ ${print.price} taker`) throw new Error(`could not print ${price}`);
  }

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

  runningCandle(interval: CandleInterval, symbol = 'BTCUSDT'): CandleWords | undefined {
    const instrument = this.instrument(symbol);
    const candle = reads.runningCandle(this.state, instrument, interval);
    return candle === undefined ? undefined : candleWords(instrument, candle);
  }

  closedCandles(interval: CandleInterval, symbol = 'BTCUSDT'): CandleWords[] {
    const instrument = this.instrument(symbol);
    return this.eventsOf('candle')
      .filter((candle) => candle.interval === interval && candle.instrument === instrument.index)
      .map((candle) => candleWords(instrument, candle));
  }

  publicFills(symbol = 'BTCUSDT', limit = 100): Traded[] {
    return reads.publicFills(this.state, this.instrument(symbol), limit);
  }

  fillsOf(name: string): FillRecord[] {
    const uid = this.uid(name);
    return this.eventsOf('fill').flatMap(({ fill }) => (fill.uid === uid ? [fill] : []));
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
      ...(words.expired !== undefined && { expired: words.expired }),
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
