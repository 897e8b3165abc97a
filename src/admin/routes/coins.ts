/** Coins: listing them, and what the operator allows of each. */

import { coinProblem } from '../../catalogue/entry-check.ts';
import { LEND_SHARE } from '../../core/model/borrow-terms.ts';
import { type CoinSpec, HOUSE_SHORT_USD } from '../../core/model/listing-spec.ts';
import { formatRate } from '../../core/model/units.ts';
import { Type } from '../../validation/schema.ts';
import { AdminError } from '../admin-error.ts';
import { CoinName, CommandSeq, closed, DecimalText, Spec } from '../fields.ts';
import { findCoin } from '../lookup.ts';
import { type OperatorRoute, operatorRoute } from '../route.ts';

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

export const coinRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/admin/coins',
    answer: Type.Object({ coins: Type.Array(CoinView) }),
    handle: ({ sequencer: { state } }) => ({ coins: state.coins.map(coinView) }),
  }),

  operatorRoute({
    method: 'GET',
    path: '/admin/coins/:coin',
    params: Type.Object({ coin: CoinName }),
    answer: Type.Object({ spec: Spec }),
    handle: ({ sequencer: { state }, params }) => {
      const coin = findCoin(state, params.coin);
      return coin instanceof AdminError ? coin : { spec: { ...state.coins[coin]! } };
    },
  }),

  operatorRoute({
    method: 'POST',
    path: '/admin/coins',
    body: Type.Object({ spec: Spec }, closed),
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
];
