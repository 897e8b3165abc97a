import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startBourse } from 'bourse/testkit';
import ccxt from 'ccxt';
import { GridBot } from './grid-bot.mjs';

const GRID = { market: 'BTC/USDT', prices: [58_000, 59_000, 60_000], amount: 0.1 };
const SPOT = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit' };

/** A bot that says what it says to `said`. */
function startBot(bourse, said = []) {
  return new GridBot(new ccxt.bitget(bourse.ccxt('bot')), { ...GRID, log: (line) => said.push(line) });
}

const ordersOf = async (bourse) =>
  (await bourse.account('bot').openOrders()).map(({ side, price }) => `${side} ${price}`).sort();

describe('the grid bot', () => {
  test('buys at the lower price of each cell and sells at the upper', async () => {
    await using bourse = await startBourse({ instruments: ['SPOT:BTCUSDT'] });
    const bot = startBot(bourse);
    await bot.step();
    assert.deepEqual(await ordersOf(bourse), ['buy 58000', 'buy 59000']);

    const alice = bourse.account('alice');
    await alice.place({ ...SPOT, side: 'sell', qty: '0.1', price: '59000' });
    await bot.step();
    assert.deepEqual(await ordersOf(bourse), ['buy 58000', 'sell 60000']);

    await alice.place({ ...SPOT, side: 'buy', qty: '0.1', price: '60000' });
    await bot.step();
    assert.deepEqual(await ordersOf(bourse), ['buy 58000', 'buy 59000']);
    // 100 for the round, less a fee of 6; the fee for what it bought is paid in BTC.
    assert.equal((await bourse.account('bot').balances()).USDT, '100094');
  });

  test('goes on when it is started again, and places nothing twice', async () => {
    await using bourse = await startBourse({ instruments: ['SPOT:BTCUSDT'] });
    await startBot(bourse).step();
    await startBot(bourse).step();
    assert.deepEqual(await ordersOf(bourse), ['buy 58000', 'buy 59000']);

    // Filled while no bot was there.
    await bourse.account('alice').place({ ...SPOT, side: 'sell', qty: '0.1', price: '59000' });
    await startBot(bourse).step();
    assert.deepEqual(await ordersOf(bourse), ['buy 58000', 'sell 60000']);
    assert.equal((await bourse.requests({ account: 'bot', path: 'place-order' })).length, 3);
  });

  test('keeps the other cells when an order is refused, and tries that one again', async () => {
    await using bourse = await startBourse({
      instruments: ['SPOT:BTCUSDT'],
      accounts: { bot: { USDT: '6000' } },
    });
    const said = [];
    const bot = startBot(bourse, said);
    await bot.step();
    assert.deepEqual(await ordersOf(bourse), ['buy 58000']);
    assert.match(said[0], /buy at 59000 was refused/);

    await bourse.account('bot').deposit('USDT', '6000');
    await bot.step();
    assert.deepEqual(await ordersOf(bourse), ['buy 58000', 'buy 59000']);
  });

  test('waits while the exchange halts', async () => {
    await using bourse = await startBourse({ instruments: ['SPOT:BTCUSDT'] });
    const bot = startBot(bourse);
    await bourse.force.halt();
    await bot.step();
    assert.deepEqual(await ordersOf(bourse), []);
    await bourse.force.resume();
    await bot.step();
    assert.equal((await ordersOf(bourse)).length, 2);
  });

  test('does not end when there is no exchange', async () => {
    const bourse = await startBourse({ instruments: ['SPOT:BTCUSDT'] });
    const said = [];
    const bot = startBot(bourse, said);
    await bot.step();
    await bourse.close();
    await bot.step();
    assert.match(said[0], /^waits: /);
  });

  test('has one order in each cell, whatever the market does', async () => {
    await using bourse = await startBourse({ instruments: ['SPOT:BTCUSDT'], market: 'wild', seed: 3 });
    await bourse.advance('5s');
    const exchange = new ccxt.bitget(bourse.ccxt('bot'));
    const { last } = await exchange.fetchTicker('BTC/USDT');
    const prices = [-2, -1, 0, 1, 2].map((n) => Math.round(last * (1 + n / 1000)));
    const bot = new GridBot(exchange, { ...GRID, prices, amount: 0.01, log: () => {} });
    for (let n = 0; n < 5; n++) {
      await bot.step();
      await bourse.shock('BTC', n % 2 === 0 ? 0.3 : -0.3);
      await bourse.advance('2s');
    }
    await bot.step();
    const orders = await exchange.fetchOpenOrders('BTC/USDT');
    assert.equal(new Set(orders.map(({ clientOrderId }) => clientOrderId.split('-')[1])).size, orders.length);
    assert.ok((await exchange.fetchMyTrades('BTC/USDT')).length > 0);
  });
});
