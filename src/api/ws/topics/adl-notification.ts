/** The topic `adl-notification`: each fill by which auto-deleveraging reduced a position of the account (wire 5.4). */
import { OrderKind, SIDE_NAMES } from '../../../core/model/enums.ts';
import type { Event, FillRecord } from '../../../core/model/event.ts';
import type { State } from '../../../core/state/state.ts';
import { priceText, sizeText } from '../../routes/market/market-view.ts';
import { EventChannel, type EventRecord } from './event-channel.ts';

export class AdlNotificationChannel extends EventChannel {
  protected override readonly action = 'update';

  protected override records(events: readonly Event[]): readonly EventRecord[] {
    const { state } = this.context.sequencer;
    return events.flatMap((event) =>
      event.type === 'fill' && event.fill.futures?.kind === OrderKind.adl
        ? [deleveraged(state, event.fill)]
        : [],
    );
  }
}

function deleveraged(state: State, fill: FillRecord) {
  const instrument = state.instruments[fill.instrument]!;
  return {
    category: instrument.spec.category.toLowerCase(),
    symbol: instrument.symbol,
    side: SIDE_NAMES[fill.side],
    status: 'triggered',
    price: priceText(instrument, fill.priceTicks),
    amount: sizeText(instrument, fill.sizeLots),
    ts: String(fill.time),
  };
}
