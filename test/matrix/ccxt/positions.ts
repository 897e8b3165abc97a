/** ccxt's methods about futures positions. */
import assert from 'node:assert/strict';
import { some } from '../checks.ts';
import { type Calls, row, SWAP } from './world.ts';

export const POSITION_CALLS: Calls = {
  setPositionMode: row('hedge and back', async ({ me, world }) => {
    await me.setPositionMode(true);
    assert.equal((await world.alice.getAccountSettings()).data.holdMode, 'hedge_mode');
    await me.setPositionMode(false);
  }),
  setLeverage: row('shown in the settings', async ({ me, world }) => {
    await me.setLeverage(12, SWAP);
    assert.equal((await world.alice.getAccountSettings()).data.symbolConfigList[0]!.leverage, '12');
  }),
  setMarginMode: row('isolated', async ({ me, world }) => {
    await me.setMarginMode('isolated', SWAP);
    assert.equal((await world.alice.getAccountSettings()).data.symbolConfigList[0]!.marginMode, 'isolated');
  }),
  fetchLeverage: row('what was set', async ({ me }) =>
    assert.equal((await me.fetchLeverage(SWAP)).longLeverage, 12),
  ),
  fetchMarginMode: row('what was set', async ({ me }) =>
    assert.equal((await me.fetchMarginMode(SWAP)).marginMode, 'isolated'),
  ),
  fetchPositions: row('the position that an order opened', async ({ me, world }) => {
    const order = {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'market',
      qty: '0.02',
    } as const;
    await world.alice.submitNewOrder(order);
    const [position] = await me.fetchPositions([SWAP]);
    assert.deepEqual([position!.side, position!.contracts, position!.marginMode], ['long', 0.02, 'isolated']);
  }),
  fetchPosition: row('the same', async ({ me }) =>
    assert.equal((await me.fetchPosition(SWAP)).contracts, 0.02),
  ),
  addMargin: row('more margin', ({ me }) => me.addMargin(SWAP, 20, { holdSide: 'long' })),
  reduceMargin: row('less margin', ({ me }) => me.reduceMargin(SWAP, -10, { holdSide: 'long' })),
  closePosition: row('closed at market', async ({ me, world }) => {
    await me.closePosition(SWAP);
    assert.deepEqual((await world.alice.getCurrentPosition({ category: 'USDT-FUTURES' })).data.list, []);
  }),
  closeAllPositions: row('all of a category', async ({ me, world }) => {
    const order = {
      category: 'USDT-FUTURES',
      symbol: 'ETHUSDT',
      side: 'sell',
      orderType: 'market',
      qty: '0.1',
    } as const;
    await world.alice.submitNewOrder(order);
    assert.equal((await me.closeAllPositions({ productType: 'USDT-FUTURES' })).length, 1);
  }),
  fetchPositionsHistory: row('positions that were', async ({ me }) =>
    some(await me.fetchPositionsHistory([SWAP]), 'positions'),
  ),
  fetchPositionHistory: row('the same', async ({ me }) =>
    some(await me.fetchPositionHistory(SWAP), 'positions'),
  ),
};
