/** Fills: each one side of a trade. */
import type { FillRecord } from '../../core/model/event.ts';
import { formatMoney, MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { FILL_FIELDS, type FillView, fillView } from '../../views/fill-view.ts';
import { formatId } from '../../views/format.ts';
import {
  COMMISSION_FILLS_MAX,
  type CommissionQuery,
  type CommissionView,
  type FillQuery,
} from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import type { Pages } from './pages.ts';
import {
  FEE_AND_TIMES,
  feeAndTimes,
  type Row,
  type RowValues,
  readFeeAndTimes,
  textsAmong,
  UserTable,
} from './table.ts';

export const FILLS = new UserTable({
  name: 'fills',
  id: 'exec_id',
  created: 'created_time',
  updated: 'updated_time',
  before: ['exec_id', 'exec_link_id', 'order_id', 'uid', 'commission'],
  texts: textsAmong(FILL_FIELDS, ['execId', 'execLinkId', 'orderId', 'createdTime', 'updatedTime']),
  after: FEE_AND_TIMES,
});

export function fillRow(fill: FillRecord, names: NameResolver): RowValues {
  const view = fillView(fill, names.instrument(fill.instrument), names.coin);
  const { execId, execLinkId, orderId, uid, time } = fill;
  const before = [execId, execLinkId, orderId, uid, formatMoney(fill.commission)];
  return FILLS.row(before, view, feeAndTimes(view.feeDetail, time, time));
}

function readFill(row: Row): FillView {
  const [execId, execLinkId, orderId] = row.slice(0, 3).map((id) => formatId(Number(id)));
  const ids = { execId: execId!, execLinkId: execLinkId!, orderId: orderId! };
  return Object.assign(FILLS.textsOf(row), ids, readFeeAndTimes(row));
}

export function* fills(pages: Pages, query: FillQuery): Read<FillView[]> {
  const rows = yield* rowsOf(pages, query);
  return rows.map(readFill);
}

function rowsOf(pages: Pages, query: FillQuery): Read<Row[]> {
  const { uid, category, symbol, orderId } = query;
  const filters = { uid, category, symbol, order_id: orderId };
  if (orderId !== undefined) return pages.page(FILLS, 'fills_by_order', query, filters);
  if (symbol !== undefined) return pages.page(FILLS, 'fills_by_symbol', query, filters);
  return pages.pageByCategory(FILLS, query, category);
}

const placesOf = (columns: readonly string[]) => columns.map((column) => FILLS.columns.indexOf(column));
const SUMMED_BY = placesOf(['uid', 'category', 'symbol', 'fee_coin']);
const SUMMED = placesOf(['exec_value', 'fee', 'commission']);

/** Fees by account, pair and fee coin; undefined when there are too many fills to sum. */
export function* commissions(pages: Pages, query: CommissionQuery): Read<CommissionView[] | undefined> {
  const { uids, categories, startTime, endTime } = query;
  const rows = yield* pages.records(FILLS, {
    index: 'fills_by_category',
    text: 'WHERE uid IN ? AND category IN ? AND created_time BETWEEN ? AND ? LIMIT ?',
    values: [uids, categories, startTime, endTime, COMMISSION_FILLS_MAX + 1],
  });
  if (rows.length > COMMISSION_FILLS_MAX) return undefined;
  const sums = new Map<string, { of: string[]; dealt: bigint; fee: bigint; commission: bigint }>();
  for (const row of rows) {
    const of = SUMMED_BY.map((place) => String(row[place]));
    const [dealt, fee, commission] = SUMMED.map((place) => parseUnits(String(row[place]), MONEY_SCALE)!);
    const key = of.join(' ');
    const sum = sums.get(key) ?? { of, dealt: 0n, fee: 0n, commission: 0n };
    sum.dealt += dealt!;
    sum.fee += fee!;
    sum.commission += commission!;
    sums.set(key, sum);
  }
  const page = [...sums.keys()].sort().slice(query.skip, query.skip + query.limit);
  return page.map((key) => {
    const { of, dealt, fee, commission } = sums.get(key)!;
    const [uid, category, symbol, coin] = of as [string, string, string, string];
    const amounts = {
      dealtAmount: formatMoney(dealt),
      totalFee: formatMoney(fee),
      totalCommission: formatMoney(commission),
    };
    return { uid, category, symbol, coin, ...amounts };
  });
}
