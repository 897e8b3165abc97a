/**
 * Contract rows of the margin cache: the crossed positions and opening orders of a contract, their values and margins at
 * the present prices (`../../state/margin-cache-state.ts`).
 */

import { NIL } from '../../book/order-slab.ts';
import { HoldMode, Side } from '../../model/enums.ts';
import { type Instrument, valueNumber } from '../../model/instrument.ts';
import { feesOf, maintenanceWithFee } from '../../model/margin-fractions.ts';
import type { Position } from '../../model/position.ts';
import { PositionColumn } from '../../model/position-numbers.ts';
import { ceilQuotient, ceilValue, exact, exactNumber } from '../../model/safe-integers.ts';
import { countsAsOpening } from '../../orders/order-lifecycle.ts';
import type { Account } from '../../state/account.ts';
import {
  COIN_COLUMNS,
  CONTRACT_COLUMNS,
  CoinRow,
  ContractRow,
  type MarginCache,
} from '../../state/margin-cache-state.ts';
import type { State } from '../../state/state.ts';
import { futuresSetting, inSettleCoin, markTicks } from '../margin.ts';

/** More than the error of floating point in a bound, in 10^-8. */
const LOSS_DUST = 16;
const MONEY = 100_000_000;

export function reloadPositions(state: State, account: Account, margin: MarginCache): void {
  let isolated: Position[] | undefined;
  for (let { firstContract: at, endOfContracts: end } = margin; at < end; at += CONTRACT_COLUMNS)
    margin.numbers.fill(0, at + ContractRow.longLots, at + ContractRow.shortBasis + 1);
  for (const position of account.positions.values()) {
    if (position.isolated) {
      isolated ??= [];
      isolated.push(position);
      continue;
    }
    const at = findOrAddRow(state, account, margin, state.instruments[position.instrument]!);
    const { numbers } = margin;
    numbers[at + (position.long ? ContractRow.longLots : ContractRow.shortLots)] = position.lots;
    numbers[at + (position.long ? ContractRow.longBasis : ContractRow.shortBasis)] = position.number(
      PositionColumn.basis,
    );
  }
  margin.setIsolated(isolated);
}

export function reloadSettings(state: State, account: Account, margin: MarginCache): void {
  for (let { firstContract: at, endOfContracts: end } = margin; at < end; at += CONTRACT_COLUMNS)
    reloadSetting(
      account,
      state.instruments[margin.numbers[at + ContractRow.instrument]!]!,
      margin.numbers,
      at,
    );
}

function reloadSetting(account: Account, instrument: Instrument, numbers: Float64Array, at: number): void {
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  numbers[at + ContractRow.longLeverage] = longLeverage;
  numbers[at + ContractRow.shortLeverage] = shortLeverage;
}

export function reloadOrders(state: State, account: Account, margin: MarginCache): void {
  for (let { firstContract: at, endOfContracts: end } = margin; at < end; at += CONTRACT_COLUMNS) {
    const { numbers } = margin;
    numbers.fill(0, at + ContractRow.buyValue, at + ContractRow.openLoss + 1);
    numbers[at + ContractRow.highestBuy] = 0;
    numbers[at + ContractRow.lowestSell] = Number.POSITIVE_INFINITY;
  }
  if (account.openFutures === 0) return;
  const { slab } = state;
  for (let slot = account.firstOrder; slot !== NIL; slot = slab.accountNext[slot]!) {
    const instrument = state.instrumentOf(slot);
    if (!countsAsOpening(slab, instrument, slot)) continue;
    const at = findOrAddRow(state, account, margin, instrument);
    const side = slab.side[slot] as Side;
    const priceTicks = slab.price[slot]!;
    const lots = slab.remaining[slot]!;
    const value = valueNumber(instrument, priceTicks, lots);
    const { numbers } = margin;
    if (side === Side.buy) {
      numbers[at + ContractRow.buyValue]! += value;
      numbers[at + ContractRow.highestBuy] = Math.max(numbers[at + ContractRow.highestBuy]!, priceTicks);
    } else {
      numbers[at + ContractRow.sellValue]! += value;
      numbers[at + ContractRow.lowestSell] = Math.min(numbers[at + ContractRow.lowestSell]!, priceTicks);
    }
    numbers[at + ContractRow.openLoss]! += orderLoss(
      instrument,
      side,
      priceTicks,
      lots,
      markTicks(state, instrument),
    );
  }
}

/** Where the row of an instrument begins. */
export function findOrAddRow(
  state: State,
  account: Account,
  margin: MarginCache,
  instrument: Instrument,
): number {
  const known = margin.find(instrument.index);
  if (known >= 0) return known;
  const at = margin.addContract(instrument.index, instrument.futures!.settle);
  reloadSetting(account, instrument, margin.numbers, at);
  repriceRow(state, account, margin, at);
  return at;
}

/** All rows. `exactLosses`: the losses of opening orders are in the rows already; else they are bounded. */
export function repriceAll(state: State, account: Account, margin: MarginCache, exactLosses: boolean): void {
  margin.beginContractSums();
  let initial = 0;
  let maintenance = 0;
  let exposure = 0;
  const { numbers, firstCoin } = margin;
  for (let n = 0; n < margin.coinCount; n++) numbers[firstCoin + n * COIN_COLUMNS + CoinRow.profit] = 0;
  for (let { firstContract: at, endOfContracts: end } = margin; at < end; at += CONTRACT_COLUMNS) {
    if (!exactLosses) boundOrderLoss(state, margin, at);
    repriceRow(state, account, margin, at);
    addProfit(numbers, firstCoin, numbers[at + ContractRow.coin]!, numbers[at + ContractRow.profit]!);
    initial += numbers[at + ContractRow.initial]!;
    maintenance += numbers[at + ContractRow.maintenance]!;
    exposure += numbers[at + ContractRow.exposure]!;
  }
  margin.setContractSums(exact(initial), exact(maintenance), exposure);
}

/** A sum that was rounded once is NaN until it is summed anew. */
function addProfit(numbers: Float64Array, firstCoin: number, coin: number, profit: number): void {
  const at = firstCoin + coin * COIN_COLUMNS + CoinRow.profit;
  numbers[at] = exact(numbers[at]! + profit);
}

/** Only the dirty rows: the sums lose their old part and gain the new one. */
export function repriceDirty(state: State, account: Account, margin: MarginCache): void {
  let { contractInitial: initial, contractMaintenance: maintenance, exposure } = margin;
  const { numbers, firstCoin } = margin;
  for (let { firstContract: at, endOfContracts: end } = margin; at < end; at += CONTRACT_COLUMNS) {
    if (numbers[at + ContractRow.dirty] === 0) continue;
    const profit = numbers[at + ContractRow.profit]!;
    initial = exact(initial - numbers[at + ContractRow.initial]!);
    maintenance = exact(maintenance - numbers[at + ContractRow.maintenance]!);
    exposure -= numbers[at + ContractRow.exposure]!;
    boundOrderLoss(state, margin, at);
    repriceRow(state, account, margin, at);
    addProfit(
      numbers,
      firstCoin,
      numbers[at + ContractRow.coin]!,
      exact(numbers[at + ContractRow.profit]! - profit),
    );
    initial = exact(initial + numbers[at + ContractRow.initial]!);
    maintenance = exact(maintenance + numbers[at + ContractRow.maintenance]!);
    exposure += numbers[at + ContractRow.exposure]!;
  }
  // A sum that is NaN stays NaN, so it is computed from all rows again.
  if (Number.isNaN(initial + maintenance + exposure)) margin.dropSums();
  margin.setContractSums(initial, maintenance, exposure);
}

/**
 * Upper bound of what opening orders lose at the mark: (price - mark) / price of their value, as if all had the worst
 * price. Exact while the mark is between buys and sells, which is nearly always.
 */
function boundOrderLoss(state: State, margin: MarginCache, at: number): void {
  const { numbers } = margin;
  numbers[at + ContractRow.openLoss] = 0;
  const buys = numbers[at + ContractRow.buyValue]!;
  const sells = numbers[at + ContractRow.sellValue]!;
  if (buys === 0 && sells === 0) return;
  const mark = markTicks(state, state.instruments[numbers[at + ContractRow.instrument]!]!);
  const highest = numbers[at + ContractRow.highestBuy]!;
  const lowest = numbers[at + ContractRow.lowestSell]!;
  if (mark >= highest && mark <= lowest) return;
  const bought = mark < highest ? Math.ceil(buys * ((highest - mark) / highest)) + LOSS_DUST : 0;
  const sold = mark > lowest ? Math.ceil(sells * ((mark - lowest) / lowest)) + LOSS_DUST : 0;
  margin.boundLoss(at, exact(bought + sold));
}

/** All columns of a row at the present prices. */
function repriceRow(state: State, account: Account, margin: MarginCache, at: number): void {
  const { numbers } = margin;
  numbers[at + ContractRow.dirty] = 0;
  const instrument = state.instruments[numbers[at + ContractRow.instrument]!]!;
  const mark = markTicks(state, instrument);
  const long = valueNumber(instrument, mark, numbers[at + ContractRow.longLots]!);
  const short = valueNumber(instrument, mark, numbers[at + ContractRow.shortLots]!);
  numbers[at + ContractRow.longValue] = long;
  numbers[at + ContractRow.shortValue] = short;
  // Twice the notional covers a position and the growth of its maintenance margin.
  numbers[at + ContractRow.exposure] = 2 * (long + short) * (quotePrice(state, instrument) / MONEY);
  const held = Math.max(long, short);
  const { scale } = instrument.futures!;
  const kept = scale === undefined ? Number.NaN : maintenanceWithFee(scale, held);
  numbers[at + ContractRow.maintenance] = held === 0 ? 0 : ceilValue(kept, quotePrice(state, instrument));
  const buyValue = numbers[at + ContractRow.buyValue]!;
  const sellValue = numbers[at + ContractRow.sellValue]!;
  const openLoss = numbers[at + ContractRow.openLoss]!;
  numbers[at + ContractRow.initial] = initialOf(
    state,
    account,
    instrument,
    numbers,
    at,
    buyValue,
    sellValue,
    openLoss,
  );
  numbers[at + ContractRow.profit] = exact(
    settled(state, instrument, long - numbers[at + ContractRow.longBasis]!) +
      settled(state, instrument, -short - numbers[at + ContractRow.shortBasis]!),
  );
}

/** A profit in the settlement coin, rounded for each position alone, as it would be paid. */
function settled(state: State, instrument: Instrument, profit: number): number {
  if (!instrument.futures!.coinMargined || profit === 0 || Number.isNaN(exact(profit))) return exact(profit);
  return exactNumber(inSettleCoin(state, instrument, BigInt(profit)));
}

/** The largest side that positions and orders can come to, at its leverage, with the closing fee: `initialMargin` in numbers. */
export function initialOf(
  state: State,
  account: Account,
  instrument: Instrument,
  numbers: Float64Array,
  at: number,
  buyValue: number,
  sellValue: number,
  openLoss: number,
): number {
  const { scale } = instrument.futures!;
  const long = numbers[at + ContractRow.longValue]!;
  const short = numbers[at + ContractRow.shortValue]!;
  const hedge = account.holdMode === HoldMode.hedge;
  const held = Math.max(long, short);
  const expLong = hedge ? long + buyValue : Math.max(0, exact(long + buyValue) - short);
  const expShort = hedge ? short + sellValue : Math.max(0, exact(short + sellValue) - long);
  const most = exact(Math.max(held, expLong, expShort));
  if (most === 0) return 0;
  if (scale === undefined) return Number.NaN;
  const leverage =
    numbers[at + (expLong >= expShort ? ContractRow.longLeverage : ContractRow.shortLeverage)]!;
  const margin = ceilQuotient(most, leverage) + feesOf(scale, held, most - held) + openLoss;
  return ceilValue(exact(margin), quotePrice(state, instrument));
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
