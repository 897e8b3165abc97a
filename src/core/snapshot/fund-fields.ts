/** The present hour of the insurance funds (rules 13.7). */
import { FUND_NAMES, type FundHour } from '../state/fund-hours.ts';
import type { State } from '../state/state.ts';
import { list, mapByNumber, type StateFields } from './fields.ts';

export function fundFields(f: StateFields, { fundHours }: State): void {
  const lending = list(f, fundHours.lendingAtHour, (balance = 0n) => f.money(balance));
  if (f.reading) fundHours.lendingAtHour = lending;
  for (const name of FUND_NAMES) {
    const hours = fundHours.hours[name];
    const entries = mapByNumber<FundHour>(f, hours, (coin, hour) => [
      f.u16(coin),
      {
        funded: f.money(hour?.funded ?? 0n),
        drained: f.money(hour?.drained ?? 0n),
        paid: f.money(hour?.paid ?? 0n),
        unlimited: f.money(hour?.unlimited ?? 0n),
      },
    ]);
    if (!f.reading) continue;
    hours.clear();
    for (const [coin, hour] of entries) hours.set(coin, hour);
  }
  const paid = mapByNumber(f, fundHours.paidBySymbol, (symbol, amount) => [
    f.u16(symbol),
    f.money(amount ?? 0n),
  ]);
  if (!f.reading) return;
  fundHours.paidBySymbol.clear();
  for (const [symbol, amount] of paid) fundHours.paidBySymbol.set(symbol, amount);
}
