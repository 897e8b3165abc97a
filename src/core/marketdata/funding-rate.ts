/** Premium samples and the funding rate computed from them (rules 5.10). Fractions are integers of 10^-12. */
import type { Book } from '../book/book.ts';
import type { Fields } from '../model/bytes.ts';
import { Side } from '../model/enums.ts';
import type { FuturesTerms, Instrument } from '../model/instrument.ts';
import { clamp, divFloor, divHalf, larger, RATE_ONE } from '../model/units.ts';
import { type ImpactQuote, impactOver } from './impact-price.ts';

const INTEREST_CLAMP = RATE_ONE / 2_000n;
/** Rates are rounded `half` to 8 decimals. */
const RATE_GRAIN = 10_000n;
const HOUR_MS = 3_600_000;

/** Average over the funding interval with weights 1 to n, newest heaviest. */
export class PremiumAverage {
  private samples = 0;
  private weighted = 0n;
  /** The last sample, for the premium candles. */
  last = 0n;

  add(premium: bigint): void {
    this.last = premium;
    this.samples++;
    this.weighted += premium * BigInt(this.samples);
  }

  average(): bigint {
    if (this.samples === 0) return 0n;
    return divHalf(this.weighted * 2n, BigInt(this.samples) * BigInt(this.samples + 1));
  }

  restart(): void {
    this.samples = 0;
    this.weighted = 0n;
  }

  fields(f: Fields): void {
    this.samples = f.f64(this.samples);
    this.weighted = f.money(this.weighted);
    this.last = f.money(this.last);
  }
}

export type FundingTerms = Pick<
  FuturesTerms,
  'interestRate' | 'fundIntervalMs' | 'minFundingRate' | 'maxFundingRate'
>;

/** (P + clamp(I - P, +-0.05 %)) / (8 h / interval), within the instrument's limits. */
export function fundingRate(
  average: bigint,
  { interestRate, fundIntervalMs, minFundingRate, maxFundingRate }: FundingTerms,
): bigint {
  const hours = BigInt(fundIntervalMs / HOUR_MS);
  const interest = clamp(interestRate - average, -INTEREST_CLAMP, INTEREST_CLAMP);
  const exact = (average + interest) * hours;
  const rounded = divHalf(exact, 8n * RATE_GRAIN) * RATE_GRAIN;
  return clamp(rounded, minFundingRate, maxFundingRate);
}

/** How far funding may go at one settlement, on either side. */
export interface FundingBounds {
  readonly minFundingRate: bigint;
  readonly maxFundingRate: bigint;
}

/**
 * The limits of the contract, and no farther from zero than three quarters of what the highest leverage leaves above
 * maintenance: nobody at that leverage is liquidated by one settlement (rules 13.8).
 */
export function fundingBounds(terms: FuturesTerms): FundingBounds {
  const leverage = BigInt(terms.maxLeverage);
  const bound = divFloor(3n * (RATE_ONE - terms.tiers[0]!.rate * leverage), 4n * leverage);
  const most = larger(0n, bound);
  return {
    minFundingRate: clamp(terms.minFundingRate, -most, most),
    maxFundingRate: clamp(terms.maxFundingRate, -most, most),
  };
}

/** [max(0, impact bid - index) - max(0, index - impact ask)] / index; a side without depth has no premium. */
export function premiumOf(book: Book, instrument: Instrument, index: bigint, impactValue: bigint): bigint {
  const bid = impactPrice(book, instrument, Side.buy, impactValue);
  const ask = impactPrice(book, instrument, Side.sell, impactValue);
  return premium(bid, ask, index);
}

/** The same of orders that were found before: both sides or nothing. */
export function premiumOfQuote(quote: ImpactQuote | undefined, index: bigint): bigint {
  return premium(quote?.bid, quote?.ask, index);
}

function premium(bid: bigint | undefined, ask: bigint | undefined, index: bigint): bigint {
  const above = bid === undefined || bid <= index ? 0n : bid - index;
  const below = ask === undefined || ask >= index ? 0n : index - ask;
  return divHalf((above - below) * RATE_ONE, index);
}

/** Average price in 10^-8 of trading `value` (10^-8 of the quote coin) against the normal orders of a side. */
export function impactPrice(
  book: Book,
  instrument: Instrument,
  side: Side,
  value: bigint,
): bigint | undefined {
  return impactOver((visit) => book.eachLevel(side, visit), instrument, value);
}
