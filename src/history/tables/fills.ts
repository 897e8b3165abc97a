/** Fills: each one side of a trade. */
import type { FillRecord } from '../../core/event.ts';
import { FILL_FIELDS, type FillView, fillView } from '../../record/fill-view.ts';
import { formatId } from '../../record/ids.ts';
import type { FillQuery } from '../history.ts';
import { FEE_AND_TIMES, feeAndTimes, readFeeAndTimes } from './fee-and-times.ts';
import type { Names } from './names.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const FILLS = new UserTable({
  name: 'fills',
  id: 'exec_id',
  created: 'created_time',
  updated: 'updated_time',
  before: ['exec_id', 'exec_link_id', 'order_id', 'uid'],
  texts: textsAmong(FILL_FIELDS, ['execId', 'execLinkId', 'orderId', 'createdTime', 'updatedTime']),
  after: FEE_AND_TIMES,
});

export function fillRow(fill: FillRecord, names: Names): RowValues {
  const view = fillView(fill, names.instrument(fill.instrument), names.coin);
  const { execId, execLinkId, orderId, uid, time } = fill;
  return FILLS.row([execId, execLinkId, orderId, uid], view, feeAndTimes(view.feeDetail, time, time));
}

function readFill(row: Row): FillView {
  const [execId, execLinkId, orderId] = row.slice(0, 3).map((id) => formatId(Number(id)));
  const ids = { execId: execId!, execLinkId: execLinkId!, orderId: orderId! };
  return Object.assign(FILLS.textsOf(row), ids, readFeeAndTimes(row));
}

export function fills(pages: Pages, query: FillQuery): FillView[] {
  return rowsOf(pages, query).map(readFill);
}

function rowsOf(pages: Pages, query: FillQuery): Row[] {
  const { uid, category, symbol, orderId } = query;
  const filters = { uid, category, symbol, order_id: orderId };
  if (orderId !== undefined) return pages.page(FILLS, 'fills_by_order', query, filters);
  if (symbol !== undefined) return pages.page(FILLS, 'fills_by_symbol', query, filters);
  return pages.pageByCategory(FILLS, query, category);
}
