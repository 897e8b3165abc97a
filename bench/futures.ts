/**
 * Futures under moving prices: many accounts with crossed positions in ten contracts, every mark price moving each
 * second. The cost of a price tick, and of orders between ticks. Baseline in the same run: the same orders while no
 * price moves.
 */
import type { Command } from '../src/core/command.ts';
import { Exchange } from '../src/core/exchange.ts';
import type { InstrumentSpec } from '../src/core/instrument.ts';
import { checkInvariants } from '../src/core/invariants.ts';
import { OrderType, Side, Source, StpMode, TimeInForce } from '../src/core/terms.ts';
import { account, coin, deposit, OPENING_TIME } from '../test/property/venue.ts';
import { Random } from './random.ts';
import { type Benchmark, printTable, rate, ratio } from './report.ts';

const ACCOUNTS = 10_000;
const SYMBOLS = 10;
const SECONDS = 20;
const ORDERS_PER_SECOND = 2_000;
const PRICE = 10n ** 8n * 100n;

export const futures: Benchmark = {
  title: 'Futures: positions while every mark price moves',
  run() {
    const { exchange, random } = openVenue();
    let time = OPENING_TIME + 60_000;
    const ticks: number[] = [];
    const orderTime = (moving: boolean): number => {
      let total = 0;
      for (let second = 0; second < SECONDS; second++) {
        time += 1000;
        // The first command of a second takes the prices that were reported in the one before.
        const start = performance.now();
        exchange.apply({ type: 'tick', time });
        if (moving) {
          ticks.push(performance.now() - start);
          for (const command of moves(random, time + 1)) exchange.apply(command);
        }
        const orders = Array.from({ length: ORDERS_PER_SECOND }, () => order(random, time + 2));
        const before = performance.now();
        for (const command of orders) {
          exchange.apply(command);
          exchange.takeEvents();
        }
        total += performance.now() - before;
      }
      return total / 1000;
    };
    const still = orderTime(false);
    const moving = orderTime(true);
    checkInvariants(exchange.state);
    ticks.sort((a, b) => a - b);
    const count = SECONDS * ORDERS_PER_SECOND;
    console.log(
      `${ACCOUNTS.toLocaleString('en-US')} accounts with a crossed position in each of ${SYMBOLS} contracts ` +
        `(${(ACCOUNTS * SYMBOLS).toLocaleString('en-US')} positions); orders that rest or trade.\n`,
    );
    printTable(
      ['what', 'a second', 'to still prices'],
      [
        ['orders while prices stand still (baseline)', rate(count, still), '1.0x'],
        ['orders while every mark moves each second', rate(count, moving), ratio(still, moving)],
      ],
    );
    const median = ticks[ticks.length >> 1]!;
    console.log(
      `\nprice tick over all positions: median ${median.toFixed(2)} ms, worst ${ticks.at(-1)!.toFixed(2)} ms`,
    );
  },
};

function openVenue(): { exchange: Exchange; random: Random } {
  const random = new Random(4);
  const exchange = new Exchange();
  const commands: Command[] = [coin('USDT')];
  for (let n = 0; n < SYMBOLS; n++)
    commands.push(coin(`C${n}`), { type: 'listInstrument', time: OPENING_TIME, spec: contract(n) });
  for (let uid = 1; uid <= ACCOUNTS; uid++)
    commands.push(account(uid), deposit(uid, 0, 10n ** 8n * 100_000n));
  for (const command of commands) exchange.apply(command);
  for (let n = 0; n < SYMBOLS; n++) {
    exchange.apply({
      type: 'componentPrice',
      time: OPENING_TIME,
      index: n,
      component: 0,
      price: PRICE,
      volume: 0n,
    });
  }
  exchange.apply({ type: 'tick', time: OPENING_TIME + 1000 });
  for (let instrument = 0; instrument < SYMBOLS; instrument++) {
    for (let uid = 1; uid < ACCOUNTS; uid += 2) {
      exchange.apply(place(uid, instrument, Side.sell, 10_000, 100, OPENING_TIME + 2000));
      exchange.apply(place(uid + 1, instrument, Side.buy, 10_000, 100, OPENING_TIME + 2000));
    }
  }
  exchange.takeEvents();
  return { exchange, random };
}

function moves(random: Random, time: number): Command[] {
  return Array.from({ length: SYMBOLS }, (_, index) => ({
    type: 'componentPrice',
    time,
    index,
    component: 0,
    price: PRICE + BigInt(random.below(2_000_001) - 1_000_000) * 100n,
    volume: 0n,
  }));
}

function order(random: Random, time: number): Command {
  const side = random.below(2) === 0 ? Side.buy : Side.sell;
  return place(
    1 + random.below(ACCOUNTS),
    random.below(SYMBOLS),
    side,
    9_990 + random.below(21),
    1 + random.below(5),
    time,
    TimeInForce.ioc,
  );
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
