/** Strategy orders on a trading floor, in the words and decimals of the people who place them. */

import type { CommandResult } from '../../../src/core/model/command-result.ts';
import {
  type CategoryName,
  OrderType,
  POS_SIDE_NAMES,
  type PosSide,
  Side,
  Source,
  STP_MODE_NAMES,
  STRATEGY_REASON_NAMES,
  STRATEGY_STATUS_NAMES,
  type StpMode,
  StrategyKind,
  StrategyStatus,
  TRIGGER_TYPE_NAMES,
} from '../../../src/core/model/enums.ts';
import type { StrategyOrderRecord } from '../../../src/core/model/event.ts';
import type { Instrument } from '../../../src/core/model/instrument.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import { KEEP_LEG, type LegChange, NO_LEG, REMOVE, type TriggerLeg } from '../../../src/core/model/tpsl.ts';
import { delegateTypeOf } from '../../../src/views/futures-enums.ts';
import { Ticket } from '../dsl/ticket.ts';
import { type LegWords, legOf, lotsOf, moneyUnits, type RefusalName, refusalName } from '../dsl/words.ts';
import type { TradingFloor } from '../trading-floor.ts';

export interface StrategyWords {
  readonly on?: string;
  readonly category?: CategoryName;
  readonly posSide?: 'long' | 'short';
  readonly reduceOnly?: boolean;
  readonly takeProfit?: LegWords;
  readonly stopLoss?: LegWords;
  readonly by?: 'market' | 'mark';
  /** Price of a trigger order's limit order. */
  readonly limit?: string;
  readonly clientOid?: string;
  readonly stp?: (typeof STP_MODE_NAMES)[number];
}

interface Shape {
  readonly kind: StrategyKind;
  readonly side?: Side;
  readonly sizeLots?: number;
  readonly quoteAmount?: bigint;
  readonly trigger?: TriggerLeg;
  readonly callbackPpm?: number;
}

/** A strategy order as its owner follows it: every property is how things stand now. */
export class StrategyTicket {
  private readonly floor: TradingFloor;
  readonly instrument: Instrument;
  readonly outcome: CommandResult;

  constructor(floor: TradingFloor, instrument: Instrument, outcome: CommandResult) {
    this.floor = floor;
    this.instrument = instrument;
    this.outcome = outcome;
  }

  /** Everything that was told of it, oldest first. */
  get records(): StrategyOrderRecord[] {
    return this.floor
      .eventsOf('strategyOrder')
      .flatMap(({ order }) => (order.orderId === this.outcome.orderId ? [order] : []));
  }

  get record(): StrategyOrderRecord {
    return this.records.at(-1)!;
  }

  /** In one line: `pending`, `success stopLoss`, `failed sellBelowBand`, `cancelled position_closed`, `refused ...`. */
  get stands(): string {
    if (this.outcome.rejectReason !== RejectReason.none)
      return `refused ${refusalName(this.outcome.rejectReason)}`;
    const { status, reason, failure, triggerType } = this.record;
    const why =
      status === StrategyStatus.cancelled
        ? STRATEGY_REASON_NAMES[reason]
        : status === StrategyStatus.failed
          ? refusalName(failure)
          : status === StrategyStatus.success
            ? TRIGGER_TYPE_NAMES[triggerType]
            : '';
    return `${STRATEGY_STATUS_NAMES[status]} ${why}`.trimEnd();
  }

  /** The statuses it has gone through. */
  get life(): string[] {
    return this.records.map(({ status }) => STRATEGY_STATUS_NAMES[status]);
  }

  /** The order it made. */
  get child(): Ticket {
    return new Ticket(this.floor, this.instrument, {
      rejectReason: RejectReason.none,
      orderId: this.record.childOrderId,
      clientOid: '',
    });
  }

  /** `delegateType` of the order it made. */
  get delegateType(): string {
    const { futures, orderType, side, origin } = this.child.record;
    return delegateTypeOf(futures?.kind ?? 0, orderType, side, origin);
  }
}

/** Take-profit and stop-loss on the whole position, or on part of it when `qty` is given. */
export function protect(
  floor: TradingFloor,
  name: string,
  words: StrategyWords & { readonly qty?: string },
): StrategyTicket {
  const instrument = floor.instrument(words.on, words.category);
  return send(floor, name, words, {
    kind: words.qty === undefined ? StrategyKind.full : StrategyKind.partial,
    ...(words.qty !== undefined && { sizeLots: lotsOf(instrument, words.qty) }),
  });
}

/** An order that waits for a price; `qty` is money on a spot market buy. */
export function when(
  floor: TradingFloor,
  name: string,
  side: 'buy' | 'sell',
  qty: string,
  at: string,
  words: StrategyWords = {},
): StrategyTicket {
  const instrument = floor.instrument(words.on, words.category);
  const trigger = legOf(instrument, {
    at,
    by: words.by ?? 'market',
    ...(words.limit !== undefined && { limit: words.limit }),
  });
  return send(floor, name, words, {
    kind: StrategyKind.trigger,
    side: side === 'buy' ? Side.buy : Side.sell,
    ...sizeOf(instrument, side, qty, trigger),
    trigger,
  });
}

/** Follows the price and fires when it comes back by `callback` percent; waits for `from` when it is given. */
export function trail(
  floor: TradingFloor,
  name: string,
  side: 'buy' | 'sell',
  qty: string,
  callback: number,
  words: StrategyWords & { readonly from?: string } = {},
): StrategyTicket {
  const instrument = floor.instrument(words.on, words.category);
  const by = words.by ?? 'market';
  const trigger =
    words.from === undefined
      ? { ...NO_LEG, triggerBy: legOf(instrument, { at: '1', by }).triggerBy }
      : legOf(instrument, { at: words.from, by });
  return send(floor, name, words, {
    kind: StrategyKind.trailing,
    side: side === 'buy' ? Side.buy : Side.sell,
    ...sizeOf(instrument, side, qty, trigger),
    trigger,
    callbackPpm: callback * 10_000,
  });
}

function sizeOf(instrument: Instrument, side: 'buy' | 'sell', qty: string, { orderType }: TriggerLeg) {
  const byAmount = instrument.futures === undefined && side === 'buy' && orderType === OrderType.market;
  return byAmount ? { quoteAmount: moneyUnits(qty) } : { sizeLots: lotsOf(instrument, qty) };
}

function send(floor: TradingFloor, name: string, words: StrategyWords, shape: Shape): StrategyTicket {
  const instrument = floor.instrument(words.on, words.category);
  const outcome = floor.send({
    type: 'placeStrategy',
    time: floor.now,
    uid: floor.uid(name),
    source: Source.api,
    instrument: instrument.index,
    side: Side.buy,
    posSide: POS_SIDE_NAMES.indexOf(words.posSide ?? '') as PosSide,
    reduceOnly: words.reduceOnly ?? false,
    stpMode: STP_MODE_NAMES.indexOf(words.stp ?? 'none') as StpMode,
    sizeLots: 0,
    quoteAmount: 0n,
    takeProfit: legOf(instrument, words.takeProfit),
    stopLoss: legOf(instrument, words.stopLoss),
    trigger: NO_LEG,
    callbackPpm: 0,
    clientOid: words.clientOid ?? '',
    ...shape,
  });
  return new StrategyTicket(floor, instrument, outcome);
}

export interface ModifyWords {
  readonly qty?: string;
  /** `none` takes the leg away. */
  readonly takeProfit?: LegWords;
  readonly stopLoss?: LegWords;
  readonly trigger?: LegWords;
  readonly callback?: number;
}

export function modify(
  floor: TradingFloor,
  name: string,
  ticket: StrategyTicket,
  words: ModifyWords,
): RefusalName {
  const { instrument, outcome } = ticket;
  const { rejectReason } = floor.send({
    type: 'modifyStrategy',
    time: floor.now,
    uid: floor.uid(name),
    orderId: outcome.orderId,
    clientOid: '',
    sizeLots: words.qty === undefined ? 0 : lotsOf(instrument, words.qty),
    quoteAmount: 0n,
    takeProfit: changeOf(instrument, words.takeProfit),
    stopLoss: changeOf(instrument, words.stopLoss),
    trigger: changeOf(instrument, words.trigger),
    callbackPpm: (words.callback ?? 0) * 10_000,
  });
  return refusalName(rejectReason);
}

export function changeOf(instrument: Instrument, words: LegWords | undefined): LegChange {
  if (words === undefined) return KEEP_LEG;
  return words === 'none' ? { ...KEEP_LEG, triggerTicks: REMOVE } : legOf(instrument, words);
}

export function cancel(floor: TradingFloor, name: string, ticket: StrategyTicket): RefusalName {
  const { orderId } = ticket.outcome;
  return refusalName(
    floor.send({ type: 'cancelStrategy', time: floor.now, uid: floor.uid(name), orderId, clientOid: '' })
      .rejectReason,
  );
}

/** Strategy orders that came with orders, oldest first. */
export function attachedOf(floor: TradingFloor, name: string): StrategyTicket[] {
  const uid = floor.uid(name);
  const ids = new Set(
    floor
      .eventsOf('strategyOrder')
      .filter(({ order }) => order.uid === uid && order.kind === StrategyKind.attached)
      .map(({ order }) => order.orderId),
  );
  return [...ids].map((orderId) => {
    const record = floor.eventsOf('strategyOrder').find(({ order }) => order.orderId === orderId)!.order;
    const instrument = floor.state.instruments[record.instrument]!;
    return new StrategyTicket(floor, instrument, { rejectReason: RejectReason.none, orderId, clientOid: '' });
  });
}
