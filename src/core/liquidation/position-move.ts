/**
 * Moves positions between accounts of one owner (wire 4.1): the giver closes and the receiver opens, both at the present
 * mark and against each other, outside the book and not public. There is no fee, because both sides have one owner;
 * profit is realised as by any close. Each item is carried out on both accounts or on neither, in order.
 */

import { endForcedOrder, forcedOrder, takingOrder } from '../futures/forced-orders.ts';
import { chargeFunding } from '../futures/funding.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { markTicks, positionOf } from '../margin/margin.ts';
import type { MoveItem, MovePositions } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { HoldMode, OrderKind, PosSide, Side, Source } from '../model/enums.ts';
import type { Instrument } from '../model/instrument.ts';
import { placingRejectReason } from '../model/instrument-status.ts';
import { MOVED_POSITIONS_MAX } from '../model/limits.ts';
import type { Position } from '../model/position.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { checkAmount, checkSize } from '../orders/order-checks.ts';
import { clientOidOf } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { crossedIsDue } from './liquidation-check.ts';
import { checkGiver, checkReceiver, givingLeg, type Leg, receivingLeg } from './move-checks.ts';

/**
 * Largest age of the index for a move. The owner sets both sides of it: at an old price one who knows the market could
 * leave the loss with an account that cannot bear it. Waiting costs nothing, so the bound is stricter than elsewhere.
 */
const INDEX_AGE_MAX_MS = 60_000;

interface Parties {
  readonly from: Account;
  readonly to: Account;
}

export function movePositions(
  state: State,
  settlement: FuturesSettlement,
  command: MovePositions,
): CommandResult {
  const parties = partiesOf(state, command);
  if ('rejectReason' in parties) return parties;
  const { initiatorUid, clientOid = '' } = command;
  // Client ids of transfers and withdrawals contain no space, so they cannot collide with `move` and an id.
  const oid = `${initiatorUid} move ${clientOid}`;
  if (clientOid !== '' && state.transferOids.has(oid)) return rejected(RejectReason.moveOidInUse);
  const items = command.items.map((item) => moveOne(state, settlement, parties, item));
  // A command that moved nothing may be repeated with the same id.
  const moved = items.some(({ rejectReason }) => rejectReason === RejectReason.none);
  if (clientOid !== '' && moved) state.transferOids.remember(oid);
  return { ...OK, items };
}

/** Only the main account may move positions, and only within its party. */
function partiesOf(state: State, command: MovePositions): Parties | CommandResult {
  const { initiatorUid, fromUid, toUid, items } = command;
  const from = state.accountByUid.get(fromUid);
  const to = state.accountByUid.get(toUid);
  const initiator = state.accountByUid.get(initiatorUid);
  if (from === undefined || to === undefined || initiator === undefined)
    return rejected(RejectReason.unknownAccount);
  if (from === to) return rejected(RejectReason.sameAccount);
  if (initiator.index !== from.party || from.party !== to.party) return rejected(RejectReason.notOneParty);
  if (items.length > MOVED_POSITIONS_MAX) return rejected(RejectReason.tooManyMoves, MOVED_POSITIONS_MAX);
  if (state.halted) return rejected(RejectReason.tradingHalted);
  return { from, to };
}

function moveOne(
  state: State,
  settlement: FuturesSettlement,
  { from, to }: Parties,
  { instrument: index, side, sizeLots }: MoveItem,
): CommandResult {
  const instrument = state.instruments[index];
  if (instrument?.futures === undefined) return rejected(RejectReason.unknownInstrument);
  const barred = checkContract(state, instrument);
  if (barred !== undefined) return barred;
  const position = givenPosition(from, instrument, side);
  if (position === undefined) return rejected(RejectReason.noPositionToMove);
  const basis = carriedBasis(state, instrument, position, sizeLots);
  const otherSide = side === Side.buy ? Side.sell : Side.buy;
  const owed = sizeLots > position.lots ? 0n : position.owedOf(sizeLots);
  const taking = { ...receivingLeg(to, instrument, otherSide, sizeLots), basis, owed };
  const failure =
    checkLots(state, instrument, position, sizeLots) ??
    checkWaiting(state, from, to) ??
    checkNetting(taking) ??
    checkGiver(state, { ...givingLeg(from, instrument, position, sizeLots), basis }) ??
    checkReceiver(state, taking, from);
  return failure ?? handOver(state, settlement, from, position, taking);
}

/** Of a coin-margined position the cost basis goes along: a move realises nothing (rules 13.2). */
function carriedBasis(
  state: State,
  instrument: Instrument,
  position: Position,
  lots: number,
): bigint | undefined {
  const carries = state.rules.clearingShortfall && instrument.futures!.coinMargined;
  return carries && lots <= position.lots ? position.basisOf(lots) : undefined;
}

/** Netting would realise what the basis is carried along for. */
function checkNetting({ account, instrument, side, posSide, basis }: Leg): CommandResult | undefined {
  const held = positionOf(account, instrument.index, posSide);
  const nets = basis !== undefined && held !== undefined && held.long !== (side === Side.buy);
  return nets ? rejected(RejectReason.positionsOrOrdersOpen) : undefined;
}

/** Both orders fill each other at the mark. */
function handOver(
  state: State,
  settlement: FuturesSettlement,
  from: Account,
  position: Position,
  taking: Leg,
): CommandResult {
  const { account: to, instrument, lots } = taking;
  const { long } = position;
  const priceTicks = markTicks(state, instrument);
  to.cashCanBeNegative = true;
  const closing = forcedOrder(state, from, position, lots, OrderKind.move);
  const opening = takingOrder(state, to, taking, OrderKind.move);
  const orderId = state.slab.id[closing]!;
  const openOrderId = state.slab.id[opening]!;
  const clientOid = clientOidOf(state, closing);
  const owed = position.owedOf(lots);
  position.fundingOwed -= owed;
  const fills = {
    ...settlement.contextOf(instrument),
    movedQueueValue: position.queueValueOf(lots),
    ...(taking.basis !== undefined && { movedBasis: taking.basis }),
  };
  settlement.tradeDirectly(fills, closing, opening, priceTicks, lots);
  takeOwedFunding(state, taking, owed);
  endForcedOrder(state, closing);
  endForcedOrder(state, opening);
  state.emit({
    type: 'positionMoved',
    orderId,
    openOrderId,
    closeExecId: lastFillOf(state, orderId),
    openExecId: lastFillOf(state, openOrderId),
    masterUid: state.accounts[from.party]!.uid,
    fromUid: from.uid,
    toUid: to.uid,
    instrument: instrument.index,
    category: instrument.category,
    long,
    sizeLots: lots,
    priceTicks,
    time: state.now,
  });
  return { rejectReason: RejectReason.none, orderId, clientOid, openOrderId };
}

/** Funding that is owed goes along with an isolated position; any other receiver pays it at once (rules 13.8). */
function takeOwedFunding(state: State, { account, instrument, side, posSide }: Leg, owed: bigint): void {
  if (owed === 0n) return;
  const position = positionOf(account, instrument.index, posSide);
  if (position?.isolated === true && position.long === (side === Side.buy)) position.fundingOwed += owed;
  else chargeFunding(state, account, instrument, owed, '');
}

/** What the present command has emitted of an order's fills; 0 when nothing. */
function lastFillOf({ events }: State, orderId: number): number {
  const last = events.findLast((event) => event.type === 'fill' && event.fill.orderId === orderId);
  return last?.type === 'fill' ? last.fill.execId : 0;
}

/** The contract must be open for closing and for opening, and its index fresh. */
function checkContract(state: State, instrument: Instrument): CommandResult | undefined {
  for (const opening of [false, true]) {
    const rejectReason = placingRejectReason(instrument, opening, Source.api, state.now);
    if (rejectReason !== RejectReason.none) return rejected(rejectReason);
  }
  const { markTicks: mark, index } = state.market(instrument).futures!;
  if (mark === 0) return rejected(RejectReason.noIndexPrice);
  const reported = state.rules.livePrices ? index.reportedAt(state.now) : index.changedTime;
  const old = index.stale || state.now - reported > INDEX_AGE_MAX_MS;
  return old ? rejected(RejectReason.staleIndexPrice) : undefined;
}

/** An account that is due for liquidation and waits only for a fresh price neither gives nor receives. */
function checkWaiting(state: State, ...accounts: readonly Account[]): CommandResult | undefined {
  const due = accounts.some((account) => crossedIsDue(state, account));
  return due ? rejected(RejectReason.accountLiquidating) : undefined;
}

/** A sell gives a long away, a buy a short. */
function givenPosition(account: Account, { index }: Instrument, side: Side): Position | undefined {
  const long = side === Side.sell;
  const hedge = account.holdMode === HoldMode.hedge;
  const position = positionOf(account, index, !hedge ? PosSide.none : long ? PosSide.long : PosSide.short);
  return position?.long === long ? position : undefined;
}

/** At least the minimum size of an order, or the whole position. */
function checkLots(
  state: State,
  instrument: Instrument,
  { lots: held }: Position,
  lots: number,
): CommandResult | undefined {
  if (lots === held) return undefined;
  const failure = checkSize(instrument, lots, 0);
  if (failure !== undefined) return failure;
  if (lots > held) return rejected(RejectReason.moveAbovePosition, held);
  return checkAmount(instrument, markTicks(state, instrument), lots);
}
