/** The SDK's methods about futures positions. */
import assert from 'node:assert/strict';
import { positive, some } from '../checks.ts';
import { type Row, SWAP, type World } from '../world.ts';

export const POSITION_CALLS: Readonly<Record<string, Row<World>>> = {
  setHoldMode: {
    checks: 'hedge and back',
    call: async ({ bot }) => {
      await bot.setHoldMode({ holdMode: 'hedge_mode' });
      assert.equal((await bot.getAccountSettings()).data.holdMode, 'hedge_mode');
      await bot.setHoldMode({ holdMode: 'one_way_mode' });
    },
  },
  setLeverage: {
    checks: 'shown in the settings',
    call: async ({ bot }) => {
      await bot.setLeverage({ ...SWAP, leverage: '15', marginMode: 'isolated' } as never);
      const [config] = (await bot.getAccountSettings()).data.symbolConfigList;
      assert.deepEqual([config!.leverage, config!.marginMode], ['15', 'isolated']);
    },
  },
  getCurrentPosition: {
    checks: 'the position that an order opened',
    call: async ({ bot }) => {
      const order = { ...SWAP, side: 'buy', orderType: 'market', qty: '0.01' } as const;
      await bot.submitNewOrder({ ...order, marginMode: 'isolated' });
      const [position] = (await bot.getCurrentPosition(SWAP)).data.list;
      assert.deepEqual(
        [position!.total, position!.posSide, position!.marginMode],
        ['0.01', 'long', 'isolated'],
      );
    },
  },
  setMargin: {
    checks: 'more margin in the isolated position',
    call: async ({ bot }) => {
      const [before] = (await bot.getCurrentPosition(SWAP)).data.list;
      await bot.setMargin({ ...SWAP, posSide: 'long', operation: 'add', amount: '50' });
      const [after] = (await bot.getCurrentPosition(SWAP)).data.list;
      assert.equal((Number(after!.positionBalance) - Number(before!.positionBalance)).toFixed(4), '50.0000');
    },
  },
  getPositionAdlRank: {
    checks: 'a rank for the position',
    call: async ({ bot }) => {
      const [rank, ...others] = (await bot.getPositionAdlRank()).data;
      assert.deepEqual([rank!.symbol, rank!.marginCoin, rank!.holdSide], ['BTCUSDT', 'USDT', 'long']);
      assert.ok(Number(rank!.adlRank) >= 0 && Number(rank!.adlRank) <= 1 && others.length === 0);
    },
  },
  closeAllPositions: {
    checks: 'closed at market',
    call: async ({ bot }) => {
      some((await bot.closeAllPositions(SWAP)).data.list, 'orders');
      assert.deepEqual((await bot.getCurrentPosition(SWAP)).data.list, []);
    },
  },
  getPositionHistory: {
    checks: 'the position that was',
    call: async ({ bot }) => {
      const [past] = (await bot.getPositionHistory(SWAP)).data.list;
      const { openTotalPos, closeTotalPos, posSide, marginMode } = past!;
      assert.deepEqual(
        [openTotalPos, closeTotalPos, posSide, marginMode],
        ['0.01', '0.01', 'long', 'isolated'],
      );
      const [sold] = (await bot.getTradeFills({ category: SWAP.category })).data.list;
      assert.equal(sold!.tradeSide, 'close');
      positive(past!.closePriceAvg, 'price');
    },
  },
};
