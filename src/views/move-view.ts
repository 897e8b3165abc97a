/** A position moved between accounts of one owner, on the wire (wire 4.1). */

import { CATEGORY_NAMES } from '../core/model/enums.ts';
import type { PositionMoved } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { formatUnits } from '../core/model/units.ts';
import type { StringFields } from './format.ts';
import { formatId } from './format.ts';

export const MOVE_FIELDS = [
  'category',
  'fromUid',
  'toUid',
  // Order of the source account.
  'orderId',
  'openExecId',
  'closeExecId',
  'symbol',
  'posSide',
  'qty',
  'price',
  // Always `completed`: a move happens at once, and a rejected one leaves no record.
  'status',
  'createdTime',
  'updatedTime',
] as const;
export type MoveView = StringFields<typeof MOVE_FIELDS>;

export const MOVED = 'completed';

export function moveView(move: PositionMoved, instrument: Instrument): MoveView {
  const time = String(move.time);
  return {
    category: CATEGORY_NAMES[move.category],
    fromUid: String(move.fromUid),
    toUid: String(move.toUid),
    orderId: formatId(move.orderId),
    openExecId: execIdText(move.openExecId),
    closeExecId: execIdText(move.closeExecId),
    symbol: instrument.symbol,
    posSide: move.long ? 'long' : 'short',
    qty: formatUnits(BigInt(move.sizeLots), instrument.quantityPrecision),
    price: formatUnits(BigInt(move.priceTicks), instrument.pricePrecision),
    status: MOVED,
    createdTime: time,
    updatedTime: time,
  };
}

/** Fills of house accounts are not shown. */
function execIdText(execId: number): string {
  return execId === 0 ? '' : formatId(execId);
}
