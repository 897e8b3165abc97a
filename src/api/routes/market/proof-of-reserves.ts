/** Reserves against liabilities to accounts (wire 4.2). `bourse reserves` proves the share of an account. */

import { formatMoney, formatUnits } from '../../../core/model/units.ts';
import type { Audit } from '../../../reserves/reserve-audit.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { texts } from '../../wire/responses.ts';

const HUNDREDTHS_OF_A_PERCENT = 10_000n;

export const proofOfReservesRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v3/market/proof-of-reserves',
    summary: 'The last audit: root of the tree of claims, and what is held for them, coin by coin',
    group: 'Market data',
    access: 'public',
    perSecond: 20,
    data: Type.Object({
      merkleRootHash: Type.String(),
      totalReserveRatio: Type.String({ description: 'all coins at their prices' }),
      list: Type.Array(Type.Object(texts('coin', 'userAssets', 'platformAssets', 'reserveRatio'))),
    }),
    handle: async ({ reserves }) => reservesView(await reserves.latest()),
  }),
];

function reservesView({ tree, coins, owedUsd, heldUsd }: Audit) {
  return {
    merkleRootHash: tree.root,
    totalReserveRatio: ratio(heldUsd, owedUsd),
    list: coins.map(({ coin, owed, held }) => ({
      coin,
      userAssets: formatMoney(owed),
      platformAssets: formatMoney(held),
      reserveRatio: ratio(held, owed),
    })),
  };
}

/** Rounded down, so that it never overstates the reserves; without liabilities it is 100 %. */
function ratio(held: bigint, owed: bigint): string {
  if (owed === 0n) return '100%';
  const hundredths = (held * HUNDREDTHS_OF_A_PERCENT) / owed;
  return `${formatUnits(hundredths, 2)}%`;
}
