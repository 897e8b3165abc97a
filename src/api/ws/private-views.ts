/** Orders, fills, positions and balances in private pushes, whose field names differ from HTTP (wire 5.4). */

import { Category, OrderType, Side } from '../../core/model/enums.ts';
import type {
  FillRecord,
  OrderChanged,
  OrderRecord,
  PositionClosed,
  StrategyOrderRecord,
} from '../../core/model/event.ts';
import { formatMoney } from '../../core/model/units.ts';
import { futuresSetting } from '../../core/reads/margin-reads.ts';
import type { PositionView } from '../../core/reads/position-reads.ts';
import type { State } from '../../core/state/state.ts';
import { fillView } from '../../views/fill-view.ts';
import { orderView } from '../../views/order-view.ts';
import { closedPositionView, openPositionView } from '../../views/position-view.ts';
import { strategyView } from '../../views/strategy-view.ts';
import { assetViews, marginRatio, valueAccount } from '../routes/account/valuation.ts';

/** Side of the position that an order or fill belongs to; one-way mode has one. */
const holdSide = (posSide: string, futures: boolean) => (futures && posSide === '' ? 'net' : posSide);

export function orderData(state: State, { order, requestId }: OrderChanged) {
  const instrument = state.instruments[order.instrument]!;
  const view = orderView(order, instrument, (coin) => state.coins[coin]!.coin);
  const futures = order.futures !== undefined;
  return {
    category: view.category.toLowerCase(),
    symbol: view.symbol,
    orderId: view.orderId,
    clientOid: view.clientOid,
    ...(requestId !== undefined && { requestId }),
    price: order.orderType === OrderType.market ? '' : view.price,
    qty: view.qty,
    amount: view.amount,
    holdMode: view.holdMode,
    holdSide: holdSide(view.posSide, futures),
    tradeSide: view.tradeSide,
    delegateType: view.delegateType,
    orderType: view.orderType,
    timeInForce: view.timeInForce,
    side: view.side,
    marginMode: view.marginMode,
    marginCoin: futures ? state.coins[instrument.futures!.settle]!.coin : '',
    reduceOnly: view.reduceOnly.toLowerCase(),
    cumExecQty: view.cumExecQty,
    cumExecValue: view.cumExecValue,
    avgPrice: view.avgPrice,
    totalProfit: formatMoney(order.futures?.pnl ?? 0n),
    orderStatus: view.orderStatus,
    cancelReason: view.cancelReason,
    leverage: futures ? leverageOf(state, order) : '',
    stpMode: view.stpMode,
    feeDetail: view.feeDetail,
    createdTime: view.createdTime,
    updatedTime: view.updatedTime,
    ...otherNames(order, view),
  };
}

/**
 * Fields that one client reads instead, and without which it takes the money of a market order for its size (like
 * `priceAvg` over HTTP): whether it is of futures, the size of what is sold, the size of what a loan buys.
 */
function otherNames({ category, futures, orderType, side }: OrderRecord, view: ReturnType<typeof orderView>) {
  if (futures !== undefined) return { posMode: view.holdMode };
  if (orderType !== OrderType.market) return {};
  if (side === Side.sell) return { newSize: view.qty };
  return category === Category.margin ? { baseSize: view.cumExecQty } : {};
}

/** A buy that opens is long, a sell that closes is long too. */
function leverageOf(state: State, order: OrderRecord): string {
  const account = state.accountByUid.get(order.uid)!;
  const setting = futuresSetting(account, state.instruments[order.instrument]!);
  const long = (order.side === Side.buy) !== order.futures!.closing;
  return String(long ? setting.longLeverage : setting.shortLeverage);
}

export function fillData(state: State, fill: FillRecord) {
  const view = fillView(fill, state.instruments[fill.instrument]!, (coin) => state.coins[coin]!.coin);
  return {
    category: view.category.toLowerCase(),
    symbol: view.symbol,
    orderId: view.orderId,
    clientOid: view.clientOid,
    execId: view.execId,
    execLinkId: view.execLinkId,
    orderType: view.orderType,
    side: view.side,
    holdSide: holdSide(view.posSide, fill.futures !== undefined),
    tradeSide: view.tradeSide,
    tradeScope: view.tradeScope,
    execPrice: view.execPrice,
    execQty: view.execQty,
    execValue: view.execValue,
    execPnl: view.execPnl,
    feeDetail: view.feeDetail,
    isRPI: view.isRPI,
    execTime: view.createdTime,
    updatedTime: view.updatedTime,
  };
}

export function fastFillData(state: State, fill: FillRecord) {
  const { category, symbol, orderId, clientOid, execId, side, ...rest } = fillData(state, fill);
  const { holdSide, tradeScope, execPrice, execQty, execTime, updatedTime } = rest;
  return {
    category,
    symbol,
    orderId,
    clientOid,
    execId,
    side,
    holdSide,
    tradeScope,
    execPrice,
    execQty,
    execTime,
    updatedTime,
  };
}

export function strategyData(state: State, order: StrategyOrderRecord) {
  const view = strategyView(order, state.instruments[order.instrument]!);
  return {
    category: view.category.toLowerCase(),
    symbol: view.symbol,
    orderId: view.orderId,
    clientOid: view.clientOid,
    qty: view.qty,
    side: view.side,
    posSide: view.posSide,
    reduceOnly: view.reduceOnly.toLowerCase(),
    type: view.type,
    status: view.status,
    triggerType: view.triggerType,
    tpTriggerBy: view.tpTriggerBy,
    slTriggerBy: view.slTriggerBy,
    takeProfit: view.takeProfit,
    stopLoss: view.stopLoss,
    tpOrderType: view.tpOrderType,
    slOrderType: view.slOrderType,
    tpLimitPrice: view.tpLimitPrice,
    slLimitPrice: view.slLimitPrice,
    triggerBy: view.triggerBy,
    triggerPrice: view.triggerPrice,
    triggerOrderType: view.triggerOrderType,
    triggerOrderPrice: view.triggerOrderPrice,
    createdTime: view.createdTime,
    updatedTime: view.updatedTime,
  };
}

export function positionData(state: State, position: PositionView) {
  const view = openPositionView(position, (coin) => state.coins[coin]!.coin);
  return {
    symbol: view.symbol,
    marginCoin: view.marginCoin,
    holdMode: view.holdMode,
    posSide: view.posSide,
    marginMode: view.marginMode,
    size: view.total,
    available: view.available,
    frozen: view.frozen,
    leverage: view.leverage,
    marginSize: view.positionBalance,
    avgPrice: view.avgPrice,
    markPrice: view.markPrice,
    breakEvenPrice: view.breakEvenPrice,
    liqPrice: view.liquidationPrice,
    mmr: view.mmr,
    unrealisedPnl: view.unrealisedPnl,
    curRealisedPnl: view.curRealisedPnl,
    profitRate: view.profitRate,
    totalFundingFee: view.totalFunding,
    openFeeTotal: view.openFeeTotal,
    closeFeeTotal: view.closeFeeTotal,
    positionStatus: 'opening',
    createdTime: view.createdTime,
    updatedTime: view.updatedTime,
  };
}

export type PositionData = ReturnType<typeof positionData>;

/** Size 0; the realised results stay. */
export function endedPositionData(state: State, closed: PositionClosed): PositionData {
  const instrument = state.instruments[closed.instrument]!;
  const view = closedPositionView(closed, instrument, (coin) => state.coins[coin]!.coin);
  const setting = futuresSetting(state.accountByUid.get(closed.uid)!, instrument);
  return {
    symbol: view.symbol,
    marginCoin: view.marginCoin,
    holdMode: view.holdMode,
    posSide: view.posSide,
    marginMode: view.marginMode,
    size: '0',
    available: '0',
    frozen: '0',
    leverage: String(closed.long ? setting.longLeverage : setting.shortLeverage),
    marginSize: '0',
    avgPrice: view.openPriceAvg,
    markPrice: '',
    breakEvenPrice: '',
    liqPrice: '',
    mmr: '',
    unrealisedPnl: '0',
    curRealisedPnl: view.cumRealisedPnl,
    profitRate: '',
    totalFundingFee: view.totalFunding,
    openFeeTotal: view.openFeeTotal,
    closeFeeTotal: view.closeFeeTotal,
    positionStatus: 'ended',
    createdTime: view.createdTime,
    updatedTime: view.updatedTime,
  };
}

export function accountData(state: State, uid: number) {
  const valuation = valueAccount(state, uid);
  const { risk, unrealisedUsd } = valuation;
  const ratio = marginRatio(risk);
  return {
    totalEquity: formatMoney(risk.equity),
    effEquity: formatMoney(risk.effective),
    mmr: formatMoney(risk.maintenance),
    imr: formatMoney(risk.initial),
    mgnRatio: ratio,
    positionMgnRatio: ratio,
    unrealisedPnL: formatMoney(unrealisedUsd),
    coin: assetViews(state, valuation).map(({ debt, ...coin }) => ({
      coin: coin.coin,
      equity: coin.equity,
      balance: coin.balance,
      available: coin.available,
      locked: coin.locked,
      // One client adds the two (wire 5.4). Interest is part of the debt and is not stored separately (rules 6.8), so
      // the whole debt stands in one of them: the field that HTTP calls `debt`.
      borrow: '0',
      debts: debt,
      usdValue: coin.usdValue,
    })),
  };
}
