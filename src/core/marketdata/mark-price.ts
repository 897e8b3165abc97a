/** The price that margin is computed at (rules 5.13, 5.15): no single trade can move it far. */
import type { Fields } from '../model/bytes.ts';
import { clamp, divCeil, divFloor, divHalf, RATE_ONE, smaller } from '../model/units.ts';
import { median } from './index-price.ts';

/** How far the mark of a contract may be from its index. */
export interface MarkRule {
  /** Number of five-second samples that the basis is the mean of. */
  readonly basisSamples: number;
  /** Largest distance of the mark from the index, in 1/1000 of it; undefined = no limit. */
  readonly indexLimitPermille: bigint | undefined;
}

/** Largest basis, as shares of the index in 10^-12: the price band of the contract. */
export interface BasisLimit {
  readonly below: bigint;
  readonly above: bigint;
}

/** Also with a wider band, index plus basis stays between half and twice the index. */
const BELOW_MAX = RATE_ONE / 2n;
const ABOVE_MAX = RATE_ONE;

/** Coins trade around the clock: five minutes of basis. */
export const CRYPTO_MARK: MarkRule = { basisSamples: 60, indexLimitPermille: undefined };
/** Markets of metals, stocks and commodities close, and books drift meanwhile: 30 seconds of basis, 3 %. */
export const CLAMPED_MARK: MarkRule = { basisSamples: 6, indexLimitPermille: 30n };

export class MarkPrice {
  private readonly rule: MarkRule;
  private readonly reach: BasisLimit;
  /** 10^-8; 0 = none yet. */
  price = 0n;
  /** Inputs of the last median (I43): last trade, index with funding, index with basis; 0 on delivery contracts. */
  readonly inputs: [bigint, bigint, bigint] = [0n, 0n, 0n];
  private readonly basis: bigint[] = [];
  private basisSum = 0n;

  constructor(rule: MarkRule, { below, above }: BasisLimit) {
    this.rule = rule;
    this.reach = { below: smaller(below, BELOW_MAX), above: smaller(above, ABOVE_MAX) };
  }

  /** Every five seconds: distance of the middle of the book from the index; a book with an empty side repeats the last. */
  sampleBasis(middle: bigint | undefined, index: bigint): void {
    this.addBasis(middle === undefined ? (this.basis.at(-1) ?? 0n) : this.basisOf(middle, index));
  }

  /** How far a price is from the index, as far as a basis may lead. */
  basisOf(price: bigint, index: bigint): bigint {
    return this.within(price, index) - index;
  }

  addBasis(sample: bigint): void {
    this.basis.push(sample);
    this.basisSum += sample;
    if (this.basis.length > this.rule.basisSamples) this.basisSum -= this.basis.shift()!;
  }

  /** Index plus the mean of the last samples, limited again: samples repeated by an empty side may be too large by now. */
  private byBasis(index: bigint): bigint {
    if (this.basis.length === 0) return index;
    return this.within(index + divHalf(this.basisSum, BigInt(this.basis.length)), index);
  }

  /** Clamps a price to the limits of the basis. */
  private within(price: bigint, index: bigint): bigint {
    const { below, above } = this.reach;
    const low = divCeil(index * (RATE_ONE - below), RATE_ONE);
    return clamp(price, low, divFloor(index * (RATE_ONE + above), RATE_ONE));
  }

  /** Perpetual: the median of last trade, index with the funding to come, and index with the basis. */
  updatePerpetual(last: bigint, index: bigint, rate: bigint, msToFunding: number, intervalMs: number): void {
    const funded = index + divHalf(index * rate * BigInt(msToFunding), RATE_ONE * BigInt(intervalMs));
    const based = this.byBasis(index);
    this.inputs[0] = last === 0n ? based : last;
    this.inputs[1] = funded;
    this.inputs[2] = based;
    this.price = this.clampToIndex(median(this.inputs), index);
  }

  /** Delivery contract before its last hour: index and basis alone. */
  updateDelivery(index: bigint): void {
    this.price = this.clampToIndex(this.byBasis(index), index);
  }

  /** Clamps a price to the limit of the rule. */
  clampToIndex(price: bigint, index: bigint): bigint {
    const { indexLimitPermille } = this.rule;
    if (indexLimitPermille === undefined) return price;
    const low = divCeil(index * (1000n - indexLimitPermille), 1000n);
    return clamp(price, low, divFloor(index * (1000n + indexLimitPermille), 1000n));
  }

  fields(f: Fields): void {
    this.price = f.money(this.price);
    for (let n = 0; n < this.inputs.length; n++) this.inputs[n] = f.money(this.inputs[n]!);
    const count = f.u16(this.basis.length);
    for (let n = 0; n < count; n++) {
      const sample = f.money(this.basis[n] ?? 0n);
      if (n >= this.basis.length) {
        this.basis.push(sample);
        this.basisSum += sample;
      }
    }
  }
}
