/** Orders that were filled or cancelled. */
import type { OrderRecord } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import { ORDER_END_FIELDS, ORDER_FIELDS, type OrderView, orderView } from '../../views/order-view.ts';
import type { OrderQuery } from '../history.ts';
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

export const CLOSED_ORDERS = new UserTable({
  name: 'closed_orders',
  id: 'order_id',
  created: 'created_time',
  updated: 'updated_time',
  before: ['order_id', 'uid'],
  texts: [
    ...textsAmong(ORDER_FIELDS, ['orderId', 'createdTime', 'updatedTime']),
    ...ORDER_END_FIELDS,
    'tradeSide',
  ],
  after: FEE_AND_TIMES,
});

export function orderRow(order: OrderRecord, names: NameResolver): RowValues {
  const view = orderView(order, names.instrument(order.instrument), names.coin);
  const { orderId, uid, createdTime, updatedTime } = order;
  return CLOSED_ORDERS.row([orderId, uid], view, feeAndTimes(view.feeDetail, createdTime, updatedTime));
}

function readOrder(row: Row): OrderView {
  const orderId = formatId(Number(row[0]));
  return Object.assign(CLOSED_ORDERS.textsOf(row), { orderId }, readFeeAndTimes(row));
}

export function* closedOrders(pages: Pages, query: OrderQuery): Read<OrderView[]> {
  const { uid, category, symbol } = query;
  const rows =
    symbol === undefined
      ? yield* pages.pageByCategory(CLOSED_ORDERS, query, category)
      : yield* pages.page(CLOSED_ORDERS, 'closed_orders_by_symbol', query, { uid, symbol, category });
  return rows.map(readOrder);
}

export function* orderById(
  pages: Pages,
  { uid, orderId }: { uid: number; orderId: number },
): Read<OrderView | undefined> {
  const row = yield* pages.orderById(CLOSED_ORDERS, uid, orderId);
  return row && readOrder(row);
}

export function* latestOrderByClientOid(
  pages: Pages,
  { uid, clientOid }: { uid: number; clientOid: string },
): Read<OrderView | undefined> {
  const row = yield* pages.latestOrderByClientOid(CLOSED_ORDERS, uid, clientOid);
  return row && readOrder(row);
}
