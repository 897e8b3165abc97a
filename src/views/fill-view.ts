/** A fill on the wire (interface 2.2). */

import {
  CATEGORY_NAMES,
  ORDER_TYPE_NAMES,
  POS_SIDE_NAMES,
  PosSide,
  SIDE_NAMES,
} from '../core/model/enums.ts';
import type { FillRecord } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { formatMoney, formatUnits } from '../core/model/units.ts';
import type { StringFields } from './format.ts';
import { type CoinName, type FeeDetail, feeDetail, formatId } from './format.ts';
import { tradeSideOf } from './futures-enums.ts';

export const FILL_FIELDS = [
  'execId',
  'execLinkId',
  'orderId',
  'clientOid',
  'category',
  'symbol',
  'orderType',
  'side',
  'execPrice',
  'execQty',
  'execValue',
  'tradeScope',
  'tradeSide',
  'posSide',
  'createdTime',
  'updatedTime',
  'execPnl',
  'isRPI',
] as const;
export type FillView = StringFields<typeof FILL_FIELDS> & { readonly feeDetail: readonly FeeDetail[] };

export function fillView(fill: FillRecord, instrument: Instrument, coinName: CoinName): FillView {
  const time = String(fill.time);
  const { futures, side } = fill;
  return {
    execId: formatId(fill.execId),
    execLinkId: formatId(fill.execLinkId),
    orderId: formatId(fill.orderId),
    clientOid: fill.clientOid === '' ? formatId(fill.orderId) : fill.clientOid,
    category: CATEGORY_NAMES[fill.category],
    symbol: instrument.symbol,
    orderType: ORDER_TYPE_NAMES[fill.orderType],
    side: SIDE_NAMES[side],
    execPrice: formatUnits(BigInt(fill.priceTicks), instrument.pricePrecision),
    execQty: formatUnits(BigInt(fill.sizeLots), instrument.quantityPrecision),
    execValue: formatMoney(fill.value),
    tradeScope: fill.maker ? 'maker' : 'taker',
    tradeSide: futures === undefined ? 'open' : tradeSideOf({ ...futures, side }),
    posSide: POS_SIDE_NAMES[futures?.posSide ?? PosSide.none],
    feeDetail: [feeDetail(fill.fee, coinName(fill.feeCoin))],
    createdTime: time,
    updatedTime: time,
    execPnl: formatMoney(futures?.pnl ?? 0n),
    isRPI: fill.rpi ? 'yes' : 'no',
  };
}
