/** What it costs to trade a certain value against the orders of a side, on average (rules 5.10). */
import type { Instrument } from '../model/instrument.ts';
import { divHalf } from '../model/units.ts';

/** Visits prices best first, with the lots that stand there, until the visitor has seen enough. */
export type EachPrice = (visit: (ticks: number, lots: number) => boolean) => void;

/** Average price in 10^-8 of trading `value` (10^-8 of the quote coin); undefined without that depth. */
export function impactOver(each: EachPrice, instrument: Instrument, value: bigint): bigint | undefined {
  let left = value;
  // Base bought for the value so far, in 10^-16 of a lot: fine enough for any average.
  let lots = 0n;
  const grain = 10n ** 16n;
  each((ticks, offered) => {
    if (offered === 0) return true;
    const perLot = BigInt(ticks) * instrument.valuePerTickLot;
    const here = perLot * BigInt(offered);
    if (here < left) {
      left -= here;
      lots += BigInt(offered) * grain;
      return true;
    }
    lots += (left * grain) / perLot;
    left = 0n;
    return false;
  });
  if (left > 0n || lots === 0n) return undefined;
  // value / base: both in 10^-8 units once lots are brought to base units.
  return divHalf(value * grain * 10n ** 8n, lots * instrument.unitsPerLot);
}

/** Impact prices of both sides, in 10^-8. */
export interface ImpactQuote {
  readonly bid: bigint;
  readonly ask: bigint;
}

/** No farther apart than 1 % of the index: wider ones say nothing about the price (rules 13.4). */
export function isNarrow({ bid, ask }: ImpactQuote, index: bigint): boolean {
  return (ask - bid) * 100n <= index;
}
