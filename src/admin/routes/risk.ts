/** Who is near liquidation, what a deleveraging could close, and what was closed by force. */

import { CATEGORY_NAMES, SIDE_NAMES } from '../../core/model/enums.ts';
import type { FillRecord } from '../../core/model/event.ts';
import { formatMoney, formatRate, formatUnits, RATE_ONE } from '../../core/model/units.ts';
import { type AccountRatio, deleveragingQueues } from '../../core/reads/risk-reads.ts';
import type { State } from '../../core/state/state.ts';
import type { Identity } from '../../identity/identity.ts';
import { Type } from '../../validation/schema.ts';
import { formatId } from '../../views/format.ts';
import { closed } from '../fields.ts';
import { FORCED_KINDS } from '../risk-watch.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const NEAREST_MAX = 1000;
const NEAREST = '20';

const RatioView = Type.Object({
  uid: Type.Integer(),
  name: Type.String(),
  /** Empty when no collateral is left. */
  ratio: Type.String(),
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

function levelsOf(ratios: readonly AccountRatio[]) {
  const levels = { over100: 0, from80: 0, from50: 0, below50: 0 };
  for (const { ratio } of ratios) {
    if (ratio === undefined || ratio >= RATE_ONE) levels.over100 += 1;
    else if (ratio * 10n >= RATE_ONE * 8n) levels.from80 += 1;
    else if (ratio * 10n >= RATE_ONE * 5n) levels.from50 += 1;
    else levels.below50 += 1;
  }
  return levels;
}

function ratioView(identity: Identity, { uid, ratio, effective, maintenance, positions }: AccountRatio) {
  return {
    uid,
    name: identity.findUser(uid)?.name ?? '',
    ratio: ratio === undefined ? '' : formatRate(ratio),
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
    query: Type.Object({ limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })) }, closed),
    answer: Type.Object({
      /** Accounts with a position or a debt, by their margin ratio in percent. */
      levels: Type.Object({
        over100: Type.Integer(),
        from80: Type.Integer(),
        from50: Type.Integer(),
        below50: Type.Integer(),
      }),
      nearest: Type.Array(RatioView),
      queues: Type.Array(
        Type.Object({
          category: Type.String(),
          symbol: Type.String(),
          long: Type.Integer(),
          short: Type.Integer(),
        }),
      ),
      forced: Type.Array(ForcedView),
    }),
    handle: ({ sequencer: { state }, identity, risk, query }) => {
      const ratios = risk.ratios();
      const limit = Math.min(Number(query.limit ?? NEAREST), NEAREST_MAX);
      return {
        levels: levelsOf(ratios),
        nearest: ratios.slice(0, limit).map((ratio) => ratioView(identity, ratio)),
        queues: deleveragingQueues(state).map(({ instrument, long, short }) => {
          const { category, symbol } = state.instruments[instrument]!;
          return { category: CATEGORY_NAMES[category], symbol, long, short };
        }),
        forced: risk.forced().map((fill) => forcedView(state, fill)),
      };
    },
  }),
];
