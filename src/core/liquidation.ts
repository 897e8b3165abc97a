/**
 * Closing what can no longer be carried (domain.md 5.8, 5.9): isolated positions one by one, crossed accounts as a
 * whole, in steps that touch as little as possible. Losses beyond bankruptcy are paid by the insurance fund as far as
 * it goes, the rest is taken from the other side (`deleveraging.ts`). Nothing is ever created or lost on the way.
 */
import type { Account } from './account.ts';
import { cancelWhere } from './cancel.ts';
import { coinUsd } from './collateral.ts';
import { deleverage } from './deleveraging.ts';
import { endForcedOrder, forcedOrder } from './forced-orders.ts';
import type { FuturesSettlement } from './futures-settlement.ts';
import { baseUnits, type Instrument, tradeValue } from './instrument.ts';
import { Bucket, SystemAccount } from './ledger.ts';
import { PRICE_TICKS_MAX } from './limits.ts';
import { accountRisk, inSettleCoin, maintenanceAt, markTicks, positionOf, unrealisedOf } from './margin.ts';
import { tierIndex } from './margin-tiers.ts';
import type { Position } from './position.ts';
import type { State } from './state.ts';
import { CancelReason, OrderKind, PosSide } from './terms.ts';
import { assert, divCeil, divFloor, larger, MONEY_ONE, RATE_ONE } from './units.ts';

/** Is the position's own margin used up? iso + U <= MM + closing fee. */
export function isolatedIsDue(state: State, position: Position): boolean {
  const instrument = state.instruments[position.instrument]!;
  const kept = maintenanceAt(instrument, markTicks(state, instrument), position.lots);
  const unrealised = unrealisedOf(state, position);
  if (!instrument.futures!.coinMargined) return position.iso + unrealised <= kept;
  // Margin is in coin, the rest in dollars: compare in dollars at the mark.
  const iso = marginInQuote(state, instrument, position.iso);
  return iso + unrealised <= kept;
}

/** Does the account owe more margin than it is worth? */
export function crossedIsDue(state: State, account: Account): boolean {
  const { effective, maintenance } = accountRisk(state, account);
  return maintenance > 0n && effective <= maintenance;
}

export function hasStaleIndex(state: State, account: Account): boolean {
  for (const position of account.positions.values()) {
    if (state.market(state.instruments[position.instrument]!).futures?.index.stale === true) return true;
  }
  return false;
}

/** Tests an account and liquidates what is due; true when it did anything. */
export function liquidateIfDue(state: State, settlement: FuturesSettlement, account: Account): boolean {
  if (account.positions.size === 0 || account.liquidating || hasStaleIndex(state, account)) return false;
  let acted = false;
  for (const position of positionsInOrder(state, account)) {
    if (!position.isolated || position.size === 0 || !isolatedIsDue(state, position)) continue;
    liquidateIsolated(state, settlement, account, position);
    acted = true;
  }
  if (crossedIsDue(state, account)) {
    liquidateCrossed(state, settlement, account);
    acted = true;
  }
  return acted;
}

/** Largest maintenance margin in dollars first, then the name of the symbol. */
function positionsInOrder(state: State, account: Account): Position[] {
  const weight = (position: Position): bigint => {
    const instrument = state.instruments[position.instrument]!;
    const kept = maintenanceAt(instrument, markTicks(state, instrument), position.lots);
    return divFloor(kept * coinUsd(state, instrument.quote), MONEY_ONE);
  };
  return [...account.positions.values()]
    .map((position) => ({
      position,
      weight: weight(position),
      symbol: state.instruments[position.instrument]!.symbol,
    }))
    .sort((a, b) => compare(b.weight, a.weight) || (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0))
    .map(({ position }) => position);
}

function liquidateIsolated(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
): void {
  const orders = cancelWhere(
    state,
    account,
    CancelReason.burst,
    (instrument) => instrument === position.instrument,
  );
  if (orders.length > 0 && !isolatedIsDue(state, position)) return;
  forceClose(state, settlement, account, position, position.lots, OrderKind.liquidation, position.iso);
}

function liquidateCrossed(state: State, settlement: FuturesSettlement, account: Account): void {
  account.liquidating = true;
  const healthy = () => !crossedIsDue(state, account);
  cancelWhere(state, account, CancelReason.burst, () => true);
  if (!healthy()) netHedgedPairs(state, settlement, account);
  while (!healthy() && reduceByTiers(state, settlement, account));
  while (!healthy()) {
    const [position] = positionsInOrder(state, account).filter((each) => !each.isolated);
    if (position === undefined) break;
    forceClose(
      state,
      settlement,
      account,
      position,
      position.lots,
      OrderKind.liquidation,
      crossedMargin(state, account, position),
    );
  }
  coverDebts(state, account);
  account.liquidating = false;
}

/** Both sides of a hedged pair close against each other at the mark: no market impact, no fee. */
function netHedgedPairs(state: State, settlement: FuturesSettlement, account: Account): void {
  for (const position of [...account.positions.values()]) {
    if (position.posSide !== PosSide.long || position.isolated) continue;
    const other = positionOf(account, position.instrument, PosSide.short);
    if (other === undefined || other.isolated) continue;
    const instrument = state.instruments[position.instrument]!;
    const lots = Math.min(position.lots, other.lots);
    const one = forcedOrder(state, account, position, lots, OrderKind.offset);
    const two = forcedOrder(state, account, other, lots, OrderKind.offset);
    settlement.begin(instrument, state.market(instrument));
    settlement.tradeDirectly(one, two, markTicks(state, instrument), lots);
    endForcedOrder(state, one);
    endForcedOrder(state, two);
  }
}

/** Brings the weightiest position above tier 2 down by two tiers; false when there is none. */
function reduceByTiers(state: State, settlement: FuturesSettlement, account: Account): boolean {
  for (const position of positionsInOrder(state, account)) {
    if (position.isolated) continue;
    const instrument = state.instruments[position.instrument]!;
    const { tiers } = instrument.futures!;
    const mark = markTicks(state, instrument);
    const tier = tierIndex(tiers, tradeValue(instrument, mark, position.lots));
    if (tier < 2) continue;
    const perLot = BigInt(mark) * instrument.valuePerTickLot;
    const step = instrument.lotStep;
    const keep = Math.floor(Number(tiers[tier - 2]!.upTo / perLot) / step) * step;
    const lots = position.lots - keep;
    if (lots <= 0) continue;
    forceClose(
      state,
      settlement,
      account,
      position,
      lots,
      OrderKind.reduce,
      crossedMargin(state, account, position),
    );
    return true;
  }
  return false;
}

/** What stands behind a crossed position: everything the account is worth without the position's own profit. */
function crossedMargin(state: State, account: Account, position: Position): bigint {
  const instrument = state.instruments[position.instrument]!;
  const { effective } = accountRisk(state, account);
  const usd = coinUsd(state, instrument.quote);
  const own = usd === 0n ? 0n : divFloor(unrealisedOf(state, position) * usd, MONEY_ONE);
  const inQuote = usd === 0n ? 0n : divFloor((effective - own) * MONEY_ONE, usd);
  return instrument.futures!.coinMargined ? inSettleCoin(state, instrument, inQuote) : inQuote;
}

/**
 * Sells (or buys) lots of a position through the book; beyond the bankruptcy price only what the fund can pay; the
 * rest is deleveraged at that price. `margin` is what stands behind the position in the settlement coin.
 */
function forceClose(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
  lots: number,
  kind: OrderKind,
  margin: bigint,
): void {
  const instrument = state.instruments[position.instrument]!;
  const market = state.market(instrument);
  const coin = instrument.futures!.settle;
  const fund = state.ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const size = position.lots;
  const basis = position.long ? position.basis : -position.basis;
  const slot = forcedOrder(state, account, position, lots, kind);
  const long = position.long;
  settlement.begin(instrument, market);
  settlement.forcedRoom = (priceTicks) => {
    const loss = lossPerSize(instrument, long, size, basis, margin, priceTicks);
    if (loss <= 0n) return lots;
    const payable = (larger(0n, state.ledger.balance(fund)) * BigInt(size)) / loss;
    return Number(payable > BigInt(size) ? BigInt(size) : payable);
  };
  settlement.onForcedFill = (priceTicks, filled) => {
    const loss = lossPerSize(instrument, long, size, basis, margin, priceTicks);
    if (loss > 0n) payShortfall(state, account, position, divCeil(loss * BigInt(filled), BigInt(size)));
  };
  market.book.match(slot, long ? 1 : PRICE_TICKS_MAX, settlement, true);
  settlement.forcedRoom = undefined;
  settlement.onForcedFill = undefined;
  if (state.slab.remaining[slot]! > 0) {
    const price = bankruptcyTicks(instrument, long, size, basis, margin);
    deleverage(state, settlement, slot, position, price);
  }
  endForcedOrder(state, slot);
  if (position.isolated) settleIsolated(state, settlement, account, position);
  state.touched.add(account);
}

/** The fund pays what a fill beyond bankruptcy lacks; never more than it has. */
function payShortfall(state: State, account: Account, position: Position, amount: bigint): void {
  const { ledger } = state;
  const coin = state.instruments[position.instrument]!.futures!.settle;
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const paid = amount < ledger.balance(fund) ? amount : larger(0n, ledger.balance(fund));
  const bucket = position.isolated ? Bucket.isolated : Bucket.cash;
  ledger.move(fund, ledger.cell(account.index, coin, bucket), paid);
  if (position.isolated) position.iso += paid;
}

/** What closing the whole size at a price would leave unpaid, in the settlement coin; negative when margin is left. */
function lossPerSize(
  instrument: Instrument,
  long: boolean,
  size: number,
  basis: bigint,
  margin: bigint,
  priceTicks: number,
): bigint {
  const value = tradeValue(instrument, priceTicks, size);
  const profit = long ? value - basis : basis - value;
  const { coinMargined } = instrument.futures!;
  if (!coinMargined) return divCeil(value * instrument.takerRate, RATE_ONE) - profit - margin;
  const units = baseUnits(instrument, size);
  const inCoin = value === 0n ? 0n : divFloor(profit * units, value);
  return divCeil(units * instrument.takerRate, RATE_ONE) - inCoin - margin;
}

/** Equity zero after the closing fee: a long's rounded up to the tick, a short's down (domain.md 5.8, 0.4). */
export function bankruptcyTicks(
  instrument: Instrument,
  long: boolean,
  size: number,
  basis: bigint,
  margin: bigint,
): number {
  const perTick = BigInt(size) * instrument.valuePerTickLot;
  const { takerRate } = instrument;
  const step = BigInt(instrument.tickStep);
  let numerator: bigint;
  let denominator: bigint;
  if (!instrument.futures!.coinMargined) {
    numerator = (long ? basis - margin : basis + margin) * RATE_ONE;
    denominator = perTick * (long ? RATE_ONE - takerRate : RATE_ONE + takerRate);
  } else {
    // q E / (iso + q (1 - t)): both margin and size in coin, so ticks come out of value per tick.
    const units = baseUnits(instrument, size);
    numerator = basis * units * RATE_ONE;
    denominator = long
      ? perTick * (margin * RATE_ONE + units * (RATE_ONE - takerRate))
      : perTick * (units * (RATE_ONE + takerRate) - margin * RATE_ONE);
  }
  if (denominator <= 0n) return PRICE_TICKS_MAX;
  if (numerator <= 0n) return instrument.tickStep;
  const ticks = long
    ? divCeil(numerator, denominator * step) * step
    : divFloor(numerator, denominator * step) * step;
  const bounded = Number(ticks > BigInt(PRICE_TICKS_MAX) ? BigInt(PRICE_TICKS_MAX) : ticks);
  return Math.max(bounded, instrument.tickStep);
}

/** What an isolated liquidation leaves goes to the fund, what it lacks comes from there. */
function settleIsolated(
  state: State,
  settlement: FuturesSettlement,
  account: Account,
  position: Position,
): void {
  if (position.size !== 0) return;
  const { ledger } = state;
  const coin = state.instruments[position.instrument]!.futures!.settle;
  const isolated = ledger.cell(account.index, coin, Bucket.isolated);
  const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
  const rest = position.iso;
  if (rest > 0n) ledger.move(isolated, fund, rest);
  else if (rest < 0n) ledger.move(fund, isolated, -rest);
  position.iso = 0n;
  assert(ledger.balance(fund) >= 0n, 'I03: the insurance fund pays no more than it has');
  settlement.forget(account, position);
}

/** An account without positions that owes a coin: the fund pays as far as it goes, the rest stays as bad debt. */
function coverDebts(state: State, account: Account): void {
  if ([...account.positions.values()].some((position) => !position.isolated)) return;
  const { ledger } = state;
  for (const coin of ledger.coinsOf(account.index)) {
    const cash = ledger.cell(account.index, coin, Bucket.cash);
    const owed = -ledger.balance(cash);
    if (owed <= 0n) continue;
    const fund = ledger.cell(SystemAccount.insurance, coin, Bucket.cash);
    const paid = owed < ledger.balance(fund) ? owed : larger(0n, ledger.balance(fund));
    ledger.move(fund, cash, paid);
  }
}

/** Isolated margin of a coin-margined contract in its quote coin at the mark. */
function marginInQuote(state: State, instrument: Instrument, margin: bigint): bigint {
  const one = tradeValue(instrument, markTicks(state, instrument), 1);
  return divFloor(margin * one, instrument.unitsPerLot);
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
