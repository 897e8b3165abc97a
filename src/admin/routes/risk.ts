/** Who is near liquidation, what a deleveraging could close, and what was closed by force. */

import { CATEGORY_NAMES, SIDE_NAMES } from '../../core/model/enums.ts';
import type { FillRecord } from '../../core/model/event.ts';
import { formatMoney, formatRate, formatUnits, MOVE_ONE } from '../../core/model/units.ts';
import {
  type AccountRatio,
  nearestToLiquidation,
  openContracts,
  riskLevels,
} from '../../core/reads/risk-reads.ts';
import type { State } from '../../core/state/state.ts';
import type { Identity } from '../../identity/identity.ts';
import { Type } from '../../validation/schema.ts';
import { formatId } from '../../views/format.ts';
import { AdminError } from '../admin-error.ts';
import { closed } from '../fields.ts';
import { FORCED_KINDS } from '../forced-closes.ts';
import { LimitText, limitOf } from '../page-limit.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const NEAREST = 20;
/** Moves of all prices that tell calm accounts apart: 1, 5 and 20 %. */
const MOVE_LIMITS = [0.01, 0.05, 0.2].map((share) => share * MOVE_ONE);
const MOVE_SCALE = 9;

const RatioView = Type.Object({
  uid: Type.Integer(),
  name: Type.String(),
  /** The contract of the isolated position with a higher ratio than the crossed part of the account; empty when none has. */
  isolated: Type.String(),
  /** Of that position, else of the crossed part; empty when no collateral is left. */
  ratio: Type.String(),
  /** The least move of all prices that could bring it to liquidation; empty when none can. */
  move: Type.String(),
  effective: Type.String(),
  maintenance: Type.String(),
  positions: Type.Integer(),
});
const ForcedView = Type.Object({
  id: Type.String(),
  time: Type.Integer(),
  uid: Type.Integer(),
  kind: Type.String(),
  category: Type.String(),
  symbol: Type.String(),
  side: Type.String(),
  size: Type.String(),
  price: Type.String(),
  pnl: Type.String(),
});

function ratioView(state: State, identity: Identity, near: AccountRatio) {
  const { uid, isolated, ratio, move, effective, maintenance, positions } = near;
  return {
    uid,
    name: identity.findUser(uid)?.name ?? '',
    isolated: isolated === undefined ? '' : state.instruments[isolated]!.symbol,
    ratio: ratio === undefined ? '' : formatRate(ratio),
    move: Number.isFinite(move) ? formatUnits(BigInt(move), MOVE_SCALE) : '',
    effective: formatMoney(effective),
    maintenance: formatMoney(maintenance),
    positions,
  };
}

function forcedView(state: State, fill: FillRecord) {
  const { symbol, pricePrecision, quantityPrecision } = state.instruments[fill.instrument]!;
  const { kind, pnl } = fill.futures!;
  return {
    id: formatId(fill.execId),
    time: fill.time,
    uid: fill.uid,
    kind: FORCED_KINDS[kind]!,
    category: CATEGORY_NAMES[fill.category],
    symbol,
    side: SIDE_NAMES[fill.side],
    size: formatUnits(BigInt(fill.sizeLots), quantityPrecision),
    price: formatUnits(BigInt(fill.priceTicks), pricePrecision),
    pnl: formatMoney(pnl),
  };
}

export const riskRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/risk',
    query: Type.Object({ limit: Type.Optional(LimitText) }, closed),
    answer: Type.Object({
      /** Accounts with a position or a debt: at liquidation, warned, and calm ones by the move that they can bear. */
      levels: Type.Object({
        due: Type.Integer(),
        warned: Type.Integer(),
        within1: Type.Integer(),
        within5: Type.Integer(),
        within20: Type.Integer(),
        beyond20: Type.Integer(),
      }),
      nearest: Type.Array(RatioView),
      /** Contracts with positions: a deleveraging could close them. */
      contracts: Type.Array(
        Type.Object({
          category: Type.String(),
          symbol: Type.String(),
          holders: Type.Integer(),
          openInterest: Type.String(),
        }),
      ),
      forced: Type.Array(ForcedView),
    }),
    handle: ({ sequencer: { state, liquidationMonitor }, identity, forcedCloses, query }) => {
      const limit = limitOf(query.limit, NEAREST);
      if (limit instanceof AdminError) return limit;
      const { due, warned, calm } = riskLevels(state, liquidationMonitor, MOVE_LIMITS);
      const [within1, within5, within20, beyond20] = calm as [number, number, number, number];
      return {
        levels: { due, warned, within1, within5, within20, beyond20 },
        nearest: nearestToLiquidation(state, liquidationMonitor, limit).map((near) =>
          ratioView(state, identity, near),
        ),
        contracts: openContracts(state).map(({ instrument, holders, openInterestLots }) => {
          const { category, symbol, quantityPrecision } = state.instruments[instrument]!;
          const openInterest = formatUnits(BigInt(openInterestLots), quantityPrecision);
          return { category: CATEGORY_NAMES[category], symbol, holders, openInterest };
        }),
        forced: forcedCloses.recent().map((fill) => forcedView(state, fill)),
      };
    },
  }),
];
