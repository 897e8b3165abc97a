/**
 * One ongoing loan. Interest is kept as the exact sum of what every started hour has cost, in 10^-20 of the coin, and
 * rounded up only when it is asked for; so the hours of a fixed loan cost together what the formula says
 * (rules 7.3), whatever was repaid between them.
 */
import type { Fields } from './bytes.ts';
import { LOAN_TERM_DAYS, LoanTerm } from './loan-terms.ts';
import { divCeil, RATE_ONE } from './units.ts';

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Hours after the end of the term cost this many times the rate. */
const OVERDUE_FACTOR = 2n;

export class Loan {
  id = 0;
  /** Index of the account. */
  account = 0;
  uid = 0;
  loanCoin = 0;
  pledgeCoin = 0;
  term: LoanTerm = LoanTerm.flexible;
  /** Of one hour, 10^-12: fixed for the term, or what it was at the start of a flexible loan. */
  hourRate = 0n;
  initLoan = 0n;
  initPledge = 0n;
  borrowTime = 0;
  /** The last millisecond of the term; 0 for flexible loans. */
  expireTime = 0;
  principal = 0n;
  pledge = 0n;
  /** What all started hours have cost, in 10^-20. */
  accrued = 0n;
  interestPaid = 0n;
  /** Hours charged so far. */
  hours = 0;
  /** Was asked to supplement the pledge and has not come below that level since. */
  warned = false;
  /** The end of its term was announced to its owner. */
  overdue = false;

  /** Of the queue of hours (`hour-queue.ts`): the hour that it stands for, and its neighbours. */
  queuedHour = 0;
  earlier: Loan | undefined = undefined;
  later: Loan | undefined = undefined;

  /** What `accrued` comes to, kept because loans are compared far more often than they grow. */
  private cost = 0n;
  private costOf = 0n;

  interestOwed(): bigint {
    if (this.costOf !== this.accrued) {
      this.cost = divCeil(this.accrued, RATE_ONE);
      this.costOf = this.accrued;
    }
    return this.cost - this.interestPaid;
  }

  debt(): bigint {
    return this.principal + this.interestOwed();
  }

  /** When the hour after those charged begins. */
  nextHour(): number {
    return this.borrowTime + this.hours * HOUR_MS;
  }

  /** When its owner is to be told that its term has ended; Infinity when there is nothing to tell. */
  termEnd(): number {
    return this.expireTime !== 0 && !this.overdue ? this.expireTime + 1 : Number.POSITIVE_INFINITY;
  }

  /**
   * Charges the hour that begins: every started hour counts in full. Flexible hours are rounded up one by one, at the
   * rate that holds when they begin; hours of a term are not rounded, and cost double after its end.
   */
  chargeHour(flexibleRate: bigint): bigint {
    const before = this.interestOwed();
    if (this.term === LoanTerm.flexible) {
      this.accrued += divCeil(this.principal * flexibleRate, RATE_ONE) * RATE_ONE;
    } else {
      this.accrued += this.principal * this.fixedRate(this.nextHour());
    }
    this.hours++;
    return this.interestOwed() - before;
  }

  /** The rate of an hour of a term that begins at `time`. */
  fixedRate(time: number): bigint {
    return time > this.expireTime ? this.hourRate * OVERDUE_FACTOR : this.hourRate;
  }

  /** For snapshots. */
  fields(f: Fields): void {
    this.id = f.f64(this.id);
    this.account = f.i32(this.account);
    this.uid = f.uid(this.uid);
    this.loanCoin = f.u16(this.loanCoin);
    this.pledgeCoin = f.u16(this.pledgeCoin);
    this.term = f.u8(this.term) as LoanTerm;
    this.hourRate = f.money(this.hourRate);
    this.initLoan = f.money(this.initLoan);
    this.initPledge = f.money(this.initPledge);
    this.borrowTime = f.f64(this.borrowTime);
    this.expireTime = f.f64(this.expireTime);
    this.principal = f.money(this.principal);
    this.pledge = f.money(this.pledge);
    this.accrued = f.money(this.accrued);
    this.interestPaid = f.money(this.interestPaid);
    this.hours = f.i32(this.hours);
    this.warned = f.flag(this.warned);
    this.overdue = f.flag(this.overdue);
  }
}

/** `floorHour(borrowTime + term) - 1 ms`, 0 for flexible loans (rules 7.3). */
export function expiry(borrowTime: number, term: LoanTerm): number {
  const days = LOAN_TERM_DAYS[term];
  return days === 0 ? 0 : Math.floor((borrowTime + days * DAY_MS) / HOUR_MS) * HOUR_MS - 1;
}
