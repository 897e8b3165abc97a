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
import { keptExtreme, type TrailingGroup } from './trailing.ts';
import {
  HIT_STOP_LOSS,
  HIT_TAKE_PROFIT,
  HITS,
  NO_SEAT,
  SUBMITTING,
  type TriggerTable,
} from './trigger-table.ts';

/** The strategy order that placed an order when it fired (rules 3.5). */
export interface TriggeredBy {
  readonly origin: OrderOrigin;
  /** Older closing orders of the position are cancelled for it. */
  readonly takesPrecedence: boolean;
  /** It closes the whole position and may be below the minimum size. */
  readonly closesAll: boolean;
}

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

  /** Where its triggers are while it waits; they are set again when a snapshot is loaded. */
  seat = NO_SEAT;
  private triggers: TriggerTable | undefined;
  /** What has been reached, before it waits and after it has ended. */
  private ownReached = 0;
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
    this.restingExtreme = keptExtreme(ticks);
  }

  /** It waits from now on, or for its turn. */
  enter(triggers: TriggerTable): void {
    this.seat = triggers.takeSeat(this.id, this.ownReached);
    this.triggers = triggers;
  }

  /** It has ended. */
  leave(): void {
    const { triggers } = this;
    if (triggers === undefined) return;
    this.disarm();
    this.ownReached = triggers.reachedOf(this.seat);
    triggers.giveBack(this.seat);
    this.triggers = undefined;
    this.seat = NO_SEAT;
  }

  /** Removes its triggers. */
  disarm(): void {
    this.triggers?.clear(this.seat);
    this.group?.home.leave(this, this.group);
  }

  private get reached(): number {
    return this.triggers === undefined ? this.ownReached : this.triggers.reachedOf(this.seat);
  }

  /** The conditions that have been reached. */
  get hits(): number {
    return this.reached & HITS;
  }

  get status(): typeof StrategyStatus.pending | typeof StrategyStatus.submitting {
    return (this.reached & SUBMITTING) === 0 ? StrategyStatus.pending : StrategyStatus.submitting;
  }

  /** The stop-loss wins when both have been reached (rules 3.4); before that the only leg there is. */
  get triggerType(): TriggerType {
    const { hits } = this;
    if ((hits & HIT_STOP_LOSS) !== 0) return TriggerType.stopLoss;
    if ((hits & HIT_TAKE_PROFIT) !== 0) return TriggerType.takeProfit;
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
    const isSubmitting = f.u8(this.status) === StrategyStatus.submitting;
    this.sizeLots = f.f64(this.sizeLots);
    this.quoteAmount = f.money(this.quoteAmount);
    this.takeProfit = legFields(f, this.takeProfit);
    this.stopLoss = legFields(f, this.stopLoss);
    this.trigger = legFields(f, this.trigger);
    this.rises = f.flag(this.rises);
    this.callbackPpm = f.i32(this.callbackPpm);
    this.ownReached = f.u8(this.hits) | (isSubmitting ? SUBMITTING : 0);
    this.extremeTicks = f.i32(this.extremeTicks);
  }
}
