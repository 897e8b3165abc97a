/**
 * One book as agents see it: fair price, recent moves, activity. All agents of a book share it. It reads the state
 * and never changes it.
 */

import type { IndexPrice } from '../core/marketdata/index-price.ts';
import { InstrumentStatus, Side } from '../core/model/enums.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { DELIVERY_QUIET_MS } from '../core/model/instrument-status.ts';
import { priceBand } from '../core/reads/market-reads.ts';
import type { Market } from '../core/state/market.ts';
import type { State } from '../core/state/state.ts';
import type { ActivityLevel } from './activity-level.ts';
import { clamp, decay } from './deterministic-math.ts';
import { ornsteinUhlenbeckStep } from './feed/coin-prices.ts';
import type { InstrumentParameters } from './parameters.ts';
import { RelativeVolatility } from './relative-volatility.ts';
import { Rng } from './rng.ts';

/** Premium of perpetuals over their index, as a fraction: mean, deviation and half-life. */
export const PREMIUM = { mean: 0.00008, deviation: 0.00035, halfLifeS: 3 * 3600 };
/** Carry of delivery contracts per year, as a fraction. */
const CARRY = { mean: 0.055, deviation: 0.015, halfLifeS: 5 * 86_400 };
const YEAR_MS = 365 * 86_400_000;
const FAST_HALF_LIFE_S = 45;
const SLOW_HALF_LIFE_S = 480;
/** Half-life of the excitement by which trades cause further trades. */
const EXCITEMENT_HALF_LIFE_S = 25;
const EXCITEMENT_MAX = 3;
/** Quotes stay within this share of the price band. */
const BAND_USED = 0.8;

export class InstrumentView {
  readonly instrument: Instrument;
  readonly parameters: InstrumentParameters;
  readonly activityLevel: ActivityLevel;
  /** Quote money of one tick of one lot. */
  readonly tickLotValue: number;
  private readonly state: State;
  private readonly index: IndexPrice | undefined;
  private readonly rng: Rng;
  /** Fair price of one unit of base, in ticks. */
  fairTicks = 0;
  /** Slow and fast means of the last prices, in ticks. */
  fastTicks = 0;
  slowTicks = 0;
  /** Adds to the rate of takers' orders, as a multiple of the usual rate. */
  excitement = 0;
  /** Mean relative move of a second over the last minute. */
  movePerSecond = 0;
  /** The operator's factor on the spread, and until when. */
  widening = { factor: 1, untilMs: 0 };
  private premium: number;
  private carry: number;
  private lastFair = 0;
  private readonly volatility: RelativeVolatility;

  constructor(
    state: State,
    instrument: Instrument,
    parameters: InstrumentParameters,
    activityLevel: ActivityLevel,
    /** Usual volatility of its price per year, before the activity level. */
    volatility: number,
    seed: number,
  ) {
    this.state = state;
    this.instrument = instrument;
    this.parameters = parameters;
    this.activityLevel = activityLevel;
    this.tickLotValue = instrument.valuePerTickLotNumber / 1e8;
    const index = state.indexByName.get(instrument.indexName);
    this.index = index === undefined ? undefined : state.indices[index];
    this.volatility = new RelativeVolatility(volatility * activityLevel.volatility);
    this.rng = new Rng(seed, `desk ${this.name}`);
    this.premium = this.rng.normal() * PREMIUM.deviation;
    this.carry = CARRY.mean + this.rng.normal() * CARRY.deviation;
  }

  /** Category and symbol. */
  get name(): string {
    return `${this.instrument.spec.category}:${this.instrument.symbol}`;
  }

  get market(): Market {
    return this.state.market(this.instrument);
  }

  /** Half of the quiet spread, in ticks; never less than half a step of the grid. */
  get halfSpreadTicks(): number {
    const { spreadBps } = this.parameters;
    const ticks = (this.fairTicks * spreadBps * this.activityLevel.spread) / 20_000;
    return Math.max(ticks, this.instrument.tickStep / 2);
  }

  spreadFactor(now: number): number {
    return now < this.widening.untilMs ? this.widening.factor : 1;
  }

  /** Depth in lots at the present price. */
  get depthLots(): number {
    return this.parameters.depth / (this.fairTicks * this.tickLotValue);
  }

  /** Are orders accepted now? */
  isOpen(now: number): boolean {
    const { status, futures } = this.instrument;
    if (status !== InstrumentStatus.online || this.state.halted || this.fairTicks <= 0) return false;
    if (futures === undefined) return true;
    if (this.market.futures === undefined || this.market.futures.markTicks === 0) return false;
    const { delivery } = futures;
    return delivery === undefined || (now >= delivery.startTime && now < delivery.time - DELIVERY_QUIET_MS);
  }

  observe(now: number, seconds: number): void {
    this.drift(seconds);
    this.fairTicks = this.value(now);
    if (this.fairTicks <= 0) return;
    const last = this.market.day.lastTicks || this.fairTicks;
    if (this.fastTicks === 0) {
      this.fastTicks = last;
      this.slowTicks = last;
      this.lastFair = this.fairTicks;
    }
    this.fastTicks += (last - this.fastTicks) * (1 - decay(seconds, FAST_HALF_LIFE_S));
    this.slowTicks += (last - this.slowTicks) * (1 - decay(seconds, SLOW_HALF_LIFE_S));
    const move = Math.abs(this.fairTicks / this.lastFair - 1) / Math.sqrt(Math.max(seconds, 0.05));
    this.movePerSecond += (move - this.movePerSecond) * (1 - decay(seconds, 30));
    this.lastFair = this.fairTicks;
    this.volatility.observe(this.fairTicks, seconds);
    this.excitement *= decay(seconds, EXCITEMENT_HALF_LIFE_S);
  }

  /** Rate of takers' orders relative to the usual: volatility increases it. */
  get arrivalRateFactor(): number {
    return this.volatility.activityFactor * (1 + this.excitement);
  }

  exciteArrivals(by: number): void {
    this.excitement = Math.min(EXCITEMENT_MAX, this.excitement + by);
  }

  /** Best price of a side among normal orders; 0 when there is none. */
  best(side: Side): number {
    return this.market.book.bestTicks(side, false);
  }

  /** Size at the best price of a side, in lots. */
  bestLots(side: Side): number {
    let lots = 0;
    this.market.book.eachLevel(side, (_ticks, normalLots) => {
      lots = normalLots;
      return normalLots === 0;
    });
    return lots;
  }

  /** Middle of the book; the fair price while a side is empty. */
  get middleTicks(): number {
    const bid = this.best(Side.buy);
    const ask = this.best(Side.sell);
    return bid === 0 || ask === 0 ? this.fairTicks : (bid + ask) / 2;
  }

  /** The fair price, clamped to the price band: a market beyond it must get there trade by trade. */
  get quoteMidTicks(): number {
    const band = priceBand(this.instrument, this.market);
    const { referenceTicks: reference } = band;
    const low = reference - (reference - band.minSellTicks) * BAND_USED;
    const high = reference + (band.maxBuyTicks - reference) * BAND_USED;
    return clamp(this.fairTicks, low, high);
  }

  /** A price on the grid at or below, or at or above. */
  down(ticks: number): number {
    const { tickStep } = this.instrument;
    return Math.max(tickStep, Math.floor(ticks / tickStep) * tickStep);
  }

  up(ticks: number): number {
    const { tickStep } = this.instrument;
    return Math.max(tickStep, Math.ceil(ticks / tickStep) * tickStep);
  }

  /** A valid order size at this price: on the grid, within the limits. */
  size(lots: number, priceTicks: number): number {
    const { lotStep, minLots, maxLots, maxMarketLots, minAmount } = this.instrument;
    const most = Math.min(maxLots || Number.MAX_SAFE_INTEGER, maxMarketLots || Number.MAX_SAFE_INTEGER);
    const least = Math.max(minLots, (Number(minAmount) / 1e8 / (priceTicks * this.tickLotValue)) * 1.01);
    return Math.ceil(clamp(lots, least, most) / lotStep) * lotStep;
  }

  private drift(seconds: number): void {
    const { rng } = this;
    this.premium = ornsteinUhlenbeckStep(
      this.premium,
      PREMIUM.deviation,
      PREMIUM.halfLifeS,
      seconds,
      rng.normal(),
    );
    const carry = this.carry - CARRY.mean;
    this.carry =
      CARRY.mean + ornsteinUhlenbeckStep(carry, CARRY.deviation, CARRY.halfLifeS, seconds, rng.normal());
  }

  private value(now: number): number {
    const { instrument, index } = this;
    if (index === undefined) return this.market.day.lastTicks || instrument.openingTicks;
    const price = Number(index.price === 0n ? firstPrice(index) : index.price) / 1e8;
    return price * this.basis(now) * 10 ** instrument.pricePrecision;
  }

  /** Basis of the instrument over its index. */
  private basis(now: number): number {
    const { futures } = this.instrument;
    if (futures === undefined) return 1;
    if (futures.delivery === undefined) return 1 + PREMIUM.mean + this.premium;
    return 1 + this.carry * (Math.max(0, futures.delivery.time - now) / YEAR_MS);
  }
}

/** Before the first second is over there are component prices and no index yet. */
function firstPrice({ components }: IndexPrice): bigint {
  return components.find(({ price }) => price !== 0n)?.price ?? 0n;
}
