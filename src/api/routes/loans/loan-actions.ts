/** Borrowing, repaying and revising the pledge of a loan (interface 4.6, wire 4.6). */

import { formatOrderId } from '../../../core/model/order-id.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { ongoingLoans } from '../../../core/reads/loan-reads.ts';
import type { State } from '../../../core/state/state.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import { pledgeRateText, repaymentView } from '../../../views/loan-view.ts';
import { type Call, type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName, findCoin, moneyOf, unknownCoin } from '../../wire/money-input.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { Daily, findPair, LOANS, loanIdOf, termOf } from './loan-input.ts';
import * as responses from './loan-responses.ts';

const BorrowBody = Type.Object({
  loanCoin: CoinName,
  pledgeCoin: CoinName,
  daily: Daily,
  pledgeAmount: Type.Optional(fields.Decimal),
  loanAmount: Type.Optional(fields.Decimal),
});

const RepayBody = Type.Object({
  orderId: fields.OrderId,
  method: Type.Enum(['borrowed_coin', 'collateral'] as const),
  repayAll: fields.YesNo,
  amount: Type.Optional(
    Type.String({
      ...fields.Decimal,
      description: 'of the borrowed coin, unless repayAll; at most the debt is taken',
    }),
  ),
  repayUnlock: Type.Optional(fields.YesNo),
});

const ReviseBody = Type.Object({
  orderId: fields.OrderId,
  amount: fields.Decimal,
  pledgeCoin: CoinName,
  reviseType: Type.Optional(
    Type.Enum(['IN', 'OUT'] as const, { description: 'add collateral (the default) or take it out' }),
  ),
});

async function borrow({ sequencer, caller, body }: Call<unknown, Static<typeof BorrowBody>>) {
  const pair = findPair(sequencer.state, body);
  if (pair instanceof WireError) return pair;
  if (body.loanAmount === undefined && body.pledgeAmount === undefined)
    return wireError('40019', 'loanAmount or pledgeAmount must be given');
  const loanAmount = moneyOf(body.loanAmount ?? '0', 'loanAmount');
  if (loanAmount instanceof WireError) return loanAmount;
  const pledgeAmount = moneyOf(body.pledgeAmount ?? '0', 'pledgeAmount');
  if (pledgeAmount instanceof WireError) return pledgeAmount;
  const result = await sequencer.submit({
    type: 'loanBorrow',
    uid: caller.user.uid,
    loanCoin: pair.loan.index,
    pledgeCoin: pair.pledge.index,
    term: termOf(body.daily),
    loanAmount,
    pledgeAmount,
  });
  if (result.rejectReason !== RejectReason.none) return rejectError(sequencer.state, result);
  return { orderId: formatOrderId(result.orderId) };
}

/** Coins of a loan, read before a command that may close it. */
function coinsOf(state: State, uid: number, loanId: number) {
  const [ongoing] = ongoingLoans(state, uid, { loanId });
  if (ongoing === undefined) return undefined;
  const { loanCoin, pledgeCoin } = ongoing.loan;
  return { loanCoin: state.coins[loanCoin]!.coin, pledgeCoin: state.coins[pledgeCoin]!.coin };
}

async function repayLoan({ sequencer, caller, body }: Call<unknown, Static<typeof RepayBody>>) {
  const all = body.repayAll === 'yes';
  if (!all && body.amount === undefined)
    return wireError('40019', 'parameter amount must not be empty when repayAll is no');
  const amount = moneyOf(body.amount ?? '0', 'amount');
  if (amount instanceof WireError) return amount;
  const { uid } = caller.user;
  const loanId = loanIdOf(body.orderId);
  const named = coinsOf(sequencer.state, uid, loanId);
  const result = await sequencer.submit({
    type: 'loanRepay',
    uid,
    loanId,
    fromPledge: body.method === 'collateral',
    all,
    amount,
    unlock: body.repayUnlock === 'yes',
  });
  if (result.repaid === undefined || named === undefined) return rejectError(sequencer.state, result);
  return repaymentView(result.repaid, named.loanCoin, named.pledgeCoin);
}

async function revisePledge({ sequencer, caller, body }: Call<unknown, Static<typeof ReviseBody>>) {
  const pledge = findCoin(sequencer.state, body.pledgeCoin);
  if (pledge === undefined) return unknownCoin('pledgeCoin');
  const amount = moneyOf(body.amount, 'amount');
  if (amount instanceof WireError) return amount;
  const { uid } = caller.user;
  const loanId = loanIdOf(body.orderId);
  const named = coinsOf(sequencer.state, uid, loanId);
  const result = await sequencer.submit({
    type: 'loanRevise',
    uid,
    loanId,
    pledgeCoin: pledge.index,
    into: body.reviseType !== 'OUT',
    amount,
  });
  if (result.pledgeRate === undefined) return rejectError(sequencer.state, result);
  return { ...named, afterPledgeRate: pledgeRateText(result.pledgeRate) };
}

export const loanActionRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/loan/borrow',
    summary:
      'Borrows one coin for a pledge of another, by either amount; a loan that cannot be made ends as ROLLBACK',
    ...LOANS,
    access: 'mgt_write',
    body: BorrowBody,
    data: responses.LoanId,
    handle: borrow,
  }),

  route({
    method: 'POST',
    path: '/api/v3/loan/repay',
    summary:
      'Pays back a loan in part or whole, interest first, with the borrowed coin or out of its collateral',
    ...LOANS,
    access: 'mgt_write',
    body: RepayBody,
    data: responses.Repayment,
    handle: repayLoan,
  }),

  route({
    method: 'POST',
    path: '/api/v3/loan/revise-pledge',
    summary: 'Adds collateral to a loan, or takes out what the first rate does not need',
    ...LOANS,
    access: 'mgt_write',
    body: ReviseBody,
    data: responses.RevisedPledge,
    handle: revisePledge,
  }),
];
