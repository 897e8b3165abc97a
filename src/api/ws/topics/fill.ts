/** The topic `fill`: each fill with fees and profit (wire 5.4). Field names differ from HTTP. */
import type { Event, FillRecord } from '../../../core/model/event.ts';
import type { State } from '../../../core/state/state.ts';
import { fillView } from '../../../views/fill-view.ts';
import { EventChannel, type EventRecord } from './event-channel.ts';
import { holdSide } from './hold-side.ts';

export class FillChannel extends EventChannel {
  protected override records(events: readonly Event[]): readonly EventRecord[] {
    const { state } = this.context.sequencer;
    return events.flatMap((event) => (event.type === 'fill' ? [fillData(state, event.fill)] : []));
  }
}

export function fillData(state: State, fill: FillRecord) {
  const view = fillView(fill, state.instruments[fill.instrument]!, (coin) => state.coins[coin]!.coin);
  return {
    category: view.category.toLowerCase(),
    symbol: view.symbol,
    orderId: view.orderId,
    clientOid: view.clientOid,
    execId: view.execId,
    execLinkId: view.execLinkId,
    orderType: view.orderType,
    side: view.side,
    holdSide: holdSide(view.posSide, fill.futures !== undefined),
    tradeSide: view.tradeSide,
    tradeScope: view.tradeScope,
    execPrice: view.execPrice,
    execQty: view.execQty,
    execValue: view.execValue,
    execPnl: view.execPnl,
    feeDetail: view.feeDetail,
    isRPI: view.isRPI,
    execTime: view.createdTime,
    updatedTime: view.updatedTime,
  };
}
