/** ccxt's methods about futures positions. */
import assert from 'node:assert/strict';
import { near, positive } from '../checks.ts';
import { type Calls, type CcxtWorld, row, SWAP } from './world.ts';

/** What the isolated position has for itself. */
async function margin({ world }: CcxtWorld): Promise<number> {
  const [position] = (await world.alice.getCurrentPosition({ category: 'USDT-FUTURES' })).data.list;
  return Number(position!.positionBalance);
}

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
  addMargin: row('more margin', async (c) => {
    const before = await margin(c);
    await c.me.addMargin(SWAP, 20, { holdSide: 'long' });
    near((await margin(c)) - before, 20, 'added');
  }),
  reduceMargin: row('less margin', async (c) => {
    const before = await margin(c);
    await c.me.reduceMargin(SWAP, -10, { holdSide: 'long' });
    near((await margin(c)) - before, -10, 'taken out');
  }),
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
    assert.deepEqual((await world.alice.getCurrentPosition({ category: 'USDT-FUTURES' })).data.list, []);
  }),
  fetchPositionsHistory: row('positions that were', async ({ me }) => {
    const [past] = await me.fetchPositionsHistory([SWAP]);
    assert.deepEqual([past!.symbol, past!.side, past!.marginMode], [SWAP, 'long', 'isolated']);
    positive(past!.entryPrice, 'entry price');
  }),
  fetchPositionHistory: row('the same', async ({ me }) => {
    const [past] = await me.fetchPositionHistory(SWAP);
    assert.deepEqual([past!.symbol, past!.side], [SWAP, 'long']);
  }),
};
