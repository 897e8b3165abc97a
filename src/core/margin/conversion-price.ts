/** What the house pays when it takes one coin for a debt in another (rules 13.3, 13.6). */

import type { IndexPrice } from '../marketdata/index-price.ts';
import { divCeil, divFloor, larger, MONEY_ONE, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';
import { coinIndex, coinUsd } from './collateral.ts';
import { firmIndex, isDollarToldWithin } from './dollar-coins.ts';

/** At the owner's wish a price must have been told within this time: an older one only the owner may know better. */
const TOLD_MS = 60_000;
/** Cross and direct index must agree within this part of the smaller. */
const APART_MAX = 200n;

/** Payment coins for one debt coin, as a fraction. */
export interface ConversionRate {
  readonly debt: bigint;
  readonly pay: bigint;
}

/** The worse for the account of cross and direct index; at its wish each by the worse of now and the last minute. */
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
      if (index !== undefined && state.now - index.toldAt(state.now) > TOLD_MS) return false;
    for (const coin of [debtCoin, payCoin]) if (hasOldVotes(state, coin)) return false;
  }
  const now = directRate(state, debtCoin, payCoin, false);
  return now === undefined || agree(crossRate(state, debtCoin, payCoin, false), now);
}

/** Is the coin a dollar coin whose price comes from indices that were told more than a minute ago? */
function hasOldVotes(state: State, coin: number): boolean {
  const name = state.coins[coin]!.coin;
  if (!state.rules.dollarCoins || (name !== 'USDT' && name !== 'USDC')) return false;
  return !isDollarToldWithin(state, name, TOLD_MS);
}

/** The index that a coin is priced by; that of a dollar coin only while it is believed. */
function usedIndex(state: State, coin: number): IndexPrice | undefined {
  return coinIndex(state, coin) ?? firmIndex(state, `${state.coins[coin]!.coin}USD`);
}

function crossRate(state: State, debtCoin: number, payCoin: number, worst: boolean): ConversionRate {
  if (!worst) return { debt: coinUsd(state, debtCoin), pay: coinUsd(state, payCoin) };
  return {
    debt: larger(
      coinUsd(state, debtCoin),
      throughIndex(state, debtCoin, (index) => index.highest, divCeil),
    ),
    pay: smaller(
      coinUsd(state, payCoin),
      throughIndex(state, payCoin, (index) => index.lowest, divFloor),
    ),
  };
}

/** Dollars of a coin by another price of its index. */
function throughIndex(
  state: State,
  coin: number,
  price: (index: IndexPrice) => bigint,
  round: (dividend: bigint, divisor: bigint) => bigint,
): bigint {
  const index = coinIndex(state, coin);
  if (index === undefined) return coinUsd(state, coin);
  const tether = state.coinByName.get('USDT');
  if (tether === undefined || index.name === `${state.coins[coin]!.coin}USD`) return price(index);
  return round(price(index) * coinUsd(state, tether), MONEY_ONE);
}

interface DirectIndex {
  readonly index: IndexPrice;
  /** Does it tell the debt coin in payment coins? */
  readonly ofDebt: boolean;
}

/** An index of the two coins themselves, when one is listed and somebody vouches for it. */
function directIndex(state: State, debtCoin: number, payCoin: number): DirectIndex | undefined {
  if (!state.rules.dollarCoins) return undefined;
  const [debt, pay] = [state.coins[debtCoin]!.coin, state.coins[payCoin]!.coin];
  const ofDebt = firmIndex(state, debt + pay);
  if (ofDebt !== undefined) return { index: ofDebt, ofDebt: true };
  const ofPay = firmIndex(state, pay + debt);
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
