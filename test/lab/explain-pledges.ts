/** What pledges of loans bring by the rule book (7.3 to 7.5, 17.1), from raw facts alone. */
import { type AccountFacts, coinOf } from './explain-oracle.ts';
import { type DirectPrices, rateOf } from './explain-settlement.ts';
import { Q, sumOf } from './rational.ts';

/** A flexible loan whose rate and principal have not changed since it began. */
export interface LoanFacts {
  readonly id: string;
  readonly loan: string;
  readonly pledge: string;
  readonly principal: Q;
  readonly pledged: Q;
  readonly yearRate: Q;
  readonly startedHours: bigint;
  readonly rates: { readonly init: Q; readonly supplement: Q; readonly force: Q };
}

const UNIT = new Q(1n, 10n ** 8n);
const FORCED_FEE = Q.of('0.02');

/** Started hours count in full, each rounded up, at an hourly rate rounded up (rules 7.1, 7.3). */
export function owedOf({ principal, yearRate, startedHours }: LoanFacts): Q {
  const hourly = yearRate.over(Q.of('8760')).ceil(8);
  return principal.plus(principal.times(hourly).ceil(8).times(new Q(startedHours)));
}

function worthOf(facts: AccountFacts, loan: LoanFacts): { debt: Q; pledge: Q } {
  return {
    debt: owedOf(loan).times(coinOf(facts, loan.loan).price),
    pledge: loan.pledged.times(coinOf(facts, loan.pledge).price),
  };
}

/** LTV as it is shown: percent, half to two decimals (rules 7.4). */
export function rateText(facts: AccountFacts, loan: LoanFacts): string {
  const { debt, pledge } = worthOf(facts, loan);
  return `${String(debt.over(pledge).half(4).times(Q.of('100')))} %`;
}

/** Pledge that a debt needs at a rate, `ceil` (rules 7.2). */
export function pledgeNeeded(facts: AccountFacts, loan: LoanFacts, rate: Q): Q {
  return worthOf(facts, loan)
    .debt.over(rate.times(coinOf(facts, loan.pledge).price))
    .ceil(8);
}

/** What may be taken so that LTV stays below supRate: at the level itself the notice is due (rules 17.1 (c)). */
export function spareOf(facts: AccountFacts, loan: LoanFacts): Q {
  return loan.pledged
    .minus(pledgeNeeded(facts, loan, loan.rates.supplement))
    .minus(UNIT)
    .max(Q.zero);
}

export interface ForcedLoan {
  readonly sold: Q;
  readonly paid: Q;
  readonly fee: Q;
  readonly released: Q;
  /** Loan coins for one of the pledge, as it is shown. */
  readonly price: Q;
}

/** A forced close: debt and fee of it are sold for, the rest comes back (rules 7.5). */
export function forcedLoan(facts: AccountFacts, loan: LoanFacts, direct: DirectPrices): ForcedLoan {
  const { pledged } = loan;
  const debt = owedOf(loan);
  const cross = coinOf(facts, loan.loan).price.over(coinOf(facts, loan.pledge).price);
  const rate = rateOf(cross, loan.loan, loan.pledge, direct);
  const need = debt.plus(debt.times(FORCED_FEE).floor(8));
  const sold = need.times(rate).ceil(8).min(pledged);
  const proceeds = sold.over(rate).floor(8).min(need);
  const paid = proceeds.min(debt);
  return {
    sold,
    paid,
    fee: proceeds.minus(paid),
    released: pledged.minus(sold),
    price: Q.of('1').over(rate).half(8),
  };
}

/** What forced closes of all loans would give back, by coin: it stands behind crossed positions (rules 17.1 (a)). */
export function givenBack(facts: AccountFacts, direct: DirectPrices): (coin: string) => Q {
  return (coin) =>
    sumOf(
      facts.loans
        .filter(({ pledge }) => pledge === coin)
        .map((loan) => forcedLoan(facts, loan, direct).released),
    );
}
