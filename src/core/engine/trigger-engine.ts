/**
 * Fires strategy orders (rules 3.4, 3.5, 9.4 step 3). Those whose trigger was reached are queued in ascending id. Each places
 * an order; strategy orders that its trades reach join the end of the queue. Dirty accounts are processed when the queue is
 * empty; their liquidations may trade and reach more triggers, so this repeats until nothing changes.
 */

import { NIL } from '../book/order-slab.ts';
import type { Settlements } from '../entry/execution.ts';
import { placeOrder } from '../entry/place-order.ts';
import { maxSpendable } from '../margin/spending-check.ts';
import type { PlaceOrder } from '../model/command.ts';
import {
  HoldMode,
  OrderOrigin,
  OrderType,
  PosSide,
  Side,
  StrategyKind,
  StrategyReason,
  StrategyStatus,
  TimeInForce,
  TriggerType,
} from '../model/enums.ts';
import { baseUnits, type Instrument } from '../model/instrument.ts';
import { Bucket } from '../model/ledger-accounts.ts';
import { FIRINGS_PER_COMMAND_MAX } from '../model/limits.ts';
import { RejectReason } from '../model/reject-reason.ts';
import type { TriggerLeg } from '../model/tpsl.ts';
import { smaller } from '../model/units.ts';
import { priceBand } from '../orders/order-checks.ts';
import type { Account } from '../state/account.ts';
import { isEnding } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import type { StrategyOrder, TriggeredBy } from '../state/strategy-order.ts';
import { emitFinal, emitStrategy, isTpsl, unregisterStrategy } from '../strategy/strategy-lifecycle.ts';
import { protectedPosition } from '../strategy/strategy-lookup.ts';
import type { Cancellations } from './cancellations.ts';
import type { RiskEngine } from './risk-engine.ts';

/** An order that is placed costs as much as so many that are cancelled. */
const FIRING_SHARE = 4;

export class TriggerEngine {
  private readonly state: State;
  private readonly settlements: Settlements;
  private readonly riskEngine: RiskEngine;
  private readonly cancellations: Cancellations;
  /** Orders made in the present command; fills that they and the order of the command brought, and orders cancelled before them. */
  private fired = 0;
  private fills = 0;

  constructor(state: State, settlements: Settlements, riskEngine: RiskEngine, cancellations: Cancellations) {
    this.state = state;
    this.settlements = settlements;
    this.riskEngine = riskEngine;
    this.cancellations = cancellations;
  }

  /** A command begins. */
  begin(): void {
    this.fired = 0;
    this.fills = 0;
  }

  /** The order of the command has brought so many fills. */
  countFills(fills: number): void {
    this.fills += fills;
  }

  /** A tick: what waits for its turn goes on (rules 14.4). */
  resume(): void {
    const { strategies, rules } = this.state;
    if (rules.portions) strategies.paused = false;
  }

  /** The marks of a second have been sampled. */
  onPrices(): void {
    const { state } = this;
    state.strategies.paused = false;
    // Triggers that the mark reaches in a halt or pause fire when it ends.
    if (!state.halted) {
      for (const { futures, markTriggers } of state.markets) {
        if (markTriggers === undefined || futures === undefined) continue;
        const { instrument } = futures;
        if (isEnding(state, instrument.index)) continue;
        if (futures.markTicks !== 0 && !instrument.paused) markTriggers.onPrice(futures.markTicks);
      }
    }
    this.fireDue();
  }

  /** Steps 3 and 4 until nothing changes. */
  runUntilIdle(): void {
    const { state } = this;
    const { strategies } = state;
    for (;;) {
      if (strategies.hasDue || strategies.hasQueued) this.fireDue();
      if (state.dirtyAccounts.length !== 0) this.riskEngine.processDirtyAccounts();
      if (state.halted || strategies.paused || !strategies.hasDue) return;
    }
  }

  /** In a halt an order would be rejected: triggers that trades of liquidations reach wait for its end. */
  private fireDue(): void {
    const { state } = this;
    const { strategies, halted, rules } = state;
    if (halted) return;
    while (!strategies.paused) {
      this.queueDue();
      const { next } = strategies;
      if (next === undefined) break;
      // It may have been cancelled while it waited: a snapshot does not have it then, so it must not take a turn.
      const order = strategies.byId.get(next);
      if (this.isUsedUp && !(order === undefined && rules.cancelPortions)) {
        strategies.paused = true;
        break;
      }
      strategies.takeNext();
      if (order === undefined) continue;
      this.fired++;
      const { fillsDone } = state.slab;
      this.submit(order);
      this.fills += state.slab.fillsDone - fillsDone;
    }
  }

  /** Must the next one wait for its turn? Since the ninth edition fills count too (rules 14.4, 19.2). */
  private get isUsedUp(): boolean {
    const { rules, portion } = this.state;
    if (!rules.portions) return this.fired >= FIRINGS_PER_COMMAND_MAX;
    if (rules.fewerMatches && FIRING_SHARE * this.fired + this.fills >= portion) return true;
    return this.fired >= Math.ceil(portion / FIRING_SHARE);
  }

  /**
   * In portions (rules 14.4) the record that an order is submitted is written when its turn comes, because ten thousand may
   * be reached at once.
   */
  private queueDue(): void {
    const { state } = this;
    const { strategies } = state;
    if (!strategies.hasDue) return;
    const batch = strategies.queueDue();
    if (state.rules.portions) return;
    for (const id of batch.ascending())
      emitStrategy(state, strategies.byId.get(id)!, StrategyStatus.submitting);
  }

  private submit(order: StrategyOrder): void {
    const { state } = this;
    const account = state.accounts[order.account]!;
    const instrument = state.instruments[order.instrument]!;
    state.settleOpenWork(account);
    this.fills += this.cancellations.complete(account);
    if (this.riskEngine.checksEarly) this.riskEngine.checkEarly(account);
    // Open work, a freeze or a liquidation may have cancelled it (rules 14.5, 18.1, 19.4).
    if (!state.strategies.byId.has(order.id)) return;
    if (state.rules.portions) emitStrategy(state, order, StrategyStatus.submitting);
    // Its own order may end the position, which must not cancel the record that made it.
    unregisterStrategy(state, order);
    const lots = this.lotsOf(order, account, instrument);
    if (lots === undefined) {
      // Spot and margin have no position that could be gone, only coins that are somewhere else.
      if (instrument.futures === undefined)
        emitFinal(state, order, StrategyStatus.failed, { failure: RejectReason.insufficientBalance });
      else emitFinal(state, order, StrategyStatus.cancelled, { reason: StrategyReason.positionGone });
      return;
    }
    if (isTpsl(order.kind)) order.sizeLots = lots;
    const command = this.commandOf(order, account, instrument, lots);
    const result = placeOrder(state, this.settlements, command, triggeredBy(order, account));
    if (result.rejectReason === RejectReason.none)
      emitFinal(state, order, StrategyStatus.success, { childOrderId: result.orderId });
    else emitFinal(state, order, StrategyStatus.failed, { failure: result.rejectReason });
  }

  /** What it trades now; undefined when the position it protects is gone, or the coins are. */
  private lotsOf(order: StrategyOrder, account: Account, instrument: Instrument): number | undefined {
    if (!isTpsl(order.kind)) return order.sizeLots;
    if (instrument.futures === undefined) return this.sellableLots(order, account, instrument);
    const position = protectedPosition(account, order.instrument, order.posSide);
    if (position === undefined) return undefined;
    return order.kind === StrategyKind.full ? position.lots : Math.min(order.sizeLots, position.lots);
  }

  /**
   * The fee of a buy is taken from what was bought: its stop sells what is left of it, as far as positions and debts
   * allow that sale (rules 6.6), and never borrows to sell, on MARGIN either: it closes only (rules 3.1).
   */
  private sellableLots(order: StrategyOrder, account: Account, instrument: Instrument): number | undefined {
    const { side, sizeLots } = order;
    if (side === Side.buy) return sizeLots;
    const cash = this.state.ledger.balanceOf(account.index, instrument.base, Bucket.cash);
    const { lotStep } = instrument;
    const step = baseUnits(instrument, lotStep);
    const held =
      cash < step
        ? 0n
        : smaller(cash, maxSpendable(this.state, account, { instrument, side, limitTicks: 0, slot: NIL }));
    const steps = held / step;
    if (steps * BigInt(lotStep) >= BigInt(sizeLots)) return sizeLots;
    return steps > 0n ? Number(steps) * lotStep : undefined;
  }

  private commandOf(
    order: StrategyOrder,
    account: Account,
    instrument: Instrument,
    lots: number,
  ): PlaceOrder {
    const { state } = this;
    const leg = firedLeg(order);
    const hedge = account.holdMode === HoldMode.hedge;
    const futures = instrument.futures !== undefined;
    const plan = !isTpsl(order.kind);
    const market = leg.orderType === OrderType.market;
    // A spot market buy spends money; one that must buy a quantity is a limit order at the band that never rests.
    const atBand = market && !plan && !futures && order.side === Side.buy;
    return {
      type: 'placeOrder',
      time: state.now,
      uid: account.uid,
      source: order.source,
      instrument: order.instrument,
      side: order.side,
      orderType: atBand ? OrderType.limit : leg.orderType,
      timeInForce: atBand ? TimeInForce.ioc : TimeInForce.gtc,
      stpMode: order.stpMode,
      priceTicks: atBand ? priceBand(instrument, state.market(instrument)).maxBuyTicks : leg.limitTicks,
      sizeLots: order.quoteAmount > 0n ? 0 : lots,
      quoteAmount: order.quoteAmount,
      clientOid: '',
      posSide: futures && hedge ? order.posSide : PosSide.none,
      reduceOnly: order.reduceOnly && !hedge,
      ...(plan && { preset: order.preset }),
    };
  }
}

function firedLeg(order: StrategyOrder): TriggerLeg {
  if (!isTpsl(order.kind)) return order.trigger;
  return order.triggerType === TriggerType.stopLoss ? order.stopLoss : order.takeProfit;
}

function triggeredBy(order: StrategyOrder, account: Account): TriggeredBy {
  const closes = isTpsl(order.kind) && order.posSide !== PosSide.none;
  const position = closes ? protectedPosition(account, order.instrument, order.posSide) : undefined;
  return {
    origin: originOf(order),
    takesPrecedence: closes,
    closesAll: position !== undefined && order.sizeLots === position.lots,
  };
}

function originOf({ kind, triggerType }: StrategyOrder): OrderOrigin {
  const loss = triggerType === TriggerType.stopLoss;
  switch (kind) {
    case StrategyKind.attached:
      return OrderOrigin.preset;
    case StrategyKind.partial:
      return loss ? OrderOrigin.stopLoss : OrderOrigin.takeProfit;
    case StrategyKind.full:
      return loss ? OrderOrigin.positionStopLoss : OrderOrigin.positionTakeProfit;
    case StrategyKind.trigger:
      return OrderOrigin.plan;
    case StrategyKind.trailing:
      return OrderOrigin.trailing;
  }
}
