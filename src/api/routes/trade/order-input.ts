/** Decimal text as integers of an instrument. A value off its grid becomes a marker that the core rejects. */
import { EXPLICIT_ZERO, OFF_GRID, OUT_OF_RANGE } from '../../../core/model/command.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { MONEY_MAX, PRICE_TICKS_MAX, SIZE_LOTS_MAX } from '../../../core/model/limits.ts';
import { MONEY_SCALE, powerOfTen } from '../../../core/model/units.ts';
import { exactUnits, parseDecimal, unitsAtScale } from '../../wire/decimal.ts';

export function priceTicks(text: string, instrument: Instrument): number {
  return gridUnits(text, instrument.pricePrecision, PRICE_TICKS_MAX);
}

export function sizeLots(text: string, instrument: Instrument): number {
  return gridUnits(text, instrument.quantityPrecision, SIZE_LOTS_MAX);
}

/** Quote amount of a market buy, which has its own precision. */
export function quoteAmount(text: string, instrument: Instrument): bigint {
  const decimal = parseDecimal(text);
  const units = decimal === undefined ? undefined : unitsAtScale(decimal, instrument.quotePrecision);
  if (units === undefined) return BigInt(OFF_GRID);
  const amount = units * powerOfTen(MONEY_SCALE - instrument.quotePrecision);
  return amount > MONEY_MAX ? BigInt(OUT_OF_RANGE) : amount;
}

function gridUnits(text: string, scale: number, max: number): number {
  const plain = exactUnits(text, scale);
  if (plain === 0) return EXPLICIT_ZERO;
  if (!Number.isNaN(plain)) return plain > max ? OUT_OF_RANGE : plain;
  const decimal = parseDecimal(text);
  const units = decimal === undefined ? undefined : unitsAtScale(decimal, scale);
  if (units === undefined) return OFF_GRID;
  if (units === 0n) return EXPLICIT_ZERO;
  return units > BigInt(max) ? OUT_OF_RANGE : Number(units);
}
