/** Liquidation, deleveraging and funding on the operator's request, for testing: on a demo only. */

import { ANY } from '../../core/model/command.ts';
import { formatRate } from '../../core/model/units.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { AccountText, CategoryText, CommandSeq, closed, SymbolText } from '../fields.ts';
import { findAccount, findInstrument } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const NOT_A_DEMO = new AdminError(
  'not_allowed',
  'this is forced only on a demo: this exchange was started with --no-demo',
);
const Closed = Type.Object({
  uid: Type.Integer(),
  /** Positions that the account still has. */
  positions: Type.Integer(),
  command: CommandSeq,
});

export const forceRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'POST',
    path: '/admin/force/liquidation',
    body: Type.Object({ account: AccountText }, closed),
    answer: Closed,
    action: 'force.liquidation',
    auditArguments: ({ body: { account } }) => ({ account }),
    auditDetail: ({ uid }) => `account ${uid}`,
    handle: async ({ sequencer, identity, demo, body, audited }) => {
      if (!demo) return NOT_A_DEMO;
      const account = findAccount(identity, sequencer.state, body.account);
      if (account instanceof AdminError) return account;
      const { uid } = account;
      const result = await audited.submit({
        type: 'forceClose',
        uid,
        deleverage: false,
        instrument: ANY,
      });
      if (result instanceof AdminError) return result;
      return { uid, positions: account.positions.size, command: audited.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/force/deleveraging',
    body: Type.Object({ account: AccountText, category: CategoryText, symbol: SymbolText }, closed),
    answer: Closed,
    action: 'force.deleveraging',
    auditArguments: ({ body: { account, category, symbol } }) => ({ account, category, symbol }),
    auditDetail: ({ uid }) => `account ${uid}`,
    handle: async ({ sequencer, identity, demo, body, audited }) => {
      if (!demo) return NOT_A_DEMO;
      const { state } = sequencer;
      const account = findAccount(identity, state, body.account);
      if (account instanceof AdminError) return account;
      const instrument = findInstrument(state, body.category, body.symbol);
      if (instrument instanceof AdminError) return instrument;
      const { uid } = account;
      const { index } = instrument;
      const result = await audited.submit({
        type: 'forceClose',
        uid,
        deleverage: true,
        instrument: index,
      });
      if (result instanceof AdminError) return result;
      return { uid, positions: account.positions.size, command: audited.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/force/funding',
    body: Type.Object({ category: CategoryText, symbol: SymbolText }, closed),
    answer: Type.Object({
      category: Type.String(),
      symbol: Type.String(),
      rate: Type.String(),
      /** Accounts with a position. */
      holders: Type.Integer(),
      command: CommandSeq,
    }),
    action: 'force.funding',
    auditArguments: ({ body: { category, symbol } }) => ({ category, symbol }),
    auditDetail: ({ rate, holders }) => `rate ${rate}, ${holders} accounts`,
    handle: async ({ sequencer: { state }, demo, body: { category, symbol }, audited }) => {
      if (!demo) return NOT_A_DEMO;
      const instrument = findInstrument(state, category, symbol);
      if (instrument instanceof AdminError) return instrument;
      const { futures, holders } = state.market(instrument);
      if (futures === undefined || futures.terms.delivery !== undefined)
        return new AdminError('not_allowed', `${category} ${symbol} has no funding: it is not a perpetual`);
      const before = { rate: formatRate(futures.rate), holders: holders.size };
      const result = await audited.submit({ type: 'forceFunding', instrument: instrument.index });
      if (result instanceof AdminError) return result;
      return { category, symbol, ...before, command: audited.command };
    },
  }),
];
