/** Audits of the reserves: running one, and the proof of an account's inclusion. */

import { formatMoney } from '../../core/model/units.ts';
import { SOLVENCY_NAMES } from '../../core/reads/solvency-reads.ts';
import type { Audit } from '../../reserves/reserve-audit.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { AccountParams, Empty } from '../fields.ts';
import { findAccount } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const HoldingsView = Type.Record(Type.String(), Type.String());
const AuditView = Type.Object({
  time: Type.Integer(),
  root: Type.String(),
  accounts: Type.Integer(),
  /** `insolvent`: of some coin less is held, lent and converted than owed; `illiquid`: less is held. */
  solvency: Type.Enum([...SOLVENCY_NAMES]),
  coins: Type.Array(
    Type.Object({
      coin: Type.String(),
      owed: Type.String(),
      held: Type.String(),
      /** What is owed with positions at the mark, and what accounts that can pay owe the venue. */
      owedAtMark: Type.String(),
      lent: Type.String(),
      /** Paid out by conversions and covered by the coins that the house took for it. */
      converted: Type.String(),
      badDebt: Type.String(),
      writtenOff: Type.String(),
      solvency: Type.Enum([...SOLVENCY_NAMES]),
    }),
  ),
});

function viewOf({ time, tree, coins, missing, solvency }: Audit) {
  // A coin of which nothing is owed by its wallets may still be missing at the mark.
  const shown = [...coins, ...missing.filter((row) => !coins.includes(row))];
  return {
    time,
    root: tree.root,
    accounts: tree.size,
    solvency,
    coins: shown.map(({ coin, owed, held, backing }) => ({
      coin,
      owed: formatMoney(owed),
      held: formatMoney(held),
      owedAtMark: formatMoney(backing.owed),
      lent: formatMoney(backing.lent),
      converted: formatMoney(backing.converted),
      badDebt: formatMoney(backing.badDebt),
      writtenOff: formatMoney(backing.writtenOff),
      solvency: backing.solvency,
    })),
  };
}

export const reserveRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/reserves',
    answer: AuditView,
    handle: async ({ reserves }) => viewOf(await reserves.latest()),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/reserves/audit',
    body: Empty,
    answer: AuditView,
    auditDetail: ({ root }) => `root ${root}`,
    action: 'reserves.audit',
    auditArguments: () => ({}),
    handle: async ({ reserves }) => viewOf(await reserves.run()),
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/reserves/:account',
    params: AccountParams,
    answer: Type.Object({
      time: Type.Integer(),
      root: Type.String(),
      uid: Type.Integer(),
      nonce: Type.String(),
      holdings: HoldingsView,
      path: Type.Array(
        Type.Object({ at: Type.Enum(['left', 'right']), hash: Type.String(), holdings: HoldingsView }),
      ),
    }),
    handle: async ({ sequencer, identity, reserves, params }) => {
      const account = findAccount(identity, sequencer.state, params.account);
      if (account instanceof AdminError) return account;
      const proof = await reserves.proofOf(account.uid);
      if (proof !== undefined) return { ...proof, path: [...proof.path] };
      return new AdminError('not_allowed', `account ${account.uid} was owed nothing at the last audit`);
    },
  }),
];
