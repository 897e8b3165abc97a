/**
 * An exchange with many accounts: two coins each, a position in one of ten perpetuals (half of them in the first), an open
 * order; some also in a delivery contract, in a coin-margined one, in debt, with a pledge loan or a trigger order.
 */
import { stampCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import {
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  StrategyKind,
  TimeInForce,
  TriggerBy,
} from '../../src/core/model/enums.ts';
import type { InstrumentSpec } from '../../src/core/model/listing-spec.ts';
import { LoanTerm } from '../../src/core/model/loan-terms.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { NO_LEG } from '../../src/core/model/tpsl.ts';
import { countDue } from '../../src/core/reads/schedule-reads.ts';
import { CROWD_MIN, CROWDED_TICK_MS } from '../../src/sequencer/limits.ts';
import { account, deposit, OPENING_TIME, order, spotPair } from '../../test/property/venue.ts';

export const ONE = 10n ** 8n;
export const PERPETUALS = 10;
/** A price of 100.00 on every pair. */
export const PRICE = 100n * ONE;
export const TICKS = 10_000;
export const HOUR_MS = 3_600_000;

export const Coin = { usdt: 0, btc: 1 } as const;
/** Numbers of the instruments, in the order of their listing. */
export const Listed = {
  spot: 0,
  margin: 1,
  perpetual: 2,
  delivery: 2 + PERPETUALS,
  coinMargined: 3 + PERPETUALS,
} as const;

/** Accounts that have more than two coins and a position. */
export interface Shape {
  readonly accounts: number;
  readonly debtors: number;
  readonly loans: number;
  readonly deliveries: number;
  readonly coinMargined: number;
  readonly triggers: number;
}

export const MANY: Shape = {
  accounts: 100_000,
  debtors: 10_000,
  loans: 10_000,
  deliveries: 10_000,
  coinMargined: 1_000,
  triggers: 10_000,
};

export class Venue {
  readonly exchange = new Exchange();
  readonly shape: Shape;
  time = OPENING_TIME + 60_000;
  readonly deliveryTime = OPENING_TIME + 20 * HOUR_MS;
  /** The end of the second in which all loans began. */
  loansSecond = 0;
  #prices = Array.from({ length: PERPETUALS }, () => PRICE);

  constructor(shape: Shape) {
    this.shape = shape;
    const opening: Command[] = [
      { type: 'setEdition', time: OPENING_TIME, edition: NEWEST_EDITION },
      ...listings(this.deliveryTime),
    ];
    for (const command of opening) this.must(command);
  }

  /** With what the sequencer does to it: compiled code is for objects of one form. */
  apply(command: Command): CommandResult {
    const result = this.exchange.apply(stampCommand(command, command.time).command);
    this.exchange.takeEvents();
    return result;
  }

  /** What the benchmark needs to be as it says. */
  must(command: Command): CommandResult {
    const result = this.apply(command);
    if (result.rejectReason !== RejectReason.none)
      throw new Error(`${command.type} was rejected for ${result.rejectReason} ${result.detail ?? ''}`);
    return result;
  }

  /** `watch` sees every command that opens an account or deposits. */
  openAccounts(watch: (command: Command) => CommandResult = (command) => this.must(command)): void {
    const { accounts, debtors } = this.shape;
    this.must(this.nextSecond());
    for (let uid = 1; uid <= accounts; uid++) {
      watch({ ...account(uid), time: this.time });
      const poor = uid > accounts - debtors;
      watch({ ...deposit(uid, Coin.usdt, (poor ? 50n : 10_000n) * ONE), time: this.time });
      watch({ ...deposit(uid, Coin.btc, 100n * ONE), time: this.time });
    }
    this.must({ ...deposit(1, Coin.btc, 1_000_000n * ONE), time: this.time });
  }

  /** One account with dollars alone. */
  openAccount(uid: number, usdt: bigint): void {
    this.must({ ...account(uid), time: this.time });
    this.must({ ...deposit(uid, Coin.usdt, usdt * ONE), time: this.time });
  }

  openPositions(): void {
    const { accounts, deliveries, coinMargined } = this.shape;
    for (let uid = 1; uid < accounts; uid += 2) this.trade(this.perpetualOf(uid), uid);
    for (let uid = 1; uid < deliveries; uid += 2) this.trade(Listed.delivery, uid);
    for (let uid = 1; uid < coinMargined; uid += 2) this.trade(Listed.coinMargined, uid);
  }

  /** Half of the accounts in the first contract, the others in the rest alike. */
  perpetualOf(uid: number): number {
    if (uid <= this.shape.accounts / 2) return Listed.perpetual;
    return Listed.perpetual + 1 + (Math.floor(uid / 2) % (PERPETUALS - 1));
  }

  /** Two neighbours meet at 100. */
  trade(instrument: number, uid: number): void {
    this.must(this.limit({ uid, instrument, side: Side.sell, priceTicks: TICKS }));
    this.must(this.limit({ uid: uid + 1, instrument, side: Side.buy, priceTicks: TICKS }));
  }

  openDebts(): void {
    const { accounts, debtors, loans } = this.shape;
    const { time } = this;
    const sizeLots = 100 * debtors;
    this.must(this.limit({ uid: 1, instrument: Listed.spot, side: Side.sell, priceTicks: TICKS, sizeLots }));
    for (let uid = accounts - debtors + 1; uid <= accounts; uid++)
      this.must(this.limit({ uid, instrument: Listed.margin, priceTicks: TICKS, sizeLots: 80 }));
    this.must({
      type: 'fundLoanPool',
      time,
      coin: Coin.usdt,
      amount: BigInt(loans) * 100n * ONE,
      reference: 'opening',
    });
    // Each begins its hours in its own millisecond, ten in one.
    for (let uid = 1; uid <= loans; uid++) this.must(this.borrow(uid, time + Math.floor(uid / 10)));
    this.time += Math.floor(loans / 10);
    this.loansSecond = Math.ceil(this.time / 1000) * 1000;
  }

  borrow(uid: number, time: number): Command {
    const terms = { loanCoin: Coin.usdt, pledgeCoin: Coin.btc, term: LoanTerm.flexible };
    return { type: 'loanBorrow', time, uid, ...terms, loanAmount: 10n * ONE, pledgeAmount: 0n };
  }

  /** One for each account, away from the market: half on spot, half on the account's contract. */
  openOrders(): void {
    const { accounts, triggers } = this.shape;
    for (let uid = 1; uid <= accounts; uid++) {
      const away = 1 + (uid % 400);
      const rests =
        uid % 2 === 0
          ? { instrument: Listed.spot, side: Side.sell, priceTicks: TICKS + away }
          : { instrument: this.perpetualOf(uid), side: Side.buy, priceTicks: TICKS - away };
      this.must(this.limit({ uid, ...rests, sizeLots: 1 }));
    }
    for (let uid = 1; uid <= triggers; uid++) this.must(this.trigger(uid, TICKS * 2));
  }

  trigger(uid: number, ticks: number): Command {
    const { time } = this;
    return {
      type: 'placeStrategy',
      time,
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
      trigger: { ...NO_LEG, triggerTicks: ticks, triggerBy: TriggerBy.mark },
      callbackPpm: 0,
      clientOid: '',
    };
  }

  limit(changes: Parameters<typeof order>[0]): Command {
    return order({
      time: this.time,
      sizeLots: 100,
      orderType: OrderType.limit,
      timeInForce: TimeInForce.gtc,
      ...changes,
    });
  }

  /** Prices of every index, moved by so many millionths in turns up and down. */
  report(ppm = 0): void {
    this.#prices = this.#prices.map(
      (price, n) => price + (price * BigInt(n % 2 === 0 ? ppm : -ppm)) / 1_000_000n,
    );
    const prices = [...this.#prices, this.#prices[0]!, ONE];
    for (const [index, price] of prices.entries()) {
      if (this.exchange.state.indices[index] === undefined) continue;
      this.must({ type: 'componentPrice', time: this.time, index, component: 0, price, volume: 0n });
    }
  }

  /** Prices once more, so that none is stale, then the tick of the next second that `is` due. */
  nextSecond(is: (second: number) => boolean = () => true, ppm = 0): Command {
    let second = Math.floor(this.time / 1000) * 1000 + 1000;
    while (!is(second)) second += 1000;
    // Work that is due before it, and prices that come back after a jump of the clock, must not be counted as its.
    while (second - this.time > 2000) this.quietSecond(Math.max(this.time + 1000, second - 3000));
    this.time = Math.max(this.time, second - 500);
    this.must({ type: 'tick', time: this.time });
    this.report(ppm);
    this.time = second;
    return { type: 'tick', time: second };
  }

  /** As the exchange ticks: once for a second, or more often where much is due in it (`src/sequencer/clock-ticker.ts`). */
  ticksUntil(second: number): number[] {
    const ticks = [second];
    if (countDue(this.exchange.state, second, CROWD_MIN) < CROWD_MIN) return ticks;
    const { now } = this.exchange.state;
    for (let time = second - CROWDED_TICK_MS; time > now; time -= CROWDED_TICK_MS) ticks.unshift(time);
    return ticks;
  }

  private quietSecond(time: number): void {
    this.time = time;
    this.must({ type: 'tick', time });
    this.report();
  }
}

function listings(deliveryTime: number): Command[] {
  const loan = {
    flexibleRate: '0.2',
    sevenDayRate: '0.3',
    thirtyDayRate: '0.4',
    minUsdt: '1',
    maxUsdt: '2000',
  };
  const pledge = { initRate: '0.65', supRate: '0.75', forceRate: '0.83', minUsdt: '0', maxUsdt: '5000' };
  const borrow = {
    yearRate: '0.1',
    poolLimit: '100000000',
    userLimit: '100000',
    masterSubLimit: '100000',
    freeLimit: '20',
    tiers: [{ upTo: '1000000', maxLeverage: '5', mmr: '0.05' }],
  };
  const collateral = [{ tierStartValue: '0', discountRate: '0.9' }];
  const coinOf = (name: string, terms = {}): Command => ({
    type: 'listCoin',
    time: OPENING_TIME,
    spec: { coin: name, name, chains: [], ...terms },
  });
  const pair = {
    pricePrecision: '2',
    quantityPrecision: '2',
    quotePrecision: '2',
    openingPrice: '100',
    buyLimitPriceRatio: '0.3',
    sellLimitPriceRatio: '0.3',
  };
  const margin = {
    isIsolatedBaseBorrowable: 'NO',
    isIsolatedQuotedBorrowable: 'NO',
    warningRiskRatio: '0.8',
    liquidationRiskRatio: '1',
    maxCrossedLeverage: '5',
    maxIsolatedLeverage: '10',
    userMinBorrow: '0.01',
    maxLeverage: '5',
  };
  const bases = ['BTC', ...Array.from({ length: PERPETUALS - 1 }, (_, n) => `C${n}`)];
  return [
    coinOf('USDT', { loan, pledge, borrow, collateral }),
    coinOf('BTC', { loan, pledge, borrow, collateral }),
    coinOf('USD'),
    ...bases.slice(1).map((base) => coinOf(base)),
    spotPair('BTC', 'USDT', pair),
    spotPair('BTC', 'USDT', { ...pair, category: 'MARGIN', margin }),
    ...bases.map((base) => contract(base, 'USDT', {})),
    contract('BTC', 'USDT', {
      symbol: 'BTCUSDTZ24',
      futures: {
        type: 'delivery',
        deliveryStartTime: String(OPENING_TIME),
        deliveryTime: String(deliveryTime),
        deliveryPeriod: 'this_quarter',
        fundInterval: '',
      },
    }),
    contract('BTC', 'USD', { category: 'COIN-FUTURES' }),
    spotPair('USDT', 'USD', {
      openingPrice: '1',
      indexComponents: [{ exchange: 'venue-a', spotPair: 'USDT/USD', weight: '1' }],
    }),
  ];
}

type Changes = Partial<Omit<InstrumentSpec, 'futures'>> & {
  futures?: Partial<NonNullable<InstrumentSpec['futures']>>;
};

function contract(base: string, quote: string, changes: Changes): Command {
  return spotPair(base, quote, {
    category: 'USDT-FUTURES',
    buyLimitPriceRatio: '0.3',
    sellLimitPriceRatio: '0.3',
    pricePrecision: '2',
    quantityPrecision: '2',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    openingPrice: '100',
    indexComponents: [{ exchange: 'venue-a', spotPair: `${base}/${quote}`, weight: '1' }],
    ...changes,
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
      ...changes.futures,
    },
  });
}
