/** Positions: open, closed, rank in the deleveraging queue, and closing them (interface 4.4, wire 4.1). */

import type { PlaceOrder, Unstamped } from '../../../core/model/command.ts';
import type { CommandResult } from '../../../core/model/command-result.ts';
import { OrderType, PosSide, Side, Source, StpMode, TimeInForce } from '../../../core/model/enums.ts';
import { type Instrument, tradeValue } from '../../../core/model/instrument.ts';
import { formatOrderId } from '../../../core/model/order-id.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { formatUnits } from '../../../core/model/units.ts';
import { referenceTicks } from '../../../core/reads/market-reads.ts';
import { ADL_RANK_SCALE, positionViews } from '../../../core/reads/position-reads.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { Type } from '../../../validation/schema.ts';
import {
  CLOSED_POSITION_FIELDS,
  OPEN_POSITION_FIELDS,
  openPositionView,
} from '../../../views/position-view.ts';
import { type Route, route } from '../../route.ts';
import { FuturesCategory, PosSide as PosSideField, pageFields, SymbolName } from '../../wire/fields.ts';
import { categoryCode, checkSymbol, findInstrument } from '../../wire/instrument-lookup.ts';
import { historyPage, pageOf } from '../../wire/paging.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import * as responses from '../../wire/responses.ts';
import { type ErrorDialect, WireError } from '../../wire/wire-error.ts';
import { ranksInSlices } from './adl-ranks.ts';

const group = 'Positions';

const Position = Type.Object(responses.texts(...OPEN_POSITION_FIELDS));
const ClosedPosition = Type.Object(responses.texts(...CLOSED_POSITION_FIELDS));
const AdlRank = Type.Object(responses.texts('symbol', 'marginCoin', 'adlRank', 'holdSide'));

const positionQuery = {
  category: FuturesCategory,
  symbol: Type.Optional(SymbolName),
  posSide: Type.Optional(PosSideField),
};

interface Selection {
  readonly category: 'USDT-FUTURES' | 'COIN-FUTURES' | 'USDC-FUTURES';
  readonly symbol?: string;
  readonly posSide?: 'long' | 'short';
}

function selectPositions(state: State, uid: number, { category, symbol, posSide }: Selection) {
  if (symbol !== undefined) {
    const instrument = findInstrument(state, category, symbol);
    if (instrument instanceof WireError) return instrument;
  }
  return positionViews(state, uid, {
    category: categoryCode(category),
    symbol,
    long: posSide === undefined ? undefined : posSide === 'long',
  });
}

interface Closing {
  readonly instrument: Instrument;
  readonly hedge: boolean;
  readonly long: boolean;
  readonly totalLots: number;
}

/** Market orders that close the whole position, as many as its size needs. */
function closingCommands(state: State, uid: number, closing: Closing): Unstamped<PlaceOrder>[] {
  const { instrument, hedge, long } = closing;
  const most = instrument.maxMarketLots === 0 ? closing.totalLots : instrument.maxMarketLots;
  const commands: Unstamped<PlaceOrder>[] = [];
  for (let left = closing.totalLots; left > 0; left -= most) {
    commands.push({
      type: 'placeOrder',
      uid,
      source: Source.api,
      instrument: instrument.index,
      side: long ? Side.sell : Side.buy,
      orderType: OrderType.market,
      timeInForce: TimeInForce.gtc,
      stpMode: StpMode.none,
      priceTicks: 0,
      sizeLots: acceptedSize(state, instrument, Math.min(left, most)),
      quoteAmount: 0n,
      clientOid: '',
      posSide: hedge ? (long ? PosSide.long : PosSide.short) : PosSide.none,
      reduceOnly: !hedge,
    });
  }
  return commands;
}

/** A remainder below the smallest order is sent as the smallest order: a closing order shrinks to the position. */
function acceptedSize(state: State, instrument: Instrument, lots: number): number {
  const { minLots, minAmount, lotStep } = instrument;
  const perStep = tradeValue(instrument, referenceTicks(instrument, state.market(instrument)), lotStep);
  const byAmount = perStep === 0n ? 0 : (Number(minAmount / perStep) + 1) * lotStep;
  return tooSmall(state, instrument, lots) ? Math.max(minLots, byAmount) : lots;
}

function tooSmall(state: State, instrument: Instrument, lots: number): boolean {
  const value = tradeValue(instrument, referenceTicks(instrument, state.market(instrument)), lots);
  return lots < instrument.minLots || value < instrument.minAmount;
}

async function closePositions(
  sequencer: Sequencer,
  uid: number,
  selection: Selection,
  dialect: ErrorDialect,
) {
  const { state } = sequencer;
  const positions = selectPositions(state, uid, selection);
  if (positions instanceof WireError) return positions;
  // All are sequenced before the first result is awaited, so that they are adjacent in the journal.
  const submitted = positions.flatMap((position) =>
    closingCommands(state, uid, position).map((command) => ({
      instrument: position.instrument,
      result: sequencer.submit(command),
    })),
  );
  const list = await Promise.all(
    submitted.map(async ({ instrument, result }) => closeResult(state, await result, instrument, dialect)),
  );
  return { list };
}

function closeResult(state: State, result: CommandResult, instrument: Instrument, dialect: ErrorDialect) {
  if (result.rejectReason === RejectReason.none) {
    const orderId = formatOrderId(result.orderId);
    return { orderId, clientOid: result.clientOid, code: '00000', msg: 'success' };
  }
  const error = rejectError(state, result, instrument);
  return { orderId: '', clientOid: '', code: error.codeIn(dialect), msg: error.msg };
}

export const positionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/position/current-position',
    summary: 'Open positions of a category, of one symbol or one side',
    group,
    access: 'trade_read',
    perSecond: 20,
    query: Type.Object(positionQuery),
    data: Type.Object({ list: Type.Array(Position) }),
    handle: ({ sequencer: { state }, caller, query }) => {
      const positions = selectPositions(state, caller.user.uid, query);
      if (positions instanceof WireError) return positions;
      const coinName = (coin: number) => state.coins[coin]!.coin;
      return { list: positions.map((position) => openPositionView(position, coinName)) };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/position/adlRank',
    summary: 'Places of the positions in the auto-deleveraging queue; closer to 1 is reduced earlier',
    group,
    access: 'trade_write',
    perSecond: 1,
    data: Type.Array(AdlRank),
    handle: async ({ sequencer: { state }, caller }) =>
      (await ranksInSlices(state, caller.user.uid)).map(({ instrument, marginCoin, long, rank }) => ({
        symbol: instrument.symbol,
        marginCoin: state.coins[marginCoin]!.coin,
        adlRank: formatUnits(rank, ADL_RANK_SCALE),
        holdSide: long ? 'long' : 'short',
      })),
  }),

  route({
    method: 'GET',
    path: '/api/v3/position/history-position',
    summary: 'Positions that have ended, last closed first; times are those of closing',
    group,
    access: 'trade_read',
    perSecond: 20,
    query: Type.Object({ category: FuturesCategory, symbol: Type.Optional(SymbolName), ...pageFields }),
    data: responses.page(ClosedPosition),
    handle: async ({ sequencer, clock, caller, query }) => {
      const unknown = checkSymbol(sequencer.state, query.category, query.symbol);
      if (unknown !== undefined) return unknown;
      const page = historyPage(query, clock.now());
      if (page instanceof WireError) return page;
      await sequencer.durable();
      const positions = await sequencer.history.closedPositions({
        uid: caller.user.uid,
        category: query.category,
        ...page,
        ...(query.symbol !== undefined && { symbol: query.symbol }),
      });
      return pageOf(positions, (position) => position.positionId);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v3/trade/close-positions',
    summary: 'Close positions at market: of a category, of one symbol or one side',
    group,
    access: 'trade_write',
    perSecond: 5,
    orders: true,
    body: Type.Object(positionQuery),
    data: Type.Object({ list: Type.Array(responses.OrderResult) }),
    handle: ({ sequencer, caller, body, errorDialect }) =>
      closePositions(sequencer, caller.user.uid, body, errorDialect),
  }),
];
