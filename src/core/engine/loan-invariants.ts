/** What must hold of loans after every command (rules 10.1: I03, I32, I37, and the pool as an account). */

import { poolBalance } from '../loan/loan-money.ts';
import { forcePrices } from '../margin/pledges.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { LOANS_PER_ACCOUNT_MAX } from '../model/limits.ts';
import { HOUR_MS, type Loan } from '../model/loan.ts';
import { levelsOf } from '../model/loan-terms.ts';
import { reaches } from '../model/ltv.ts';
import { assert } from '../model/units.ts';
import type { State } from '../state/state.ts';

export function checkLoans(state: State): void {
  const pledged = new Map<string, bigint>();
  const lent = new Map<number, bigint>();
  for (const loan of state.loans.loans.values()) {
    checkLoan(state, loan);
    const key = `${loan.account} ${loan.pledgeCoin}`;
    pledged.set(key, (pledged.get(key) ?? 0n) + loan.pledge);
    lent.set(loan.loanCoin, (lent.get(loan.loanCoin) ?? 0n) + loan.principal);
  }
  const { ledger } = state;
  for (const { index } of state.accountByUid.values()) {
    for (const coin of ledger.coinsOf(index)) {
      const held = ledger.balanceOf(index, coin, Bucket.pledge);
      const owed = pledged.size === 0 ? 0n : (pledged.get(`${index} ${coin}`) ?? 0n);
      assert(
        held === owed,
        () => `I37: account ${index} coin ${coin} pledges ${held}, its loans hold ${owed}`,
      );
    }
  }
  for (const coin of state.coins.keys()) checkPool(state, coin, lent.get(coin) ?? 0n);
}

function checkLoan(state: State, loan: Loan): void {
  const name = `loan ${loan.id}`;
  const { principal, pledge, hours, borrowTime } = loan;
  assert(principal > 0n && principal <= loan.initLoan, () => `I37: ${name} has principal ${principal}`);
  assert(pledge > 0n, () => `I37: ${name} has no pledge`);
  assert(loan.interestOwed() >= 0n, () => `I32: ${name} was paid more interest than it has cost`);
  const started = Math.floor((state.now - borrowTime) / HOUR_MS) + 1;
  assert(hours === started, () => `I32: ${name} was charged ${hours} hours, ${started} have begun`);
  assert(
    state.loans.countOf(loan.account) <= LOANS_PER_ACCOUNT_MAX,
    () => `I37: account of ${name} has too many loans`,
  );
  const prices = forcePrices(state, loan.loanCoin, loan.pledgeCoin);
  if (prices === undefined || state.loanChecksPending) return;
  const { supplement, force } = levelsOf(state.coins[loan.pledgeCoin]!.pledge!);
  assert(!reaches(loan.debt(), pledge, force, prices), () => `I37: ${name} should have been closed by force`);
  assert(
    reaches(loan.debt(), pledge, supplement, prices) === loan.warned,
    () => `I37: ${name} and the supplement level: warned is ${loan.warned}`,
  );
}

/** What was put in is there, lent, or lost. */
function checkPool(state: State, coin: number, lent: bigint): void {
  const funded = state.loans.funded.get(coin) ?? 0n;
  const accounted = poolBalance(state, coin) + lent + (state.loans.lost.get(coin) ?? 0n);
  assert(
    funded === accounted,
    () => `I37: pool of coin ${coin} was given ${funded}, ${accounted} is there or lent`,
  );
}
