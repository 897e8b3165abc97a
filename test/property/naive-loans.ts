/**
 * Loans once more, as simply as they can be written: every loan is looked at after everything that is told, hours are
 * counted one by one, money is added up from the records alone.
 */
import assert from 'node:assert/strict';
import type { Event, LoanChanged } from '../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import type { State } from '../../src/core/state/state.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ONE = 10n ** 12n;

interface NaiveLoan {
  readonly opened: LoanChanged;
  principal: bigint;
  pledge: bigint;
  hours: number;
  /** What the hours have cost together, in 10^-20. */
  cost: bigint;
  paid: bigint;
}

export class NaiveLoans {
  readonly loans = new Map<number, NaiveLoan>();
  interest = new Map<number, bigint>();
  readonly seen = {
    opened: 0,
    rolledBack: 0,
    repaid: 0,
    forced: 0,
    warned: 0,
    overdue: 0,
    short: 0,
    credit: 0,
  };
  private readonly rates: () => (coin: number) => bigint;

  /** `rates` gives the flexible rate of an hour as it is now. */
  constructor(rates: () => (coin: number) => bigint) {
    this.rates = rates;
  }

  observe(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'loan') this.onLoan(event);
      else if (event.type === 'loanRepaid') {
        const loan = this.at(event.loanId, event.time);
        this.earn(event.loanCoin, event.interest);
        loan.paid += event.interest;
        loan.principal -= event.principal;
      } else if (event.type === 'loanReduced') this.onReduced(event);
      else if (event.type === 'ledgerLine' && event.kind === 'interest') {
        // Debts of the unified account pay into the same account of the house.
        this.seen.credit++;
        this.earn(event.coin, -event.amount);
      } else if (event.type === 'loanNotice') {
        if (event.kind === 'overdue') this.seen.overdue++;
        else this.seen.warned++;
      }
    }
  }

  /** Everything owed, hour by hour, and the interest account. */
  compare(state: State): void {
    const ongoing = [...state.loans.loans.values()];
    assert.deepEqual(
      ongoing.map(({ id }) => id),
      [...this.loans.keys()].sort((a, b) => a - b),
    );
    for (const { id, principal, interestPaid, accrued } of ongoing) {
      const loan = this.at(id, state.now);
      assert.deepEqual(
        [principal, interestPaid, accrued],
        [loan.principal, loan.paid, loan.cost],
        `loan ${id}`,
      );
    }
    for (const [coin, earned] of this.interest) {
      const held = state.ledger.balanceOf(SystemAccount.interest, coin, Bucket.cash);
      assert.equal(held, earned, `I32: interest of coin ${coin}`);
    }
  }

  private onLoan(event: LoanChanged): void {
    if (event.status === 'ROLLBACK') this.seen.rolledBack++;
    else if (event.status === 'ONGOING') {
      this.seen.opened++;
      const { initLoan: principal, initPledge: pledge } = event;
      this.loans.set(event.loanId, { opened: event, principal, pledge, hours: 0, cost: 0n, paid: 0n });
      this.at(event.loanId, event.borrowTime);
    } else {
      const loan = this.loans.get(event.loanId)!;
      if (event.status === 'REPAY') {
        this.seen.repaid++;
        assert.equal(loan.principal, 0n);
      } else this.seen.forced++;
      this.loans.delete(event.loanId);
    }
  }

  /** Interest first: what was paid beyond it is principal. */
  private onReduced({ loanId, time, paid, loanCoin }: Extract<Event, { type: 'loanReduced' }>): void {
    const loan = this.at(loanId, time);
    const owed = owedBy(loan);
    this.earn(loanCoin, paid < owed ? paid : owed);
    if (paid < loan.principal + owed) this.seen.short++;
    else assert.equal(paid, loan.principal + owed);
  }

  /** The loan with all its hours that have begun by then. */
  private at(id: number, time: number): NaiveLoan {
    const loan = this.loans.get(id)!;
    const { term, borrowTime, hourRate, loanCoin } = loan.opened;
    for (;;) {
      const begins = borrowTime + loan.hours * HOUR;
      if (begins > time) return loan;
      loan.hours++;
      if (term === 0) {
        const exact = loan.principal * this.rates()(loanCoin);
        loan.cost += ((exact + ONE - 1n) / ONE) * ONE;
      } else {
        const days = term === 1 ? 7 : 30;
        const expired = begins >= Math.floor((borrowTime + days * DAY) / HOUR) * HOUR;
        loan.cost += loan.principal * hourRate * (expired ? 2n : 1n);
      }
    }
  }

  private earn(coin: number, amount: bigint): void {
    this.interest.set(coin, (this.interest.get(coin) ?? 0n) + amount);
  }
}

function owedBy({ cost, paid }: NaiveLoan): bigint {
  return (cost + ONE - 1n) / ONE - paid;
}
