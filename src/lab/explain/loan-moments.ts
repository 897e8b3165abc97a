/** Events of pledge loans as moments of a timeline (rules 7). */
import { amountText, type Facts, rateText } from '../../core/explain/figures.ts';
import type { LoanEvent, LoanStatus } from '../../core/model/event.ts';
import { levelsOf } from '../../core/model/loan-terms.ts';
import { formatOrderId } from '../../core/model/order-id.ts';
import { formatMoney, formatUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';

/** The event of a forced close tells the end of its loan. */
const ENDINGS: Readonly<Record<LoanStatus, string | undefined>> = {
  ONGOING: 'loan paid out',
  ROLLBACK: 'loan not paid out: the pool or the pledge does not suffice',
  REPAY: 'loan ended',
  FORCE: undefined,
};

const rate = (hundredths: bigint): string => `${formatUnits(hundredths, 2)} %`;

export function describeLoan(
  state: State,
  event: LoanEvent,
): { time: number; what: string; facts: Facts } | undefined {
  const loan = formatOrderId(event.loanId);
  const inLoan = (amount: bigint) => amountText(state, event.loanCoin, amount);
  const inPledge = (amount: bigint) => amountText(state, event.pledgeCoin, amount);
  const levels = levelsOf(state.coins[event.pledgeCoin]!.pledge!);
  const supplementRate = rateText(levels.supplement);
  switch (event.type) {
    case 'loan': {
      const what = ENDINGS[event.status];
      const facts = { loan, lent: inLoan(event.initLoan), pledged: inPledge(event.initPledge) };
      return what === undefined ? undefined : { time: event.updatedTime, what, facts };
    }
    case 'loanRepaid':
      return {
        time: event.time,
        what: 'loan repaid',
        facts: {
          loan,
          interest: inLoan(event.interest),
          principal: inLoan(event.principal),
          released: inPledge(event.unlocked),
        },
      };
    case 'loanNotice':
      return {
        time: event.time,
        what:
          event.kind === 'supplement'
            ? 'notice: the pledge should be supplemented'
            : 'notice: the term is over',
        facts: { loan, ...(event.kind === 'supplement' && { pledgeRate: rate(event.rate), supplementRate }) },
      };
    case 'pledgeRevised':
      return {
        time: event.time,
        what: event.into ? 'pledge added to a loan' : 'pledge of a loan released',
        facts: {
          loan,
          amount: inPledge(event.amount),
          rateBefore: rate(event.before),
          rateAfter: rate(event.after),
          supplementRate,
        },
      };
    case 'loanReduced':
      return {
        time: event.time,
        what: 'loan closed by force',
        facts: {
          loan,
          pledgeRate: rate(event.rate),
          supplementRate,
          forceRate: rateText(levels.force),
          price: formatMoney(event.price),
          sold: inPledge(event.sold),
          repaid: inLoan(event.paid),
          fee: inLoan(event.fee),
          released: inPledge(event.unlocked),
        },
      };
  }
}
