/**
 * Lines of an account's margin, one a contract: its crossed positions and opening orders, and what they are worth and
 * need at the present prices (`../state/margin-cache-state.ts`).
 */

import { NIL } from '../book/order-slab.ts';
import { HoldMode, Side } from '../model/enums.ts';
import { type Instrument, valueNumber } from '../model/instrument.ts';
import { feesOf, keptOf } from '../model/margin-fractions.ts';
import { ceilQuotient, ceilWorth, exact, exactNumber } from '../model/safe-integers.ts';
import { countsAsOpening } from '../orders/order-lifecycle.ts';
import type { Account } from '../state/account.ts';
import {
  type AccountMargin,
  LINE_COLUMNS,
  Line,
  Total,
  WORTH_COLUMNS,
  Worth,
} from '../state/margin-cache-state.ts';
import type { State } from '../state/state.ts';
import { futuresSetting, inSettleCoin, markTicks } from './margin.ts';

/** More than floating point can be wrong by in a bound, in 10^-8. */
const LOSS_DUST = 16;
const MONEY = 100_000_000;

export function takePositions(state: State, account: Account, margin: AccountMargin): void {
  margin.positionsUnknown = false;
  margin.isolated.length = 0;
  for (let at = 0; at < margin.lineCount * LINE_COLUMNS; at += LINE_COLUMNS)
    margin.lines.fill(0, at + Line.longLots, at + Line.shortBasis + 1);
  for (const position of account.positions.values()) {
    if (position.isolated) {
      margin.isolated.push(position);
      continue;
    }
    const at = lineOf(state, account, margin, state.instruments[position.instrument]!);
    const { lines } = margin;
    lines[at + (position.long ? Line.longLots : Line.shortLots)] = position.lots;
    lines[at + (position.long ? Line.longBasis : Line.shortBasis)] = exactNumber(position.basis);
  }
}

export function takeSettings(state: State, account: Account, margin: AccountMargin): void {
  margin.settingsUnknown = false;
  for (let at = 0; at < margin.lineCount * LINE_COLUMNS; at += LINE_COLUMNS)
    takeSetting(account, state.instruments[margin.lines[at + Line.instrument]!]!, margin.lines, at);
}

function takeSetting(account: Account, instrument: Instrument, lines: Float64Array, at: number): void {
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  lines[at + Line.longLeverage] = longLeverage;
  lines[at + Line.shortLeverage] = shortLeverage;
}

export function takeOrders(state: State, account: Account, margin: AccountMargin): void {
  margin.ordersUnknown = false;
  for (let at = 0; at < margin.lineCount * LINE_COLUMNS; at += LINE_COLUMNS) {
    const { lines } = margin;
    lines.fill(0, at + Line.buyValue, at + Line.openLoss + 1);
    lines[at + Line.highestBuy] = 0;
    lines[at + Line.lowestSell] = Number.POSITIVE_INFINITY;
  }
  if (account.openFutures === 0) return;
  const { slab } = state;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const instrument = state.instruments[slab.instrument[slot]!]!;
    if (!countsAsOpening(slab, instrument, slot)) continue;
    const at = lineOf(state, account, margin, instrument);
    const side = slab.side[slot] as Side;
    const priceTicks = slab.price[slot]!;
    const lots = slab.remaining[slot]!;
    const value = valueNumber(instrument, priceTicks, lots);
    const { lines } = margin;
    if (side === Side.buy) {
      lines[at + Line.buyValue]! += value;
      lines[at + Line.highestBuy] = Math.max(lines[at + Line.highestBuy]!, priceTicks);
    } else {
      lines[at + Line.sellValue]! += value;
      lines[at + Line.lowestSell] = Math.min(lines[at + Line.lowestSell]!, priceTicks);
    }
    lines[at + Line.openLoss]! += orderLoss(instrument, side, priceTicks, lots, markTicks(state, instrument));
  }
}

/** Where the line of an instrument begins. */
export function lineOf(
  state: State,
  account: Account,
  margin: AccountMargin,
  instrument: Instrument,
): number {
  const known = margin.find(instrument.index);
  if (known >= 0) return known;
  const at = margin.addLine(instrument.index, instrument.futures!.settle);
  takeSetting(account, instrument, margin.lines, at);
  priceLine(state, account, margin, at);
  return at;
}

/** All lines; what orders would lose stands in them already, or is bounded. */
export function addLines(state: State, account: Account, margin: AccountMargin, losses: boolean): void {
  margin.estimated = false;
  let initial = 0;
  let maintenance = 0;
  let exposure = 0;
  const { lines, worths } = margin;
  for (let at = Worth.profit; at < worths.length; at += WORTH_COLUMNS) worths[at] = 0;
  for (let at = 0; at < margin.lineCount * LINE_COLUMNS; at += LINE_COLUMNS) {
    if (!losses) boundLoss(state, margin, at);
    priceLine(state, account, margin, at);
    addProfit(worths, lines[at + Line.coin]!, lines[at + Line.profit]!);
    initial += lines[at + Line.initial]!;
    maintenance += lines[at + Line.maintenance]!;
    exposure += lines[at + Line.exposure]!;
  }
  margin.totals[Total.initial] = exact(initial);
  margin.totals[Total.maintenance] = exact(maintenance);
  margin.totals[Total.exposure] = exposure;
  margin.noted = false;
}

/** A sum that was rounded once is not known until it is made anew. */
function addProfit(worths: Float64Array, coin: number, profit: number): void {
  const at = coin * WORTH_COLUMNS + Worth.profit;
  worths[at] = exact(worths[at]! + profit);
}

/** Only the lines of which something was noted: their old part goes, the new one comes. */
export function addNoted(state: State, account: Account, margin: AccountMargin): void {
  let initial = margin.totals[Total.initial]!;
  let maintenance = margin.totals[Total.maintenance]!;
  let exposure = margin.totals[Total.exposure]!;
  const { lines, worths } = margin;
  for (let at = 0; at < margin.lineCount * LINE_COLUMNS; at += LINE_COLUMNS) {
    if (lines[at + Line.noted] === 0) continue;
    const profit = lines[at + Line.profit]!;
    initial -= lines[at + Line.initial]!;
    maintenance -= lines[at + Line.maintenance]!;
    exposure -= lines[at + Line.exposure]!;
    boundLoss(state, margin, at);
    priceLine(state, account, margin, at);
    addProfit(worths, lines[at + Line.coin]!, exact(lines[at + Line.profit]! - profit));
    initial += lines[at + Line.initial]!;
    maintenance += lines[at + Line.maintenance]!;
    exposure += lines[at + Line.exposure]!;
  }
  // NaN never goes away by adding.
  if (Number.isNaN(initial + maintenance + exposure)) margin.prices = -1;
  margin.totals[Total.initial] = exact(initial);
  margin.totals[Total.maintenance] = exact(maintenance);
  margin.totals[Total.exposure] = exposure;
  margin.noted = false;
}

/**
 * An order loses (price - mark) / price of its value, the more the worse its price: as if all had the worst. Exact
 * while the mark is between buys and sells, which is nearly always.
 */
function boundLoss(state: State, margin: AccountMargin, at: number): void {
  const { lines } = margin;
  lines[at + Line.openLoss] = 0;
  const buys = lines[at + Line.buyValue]!;
  const sells = lines[at + Line.sellValue]!;
  if (buys === 0 && sells === 0) return;
  const mark = markTicks(state, state.instruments[lines[at + Line.instrument]!]!);
  const highest = lines[at + Line.highestBuy]!;
  const lowest = lines[at + Line.lowestSell]!;
  if (mark >= highest && mark <= lowest) return;
  const bought = mark < highest ? Math.ceil(buys * ((highest - mark) / highest)) + LOSS_DUST : 0;
  const sold = mark > lowest ? Math.ceil(sells * ((mark - lowest) / lowest)) + LOSS_DUST : 0;
  lines[at + Line.openLoss] = exact(bought + sold);
  margin.estimated = true;
}

/** Everything a line says at the present prices. */
function priceLine(state: State, account: Account, margin: AccountMargin, at: number): void {
  const { lines } = margin;
  lines[at + Line.noted] = 0;
  const instrument = state.instruments[lines[at + Line.instrument]!]!;
  const mark = markTicks(state, instrument);
  const long = valueNumber(instrument, mark, lines[at + Line.longLots]!);
  const short = valueNumber(instrument, mark, lines[at + Line.shortLots]!);
  lines[at + Line.longValue] = long;
  lines[at + Line.shortValue] = short;
  // Twice the notional covers a position and the growth of its maintenance margin.
  lines[at + Line.exposure] = 2 * (long + short) * (quotePrice(state, instrument) / MONEY);
  const held = Math.max(long, short);
  const { scale } = instrument.futures!;
  const kept = scale === undefined ? Number.NaN : keptOf(scale, held);
  lines[at + Line.maintenance] = held === 0 ? 0 : ceilWorth(kept, quotePrice(state, instrument));
  const buyValue = lines[at + Line.buyValue]!;
  const sellValue = lines[at + Line.sellValue]!;
  const openLoss = lines[at + Line.openLoss]!;
  lines[at + Line.initial] = lineInitial(
    state,
    account,
    instrument,
    lines,
    at,
    buyValue,
    sellValue,
    openLoss,
  );
  lines[at + Line.profit] =
    settled(state, instrument, long - lines[at + Line.longBasis]!) +
    settled(state, instrument, -short - lines[at + Line.shortBasis]!);
}

/** A profit in the settlement coin: each position by itself, as it would be paid. */
function settled(state: State, instrument: Instrument, profit: number): number {
  if (!instrument.futures!.coinMargined || profit === 0 || Number.isNaN(exact(profit))) return exact(profit);
  return exactNumber(inSettleCoin(state, instrument, BigInt(profit)));
}

/** The largest side the account could end up with, at its leverage, with the closing fee: `initialMargin` in numbers. */
export function lineInitial(
  state: State,
  account: Account,
  instrument: Instrument,
  lines: Float64Array,
  at: number,
  buyValue: number,
  sellValue: number,
  openLoss: number,
): number {
  const { scale } = instrument.futures!;
  const long = lines[at + Line.longValue]!;
  const short = lines[at + Line.shortValue]!;
  const hedge = account.holdMode === HoldMode.hedge;
  const held = Math.max(long, short);
  const expLong = hedge ? long + buyValue : Math.max(0, long + buyValue - short);
  const expShort = hedge ? short + sellValue : Math.max(0, short + sellValue - long);
  const most = exact(Math.max(held, expLong, expShort));
  if (most === 0) return 0;
  if (scale === undefined) return Number.NaN;
  const leverage = lines[at + (expLong >= expShort ? Line.longLeverage : Line.shortLeverage)]!;
  const margin = ceilQuotient(most, leverage) + feesOf(scale, held, most - held) + openLoss;
  return ceilWorth(exact(margin), quotePrice(state, instrument));
}

/** Dollars of one quote coin. */
export function quotePrice(state: State, instrument: Instrument): number {
  return state.coinPriceNumbers[instrument.quote] ?? Number.NaN;
}

export function orderLoss(
  instrument: Instrument,
  side: Side,
  priceTicks: number,
  lots: number,
  mark: number,
): number {
  const worse = side === Side.buy ? priceTicks - mark : mark - priceTicks;
  return worse > 0 ? valueNumber(instrument, worse, lots) : 0;
}
