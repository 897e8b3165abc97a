/** Placing, amending and cancelling strategy orders (rules 3.1 to 3.3). A rejected command changes nothing. */

import type { AmendStrategy, CancelStrategy, PlaceStrategy } from '../model/command.ts';
import { type CommandResult, rejected } from '../model/command-result.ts';
import { HoldMode, Side, StrategyKind, StrategyReason, StrategyStatus } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { placingRejectReason } from '../model/instrument-status.ts';
import { TPSL_PER_SYMBOL_MAX } from '../model/limits.ts';
import { formatOrderId } from '../model/order-id.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { sameLeg } from '../model/tpsl.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import type { State } from '../state/state.ts';
import { StrategyOrder } from '../state/strategy-order.ts';
import { trailingTicks } from '../state/trailing.ts';
import { HIT_TRIGGER } from '../state/trigger-table.ts';
import { checkStrategyCount } from '../strategy/attached-tpsl.ts';
import { checkDraft } from '../strategy/draft-checks.ts';
import { changedDraft, type Draft, draftOf, isSameDraft, writeDraft } from '../strategy/strategy-draft.ts';
import {
  armStrategy,
  cancelStrategy,
  emitStrategy,
  enrollStrategy,
  isTpsl,
} from '../strategy/strategy-lifecycle.ts';
import { clientOidOf, strategyNamed } from '../strategy/strategy-lookup.ts';
import { triggerReference } from '../strategy/tpsl-checks.ts';

export function placeStrategy(state: State, command: PlaceStrategy): CommandResult {
  const account = state.accountByUid.get(command.uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const instrument = state.instruments[command.instrument];
  if (instrument === undefined) return rejected(RejectReason.unknownInstrument);
  const market = state.market(instrument);
  const draft = draftOf(account, instrument, command);
  const rejectReason =
    checkOpen(state, account, instrument, market, command) ??
    checkClientOid(state, account, command.clientOid) ??
    checkCount(state, account, instrument, draft) ??
    checkDraft(account, instrument, market, draft, undefined);
  if (rejectReason !== undefined) return rejectReason;
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
  writeDraft(order, draft);
  start(instrument, market, order, true);
  emitStrategy(state, order, StrategyStatus.pending);
  enrollStrategy(state, order);
  fireIfReached(state, instrument, market, order);
  return accepted(order);
}

export function amendStrategy(state: State, command: AmendStrategy): CommandResult {
  const found = findStrategy(state, command);
  if ('rejectReason' in found) return found;
  const { account, order } = found;
  const instrument = state.instruments[order.instrument]!;
  const market = state.market(instrument);
  const draft = changedDraft(instrument, order, command);
  if (isSameDraft(order, draft)) return rejected(RejectReason.strategyUnchanged);
  const rejectReason =
    checkOpen(state, account, instrument, market, order) ??
    checkDraft(account, instrument, market, draft, order);
  if (rejectReason !== undefined) return rejectReason;
  const restarts = !sameLeg(order.trigger, draft.trigger);
  order.disarm();
  writeDraft(order, draft);
  start(instrument, market, order, restarts);
  emitStrategy(state, order, StrategyStatus.pending);
  armStrategy(state, order);
  fireIfReached(state, instrument, market, order);
  return accepted(order);
}

export function cancelStrategyOrder(state: State, command: CancelStrategy): CommandResult {
  const found = findStrategy(state, command);
  if ('rejectReason' in found) return found;
  const { order } = found;
  cancelStrategy(state, order, StrategyReason.owner);
  return accepted(order);
}

function accepted(order: StrategyOrder): CommandResult {
  return { rejectReason: RejectReason.none, orderId: order.id, clientOid: clientOidOf(order) };
}

/** Looks only among the account's own that still wait: a stranger's id, an ended one and a missing one are the same. */
function findStrategy(
  state: State,
  { uid, orderId, clientOid }: CancelStrategy | AmendStrategy,
): { account: Account; order: StrategyOrder } | CommandResult {
  const account = state.accountByUid.get(uid);
  if (account === undefined) return rejected(RejectReason.unknownAccount);
  const order = strategyNamed(account, orderId, clientOid);
  if (order === undefined) return rejected(RejectReason.unknownStrategy);
  if (order.status === StrategyStatus.submitting) return rejected(RejectReason.strategySubmitting);
  if (account.liquidating) return rejected(RejectReason.accountLiquidating);
  return { account, order };
}

/** The next id whose printed form the account has not taken for a client id of its own. */
function newId(state: State, account: Account, clientOid: string): number {
  let id = state.nextId();
  if (clientOid !== '') return id;
  while (account.strategyOids.has(formatOrderId(id))) id = state.nextId();
  return id;
}

/** Fixes a trigger order's direction; a trailing order without an activation price is active from the start. */
function start(instrument: Instrument, market: Market, order: StrategyOrder, restarts: boolean): void {
  if (isTpsl(order.kind) || !restarts) return;
  const { triggerTicks, triggerBy } = order.trigger;
  const reference = triggerReference(instrument, market, triggerBy);
  order.rises = triggerTicks >= reference;
  order.extremeTicks = order.kind === StrategyKind.trailing && triggerTicks === 0 ? reference : 0;
}

/** Fires the order at once if its condition already holds (rules 3.4). Other orders are not concerned: there was no trade. */
function fireIfReached(state: State, instrument: Instrument, market: Market, order: StrategyOrder): void {
  if (isTpsl(order.kind)) return;
  const { triggerTicks, triggerBy } = order.trigger;
  const reference = triggerReference(instrument, market, triggerBy);
  const selling = order.side === Side.sell;
  if (order.kind === StrategyKind.trailing && order.extremeTicks === 0) {
    if (selling ? reference < triggerTicks : reference > triggerTicks) return;
    order.disarm();
    order.extremeTicks = reference;
    armStrategy(state, order);
    return;
  }
  const trailing = order.kind === StrategyKind.trailing;
  const level = trailing ? trailingTicks(order.side, order.extremeTicks, order.callbackPpm) : triggerTicks;
  const rises = trailing ? !selling : order.rises;
  if (rises ? reference < level : reference > level) return;
  order.disarm();
  state.strategies.triggers.reach(order.seat, HIT_TRIGGER);
}

/** What may trade later can be asked for now; what can be traded by nobody cannot. */
function checkOpen(
  state: State,
  account: Account,
  instrument: Instrument,
  market: Market,
  { source }: Pick<PlaceStrategy, 'source'>,
): CommandResult | undefined {
  if (state.halted) return rejected(RejectReason.tradingHalted);
  const status = placingRejectReason(instrument, true, source, state.now);
  const passing = status === RejectReason.openingRestricted || status === RejectReason.closingRestricted;
  if (status !== RejectReason.none && !passing) return rejected(status);
  if (account.liquidating) return rejected(RejectReason.accountLiquidating);
  const noPrice = instrument.futures !== undefined && market.futures?.markTicks === 0;
  return noPrice ? rejected(RejectReason.noIndexPrice) : undefined;
}

function checkClientOid(state: State, account: Account, clientOid: string): CommandResult | undefined {
  if (clientOid === '') return undefined;
  const used =
    strategyNamed(account, 0, clientOid) !== undefined ||
    state.strategies.isUsed(account.uid, clientOid, state.now);
  return used ? rejected(RejectReason.clientOidInUse) : undefined;
}

function checkCount(
  state: State,
  account: Account,
  instrument: Instrument,
  { kind }: Draft,
): CommandResult | undefined {
  if (!isTpsl(kind)) return checkStrategyCount(state, account);
  let count = 0;
  for (const other of account.strategies.values()) {
    const placed = other.kind === StrategyKind.partial || other.kind === StrategyKind.full;
    if (placed && other.instrument === instrument.index) count++;
  }
  return count < TPSL_PER_SYMBOL_MAX
    ? checkStrategyCount(state, account)
    : rejected(RejectReason.tooManyStrategies, TPSL_PER_SYMBOL_MAX);
}
