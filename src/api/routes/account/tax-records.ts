/** A year of ledger lines of both wallets, for tax purposes (wire 4.3). */

import { CATEGORY_NAMES, WALLET_NAMES } from '../../../core/model/enums.ts';
import { LEDGER_RETENTION_MS } from '../../../history/history.ts';
import { Type } from '../../../validation/schema.ts';
import { type LedgerView, OTHER_CATEGORY } from '../../../views/ledger-view.ts';
import { type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { CoinName } from '../../wire/money-input.ts';
import { historyPage, PAGE_MAX } from '../../wire/paging.ts';
import { texts } from '../../wire/responses.ts';
import { WireError } from '../../wire/wire-error.ts';

export const taxRecordRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/tax/records',
    summary: 'Movements of money in both wallets over up to 366 days, newest first',
    group: 'Financial records',
    access: 'mgt_read',
    perSecond: 1,
    query: Type.Object({
      bizType: Type.Enum([...CATEGORY_NAMES, OTHER_CATEGORY], {
        description: 'product category, or OTHER for deposits, withdrawals, transfers and loans',
      }),
      marginType: Type.Optional(
        Type.Enum(['isolated', 'crossed'] as const, {
          description: 'with MARGIN: debts are crossed here, so isolated finds nothing',
        }),
      ),
      coin: Type.Optional(CoinName),
      ...fields.pageFields,
      startTime: fields.Time,
      endTime: fields.Time,
    }),
    data: Type.Array(Type.Object(texts('id', 'coin', 'type', 'amount', 'fee', 'balance', 'ts'))),
    handle: async ({ sequencer, clock, caller, query }) => {
      const page = historyPage(query, clock.now(), LEDGER_RETENTION_MS, PAGE_MAX, LEDGER_RETENTION_MS);
      if (page instanceof WireError) return page;
      if (query.bizType === 'MARGIN' && query.marginType === 'isolated') return [];
      await sequencer.durable();
      const lines = await Promise.all(
        WALLET_NAMES.map((wallet) =>
          sequencer.history.ledgerLines({
            uid: caller.user.uid,
            wallet,
            category: query.bizType,
            ...page,
            ...(query.coin !== undefined && { coin: query.coin.toUpperCase() }),
          }),
        ),
      );
      return newest(lines.flat(), page.limit).map(recordOf);
    },
  }),
];

function newest(lines: readonly LedgerView[], limit: number): LedgerView[] {
  return lines.toSorted((a, b) => (BigInt(a.id) > BigInt(b.id) ? -1 : 1)).slice(0, limit);
}

function recordOf({ id, coin, type, amount, fee, balance, ts }: LedgerView) {
  return { id, coin, type, amount, fee, balance, ts };
}
