/** The house's exposure in Prometheus text. The number of series is bounded by coins, figures and limits. */
import { formatMoney } from '../../core/model/units.ts';
import { EXPOSURE_FIGURES } from '../../core/reads/exposure-reads.ts';
import { SOLVENCY_NAMES } from '../../core/reads/solvency-reads.ts';
import type { Exposure } from '../../reserves/house-exposure.ts';
import type { Exposition } from './prometheus-text.ts';

export function exposureMetrics(page: Exposition, exposure: Exposure): void {
  const { coins, totals, limits, closeOnly, solvency } = exposure;
  page.metric('bourse_exposure_dollars', 'gauge', "The house's exposure over all coins with a price.");
  for (const figure of EXPOSURE_FIGURES) page.value(decimal(totals[figure]), { figure });
  page.metric('bourse_exposure_amount', 'gauge', 'The same of one coin, in the coin.');
  for (const { coin, amounts } of coins)
    for (const figure of EXPOSURE_FIGURES) page.value(decimal(amounts[figure]), { figure, coin });
  page.metric('bourse_exposure_coin_dollars', 'gauge', 'The same of one coin, in dollars.');
  for (const { coin, price, dollars } of coins)
    if (price > 0n)
      for (const figure of EXPOSURE_FIGURES) page.value(decimal(dollars[figure]), { figure, coin });
  page.metric('bourse_exposure_limit_dollars', 'gauge', 'Limits of the settings; without a coin of the sum.');
  for (const { figure, coin = '', kind, usd } of limits) page.value(decimal(usd), { figure, coin, kind });
  page.metric('bourse_exposure_limit_passed', 'gauge', '1 while a limit is passed.');
  for (const { figure, coin = '', passed } of limits) page.value(passed ? 1 : 0, { figure, coin });
  page.single(
    'bourse_exposure_close_only_coins',
    'gauge',
    'Coins whose contracts only close, because the house lacks more than fund and allowance.',
    closeOnly.length,
  );
  page.metric('bourse_solvency', 'gauge', 'Held and lent against owed: 1 at the state of the worst coin.');
  for (const state of SOLVENCY_NAMES) page.value(state === solvency ? 1 : 0, { state });
}

function decimal(amount: bigint): number {
  return Number(formatMoney(amount));
}
