/**
 * A day of trading on an exchange of its own, with what is rare and heavy in it: orders with many fills, triggers that fire
 * together, a fall with liquidations, deleveragings and forced closes of loans, the hour, a delivery, the end of a contract.
 * No command does much, so that the day can be divided into short slices.
 */
import type { Exchange } from '../core/engine/exchange.ts';
import { ANY, type Command, type PlaceOrder } from '../core/model/command.ts';
import type { CommandResult } from '../core/model/command-result.ts';
import {
  Category,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  StrategyKind,
  TimeInForce,
  TriggerBy,
} from '../core/model/enums.ts';
import { LoanTerm } from '../core/model/loan-terms.ts';
import { NO_LEG } from '../core/model/tpsl.ts';
import { Coin, DELIVERY_TIME, Listed, listings, OPENING_TIME, PRICES, TICKS } from './listings.ts';

const ONE = 10n ** 8n;
const MARKETS = [Listed.spot, Listed.perpetual] as const;
/** Fills there are checked in full (rules 13.1 (e)). */
const COIN_MARGINED_ROUNDS = 8;
/** What a trader of the day does on each market. */
const ROUNDS = 25;
const FILLS_MAX = 40;
const TRIGGERS_PER_TRADER = 1.5;
const RISES = 4;
const TRADERS_PER_BID = 20;
/** One in so many traders is closed for a ranking. */
const RANKED_EACH = 8;
/** Millionths by which prices fall in each second, and how often. */
const FALL_PPM = 40_000;
const SECONDS_OF_FALL = 8;
const CALM_SECONDS = 30;

/** Gets the result of each command that it gives. */
export type Commands = Generator<Command, void, CommandResult>;

/** `traders` is even. */
export function* tradingDay(exchange: Exchange, traders: number): Commands {
  yield* listings();
  const day = new Day(exchange, traders);
  yield* day.open();
  yield* day.calm();
  for (let round = 0; round < ROUNDS; round++)
    for (const instrument of MARKETS) {
      yield* day.quote(instrument);
      yield* day.sweep(instrument, round % 2 === 0 ? TimeInForce.ioc : TimeInForce.fok);
    }
  for (let round = 0; round < COIN_MARGINED_ROUNDS; round++)
    yield* day.sweep(Listed.coinMargined, TimeInForce.fok);
  yield* day.positions();
  yield* day.rankings();
  yield* day.loans();
  yield* day.triggers();
  yield* day.hours();
  yield* day.fall();
  yield* day.end();
}

class Day {
  readonly #exchange: Exchange;
  readonly #traders: number;
  /** Has plenty, and takes what others offer. */
  readonly #maker: number;
  /** Orders that another one takes at once. */
  readonly #swept: number;
  #time = OPENING_TIME + 60_000;
  /** Of what markets cost at the beginning, in millionths. */
  #level = 1_000_000;

  constructor(exchange: Exchange, traders: number) {
    this.#exchange = exchange;
    this.#traders = traders;
    this.#maker = traders + 1;
    this.#swept = Math.min(FILLS_MAX, traders);
  }

  *open(): Commands {
    yield* this.#second();
    const shared = { time: this.#time, reference: '' };
    for (let uid = 1; uid <= this.#maker; uid++) {
      yield { type: 'openAccount', time: this.#time, uid, masterUid: 0, marketMaker: false, house: false };
      const plenty = uid === this.#maker ? 1000n : 1n;
      yield { type: 'deposit', ...shared, uid, coin: Coin.usdt, amount: plenty * 100_000n * ONE };
      yield { type: 'deposit', ...shared, uid, coin: Coin.btc, amount: plenty * 1000n * ONE };
    }
    yield { type: 'fundLoanPool', ...shared, coin: Coin.usdt, amount: 1_000_000n * ONE };
  }

  /** Prices go to and fro, further and further, and are looked at for everybody. */
  *calm(): Commands {
    for (let n = 1; n <= CALM_SECONDS; n++) yield* this.#second(n % 2 === 0 ? 100 * n : -100 * n);
  }

  /** Orders are placed, moved and cancelled. */
  *quote(instrument: number): Commands {
    for (let n = 0; n < this.#swept; n++) {
      const uid = 1 + ((n * 7) % this.#traders);
      const { orderId } = yield this.#order({ uid, instrument, side: Side.sell, priceTicks: TICKS + 50 + n });
      const named = { orderId, clientOid: '', category: ANY, instrument: ANY } as const;
      const item = { ...named, priceTicks: TICKS + 60 + n, sizeLots: 0, autoCancel: false, outstanding: 0 };
      yield { type: 'amendOrders', time: this.#time, uid, source: Source.api, items: [item] };
      yield { type: 'cancelOrder', time: this.#time, uid, ...named };
    }
  }

  /** One order takes those of many accounts, and another their other side. */
  *sweep(instrument: number, timeInForce: TimeInForce): Commands {
    for (const [side, other] of [
      [Side.sell, Side.buy],
      [Side.buy, Side.sell],
    ] as const) {
      const toward = side === Side.sell ? 1 : -1;
      for (let n = 0; n < this.#swept; n++)
        yield this.#order({
          uid: 1 + n,
          instrument,
          side,
          priceTicks: TICKS + toward * (n % 10),
          sizeLots: 10,
        });
      const taker = { uid: this.#maker, instrument, side: other, priceTicks: TICKS + toward * 20 };
      yield this.#order({ ...taker, sizeLots: 10 * this.#swept, timeInForce });
    }
  }

  /** Every second trader is long what the next one is short; some owe, some are in other contracts. */
  *positions(): Commands {
    for (let uid = 1; uid < this.#traders; uid += 2) {
      const shared = { type: 'withdraw', time: this.#time, uid, reference: '' } as const;
      yield { ...shared, coin: Coin.usdt, amount: 98_500n * ONE };
      yield { ...shared, coin: Coin.btc, amount: 998n * ONE };
      yield* this.#trade(uid % 8 === 1 ? Listed.second : Listed.perpetual, uid, uid + 1, 10_000);
      if (uid % 16 === 1) yield* this.#trade(Listed.delivery, uid, uid + 1, 100);
      if (uid % 16 === 3) yield* this.#trade(Listed.coinMargined, uid, uid + 1, 100);
    }
  }

  /** Forced closes that take of everybody on the other side, at new prices and once more at the same. */
  *rankings(): Commands {
    const closed = { type: 'forceClose', deleverage: true, instrument: Listed.perpetual } as const;
    for (let uid = 3; uid < this.#traders; uid += RANKED_EACH) {
      if (uid % (2 * RANKED_EACH) === 3) yield* this.#second(uid % (4 * RANKED_EACH) === 3 ? 1000 : -1000);
      yield { ...closed, time: this.#time, uid };
    }
  }

  *loans(): Commands {
    const terms = { loanCoin: Coin.usdt, pledgeCoin: Coin.btc, term: LoanTerm.flexible };
    const amounts = { loanAmount: 600n * ONE, pledgeAmount: 0n };
    for (let uid = 2; uid <= this.#traders; uid += 2)
      yield { type: 'loanBorrow', time: this.#time + uid, uid, ...terms, ...amounts };
    this.#time += this.#traders;
  }

  /** A rise fires all of them in one second. */
  *triggers(): Commands {
    for (let times = 0; times < RISES; times++) {
      for (let n = 0; n < this.#traders * TRIGGERS_PER_TRADER; n++)
        yield this.#trigger(2 + ((2 * n) % this.#traders), this.#ticks() + 10);
      yield* this.#second(20_000);
      yield* this.#second(-18_000);
    }
  }

  /** Hours with interest and funding, and a delivery in the last of them. */
  *hours(): Commands {
    for (let time = OPENING_TIME + 3_600_000; time <= DELIVERY_TIME; time += 3_600_000) {
      this.#time = time - 1000;
      yield* this.#second();
    }
  }

  /** Some of what is closed by force is bought, and the rest deleveraged. */
  *fall(): Commands {
    const bids = { uid: this.#maker, instrument: Listed.perpetual, side: Side.buy, sizeLots: 20_000 };
    for (let n = 0; n < this.#traders / TRADERS_PER_BID; n++)
      yield this.#order({ ...bids, priceTicks: Math.trunc(TICKS * 0.84) - n });
    for (let n = 0; n < SECONDS_OF_FALL; n++) yield* this.#second(-FALL_PPM);
  }

  /** A contract with positions ends, and everybody cancels what is open. */
  *end(): Commands {
    for (let uid = 2; uid <= this.#traders; uid += 2)
      yield* this.#trade(Listed.perpetual, uid, this.#maker, 10);
    yield { type: 'setInstrumentStatus', time: this.#time, instrument: Listed.perpetual, status: 'offline' };
    yield* this.#openWork();
    for (let uid = 1; uid <= this.#traders; uid++)
      yield { type: 'cancelAll', time: this.#time, uid, category: Category.spot, instrument: ANY };
  }

  /** Prices, then the tick of the next second and what it leaves to the ticks after it. */
  *#second(ppm = 0): Commands {
    const { state } = this.#exchange;
    this.#level += Math.trunc((this.#level * ppm) / 1_000_000);
    for (const [index, opening] of PRICES.entries()) {
      if (state.indices[index] === undefined) continue;
      const price = index === PRICES.length - 1 ? opening : (opening * BigInt(this.#level)) / 1_000_000n;
      yield { type: 'componentPrice', time: this.#time, index, component: 0, price, volume: 0n };
    }
    this.#time = Math.floor(this.#time / 1000) * 1000 + 1000;
    yield { type: 'tick', time: this.#time };
    yield* this.#openWork();
  }

  *#openWork(): Commands {
    while (this.#exchange.hasOpenWork) yield { type: 'tick', time: this.#time };
  }

  *#trade(instrument: number, long: number, short: number, sizeLots: number): Commands {
    const at = { instrument, priceTicks: this.#ticks(), sizeLots };
    yield this.#order({ ...at, uid: short, side: Side.sell });
    yield this.#order({ ...at, uid: long, side: Side.buy });
  }

  /** The price of now, on every market but that of the dollar. */
  #ticks(): number {
    return Math.ceil((TICKS * this.#level) / 1_000_000);
  }

  #order(
    changes: Pick<PlaceOrder, 'uid' | 'instrument' | 'side' | 'priceTicks'> & Partial<PlaceOrder>,
  ): PlaceOrder {
    return {
      type: 'placeOrder',
      time: this.#time,
      source: Source.api,
      orderType: OrderType.limit,
      timeInForce: TimeInForce.gtc,
      stpMode: StpMode.none,
      sizeLots: 10,
      quoteAmount: 0n,
      clientOid: '',
      ...changes,
    };
  }

  #trigger(uid: number, triggerTicks: number): Command {
    return {
      type: 'placeStrategy',
      time: this.#time,
      uid,
      source: Source.api,
      instrument: Listed.perpetual,
      kind: StrategyKind.trigger,
      side: Side.buy,
      posSide: PosSide.none,
      reduceOnly: false,
      stpMode: StpMode.none,
      sizeLots: 1,
      quoteAmount: 0n,
      takeProfit: NO_LEG,
      stopLoss: NO_LEG,
      trigger: { ...NO_LEG, triggerTicks, triggerBy: TriggerBy.mark },
      callbackPpm: 0,
      clientOid: '',
    };
  }
}
