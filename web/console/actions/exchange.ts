/** The exchange as a whole: halt, snapshots, clock, sessions, and what is forced on a demo. */
import {
  type Action,
  account,
  CONTRACTS,
  category,
  filled,
  isInstant,
  option,
  plain,
  symbol,
} from './action.ts';

export const exchangeActions = {
  halt: plain(
    'Halt the venue',
    '/admin/halt',
    ['halt'],
    'No new orders anywhere; cancelling goes on, stops wait.',
    'halt',
  ),
  resume: plain('Resume trading', '/admin/resume', ['resume'], 'Orders are taken again.'),
  snapshot: plain('Write a snapshot', '/admin/snapshots', ['snapshot'], 'The next start is quick.'),
  rotate: plain(
    'Rotate the key of the key store',
    '/admin/identity/rotate-kek',
    ['identity', 'rotate-kek'],
    'Seals all API secrets under a new key.',
    'rotate',
  ),
  liquidate: {
    title: 'Force a liquidation',
    note: 'On a demo: closes all positions of an account through book, fund and other side.',
    fields: [account],
    request: (v) => ({ method: 'POST', path: '/admin/force/liquidation', body: filled(v, ['account']) }),
    command: (v) => ['force', 'liquidation', v.account!],
    typed: (v) => v.account,
  },
  deleverage: {
    title: 'Force a deleveraging',
    note: 'On a demo: closes the position of an account in one contract at the mark.',
    fields: [account, { ...category, options: CONTRACTS }, symbol],
    request: (v) => ({
      method: 'POST',
      path: '/admin/force/deleveraging',
      body: filled(v, ['account', 'category', 'symbol']),
    }),
    command: (v) => ['force', 'deleveraging', v.account!, v.category!, v.symbol!],
    typed: (v) => v.account,
  },
  forceFunding: {
    title: 'Settle funding now',
    note: 'On a demo: holders of a perpetual pay each other at the rate of now. The next settlement comes at its time.',
    fields: [{ ...category, options: CONTRACTS }, symbol],
    request: (v) => ({
      method: 'POST',
      path: '/admin/force/funding',
      body: filled(v, ['category', 'symbol']),
    }),
    command: (v) => ['force', 'funding', v.category!, v.symbol!],
    typed: (v) => v.symbol,
  },
  advanceClock: {
    title: 'Move the clock',
    note: 'Funding, candles and expiries on the way happen at their instants.',
    fields: [
      { name: 'span', label: 'By, or up to', first: '1h', hint: 'such as 8h, or 2026-06-26T08:00:00Z' },
      { name: 'step', label: 'Steps of', optional: true, hint: '1s' },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/admin/clock/advance',
      body: { [isInstant(v.span!) ? 'to' : 'by']: v.span, ...filled(v, ['step']) },
    }),
    command: (v) => ['clock', 'advance', v.span!, ...option('--step', v.step)],
  },
  endSession: {
    title: 'End a session',
    note: 'The console that has it must sign in again.',
    fields: [{ name: 'id', label: 'Session' }],
    request: (v) => ({ method: 'DELETE', path: `/admin/sessions/${encodeURIComponent(v.id ?? '')}` }),
    command: (v) => ['console', '--end', v.id!],
  },
} as const satisfies Readonly<Record<string, Action>>;
