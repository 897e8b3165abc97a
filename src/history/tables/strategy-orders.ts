/** Strategy orders that have fired, failed or been cancelled. */
import type { StrategyOrderRecord } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import { STRATEGY_FIELDS, type StrategyView, strategyView } from '../../views/strategy-view.ts';
import type { StrategyQuery } from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const STRATEGY_ORDERS = new UserTable({
  name: 'strategy_orders',
  id: 'order_id',
  created: 'created_time',
  updated: 'updated_time',
  before: ['order_id', 'uid'],
  texts: textsAmong(STRATEGY_FIELDS, ['orderId', 'createdTime', 'updatedTime']),
  after: ['created_time', 'updated_time'],
});

export function strategyRow(order: StrategyOrderRecord, names: NameResolver): RowValues {
  const view = strategyView(order, names.instrument(order.instrument));
  return STRATEGY_ORDERS.row([order.orderId, order.uid], view, [order.createdTime, order.updatedTime]);
}

function readStrategy(row: Row): StrategyView {
  return {
    orderId: formatId(Number(row[0])),
    ...STRATEGY_ORDERS.textsOf(row),
    createdTime: String(row.at(-2)),
    updatedTime: String(row.at(-1)),
  };
}

export function* endedStrategies(pages: Pages, query: StrategyQuery): Read<StrategyView[]> {
  const { uid, category, type } = query;
  const index = type === undefined ? 'strategy_orders_by_category' : 'strategy_orders_by_type';
  const rows = yield* pages.page(STRATEGY_ORDERS, index, query, { uid, category, type });
  return rows.map(readStrategy);
}

/** By its id, else the newest of the client id. */
export function* endedStrategy(
  pages: Pages,
  { uid, orderId, clientOid }: { uid: number; orderId: number; clientOid: string },
): Read<StrategyView | undefined> {
  const row =
    orderId === 0
      ? yield* pages.latestOrderByClientOid(STRATEGY_ORDERS, uid, clientOid)
      : yield* pages.orderById(STRATEGY_ORDERS, uid, orderId);
  return row && readStrategy(row);
}
