/** A conversion on the wire: one coin sold to the house for another (wire 4.3). */
import type { Converted } from '../core/model/event.ts';
import { divHalf, formatMoney, formatUnits, powerOfTen } from '../core/model/units.ts';
import type { CoinName, StringFields } from './format.ts';
import { formatId } from './format.ts';

/** Decimals of the price: proceeds of one coin sold. */
const PRICE_SCALE = 12;

export const CONVERSION_FIELDS = [
  'conversionId',
  'fromCoin',
  'fromCoinSize',
  'toCoin',
  'toCoinSize',
  'price',
  // `liquidation` when the exchange sold it, `repay` when the owner did.
  'type',
  'ts',
] as const;
export type ConversionView = StringFields<typeof CONVERSION_FIELDS>;

export function conversionView(conversion: Converted, coinName: CoinName): ConversionView {
  const { fromAmount, toAmount } = conversion;
  return {
    conversionId: formatId(conversion.conversionId),
    fromCoin: coinName(conversion.fromCoin),
    fromCoinSize: formatMoney(fromAmount),
    toCoin: coinName(conversion.toCoin),
    toCoinSize: formatMoney(toAmount),
    price: formatUnits(divHalf(toAmount * powerOfTen(PRICE_SCALE), fromAmount), PRICE_SCALE),
    type: conversion.forced ? 'liquidation' : 'repay',
    ts: String(conversion.time),
  };
}
