/** Closed futures positions. */
import type { PositionClosed } from '../../core/model/event.ts';
import { formatId } from '../../views/format.ts';
import {
  CLOSED_POSITION_FIELDS,
  type ClosedPositionView,
  closedPositionView,
} from '../../views/position-view.ts';
import type { PositionQuery } from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import { chosen, type Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const CLOSED_POSITIONS = new UserTable({
  name: 'closed_positions',
  id: 'position_id',
  created: 'created_time',
  updated: 'updated_time',
  before: ['position_id', 'uid'],
  texts: textsAmong(CLOSED_POSITION_FIELDS, ['positionId', 'createdTime', 'updatedTime']),
  after: ['created_time', 'updated_time'],
});

export function positionRow(position: PositionClosed, names: NameResolver): RowValues {
  const view = closedPositionView(position, names.instrument(position.instrument), names.coin);
  const { positionId, uid, createdTime, updatedTime } = position;
  return CLOSED_POSITIONS.row([positionId, uid], view, [createdTime, updatedTime]);
}

function readPosition(row: Row): ClosedPositionView {
  return {
    positionId: formatId(Number(row[0])),
    ...CLOSED_POSITIONS.textsOf(row),
    createdTime: String(row.at(-2)),
    updatedTime: String(row.at(-1)),
  };
}

/** Positions end in another order than they begin, so a page continues after the end and the id of its cursor's row. */
export function* closedPositions(pages: Pages, query: PositionQuery): Read<ClosedPositionView[]> {
  const { uid, category, symbol, startTime, endTime, beforeId = Number.MAX_SAFE_INTEGER, limit } = query;
  const [last] = yield* pages.rows(
    'SELECT updated_time FROM closed_positions WHERE position_id = ? AND uid = ?',
    beforeId,
    uid,
  );
  const index = symbol === undefined ? 'closed_positions_by_category' : 'closed_positions_by_symbol';
  const { conditions, values } = chosen({ uid, category, symbol });
  const ended = last === undefined ? Number.MAX_SAFE_INTEGER : Number(last[0]);
  const rows = yield* pages.records(CLOSED_POSITIONS, {
    index,
    text: `WHERE ${conditions.join(' AND ')}
       AND updated_time BETWEEN ? AND ? AND (updated_time, position_id) < (?, ?)
     ORDER BY updated_time DESC, position_id DESC LIMIT ?`,
    values: [...values, startTime, endTime, ended, beforeId, limit],
  });
  return rows.map(readPosition);
}
