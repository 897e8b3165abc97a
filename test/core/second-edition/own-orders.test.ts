/** R7 (a): which orders of the own party a forced close cancels does not depend on how they are found (rules 13.7). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CancelReason } from '../../../src/core/model/enums.ts';
import { FuturesFloor } from '../futures/futures-floor.ts';
import { secondEdition } from './fund-floor.ts';

/** Nobody bids above bankruptcy and the fund is empty. Subs of ann bid beyond it, strangers among them. */
function cancelled(strangers: number, long: boolean): string[] {
  const floor = secondEdition(new FuturesFloor());
  const buys = (name: string, qty: string, price: number) =>
    long ? floor.buy(name, qty, String(price)) : floor.sell(name, qty, String(120_000 - price));
  floor.trader('eve', { USDT: '10000000' });
  floor.trader('ann', { USDT: '7000' });
  for (const name of ['sub', 'sob']) floor.trader(name, { USDT: '1000000' }, { master: 'ann' });
  floor.leverage('ann', 10);
  if (long) floor.deal('ann', 'eve', '1', '60000');
  else floor.deal('eve', 'ann', '1', '60000');
  for (let n = 0; n < strangers; n++) buys('eve', '0.001', 52_890 + (n % 9));
  for (const price of [52_895, 52_890, 52_895, 52_897]) {
    buys('sub', '0.01', price);
    buys('eve', '0.001', price);
    buys('sob', '0.02', price);
  }
  buys('sub', '0.01', 40_000);
  floor.mark(long ? '52900' : '67100');
  const orders = floor.eventsOf('order').map(({ order }) => order);
  return orders
    .filter(({ cancelReason }) => cancelReason === CancelReason.delegatedRiskOrder)
    .map(({ uid, priceTicks }) => `${uid === floor.uid('sub') ? 'sub' : 'sob'} ${priceTicks}`);
}

test('R7 (a): own orders beyond Pb are cancelled best price first, then by age, in a shallow and in a deep book', () => {
  for (const long of [true, false]) {
    const shallow = cancelled(0, long);
    assert.deepEqual(
      shallow.map((order) => order.split(' ')[0]),
      ['sub', 'sob', 'sub', 'sob', 'sub', 'sob', 'sub', 'sob'],
    );
    assert.deepEqual(cancelled(300, long), shallow);
  }
});
