/** What an insurance fund may pay at an instant, and which of its budgets is the smallest (rules 13.7 (b), (c)). */
import {
  CLOSE_PERCENT,
  closeBudget,
  fundOf,
  hourLeft,
  lendingBudget,
  percentOf,
  symbolHourLeft,
} from '../margin/fund-budgets.ts';
import { fundBalance } from '../margin/insurance-fund.ts';
import type { FundName } from '../state/fund-hours.ts';
import type { State } from '../state/state.ts';
import { amountText, type Facts } from './figures.ts';

function shares(state: State, fund: FundName, coin: number): Facts {
  const balance = fundOf(state, fund, coin);
  return {
    fund: amountText(state, coin, balance),
    atOnce: amountText(state, coin, percentOf(balance, CLOSE_PERCENT)),
    leftOfTheHour: amountText(state, coin, hourLeft(state, fund, coin)),
  };
}

/** Of a forced close that begins now. In the first edition the whole fund was the budget. */
export function closeBudgetFacts(state: State, coin: number, instrument: number): Facts {
  if (!state.rules.fundReach) {
    const whole = amountText(state, coin, fundBalance(state, coin));
    return { fund: whole, budget: whole };
  }
  return {
    ...shares(state, 'futures', coin),
    leftOfTheSymbol: amountText(state, coin, symbolHourLeft(state, coin, instrument)),
    budget: amountText(state, coin, closeBudget(state, coin, instrument)),
  };
}

/** Of the fund for debts and loans. */
export function lendingBudgetFacts(state: State, coin: number): Facts {
  return {
    ...shares(state, 'lending', coin),
    budget: amountText(state, coin, lendingBudget(state, coin)),
  };
}
