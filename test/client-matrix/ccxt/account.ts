/** ccxt's methods about an account: what it holds and pays. */
import assert from 'node:assert/strict';
import { positive } from '../checks.ts';
import { type Calls, row, SPOT } from './world.ts';

export const ACCOUNT_CALLS: Calls = {
  fetchBalance: row(
    'the unified account, and what a transfer brought into the funding wallet',
    async ({ me, world }) => {
      positive((await me.fetchBalance()).USDT!.free, 'USDT');
      const moved = { amount: '3', coin: 'USDT' } as const;
      await world.alice.submitTransfer({ ...moved, fromType: 'uta', toType: 'spot' });
      assert.equal((await me.fetchBalance({ type: 'funding' })).USDT!.free, 3);
      await world.alice.submitTransfer({ ...moved, fromType: 'spot', toType: 'uta' });
    },
  ),
  fetchTradingFee: row('maker and taker', async ({ me }) =>
    positive((await me.fetchTradingFee(SPOT)).taker, 'taker'),
  ),
  fetchTradingFees: row('every spot pair', async ({ me }) =>
    positive((await me.fetchTradingFees())[SPOT]!.taker, 'taker'),
  ),
};
