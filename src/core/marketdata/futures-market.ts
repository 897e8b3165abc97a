/** Market data of a futures contract beyond its trades: index, mark price, premium, funding rate, settlement price. */
import type { Book } from '../book/book.ts';
import type { Amount } from '../model/amount.ts';
import type { Fields } from '../model/bytes.ts';
import type { RulesInForce } from '../model/edition.ts';
import { PRICE_KINDS, type PriceKind, Side } from '../model/enums.ts';
import { type FuturesTerms, type Instrument, ticksOfMean, ticksOfPrice } from '../model/instrument.ts';
import { divHalf, MONEY_SCALE, powerOfTen } from '../model/units.ts';
import { FundingInterval } from './funding-interval.ts';
import {
  type FundingBounds,
  fundingBounds,
  fundingRate,
  PremiumAverage,
  premiumOf,
  premiumOfQuote,
} from './funding-rate.ts';
import { type ImpactQuote, isNarrow } from './impact-price.ts';
import type { IndexPrice } from './index-price.ts';
import { CLAMPED_MARK, CRYPTO_MARK, MarkPrice } from './mark-price.ts';
import { PriceCandles } from './price-candles.ts';

/** Quote amount of the impact prices: 200 divided by the initial margin rate at the highest leverage. */
const IMPACT_BASE = 200n * 10n ** 8n;
/** A trade counts as the last price of a mark when it is of this part of the impact value, for this long (rules 13.4). */
const SIZABLE_PART = 10n;
/** Of a contract without leverage. */
const SIZABLE_BASE = Number(IMPACT_BASE / SIZABLE_PART);
const SIZABLE_MS = 60_000;
const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
/** Premium candles have 8 decimals, premiums 12. */
const PREMIUM_GRAIN = 10_000n;

export class FuturesMarket {
  readonly instrument: Instrument;
  readonly terms: FuturesTerms;
  readonly index: IndexPrice;
  private readonly rules: RulesInForce;
  readonly mark: MarkPrice;
  readonly premium = new PremiumAverage();
  readonly candles: Readonly<Record<PriceKind, PriceCandles>> = {
    mark: new PriceCandles(),
    index: new PriceCandles(),
    premium: new PriceCandles(),
  };
  /** How often funding is settled now, and how far it may go. */
  readonly interval: FundingInterval;
  readonly bounds: FundingBounds;
  /** Sum of all long sizes, in lots. */
  openInterest = 0;
  /** This contract's part of the clearing account, in 10^-8 of the settlement coin. */
  clearing = 0n;
  /** The same in the quote coin, before profits are turned into coin: less all profits ever paid (I08). */
  cleared = 0n;
  /** Index samples of the last hour before delivery. */
  private settlementSum = 0n;
  private settlementCount = 0;
  private sampledUntil = 0;
  /** Price and time of the last trade large enough to count for the mark; 0 = none yet (rules 13.4). */
  private sizableTicks = 0;
  private sizableTime = 0;
  /** The last basis of backed orders, and its time; 0 = never. */
  private backedBasis = 0n;
  private backedTime = 0;
  /** The mark that was last brought to the grid, and where: asked for by every order. */
  private shownMark = 0n;
  private shownMarkTicks = 0;
  /** What the contract is settled at while its end is worked off (rules 14.5), where its mark stands; 0 = it trades. */
  private endTicks = 0;
  /** The present estimate of the funding rate, 10^-12. */
  rate = 0n;
  /** When it is settled next; Infinity for delivery contracts. */
  nextFunding = Number.POSITIVE_INFINITY;

  constructor(instrument: Instrument, terms: FuturesTerms, index: IndexPrice, rules: RulesInForce) {
    this.rules = rules;
    this.instrument = instrument;
    this.terms = terms;
    this.index = index;
    this.interval = new FundingInterval(terms.fundIntervalMs);
    this.bounds = fundingBounds(terms);
    const { spec, buyBandRate: above, sellBandRate: below } = instrument;
    this.mark = new MarkPrice(spec.symbolType === 'crypto' ? CRYPTO_MARK : CLAMPED_MARK, { below, above });
  }

  /** The mark price on the instrument's grid; 0 while there is no index. */
  get markTicks(): number {
    if (this.endTicks !== 0) return this.endTicks;
    const { price } = this.mark;
    if (price !== this.shownMark || this.shownMarkTicks === 0) {
      this.shownMark = price;
      this.shownMarkTicks = this.ticksOf(price);
    }
    return this.shownMarkTicks;
  }

  holdMarkAt(ticks: number): void {
    this.endTicks = ticks;
  }

  releaseMark(): void {
    this.endTicks = 0;
  }

  get indexTicks(): number {
    return this.ticksOf(this.index.price);
  }

  /** Quote money that impact prices are taken for, 10^-8. */
  get impactValue(): bigint {
    return IMPACT_BASE * BigInt(this.terms.maxLeverage);
  }

  /** A trade on the book. A small one is cheap to make with oneself and says nothing. */
  sawTrade(now: number, ticks: number, value: Amount): void {
    if (value < SIZABLE_BASE * this.terms.maxLeverage) return;
    this.sizableTicks = ticks;
    this.sizableTime = now;
  }

  /** The last sizable trade while it is young, else 0. */
  sizableLast(now: number): number {
    return now - this.sizableTime < SIZABLE_MS ? this.sizableTicks : 0;
  }

  /** Each second, after the index. A stale index freezes the mark. */
  updateMark(now: number, lastTicks: number): void {
    const { index, terms, mark } = this;
    if (index.stale) return;
    if (terms.delivery !== undefined) {
      const expected = this.expectedSettlement(now, terms.delivery.time);
      if (expected === undefined) mark.updateDelivery(index.price);
      else mark.price = expected;
      return;
    }
    const last = BigInt(lastTicks) * this.unitsPerTick;
    mark.updatePerpetual(last, index.price, this.rate, this.nextFunding - now, this.interval.ms);
  }

  /** Each second of the last hour; seconds without a sample (downtime) count at the last index. */
  sampleSettlement(second: number): void {
    const delivery = this.terms.delivery;
    if (delivery === undefined || second < delivery.time - HOUR_MS || second >= delivery.time) return;
    const from = Math.max(this.sampledUntil, delivery.time - HOUR_MS - SECOND_MS);
    const seconds = Math.floor((second - from) / SECOND_MS);
    if (seconds <= 0 || this.index.price === 0n) return;
    this.settlementSum += this.index.price * BigInt(seconds);
    this.settlementCount += seconds;
    this.sampledUntil = second;
  }

  /**
   * At delivery: the mean of the index over the last hour, on the grid. Prices move by commands only, so the
   * present index is also that of the seconds without a sample.
   */
  fixSettlement(): number {
    this.sampleSettlement(this.terms.delivery!.time - SECOND_MS);
    const { settlementCount: count } = this;
    if (count === 0) return this.indexTicks;
    return ticksOfMean(this.instrument, this.settlementSum, count, this.rules.leastTick);
  }

  /** In the last hour: the mean of the samples so far, with the rest of the hour at the index. */
  expectedSettlement(now: number, deliveryTime: number): bigint | undefined {
    if (this.settlementCount === 0) return undefined;
    const left = BigInt(Math.max(0, Math.floor((deliveryTime - SECOND_MS - now) / SECOND_MS)));
    return divHalf(this.settlementSum + this.index.price * left, BigInt(this.settlementCount) + left);
  }

  /** Every five seconds. */
  sampleBasis(book: Book): void {
    if (this.index.stale) return;
    const bid = book.bestTicks(Side.buy, false);
    const ask = book.bestTicks(Side.sell, false);
    const middle = bid === 0 || ask === 0 ? undefined : divHalf(BigInt(bid + ask) * this.unitsPerTick, 2n);
    this.mark.sampleBasis(middle, this.index.price);
  }

  /**
   * The same over backed orders alone. Without them a perpetual has a basis of zero. The basis of a delivery contract is carry
   * and shrinks with the remaining time, so it is carried on: a pause of its maker must not mark the contract down.
   */
  sampleBackedBasis(quote: ImpactQuote | undefined, time: number): void {
    const { index, mark } = this;
    if (index.stale) return;
    if (quote !== undefined && isNarrow(quote, index.price)) {
      this.backedBasis = mark.basisOf(divHalf(quote.bid + quote.ask, 2n), index.price);
      this.backedTime = time;
      mark.addBasis(this.backedBasis);
    } else mark.addBasis(this.carriedBasis(time));
  }

  private carriedBasis(time: number): bigint {
    const { delivery } = this.terms;
    if (delivery === undefined || this.backedTime === 0) return 0n;
    const left = delivery.time - time;
    if (left <= 0) return 0n;
    return divHalf(this.backedBasis * BigInt(left), BigInt(delivery.time - this.backedTime));
  }

  /** Each second, when its prices are made. Returns when the first candle that it opened ends. */
  sampleCandles(second: number): number {
    const { candles, index, mark } = this;
    if (index.price === 0n || mark.price === 0n) return Number.POSITIVE_INFINITY;
    const indexEnd = candles.index.sample(second, this.indexTicks);
    return Math.min(indexEnd, candles.mark.sample(second, this.markTicks));
  }

  /** The same for the premium, each minute. */
  samplePremiumCandle(second: number): number {
    if (this.index.stale || this.terms.delivery !== undefined) return Number.POSITIVE_INFINITY;
    return this.candles.premium.sample(second, Number(divHalf(this.premium.last, PREMIUM_GRAIN)));
  }

  /** Every minute. */
  samplePremium(book: Book): void {
    const { index, terms } = this;
    if (index.stale || terms.delivery !== undefined) return;
    this.premium.add(premiumOf(book, this.instrument, index.price, this.impactValue));
    this.rate = fundingRate(this.premium.average(), terms);
  }

  /** The same over backed orders alone; a minute without them, or with quotes too far apart, counts as 0 (rules 13.8). */
  sampleBackedPremium(quote: ImpactQuote | undefined): void {
    const { index, terms, bounds, interval } = this;
    if (index.stale || terms.delivery !== undefined) return;
    const narrow = quote !== undefined && isNarrow(quote, index.price) ? quote : undefined;
    this.premium.add(premiumOfQuote(narrow, index.price));
    const { interestRate } = terms;
    this.rate = fundingRate(this.premium.average(), { interestRate, fundIntervalMs: interval.ms, ...bounds });
  }

  fields(f: Fields): void {
    this.mark.fields(f);
    this.premium.fields(f);
    this.rate = f.money(this.rate);
    this.nextFunding = f.f64(this.nextFunding);
    this.openInterest = f.f64(this.openInterest);
    this.settlementSum = f.money(this.settlementSum);
    this.settlementCount = f.f64(this.settlementCount);
    this.sampledUntil = f.f64(this.sampledUntil);
    this.clearing = f.money(this.clearing);
    this.cleared = f.money(this.cleared);
    for (const kind of PRICE_KINDS) this.candles[kind].fields(f);
  }

  /** What the second edition of the rules added. */
  secondEditionFields(f: Fields): void {
    this.sizableTicks = f.i32(this.sizableTicks);
    this.sizableTime = f.f64(this.sizableTime);
    this.backedBasis = f.money(this.backedBasis);
    this.backedTime = f.f64(this.backedTime);
    this.interval.fields(f);
  }

  private get unitsPerTick(): bigint {
    return powerOfTen(MONEY_SCALE - this.instrument.pricePrecision);
  }

  private ticksOf(price: bigint): number {
    return ticksOfPrice(this.instrument, price, this.rules.leastTick);
  }
}
