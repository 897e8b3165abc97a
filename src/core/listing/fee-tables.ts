/**
 * Fee tables that pay nobody for trading with itself (rules 13.10): no taker is paid, and no maker is paid more than any
 * taker of the symbol pays. House accounts are the venue's own and do not count. A table that is worse already, of before
 * this rule, may be mended rate by rate: only a rate that falls is rejected.
 */

import type { Instrument } from '../model/instrument.ts';
import type { Account, FeeRates } from '../state/account.ts';
import type { State } from '../state/state.ts';

/** Why an account, or with `undefined` everybody, may not have these rates of an instrument. */
export function feeTableProblem(
  state: State,
  instrument: Instrument,
  rates: FeeRates,
  account?: Account,
): string | undefined {
  if (rates.takerRate < 0n) return 'a taker rate must not be negative';
  if (account?.house) return undefined;
  const before = account === undefined ? undefined : (account.fees.get(instrument.index) ?? instrument);
  const lowest = lowestRates(state, instrument, rates, account);
  const falls = (rate: keyof FeeRates) => before === undefined || rates[rate] < before[rate];
  return (falls('makerRate') && rates.makerRate + lowest.takerRate < 0n) ||
    (falls('takerRate') && rates.takerRate + lowest.makerRate < 0n)
    ? 'the lowest maker rate and the lowest taker rate of a symbol must not sum below zero'
    : undefined;
}

/** Over all who can meet in the book, SPOT and MARGIN alike, with the new rates in place. */
function lowestRates(
  state: State,
  { index, book }: Instrument,
  rates: FeeRates,
  account: Account | undefined,
): FeeRates {
  let { makerRate, takerRate } = rates;
  const count = (each: FeeRates | undefined) => {
    if (each === undefined) return;
    if (each.makerRate < makerRate) makerRate = each.makerRate;
    if (each.takerRate < takerRate) takerRate = each.takerRate;
  };
  for (const each of state.instruments) {
    if (each.book !== book) continue;
    if (account !== undefined || each.index !== index) count(each);
    for (const { house, fees, uid } of state.accountsWithFees) {
      if (!house && (each.index !== index || uid !== account?.uid)) count(fees.get(each.index));
    }
  }
  return { makerRate, takerRate };
}
