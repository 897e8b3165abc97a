/** The topic `strategy-order`: each change of a strategy order (wire 5.4). Field names differ from HTTP. */
import type { Event, StrategyOrderRecord } from '../../../core/model/event.ts';
import type { State } from '../../../core/state/state.ts';
import { strategyView } from '../../../views/strategy-view.ts';
import { EventChannel, type EventRecord } from './event-channel.ts';

export class StrategyOrderChannel extends EventChannel {
  protected override records(events: readonly Event[]): readonly EventRecord[] {
    const { state } = this.context.sequencer;
    return events.flatMap((event) =>
      event.type === 'strategyOrder' ? [strategyData(state, event.order)] : [],
    );
  }
}

function strategyData(state: State, order: StrategyOrderRecord) {
  const view = strategyView(order, state.instruments[order.instrument]!);
  return {
    category: view.category.toLowerCase(),
    symbol: view.symbol,
    orderId: view.orderId,
    clientOid: view.clientOid,
    qty: view.qty,
    side: view.side,
    posSide: view.posSide,
    reduceOnly: view.reduceOnly.toLowerCase(),
    type: view.type,
    status: view.status,
    triggerType: view.triggerType,
    tpTriggerBy: view.tpTriggerBy,
    slTriggerBy: view.slTriggerBy,
    takeProfit: view.takeProfit,
    stopLoss: view.stopLoss,
    tpOrderType: view.tpOrderType,
    slOrderType: view.slOrderType,
    tpLimitPrice: view.tpLimitPrice,
    slLimitPrice: view.slLimitPrice,
    triggerBy: view.triggerBy,
    triggerPrice: view.triggerPrice,
    triggerOrderType: view.triggerOrderType,
    triggerOrderPrice: view.triggerOrderPrice,
    createdTime: view.createdTime,
    updatedTime: view.updatedTime,
  };
}
