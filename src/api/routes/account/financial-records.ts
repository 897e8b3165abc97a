/** Ledger lines of a wallet (wire 4.3). */

import { CATEGORY_NAMES, type WalletName } from '../../../core/model/enums.ts';
import { type Static, Type } from '../../../validation/schema.ts';
import {
  FUNDING_GROUPS,
  LEDGER_FIELDS,
  type LedgerCategory,
  type LedgerView,
  OTHER_CATEGORY,
} from '../../../views/ledger-view.ts';
import { type Call, type Route, route } from '../../route.ts';
import * as fields from '../../wire/fields.ts';
import { checkSymbol } from '../../wire/instrument-lookup.ts';
import { CoinName } from '../../wire/money-input.ts';
import { historyPage, pageOf } from '../../wire/paging.ts';
import { page, texts } from '../../wire/responses.ts';
import { WireError } from '../../wire/wire-error.ts';

const group = 'Financial records';

const lineFields = {
  coin: Type.Optional(CoinName),
  type: Type.Optional(Type.String({ maxLength: 64, description: 'one type of record only' })),
  ...fields.pageFields,
};
const LineQuery = Type.Object({ ...lineFields, symbol: Type.Optional(fields.SymbolName) });

const FinancialRecord = Type.Object(texts(...LEDGER_FIELDS));
const FundingRecord = Type.Object(texts('id', 'coin', 'groupType', 'type', 'amount', 'fee', 'balance', 'ts'));

interface Lines {
  readonly wallet: WalletName;
  readonly category: LedgerCategory;
  /** The type as this wallet names it. */
  readonly type: string | undefined;
}

async function readLines(
  { sequencer, clock, caller, query }: Call<Static<typeof LineQuery>, unknown>,
  { wallet, category, type }: Lines,
): Promise<LedgerView[] | WireError> {
  const unknown = checkSymbol(
    sequencer.state,
    category === OTHER_CATEGORY ? undefined : category,
    query.symbol,
  );
  if (unknown !== undefined) return unknown;
  const page = historyPage(query, clock.now());
  if (page instanceof WireError) return page;
  await sequencer.durable();
  return sequencer.history.ledgerLines({
    uid: caller.user.uid,
    wallet,
    category,
    ...page,
    ...(type !== undefined && { type }),
    ...(query.coin !== undefined && { coin: query.coin.toUpperCase() }),
    ...(query.symbol !== undefined && { symbol: query.symbol }),
  });
}

const lineId = (line: { readonly id: string }) => line.id;

export const financialRecordRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/account/financial-records',
    summary:
      'Movements of money in the unified account, newest first; deposits, withdrawals and transfers are OTHER',
    group,
    access: 'mgt_read',
    perSecond: 20,
    query: Type.Object({
      category: Type.Enum([...CATEGORY_NAMES, OTHER_CATEGORY], { description: 'product category, or OTHER' }),
      symbol: Type.Optional(fields.SymbolName),
      ...lineFields,
    }),
    data: page(FinancialRecord),
    handle: async (call) => {
      const { category, type } = call.query;
      const lines = await readLines(call, { wallet: 'uta', category, type: type?.toUpperCase() });
      return lines instanceof WireError ? lines : pageOf(lines, lineId);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/account/funding-financial-records',
    summary: 'Movements of money in the funding wallet, newest first',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: LineQuery,
    data: page(FundingRecord),
    handle: async (call) => {
      const { type } = call.query;
      const lines = await readLines(call, {
        wallet: 'spot',
        category: OTHER_CATEGORY,
        type: type?.toLowerCase(),
      });
      if (lines instanceof WireError) return lines;
      const groups: Readonly<Record<string, string>> = FUNDING_GROUPS;
      const records = lines.map((line) => ({ ...line, groupType: groups[line.type] ?? line.type }));
      return pageOf(records, lineId);
    },
  }),
];
