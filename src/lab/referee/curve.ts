/** Worth and exposure of an account over time. */
import { divHalf, formatMoney } from '../../core/model/units.ts';
import { ratio } from './money.ts';
import type { TradingReport } from './report.ts';

const POINTS_MAX = 120;
const PERCENT = 100n;
const PERCENT_DECIMALS = 4;

interface Sample {
  readonly time: number;
  readonly usd: bigint;
}

export class Curve {
  #first: bigint | undefined;
  #last = 0n;
  #paidIn = 0n;
  /** The peak of the worth without what was paid in and out. */
  #peak: Sample | undefined;
  #peakEquity = 0n;
  #drawdown = { usd: 0n, ofEquity: 0n, from: 0, to: 0 };
  /** Whenever it has changed. */
  readonly #exposures: Sample[] = [];

  /** Dollars that came from outside, or left. */
  paid(usd: bigint): void {
    this.#paidIn += usd;
  }

  sample(time: number, equity: bigint, exposure: bigint): void {
    this.#first ??= equity;
    this.#last = equity;
    this.#fall({ time, usd: equity - this.#paidIn }, equity);
    if (this.#exposures.at(-1)?.usd !== exposure) this.#exposures.push({ time, usd: exposure });
  }

  #fall(now: Sample, equity: bigint): void {
    if (this.#peak === undefined || now.usd >= this.#peak.usd) {
      this.#peak = now;
      this.#peakEquity = equity;
    }
    const usd = this.#peak.usd - now.usd;
    if (usd > this.#drawdown.usd)
      this.#drawdown = { usd, ofEquity: this.#peakEquity, from: this.#peak.time, to: now.time };
  }

  equity(): TradingReport['equity'] & { readonly total: string } {
    const first = this.#first ?? 0n;
    return {
      first: formatMoney(first),
      last: formatMoney(this.#last),
      paidIn: formatMoney(this.#paidIn),
      total: formatMoney(this.#last - first - this.#paidIn),
    };
  }

  drawdown(): TradingReport['drawdown'] {
    const { usd, ofEquity, from, to } = this.#drawdown;
    return { usd: formatMoney(usd), percent: ratio(usd, ofEquity, PERCENT_DECIMALS, PERCENT), from, to };
  }

  exposure(until: number): TradingReport['exposure'] {
    const samples = this.#exposures;
    const most = samples.reduce((highest, { usd }) => (usd > highest ? usd : highest), 0n);
    let area = 0n;
    for (const [n, { time, usd }] of samples.entries())
      area += usd * BigInt(Math.max(0, (samples[n + 1]?.time ?? until) - time));
    const span = BigInt(Math.max(0, until - (samples[0]?.time ?? until)));
    return {
      most: formatMoney(most),
      average: formatMoney(span === 0n ? (samples.at(-1)?.usd ?? 0n) : divHalf(area, span)),
      series: thinned(samples).map(({ time, usd }) => ({ time, usd: formatMoney(usd) })),
    };
  }
}

/** The first, the last, and some between. */
function thinned(samples: readonly Sample[]): readonly Sample[] {
  if (samples.length <= POINTS_MAX) return samples;
  const step = (samples.length - 1) / (POINTS_MAX - 1);
  return Array.from({ length: POINTS_MAX }, (_, n) => samples[Math.round(n * step)]!);
}
