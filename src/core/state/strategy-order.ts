/**
 * A waiting strategy order (rules 3): its triggers, and the order that it places. Strategy orders that have ended are
 * not part of the state, only of the events.
 */
import type { Fields } from '../model/bytes.ts';
import {
  type OrderOrigin,
  type PosSide,
  type Side,
  type Source,
  type StpMode,
  StrategyKind,
  StrategyStatus,
  TriggerType,
} from '../model/enums.ts';
import { hasLeg, legFields, NO_LEG, type Preset, type TriggerLeg } from '../model/tpsl.ts';
import type { TrailingGroup } from './trailing.ts';
import type { Trigger } from './trigger-ladder.ts';

/** The strategy order that placed an order when it fired (rules 3.5). */
export interface TriggeredBy {
  readonly origin: OrderOrigin;
  /** Older closing orders of the position are cancelled for it. */
  readonly takesPrecedence: boolean;
  /** It closes the whole position and may be below the minimum size. */
  readonly closesAll: boolean;
}

/** Bits of `hits`: conditions that have held since the record was last checked. */
export const HIT_TAKE_PROFIT = 1;
export const HIT_STOP_LOSS = 2;
export const HIT_TRIGGER = 4;

export class StrategyOrder {
  readonly id: number;
  readonly account: number;
  readonly instrument: number;
  readonly kind: StrategyKind;
  /** Of the order it makes. */
  readonly side: Side;
  /** The position it protects; of a trigger order in hedge mode the one it opens or closes. */
  readonly posSide: PosSide;
  readonly source: Source;
  readonly createdTime: number;
  updatedTime: number;
  /** '' = it is found by its printed id. */
  clientOid = '';
  reduceOnly = false;
  stpMode: StpMode = 0;
  status: typeof StrategyStatus.pending | typeof StrategyStatus.submitting = StrategyStatus.pending;
  sizeLots = 0;
  /** A spot market buy spends this. */
  quoteAmount = 0n;
  /** On a trigger order: the preset for its fills. */
  takeProfit: TriggerLeg = NO_LEG;
  stopLoss: TriggerLeg = NO_LEG;
  trigger: TriggerLeg = NO_LEG;
  /** A trigger order's direction, fixed when its price was set: fires when the price has risen to it, or fallen. */
  rises = false;
  callbackPpm = 0;
  hits = 0;

  /** Its triggers on the ladders; set again when a snapshot is loaded. */
  readonly triggers: Trigger[] = [];
  group: TrailingGroup | undefined;
  private restingExtreme = 0;

  constructor(
    id: number,
    account: number,
    instrument: number,
    kind: StrategyKind,
    side: Side,
    posSide: PosSide,
    source: Source,
    time: number,
  ) {
    this.id = id;
    this.account = account;
    this.instrument = instrument;
    this.kind = kind;
    this.side = side;
    this.posSide = posSide;
    this.source = source;
    this.createdTime = time;
    this.updatedTime = time;
  }

  get preset(): Preset {
    return { takeProfit: this.takeProfit, stopLoss: this.stopLoss };
  }

  /** The best price since a trailing order became active; 0 = it is not. */
  get extremeTicks(): number {
    return this.group?.extremeTicks ?? this.restingExtreme;
  }

  set extremeTicks(ticks: number) {
    this.restingExtreme = ticks;
  }

  /** The stop-loss wins when both have been reached (rules 3.4); before that the only leg there is. */
  get triggerType(): TriggerType {
    if ((this.hits & HIT_STOP_LOSS) !== 0) return TriggerType.stopLoss;
    if ((this.hits & HIT_TAKE_PROFIT) !== 0) return TriggerType.takeProfit;
    const plan = this.kind === StrategyKind.trigger || this.kind === StrategyKind.trailing;
    if (plan || hasLeg(this.takeProfit) === hasLeg(this.stopLoss)) return TriggerType.none;
    return hasLeg(this.takeProfit) ? TriggerType.takeProfit : TriggerType.stopLoss;
  }

  /** For snapshots; what the constructor took is written by the caller. */
  fields(f: Fields): void {
    this.updatedTime = f.f64(this.updatedTime);
    this.clientOid = f.text(this.clientOid);
    this.reduceOnly = f.flag(this.reduceOnly);
    this.stpMode = f.u8(this.stpMode) as StpMode;
    this.status = f.u8(this.status) as StrategyOrder['status'];
    this.sizeLots = f.f64(this.sizeLots);
    this.quoteAmount = f.money(this.quoteAmount);
    this.takeProfit = legFields(f, this.takeProfit);
    this.stopLoss = legFields(f, this.stopLoss);
    this.trigger = legFields(f, this.trigger);
    this.rises = f.flag(this.rises);
    this.callbackPpm = f.i32(this.callbackPpm);
    this.hits = f.u8(this.hits);
    this.extremeTicks = f.i32(this.extremeTicks);
  }
}
