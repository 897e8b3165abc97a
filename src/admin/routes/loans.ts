/** Loans: the pools they are paid from, and their rates. */

import { LOAN_TERM_NAMES, type LoanTerm } from '../../core/model/loan-terms.ts';
import { formatMoney, MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { poolBalance } from '../../core/reads/loan-reads.ts';
import type { State } from '../../core/state/state.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { CoinName, CommandSeq, closed, DecimalText, Text } from '../fields.ts';
import { findCoin } from '../lookup.ts';
import { type Call, type OperatorRoute, operatorRoute } from '../route.ts';

const PoolView = Type.Object({
  coin: Type.String(),
  /** Amount that can be lent or withdrawn. */
  free: Type.String(),
  lent: Type.String(),
  /** Principal that neither collateral nor the insurance fund has repaid. */
  lost: Type.String(),
  loans: Type.Integer(),
  /** Yearly; empty for a coin that is not on loan. */
  flexibleRate: Type.String(),
  sevenDayRate: Type.String(),
  thirtyDayRate: Type.String(),
});
const PoolBody = Type.Object({ coin: CoinName, amount: DecimalText, reference: Text }, closed);
const Changed = Type.Object({ pool: PoolView, command: CommandSeq });

/** Coins on loan, and any other that a pool holds. */
function poolViews(state: State) {
  const lent = new Map<number, { sum: bigint; loans: number }>();
  for (const { loanCoin, principal } of state.loans.loans.values()) {
    const before = lent.get(loanCoin) ?? { sum: 0n, loans: 0 };
    lent.set(loanCoin, { sum: before.sum + principal, loans: before.loans + 1 });
  }
  return state.coins.flatMap(({ coin, loan }, index) => {
    const free = poolBalance(state, index);
    if (loan === undefined && free === 0n) return [];
    const { flexibleRate = '', sevenDayRate = '', thirtyDayRate = '' } = loan ?? {};
    return {
      coin,
      free: formatMoney(free),
      lent: formatMoney(lent.get(index)?.sum ?? 0n),
      lost: formatMoney(state.loans.lost.get(index) ?? 0n),
      loans: lent.get(index)?.loans ?? 0,
      flexibleRate,
      sevenDayRate,
      thirtyDayRate,
    };
  });
}

function changed({ sequencer: { state }, audited }: Call<unknown, unknown, unknown>, coin: string) {
  return { pool: poolViews(state).find((view) => view.coin === coin)!, command: audited.command };
}

type PoolCall = Call<unknown, unknown, { coin: string; amount: string; reference: string }>;

async function move(call: PoolCall, sign: 1n | -1n) {
  const { sequencer, body, audited } = call;
  const coin = findCoin(sequencer.state, body.coin);
  if (coin instanceof AdminError) return coin;
  const amount = parseUnits(body.amount, MONEY_SCALE);
  if (amount === undefined || amount <= 0n) {
    const wanted = `amount ${body.amount} must be above zero, with at most ${MONEY_SCALE} decimal places`;
    return new AdminError('invalid_request', wanted);
  }
  const free = poolBalance(sequencer.state, coin);
  if (sign < 0n && free < amount)
    return new AdminError('not_allowed', `only ${formatMoney(free)} ${body.coin} of the pool are not lent`);
  const { reference } = body;
  const result = await audited.submit({
    type: 'fundLoanPool',
    coin,
    amount: sign * amount,
    reference,
  });
  return result instanceof AdminError ? result : changed(call, body.coin);
}

const auditArguments = ({ body: { coin, amount, reference } }: PoolCall | { body: PoolCall['body'] }) => ({
  coin,
  amount,
  reference,
});

export const loanRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/loan-pools',
    answer: Type.Object({ pools: Type.Array(PoolView) }),
    handle: ({ sequencer: { state } }) => ({ pools: poolViews(state) }),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/loan-pools/fund',
    body: PoolBody,
    answer: Changed,
    action: 'loanPool.fund',
    auditArguments,
    handle: (call) => move(call, 1n),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/loan-pools/drain',
    body: PoolBody,
    answer: Changed,
    action: 'loanPool.drain',
    auditArguments,
    handle: (call) => move(call, -1n),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/loan-rates',
    body: Type.Object(
      { coin: CoinName, term: Type.Enum([...LOAN_TERM_NAMES]), yearRate: DecimalText },
      closed,
    ),
    answer: Changed,
    action: 'loanRate.set',
    auditArguments: ({ body: { coin, term, yearRate } }) => ({ coin, term, yearRate }),
    handle: async (call) => {
      const { sequencer, body, audited } = call;
      const coin = findCoin(sequencer.state, body.coin);
      if (coin instanceof AdminError) return coin;
      const term = LOAN_TERM_NAMES.indexOf(body.term) as LoanTerm;
      const result = await audited.submit({
        type: 'setLoanRate',
        coin,
        term,
        yearRate: body.yearRate,
      });
      return result instanceof AdminError ? result : changed(call, body.coin);
    },
  }),
];
