/** Positions of the past as their owner reads them (wire.md 4.1, history-position). */
import type { PositionClosed } from '../core/event.ts';
import type { Instrument } from '../core/instrument.ts';
import { CATEGORY_NAMES, HOLD_MODE_NAMES, HoldMode } from '../core/terms.ts';
import { divHalf, formatUnits, MONEY_SCALE } from '../core/units.ts';
import type { CoinName } from './fee-detail.ts';
import { marginModeName } from './futures-words.ts';
import { formatId } from './ids.ts';

export interface ClosedPositionView {
  readonly positionId: string;
  readonly category: string;
  readonly symbol: string;
  readonly marginCoin: string;
  readonly holdMode: string;
  readonly posSide: string;
  readonly marginMode: string;
  readonly openPriceAvg: string;
  readonly closePriceAvg: string;
  readonly openTotalPos: string;
  readonly closeTotalPos: string;
  /** Without fees and funding. */
  readonly cumRealisedPnl: string;
  /** After fees and funding. */
  readonly netProfit: string;
  /** Negative when paid, like the fees. */
  readonly totalFunding: string;
  readonly openFeeTotal: string;
  readonly closeFeeTotal: string;
  readonly createdTime: string;
  readonly updatedTime: string;
}

export function closedPositionView(
  position: PositionClosed,
  instrument: Instrument,
  coinName: CoinName,
): ClosedPositionView {
  const money = (amount: bigint) => formatUnits(amount, MONEY_SCALE);
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
    cumRealisedPnl: money(realised),
    netProfit: money(realised + funding - openFee - closeFee),
    totalFunding: money(funding),
    openFeeTotal: money(-openFee),
    closeFeeTotal: money(-closeFee),
    createdTime: String(position.createdTime),
    updatedTime: String(position.updatedTime),
  };
}

/** Value / quantity, `half` to the price precision (domain.md 0.4). */
export function averagePrice(instrument: Instrument, value: bigint, lots: number): string {
  if (lots === 0) return '0';
  const ticks = divHalf(value, instrument.valuePerTickLot * BigInt(lots));
  return formatUnits(ticks, instrument.pricePrecision);
}
