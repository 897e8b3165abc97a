/**
 * Futures under moving prices: ten thousand accounts with crossed positions in ten contracts, every mark price moving
 * each second; orders that rest, trade and are cancelled. The cost of a price tick, and commands a second between ticks:
 * as markets are, with a few accounts that quote and many that hold; with everybody acting equally often, so that the
 * processor's caches hold nothing of whoever comes next; and with so few commands that nearly every one meets an account
 * whose margin has to be looked at anew. Baseline in the same run: the same margin figures computed from scratch.
 */

import { Exchange } from '../src/core/engine/exchange.ts';
import { checkInvariants } from '../src/core/engine/invariants.ts';
import { computeRisk, markTicks } from '../src/core/margin/margin.ts';
import { accountRisk } from '../src/core/margin/margin-cache.ts';
import type { Command } from '../src/core/model/command.ts';
import { NEWEST_EDITION } from '../src/core/model/edition.ts';
import { OrderType, Side, Source, StpMode, TimeInForce } from '../src/core/model/enums.ts';
import type { InstrumentSpec } from '../src/core/model/listing-spec.ts';
import { RejectReason } from '../src/core/model/reject-reason.ts';
import { account, coin, deposit, OPENING_TIME } from '../test/property/venue.ts';
import { comparePairs, compareRule } from './pairs.ts';
import { Random } from './random.ts';
import { type Benchmark, printTable, rate, ratio, timed } from './report.ts';

const ACCOUNTS = 10_000;
const SYMBOLS = 10;
const PRICE = 10n ** 8n * 100n;
/** Commands in each second of prices, and how many such seconds. */
const LOADS = [
  { perSecond: 200_000, seconds: 4, quoting: 0.9 },
  { perSecond: 200_000, seconds: 4, quoting: 0 },
  { perSecond: 2_000, seconds: 60, quoting: 0 },
] as const;
/** For the comparison with a rule off. */
const COMPARED = { perSecond: 20_000, seconds: 5 };
/** One account in a hundred quotes. */
const QUOTING_ACCOUNTS = ACCOUNTS / 100;
const RESTING_MAX = 20_000;
/** Commands before the first that count. */
const WARM_UP = 200_000;
/** Commands are made in portions that do not live long enough to burden the collector. */
const PORTION = 1000;
/** For positions of 1,000: accounts are watched closely, and looked at again every few seconds. */
const CASH = 10n ** 8n * 250n;
const CANCEL_SHARE = 0.35;
const TAKER_SHARE = 0.15;
const STEP_PPM = 1000;

interface Resting {
  readonly uid: number;
  readonly orderId: number;
}

class Day {
  readonly exchange: Exchange;
  readonly setUp: readonly Command[];
  /** Every command since, when they are recorded. */
  readonly commands: Command[] = [];
  readonly ticks: number[] = [];
  /** Mostly cancels of orders that were filled before. */
  refused = 0;
  private readonly random: Random;
  private readonly resting: Resting[] = [];
  private readonly prices = Array.from({ length: SYMBOLS }, () => PRICE);
  private time = OPENING_TIME + 60_000;

  private readonly records: boolean;

  constructor(records = false) {
    const { exchange, random, setUp } = openVenue();
    this.exchange = exchange;
    this.random = random;
    this.setUp = setUp;
    this.records = records;
  }

  private apply(command: Command) {
    if (this.records) this.commands.push(command);
    return this.exchange.apply(command);
  }

  /** Seconds that the commands take. */
  run(perSecond: number, seconds: number, quoting: number): number {
    const { exchange, random, resting } = this;
    let total = 0;
    for (let second = 0; second < seconds; second++) {
      this.time += 1000;
      // The first command of a second takes the prices that were reported in the one before.
      this.ticks.push(1000 * timed(() => this.apply({ type: 'tick', time: this.time })));
      exchange.takeEvents();
      for (const command of moves(random, this.prices, this.time + 1)) this.apply(command);
      for (let sent = 0; sent < perSecond; sent += PORTION) {
        const commands = Array.from({ length: PORTION }, () => this.command(quoting));
        total += timed(() => {
          for (const command of commands) {
            const { orderId, rejectReason } = this.apply(command);
            exchange.takeEvents();
            if (rejectReason !== RejectReason.none) this.refused++;
            else if (command.type === 'placeOrder' && command.timeInForce === TimeInForce.gtc)
              resting.push({ uid: command.uid, orderId });
          }
        });
      }
    }
    return total;
  }

  /** `quoting`: share of commands that come from the accounts that quote. */
  private command(quoting: number): Command {
    const { random, resting, time } = this;
    const { state } = this.exchange;
    const roll = random.next();
    if (resting.length > RESTING_MAX || (roll < CANCEL_SHARE && resting.length > 0)) {
      const at = random.below(resting.length);
      const { uid, orderId } = resting[at]!;
      resting[at] = resting.at(-1)!;
      resting.pop();
      return {
        type: 'cancelOrder',
        time: time + 2,
        uid,
        orderId,
        clientOid: '',
        category: -1,
        instrument: -1,
      };
    }
    const taking = roll < CANCEL_SHARE + TAKER_SHARE;
    const buying = random.below(2) === 0;
    const away = taking ? -random.below(10) : 1 + random.below(30);
    const instrument = random.below(SYMBOLS);
    const mark = markTicks(state, state.instruments[instrument]!);
    return place(
      1 + random.below(random.next() < quoting ? QUOTING_ACCOUNTS : ACCOUNTS),
      instrument,
      buying ? Side.buy : Side.sell,
      buying ? mark - away : mark + away,
      1 + random.below(5),
      time + 2,
      taking ? TimeInForce.ioc : TimeInForce.gtc,
    );
  }
}

/** Margin figures of everybody: from scratch, after prices have moved, and again without any change. */
function marginRates(exchange: Exchange): { scratch: number; moved: number; again: number } {
  const { state } = exchange;
  const accounts = [...state.accountByUid.values()];
  const kept = () => {
    for (const each of accounts) accountRisk(state, each);
  };
  const scratch = timed(() => {
    for (const each of accounts) computeRisk(state, each);
  });
  state.priceVersion++;
  return { scratch, moved: timed(kept), again: timed(kept) };
}

export const futures: Benchmark = {
  title: 'Futures: positions while every mark price moves',
  async run({ against }) {
    const day = new Day();
    console.log(
      `${ACCOUNTS.toLocaleString('en-US')} accounts with a crossed position in each of ${SYMBOLS} contracts ` +
        `(${(ACCOUNTS * SYMBOLS).toLocaleString('en-US')} positions); ${100 * CANCEL_SHARE} % cancels and more ` +
        `while ${RESTING_MAX.toLocaleString('en-US')} orders rest, ${100 * TAKER_SHARE} % takers, the rest orders that rest.\n`,
    );
    day.run(WARM_UP, 1, LOADS[0].quoting);
    day.refused = 0;
    let sent = 0;
    const rows = LOADS.map(({ perSecond, seconds, quoting }) => {
      const taken = day.run(perSecond, seconds, quoting);
      sent += perSecond * seconds;
      const load = perSecond.toLocaleString('en-US');
      const who = quoting === 0 ? 'all act equally' : `${100 * quoting} % from 1 % of the accounts`;
      return [`commands, ${load} in each second of prices, ${who}`, rate(perSecond * seconds, taken), ''];
    });
    console.log(`${((100 * day.refused) / sent).toFixed(1)} % of the commands were refused.\n`);
    checkInvariants(day.exchange.state);
    marginRates(day.exchange);
    const { scratch, moved, again } = marginRates(day.exchange);
    printTable(
      ['what', 'a second', 'to from scratch'],
      [
        ...rows,
        ['margin of an account from scratch (baseline)', rate(ACCOUNTS, scratch), '1.0x'],
        ['margin of an account after prices moved', rate(ACCOUNTS, moved), ratio(scratch, moved)],
        ['margin of an account that has not changed', rate(ACCOUNTS, again), ratio(scratch, again)],
      ],
    );
    const ticks = day.ticks.sort((a, b) => a - b);
    const median = ticks[ticks.length >> 1]!;
    console.log(
      `\nprice tick over all positions: median ${median.toFixed(2)} ms, worst ${ticks.at(-1)!.toFixed(2)} ms`,
    );
    const recorded = new Day(true);
    recorded.run(COMPARED.perSecond, COMPARED.seconds, LOADS[0].quoting);
    await compareRule('restingRisk', recorded.setUp, recorded.commands);
    if (against === undefined) return;
    await comparePairs(against, recorded.setUp, recorded.commands);
    const equal = new Day(true);
    equal.run(COMPARED.perSecond, COMPARED.seconds, 0);
    console.log('\nall act equally:');
    await comparePairs(against, equal.setUp, equal.commands);
  },
};

function openVenue(): { exchange: Exchange; random: Random; setUp: readonly Command[] } {
  const random = new Random(4);
  const exchange = new Exchange();
  const commands: Command[] = [
    { type: 'setEdition', time: OPENING_TIME, edition: NEWEST_EDITION },
    coin('USDT'),
  ];
  for (let n = 0; n < SYMBOLS; n++)
    commands.push(coin(`C${n}`), { type: 'listInstrument', time: OPENING_TIME, spec: contract(n) });
  for (let uid = 1; uid <= ACCOUNTS; uid++) commands.push(account(uid), deposit(uid, 0, CASH));
  for (let n = 0; n < SYMBOLS; n++) {
    commands.push({
      type: 'componentPrice',
      time: OPENING_TIME,
      index: n,
      component: 0,
      price: PRICE,
      volume: 0n,
    });
  }
  commands.push({ type: 'tick', time: OPENING_TIME + 1000 });
  for (let instrument = 0; instrument < SYMBOLS; instrument++) {
    for (let uid = 1; uid < ACCOUNTS; uid += 2) {
      commands.push(place(uid, instrument, Side.sell, 10_000, 100, OPENING_TIME + 2000));
      commands.push(place(uid + 1, instrument, Side.buy, 10_000, 100, OPENING_TIME + 2000));
    }
  }
  for (const command of commands) {
    exchange.apply(command);
    exchange.takeEvents();
  }
  return { exchange, random, setUp: commands };
}

/** Every index takes a small step. */
function moves(random: Random, prices: bigint[], time: number): Command[] {
  return prices.map((price, index) => {
    const next = price + (price * BigInt(random.below(2 * STEP_PPM + 1) - STEP_PPM)) / 1_000_000n;
    prices[index] = next;
    return { type: 'componentPrice', time, index, component: 0, price: next, volume: 0n };
  });
}

function place(
  uid: number,
  instrument: number,
  side: Side,
  priceTicks: number,
  sizeLots: number,
  time: number,
  timeInForce: TimeInForce = TimeInForce.gtc,
): Command {
  return {
    type: 'placeOrder',
    time,
    uid,
    source: Source.api,
    instrument,
    side,
    orderType: OrderType.limit,
    timeInForce,
    stpMode: StpMode.none,
    priceTicks,
    sizeLots,
    quoteAmount: 0n,
    clientOid: '',
  };
}

function contract(n: number): InstrumentSpec {
  return {
    symbol: `C${n}USDT`,
    category: 'USDT-FUTURES',
    baseCoin: `C${n}`,
    quoteCoin: 'USDT',
    status: 'online',
    buyLimitPriceRatio: '0.05',
    sellLimitPriceRatio: '0.05',
    minOrderQty: '0.01',
    maxOrderQty: '',
    minOrderAmount: '0.01',
    pricePrecision: '2',
    quantityPrecision: '2',
    quotePrecision: '',
    maxSymbolOrderNum: '',
    maxProductOrderNum: '',
    maxPositionNum: '',
    maintainTime: '',
    launchTime: '0',
    symbolType: 'crypto',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    openingPrice: '100',
    indexComponents: [{ exchange: 'venue-a', spotPair: `C${n}/USDT`, weight: '1' }],
    futures: {
      type: 'perpetual',
      isRwa: 'NO',
      isReality: 'no',
      feeRateUpRatio: '0',
      openCostUpRatio: '0',
      priceMultiplier: '0.01',
      quantityMultiplier: '0.01',
      offTime: '',
      limitOpenTime: '',
      deliveryTime: '',
      deliveryStartTime: '',
      deliveryPeriod: '',
      fundInterval: '8',
      minLeverage: '1',
      maxLeverage: '50',
      maxMarketOrderQty: '',
    },
  };
}
