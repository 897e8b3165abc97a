/** The fee schedule: groups of instruments with equal rates (wire 4.2). Rates of an account are at `fee-rate`. */

import { CATEGORY_NAMES, type CategoryName, InstrumentStatus } from '../../../core/model/enums.ts';
import type { Instrument } from '../../../core/model/instrument.ts';
import { formatRate } from '../../../core/model/units.ts';
import type { State } from '../../../core/state/state.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { texts } from '../../wire/responses.ts';

const LINES: Readonly<Record<'SPOT' | 'FUTURES', readonly CategoryName[]>> = {
  SPOT: ['SPOT'],
  FUTURES: ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'],
};
/** The largest group is the first; letters continue the list. */
const GROUP_NAMES = ['DEFAULT', 'GROUP_A', 'GROUP_B', 'GROUP_C'] as const;
const FIRST_LETTER = 'A'.charCodeAt(0);
/** All accounts have the same level. */
const LEVEL = 'STANDARD';

const FeeGroup = Type.Object({
  category: Type.String(),
  group: Type.String(),
  labelList: Type.Array(
    Type.Object({
      weight: Type.String({ description: 'nobody is scored here, so every label weighs the same' }),
      label: Type.String({ description: 'product category' }),
      symbols: Type.Array(Type.String()),
    }),
  ),
  tierList: Type.Array(Type.Object(texts('level', 'makerFeeRate', 'takerFeeRate'))),
});

export const feeGroupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/market/fee-group',
    summary: 'Instruments that share their maker and taker rates, the largest group first',
    group: 'Market data',
    access: 'public',
    perSecond: 5,
    query: Type.Object({
      category: Type.Enum(['SPOT', 'FUTURES'] as const),
      group: Type.Optional(Type.Enum([...GROUP_NAMES])),
    }),
    data: Type.Array(FeeGroup),
    handle: ({ sequencer, query: { category, group } }) =>
      groupsOf(sequencer.state, LINES[category])
        .map((instruments, n) => viewOf(category, nameOf(n), instruments))
        .filter((view) => group === undefined || view.group === group),
  }),
];

/** Instruments of equal rates, largest group first; of equal groups the one listed first. */
function groupsOf(state: State, line: readonly CategoryName[]): Instrument[][] {
  const listed = state.instruments.filter(
    ({ category, status }) => line.includes(CATEGORY_NAMES[category]) && status !== InstrumentStatus.offline,
  );
  const groups = Map.groupBy(listed, ({ makerRate, takerRate }) => `${makerRate} ${takerRate}`);
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function nameOf(n: number): string {
  return GROUP_NAMES[n] ?? `GROUP_${String.fromCharCode(FIRST_LETTER + n - 1)}`;
}

function viewOf(category: string, group: string, instruments: readonly Instrument[]) {
  const [{ makerRate, takerRate }] = instruments as [Instrument];
  const labels = Map.groupBy(instruments, (instrument) => CATEGORY_NAMES[instrument.category]);
  return {
    category,
    group,
    labelList: [...labels].map(([label, members]) => ({
      weight: '1',
      label,
      symbols: members.map(({ symbol }) => symbol),
    })),
    tierList: [{ level: LEVEL, makerFeeRate: formatRate(makerRate), takerFeeRate: formatRate(takerRate) }],
  };
}
