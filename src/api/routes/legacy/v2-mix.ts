/** Older paths that one widely used client calls for leverage, margin mode, margin and mark price (wire 6.3). */

import { HOLD_MODE_NAMES } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { MONEY_SCALE, parseUnits } from '../../../core/model/units.ts';
import { futuresSetting } from '../../../core/reads/margin-reads.ts';
import type { State } from '../../../core/state/state.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { Type } from '../../../validation/schema.ts';
import { marginModeName } from '../../../views/futures-enums.ts';
import { type Route, route } from '../../route.ts';
import { Decimal, FuturesCategory, MarginMode, PosSide, SymbolName } from '../../wire/fields.ts';
import { findAccount, findInstrument, instrumentsOf } from '../../wire/instrument-lookup.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { autoMarginText, moveMargin, setAutoMargin } from '../futures/isolated-margin.ts';
import { FundingRate, fundingView } from '../market/futures-market.ts';
import { contractPrices, tickerView } from '../market/market-view.ts';
import { marginModeChange } from '../trade/margin-mode.ts';

const group = 'Older futures paths';

const Coin = Type.String({ maxLength: 20, description: 'margin coin' });
const contract = { symbol: SymbolName, productType: FuturesCategory };
const SignedDecimal = Type.String({
  pattern: '^-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$',
  maxLength: 40,
  description: 'positive adds, negative takes out',
});

function mixTicker(sequencer: Sequencer, instrument: Instrument) {
  const ticker = tickerView(sequencer, instrument);
  const { nextUpdate, fundingRateInterval } = fundingView(sequencer.state, instrument);
  return {
    symbol: instrument.symbol,
    lastPr: ticker.lastPrice,
    askPr: ticker.ask1Price,
    bidPr: ticker.bid1Price,
    askSz: ticker.ask1Size,
    bidSz: ticker.bid1Size,
    high24h: ticker.highPrice24h,
    low24h: ticker.lowPrice24h,
    open24h: ticker.openPrice24h,
    change24h: ticker.price24hPcnt,
    baseVolume: ticker.volume24h,
    quoteVolume: ticker.turnover24h,
    indexPrice: ticker.indexPrice,
    markPrice: ticker.markPrice,
    fundingRate: ticker.fundingRate,
    holdingAmount: ticker.openInterest,
    nextFundingTime: nextUpdate,
    fundingRateInterval,
    ts: ticker.ts,
  };
}

/** One client omits the category here: it follows from the margin coin. */
function contractBySymbol(
  state: State,
  symbol: string,
  marginCoin: string | undefined,
): Instrument | WireError {
  const found = state.instruments.filter(
    ({ futures, symbol: name }) =>
      futures !== undefined &&
      name === symbol &&
      (marginCoin === undefined || state.coins[futures.settle]!.coin === marginCoin.toUpperCase()),
  );
  if (found.length === 1) return found[0]!;
  return found.length === 0
    ? wireError('25100', 'symbol: no contract of this name has its margin in marginCoin')
    : wireError('40019', 'productType must be given: several contracts have this symbol');
}

/** Leverage and margin mode of a contract under the names of the older paths. */
function settingView(state: State, uid: number, instrument: Instrument) {
  const account = findAccount(state, uid);
  if (account instanceof WireError) return account;
  const { isolated, longLeverage, shortLeverage } = futuresSetting(account, instrument);
  return {
    symbol: instrument.symbol,
    marginCoin: state.coins[instrument.futures!.settle]!.coin,
    marginMode: marginModeName(isolated),
    posMode: HOLD_MODE_NAMES[account.holdMode],
    crossedMarginLeverage: String(longLeverage),
    isolatedLongLever: String(longLeverage),
    isolatedShortLever: String(shortLeverage),
    longLeverage: String(longLeverage),
    shortLeverage: String(shortLeverage),
    isolatedLongAutoMargin: autoMarginText(state, uid, instrument, 'long'),
    isolatedShortAutoMargin: autoMarginText(state, uid, instrument, 'short'),
  };
}

const Setting = Type.Object(
  responses.texts(
    'symbol',
    'marginCoin',
    'marginMode',
    'posMode',
    'crossedMarginLeverage',
    'isolatedLongLever',
    'isolatedShortLever',
    'longLeverage',
    'shortLeverage',
    'isolatedLongAutoMargin',
    'isolatedShortAutoMargin',
  ),
);

export const mixRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/mix/market/symbol-price',
    summary: 'Last, index and mark price of a contract',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object(contract),
    data: Type.Array(Type.Object(responses.texts('symbol', 'price', 'indexPrice', 'markPrice', 'ts'))),
    handle: ({ sequencer, query }) => {
      const instrument = findInstrument(sequencer.state, query.productType, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const { indexPrice, markPrice } = contractPrices(sequencer.state, instrument);
      const { lastPrice, ts } = tickerView(sequencer, instrument);
      return [{ symbol: instrument.symbol, price: lastPrice, indexPrice, markPrice, ts }];
    },
  }),

  route({
    method: 'GET',
    path: '/api/v2/mix/market/current-fund-rate',
    summary: 'Funding rates of a futures category, or of one contract, with their intervals',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ productType: FuturesCategory, symbol: Type.Optional(SymbolName) }),
    data: Type.Array(FundingRate),
    handle: ({ sequencer: { state }, query }) => {
      const { productType, symbol } = query;
      const one = symbol === undefined ? undefined : findInstrument(state, productType, symbol);
      if (one instanceof WireError) return one;
      const contracts = one === undefined ? instrumentsOf(state, productType) : [one];
      return contracts
        .filter(({ spec }) => spec.futures!.type === 'perpetual')
        .map((instrument) => fundingView(state, instrument));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v2/mix/market/tickers',
    summary: 'Tickers of a futures category with funding',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ productType: FuturesCategory }),
    data: Type.Array(
      Type.Object(
        responses.texts(
          'symbol',
          'lastPr',
          'askPr',
          'bidPr',
          'askSz',
          'bidSz',
          'high24h',
          'low24h',
          'open24h',
          'change24h',
          'baseVolume',
          'quoteVolume',
          'indexPrice',
          'markPrice',
          'fundingRate',
          'holdingAmount',
          'nextFundingTime',
          'fundingRateInterval',
          'ts',
        ),
      ),
    ),
    handle: ({ sequencer, query }) =>
      instrumentsOf(sequencer.state, query.productType).map((instrument) => mixTicker(sequencer, instrument)),
  }),

  route({
    method: 'GET',
    path: '/api/v2/mix/account/account',
    summary: 'Leverage and margin mode of a contract',
    group,
    access: 'mgt_read',
    perSecond: 10,
    query: Type.Object({ ...contract, marginCoin: Type.Optional(Coin) }),
    data: Setting,
    handle: ({ sequencer: { state }, caller, query }) => {
      const instrument = findInstrument(state, query.productType, query.symbol);
      return instrument instanceof WireError ? instrument : settingView(state, caller.user.uid, instrument);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v2/mix/account/set-margin-mode',
    summary: 'Crossed or isolated; changes only while nothing is open in the contract',
    group,
    access: 'mgt_write',
    perSecond: 5,
    body: Type.Object({ ...contract, marginCoin: Type.Optional(Coin), marginMode: MarginMode }),
    data: Setting,
    handle: async ({ sequencer, caller, body }) => {
      const instrument = findInstrument(sequencer.state, body.productType, body.symbol);
      if (instrument instanceof WireError) return instrument;
      const { uid } = caller.user;
      const change = marginModeChange(sequencer, uid, instrument, body.marginMode);
      if (change instanceof WireError) return change;
      if (change !== undefined) await sequencer.submit(change);
      return settingView(sequencer.state, uid, instrument);
    },
  }),

  route({
    method: 'POST',
    path: '/api/v2/mix/account/set-margin',
    summary: 'Add margin to an isolated position, or take some out of it',
    group,
    access: 'mgt_write',
    perSecond: 5,
    body: Type.Object({
      ...contract,
      marginCoin: Type.Optional(Coin),
      amount: SignedDecimal,
      holdSide: Type.Optional(PosSide),
    }),
    data: Type.Literal(''),
    handle: async ({ sequencer, caller, body }) => {
      const instrument = findInstrument(sequencer.state, body.productType, body.symbol);
      if (instrument instanceof WireError) return instrument;
      const amount = parseUnits(body.amount, MONEY_SCALE);
      if (amount === undefined) return wireError('25200', `amount must have at most ${MONEY_SCALE} decimals`);
      const moved = await moveMargin(sequencer, caller.user.uid, instrument, body.holdSide, amount);
      return moved instanceof WireError ? moved : '';
    },
  }),

  route({
    method: 'POST',
    path: '/api/v2/mix/account/set-auto-margin',
    summary:
      'Let an isolated position take margin from the account before it is liquidated, at most the amount if one is given; ends with the position',
    group,
    access: 'mgt_write',
    perSecond: 5,
    body: Type.Object({
      symbol: SymbolName,
      productType: Type.Optional(FuturesCategory),
      marginCoin: Type.Optional(Coin),
      autoMargin: Type.Enum(['on', 'off'] as const),
      amount: Type.Optional(Type.Union([Decimal, Type.Literal('')])),
      holdSide: Type.Optional(PosSide),
    }),
    data: responses.Success,
    handle: ({ sequencer, caller, body }) => {
      const { productType, symbol, marginCoin, autoMargin, holdSide } = body;
      const instrument =
        productType === undefined
          ? contractBySymbol(sequencer.state, symbol, marginCoin)
          : findInstrument(sequencer.state, productType, symbol);
      if (instrument instanceof WireError) return instrument;
      const { uid } = caller.user;
      if (autoMargin === 'off') return setAutoMargin(sequencer, uid, instrument, holdSide, 'off');
      const limit = body.amount ? parseUnits(body.amount, MONEY_SCALE) : 'unbounded';
      if (limit === undefined || limit === 0n) {
        return wireError('25200', `amount must be above 0 and have at most ${MONEY_SCALE} decimals`);
      }
      return setAutoMargin(sequencer, uid, instrument, holdSide, limit);
    },
  }),
];
