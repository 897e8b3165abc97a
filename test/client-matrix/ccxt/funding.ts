/** ccxt's methods about funding that was settled; they come last, so that nothing has to wait for it. */
import assert from 'node:assert/strict';
import { type Calls, row, SWAP } from './world.ts';

export const FUNDING_CALLS: Calls = {
  fetchFundingRateHistory: row('the rate that was settled', async ({ me, world }) => {
    await world.settled();
    // Oldest first: before it come those of the time before the exchange began.
    const settled = (await me.fetchFundingRateHistory(SWAP)).at(-1);
    assert.deepEqual([settled!.symbol, settled!.timestamp], [SWAP, world.fundingTime]);
    assert.ok(Math.abs(Number(settled!.fundingRate)) < 0.01);
  }),
  fetchFundingHistory: row('what a position paid or was paid', async ({ holder, world }) => {
    await world.settled();
    const [paid] = await holder.fetchFundingHistory(SWAP);
    assert.deepEqual([paid!.symbol, paid!.code, paid!.timestamp], [SWAP, 'USDT', world.fundingTime]);
    assert.notEqual(Number(paid!.amount), 0);
  }),
};
