/** The exchange as a whole: health, trial balance, halt, snapshots, key rotation, audit log. */

import { formatMoney } from '../../core/model/units.ts';
import { fundBalance } from '../../core/reads/fund-reads.ts';
import { openOrderCount } from '../../core/reads/reads.ts';
import { solvencyInSlices } from '../../reserves/solvency-slices.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditLine } from '../audit-line.ts';
import { CommandSeq, closed, Empty } from '../fields.ts';
import { type Call, type OperatorRoute, operatorRoute } from '../route.ts';
import { coinSumsInSlices } from '../trial-balance.ts';

const AUDIT_LINES_MAX = 1000;

const Halted = Type.Object({ halted: Type.Boolean(), command: CommandSeq });

function contains({ operator, action, arguments: given, outcome, detail }: AuditLine, text: string): boolean {
  return JSON.stringify([operator, action, given, outcome, detail]).toLowerCase().includes(text);
}

async function setHalt({ audited }: Call<unknown, unknown, unknown>, halted: boolean) {
  const result = await audited.submit({ type: 'setHalt', halted });
  return result instanceof AdminError ? result : { halted, command: audited.command };
}

export const exchangeRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/health',
    answer: Type.Object({
      ready: Type.Boolean(),
      halted: Type.Boolean(),
      version: Type.String(),
      url: Type.String(),
      uptimeSeconds: Type.Integer(),
      commands: Type.Object({ applied: Type.Integer(), durable: Type.Integer(), history: Type.Integer() }),
      accounts: Type.Integer(),
      openOrders: Type.Integer(),
      pendingWithdrawals: Type.Integer(),
      checks: Type.Array(
        Type.Object({ name: Type.String(), ok: Type.Boolean(), detail: Type.Optional(Type.String()) }),
      ),
    }),
    handle: ({ sequencer, health }) => {
      const { version, url, uptimeSeconds, checks } = health();
      const { state, appliedSeq, durableSeq, history } = sequencer;
      return {
        ready: checks.every(({ ok }) => ok),
        halted: state.halted,
        version,
        url,
        uptimeSeconds,
        commands: { applied: appliedSeq, durable: durableSeq, history: history.confirmedSeq },
        accounts: state.accountByUid.size,
        openOrders: openOrderCount(state),
        pendingWithdrawals: state.withdrawals.size,
        checks: [...checks],
      };
    },
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/books',
    answer: Type.Object({
      balanced: Type.Boolean(),
      coins: Type.Array(
        Type.Object({
          coin: Type.String(),
          users: Type.String(),
          house: Type.String(),
          external: Type.String(),
          total: Type.String(),
          /** Funds of contracts and of lending, part of the house; debts that nobody will pay, and those written off. */
          insurance: Type.String(),
          insuranceLending: Type.String(),
          badDebt: Type.String(),
          writtenOff: Type.String(),
          /** What the house would lack if everybody closed the coin's contracts now (rules 13.2). */
          clearingShort: Type.String(),
        }),
      ),
    }),
    handle: async ({ sequencer: { state } }) => {
      // All of one instant: what is not in the ledger is read before the first pause.
      const counting = coinSumsInSlices(state);
      const looking = solvencyInSlices(state);
      const insurance = state.coins.map((_, coin) => ({
        futures: fundBalance(state, 'futures', coin),
        lending: fundBalance(state, 'lending', coin),
      }));
      const [sums, solvency] = await Promise.all([counting, looking]);
      return {
        balanced: sums.every(({ total }) => total === 0n),
        coins: sums.map(({ coin, users, house, external, total, clearingShort }, index) => ({
          coin,
          users: formatMoney(users),
          house: formatMoney(house),
          external: formatMoney(external),
          total: formatMoney(total),
          insurance: formatMoney(insurance[index]!.futures),
          insuranceLending: formatMoney(insurance[index]!.lending),
          badDebt: formatMoney(solvency[index]!.badDebt),
          writtenOff: formatMoney(solvency[index]!.writtenOff),
          clearingShort: formatMoney(clearingShort),
        })),
      };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/halt',
    body: Empty,
    answer: Halted,
    action: 'halt',
    handle: (call) => setHalt(call, true),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/resume',
    body: Empty,
    answer: Halted,
    action: 'resume',
    handle: (call) => setHalt(call, false),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/snapshots',
    body: Empty,
    answer: Type.Object({ seq: Type.Integer() }),
    auditDetail: ({ seq }) => `of the state after command ${seq}`,
    action: 'snapshot',
    handle: async ({ sequencer, snapshot }) => {
      const seq = sequencer.appliedSeq;
      await snapshot();
      return { seq };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/identity/rotate-kek',
    body: Empty,
    answer: Type.Object({ keyId: Type.String(), resealed: Type.Integer() }),
    auditDetail: ({ keyId, resealed }) => `${resealed} secrets sealed under ${keyId}`,
    action: 'identity.rotateKek',
    handle: ({ identity }) => identity.rotateKek(),
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/config',
    answer: Type.Object({
      settings: Type.Array(
        Type.Object({
          name: Type.String(),
          /** JSON. */
          value: Type.String(),
          from: Type.String(),
          flag: Type.String(),
          environment: Type.String(),
        }),
      ),
    }),
    handle: ({ settings }) => ({ settings: [...settings] }),
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/audit',
    query: Type.Object(
      {
        limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
        /** A part of operator, action, arguments, outcome or detail. */
        search: Type.Optional(Type.String({ maxLength: 64 })),
        /** The whole log is read and checked, as with a search; else the lines that are returned. */
        verify: Type.Optional(Type.Literal('yes')),
      },
      closed,
    ),
    answer: Type.Object({
      /** The newest last. */
      lines: Type.Array(Type.Record(Type.String(), Type.Unknown())),
      /** Lines of the whole log, those of them that were checked, and the hash of the last. */
      total: Type.Integer(),
      checked: Type.Integer(),
      head: Type.String(),
    }),
    handle: async ({ audit, query }) => {
      const limit = Math.min(Number(query.limit ?? 100), AUDIT_LINES_MAX);
      const sought = (query.search ?? '').toLowerCase();
      const all = sought !== '' || query.verify === 'yes';
      const lines = await audit.last(all ? Number.POSITIVE_INFINITY : Math.max(1, limit));
      const found = sought === '' ? lines : lines.filter((line) => contains(line, sought));
      const last = lines.at(-1);
      return {
        lines: limit === 0 ? [] : found.slice(-limit).map((line) => ({ ...line })),
        total: last?.seq ?? 0,
        checked: lines.length,
        head: last?.hash ?? '',
      };
    },
  }),
];
