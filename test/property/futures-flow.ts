/**
 * A small venue for random futures flows: three contracts (two linear, one coin-margined) with low tiers and thin
 * books, a few accounts of every mode, prices that jump. Driven by a seed, so that a failure can be repeated.
 */
import { NIL } from '../../src/core/book/order-slab.ts';
import { markTicks } from '../../src/core/margin/margin.ts';
import { ANY, type Command, type MovePositions } from '../../src/core/model/command.ts';
import {
  HoldMode,
  InstrumentStatus,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  TimeInForce,
} from '../../src/core/model/enums.ts';
import type { InstrumentSpec } from '../../src/core/model/listing-spec.ts';
import { AUTO_MARGIN_UNBOUNDED } from '../../src/core/model/position.ts';
import type { State } from '../../src/core/state/state.ts';
import { account, coin, deposit, OPENING_TIME, order, spotPair } from './venue.ts';

export const UIDS = [1, 2, 3, 4, 5, 6, 7, 8];
/** Sub-accounts by uid, so that every mode can hand positions to every other. */
const MASTERS: Readonly<Record<number, number>> = { 2: 1, 3: 1, 6: 5, 8: 5 };
const ONE = 10n ** 8n;
const HOURS = 3_600_000;

/** Uniform in [0, 1) from a seed (mulberry32). */
export class Rng {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }
}

const TIERS = [
  { upTo: '500', maxLeverage: '125', mmr: '0.004' },
  { upTo: '2500', maxLeverage: '50', mmr: '0.01' },
  { upTo: '10000', maxLeverage: '20', mmr: '0.025' },
  { upTo: '1000000', maxLeverage: '10', mmr: '0.05' },
];

const FUTURES: NonNullable<InstrumentSpec['futures']> = {
  type: 'perpetual',
  isRwa: 'NO',
  isReality: 'no',
  feeRateUpRatio: '0',
  openCostUpRatio: '0',
  priceMultiplier: '',
  quantityMultiplier: '',
  offTime: '',
  limitOpenTime: '',
  deliveryTime: '',
  deliveryStartTime: '',
  deliveryPeriod: '',
  fundInterval: '1',
  minLeverage: '1',
  maxLeverage: '125',
  maxMarketOrderQty: '',
  tiers: TIERS,
};

export function contract(
  base: string,
  quote: string,
  category: InstrumentSpec['category'],
  price: string,
): Command {
  return spotPair(base, quote, {
    category,
    buyLimitPriceRatio: '0.3',
    sellLimitPriceRatio: '0.3',
    pricePrecision: '1',
    quantityPrecision: '2',
    makerFeeRate: '0.0002',
    takerFeeRate: '0.0006',
    openingPrice: price,
    // One of the two never says anything: its weight is the other's.
    indexComponents: [
      { exchange: 'elsewhere', spotPair: `${base}/${quote}`, weight: '0.7' },
      { exchange: 'nowhere', spotPair: `${base}/${quote}`, weight: '0.3' },
    ],
    futures: FUTURES,
  });
}

/** Opening prices by index, in 10^-8. */
export const PRICES = [100n * ONE, 20n * ONE, 100n * ONE, ONE];

export const SET_UP: readonly Command[] = [
  coin('USDT'),
  coin('USD'),
  {
    type: 'listCoin',
    time: OPENING_TIME,
    spec: {
      coin: 'AAA',
      name: 'AAA',
      chains: [],
      collateral: [{ tierStartValue: '0', discountRate: '0.9' }],
    },
  },
  coin('BBB'),
  contract('AAA', 'USDT', 'USDT-FUTURES', '100'),
  contract('BBB', 'USDT', 'USDT-FUTURES', '20'),
  contract('AAA', 'USD', 'COIN-FUTURES', '100'),
  spotPair('USDT', 'USD', {
    openingPrice: '1',
    indexComponents: [{ exchange: 'elsewhere', spotPair: 'USDT/USD', weight: '1' }],
  }),
  ...UIDS.map((uid) => account(uid, MASTERS[uid])),
  ...UIDS.flatMap((uid) => [
    deposit(uid, 0, BigInt(400 * uid) * ONE),
    deposit(uid, 2, BigInt(3 * uid) * ONE),
  ]),
  ...UIDS.filter((uid) => uid % 2 === 0).flatMap((uid): Command[] =>
    [0, 1, 2].map((instrument) => ({
      type: 'setMarginMode',
      time: OPENING_TIME,
      uid,
      instrument,
      isolated: true,
    })),
  ),
  ...UIDS.filter((uid) => uid % 4 >= 2).map(
    (uid): Command => ({ type: 'setHoldMode', time: OPENING_TIME, uid, holdMode: HoldMode.hedge }),
  ),
  ...PRICES.map(
    (price, index): Command => ({
      type: 'componentPrice',
      time: OPENING_TIME,
      index,
      component: 0,
      price,
      volume: 0n,
    }),
  ),
  { type: 'tick', time: OPENING_TIME + 1000 },
];

export class FuturesFlow {
  private readonly dice: Rng;
  private readonly state: State;
  private readonly prices = [...PRICES];
  /** How often a price jumps: every second venue is a wild one. */
  private readonly jumps: number;
  time = OPENING_TIME + 1000;

  constructor(seed: number, state: State, jumps = seed % 2 === 0 ? 0.12 : 0.4) {
    this.dice = new Rng(seed);
    this.jumps = jumps;
    this.state = state;
  }

  next(): Command {
    const { dice } = this;
    const uid = dice.pick(UIDS);
    const instrument = dice.below(3);
    const roll = dice.next();
    this.time += dice.below(400);
    const { time } = this;
    if (roll < 0.53) return this.order(uid, instrument);
    if (roll < 0.56) return this.move(uid);
    if (roll < 0.62) return this.amend(uid);
    if (roll < 0.8) return this.price();
    if (roll < 0.83) {
      this.time += 1000;
      return { type: 'tick', time: this.time };
    }
    if (roll < 0.86) return { type: 'cancelAll', time, uid, category: dice.pick([2, 3]), instrument: -1 };
    if (roll < 0.9) {
      const leverage = dice.pick([1, 5, 10, 20, 50, 125]);
      const shortLeverage = dice.chance(0.5) ? leverage : 0;
      return { type: 'setLeverage', time, uid, instrument, longLeverage: leverage, shortLeverage };
    }
    if (roll < 0.92) return { type: 'setMarginMode', time, uid, instrument, isolated: dice.chance(0.5) };
    if (roll < 0.93) return { type: 'setHoldMode', time, uid, holdMode: dice.below(2) };
    if (roll < 0.96) {
      const amount = BigInt(dice.below(200) - 80) * (ONE / 10n);
      const posSide = dice.pick([0, 1, 2] as const);
      if (dice.chance(0.5)) return { type: 'adjustMargin', time, uid, instrument, posSide, amount };
      // Off, on for a while, or on for good.
      const room = dice.pick([0n, 20n * ONE, AUTO_MARGIN_UNBOUNDED]);
      return { type: 'setAutoMargin', time, uid, instrument, posSide, room };
    }
    if (roll < 0.988) return this.money(uid);
    if (roll < 0.99) return this.status();
    this.time += dice.pick([10 * 60_000, HOURS, 5 * HOURS]);
    return { type: 'tick', time: this.time };
  }

  private order(uid: number, index: number): Command {
    const { dice, state } = this;
    const mark = markTicks(state, state.instruments[index]!);
    const away = Math.round(mark * (dice.next() - 0.5) * (dice.chance(0.2) ? 0.3 : 0.02));
    const market = dice.chance(0.15);
    const hedge = state.accountByUid.get(uid)!.holdMode === HoldMode.hedge;
    const size = dice.chance(0.1) ? dice.below(40_000) : 1 + dice.below(index === 1 ? 8000 : 1500);
    return order({
      time: this.time,
      uid,
      instrument: index,
      side: dice.pick([Side.buy, Side.sell]),
      orderType: market ? OrderType.market : OrderType.limit,
      timeInForce:
        market || dice.chance(0.8) ? TimeInForce.gtc : dice.pick([TimeInForce.ioc, TimeInForce.fok]),
      stpMode: dice.pick([StpMode.none, StpMode.none, StpMode.cancelMaker, StpMode.cancelTaker]),
      priceTicks: market ? 0 : Math.max(1, mark + away),
      sizeLots: size,
      expired: size % 29 === 0,
      ...(hedge && { posSide: dice.pick([PosSide.long, PosSide.short]) }),
      ...(dice.chance(0.2) && { reduceOnly: true }),
    });
  }

  /** One of the account's positions and perhaps another go to somebody of its party, now and then to a stranger. */
  move(uid = this.dice.pick(UIDS)): MovePositions {
    const { dice, state, time } = this;
    const master = MASTERS[uid] ?? uid;
    const family = UIDS.filter((other) => other !== uid && (MASTERS[other] ?? other) === master);
    const toUid = family.length === 0 || dice.chance(0.05) ? dice.pick(UIDS) : dice.pick(family);
    const held = [...state.accountByUid.get(uid)!.positions.values()];
    const items = Array.from({ length: 1 + dice.below(2) }, () => {
      const position = held.length === 0 ? undefined : dice.pick(held);
      const lots = position?.lots ?? 10;
      const right = position?.long === true ? Side.sell : Side.buy;
      return {
        instrument: position?.instrument ?? dice.below(3),
        side: dice.chance(0.95) ? right : dice.pick([Side.buy, Side.sell]),
        sizeLots: dice.chance(0.4) ? lots : 1 + dice.below(Math.ceil(lots * 1.1)),
      };
    });
    const initiatorUid = dice.chance(0.95) ? master : dice.pick(UIDS);
    return { type: 'movePositions', time, initiatorUid, fromUid: uid, toUid, items };
  }

  /** Another price or size for one of the account's orders. */
  private amend(uid: number): Command {
    const { dice, state, time } = this;
    const { slab } = state;
    const own: number[] = [];
    for (let slot = state.accountByUid.get(uid)!.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!)
      own.push(slot);
    const slot = own.length === 0 ? NIL : dice.pick(own);
    const price = slot === NIL ? 1000 : slab.price[slot]!;
    const size = slot === NIL ? 10 : slab.size[slot]!;
    const item = {
      orderId: slot === NIL ? 1 : slab.id[slot]!,
      clientOid: '',
      category: ANY,
      instrument: ANY,
      priceTicks: dice.chance(0.6) ? Math.max(1, Math.round(price * (0.95 + 0.1 * dice.next()))) : 0,
      sizeLots: dice.chance(0.6) ? Math.max(1, Math.round(size * (0.3 + 1.5 * dice.next()))) : 0,
      autoCancel: dice.chance(0.1),
      outstanding: 0,
    } as const;
    return { type: 'amendOrders', time, uid, source: Source.api, items: [item] };
  }

  /** A contract is switched off now and then, and soon on again. */
  private status(): Command {
    const { state, time } = this;
    const off = state.instruments.findIndex(({ status }) => status === InstrumentStatus.offline);
    if (off >= 0) return { type: 'setInstrumentStatus', time, instrument: off, status: 'online' };
    return { type: 'setInstrumentStatus', time, instrument: this.dice.below(3), status: 'offline' };
  }

  /** Small steps, sometimes a fifth up or down, drawn back to where it began. */
  price(): Command {
    const { dice } = this;
    // The dollar price of USDT moves as well, and not always gently.
    const index = dice.below(PRICES.length);
    const before = this.prices[index]!;
    const jump = dice.chance(this.jumps) ? 0.2 : 0.012;
    const home = before > PRICES[index]! ? -0.002 : 0.002;
    const change = (dice.next() < 0.5 ? -1 : 1) * jump * dice.next() + home;
    const price = (before * BigInt(Math.round((1 + change) * 1_000_000))) / 1_000_000n;
    this.prices[index] = price;
    this.time += 1000;
    return { type: 'componentPrice', time: this.time, index, component: 0, price, volume: 0n };
  }

  private money(uid: number): Command {
    const { dice, time } = this;
    const coinIndex = dice.pick([0, 2]);
    const amount = BigInt(1 + dice.below(coinIndex === 0 ? 500 : 5)) * ONE;
    const reference = '';
    if (dice.chance(0.5)) return { type: 'deposit', time, uid, coin: coinIndex, amount, reference };
    return { type: 'withdraw', time, uid, coin: coinIndex, amount, reference };
  }
}
