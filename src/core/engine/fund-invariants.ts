/** What must hold of the insurance funds after every command (rules 10.1, I47). */

import {
  COIN_HOUR_PERCENT,
  fundAtHour,
  fundOf,
  percentOf,
  SYMBOL_HOUR_PERCENT,
} from '../margin/fund-budgets.ts';
import { assert } from '../model/units.ts';
import { FUND_NAMES } from '../state/fund-hours.ts';
import type { State } from '../state/state.ts';

/** I47, with drains of the hour left out of the base: what was paid before them was paid within the larger one. */
export function checkFunds(state: State): void {
  if (!state.rules.fundReach) return;
  const { fundHours } = state;
  for (const coin of state.coins.keys()) {
    for (const fund of FUND_NAMES) {
      const { funded, drained, paid, unlimited } = fundHours.of(fund, coin);
      const base = fundAtHour(state, fund, coin) + funded;
      const name = () => `I47: the ${fund} fund of coin ${coin}`;
      assert(
        paid <= percentOf(base, COIN_HOUR_PERCENT),
        () => `${name()} has paid ${paid} of ${base} this hour`,
      );
      const least = base - drained - paid - unlimited;
      const held = fundOf(state, fund, coin);
      assert(held >= least, () => `${name()} holds ${held}, less than the ${least} that its budgets leave`);
    }
  }
  const sums = new Map<number, bigint>();
  for (const [symbol, paid] of fundHours.paidBySymbol) {
    const coin = state.instruments[symbol]!.futures!.settle;
    const base = fundAtHour(state, 'futures', coin) + fundHours.of('futures', coin).funded;
    assert(
      paid <= percentOf(base, SYMBOL_HOUR_PERCENT),
      () => `I47: contract ${symbol} has cost the fund ${paid}`,
    );
    sums.set(coin, (sums.get(coin) ?? 0n) + paid);
  }
  for (const [coin, { paid }] of fundHours.hours.futures)
    assert((sums.get(coin) ?? 0n) === paid, () => `I47: contracts of coin ${coin} do not sum to ${paid}`);
}
