/** Orders of the own party that a forced close meets beyond bankruptcy (rules 13.7 (a)), where they are many (rules 19.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishWork } from '../fourth-edition/in-portions.ts';
import { BTC_PERPETUAL, FuturesFloor } from '../futures/futures-floor.ts';
import { fund } from '../second-edition/fund-floor.ts';

/** The example of rules 13.7: Pb is 59 555.8, W 59 505.1. Amy's sub-accounts bid between them, cas behind or before them. */
function bankrupt(edition: number, own: number, stranger = '59510', ownAt = '59540') {
  const floor = new FuturesFloor({
    ...BTC_PERPETUAL,
    buyLimitPriceRatio: '0.05',
    sellLimitPriceRatio: '0.05',
  });
  floor.send({ type: 'setEdition', time: floor.now, edition });
  fund(floor, '2400');
  for (const name of ['ben', 'cas']) floor.trader(name, { USDT: '1000000' });
  floor.trader('amy', { USDT: '1000' });
  floor.isolate('amy');
  floor.leverage('amy', 125);
  floor.deal('amy', 'ben', '1', '60000');
  const bids = Array.from({ length: own }, (_, n) => {
    const name = `sub ${Math.floor(n / 300)}`;
    if (n % 300 === 0) floor.trader(name, { USDT: '100000' }, { master: 'amy' });
    return floor.buy(name, '0.001', ownAt);
  });
  const bid = floor.buy('cas', '0.3', stranger);
  floor.mark('59780');
  finishWork(floor);
  const left = bids.filter(({ stands }) => stands === 'new 0/0.001').length;
  return { floor, bid, left, closes: floor.executions('amy').slice(1) };
}

const CLOSED_AT_CAS = /^liquidation close 0\.3 @ 59510 /;

test('19.2: a forced close cancels 400 orders of its party beyond Pb; where there are more, it passes by all of them', () => {
  const few = bankrupt(9, 400);
  assert.equal(few.left, 0);
  const many = bankrupt(9, 401);
  assert.equal(many.left, 401);
  for (const { bid, closes } of [few, many]) {
    assert.equal(bid.stands, 'filled 0.3/0.3');
    assert.match(closes[0]!, CLOSED_AT_CAS);
  }
  assert.deepEqual(many.closes, few.closes, 'whoever owns what it passes by, the close is the same');
  assert.equal(many.floor.insurance(), few.floor.insurance());
  assert.equal(bankrupt(8, 401).left, 0);
});

test('orders that were passed by still trade with others', () => {
  const { floor } = bankrupt(9, 401);
  floor.trader('dan', { USDT: '1000000' });
  assert.equal(floor.sell('dan', '0.4', '59540').stands, 'filled 0.4/0.4');
});

test('up to Pb own orders trade, however many they are', () => {
  const { left, closes, bid } = bankrupt(9, 401, '59510', '59600');
  assert.equal(left, 0);
  assert.equal(bid.stands, 'filled 0.3/0.3');
  assert.equal(closes.length, 401 + 1 + 1, 'those, that of cas, and a deleveraging of the rest');
});
