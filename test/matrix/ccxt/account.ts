/** ccxt's methods about an account: what it holds and pays. */
import assert from 'node:assert/strict';
import { positive } from '../checks.ts';
import { type Calls, row, SPOT } from './world.ts';

export const ACCOUNT_CALLS: Calls = {
  fetchBalance: row('the unified account, and the funding wallet', async ({ me }) => {
    positive((await me.fetchBalance()).USDT!.free, 'USDT');
    assert.ok(await me.fetchBalance({ type: 'funding' }));
  }),
  fetchTradingFee: row('maker and taker', async ({ me }) =>
    positive((await me.fetchTradingFee(SPOT)).taker, 'taker'),
  ),
  fetchTradingFees: row('every spot pair', async ({ me }) =>
    positive((await me.fetchTradingFees())[SPOT]!.taker, 'taker'),
  ),
};
