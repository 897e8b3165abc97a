/** Placing, modifying and cancelling strategy orders (domain.md 3.1 to 3.3). A refused command changes nothing. */
import { type Account, positionKey } from '../account.ts';
import type { CancelStrategy, ModifyStrategy, PlaceStrategy } from '../command.ts';
import type { Position } from '../futures/position.ts';
import type { Instrument } from '../instrument.ts';
import { CALLBACK_PPM_MAX, CALLBACK_PPM_MIN, TPSL_PER_SYMBOL_MAX } from '../limits.ts';
import { placingRefusal } from '../orders/instrument-status.ts';
import { checkPrice, checkQuoteAmount, checkSize } from '../orders/order-checks.ts';
import { formatOrderId, parseOrderId } from '../orders/order-id.ts';
import { type Outcome, refused } from '../outcome.ts';
import { Refusal } from '../refusal.ts';
import type { Market, State } from '../state.ts';
import {
  HoldMode,
  OrderType,
  PosSide,
  Side,
  StrategyKind,
  StrategyReason,
  StrategyStatus,
} from '../terms.ts';
import { checkStrategyCount } from './attached.ts';
import { disarm } from './price-watch.ts';
import { armStrategy, cancelStrategy, emitStrategy, enrollStrategy, isTpsl } from './strategy-life.ts';
import { HIT_TRIGGER, StrategyOrder } from './strategy-order.ts';
import { checkPreset, checkTicks, fittingLeg, triggerReference } from './tpsl-checks.ts';
import { trailingTicks } from './trailing.ts';
import {
  changedLeg,
  changedProtection,
  hasLeg,
  isEmpty,
  type Preset,
  sameLeg,
  type TriggerLeg,
} from './trigger-leg.ts';

/** A strategy order as it would stand after the command. */
interface Draft {
  readonly kind: StrategyKind;
  readonly side: Side;
  readonly posSide: PosSide;
  readonly sizeLots: number;
  readonly quoteAmount: bigint;
  readonly takeProfit: TriggerLeg;
  readonly stopLoss: TriggerLeg;
  readonly trigger: TriggerLeg;
  readonly callbackPpm: number;
}

export function placeStrategy(state: State, command: PlaceStrategy): Outcome {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  const instrument = state.instruments[command.instrument];
  if (instrument === undefined) return refused(Refusal.unknownInstrument);
  const market = state.market(instrument);
  const draft = draftOf(account, instrument, command);
  const refusal =
    checkOpen(state, account, instrument, market, command) ??
    checkClientOid(state, account, command.clientOid) ??
    checkCount(state, account, instrument, draft) ??
    checkDraft(account, instrument, market, draft, undefined);
  if (refusal !== undefined) return refusal;
  const order = new StrategyOrder(
    newId(state, account, command.clientOid),
    account.index,
    instrument.index,
    draft.kind,
    draft.side,
    draft.posSide,
    command.source,
    state.now,
  );
  order.clientOid = command.clientOid;
  order.reduceOnly = isTpsl(draft.kind)
    ? instrument.futures !== undefined
    : command.reduceOnly && account.holdMode === HoldMode.oneWay;
  order.stpMode = command.stpMode;
  if (command.clientOid !== '') state.strategies.remember(account.uid, command.clientOid, state.now);
  write(order, draft);
  start(instrument, market, order, true);
  emitStrategy(state, order, StrategyStatus.pending);
  enrollStrategy(state, order);
  testNow(state, instrument, market, order);
  return { refusal: Refusal.none, orderId: order.id, clientOid: clientOidOf(order) };
}

export function modifyStrategy(state: State, command: ModifyStrategy): Outcome {
  const found = findStrategy(state, command);
  if ('refusal' in found) return found;
  const { account, order } = found;
  const instrument = state.instruments[order.instrument]!;
  const market = state.market(instrument);
  const draft = changedDraft(instrument, order, command);
  if (isSame(order, draft)) return refused(Refusal.strategyUnchanged);
  const refusal =
    checkOpen(state, account, instrument, market, order) ??
    checkDraft(account, instrument, market, draft, order);
  if (refusal !== undefined) return refusal;
  const restarts = !sameLeg(order.trigger, draft.trigger);
  disarm(order);
  write(order, draft);
  start(instrument, market, order, restarts);
  emitStrategy(state, order, StrategyStatus.pending);
  armStrategy(state, order);
  testNow(state, instrument, market, order);
  return { refusal: Refusal.none, orderId: order.id, clientOid: clientOidOf(order) };
}

export function cancelStrategyOrder(state: State, command: CancelStrategy): Outcome {
  const found = findStrategy(state, command);
  if ('refusal' in found) return found;
  const { order } = found;
  cancelStrategy(state, order, StrategyReason.owner);
  return { refusal: Refusal.none, orderId: order.id, clientOid: clientOidOf(order) };
}

/** Looks only among the account's own that still wait: a stranger's id, an ended one and a missing one are the same. */
function findStrategy(
  state: State,
  { uid, orderId, clientOid }: CancelStrategy | ModifyStrategy,
): { account: Account; order: StrategyOrder } | Outcome {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return refused(Refusal.unknownAccount);
  const order = strategyNamed(account, orderId, clientOid);
  if (order === undefined) return refused(Refusal.unknownStrategy);
  if (order.status === StrategyStatus.submitting) return refused(Refusal.strategySubmitting);
  if (account.liquidating) return refused(Refusal.accountLiquidating);
  return { account, order };
}

/** By id, else by client id; one without a client id of its own answers to its printed id. */
export function strategyNamed(
  account: Account,
  orderId: number,
  clientOid: string,
): StrategyOrder | undefined {
  if (orderId !== 0) return account.strategies.get(orderId);
  const named = account.strategyOids.get(clientOid);
  if (named !== undefined) return named;
  const printed = account.strategies.get(parseOrderId(clientOid) ?? 0);
  return printed?.clientOid === '' ? printed : undefined;
}

function clientOidOf(order: StrategyOrder): string {
  return order.clientOid === '' ? formatOrderId(order.id) : order.clientOid;
}

/** The next id whose printed form the account has not taken for a client id of its own. */
function newId(state: State, account: Account, clientOid: string): number {
  let id = state.nextId();
  if (clientOid !== '') return id;
  while (account.strategyOids.has(formatOrderId(id))) id = state.nextId();
  return id;
}

function draftOf(account: Account, instrument: Instrument, command: PlaceStrategy): Draft {
  const { kind } = command;
  const legs = {
    takeProfit: fittingLeg(instrument, command.takeProfit),
    stopLoss: fittingLeg(instrument, command.stopLoss),
    trigger: fittingLeg(instrument, command.trigger),
  };
  const { sizeLots, quoteAmount, callbackPpm } = command;
  if (!isTpsl(kind)) {
    const posSide = account.holdMode === HoldMode.hedge ? command.posSide : PosSide.none;
    return { ...legs, kind, side: command.side, posSide, sizeLots, quoteAmount, callbackPpm };
  }
  const posSide = protectedSide(account, instrument, command);
  return {
    ...legs,
    kind,
    side: posSide === PosSide.short ? Side.buy : Side.sell,
    // Spot has no positions; the side says what is closed.
    posSide: instrument.futures === undefined ? PosSide.none : posSide,
    sizeLots: kind === StrategyKind.full ? 0 : sizeLots,
    quoteAmount: 0n,
    callbackPpm: 0,
  };
}

/** The position that is meant when nobody says which: the only one on the symbol. */
function protectedSide(account: Account, { index }: Instrument, { posSide }: PlaceStrategy): PosSide {
  if (posSide !== PosSide.none) return posSide;
  const open = [...account.positions.values()].filter(({ instrument }) => instrument === index);
  const [only] = open;
  if (open.length !== 1 || only === undefined) return PosSide.none;
  return only.long ? PosSide.long : PosSide.short;
}

function changedDraft(instrument: Instrument, order: StrategyOrder, command: ModifyStrategy): Draft {
  const { kind, side, posSide } = order;
  const byAmount = order.quoteAmount > 0n;
  return {
    kind,
    side,
    posSide,
    sizeLots:
      kind === StrategyKind.full || byAmount || command.sizeLots === 0 ? order.sizeLots : command.sizeLots,
    quoteAmount: byAmount && command.quoteAmount !== 0n ? command.quoteAmount : order.quoteAmount,
    takeProfit: fittingLeg(instrument, changedProtection(order.takeProfit, command.takeProfit)),
    stopLoss: fittingLeg(instrument, changedProtection(order.stopLoss, command.stopLoss)),
    trigger: isTpsl(kind)
      ? order.trigger
      : fittingLeg(instrument, changedLeg(order.trigger, command.trigger)),
    callbackPpm:
      kind !== StrategyKind.trailing || command.callbackPpm === 0 ? order.callbackPpm : command.callbackPpm,
  };
}

function isSame(order: StrategyOrder, draft: Draft): boolean {
  return (
    order.sizeLots === draft.sizeLots &&
    order.quoteAmount === draft.quoteAmount &&
    order.callbackPpm === draft.callbackPpm &&
    sameLeg(order.takeProfit, draft.takeProfit) &&
    sameLeg(order.stopLoss, draft.stopLoss) &&
    sameLeg(order.trigger, draft.trigger)
  );
}

function write(order: StrategyOrder, draft: Draft): void {
  order.sizeLots = draft.sizeLots;
  order.quoteAmount = draft.quoteAmount;
  order.takeProfit = draft.takeProfit;
  order.stopLoss = draft.stopLoss;
  order.trigger = draft.trigger;
  order.callbackPpm = draft.callbackPpm;
}

/** Fixes a trigger order's direction; a trailing order without an activation price is active from the start. */
function start(instrument: Instrument, market: Market, order: StrategyOrder, restarts: boolean): void {
  if (isTpsl(order.kind) || !restarts) return;
  const { triggerTicks, triggerBy } = order.trigger;
  const reference = triggerReference(instrument, market, triggerBy);
  order.rises = triggerTicks >= reference;
  order.extremeTicks = order.kind === StrategyKind.trailing && triggerTicks === 0 ? reference : 0;
}

/** A condition that holds already fires at once (domain.md 3.4). Only this order looks: nothing has been traded. */
function testNow(state: State, instrument: Instrument, market: Market, order: StrategyOrder): void {
  if (isTpsl(order.kind)) return;
  const { triggerTicks, triggerBy } = order.trigger;
  const reference = triggerReference(instrument, market, triggerBy);
  const selling = order.side === Side.sell;
  if (order.kind === StrategyKind.trailing && order.extremeTicks === 0) {
    if (selling ? reference < triggerTicks : reference > triggerTicks) return;
    disarm(order);
    order.extremeTicks = reference;
    armStrategy(state, order);
    return;
  }
  const trailing = order.kind === StrategyKind.trailing;
  const level = trailing ? trailingTicks(order.side, order.extremeTicks, order.callbackPpm) : triggerTicks;
  const rises = trailing ? !selling : order.rises;
  if (rises ? reference < level : reference > level) return;
  disarm(order);
  state.strategies.hit(order, HIT_TRIGGER);
}

/** What may trade later can be asked for now; what can be traded by nobody cannot. */
function checkOpen(
  state: State,
  account: Account,
  instrument: Instrument,
  market: Market,
  { source }: Pick<PlaceStrategy, 'source'>,
): Outcome | undefined {
  if (state.halted) return refused(Refusal.tradingHalted);
  const status = placingRefusal(instrument, true, source, state.now);
  const passing = status === Refusal.openingRestricted || status === Refusal.closingRestricted;
  if (status !== Refusal.none && !passing) return refused(status);
  if (account.liquidating) return refused(Refusal.accountLiquidating);
  const noPrice = instrument.futures !== undefined && market.futures?.markTicks === 0;
  return noPrice ? refused(Refusal.noIndexPrice) : undefined;
}

function checkClientOid(state: State, account: Account, clientOid: string): Outcome | undefined {
  if (clientOid === '') return undefined;
  const used =
    strategyNamed(account, 0, clientOid) !== undefined ||
    state.strategies.isUsed(account.uid, clientOid, state.now);
  return used ? refused(Refusal.clientOidInUse) : undefined;
}

function checkCount(
  state: State,
  account: Account,
  instrument: Instrument,
  { kind }: Draft,
): Outcome | undefined {
  if (!isTpsl(kind)) return checkStrategyCount(state, account);
  let count = 0;
  for (const other of account.strategies.values()) {
    const placed = other.kind === StrategyKind.partial || other.kind === StrategyKind.full;
    if (placed && other.instrument === instrument.index) count++;
  }
  return count < TPSL_PER_SYMBOL_MAX
    ? checkStrategyCount(state, account)
    : refused(Refusal.tooManyStrategies, TPSL_PER_SYMBOL_MAX);
}

/** `self` is the record that changes; it does not stand in its own way. */
function checkDraft(
  account: Account,
  instrument: Instrument,
  market: Market,
  draft: Draft,
  self: StrategyOrder | undefined,
): Outcome | undefined {
  if (isTpsl(draft.kind)) return checkTpsl(account, instrument, market, draft, self);
  return checkPlan(account, instrument, market, draft);
}

function checkTpsl(
  account: Account,
  instrument: Instrument,
  market: Market,
  draft: Draft,
  self: StrategyOrder | undefined,
): Outcome | undefined {
  if (isEmpty(draft)) return refused(Refusal.triggerMissing);
  const long = draft.side === Side.sell;
  if (instrument.futures === undefined) {
    if (draft.kind === StrategyKind.full) return refused(Refusal.tpslNotSupported);
    return (
      checkSize(instrument, draft.sizeLots, instrument.maxLots) ??
      checkPreset(draft, { instrument, market, long })
    );
  }
  const position = protectedPosition(account, instrument.index, draft.posSide);
  if (position === undefined) return refused(Refusal.noPositionToProtect);
  // What came with an order is measured by the market alone: its entry is the order's own.
  const entry = draft.kind === StrategyKind.attached ? {} : { position };
  const size =
    draft.kind === StrategyKind.full
      ? checkOnlyFull(account, instrument, draft, self)
      : (checkSize(instrument, draft.sizeLots, 0) ?? checkSum(account, instrument, draft, position, self));
  return size ?? checkPreset(draft, { instrument, market, long, ...entry });
}

/** The position of that direction, whatever the hold mode. */
export function protectedPosition(
  account: Account,
  instrument: number,
  posSide: PosSide,
): Position | undefined {
  const key = account.holdMode === HoldMode.hedge ? posSide : PosSide.none;
  const position = account.positions.get(positionKey(instrument, key));
  return position?.long === (posSide === PosSide.long) ? position : undefined;
}

function checkOnlyFull(
  account: Account,
  instrument: Instrument,
  { posSide }: Draft,
  self: StrategyOrder | undefined,
): Outcome | undefined {
  for (const other of account.strategies.values()) {
    if (other === self || other.kind !== StrategyKind.full) continue;
    if (other.instrument === instrument.index && other.posSide === posSide)
      return refused(Refusal.fullTpslExists);
  }
  return undefined;
}

/**
 * Partial records of one position close no more than it has, take-profits and stop-losses counted apart: clients set
 * them in two records, of which one runs out when the other has closed the position.
 */
function checkSum(
  account: Account,
  instrument: Instrument,
  draft: Draft,
  position: Position,
  self: StrategyOrder | undefined,
): Outcome | undefined {
  let profits = 0;
  let losses = 0;
  for (const other of account.strategies.values()) {
    if (other === self || other.kind !== StrategyKind.partial) continue;
    if (other.instrument !== instrument.index || other.posSide !== draft.posSide) continue;
    if (hasLeg(other.takeProfit)) profits += other.sizeLots;
    if (hasLeg(other.stopLoss)) losses += other.sizeLots;
  }
  const taken = Math.max(hasLeg(draft.takeProfit) ? profits : 0, hasLeg(draft.stopLoss) ? losses : 0);
  const free = Math.max(0, position.lots - taken);
  return draft.sizeLots <= free ? undefined : refused(Refusal.partialTpslAbovePosition, free);
}

/** Trigger and trailing orders: margin, band and status are tested when they fire. */
function checkPlan(
  account: Account,
  instrument: Instrument,
  market: Market,
  draft: Draft,
): Outcome | undefined {
  const { trigger, posSide, kind } = draft;
  const hedge = instrument.futures !== undefined && account.holdMode === HoldMode.hedge;
  if (hedge && posSide === PosSide.none) return refused(Refusal.positionSideNeeded);
  const trailing = kind === StrategyKind.trailing;
  if (!trailing && !hasLeg(trigger)) return refused(Refusal.triggerMissing);
  if (trailing && (draft.callbackPpm < CALLBACK_PPM_MIN || draft.callbackPpm > CALLBACK_PPM_MAX))
    return refused(Refusal.callbackOutOfRange);
  if (trailing && trigger.orderType !== OrderType.market) return refused(Refusal.illegalCombination);
  const price =
    (hasLeg(trigger)
      ? checkTicks(
          instrument,
          trigger.triggerTicks,
          Refusal.triggerPriceOutOfRange,
          Refusal.triggerPriceOffTick,
        )
      : undefined) ??
    (trigger.orderType === OrderType.limit ? checkPrice(instrument, trigger.limitTicks) : undefined);
  return price ?? checkPlanSize(instrument, draft) ?? checkPlanPreset(account, instrument, market, draft);
}

/** A spot market buy spends quote money, as without a trigger. */
function checkPlanSize(instrument: Instrument, draft: Draft): Outcome | undefined {
  const market = draft.trigger.orderType === OrderType.market;
  if (market && draft.side === Side.buy && instrument.futures === undefined) {
    if (draft.sizeLots !== 0) return refused(Refusal.illegalCombination);
    return checkQuoteAmount(instrument, draft.quoteAmount);
  }
  if (draft.quoteAmount !== 0n) return refused(Refusal.illegalCombination);
  return checkSize(instrument, draft.sizeLots, market ? instrument.maxMarketLots : instrument.maxLots);
}

/** What its fills will be protected with is measured by the price they are expected at. */
function checkPlanPreset(
  account: Account,
  instrument: Instrument,
  market: Market,
  draft: Draft,
): Outcome | undefined {
  const preset: Preset = draft;
  if (isEmpty(preset)) return undefined;
  const { trigger, side, posSide } = draft;
  const long = side === Side.buy;
  const closing =
    account.holdMode === HoldMode.hedge && instrument.futures !== undefined
      ? long !== (posSide === PosSide.long)
      : false;
  if (closing) return refused(Refusal.presetNotOpening);
  const expectedTicks =
    trigger.limitTicks || trigger.triggerTicks || triggerReference(instrument, market, trigger.triggerBy);
  return checkPreset(preset, { instrument, market, long, expectedTicks });
}
