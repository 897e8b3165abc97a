/** The public record of the insurance fund (rules 5.11): its balance at each full hour at which it has changed. */
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { State } from '../state/state.ts';

const HOUR_MS = 3_600_000;

export function nextFullHour(now: number): number {
  return (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
}

/** Call at a full hour before all other work of that instant, which belongs to the next hour. */
export function recordInsurance(state: State): void {
  const { insuranceAtHour, ledger, now } = state;
  for (let coin = 0; coin < state.coins.length; coin++) {
    const before = insuranceAtHour[coin] ?? 0n;
    const balance = ledger.balanceOf(SystemAccount.insurance, coin, Bucket.cash);
    insuranceAtHour[coin] = balance;
    if (balance === before) continue;
    state.emit({ type: 'insuranceHour', coin, amount: balance - before, balance, time: now });
  }
  state.fundHours.begin(
    state.coins.map((_, coin) => ledger.balanceOf(SystemAccount.insuranceLending, coin, Bucket.cash)),
  );
  state.nextInsuranceHour = nextFullHour(now);
}
