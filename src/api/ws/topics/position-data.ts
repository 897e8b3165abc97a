/** A position in pushes of the topic `position` (wire 5.4). Field names differ from HTTP. */
import type { PositionClosed } from '../../../core/model/event.ts';
import { futuresSetting } from '../../../core/reads/margin-reads.ts';
import type { PositionView } from '../../../core/reads/position-reads.ts';
import type { State } from '../../../core/state/state.ts';
import { closedPositionView, openPositionView } from '../../../views/position-view.ts';

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
