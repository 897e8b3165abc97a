/** Positions moved between accounts of one owner. */
import type { PositionMoved } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import { MOVE_FIELDS, MOVED, type MoveView, moveView } from '../../views/move-view.ts';
import type { MoveQuery } from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const POSITION_MOVES = new UserTable({
  name: 'position_moves',
  id: 'order_id',
  created: 'created_time',
  before: ['order_id', 'master_uid', 'from_uid', 'to_uid', 'open_order_id'],
  texts: textsAmong(MOVE_FIELDS, ['orderId', 'fromUid', 'toUid', 'status', 'createdTime', 'updatedTime']),
  after: ['created_time'],
});

export function moveRow(move: PositionMoved, names: NameResolver): RowValues {
  const { orderId, masterUid, fromUid, toUid, openOrderId, time } = move;
  const view = moveView(move, names.instrument(move.instrument));
  return POSITION_MOVES.row([orderId, masterUid, fromUid, toUid, openOrderId], view, [time]);
}

function readMove(row: Row): MoveView {
  const time = String(row.at(-1));
  return {
    ...POSITION_MOVES.textsOf(row),
    orderId: formatId(Number(row[0])),
    fromUid: String(row[2]),
    toUid: String(row[3]),
    status: MOVED,
    createdTime: time,
    updatedTime: time,
  };
}

export function* positionMoves(pages: Pages, query: MoveQuery): Read<MoveView[]> {
  const { uid, category, symbol } = query;
  const index = symbol === undefined ? 'position_moves_by_category' : 'position_moves_by_symbol';
  const rows = yield* pages.page(POSITION_MOVES, index, query, { master_uid: uid, category, symbol });
  return rows.map(readMove);
}
