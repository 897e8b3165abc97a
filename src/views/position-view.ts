/** Positions on the wire: open ones (interface 2.4) and closed ones (wire 4.1). */

import { CATEGORY_NAMES, HOLD_MODE_NAMES, HoldMode } from '../core/model/enums.ts';
import type { PositionClosed } from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { formatMoney, formatRate, formatUnits } from '../core/model/units.ts';
import { type PositionView, PROFIT_RATE_SCALE } from '../core/reads/position-reads.ts';
import type { CoinName, StringFields } from './format.ts';
import { averagePrice, formatId } from './format.ts';
import { marginModeName } from './futures-enums.ts';

export const OPEN_POSITION_FIELDS = [
  'category',
  'symbol',
  'marginCoin',
  'holdMode',
  'posSide',
  'marginMode',
  'positionBalance',
  'available',
  'frozen',
  'total',
  'leverage',
  'curRealisedPnl',
  'avgPrice',
  'positionStatus',
  'unrealisedPnl',
  'liquidationPrice',
  'mmr',
  'profitRate',
  'markPrice',
  'breakEvenPrice',
  'totalFunding',
  'openFeeTotal',
  'closeFeeTotal',
  'createdTime',
  'updatedTime',
] as const;
export type OpenPositionView = StringFields<typeof OPEN_POSITION_FIELDS>;

export function openPositionView(position: PositionView, coinName: CoinName): OpenPositionView {
  const { instrument } = position;
  const price = (ticks: number) => formatUnits(BigInt(ticks), instrument.pricePrecision);
  const size = (lots: number) => formatUnits(BigInt(lots), instrument.quantityPrecision);
  return {
    category: CATEGORY_NAMES[instrument.category],
    symbol: instrument.symbol,
    marginCoin: coinName(position.marginCoin),
    holdMode: HOLD_MODE_NAMES[position.hedge ? HoldMode.hedge : HoldMode.oneWay],
    posSide: position.long ? 'long' : 'short',
    marginMode: marginModeName(position.isolated),
    positionBalance: formatMoney(position.balance),
    available: size(position.availableLots),
    frozen: size(position.frozenLots),
    total: size(position.totalLots),
    leverage: String(position.leverage),
    curRealisedPnl: formatMoney(position.realised),
    avgPrice: price(position.averageTicks),
    positionStatus: 'normal',
    unrealisedPnl: formatMoney(position.unrealised),
    liquidationPrice: price(position.liquidationTicks),
    mmr: formatRate(position.maintenanceRate),
    profitRate: formatUnits(position.profitRate, PROFIT_RATE_SCALE),
    markPrice: price(position.markTicks),
    breakEvenPrice: price(position.breakEvenTicks),
    totalFunding: formatMoney(position.funding),
    openFeeTotal: formatMoney(position.openFee),
    closeFeeTotal: formatMoney(position.closeFee),
    createdTime: String(position.createdTime),
    updatedTime: String(position.updatedTime),
  };
}

export const CLOSED_POSITION_FIELDS = [
  'positionId',
  'category',
  'symbol',
  'marginCoin',
  'holdMode',
  'posSide',
  'marginMode',
  'openPriceAvg',
  'closePriceAvg',
  'openTotalPos',
  'closeTotalPos',
  // Without fees and funding.
  'cumRealisedPnl',
  // After fees and funding.
  'netProfit',
  // Negative when paid, like the fees.
  'totalFunding',
  'openFeeTotal',
  'closeFeeTotal',
  'createdTime',
  'updatedTime',
] as const;
export type ClosedPositionView = StringFields<typeof CLOSED_POSITION_FIELDS>;

export function closedPositionView(
  position: PositionClosed,
  instrument: Instrument,
  coinName: CoinName,
): ClosedPositionView {
  const { realised, funding, openFee, closeFee } = position;
  return {
    positionId: formatId(position.positionId),
    category: CATEGORY_NAMES[position.category],
    symbol: instrument.symbol,
    marginCoin: coinName(instrument.futures!.settle),
    holdMode: HOLD_MODE_NAMES[position.hedge ? HoldMode.hedge : HoldMode.oneWay],
    posSide: position.long ? 'long' : 'short',
    marginMode: marginModeName(position.isolated),
    openPriceAvg: averagePrice(instrument, position.openedValue, position.openedLots),
    closePriceAvg: averagePrice(instrument, position.closedValue, position.closedLots),
    openTotalPos: formatUnits(BigInt(position.openedLots), instrument.quantityPrecision),
    closeTotalPos: formatUnits(BigInt(position.closedLots), instrument.quantityPrecision),
    cumRealisedPnl: formatMoney(realised),
    netProfit: formatMoney(realised + funding - openFee - closeFee),
    totalFunding: formatMoney(funding),
    openFeeTotal: formatMoney(-openFee),
    closeFeeTotal: formatMoney(-closeFee),
    createdTime: String(position.createdTime),
    updatedTime: String(position.updatedTime),
  };
}
