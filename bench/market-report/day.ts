/** A day of two instruments under the manual clock: a picture for docs/market.md, and what the prices are like. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Side } from '../../src/core/model/enums.ts';
import type { InstrumentView } from '../../src/simulator/instrument-view.ts';
import { Rig } from '../../test/simulator/rig.ts';
import { printTable } from '../report.ts';
import { drawDay, type Series } from './picture.ts';

const SHOWN = [
  ['SPOT', 'BTCUSDT'],
  ['USDT-FUTURES', 'SOLUSDT'],
] as const;
const STEP_MS = 1000;
const DAY_MS = 86_400_000;
const MINUTES_PER_YEAR = 365 * 1440;
const PICTURE = join(import.meta.dirname, '../../docs/market-day.svg');

interface Watched extends Series {
  readonly view: InstrumentView;
  spreadSum: number;
  samples: number;
}

export async function day(): Promise<boolean> {
  const wanted = new Set(SHOWN.map(([, symbol]) => symbol as string));
  const rig = await new Rig({ seed: 4, only: (_category, symbol) => wanted.has(symbol) }).open();
  const watched = SHOWN.map(([category, symbol]): Watched => {
    const view = rig.market.views.find(
      ({ instrument: { spec } }) => spec.category === category && spec.symbol === symbol,
    )!;
    return {
      view,
      name: `${category} ${symbol}`,
      closes: [],
      volumes: [],
      spreads: [],
      spreadSum: 0,
      samples: 0,
    };
  });
  let seconds = 0;
  rig.run(DAY_MS, STEP_MS, () => {
    for (const each of watched) look(each, rig.state.now, ++seconds % (60 * watched.length) < watched.length);
  });
  writeFileSync(PICTURE, drawDay(watched, rig.state.now - DAY_MS));
  printTable(
    [
      '',
      'volatility of a year',
      'mean spread',
      '|r| lag 1 m',
      '5 m',
      '30 m',
      '120 m',
      'r lag 1 m',
      'kurtosis',
      'volume with |r|',
    ],
    watched.map((each) => [each.name, ...statisticsOf(each)]),
  );
  console.log(
    `\npicture in docs/market-day.svg; ${rig.journal.appendedSeq} commands, ${rig.journal.bytes} bytes of them`,
  );
  return true;
}

function look(each: Watched, now: number, minute: boolean): void {
  const { view } = each;
  const bid = view.best(Side.buy);
  const ask = view.best(Side.sell);
  if (bid !== 0 && ask !== 0) {
    each.spreadSum += ((ask - bid) / view.fairTicks) * 10_000;
    each.samples++;
  }
  if (!minute) return;
  const scale = 10 ** -view.instrument.pricePrecision;
  each.closes.push((view.market.day.lastTicks || view.fairTicks) * scale);
  each.volumes.push(view.market.day.statistics(now).volumeLots * 10 ** -view.instrument.quantityPrecision);
  each.spreads.push(each.spreadSum / Math.max(1, each.samples));
}

function statisticsOf({ closes, volumes, spreadSum, samples }: Watched): string[] {
  const returns = closes.slice(1).map((close, n) => Math.log(close / closes[n]!));
  const variance = returns.reduce((sum, r) => sum + r * r, 0) / returns.length;
  const fourth = returns.reduce((sum, r) => sum + r ** 4, 0) / returns.length;
  const sizes = returns.map(Math.abs);
  return [
    `${(Math.sqrt(variance * MINUTES_PER_YEAR) * 100).toFixed(1)} %`,
    `${(spreadSum / samples).toFixed(2)} bps`,
    ...[1, 5, 30, 120].map((lag) => autocorrelation(sizes, lag).toFixed(3)),
    autocorrelation(returns, 1).toFixed(3),
    (fourth / variance ** 2).toFixed(1),
    correlation(quarters(volumes.slice(1).map((volume, n) => volume - volumes[n]!)), quarters(sizes)).toFixed(
      3,
    ),
  ];
}

/** Sums over quarters of an hour. */
function quarters(minutes: readonly number[]): number[] {
  const sums: number[] = [];
  for (let n = 0; n + 15 <= minutes.length; n += 15)
    sums.push(minutes.slice(n, n + 15).reduce((sum, value) => sum + value, 0));
  return sums;
}

function correlation(ones: readonly number[], others: readonly number[]): number {
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mean, otherMean] = [meanOf(ones), meanOf(others)];
  let [variance, otherVariance, covariance] = [0, 0, 0];
  for (const [n, one] of ones.entries()) {
    const other = others[n]! - otherMean;
    variance += (one - mean) ** 2;
    otherVariance += other ** 2;
    covariance += (one - mean) * other;
  }
  return covariance / Math.sqrt(variance * otherVariance);
}

function autocorrelation(values: readonly number[], lag: number): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let variance = 0;
  let covariance = 0;
  for (const [n, value] of values.entries()) {
    variance += (value - mean) ** 2;
    if (n >= lag) covariance += (value - mean) * (values[n - lag]! - mean);
  }
  return covariance / variance;
}
