/** The topic `fast-fill`: each fill with few fields (wire 5.4). */
import type { Event, FillRecord } from '../../../core/model/event.ts';
import type { State } from '../../../core/state/state.ts';
import { EventChannel, type EventRecord } from './event-channel.ts';
import { fillData } from './fill.ts';

export class FastFillChannel extends EventChannel {
  protected override records(events: readonly Event[]): readonly EventRecord[] {
    const { state } = this.context.sequencer;
    return events.flatMap((event) => (event.type === 'fill' ? [fastFillData(state, event.fill)] : []));
  }
}

function fastFillData(state: State, fill: FillRecord) {
  const { category, symbol, orderId, clientOid, execId, side, ...rest } = fillData(state, fill);
  const { holdSide, tradeScope, execPrice, execQty, execTime, updatedTime } = rest;
  return {
    category,
    symbol,
    orderId,
    clientOid,
    execId,
    side,
    holdSide,
    tradeScope,
    execPrice,
    execQty,
    execTime,
    updatedTime,
  };
}
