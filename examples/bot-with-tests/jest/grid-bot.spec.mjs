import { expect, test } from '@jest/globals';
import { startBourse } from 'bourse/testkit';
import ccxt from 'ccxt';
import { GridBot } from '../grid-bot.mjs';

const GRID = { market: 'BTC/USDT', prices: [58_000, 59_000, 60_000], amount: 0.1 };

test('the grid bot sells what it bought one price higher', async () => {
  await using bourse = await startBourse({ instruments: ['SPOT:BTCUSDT'] });
  const bot = new GridBot(new ccxt.bitget(bourse.ccxt('bot')), GRID);
  await bot.step();
  await bourse.account('alice').place({
    category: 'SPOT',
    symbol: 'BTCUSDT',
    side: 'sell',
    orderType: 'limit',
    qty: '0.1',
    price: '59000',
  });
  await bot.step();
  const orders = await bourse.account('bot').openOrders();
  expect(orders.map(({ side, price }) => `${side} ${price}`).sort()).toEqual(['buy 58000', 'sell 60000']);
});

test('the exchange says what is wrong', async () => {
  await expect(startBourse({ colour: 'red' })).rejects.toThrow(/colour: there is no such option/);
});
