/** What the house has at stake, held against the limits of the settings. */

import { formatMoney } from '../../core/model/units.ts';
import { EXPOSURE_FIGURES, type ExposureFigure } from '../../core/reads/exposure-reads.ts';
import { SOLVENCY_NAMES } from '../../core/reads/solvency-reads.ts';
import { type Exposure, exposureWarnings } from '../../reserves/house-exposure.ts';
import { Type } from '../../validation/schema.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const Figures = Type.Object(
  Object.fromEntries(EXPOSURE_FIGURES.map((figure) => [figure, Type.String()])) as Record<
    ExposureFigure,
    ReturnType<typeof Type.String>
  >,
);
const ExposureView = Type.Object({
  time: Type.Integer(),
  /** Dollars; of `conversion` the larger of what was bought and what was paid. */
  totals: Figures,
  coins: Type.Array(
    Type.Object({
      coin: Type.String(),
      /** Dollars; 0 without a price: then the coin counts for nothing in totals and limits. */
      price: Type.String(),
      amounts: Figures,
      dollars: Figures,
    }),
  ),
  limits: Type.Array(
    Type.Object({
      figure: Type.String(),
      /** Empty for the sum over all coins. */
      coin: Type.String(),
      kind: Type.Enum(['most', 'least']),
      limit: Type.String(),
      value: Type.String(),
      passed: Type.Boolean(),
    }),
  ),
  /** Coins whose contracts only close (rules 13.2). */
  closeOnly: Type.Array(Type.String()),
  solvency: Type.Enum([...SOLVENCY_NAMES]),
  missing: Type.Array(Type.Object({ coin: Type.String(), solvency: Type.Enum([...SOLVENCY_NAMES]) })),
  warnings: Type.Array(Type.String()),
});

function viewOf(exposure: Exposure) {
  const { time, totals, coins, limits, closeOnly, solvency, missing } = exposure;
  return {
    time,
    totals: textOf(totals),
    coins: coins.map(({ coin, price, amounts, dollars }) => ({
      coin,
      price: formatMoney(price),
      amounts: textOf(amounts),
      dollars: textOf(dollars),
    })),
    limits: limits.map(({ figure, coin = '', kind, usd, value, passed }) => ({
      figure,
      coin,
      kind,
      limit: formatMoney(usd),
      value: formatMoney(value),
      passed,
    })),
    closeOnly: [...closeOnly],
    solvency,
    missing: [...missing],
    warnings: exposureWarnings(exposure),
  };
}

function textOf(figures: Readonly<Record<ExposureFigure, bigint>>): Record<ExposureFigure, string> {
  const texts = EXPOSURE_FIGURES.map((figure) => [figure, formatMoney(figures[figure])]);
  return Object.fromEntries(texts) as Record<ExposureFigure, string>;
}

export const exposureRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/exposure',
    answer: ExposureView,
    handle: async ({ exposure }) => viewOf(await exposure.now()),
  }),
];
