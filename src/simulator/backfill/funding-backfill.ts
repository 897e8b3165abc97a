/**
 * Generated funding rates of a perpetual: the premium follows the same process as in the simulator, and the
 * exchange's own rule turns it into rates (rules 5.10).
 */

import { formatUnits, RATE_ONE, RATE_SCALE } from '../../core/model/units.ts';
import { fundingRate, PremiumAverage } from '../../core/reads/market-reads.ts';
import type { GeneratedFunding, GeneratedRate } from '../../history/generated-candles.ts';
import { ornsteinUhlenbeckStep } from '../feed/coin-prices.ts';
import { PREMIUM } from '../instrument-view.ts';
import { Rng } from '../rng.ts';
import type { PastBook } from './backfill.ts';

const HOUR_MS = 3_600_000;

/** Rates settled after `startTime` and no later than `endTime`; undefined for an instrument without funding. */
export function fundingBackfill(
  { instrument: { futures, spec } }: PastBook,
  seed: number,
  startTime: number,
  endTime: number,
): GeneratedFunding | undefined {
  if (futures === undefined || futures.delivery !== undefined) return undefined;
  const { category, symbol } = spec;
  const rng = new Rng(seed, `funding ${category} ${symbol}`);
  const average = new PremiumAverage();
  const rates: GeneratedRate[] = [];
  let premium = rng.normal() * PREMIUM.deviation;
  const firstHour = Math.floor(startTime / HOUR_MS) * HOUR_MS + HOUR_MS;
  for (let time = firstHour; time <= endTime; time += HOUR_MS) {
    premium = ornsteinUhlenbeckStep(
      premium,
      PREMIUM.deviation,
      PREMIUM.halfLifeS,
      HOUR_MS / 1000,
      rng.normal(),
    );
    average.add(BigInt(Math.round((PREMIUM.mean + premium) * Number(RATE_ONE))));
    if (time % futures.fundIntervalMs !== 0) continue;
    rates.push({ time, fundingRate: formatUnits(fundingRate(average.average(), futures), RATE_SCALE) });
    average.restart();
  }
  return { category, symbol, rates };
}
