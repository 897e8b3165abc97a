/** What accounts owe for pledge loans, as of one command, in slices between which the exchange goes on. */
import type { ConsistentRead, State } from '../state/state.ts';
import { Sweep } from '../state/sweep.ts';

export type DebtVisit = (account: number, coin: number, debt: bigint) => void;

/** Each account is looked at once, in its turn or before it changes, so as it was at the beginning. */
export class LoanDebtRead implements ConsistentRead {
  private readonly state: State;
  private readonly visit: DebtVisit;
  private readonly sweep: Sweep;
  /** To be called when it is done or given up. */
  readonly close: () => void;

  constructor(state: State, visit: DebtVisit) {
    this.state = state;
    this.visit = visit;
    this.sweep = new Sweep(state.accounts.length);
    this.close = state.beginConsistentRead(this);
  }

  keep(account: number): void {
    if (this.sweep.isDone(account)) return;
    this.sweep.early.add(account);
    this.lookAt(account);
  }

  /** Looks at so many accounts. Returns whether all have been. */
  advance(accounts: number): boolean {
    const { sweep } = this;
    for (let left = accounts; left > 0 && !sweep.isOver; left--, sweep.next++)
      if (!sweep.early.has(sweep.next)) this.lookAt(sweep.next);
    return sweep.isOver;
  }

  private lookAt(account: number): void {
    const { loans } = this.state;
    if (loans.countOf(account) === 0) return;
    for (const loan of loans.of(account)) this.visit(account, loan.loanCoin, loan.debt());
  }
}
