/** Budgets of the insurance funds by the rule book (13.7 (b), (c)), from what the funds have, had at the full hour and have lost since. */
import { Q } from './rational.ts';

export interface FundFacts {
  readonly coin: string;
  readonly balance: Q;
  /** At the last full hour, with what the operator has added and taken since. */
  readonly base: Q;
  /** Net outflow of the hour, and of it for each contract. */
  readonly paid: Q;
  readonly paidFor: ReadonlyMap<string, Q>;
}

const share = (amount: Q, percent: string): Q => amount.times(Q.of(percent)).floor(8).max(Q.zero);

/** As it is printed; of a contract, or of the fund for debts. */
export function budgetsOf(
  { coin, balance, base, paid, paidFor }: FundFacts,
  contract?: string,
): { readonly least: Q; readonly shown: Readonly<Record<string, string>> } {
  const left = (percent: string, used: Q) => share(base, percent).minus(used).max(Q.zero);
  const atOnce = share(balance, '0.2');
  const leftOfTheHour = left('0.6', paid);
  const leftOfTheSymbol = contract === undefined ? undefined : left('0.3', paidFor.get(contract) ?? Q.zero);
  const least = atOnce.min(leftOfTheHour).min(leftOfTheSymbol ?? leftOfTheHour);
  const text = (amount: Q) => `${String(amount)} ${coin}`;
  return {
    least,
    shown: {
      fund: text(balance),
      atOnce: text(atOnce),
      leftOfTheHour: text(leftOfTheHour),
      ...(leftOfTheSymbol !== undefined && { leftOfTheSymbol: text(leftOfTheSymbol) }),
      budget: text(least),
    },
  };
}

/** After a close that the fund lost so much by, if anything; gains are no budget. */
export function afterPayment(fund: FundFacts, outflow: Q, contract?: string): FundFacts {
  const used = outflow.max(Q.zero);
  const before = contract === undefined ? undefined : (fund.paidFor.get(contract) ?? Q.zero);
  return {
    ...fund,
    paid: fund.paid.plus(used),
    paidFor:
      contract === undefined || before === undefined
        ? fund.paidFor
        : new Map([...fund.paidFor, [contract, before.plus(used)]]),
  };
}
