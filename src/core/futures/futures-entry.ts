/**
 * What placing a futures order needs beyond the checks all orders share (domain.md 1.2 numbers 12 to 16, 1.10, 1.11,
 * 5.6): which position it opens or closes, whether the account can carry it, and what it reserves.
 */
import type { Account } from '../account.ts';
import { FLAG_CLOSING, FLAG_ISOLATED, FLAG_LONG, FLAG_SHORT, NIL } from '../book/order-slab.ts';
import type { PlaceOrder } from '../command.ts';
import { ceilWorth } from '../exact-integers.ts';
import { type Instrument, tradeValue, valueNumber } from '../instrument.ts';
import { Bucket } from '../ledger.ts';
import { cancelSlot } from '../orders/cancel.ts';
import { bandOf } from '../orders/order-checks.ts';
import { emitOpen, posSideOf } from '../orders/order-life.ts';
import { type Outcome, refused } from '../outcome.ts';
import { Refusal } from '../refusal.ts';
import type { Market, State } from '../state.ts';
import { CancelReason, HoldMode, OrderType, PosSide, Side } from '../terms.ts';
import { divCeil, larger, MONEY_ONE, RATE_ONE } from '../units.ts';
import { type AccountMargin, Line } from './account-margin.ts';
import { bankruptcyPrice } from './bankruptcy.ts';
import { coinUsd } from './collateral.ts';
import {
  futuresSetting,
  type Intent,
  inDollars,
  isolatedInQuote,
  maintenanceAt,
  markTicks,
  positionOf,
  riskFromScratch,
  unrealisedOf,
} from './margin.ts';
import { accountRisk, currentMargin, exactMargin, initialWith, keptAt, quotePrice } from './margin-cache.ts';
import { feesOf } from './margin-scale.ts';
import { tierIndex } from './margin-tiers.ts';
import type { Position } from './position.ts';

/** More than all roundings of a margin figure together, in 10^-8. */
const DUST = 100;

/** What becomes of an order that passed: its size may shrink, older closing orders may have to go. */
export interface FuturesPlan {
  readonly flags: number;
  readonly lots: number;
  /** Margin that an isolated order holds, in the settlement coin. */
  readonly isolatedLock: bigint;
  /** Older closing orders that make room, oldest first. */
  readonly cancels: readonly number[];
}

export function planFuturesOrder(
  state: State,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  /** A take-profit or stop-loss that has fired pushes other closing orders out of its way (domain.md 3.5). */
  precedence = false,
): FuturesPlan | Outcome {
  const hedge = account.holdMode === HoldMode.hedge;
  const posSide = hedge ? (command.posSide ?? PosSide.none) : PosSide.none;
  if (hedge && posSide === PosSide.none) return refused(Refusal.positionSideNeeded);
  const { isolated } = futuresSetting(account, instrument);
  const sideFlag = posSide === PosSide.long ? FLAG_LONG : posSide === PosSide.short ? FLAG_SHORT : 0;
  const flags = sideFlag | (isolated ? FLAG_ISOLATED : 0);
  const buying = command.side === Side.buy;
  const closing = hedge ? buying !== (posSide === PosSide.long) : (command.reduceOnly ?? false);
  if (closing)
    return planClosing(state, account, instrument, command, posSide, flags | FLAG_CLOSING, precedence);
  return planOpening(state, account, instrument, market, command, flags, isolated);
}

function planClosing(
  state: State,
  account: Account,
  instrument: Instrument,
  command: PlaceOrder,
  posSide: PosSide,
  flags: number,
  precedence: boolean,
): FuturesPlan | Outcome {
  const position = positionOf(account, instrument.index, posSide);
  if (position === undefined) return refused(Refusal.noPositionToClose);
  if (position.long !== (command.side === Side.sell)) return refused(Refusal.closesWrongWay);
  const intent: Intent = {
    instrument,
    side: command.side,
    priceTicks: command.priceTicks,
    lots: command.sizeLots,
  };
  const beyond =
    command.orderType === OrderType.market ? undefined : checkBankruptcy(state, account, intent, posSide);
  if (beyond !== undefined) return beyond;
  const older = closingOrders(state, account, instrument.index, posSide);
  const frozen = older.reduce((sum, slot) => sum + state.slab.remaining[slot]!, 0);
  const plan =
    posSide === PosSide.none || precedence
      ? reduceOnlyPlan(state, position, older, frozen, command.sizeLots)
      : hedgeClosePlan(state, position, older, frozen, command);
  if ('refusal' in plan) return plan;
  return { flags, isolatedLock: 0n, ...plan };
}

/** One-way: the new order shrinks to the position and pushes out the oldest ones that no longer fit (1.10). */
function reduceOnlyPlan(
  state: State,
  position: Position,
  older: readonly number[],
  frozen: number,
  wanted: number,
): { lots: number; cancels: number[] } {
  const lots = Math.min(wanted, position.lots);
  const cancels: number[] = [];
  let left = frozen;
  for (const slot of older) {
    if (lots + left <= position.lots) break;
    cancels.push(slot);
    left -= state.slab.remaining[slot]!;
  }
  return { lots, cancels };
}

/** Hedge: closing orders freeze the position; the oldest go only when nothing at all is free (1.11). */
function hedgeClosePlan(
  state: State,
  position: Position,
  older: readonly number[],
  frozen: number,
  command: PlaceOrder,
): { lots: number; cancels: number[] } | Outcome {
  const available = position.lots - frozen;
  if (command.sizeLots <= available) return { lots: command.sizeLots, cancels: [] };
  if (available > 0) {
    if (command.orderType === OrderType.market) return { lots: available, cancels: [] };
    return refused(Refusal.closeAboveAvailable, available);
  }
  const wanted = Math.min(command.sizeLots, position.lots);
  const cancels: number[] = [];
  let free = 0;
  for (const slot of older) {
    if (free >= wanted) break;
    cancels.push(slot);
    free += state.slab.remaining[slot]!;
  }
  return { lots: Math.min(wanted, free), cancels };
}

/** Open closing orders of a position, oldest first. */
export function closingOrders(
  state: State,
  account: Account,
  instrument: number,
  posSide: PosSide,
): number[] {
  const { slab } = state;
  const slots: number[] = [];
  if (account.openClosing === 0) return slots;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    if (slab.instrument[slot] !== instrument || (slab.flags[slot]! & FLAG_CLOSING) === 0) continue;
    if (posSideOf(slab.flags[slot]!) === posSide) slots.push(slot);
  }
  return slots;
}

function planOpening(
  state: State,
  account: Account,
  instrument: Instrument,
  market: Market,
  command: PlaceOrder,
  flags: number,
  isolated: boolean,
): FuturesPlan | Outcome {
  const priceTicks = reservePrice(instrument, market, command);
  const intent: Intent = { instrument, side: command.side, priceTicks, lots: command.sizeLots };
  const failure =
    checkTier(state, account, intent) ??
    checkPositionCount(account, instrument, posSideOf(flags)) ??
    (command.orderType === OrderType.market
      ? undefined
      : checkBankruptcy(state, account, intent, posSideOf(flags)));
  if (failure !== undefined) return failure;
  const plan = { flags, lots: command.sizeLots, cancels: [] };
  if (!isolated) return checkCrossed(state, account, intent) ?? { ...plan, isolatedLock: 0n };
  const isolatedLock = isolatedReserve(account, { ...intent, priceTicks: dearestFill(market, intent) });
  const short =
    checkIsolated(state, account, instrument, isolatedLock) ??
    checkIsolatedRisk(state, account, intent, posSideOf(flags));
  return short ?? { ...plan, isolatedLock };
}

/** Number 16: nobody closes at a limit that leaves the loss to others. */
export function checkBankruptcy(
  state: State,
  account: Account,
  intent: Intent,
  posSide: PosSide,
): Outcome | undefined {
  const { instrument, side, priceTicks } = intent;
  if (leavesPlenty(state, account, intent)) return undefined;
  const worst = closeLimit(state, account, instrument, side, posSide);
  if (worst === undefined) return undefined;
  const beyond = side === Side.sell ? priceTicks < worst : priceTicks > worst;
  return beyond ? refused(Refusal.beyondBankruptcy, worst) : undefined;
}

/**
 * Would closing all that is held on the other side, at the order's price, leave half of a crossed account at least? Then
 * its bankruptcy price is far beyond; the exact price is computed for the others only.
 */
function leavesPlenty(state: State, account: Account, { instrument, side, priceTicks }: Intent): boolean {
  const margin = currentMargin(state, account);
  const { scale, coinMargined } = instrument.futures!;
  const at = margin.find(instrument.index);
  if (coinMargined || scale === undefined || at < 0 || margin.isolated.length > 0) return false;
  const selling = side === Side.sell;
  const lots = margin.lines[at + (selling ? Line.longLots : Line.shortLots)]!;
  const mark = markTicks(state, instrument);
  const worse = Math.max(0, selling ? mark - priceTicks : priceTicks - mark);
  const loss = valueNumber(instrument, worse, lots);
  const fee = feesOf(scale, valueNumber(instrument, Math.max(priceTicks, mark), lots), 0);
  return 2 * ceilWorth(loss + fee, quotePrice(state, instrument)) + DUST < margin.effective;
}

/** The worst price at which an order may reduce the position it is about; undefined when it reduces none. */
export function closeLimit(
  state: State,
  account: Account,
  instrument: Instrument,
  side: Side,
  posSide: PosSide,
): number | undefined {
  const position = positionOf(account, instrument.index, posSide);
  if (position === undefined || position.long !== (side === Side.sell)) return undefined;
  return bankruptcyPrice(state, account, position);
}

/** Price an order is reserved at: its limit, or for a market order a little beyond the best price (5.6). */
export function reservePrice(instrument: Instrument, market: Market, command: PlaceOrder): number {
  if (command.orderType === OrderType.limit) return command.priceTicks;
  const buying = command.side === Side.buy;
  const band = bandOf(instrument, market);
  const best = market.book.bestTicks(buying ? Side.sell : Side.buy, false);
  if (!buying) return best === 0 ? band.minSellTicks : best;
  if (best === 0) return band.maxBuyTicks;
  const raised = Number(divCeil(BigInt(best) * (RATE_ONE + instrument.futures!.costReserveRate), RATE_ONE));
  return Math.min(raised, band.maxBuyTicks);
}

/** A buy costs at most its limit; a sell meets bids above its limit, and needs margin at their price. */
export function dearestFill({ book }: Market, { side, priceTicks }: Intent): number {
  return side === Side.buy ? priceTicks : Math.max(priceTicks, book.bestTicks(Side.buy, true));
}

/** The size the account could end up with must be within the tier that its leverage allows (number 13). */
export function checkTier(
  state: State,
  account: Account,
  intent: Intent,
  leaveOut: number = NIL,
): Outcome | undefined {
  const { instrument, side } = intent;
  const { tiers } = instrument.futures!;
  const buying = side === Side.buy;
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const leverage = buying ? longLeverage : shortLeverage;
  if (fitsFirstTier(state, account, intent, leverage)) return undefined;
  let notional =
    tradeValue(instrument, intent.priceTicks, intent.lots) +
    openValue(state, account, instrument, side, leaveOut);
  for (const position of account.positions.values()) {
    if (position.instrument !== instrument.index) continue;
    const value = tradeValue(instrument, markTicks(state, instrument), position.lots);
    if (position.long === buying) notional += value;
    else if (position.posSide === PosSide.none) notional = larger(0n, notional - value);
  }
  const top = tiers.at(-1)!;
  if (notional > top.upTo || tiers[tierIndex(tiers, notional)]!.maxLeverage < leverage) {
    return refused(Refusal.aboveTier, leverage);
  }
  return undefined;
}

/** Two positions of a contract at most, a long and a short; its terms may allow but one (number 13). */
function checkPositionCount(
  account: Account,
  { index, maxPositions }: Instrument,
  posSide: PosSide,
): Outcome | undefined {
  if (maxPositions !== 1 || posSide === PosSide.none) return undefined;
  const other = posSide === PosSide.long ? PosSide.short : PosSide.long;
  return positionOf(account, index, other) === undefined
    ? undefined
    : refused(Refusal.tooManyPositions, maxPositions);
}

/** Everything of the contract together is within the first tier, whichever way it would go. */
function fitsFirstTier(state: State, account: Account, intent: Intent, leverage: number): boolean {
  const { instrument, priceTicks, lots } = intent;
  const [first] = instrument.futures!.tiers;
  if (first!.maxLeverage < leverage || futuresSetting(account, instrument).isolated) return false;
  const margin = currentMargin(state, account);
  const at = margin.find(instrument.index);
  const added = valueNumber(instrument, priceTicks, lots);
  if (at < 0) return added <= first!.upTo;
  const { lines } = margin;
  const held = lines[at + Line.longValue]! + lines[at + Line.shortValue]!;
  const ordered = lines[at + Line.buyValue]! + lines[at + Line.sellValue]!;
  return held + ordered + added <= first!.upTo;
}

/** Value of the account's opening orders of one side. */
export function openValue(
  state: State,
  account: Account,
  instrument: Instrument,
  side: Side,
  leaveOut: number = NIL,
): bigint {
  const { slab } = state;
  let value = 0n;
  if (account.openByInstrument.of(instrument.index) === 0) return value;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    if (slab.instrument[slot] !== instrument.index || slab.side[slot] !== side) continue;
    if (slot === leaveOut || (slab.flags[slot]! & FLAG_CLOSING) !== 0) continue;
    value += tradeValue(instrument, slab.price[slot]!, slab.remaining[slot]!);
  }
  return value;
}

/** After the order something must be left free, and a fill must not bring liquidation near at once (5.6). */
export function checkCrossed(
  state: State,
  account: Account,
  intent: Intent,
  leaveOut: number = NIL,
): Outcome | undefined {
  const { instrument } = intent;
  if (isComfortable(state, account, currentMargin(state, account), intent, leaveOut)) return undefined;
  const before = riskFromScratch(state, account, undefined, leaveOut);
  const after = riskFromScratch(state, account, intent, leaveOut);
  if (after.initial <= before.initial && !flips(account, intent)) return undefined;
  if (after.effective < after.initial) {
    const available = larger(0n, before.effective - before.initial);
    return { refusal: Refusal.insufficientMargin, orderId: 0, clientOid: '', available };
  }
  const added = inDollars(
    maintenanceAt(instrument, intent.priceTicks, intent.lots),
    coinUsd(state, instrument.quote),
  );
  if ((after.maintenance + added) * 10n >= after.effective * 9n) return refused(Refusal.riskTooHigh);
  return undefined;
}

/** The same in numbers, for the many who have plenty: never says yes where `checkCrossed` would refuse. */
function isComfortable(
  state: State,
  account: Account,
  margin: AccountMargin,
  intent: Intent,
  leaveOut: number,
): boolean {
  const { instrument, priceTicks, lots } = intent;
  const { effective, maintenance } = margin;
  const added = ceilWorth(keptAt(instrument, priceTicks, lots), quotePrice(state, instrument));
  if (!(2 * (maintenance + added) < effective)) return false;
  if (effective >= initialWith(state, account, margin, instrument, intent, leaveOut)) return true;
  if (!margin.estimated && !margin.haircutEstimated) return false;
  return effective >= initialWith(state, account, exactMargin(state, account), instrument, intent, leaveOut);
}

/** Does the order close the net position and open one on the other side? What it opens needs margin of its own. */
function flips(account: Account, { instrument, side, lots }: Intent): boolean {
  const position = positionOf(account, instrument.index, PosSide.none);
  return position !== undefined && position.long === (side === Side.sell) && lots > position.lots;
}

/** value x (1/L + 2t): initial margin, and fees both ways. */
export function isolatedReserve(account: Account, intent: Intent): bigint {
  const { instrument, side, priceTicks, lots } = intent;
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const leverage = BigInt(side === Side.buy ? longLeverage : shortLeverage);
  const { coinMargined } = instrument.futures!;
  const value = coinMargined
    ? BigInt(lots) * instrument.unitsPerLot
    : tradeValue(instrument, priceTicks, lots);
  return divCeil(value, leverage) + divCeil(value * 2n * instrument.takerRate, RATE_ONE);
}

export function checkIsolated(
  state: State,
  account: Account,
  instrument: Instrument,
  lock: bigint,
): Outcome | undefined {
  const coin = instrument.futures!.settle;
  const cash = state.ledger.peek(account.index, coin, Bucket.cash);
  const risk = accountRisk(state, account);
  const free = risk.effective - risk.initial;
  const value = divCeil(lock * coinUsd(state, coin), MONEY_ONE);
  if (cash < lock || (risk.initial > 0n && free < value)) {
    return {
      refusal: Refusal.insufficientMargin,
      orderId: 0,
      clientOid: '',
      available: larger(0n, cash),
      coin,
    };
  }
  return undefined;
}

/** Filled at its price, the position must not be close to liquidation at once (5.6). */
export function checkIsolatedRisk(
  state: State,
  account: Account,
  { instrument, side, priceTicks, lots }: Intent,
  posSide: PosSide,
): Outcome | undefined {
  const buying = side === Side.buy;
  const position = positionOf(account, instrument.index, posSide);
  if (position !== undefined && position.long !== buying) return undefined;
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  const mark = markTicks(state, instrument);
  const value = tradeValue(instrument, priceTicks, lots);
  const gain = tradeValue(instrument, mark, lots) - value;
  let held = value / BigInt(buying ? longLeverage : shortLeverage) + (buying ? gain : -gain);
  if (position !== undefined) held += isolatedInQuote(state, position) + unrealisedOf(state, position);
  const kept = maintenanceAt(instrument, mark, lots + (position?.lots ?? 0));
  return kept * 10n >= held * 9n ? refused(Refusal.riskTooHigh) : undefined;
}

/** Carries out what the plan decided before the order is matched. */
export function makeRoom(state: State, plan: FuturesPlan, reason: CancelReason): void {
  for (const slot of plan.cancels) cancelSlot(state, slot, reason);
}

/**
 * After positions have changed: closing orders that no longer fit are trimmed, the least likely to execute first
 * (domain.md 1.10); those of a position that is gone or has turned are cancelled.
 */
export function trimClosingOrders(state: State, account: Account): void {
  if (account.openClosing === 0) return;
  const { slab } = state;
  let seen: Set<number> | undefined;
  for (let slot = account.firstOrder; slot !== NIL; ) {
    const next = slab.accountNext[slot]!;
    if ((slab.flags[slot]! & FLAG_CLOSING) !== 0) {
      const posSide = posSideOf(slab.flags[slot]!);
      const key = slab.instrument[slot]! * 3 + posSide;
      seen ??= new Set();
      if (!seen.has(key)) {
        seen.add(key);
        trimPosition(state, account, slab.instrument[slot]!, posSide);
        // Orders may be gone: look again from the start; every key is done once.
        slot = account.firstOrder;
        continue;
      }
    }
    slot = next;
  }
}

function trimPosition(state: State, account: Account, instrument: number, posSide: PosSide): void {
  const { slab } = state;
  const position = positionOf(account, instrument, posSide);
  const market = state.market(state.instruments[instrument]!);
  const orders = closingOrders(state, account, instrument, posSide);
  const fits = orders.filter(
    (slot) => position !== undefined && position.long === (slab.side[slot] === Side.sell),
  );
  for (const slot of orders)
    if (!fits.includes(slot)) cancelSlot(state, slot, CancelReason.delegatedRiskOrder);
  if (position === undefined) return;
  let excess = fits.reduce((sum, slot) => sum + slab.remaining[slot]!, 0) - position.lots;
  const selling = position.long;
  fits.sort(
    (a, b) =>
      (selling ? slab.price[b]! - slab.price[a]! : slab.price[a]! - slab.price[b]!) ||
      slab.id[b]! - slab.id[a]!,
  );
  for (const slot of fits) {
    if (excess <= 0) return;
    const remaining = slab.remaining[slot]!;
    if (remaining <= excess) {
      cancelSlot(state, slot, CancelReason.delegatedRiskOrder);
    } else {
      market.book.reduce(slot, excess);
      market.changes++;
      slab.size[slot]! -= excess;
      emitOpen(state, slot);
    }
    excess -= remaining;
  }
}
