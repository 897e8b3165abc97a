import type { Instrument } from '../core/model/instrument.ts';
import { divHalf, formatUnits } from '../core/model/units.ts';

/** Value / quantity, `half` to the price precision (rules 0.4). */
export function averagePrice(instrument: Instrument, value: bigint, lots: number): string {
  if (lots === 0) return '0';
  const ticks = divHalf(value, instrument.valuePerTickLot * BigInt(lots));
  return formatUnits(ticks, instrument.pricePrecision);
}
