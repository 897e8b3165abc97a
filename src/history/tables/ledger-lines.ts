/** Ledger lines: money that entered or left a coin of a wallet. */

import { WALLET_NAMES, Wallet } from '../../core/model/enums.ts';
import type { LedgerLine } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import { LEDGER_FIELDS, type LedgerView, ledgerView } from '../../views/ledger-view.ts';
import { LEDGER_RETENTION_MS, type LedgerQuery } from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const LEDGER_LINES = new UserTable({
  name: 'ledger_lines',
  id: 'id',
  created: 'ts',
  // Tax records cover a year (wire 4.3).
  retentionMs: LEDGER_RETENTION_MS,
  before: ['id', 'uid'],
  texts: textsAmong(LEDGER_FIELDS, ['id', 'ts']),
  after: ['wallet', 'reference', 'ts'],
});

export function ledgerRow(line: LedgerLine, names: NameResolver): RowValues {
  const symbol = line.instrument < 0 ? '' : names.instrument(line.instrument).symbol;
  const view = ledgerView(line, symbol, names.coin);
  const wallet = WALLET_NAMES[line.wallet ?? Wallet.unified];
  return LEDGER_LINES.row([line.lineId, line.uid], view, [wallet, line.reference, line.time]);
}

function readLine(row: Row): LedgerView {
  return { id: formatId(Number(row[0])), ...LEDGER_LINES.textsOf(row), ts: String(row.at(-1)) };
}

export function* ledgerLines(pages: Pages, query: LedgerQuery): Read<LedgerView[]> {
  const { uid, wallet, category, symbol, coin, type } = query;
  const filters = { wallet, symbol, type };
  const rows =
    coin === undefined
      ? yield* pages.pageByCategory(LEDGER_LINES, query, category, filters)
      : yield* pages.page(LEDGER_LINES, 'ledger_lines_by_coin', query, { uid, coin, category, ...filters });
  return rows.map(readLine);
}
