/** A pledge loan worked out beside the exchange and without its code (rules 7): integers of 10^-8. */
import { decimal, units } from './ledger-by-hand.ts';

const ONE = 10n ** 8n;
const HUNDRED = 100n;

const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b;

export class HandLoan {
  principal: bigint;
  pledge: bigint;
  interest = 0n;
  private readonly hourRate: bigint;

  /** Hour rate as a fraction, such as 0.00000349. */
  constructor(loan: string, pledge: string, hourRate: string) {
    this.principal = units(loan);
    this.pledge = units(pledge);
    this.hourRate = units(hourRate);
    this.hour();
  }

  /** A flexible hour begins. */
  hour(times = 1): void {
    for (let n = 0; n < times; n++) this.interest += ceilDiv(this.principal * this.hourRate, ONE);
  }

  /** Interest first, then principal. */
  pay(amount: string): { interest: string; principal: string } {
    const paid = units(amount);
    const [interest] = [paid, this.interest].sort((a, b) => (a < b ? -1 : 1)) as [bigint, bigint];
    this.interest -= interest;
    this.principal -= paid - interest;
    return { interest: decimal(interest), principal: decimal(paid - interest) };
  }

  get debt(): bigint {
    return this.principal + this.interest;
  }

  /** Percent with two decimals, half away from zero; the price is that of the pledge in the loan coin. */
  rate(price: string): string {
    const percent = (this.debt * HUNDRED * ONE * ONE * 2n) / (this.pledge * units(price));
    const hundredths = (percent / (ONE / HUNDRED) + 1n) / 2n;
    return decimal(hundredths * (ONE / HUNDRED));
  }

  /** What could be taken out down to this rate. */
  free(price: string, initRate: string): string {
    const needed = ceilDiv(this.debt * ONE * ONE, units(initRate) * units(price));
    return decimal(this.pledge > needed ? this.pledge - needed : 0n);
  }

  /** Sold, fee and rest of a closing by force with a fee of 2 %. */
  force(price: string): { sold: string; fee: string; rest: string } {
    const fee = (this.debt * 2n) / HUNDRED;
    const sold = ceilDiv((this.debt + fee) * ONE, units(price));
    return { sold: decimal(sold), fee: decimal(fee), rest: decimal(this.pledge - sold) };
  }
}

/** Pledge for a loan, rounded up. */
export function pledgeFor(loan: string, price: string, initRate: string): string {
  return decimal(ceilDiv(units(loan) * ONE * ONE, units(initRate) * units(price)));
}
