/**
 * What the house has at stake, coin by coin. Each figure is a balance of a system account or a sum that the state keeps;
 * bad debt alone needs a look at accounts and comes from `solvency-reads.ts`.
 */
import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { State } from '../state/state.ts';
import { fundBalance } from './fund-reads.ts';
import { houseShortfall } from './house-reads.ts';
import { poolBalance } from './loan-reads.ts';
import type { CoinSolvency } from './solvency-reads.ts';

export const EXPOSURE_FIGURES = [
  /** The house's side of open contracts, and what it would lack if coin-margined positions were closed now (rules 13.2). */
  'clearing',
  'clearing-short',
  /** What the house has bought from debtors, less what it has paid for it. */
  'conversion',
  /** Principal of pledge loans, and what of earlier ones neither collateral nor a fund has repaid. */
  'loans',
  'loans-lost',
  /** Negative balances of unified accounts. */
  'margin-lending',
  /** The insurance funds of contracts and of lending. */
  'insurance',
  'insurance-lending',
  /** Debts that cannot be collected, and debts that the operator has written off (rules 13.7). */
  'bad-debt',
  'written-off',
  /** What the house has earned and not taken out. */
  'fees',
  'interest',
] as const;
export type ExposureFigure = (typeof EXPOSURE_FIGURES)[number];

/** Of one coin, in 10^-8. */
export type CoinExposure = Readonly<Record<ExposureFigure, bigint>>;

/** By coin. `solvency` may be a moment older. */
export function exposureOf(state: State, solvency: readonly CoinSolvency[]): CoinExposure[] {
  const house = (name: keyof typeof SystemAccount, coin: number) =>
    state.ledger.balanceOf(SystemAccount[name], coin, Bucket.cash);
  return state.coins.map((_, coin) => ({
    clearing: house('clearing', coin),
    'clearing-short': houseShortfall(state, coin),
    conversion: house('convert', coin),
    loans: lentPrincipal(state, coin),
    'loans-lost': state.loans.lost.get(coin) ?? 0n,
    'margin-lending': state.ledger.totalDebt(coin),
    insurance: fundBalance(state, 'futures', coin),
    'insurance-lending': fundBalance(state, 'lending', coin),
    // No account owes a coin that was listed since.
    'bad-debt': solvency[coin]?.badDebt ?? 0n,
    'written-off': -house('badDebt', coin),
    fees: house('fee', coin),
    interest: house('interest', coin),
  }));
}

/** What was put into the pool and is neither there nor lost (I37). */
function lentPrincipal(state: State, coin: number): bigint {
  const { funded, lost } = state.loans;
  return (funded.get(coin) ?? 0n) - poolBalance(state, coin) - (lost.get(coin) ?? 0n);
}
