/** What the house pays when it takes one coin for a debt in another (rules 13.3, 13.6). */

import type { IndexPrice } from '../marketdata/index-price.ts';
import { divCeil, divFloor, larger, MONEY_ONE, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';
import { coinIndex, coinUsd } from './collateral.ts';
import { freshIndex, stablecoinReportedAt } from './stablecoin-prices.ts';

/** For a conversion at the owner's request prices must be this fresh: the owner may know that an older one is wrong. */
const REPORTED_WITHIN_MS = 60_000;
/** Cross and direct index must agree within this part of the smaller. */
const APART_MAX = 200n;

/** Payment coins for one debt coin, as a fraction. */
export interface ConversionRate {
  readonly debt: bigint;
  readonly pay: bigint;
}

/** The worse for the account of cross and direct index; at its owner's request each at the worse of now and the last minute. */
export function conversionRate(
  state: State,
  debtCoin: number,
  payCoin: number,
  forced: boolean,
): ConversionRate {
  const worst = state.rules.livePrices && !forced;
  const cross = crossRate(state, debtCoin, payCoin, worst);
  const direct = directRate(state, debtCoin, payCoin, worst);
  return direct !== undefined && isDearer(direct, cross) ? direct : cross;
}

/** May the owner trade at the prices of now? */
export function isConvertible(state: State, debtCoin: number, payCoin: number): boolean {
  const direct = directIndex(state, debtCoin, payCoin);
  if (state.rules.livePrices) {
    const used = [usedIndex(state, debtCoin), usedIndex(state, payCoin), direct?.index];
    for (const index of used)
      if (
        index !== undefined &&
        (index.isSpread || state.now - index.reportedAt(state.now) > REPORTED_WITHIN_MS)
      )
        return false;
    if (state.rules.stablecoinPrices && ![debtCoin, payCoin].every((coin) => isDollarReported(state, coin)))
      return false;
  }
  const now = directRate(state, debtCoin, payCoin, false);
  return now === undefined || agree(crossRate(state, debtCoin, payCoin, false), now);
}

/** A stablecoin is priced by other indices, also where the coin is priced in USDT: they must be as fresh. */
function isDollarReported(state: State, coin: number): boolean {
  const { coin: name } = state.coins[coin]!;
  const index = coinIndex(state, coin);
  const dollar = index?.name === `${name}USDT` ? 'USDT' : name;
  if (dollar !== 'USDT' && dollar !== 'USDC') return true;
  const reported = stablecoinReportedAt(state, dollar, state.now);
  return reported === undefined || state.now - reported <= REPORTED_WITHIN_MS;
}

/** The index that a coin is priced by; that of a stablecoin only while it is believed. */
function usedIndex(state: State, coin: number): IndexPrice | undefined {
  return coinIndex(state, coin) ?? freshIndex(state, `${state.coins[coin]!.coin}USD`);
}

function crossRate(state: State, debtCoin: number, payCoin: number, worst: boolean): ConversionRate {
  if (!worst) return { debt: coinUsd(state, debtCoin), pay: coinUsd(state, payCoin) };
  return {
    debt: larger(
      coinUsd(state, debtCoin),
      throughIndex(state, debtCoin, (price) => price.highest, divCeil),
    ),
    pay: smaller(
      coinUsd(state, payCoin),
      throughIndex(state, payCoin, (price) => price.lowest, divFloor),
    ),
  };
}

/** Dollars of a coin by another price of its index, and of the stablecoins themselves. */
function throughIndex(
  state: State,
  coin: number,
  bound: (price: Bounds) => bigint,
  round: (dividend: bigint, divisor: bigint) => bigint,
): bigint {
  const { coin: name } = state.coins[coin]!;
  const index = coinIndex(state, coin);
  if (index === undefined) return stablecoinBound(state, name, bound) ?? coinUsd(state, coin);
  const tether = state.coinByName.get('USDT');
  if (tether === undefined || index.name === `${name}USD`) return bound(index);
  const perTether = stablecoinBound(state, 'USDT', bound) ?? coinUsd(state, tether);
  return round(bound(index) * perTether, MONEY_ONE);
}

type Bounds = Pick<IndexPrice, 'highest' | 'lowest'>;

/** A stablecoin is priced by a mean: what it is worth in this second may be another. */
function stablecoinBound(
  { rules, stablecoins }: State,
  name: string,
  bound: (price: Bounds) => bigint,
): bigint | undefined {
  if (!rules.stablecoinPrices || (name !== 'USDT' && name !== 'USDC')) return undefined;
  return bound(stablecoins[name]);
}

interface DirectIndex {
  readonly index: IndexPrice;
  /** Is it the price of the debt coin in payment coins? */
  readonly ofDebt: boolean;
}

/** An index of the two coins themselves, when one is listed and not stale. */
function directIndex(state: State, debtCoin: number, payCoin: number): DirectIndex | undefined {
  if (!state.rules.stablecoinPrices) return undefined;
  const [debt, pay] = [state.coins[debtCoin]!.coin, state.coins[payCoin]!.coin];
  const ofDebt = freshIndex(state, debt + pay);
  if (ofDebt !== undefined) return { index: ofDebt, ofDebt: true };
  const ofPay = freshIndex(state, pay + debt);
  return ofPay === undefined ? undefined : { index: ofPay, ofDebt: false };
}

function directRate(
  state: State,
  debtCoin: number,
  payCoin: number,
  worst: boolean,
): ConversionRate | undefined {
  const found = directIndex(state, debtCoin, payCoin);
  if (found === undefined) return undefined;
  const { index, ofDebt } = found;
  if (ofDebt) return { debt: worst ? index.highest : index.price, pay: MONEY_ONE };
  return { debt: MONEY_ONE, pay: worst ? index.lowest : index.price };
}

function isDearer(one: ConversionRate, other: ConversionRate): boolean {
  return one.debt * other.pay > other.debt * one.pay;
}

function agree(one: ConversionRate, other: ConversionRate): boolean {
  const [a, b] = [one.debt * other.pay, other.debt * one.pay];
  const apart = a < b ? b - a : a - b;
  return apart * APART_MAX <= smaller(a, b);
}
