/** Coins and instruments: listing them, their status and fees. */

import { coinProblem, instrumentProblem } from '../../catalogue/entry-check.ts';
import { LEND_SHARE } from '../../core/model/borrow-terms.ts';
import { CATEGORY_NAMES, INSTRUMENT_STATUS_NAMES } from '../../core/model/enums.ts';
import type { Instrument } from '../../core/model/instrument.ts';
import { shownStatus } from '../../core/model/instrument-status.ts';
import { type CoinSpec, HOUSE_SHORT_USD, type InstrumentSpec } from '../../core/model/listing-spec.ts';
import { formatRate, parseUnits, RATE_SCALE } from '../../core/model/units.ts';
import { openOrdersByInstrument } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import {
  AccountText,
  CategoryText,
  CoinName,
  CommandSeq,
  closed,
  DecimalText,
  StatusText,
  SymbolText,
} from '../fields.ts';
import { findAccount, findCoin, findInstrument } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const HOUR_MS = 3_600_000;

const InstrumentView = Type.Object({
  category: Type.String(),
  symbol: Type.String(),
  status: Type.String(),
  /** The house lacks too much of its coin (rules 13.2); the status reads `limit_open` meanwhile. */
  closeOnly: Type.Boolean(),
  /** Coin-margined, and its index is stale or silent: no order trades; `limit_open` is shown then too. */
  paused: Type.Boolean(),
  /** Hours between two settlements of funding as in force; empty where there is none. */
  fundInterval: Type.String(),
  baseCoin: Type.String(),
  quoteCoin: Type.String(),
  makerFeeRate: Type.String(),
  takerFeeRate: Type.String(),
  openOrders: Type.Integer(),
});
/** What the operator allows of a coin (rules 13.2, 13.5, 13.7). */
const LIMITS = {
  houseShortUsd: Type.Optional(DecimalText),
  lendShare: Type.Optional(DecimalText),
  insuranceFloor: Type.Optional(DecimalText),
};
const CoinView = Type.Object({
  coin: Type.String(),
  /** Dollars that the house may lack beyond its fund. */
  houseShortUsd: Type.String(),
  /** Part of what is held that may be lent; empty where it is not lent. */
  lendShare: Type.String(),
  /** What drains leave in each insurance fund. */
  insuranceFloor: Type.String(),
});

function coinView({ coin, houseShortUsd, borrow, insuranceFloor }: CoinSpec) {
  return {
    coin,
    houseShortUsd: houseShortUsd ?? HOUSE_SHORT_USD,
    lendShare: borrow === undefined ? '' : (borrow.lendShare ?? formatRate(LEND_SHARE)),
    insuranceFloor: insuranceFloor ?? '0',
  };
}

const Changed = Type.Object({ instrument: InstrumentView, command: CommandSeq });

function viewOf(state: State, instrument: Instrument, openOrders: number) {
  const fundIntervalMs = state.market(instrument).futures?.interval.ms ?? 0;
  return {
    category: CATEGORY_NAMES[instrument.category],
    symbol: instrument.symbol,
    status: INSTRUMENT_STATUS_NAMES[shownStatus(instrument)],
    closeOnly: instrument.closeOnly,
    paused: instrument.paused,
    fundInterval: fundIntervalMs === 0 ? '' : String(fundIntervalMs / HOUR_MS),
    baseCoin: instrument.spec.baseCoin,
    quoteCoin: instrument.spec.quoteCoin,
    makerFeeRate: formatRate(instrument.makerRate),
    takerFeeRate: formatRate(instrument.takerRate),
    openOrders,
  };
}

export const listingRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/instruments',
    query: Type.Object({ category: Type.Optional(CategoryText) }, closed),
    answer: Type.Object({ instruments: Type.Array(InstrumentView) }),
    handle: ({ sequencer: { state }, query }) => {
      const counts = openOrdersByInstrument(state);
      const instruments = state.instruments
        .filter(({ spec }) => query.category === undefined || spec.category === query.category)
        .map((instrument) => viewOf(state, instrument, counts[instrument.index]!));
      return { instruments };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/instruments',
    body: Type.Object({ spec: Type.Record(Type.String(), Type.Unknown()) }, closed),
    answer: Changed,
    action: 'instrument.add',
    auditArguments: ({ body: { spec } }) => ({ spec }),
    handle: async ({ sequencer, body, audited }) => {
      const problem = instrumentProblem(body.spec);
      if (problem !== undefined) return new AdminError('invalid_request', problem);
      const spec = body.spec as unknown as InstrumentSpec;
      const result = await audited.submit({ type: 'listInstrument', spec });
      if (result instanceof AdminError) return result;
      const instrument = sequencer.state.instrument(spec.category, spec.symbol)!;
      return { instrument: viewOf(sequencer.state, instrument, 0), command: audited.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/instruments/status',
    body: Type.Object({ category: CategoryText, symbol: SymbolText, status: StatusText }, closed),
    answer: Changed,
    action: 'instrument.status',
    auditArguments: ({ body }) => ({ category: body.category, symbol: body.symbol, status: body.status }),
    handle: async ({ sequencer, body, audited }) => {
      const { state } = sequencer;
      const instrument = findInstrument(state, body.category, body.symbol);
      if (instrument instanceof AdminError) return instrument;
      const { index } = instrument;
      const result = await audited.submit({
        type: 'setInstrumentStatus',
        instrument: index,
        status: body.status,
      });
      if (result instanceof AdminError) return result;
      return {
        instrument: viewOf(state, instrument, openOrdersByInstrument(state)[index]!),
        command: audited.command,
      };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/coins',
    body: Type.Object({ spec: Type.Record(Type.String(), Type.Unknown()) }, closed),
    answer: Type.Object({ coin: Type.String(), command: CommandSeq }),
    action: 'coin.add',
    auditArguments: ({ body: { spec } }) => ({ spec }),
    handle: async ({ body, audited }) => {
      const problem = coinProblem(body.spec);
      if (problem !== undefined) return new AdminError('invalid_request', problem);
      const spec = body.spec as unknown as CoinSpec;
      const result = await audited.submit({ type: 'listCoin', spec });
      return result instanceof AdminError ? result : { coin: spec.coin, command: audited.command };
    },
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/coins',
    answer: Type.Object({ coins: Type.Array(CoinView) }),
    handle: ({ sequencer: { state } }) => ({ coins: state.coins.map(coinView) }),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/coins/limits',
    body: Type.Object({ coin: CoinName, ...LIMITS }, closed),
    answer: Type.Object({ coin: CoinView, command: CommandSeq }),
    action: 'coin.limits',
    auditArguments: ({ body }) => ({ ...body }),
    handle: async ({ sequencer: { state }, body, audited }) => {
      const coin = findCoin(state, body.coin);
      if (coin instanceof AdminError) return coin;
      const { houseShortUsd = '', lendShare = '', insuranceFloor = '' } = body;
      if (houseShortUsd + lendShare + insuranceFloor === '')
        return new AdminError('invalid_request', 'give at least one limit');
      const result = await audited.submit({
        type: 'setCoinLimits',
        coin,
        houseShortUsd,
        lendShare,
        insuranceFloor,
      });
      if (result instanceof AdminError) return result;
      return { coin: coinView(state.coins[coin]!), command: audited.command };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/fees',
    body: Type.Object(
      {
        account: AccountText,
        category: CategoryText,
        symbol: SymbolText,
        maker: DecimalText,
        taker: DecimalText,
      },
      closed,
    ),
    answer: Type.Object({
      uid: Type.Integer(),
      category: Type.String(),
      symbol: Type.String(),
      maker: Type.String(),
      taker: Type.String(),
      command: CommandSeq,
    }),
    auditDetail: ({ uid }) => `account ${uid}`,
    action: 'fees.set',
    auditArguments: ({ body: { account, category, symbol, maker, taker } }) => ({
      account,
      category,
      symbol,
      maker,
      taker,
    }),
    handle: async ({ sequencer, identity, body, audited }) => {
      const { state } = sequencer;
      const { category, symbol } = body;
      const account = findAccount(identity, state, body.account);
      if (account instanceof AdminError) return account;
      const instrument = findInstrument(state, category, symbol);
      if (instrument instanceof AdminError) return instrument;
      const makerRate = parseUnits(body.maker, RATE_SCALE);
      const takerRate = parseUnits(body.taker, RATE_SCALE);
      if (makerRate === undefined || takerRate === undefined) {
        return new AdminError('invalid_request', `a rate has at most ${RATE_SCALE} decimal places`);
      }
      const { uid } = account;
      const { index } = instrument;
      const result = await audited.submit({
        type: 'setFees',
        uid,
        instrument: index,
        makerRate,
        takerRate,
      });
      if (result instanceof AdminError) return result;
      return {
        uid,
        category,
        symbol,
        maker: formatRate(makerRate),
        taker: formatRate(takerRate),
        command: audited.command,
      };
    },
  }),
];
