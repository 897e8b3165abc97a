/** The insurance funds, and debts that nobody will pay (rules 13.7). */

import { formatMoney, MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { FUND_NAMES, type FundName, readFund } from '../../core/reads/fund-reads.ts';
import { balances } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { AccountText, CoinName, CommandSeq, closed, DecimalText, Text } from '../fields.ts';
import { findAccount, findCoin } from '../lookup.ts';
import { type Call, type OperatorRoute, operatorRoute } from '../route.ts';

const FundView = Type.Object({
  coin: Type.String(),
  fund: Type.Enum([...FUND_NAMES]),
  balance: Type.String(),
  /** What drains leave. */
  floor: Type.String(),
  /** The hourly budgets are shares of it. */
  base: Type.String(),
  /** Net outflow of this hour, and what is left of its budget. */
  paid: Type.String(),
  left: Type.String(),
});
const FundBody = Type.Object(
  { coin: CoinName, fund: Type.Enum([...FUND_NAMES]), amount: DecimalText, reference: Text },
  closed,
);
const Changed = Type.Object({ fund: FundView, command: CommandSeq });

function viewOf(state: State, fund: FundName, coin: number) {
  const { balance, floor, base, paid, left } = readFund(state, fund, coin);
  return {
    coin: state.coins[coin]!.coin,
    fund,
    balance: formatMoney(balance),
    floor: formatMoney(floor),
    base: formatMoney(base),
    paid: formatMoney(paid),
    left: formatMoney(left),
  };
}

/** Funds that hold something, or did when the hour began. */
function fundViews(state: State) {
  return [...state.coins.keys()].flatMap((coin) =>
    FUND_NAMES.map((fund) => viewOf(state, fund, coin)).filter(
      ({ balance, base }) => balance !== '0' || base !== '0',
    ),
  );
}

type FundCall = Call<unknown, unknown, { coin: string; fund: FundName; amount: string; reference: string }>;

async function move({ sequencer: { state }, body, audited }: FundCall, sign: 1n | -1n) {
  const coin = findCoin(state, body.coin);
  if (coin instanceof AdminError) return coin;
  const amount = parseUnits(body.amount, MONEY_SCALE);
  if (amount === undefined || amount <= 0n) {
    const wanted = `amount ${body.amount} must be above zero, with at most ${MONEY_SCALE} decimal places`;
    return new AdminError('invalid_request', wanted);
  }
  const { balance, floor } = readFund(state, body.fund, coin);
  if (sign < 0n && balance - floor < amount) {
    const free = balance > floor ? balance - floor : 0n;
    return new AdminError(
      'not_allowed',
      `only ${formatMoney(free)} ${body.coin} of the fund are above its floor`,
    );
  }
  const result = await audited.submit({
    type: 'fundInsurance',
    coin,
    lending: body.fund === 'lending',
    amount: sign * amount,
    reference: body.reference,
  });
  return result instanceof AdminError
    ? result
    : { fund: viewOf(state, body.fund, coin), command: audited.command };
}

const auditArguments = ({ body: { coin, fund, amount, reference } }: { body: FundCall['body'] }) => ({
  coin,
  fund,
  amount,
  reference,
});

export const insuranceRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/insurance',
    answer: Type.Object({ funds: Type.Array(FundView) }),
    handle: ({ sequencer: { state } }) => ({ funds: fundViews(state) }),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/insurance/fund',
    body: FundBody,
    answer: Changed,
    action: 'insurance.fund',
    auditArguments,
    handle: (call) => move(call, 1n),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/insurance/drain',
    body: FundBody,
    answer: Changed,
    action: 'insurance.drain',
    auditArguments,
    handle: (call) => move(call, -1n),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/insurance/write-off',
    body: Type.Object({ account: AccountText }, closed),
    answer: Type.Object({
      uid: Type.Integer(),
      /** By coin. */
      writtenOff: Type.Record(Type.String(), Type.String()),
      command: CommandSeq,
    }),
    action: 'debt.writeOff',
    auditArguments: ({ body: { account } }) => ({ account }),
    auditDetail: ({ uid, writtenOff }) =>
      `account ${uid}: ${Object.entries(writtenOff)
        .map(([coin, amount]) => `${amount} ${coin}`)
        .join(', ')}`,
    handle: async ({ sequencer: { state }, identity, body, audited }) => {
      const account = findAccount(identity, state, body.account);
      if (account instanceof AdminError) return account;
      const { uid } = account;
      const before = new Map(balances(state, uid).map(({ coin, cash }) => [coin, cash]));
      const result = await audited.submit({ type: 'writeOffDebt', uid });
      if (result instanceof AdminError) return result;
      const writtenOff: Record<string, string> = {};
      for (const { coin, cash } of balances(state, uid)) {
        const change = cash - (before.get(coin) ?? 0n);
        if (change > 0n) writtenOff[state.coins[coin]!.coin] = formatMoney(change);
      }
      return { uid, writtenOff, command: audited.command };
    },
  }),
];
