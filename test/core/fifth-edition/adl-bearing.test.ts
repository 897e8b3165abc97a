/** Who can bear a deleveraging (rules 15.1): what an account lacks elsewhere its profit pays first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';

/**
 * Ann has 2 000 USDT and is long 1 from 60 000 against bob, who owes so much USDT and has ETH behind it. Then BTC falls to
 * 50 000 and ETH to nothing in one second: ann is at -8 000, bob has earned 10 000.
 */
function crash({ edition = 5, owes = 5000, otherShort = false } = {}): FuturesFloor {
  const floor = futuresFloor('100000', 'cat', 'dan', 'eve');
  floor.send({ type: 'setEdition', time: floor.now, edition });
  // Fees: 36 of a taker's 60 000.
  floor.trader('ann', { USDT: '2036' });
  // Fees: 12 of a maker's 60 000; for the debt, of a taker's 60 000 and of a maker's 60 000 less the debt.
  floor.trader('bob', { USDT: String(12 + 36 + (60_000 - owes) * 0.0002), ETH: '10' });
  floor.index('3000', 'ETHUSD');
  for (const name of ['ann', 'bob']) floor.leverage(name, 100);
  floor.deal('bob', 'cat', '1', '60000');
  floor.deal('cat', 'bob', '1', String(60_000 - owes));
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.cash('ann', 'USDT'), '2000');
  assert.equal(floor.cash('bob', 'USDT'), String(-owes));
  // Dan is short as much as bob, at the same price, and has 100 000.
  if (otherShort) floor.deal('eve', 'dan', '1', '60000');
  floor.tell('0.00000001', 'ETHUSD');
  floor.mark('50000');
  assert.equal(floor.position('ann'), 'none');
  return floor;
}

test('15.1: who needs the profit for a debt is not made bankrupt for another', () => {
  const floor = crash();
  // (60 000 - 5 000) / 1.0006 = 54 967.02
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 54967 fee 0 pnl 5033');
  assert.equal(floor.cash('bob', 'USDT'), '33');
  // 2 000 - 5 033 - 32.9802: what nobody paid is a debt of hers.
  assert.equal(floor.cash('ann', 'USDT'), '-3065.9802');
});

test('15.1: until the fifth edition it was his lender who lost by it', () => {
  const floor = crash({ edition: 4 });
  // (60 000 - 2 000) / 0.9994 = 58 034.82
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 58034.9 fee 0 pnl 1965.1');
  // 1 965.1 - 5 000, and what his 10 ETH bring less the fee of their sale.
  assert.equal(floor.cash('bob', 'USDT'), '-3034.89999991');
  // 2 000 - 1 965.1 - 34.82094
  assert.equal(floor.cash('ann', 'USDT'), '0.07906');
});

test('15.1: those who can bear the price go first, although he is the first of the queue', () => {
  const closed = (edition: number) => {
    const floor = crash({ edition, otherShort: true });
    return { bob: floor.position('bob'), dan: floor.position('dan'), last: floor.executions('dan').at(-1) };
  };
  assert.deepEqual(closed(4), {
    bob: 'none',
    dan: 'short 1 @ 60000',
    last: 'user open 1 @ 60000 fee 12 pnl 0',
  });
  assert.deepEqual(closed(5), {
    bob: 'short 1 @ 60000',
    dan: 'none',
    last: 'adl close 1 @ 58034.9 fee 0 pnl 1965.1',
  });
});

test('15.1: who is below zero at the mark already closes there, and no better', () => {
  const floor = crash({ owes: 12_000 });
  // (60 000 - 12 000) / 1.0006 = 47 971.22 would have ann pay 2 028.78 of his debt.
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 50000 fee 0 pnl 10000');
  assert.equal(floor.cash('bob', 'USDT'), '-1999.99999991');
  // 2 000 - 10 000 - 30
  assert.equal(floor.cash('ann', 'USDT'), '-8030');
});

test('15.1: without debts nothing has changed', () => {
  for (const edition of [4, 5])
    assert.equal(
      crash({ edition, owes: 0 }).executions('bob').at(-1),
      'adl close 1 @ 58034.9 fee 0 pnl 1965.1',
    );
});

/**
 * Coin-margined: ann has 2 000 USDT and is short 1 from 50 000 against bob, who owes 5 000 USDT. Then BTC rises to 60 000, and
 * his ETH is worth nothing: ann is at -8 000, bob has earned 10 000, which count 9 750.
 */
function rally(edition: number): FuturesFloor {
  const floor = futuresFloor('100000', 'cat');
  const bitcoin = (price: string) => {
    floor.tell(price, 'BTCUSDT');
    floor.mark(price, 'BTCUSD');
  };
  floor.send({ type: 'setEdition', time: floor.now, edition });
  bitcoin('50000');
  // Fees: 0.0002 and 0.0006 of 1 BTC; for the debt, 30 of a taker's 50 000 and 9 of a maker's 45 000.
  floor.trader('ann', { USDT: '2000', BTC: '0.0002' });
  floor.trader('bob', { USDT: '39', BTC: '0.0006', ETH: '10' });
  floor.index('3000', 'ETHUSD');
  floor.leverage('bob', 100);
  for (const name of ['ann', 'bob']) floor.leverage(name, 100, 'BTCUSD');
  floor.deal('bob', 'cat', '1', '50000');
  floor.deal('cat', 'bob', '1', '45000');
  floor.deal('bob', 'ann', '1', '50000', { on: 'BTCUSD' });
  assert.equal(floor.cash('bob', 'USDT'), '-5000');
  floor.tell('0.00000001', 'ETHUSD');
  bitcoin('60000');
  assert.equal(floor.position('ann', { on: 'BTCUSD' }), 'none');
  return floor;
}

test('15.1: so does the long of a coin-margined contract, whose profit counts at its collateral rate', () => {
  const before = rally(4);
  // Her USDT were sold for 1 998 / 60 000 BTC: 50 000 / (1.0006 - 0.0333) = 51 690.27
  assert.equal(before.executions('bob').at(-1), 'adl close 1 @ 51690.2 fee 0 pnl 0.03269865');
  assert.equal(before.cash('bob', 'BTC'), '0');
  assert.equal(before.cash('bob', 'USDT'), '-3040.04291891');
  const floor = rally(5);
  // He lacks 5 000 + 10 000 - 9 750, 0.0875 BTC: 50 000 / (1 - 0.0006 - 0.0875) = 54 830.57
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 54830.6 fee 0 pnl 0.08810044');
  assert.equal(floor.cash('bob', 'USDT'), '0');
  // 5 000 / 60 000 / 0.999 of it paid his debt.
  assert.equal(floor.cash('bob', 'BTC'), '0.00468368');
});
