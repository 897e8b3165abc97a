/**
 * Contract rows of the margin cache: the crossed positions and opening orders of a contract, their values and margins at
 * the present prices (`../../state/margin-cache-state.ts`).
 */

import { NIL } from '../../book/order-slab.ts';
import { HoldMode, Side } from '../../model/enums.ts';
import { type Instrument, valueNumber } from '../../model/instrument.ts';
import { feesOf, keptOf } from '../../model/margin-fractions.ts';
import { ceilQuotient, ceilWorth, exact, exactNumber } from '../../model/safe-integers.ts';
import { countsAsOpening } from '../../orders/order-lifecycle.ts';
import type { Account } from '../../state/account.ts';
import {
  COIN_COLUMNS,
  CONTRACT_COLUMNS,
  CoinRow,
  ContractRow,
  type MarginCache,
  Total,
} from '../../state/margin-cache-state.ts';
import type { State } from '../../state/state.ts';
import { futuresSetting, inSettleCoin, markTicks } from '../margin.ts';

/** More than the error of floating point in a bound, in 10^-8. */
const LOSS_DUST = 16;
const MONEY = 100_000_000;

export function reloadPositions(state: State, account: Account, margin: MarginCache): void {
  margin.isolated.length = 0;
  for (let at = 0; at < margin.contractCount * CONTRACT_COLUMNS; at += CONTRACT_COLUMNS)
    margin.contracts.fill(0, at + ContractRow.longLots, at + ContractRow.shortBasis + 1);
  for (const position of account.positions.values()) {
    if (position.isolated) {
      margin.isolated.push(position);
      continue;
    }
    const at = findOrAddRow(state, account, margin, state.instruments[position.instrument]!);
    const { contracts } = margin;
    contracts[at + (position.long ? ContractRow.longLots : ContractRow.shortLots)] = position.lots;
    contracts[at + (position.long ? ContractRow.longBasis : ContractRow.shortBasis)] = exactNumber(
      position.basis,
    );
  }
}

export function reloadSettings(state: State, account: Account, margin: MarginCache): void {
  for (let at = 0; at < margin.contractCount * CONTRACT_COLUMNS; at += CONTRACT_COLUMNS)
    reloadSetting(
      account,
      state.instruments[margin.contracts[at + ContractRow.instrument]!]!,
      margin.contracts,
      at,
    );
}

function reloadSetting(account: Account, instrument: Instrument, contracts: Float64Array, at: number): void {
  const { longLeverage, shortLeverage } = futuresSetting(account, instrument);
  contracts[at + ContractRow.longLeverage] = longLeverage;
  contracts[at + ContractRow.shortLeverage] = shortLeverage;
}

export function reloadOrders(state: State, account: Account, margin: MarginCache): void {
  for (let at = 0; at < margin.contractCount * CONTRACT_COLUMNS; at += CONTRACT_COLUMNS) {
    const { contracts } = margin;
    contracts.fill(0, at + ContractRow.buyValue, at + ContractRow.openLoss + 1);
    contracts[at + ContractRow.highestBuy] = 0;
    contracts[at + ContractRow.lowestSell] = Number.POSITIVE_INFINITY;
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
    const { contracts } = margin;
    if (side === Side.buy) {
      contracts[at + ContractRow.buyValue]! += value;
      contracts[at + ContractRow.highestBuy] = Math.max(contracts[at + ContractRow.highestBuy]!, priceTicks);
    } else {
      contracts[at + ContractRow.sellValue]! += value;
      contracts[at + ContractRow.lowestSell] = Math.min(contracts[at + ContractRow.lowestSell]!, priceTicks);
    }
    contracts[at + ContractRow.openLoss]! += orderLoss(
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
  reloadSetting(account, instrument, margin.contracts, at);
  repriceRow(state, account, margin, at);
  return at;
}

/** All rows. `exactLosses`: the losses of opening orders are in the rows already; else they are bounded. */
export function repriceAll(state: State, account: Account, margin: MarginCache, exactLosses: boolean): void {
  margin.estimated = false;
  let initial = 0;
  let maintenance = 0;
  let exposure = 0;
  const { contracts, coinRows } = margin;
  for (let at = CoinRow.profit; at < coinRows.length; at += COIN_COLUMNS) coinRows[at] = 0;
  for (let at = 0; at < margin.contractCount * CONTRACT_COLUMNS; at += CONTRACT_COLUMNS) {
    if (!exactLosses) boundOrderLoss(state, margin, at);
    repriceRow(state, account, margin, at);
    addProfit(coinRows, contracts[at + ContractRow.coin]!, contracts[at + ContractRow.profit]!);
    initial += contracts[at + ContractRow.initial]!;
    maintenance += contracts[at + ContractRow.maintenance]!;
    exposure += contracts[at + ContractRow.exposure]!;
  }
  margin.totals[Total.initial] = exact(initial);
  margin.totals[Total.maintenance] = exact(maintenance);
  margin.totals[Total.exposure] = exposure;
}

/** A sum that was rounded once is NaN until it is summed anew. */
function addProfit(coinRows: Float64Array, coin: number, profit: number): void {
  const at = coin * COIN_COLUMNS + CoinRow.profit;
  coinRows[at] = exact(coinRows[at]! + profit);
}

/** Only the dirty rows: the sums lose their old part and gain the new one. */
export function repriceDirty(state: State, account: Account, margin: MarginCache): void {
  let initial = margin.totals[Total.initial]!;
  let maintenance = margin.totals[Total.maintenance]!;
  let exposure = margin.totals[Total.exposure]!;
  const { contracts, coinRows } = margin;
  for (let at = 0; at < margin.contractCount * CONTRACT_COLUMNS; at += CONTRACT_COLUMNS) {
    if (contracts[at + ContractRow.dirty] === 0) continue;
    const profit = contracts[at + ContractRow.profit]!;
    initial -= contracts[at + ContractRow.initial]!;
    maintenance -= contracts[at + ContractRow.maintenance]!;
    exposure -= contracts[at + ContractRow.exposure]!;
    boundOrderLoss(state, margin, at);
    repriceRow(state, account, margin, at);
    addProfit(
      coinRows,
      contracts[at + ContractRow.coin]!,
      exact(contracts[at + ContractRow.profit]! - profit),
    );
    initial += contracts[at + ContractRow.initial]!;
    maintenance += contracts[at + ContractRow.maintenance]!;
    exposure += contracts[at + ContractRow.exposure]!;
  }
  // A sum that is NaN stays NaN, so it is computed from all rows again.
  if (Number.isNaN(initial + maintenance + exposure)) margin.dropSums();
  margin.totals[Total.initial] = exact(initial);
  margin.totals[Total.maintenance] = exact(maintenance);
  margin.totals[Total.exposure] = exposure;
}

/**
 * Upper bound of what opening orders lose at the mark: (price - mark) / price of their value, as if all had the worst
 * price. Exact while the mark is between buys and sells, which is nearly always.
 */
function boundOrderLoss(state: State, margin: MarginCache, at: number): void {
  const { contracts } = margin;
  contracts[at + ContractRow.openLoss] = 0;
  const buys = contracts[at + ContractRow.buyValue]!;
  const sells = contracts[at + ContractRow.sellValue]!;
  if (buys === 0 && sells === 0) return;
  const mark = markTicks(state, state.instruments[contracts[at + ContractRow.instrument]!]!);
  const highest = contracts[at + ContractRow.highestBuy]!;
  const lowest = contracts[at + ContractRow.lowestSell]!;
  if (mark >= highest && mark <= lowest) return;
  const bought = mark < highest ? Math.ceil(buys * ((highest - mark) / highest)) + LOSS_DUST : 0;
  const sold = mark > lowest ? Math.ceil(sells * ((mark - lowest) / lowest)) + LOSS_DUST : 0;
  contracts[at + ContractRow.openLoss] = exact(bought + sold);
  margin.estimated = true;
}

/** All columns of a row at the present prices. */
function repriceRow(state: State, account: Account, margin: MarginCache, at: number): void {
  const { contracts } = margin;
  contracts[at + ContractRow.dirty] = 0;
  const instrument = state.instruments[contracts[at + ContractRow.instrument]!]!;
  const mark = markTicks(state, instrument);
  const long = valueNumber(instrument, mark, contracts[at + ContractRow.longLots]!);
  const short = valueNumber(instrument, mark, contracts[at + ContractRow.shortLots]!);
  contracts[at + ContractRow.longValue] = long;
  contracts[at + ContractRow.shortValue] = short;
  // Twice the notional covers a position and the growth of its maintenance margin.
  contracts[at + ContractRow.exposure] = 2 * (long + short) * (quotePrice(state, instrument) / MONEY);
  const held = Math.max(long, short);
  const { scale } = instrument.futures!;
  const kept = scale === undefined ? Number.NaN : keptOf(scale, held);
  contracts[at + ContractRow.maintenance] = held === 0 ? 0 : ceilWorth(kept, quotePrice(state, instrument));
  const buyValue = contracts[at + ContractRow.buyValue]!;
  const sellValue = contracts[at + ContractRow.sellValue]!;
  const openLoss = contracts[at + ContractRow.openLoss]!;
  contracts[at + ContractRow.initial] = initialOf(
    state,
    account,
    instrument,
    contracts,
    at,
    buyValue,
    sellValue,
    openLoss,
  );
  contracts[at + ContractRow.profit] =
    settled(state, instrument, long - contracts[at + ContractRow.longBasis]!) +
    settled(state, instrument, -short - contracts[at + ContractRow.shortBasis]!);
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
  contracts: Float64Array,
  at: number,
  buyValue: number,
  sellValue: number,
  openLoss: number,
): number {
  const { scale } = instrument.futures!;
  const long = contracts[at + ContractRow.longValue]!;
  const short = contracts[at + ContractRow.shortValue]!;
  const hedge = account.holdMode === HoldMode.hedge;
  const held = Math.max(long, short);
  const expLong = hedge ? long + buyValue : Math.max(0, long + buyValue - short);
  const expShort = hedge ? short + sellValue : Math.max(0, short + sellValue - long);
  const most = exact(Math.max(held, expLong, expShort));
  if (most === 0) return 0;
  if (scale === undefined) return Number.NaN;
  const leverage =
    contracts[at + (expLong >= expShort ? ContractRow.longLeverage : ContractRow.shortLeverage)]!;
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
