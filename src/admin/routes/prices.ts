/** Component prices set by the operator: they move indices and marks while no feed runs. */

import { EVERY_COMPONENT } from '../../core/model/command.ts';
import { formatMoney, MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { CommandSeq, closed, DecimalText } from '../fields.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

const ComponentView = Type.Object({
  exchange: Type.String(),
  spotPair: Type.String(),
  price: Type.String(),
  /** When it was last reported (ms), null before the first time; by a feed, or by hand. */
  reported: Type.Union([Type.Integer(), Type.Null()]),
  source: Type.Enum(['feed', 'hand']),
  /** Does it count now (rules 13.6)? */
  live: Type.Boolean(),
});
const IndexView = Type.Object({
  index: Type.String(),
  /** As of the last second; 0 before the first. */
  price: Type.String(),
  stale: Type.Boolean(),
  /** One live component is left of several: no forced closes (rules 13.6). */
  thin: Type.Boolean(),
  /** When the latest live component was reported (ms); null while none is live. */
  reported: Type.Union([Type.Integer(), Type.Null()]),
  components: Type.Array(ComponentView),
});

function viewOf(state: State, index: number) {
  const found = state.indices[index]!;
  const { name, price, stale, thin, components } = found;
  return {
    index: name,
    price: formatMoney(price),
    stale,
    thin,
    reported: found.reportedAt(state.now) || null,
    components: components.map((c) => ({
      exchange: c.exchange,
      spotPair: c.spotPair,
      price: formatMoney(c.price),
      reported: c.price === 0n ? null : c.reportedTime,
      source: c.byOperator ? ('hand' as const) : ('feed' as const),
      live: found.isLive(c, state.now),
    })),
  };
}

function componentOf(state: State, index: number, exchange: string | undefined): number | undefined {
  if (exchange === undefined) return EVERY_COMPONENT;
  const found = state.indices[index]!.components.findIndex((component) => component.exchange === exchange);
  return found < 0 ? undefined : found;
}

export const priceRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/prices',
    answer: Type.Object({ indices: Type.Array(IndexView) }),
    handle: ({ sequencer: { state } }) => ({
      indices: state.indices.map((_, index) => viewOf(state, index)),
    }),
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/prices',
    body: Type.Object(
      {
        index: Type.String({ minLength: 1, maxLength: 40 }),
        price: DecimalText,
        /** One component of the index; all of them unless given. */
        exchange: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
      },
      closed,
    ),
    answer: Type.Object({ index: IndexView, command: CommandSeq }),
    action: 'price.set',
    auditArguments: ({ body: { index, price, exchange } }) => ({
      index,
      price,
      ...(exchange !== undefined && { exchange }),
    }),
    handle: async ({ sequencer, body, audited }) => {
      const { state } = sequencer;
      const index = state.indexByName.get(body.index);
      if (index === undefined) {
        const missing = `there is no index ${JSON.stringify(body.index)}`;
        return new AdminError('unknown_instrument', missing);
      }
      const price = parseUnits(body.price, MONEY_SCALE);
      if (price === undefined)
        return new AdminError('invalid_request', `a price has at most ${MONEY_SCALE} decimal places`);
      const component = componentOf(state, index, body.exchange);
      if (component === undefined) {
        const missing = `the index ${body.index} has no component of ${JSON.stringify(body.exchange)}`;
        return new AdminError('unknown_instrument', missing);
      }
      const result = await audited.submit({
        type: 'componentPrice',
        index,
        component,
        price,
        volume: 0n,
      });
      if (result instanceof AdminError) return result;
      return { index: viewOf(state, index), command: audited.command };
    },
  }),
];
