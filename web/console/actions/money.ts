/** Money that comes, goes, is lent or stands behind the accounts. */
import {
  type Action,
  account,
  amount,
  coin,
  type Field,
  filled,
  option,
  plain,
  reference,
  type Values,
} from './action.ts';

/** Money from outside into a pool or fund of the house, or back. */
function poolMove(verb: 'fund' | 'drain', note: string): Action {
  return {
    title: verb === 'fund' ? 'Fund loan pool' : 'Drain loan pool',
    note,
    fields: [amount, coin, reference],
    request: (v) => ({
      method: 'POST',
      path: `/admin/loan-pools/${verb}`,
      body: filled(v, ['coin', 'amount', 'reference']),
    }),
    command: (v) => ['loan', verb, v.amount!, v.coin!, '--reference', v.reference!],
    ...(verb === 'drain' && { typed: (v: Values) => v.coin }),
  };
}

function fundMove(verb: 'fund' | 'drain', note: string): Action {
  return {
    title: verb === 'fund' ? 'Pay into insurance fund' : 'Drain insurance fund',
    note,
    fields: [amount, coin, { name: 'fund', label: 'Fund', options: ['futures', 'lending'] }, reference],
    request: (v) => ({
      method: 'POST',
      path: `/admin/insurance/${verb}`,
      body: filled(v, ['coin', 'fund', 'amount', 'reference']),
    }),
    command: (v) => ['insurance', verb, v.amount!, v.coin!, '--of', v.fund!, '--reference', v.reference!],
    ...(verb === 'drain' && { typed: (v: Values) => v.coin }),
  };
}

function withdrawalVerb(verb: 'settle' | 'refuse', field: Field, flag: string): Action {
  return {
    title: verb === 'settle' ? 'Settle withdrawal' : 'Refuse withdrawal',
    note: verb === 'settle' ? 'It was paid out.' : 'The account gets its money back.',
    fields: [{ name: 'id', label: 'Withdrawal' }, field],
    request: (v) => ({
      method: 'POST',
      path: `/admin/withdrawals/${encodeURIComponent(v.id ?? '')}/${verb}`,
      body: filled(v, [field.name]),
    }),
    command: (v) => ['withdrawal', verb, v.id!, flag, v[field.name]!],
  };
}

export const moneyActions = {
  deposit: {
    title: 'Credit a deposit',
    note: 'The same reference counts once per account and coin.',
    fields: [
      account,
      amount,
      coin,
      reference,
      { name: 'wallet', label: 'Wallet', options: ['', 'unified', 'funding'], optional: true },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/deposits',
      body: filled(v, ['account', 'amount', 'coin', 'reference', 'wallet']),
    }),
    command: (v) => [
      ...['deposit', v.account!, v.amount!, v.coin!, '--reference', v.reference!],
      ...option('--wallet', v.wallet),
    ],
  },
  settle: withdrawalVerb('settle', { name: 'txId', label: 'Transaction id' }, '--tx'),
  refuse: withdrawalVerb('refuse', { name: 'reason', label: 'Reason' }, '--reason'),
  fundPool: poolMove('fund', 'Money for pledge loans.'),
  drainPool: poolMove('drain', 'Only money that is not lent can be drained.'),
  loanRate: {
    title: 'Set a loan rate',
    note: 'A year; flexible loans pay it from their next hour on.',
    fields: [
      coin,
      { name: 'term', label: 'Term', options: ['FLEXIBLE', 'SEVEN', 'THIRTY'] },
      { name: 'yearRate', label: 'Rate', hint: 'such as 0.041' },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/loan-rates',
      body: filled(v, ['coin', 'term', 'yearRate']),
    }),
    command: (v) => ['loan', 'rate', v.coin!, v.term!, v.yearRate!],
  },
  fundInsurance: fundMove('fund', 'Stands behind the accounts, coin by coin.'),
  drainInsurance: fundMove('drain', 'Leaves the floor of the coin.'),
  writeOff: {
    title: 'Write a debt off',
    note: 'The house takes over what an account owes that has nothing else left.',
    fields: [account],
    request: (v) => ({ method: 'POST', path: '/admin/insurance/write-off', body: filled(v, ['account']) }),
    command: (v) => ['insurance', 'write-off', v.account!],
    typed: (v) => v.account,
  },
  auditReserves: plain(
    'Audit the reserves',
    '/admin/reserves/audit',
    ['reserves', 'audit'],
    'Counts what is held and owed, and makes a new tree of proofs.',
  ),
} as const satisfies Readonly<Record<string, Action>>;
