/** The SDK's method about funding that was settled; it comes last, so that nothing has to wait for it. */
import assert from 'node:assert/strict';
import { type Row, SWAP, type World } from '../world.ts';

export const FUNDING_CALLS: Readonly<Record<string, Row<World>>> = {
  getHistoryFundingRate: {
    checks: 'the rate that was settled',
    call: async (w) => {
      await w.settled();
      // The library's type says a bare list; it is wrapped (wire 4.2).
      const { resultList } = (await w.alice.getHistoryFundingRate(SWAP)).data as unknown as {
        resultList: { symbol: string; fundingRate: string; fundingRateTimestamp: string }[];
      };
      const [settled] = resultList;
      assert.deepEqual([settled!.symbol, settled!.fundingRateTimestamp], ['BTCUSDT', String(w.fundingTime)]);
      assert.ok(Math.abs(Number(settled!.fundingRate)) < 0.01);
    },
  },
};
