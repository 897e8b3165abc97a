/** Pools and postings of pledge loans (rules 4.1, 7). */

import { Bucket, SystemAccount } from '../model/ledger-accounts.ts';
import type { Loan } from '../model/loan.ts';
import { MONEY_ONE } from '../model/units.ts';
import type { Posting } from '../state/ledger-postings.ts';
import type { State } from '../state/state.ts';

/** Dollars of one USDT, the unit that limits are given in. */
export function usdtPrice(state: State): bigint {
  const tether = state.coinByName.get('USDT');
  const price = tether === undefined ? 0n : (state.coinPrices[tether] ?? 0n);
  return price === 0n ? MONEY_ONE : price;
}

export function poolBalance(state: State, coin: number): bigint {
  return state.ledger.balanceOf(SystemAccount.loanPool, coin, Bucket.cash);
}

export type LoanCells = ReturnType<typeof loanCells>;

/** The cells that money of a loan moves between. */
export function loanCells({ ledger, rules }: State, { account, loanCoin, pledgeCoin }: Loan) {
  const house = (name: keyof typeof SystemAccount, coin: number) =>
    ledger.cell(SystemAccount[name], coin, Bucket.cash);
  return {
    /** In the borrowed coin. */
    cash: ledger.cell(account, loanCoin, Bucket.cash),
    pool: house('loanPool', loanCoin),
    interest: house('interest', loanCoin),
    converted: house('convert', loanCoin),
    fee: house('fee', loanCoin),
    insurance: house(rules.fundReach ? 'insuranceLending' : 'insurance', loanCoin),
    /** In the pledged coin. */
    pledge: ledger.cell(account, pledgeCoin, Bucket.pledge),
    pledgeCash: ledger.cell(account, pledgeCoin, Bucket.cash),
    sold: house('convert', pledgeCoin),
  };
}

/** Collateral leaves the owner's cash. */
export function pledging(cells: LoanCells, loan: Loan, amount: bigint): Posting {
  return {
    from: cells.pledgeCash,
    to: cells.pledge,
    amount,
    fromLine: 'pledgeOut',
    reference: String(loan.id),
  };
}

/** Collateral comes back to the owner's cash. */
export function unpledging(cells: LoanCells, loan: Loan, amount: bigint): Posting {
  return {
    from: cells.pledge,
    to: cells.pledgeCash,
    amount,
    toLine: 'pledgeIn',
    reference: String(loan.id),
  };
}

/** The borrowed coin comes out of the pool. */
export function lending(cells: LoanCells, loan: Loan): Posting {
  return {
    from: cells.pool,
    to: cells.cash,
    amount: loan.initLoan,
    toLine: 'loanIn',
    reference: String(loan.id),
  };
}

/** Interest and principal paid with the borrowed coin. */
export function payingCash(
  cells: LoanCells,
  loan: Loan,
  interest: bigint,
  principal: bigint,
): readonly Posting[] {
  const reference = String(loan.id);
  return [
    { from: cells.cash, to: cells.interest, amount: interest, fromLine: 'loanInterest', reference },
    { from: cells.cash, to: cells.pool, amount: principal, fromLine: 'loanOut', reference },
  ];
}

/** The house buys collateral at the index price and pays interest and principal with what it is worth. */
export function payingCollateral(
  cells: LoanCells,
  sold: bigint,
  interest: bigint,
  principal: bigint,
): readonly Posting[] {
  return [
    { from: cells.pledge, to: cells.sold, amount: sold },
    { from: cells.converted, to: cells.interest, amount: interest },
    { from: cells.converted, to: cells.pool, amount: principal },
  ];
}
