/**
 * Margin of an account without computing everything each time. Contributions of contracts and coins are kept
 * (`account-margin.ts`) and computed again, in exact numbers, when prices, positions, orders, settings or balances have
 * changed since. `margin.ts` says what they are: `riskFromScratch` is the rule, and an invariant holds this file to it.
 */
import type { Account } from '../account.ts';
import { NIL } from '../book/order-slab.ts';
import { ceilQuotient, ceilWorth, exact, exactNumber, floorWorth } from '../exact-integers.ts';
import { type Instrument, valueNumber } from '../instrument.ts';
import { Bucket, type Ledger } from '../ledger.ts';
import { OPEN_ORDERS_PER_LINE_MAX } from '../limits.ts';
import { countsAsOpening } from '../orders/order-life.ts';
import type { State } from '../state.ts';
import { HoldMode, Side } from '../terms.ts';
import { AccountMargin, LINE_COLUMNS, Line, Total, WORTH_COLUMNS, Worth } from './account-margin.ts';
import { collateralNumber } from './collateral.ts';
import {
  countedValue,
  debtFigures,
  futuresSetting,
  type Intent,
  inSettleCoin,
  isLiable,
  markTicks,
  type Risk,
  riskFromScratch,
} from './margin.ts';
import { feesOf, keptOf } from './margin-scale.ts';
import type { Position } from './position.ts';

/** More than all roundings of the orders of an account together, in 10^-8. */
const ORDERS_DUST = 2 * OPEN_ORDERS_PER_LINE_MAX;
const NO_DEBTS: ReadonlyMap<number, bigint> = new Map();
/** More than floating point can be wrong by in a bound, in 10^-8. */
const LOSS_DUST = 16;
const MONEY = 100_000_000;

/** What the account is worth, must have for new orders and must keep, now. */
export function accountRisk(state: State, account: Account): Risk {
  const { equity, effective, initial, maintenance } = exactMargin(state, account);
  if (Number.isNaN(equity + effective + initial + maintenance)) return riskFromScratch(state, account);
  return {
    equity: BigInt(equity),
    effective: BigInt(effective),
    initial: BigInt(initial),
    maintenance: BigInt(maintenance),
  };
}

/** The present figures. Initial margin may be an estimate that is too high when opening orders would lose at the mark. */
export function currentMargin(state: State, account: Account): AccountMargin {
  account.margin ??= new AccountMargin();
  const { margin } = account;
  const moved = margin.prices !== state.priceVersion;
  const paid = margin.moneyChanges !== state.ledger.changesOf(account.index);
  if (!moved && !paid && !margin.isUnsettled) {
    if (margin.haircut !== 0) margin.liable = isLiable(state, account);
    return margin;
  }
  if (margin.positionsUnknown || margin.ordersUnknown || margin.settingsUnknown || moved) {
    if (margin.positionsUnknown) takePositions(state, account, margin);
    if (margin.settingsUnknown) takeSettings(state, account, margin);
    const losses = margin.ordersUnknown;
    if (losses) takeOrders(state, account, margin);
    addLines(state, account, margin, losses);
    margin.prices = state.priceVersion;
  } else if (margin.noted) {
    addNoted(state, account, margin);
  }
  const recounted = addCoins(state, account, margin, moved, paid);
  if (recounted || margin.claimsUnknown) takeDebts(state, account, margin, false);
  margin.liable = margin.haircut !== 0 && isLiable(state, account);
  return margin;
}

/** The same with initial margin exact, for which every opening order is looked at. */
export function exactMargin(state: State, account: Account): AccountMargin {
  const margin = currentMargin(state, account);
  if (margin.haircutEstimated) {
    takeDebts(state, account, margin, true);
    margin.liable = margin.haircut !== 0 && isLiable(state, account);
  }
  if (!margin.estimated) return margin;
  takeOrders(state, account, margin);
  addLines(state, account, margin, true);
  return margin;
}

/**
 * Initial margin of the account if an order were added and another left out, at most (exactly, unless the margin is
 * estimated); NaN when it cannot be told in numbers. Only the contract of the two is computed again.
 */
export function initialWith(
  state: State,
  account: Account,
  margin: AccountMargin,
  instrument: Instrument,
  intent: Intent | undefined,
  leaveOut: number,
): number {
  const at = lineOf(state, account, margin, instrument);
  const { lines } = margin;
  let buys = lines[at + Line.buyValue]!;
  let sells = lines[at + Line.sellValue]!;
  let loss = lines[at + Line.openLoss]!;
  const mark = markTicks(state, instrument);
  if (leaveOut !== NIL) {
    const { slab } = state;
    const side = slab.side[leaveOut] as Side;
    const value = valueNumber(instrument, slab.price[leaveOut]!, slab.remaining[leaveOut]!);
    if (side === Side.buy) buys -= value;
    else sells -= value;
    loss -= orderLoss(instrument, side, slab.price[leaveOut]!, slab.remaining[leaveOut]!, mark);
  }
  if (intent !== undefined) {
    const { side, priceTicks, lots } = intent;
    const value = valueNumber(instrument, priceTicks, lots);
    if (side === Side.buy) buys += value;
    else sells += value;
    loss += orderLoss(instrument, side, priceTicks, lots, mark);
  }
  const changed = lineInitial(state, account, instrument, lines, at, buys, sells, loss);
  // With an order the collateral stands behind something.
  const haircut = intent !== undefined && !margin.liable ? margin.haircut : 0;
  return exact(margin.initial + haircut - lines[at + Line.initial]! + changed);
}

/** Maintenance margin and closing fee of a size at a price in the quote coin, NaN when not exact. */
export function keptAt(instrument: Instrument, priceTicks: number, lots: number): number {
  const { scale } = instrument.futures!;
  return scale === undefined ? Number.NaN : keptOf(scale, valueNumber(instrument, priceTicks, lots));
}

/** What an isolated position has above what it must keep, in the quote coin at the mark; NaN when not exact. */
export function isolatedSlackNumber(state: State, position: Position): number {
  const instrument = state.instruments[position.instrument]!;
  if (instrument.futures!.coinMargined) return Number.NaN;
  const mark = markTicks(state, instrument);
  const value = valueNumber(instrument, mark, position.size);
  const profit = exact(value - exactNumber(position.basis));
  return exact(exactNumber(position.iso) + profit - keptAt(instrument, mark, position.lots));
}

function takePositions(state: State, account: Account, margin: AccountMargin): void {
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

function takeSettings(state: State, account: Account, margin: AccountMargin): void {
  margin.settingsUnknown = false;
  for (let at = 0; at < margin.lineCount * LINE_COLUMNS; at += LINE_COLUMNS)
    takeSetting(account, state.instruments[margin.lines[at + Line.instrument]!]!, margin.lines, at);
}

function takeSetting(account: Account, instrument: Instrument, lines: Float64Array, at: number): void {
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  lines[at + Line.longLeverage] = longLeverage;
  lines[at + Line.shortLeverage] = shortLeverage;
}

function takeOrders(state: State, account: Account, margin: AccountMargin): void {
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
function lineOf(state: State, account: Account, margin: AccountMargin, instrument: Instrument): number {
  const known = margin.find(instrument.index);
  if (known >= 0) return known;
  const at = margin.addLine(instrument.index, instrument.futures!.settle);
  takeSetting(account, instrument, margin.lines, at);
  priceLine(state, account, margin, at);
  return at;
}

/** All lines; what orders would lose stands in them already, or is bounded. */
function addLines(state: State, account: Account, margin: AccountMargin, losses: boolean): void {
  margin.estimated = false;
  let initial = 0;
  let maintenance = 0;
  let exposure = 0;
  margin.stale = false;
  const { lines, worths } = margin;
  for (let at = Worth.profit; at < worths.length; at += WORTH_COLUMNS) worths[at] = 0;
  for (let at = 0; at < margin.lineCount * LINE_COLUMNS; at += LINE_COLUMNS) {
    if (!losses) boundLoss(state, margin, at);
    priceLine(state, account, margin, at);
    worths[lines[at + Line.coin]! * WORTH_COLUMNS + Worth.profit]! += lines[at + Line.profit]!;
    initial += lines[at + Line.initial]!;
    maintenance += lines[at + Line.maintenance]!;
    exposure += lines[at + Line.exposure]!;
  }
  margin.totals[Total.initial] = exact(initial);
  margin.totals[Total.maintenance] = exact(maintenance);
  margin.totals[Total.exposure] = exposure;
  margin.noted = false;
}

/** Only the lines of which something was noted: their old part goes, the new one comes. */
function addNoted(state: State, account: Account, margin: AccountMargin): void {
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
    worths[lines[at + Line.coin]! * WORTH_COLUMNS + Worth.profit]! += lines[at + Line.profit]! - profit;
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
  if (long + short !== 0 && state.market(instrument).futures!.index.stale) margin.stale = true;
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
function lineInitial(
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

function orderLoss(
  instrument: Instrument,
  side: Side,
  priceTicks: number,
  lots: number,
  mark: number,
): number {
  const worse = side === Side.buy ? priceTicks - mark : mark - priceTicks;
  return worse > 0 ? valueNumber(instrument, worse, lots) : 0;
}

/** Says whether any coin counts for something else than before. */
function addCoins(
  state: State,
  account: Account,
  margin: AccountMargin,
  moved: boolean,
  paid: boolean,
): boolean {
  const { ledger } = state;
  if (paid) takeCoins(state, account, margin);
  let recounted = false;
  let equity = 0;
  let effective = 0;
  const { coins, worths } = margin;
  for (let n = 0; n < coins.length; n++) {
    const at = n * WORTH_COLUMNS;
    const changed = paid && takeBalance(ledger, margin, n);
    if (changed || moved || worths[at + Worth.profit] !== worths[at + Worth.countedProfit]) {
      countWorth(state, margin, n);
      recounted = true;
    }
    equity += worths[at + Worth.equity]!;
    effective += worths[at + Worth.effective]!;
  }
  margin.totals[Total.equity] = exact(equity);
  margin.totals[Total.effective] = exact(effective);
  return recounted;
}

/** Most accounts owe nothing and give no coins away: the others are computed in big integers. */
function takeDebts(state: State, account: Account, margin: AccountMargin, exactly: boolean): void {
  margin.claimsUnknown = false;
  margin.haircutEstimated = false;
  const { coins, worths, cash, locked } = margin;
  let debts: Map<number, bigint> | undefined;
  for (let n = 0; n < coins.length; n++) {
    const profit = worths[n * WORTH_COLUMNS + Worth.profit]!;
    // A balance beyond exact numbers is NaN, and so is what is not known of the profit.
    if (worths[n * WORTH_COLUMNS + Worth.balance]! + profit >= 0) continue;
    const amount = Number.isNaN(profit) ? 0n : cash[n]! + locked[n]! + BigInt(profit);
    if (amount >= 0n) continue;
    debts ??= new Map();
    debts.set(coins[n]!, -amount);
  }
  if (debts === undefined && account.openSpot === 0) {
    margin.debtInitial = 0;
    margin.debtMaintenance = 0;
    margin.haircut = 0;
    return;
  }
  // Who has hundreds of orders and owes nothing is not asked for each of them while there is plenty.
  if (debts === undefined && !exactly && !hasMarginOrders(state, account)) {
    margin.debtInitial = 0;
    margin.debtMaintenance = 0;
    margin.haircut = lockedWorth(state, margin);
    margin.haircutEstimated = true;
    return;
  }
  const figures = debtFigures(state, account, debts ?? NO_DEBTS);
  margin.debtInitial = exactNumber(figures.initial);
  margin.debtMaintenance = exactNumber(figures.maintenance);
  margin.haircut = exactNumber(figures.haircut);
}

function hasMarginOrders(state: State, account: Account): boolean {
  for (const instrument of account.openByInstrument.instruments())
    if (state.instruments[instrument]!.margin !== undefined) return true;
  return false;
}

/** Dollars of everything that orders hold. */
function lockedWorth(state: State, { coins, locked }: AccountMargin): number {
  let sum = 0;
  for (let n = 0; n < coins.length; n++) {
    if (locked[n] === 0n) continue;
    const price = state.coinPriceNumbers[coins[n]!] ?? Number.NaN;
    // A unit more for each order that is rounded up by itself.
    sum += ceilWorth(exactNumber(locked[n]!), price) + ORDERS_DUST;
  }
  return exact(sum);
}

/** The balance of a coin; says whether it has changed. */
function takeBalance(ledger: Ledger, { worths, cash, locked }: AccountMargin, n: number): boolean {
  const at = n * WORTH_COLUMNS;
  const first = worths[at + Worth.cells]!;
  if (first < 0) return false;
  const cashNow = ledger.balance(first + Bucket.cash);
  const lockedNow = ledger.balance(first + Bucket.locked);
  if (cashNow === cash[n] && lockedNow === locked[n]) return false;
  cash[n] = cashNow;
  locked[n] = lockedNow;
  worths[at + Worth.balance] = exactNumber(cashNow + lockedNow);
  return true;
}

/** Rows may have been opened since. */
function takeCoins({ ledger }: State, account: Account, margin: AccountMargin): void {
  margin.moneyChanges = ledger.changesOf(account.index);
  const coins = ledger.coinsOf(account.index);
  if (coins.length === margin.rowCount) return;
  margin.rowCount = coins.length;
  for (const coin of coins) {
    const at = margin.coinAt(coin) * WORTH_COLUMNS;
    margin.worths[at + Worth.cells] = ledger.cell(account.index, coin, Bucket.cash) - Bucket.cash;
  }
}

/** Dollars of one coin, in full and as collateral. */
function countWorth(state: State, margin: AccountMargin, n: number): void {
  const { worths } = margin;
  const at = n * WORTH_COLUMNS;
  const coin = margin.coins[n]!;
  const profit = worths[at + Worth.profit]!;
  worths[at + Worth.countedProfit] = profit;
  const amount = worths[at + Worth.balance]! + profit;
  const price = state.coinPriceNumbers[coin] ?? Number.NaN;
  const equity = amount === 0 ? 0 : floorWorth(exact(amount), price);
  if (Number.isNaN(equity)) {
    countLarge(state, margin, n);
    return;
  }
  worths[at + Worth.equity] = equity;
  worths[at + Worth.effective] = equity < 0 ? equity : collateralNumber(state, coin, equity);
}

/** Coins of small worth come in amounts beyond exact numbers; what they are worth seldom is. */
function countLarge(state: State, { coins, cash, locked, worths }: AccountMargin, n: number): void {
  const at = n * WORTH_COLUMNS;
  const coin = coins[n]!;
  const profit = worths[at + Worth.profit]!;
  if (state.coinPrices[coin] === undefined || Number.isNaN(profit)) {
    worths[at + Worth.equity] = Number.NaN;
    worths[at + Worth.effective] = Number.NaN;
    return;
  }
  const { usd, counted } = countedValue(state, coin, cash[n]! + locked[n]! + BigInt(profit));
  worths[at + Worth.equity] = exactNumber(usd);
  worths[at + Worth.effective] = exactNumber(counted);
}
