/** Server time and coins, under every path that clients use for them (wire rules 13 and 14). */

import type { CoinSpec } from '../../../core/model/listing-spec.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { unknownCoin } from '../../wire/money-input.ts';
import * as responses from '../../wire/responses.ts';

const group = 'Public';

const timeRoutes = ['/api/v3/public/time', '/api/v2/public/time', '/api/v3/market/time'].map((path) =>
  route({
    method: 'GET',
    path,
    summary: 'Server time',
    group,
    access: 'public',
    perSecond: 20,
    data: responses.ServerTime,
    handle: ({ clock }) => ({ serverTime: String(clock.now()) }),
  }),
);

export const publicRoutes: readonly Route[] = [
  ...timeRoutes,
  route({
    method: 'GET',
    path: '/api/v2/spot/public/coins',
    summary: 'Coins and their networks',
    group,
    access: 'public',
    perSecond: 3,
    query: Type.Object({ coin: Type.Optional(Type.String({ maxLength: 20 })) }),
    data: Type.Array(responses.Coin),
    handle: ({ sequencer, query }) => {
      const { coins } = sequencer.state;
      if (query.coin === undefined) return coins.map(coinView);
      const index = sequencer.state.coinByName.get(query.coin.toUpperCase());
      return index === undefined ? unknownCoin() : [coinView(coins[index]!, index)];
    },
  }),
];

function coinView(spec: CoinSpec, index: number) {
  return {
    coinId: String(index + 1),
    coin: spec.coin,
    transfer: 'true',
    areaCoin: 'no',
    chains: spec.chains.map((chain) => ({
      ...chain,
      needTag: String(chain.needTag),
      withdrawable: String(chain.withdrawable),
      rechargeable: String(chain.rechargeable),
      extraWithdrawFee: '0',
      browserUrl: '',
      contractAddress: '',
      withdrawStep: '0',
      withdrawMinScale: '8',
      congestion: 'normal',
    })),
  };
}
