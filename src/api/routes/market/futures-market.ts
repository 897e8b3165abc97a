/** Public data of futures: tiers, funding, open interest, collateral rates, liquidations (wire 4.2). */

import type { CategoryName } from '../../../core/model/enums.ts';
import type { FuturesTerms, Instrument } from '../../../core/model/instrument.ts';
import type { MarginTier } from '../../../core/model/margin-tiers.ts';
import { formatMoney, formatRate } from '../../../core/model/units.ts';
import { collateralTiers } from '../../../core/reads/margin-reads.ts';
import type { State } from '../../../core/state/state.ts';
import { SUBS_PER_USER_MAX } from '../../../identity/identity.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { Cursor, FuturesCategory, Limit, SymbolName } from '../../wire/fields.ts';
import { findInstrument, instrumentsOf, unknownSymbol } from '../../wire/instrument-lookup.ts';
import { CoinName, findCoin, unknownCoin } from '../../wire/money-input.ts';
import { cursorId, pageLimit } from '../../wire/paging.ts';
import * as responses from '../../wire/responses.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';
import { contractPrices, fundInterval } from './market-view.ts';

const group = 'Futures market data';
const FUTURES = ['USDT-FUTURES', 'USDC-FUTURES', 'COIN-FUTURES'] as const satisfies readonly CategoryName[];
const FUND_RATES_MAX = 200;
const FUND_RATE_PAGES_MAX = 100;
const LIQUIDATIONS_MS = 3 * 86_400_000;

/** One contract, or all of its category when none is named. */
function contracts(state: State, category: CategoryName, symbol: string | undefined) {
  if (symbol === undefined) return instrumentsOf(state, category);
  const instrument = findInstrument(state, category, symbol);
  return instrument instanceof WireError ? instrument : [instrument];
}

const isPerpetual = ({ futures }: Instrument) => futures !== undefined && futures.delivery === undefined;

/** A symbol may come without its category: the three futures categories are searched in turn. */
function perpetuals(state: State, category: CategoryName | undefined, symbol: string | undefined) {
  if (category !== undefined) {
    const found = contracts(state, category, symbol);
    return found instanceof WireError ? found : found.filter(isPerpetual);
  }
  if (symbol === undefined) return wireError('40019', 'symbol or category must be given');
  const found = FUTURES.map((name) => state.instrument(name, symbol)).filter((each) => each !== undefined);
  if (found.length === 0) return unknownSymbol(symbol);
  return found.filter(isPerpetual);
}

export const FundingRate = Type.Object(
  responses.texts(
    'symbol',
    'fundingRate',
    'fundingRateInterval',
    'nextUpdate',
    'minFundingRate',
    'maxFundingRate',
  ),
);

export function fundingView(state: State, instrument: Instrument) {
  const { nextFunding, bounds } = state.market(instrument).futures!;
  const { minFundingRate, maxFundingRate } = state.rules.fundingLimits ? bounds : instrument.futures!;
  return {
    symbol: instrument.symbol,
    fundingRate: contractPrices(state, instrument).fundingRate,
    fundingRateInterval: fundInterval(state, instrument),
    nextUpdate: Number.isFinite(nextFunding) ? String(nextFunding) : '',
    minFundingRate: formatRate(minFundingRate),
    maxFundingRate: formatRate(maxFundingRate),
  };
}

/** Tiers of debt in a coin, or in the quote coin of a pair; the leverage never above that of its pairs. */
export function debtTiers(state: State, coinName: string | undefined, symbol: string | undefined) {
  const pair = symbol === undefined ? undefined : findInstrument(state, 'MARGIN', symbol);
  if (pair instanceof WireError) return pair;
  const name = coinName ?? pair?.spec.quoteCoin;
  if (name === undefined) return wireError('40019', 'coin must be given for margin trading');
  const coin = findCoin(state, name);
  if (coin === undefined) return unknownCoin();
  const { terms, maxLeverage } = state.lending[coin.index]!;
  if (maxLeverage === 0) return [];
  return tierViews(
    terms.tiers.map((tier) => ({ ...tier, maxLeverage: Math.min(tier.maxLeverage, maxLeverage) })),
  );
}

export const PositionTier = Type.Object(
  responses.texts('tier', 'minTierValue', 'maxTierValue', 'leverage', 'mmr'),
);

/** The end of the last tier: the largest position of any account in the contract. */
export function largestPosition({ tiers }: FuturesTerms): string {
  return formatMoney(tiers.at(-1)!.upTo);
}

/**
 * The largest position of a main account and its sub-accounts together: that of one account (rules 13.9). Accounts below
 * a broker belong to different people, and in the first edition every account had a limit of its own.
 */
export function largestOfParty(
  { rules }: State,
  { tiers }: FuturesTerms,
  { broker, subs }: { readonly broker: boolean; readonly subs: number },
): string {
  const parties = rules.partyLimits && !broker ? 1 : 1 + subs;
  return formatMoney(tiers.at(-1)!.upTo * BigInt(parties));
}

function tierViews(tiers: readonly MarginTier[]) {
  return tiers.map(({ from, upTo, maxLeverage, rate: mmr }, n) => ({
    tier: String(n + 1),
    minTierValue: formatMoney(from),
    maxTierValue: formatMoney(upTo),
    leverage: String(maxLeverage),
    mmr: formatRate(mmr),
  }));
}

const contractQuery = { category: FuturesCategory, symbol: Type.Optional(SymbolName) };

export const futuresMarketRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/market/current-fund-rate',
    summary: 'The funding rate as it would be settled now',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({ category: Type.Optional(FuturesCategory), symbol: Type.Optional(SymbolName) }),
    data: Type.Array(FundingRate),
    handle: ({ sequencer: { state }, query }) => {
      const found = perpetuals(state, query.category, query.symbol);
      return found instanceof WireError ? found : found.map((instrument) => fundingView(state, instrument));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/history-fund-rate',
    summary: 'Funding rates that were settled, newest first; the cursor is a page number',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({
      category: FuturesCategory,
      symbol: SymbolName,
      cursor: Type.Optional(Cursor),
      limit: Type.Optional(Limit),
    }),
    data: Type.Object({
      resultList: Type.Array(Type.Object(responses.texts('symbol', 'fundingRate', 'fundingRateTimestamp'))),
    }),
    handle: async ({ sequencer, query }) => {
      const instrument = findInstrument(sequencer.state, query.category, query.symbol);
      if (instrument instanceof WireError) return instrument;
      const limit = pageLimit(query.limit, FUND_RATES_MAX, FUND_RATES_MAX);
      if (limit instanceof WireError) return limit;
      const page = Number(query.cursor ?? 1);
      if (page < 1 || page > FUND_RATE_PAGES_MAX)
        return wireError('40020', `cursor must be a page number from 1 to ${FUND_RATE_PAGES_MAX}`);
      await sequencer.durable();
      const { category, symbol } = instrument.spec;
      const skip = (page - 1) * limit;
      return { resultList: await sequencer.history.fundingRates({ category, symbol, skip, limit }) };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/open-interest',
    summary: 'Sum of all long positions, in base coin',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object(contractQuery),
    data: Type.Object({
      list: Type.Array(Type.Object(responses.texts('symbol', 'openInterest'))),
      ...responses.texts('ts'),
    }),
    handle: ({ sequencer: { state }, query }) => {
      const found = contracts(state, query.category, query.symbol);
      if (found instanceof WireError) return found;
      const list = found.map((instrument) => ({
        symbol: instrument.symbol,
        openInterest: contractPrices(state, instrument).openInterest,
      }));
      return { list, ts: String(state.now) };
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/position-tier',
    summary:
      'Leverage and maintenance rate by the size of a position in quote coin, or of a debt in dollars (MARGIN, by coin)',
    group,
    access: 'public',
    perSecond: 20,
    query: Type.Object({
      category: Type.Enum(['MARGIN', ...FUTURES], { description: 'MARGIN or a futures category' }),
      symbol: Type.Optional(SymbolName),
      coin: Type.Optional(CoinName),
    }),
    data: Type.Array(PositionTier),
    handle: ({ sequencer: { state }, query }) => {
      if (query.category === 'MARGIN') return debtTiers(state, query.coin, query.symbol);
      if (query.symbol === undefined) return wireError('40019', 'symbol must be given for futures');
      const instrument = findInstrument(state, query.category, query.symbol);
      return instrument instanceof WireError ? instrument : tierViews(instrument.futures!.tiers);
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/oi-limit',
    summary:
      'The largest position of one account, in quote coin, and of a main account with its sub-accounts',
    group,
    access: 'public',
    perSecond: 10,
    query: Type.Object(contractQuery),
    data: Type.Array(Type.Object(responses.texts('symbol', 'notionalValue', 'totalNotionalValue'))),
    handle: ({ sequencer: { state }, query }) => {
      const found = contracts(state, query.category, query.symbol);
      if (found instanceof WireError) return found;
      return found.map(({ symbol, futures }) => ({
        symbol,
        notionalValue: largestPosition(futures!),
        totalNotionalValue: largestOfParty(state, futures!, { broker: false, subs: SUBS_PER_USER_MAX }),
      }));
    },
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/discount-rate',
    summary: 'What each coin counts as margin, by slices of its dollar value',
    group,
    access: 'public',
    perSecond: 20,
    data: Type.Array(
      Type.Object({
        ...responses.texts('coin'),
        list: Type.Array(Type.Object(responses.texts('tierStartValue', 'discountRate'))),
      }),
    ),
    handle: ({ sequencer: { state } }) =>
      state.coins
        .map((spec) => ({ coin: spec.coin, list: collateralTiers(spec) }))
        .filter(({ list }) => list.length > 0),
  }),

  route({
    method: 'GET',
    path: '/api/v3/market/liquidations',
    summary: 'Fills of forced closes of the last three days, newest first',
    group,
    access: 'public',
    perSecond: 5,
    query: Type.Object({
      ...contractQuery,
      limit: Type.Optional(Limit),
      cursor: Type.Optional(Cursor),
    }),
    data: responses.page(Type.Object(responses.texts('symbol', 'side', 'price', 'amount', 'ts'))),
    handle: async ({ sequencer, clock, query }) => {
      const found = contracts(sequencer.state, query.category, query.symbol);
      if (found instanceof WireError) return found;
      const limit = pageLimit(query.limit);
      if (limit instanceof WireError) return limit;
      const beforeId = cursorId(query.cursor);
      await sequencer.durable();
      const list = await sequencer.history.liquidations({
        category: query.category,
        startTime: clock.now() - LIQUIDATIONS_MS,
        limit,
        ...(query.symbol !== undefined && { symbol: query.symbol }),
        ...(beforeId !== undefined && { beforeId }),
      });
      return { list, cursor: list.at(-1)?.execId ?? '' };
    },
  }),
];
