/** Forced closing: exact triggers, the insurance fund and deleveraging with the numbers of rules 5.8, 5.9, 5.11. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bankruptcyTicks } from '../../../src/core/margin/bankruptcy.ts';
import { FuturesFloor, futuresFloor, units } from './futures-floor.ts';

/** Ann is long 1 at 50 000 with 5 000 of isolated margin; bob is short. */
function isolatedLong(): FuturesFloor {
  const floor = futuresFloor('100000', 'bob', 'cat');
  floor.trader('ann', { USDT: '5060' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.sell('bob', '1', '50000');
  floor.buy('ann', '1', '50000');
  return floor;
}

test('an isolated position opens with its value over the leverage as margin', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.mark('50000');
  floor.isolate('ann');
  const order = floor.buy('ann', '1', '50000');
  // Reserved: 1/L and fees both ways.
  assert.equal(floor.isolatedMargin('ann'), '5060');
  floor.sell('bob', '1', '50000');
  assert.equal(order.stands, 'filled 1/1');
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 5000');
  assert.equal(floor.cash('ann', 'USDT'), '94990');
});

test('a close gives released margin and profit back', () => {
  const floor = isolatedLongRich();
  floor.mark('51000');
  floor.buy('bob', '0.5', '51000');
  floor.sell('ann', '0.5', '51000');
  assert.equal(floor.position('ann'), 'long 0.5 @ 50000 iso 2500');
  // 95 000 - 30 + 2 500 + 500 - 15.3
  assert.equal(floor.cash('ann', 'USDT'), '97954.7');
});

function isolatedLongRich(): FuturesFloor {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.mark('50000');
  floor.isolate('ann');
  floor.sell('bob', '1', '50000');
  floor.buy('ann', '1', '50000');
  return floor;
}

test('cases 81 and 82: liquidation begins exactly where margin and profit meet maintenance and fee', () => {
  const floor = isolatedLong();
  assert.equal(floor.fields('ann').liquidationPrice, '45208');
  floor.buy('cat', '1', '45100');
  floor.mark('45208');
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 5000');
  floor.mark('45207.9');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.executions('ann').at(-1), 'liquidation close 1 @ 45100 fee 27.06 pnl -4900');
  // Fee and rest: 27.06 + 72.94.
  assert.equal(floor.insurance(), '100');
  assert.equal(floor.cash('ann', 'USDT'), '30');
  assert.equal(floor.isolatedMargin('ann'), '0');
});

test('case 83: the fund pays what a fill beyond bankruptcy lacks', () => {
  const floor = isolatedLong();
  floor.insure('1000');
  floor.buy('cat', '1', '44950');
  floor.mark('45100');
  assert.equal(floor.executions('ann').at(-1), 'liquidation close 1 @ 44950 fee 26.97 pnl -5050');
  // 1 000 - 76.97, and the fee.
  assert.equal(floor.insurance(), '950');
  assert.equal(floor.position('bob'), 'short 1 @ 50000');
});

test('case 84: a fund that is too small pays for a part, the rest is deleveraged at the bankruptcy price', () => {
  const floor = isolatedLong();
  floor.insure('10');
  floor.buy('cat', '1', '44950');
  floor.mark('45100');
  assert.deepEqual(floor.executions('ann').slice(1), [
    'liquidation close 0.1299 @ 44950 fee 3.503403 pnl -655.995',
    'liquidation close 0.8701 @ 45027.1 fee 23.50684782 pnl -4326.92029',
  ]);
  assert.equal(floor.executions('bob').at(-1), 'adl close 0.8701 @ 45027.1 fee 0 pnl 4326.92029');
  assert.equal(floor.position('bob'), 'short 0.1299 @ 50000');
  assert.equal(floor.position('cat'), 'long 0.1299 @ 44950');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.cash('ann', 'USDT'), '30');
});

test('case 85: a gap with an empty book and an empty fund is deleveraged whole', () => {
  const floor = isolatedLong();
  floor.mark('40000');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.position('bob'), 'none');
  assert.equal(floor.isolatedMargin('ann'), '0');
  assert.equal(floor.cash('ann', 'USDT'), '30');
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 45027.1 fee 0 pnl 4972.9');
});

test('a loss that neither the fund nor the other side can bear is the account’s own, and told once (I02)', () => {
  const floor = futuresFloor('100000', 'bob', 'cat');
  floor.trader('ann', { USDT: '1500' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.buy('ann', '0.1', '50000');
  floor.mark('43800');
  floor.isolate('bob');
  floor.leverage('bob', 100);
  floor.buy('cat', '1', '43800');
  // Ann is bankrupt at 45027.1, and Bob, short 1.1 @ 44363.6 with 488, before that price.
  floor.sell('bob', '1.1', '43800');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.executions('ann').at(-1), 'liquidation close 0.1 @ 44780.4 fee 2.686824 pnl -521.96');
  assert.equal(floor.executions('bob').at(-1), 'adl close 0.1 @ 44780.4 fee 0 pnl -41.67636364');
  // 500 of the loss was margin; the fund had the fee that it got for it, the other 21.96 are Ann's.
  assert.deepEqual(floor.lines('ann').slice(1), [
    'buyDeal 0 fee 1 USDT = 1499',
    'marginAdded -500 fee 0 USDT = 999',
    'marginRemoved 524.646824 fee 0 USDT = 1523.646824',
    'sellDeal -521.96 fee 2.686824 USDT = 999',
    'liquidation 2.686824 fee 0 USDT = 1001.686824',
    'marginAdded -2.686824 fee 0 USDT = 999',
    'marginAdded -21.96 fee 0 USDT = 977.04',
  ]);
  assert.equal(floor.cash('ann', 'USDT'), '977.04');
  assert.equal(floor.insurance(), '0');
});

test('the fund pays nobody who waits outside the price band for an emptied book (rules 1.9, I24)', () => {
  const floor = isolatedLong();
  floor.insure('10000');
  const grab = floor.buy('cat', '0.5', '1000');
  floor.mark('45100');
  assert.equal(grab.stands, 'new 0/0.5');
  assert.equal(floor.executions('ann').at(-1), 'liquidation close 1 @ 45027.1 fee 27.01626 pnl -4972.9');
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 45027.1 fee 0 pnl 4972.9');
  // All of Ann's margin that her loss left, and nothing of the fund.
  assert.equal(floor.insurance(), '10027.1');
});

test('nor on the way up: a forced buy stops at the band as well', () => {
  const floor = futuresFloor('100000', 'bob', 'cat');
  floor.trader('ann', { USDT: '5060' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.buy('bob', '1', '50000');
  floor.sell('ann', '1', '50000');
  floor.insure('10000');
  const grab = floor.sell('cat', '0.5', '500000');
  floor.mark('54900');
  assert.equal(grab.stands, 'new 0/0.5');
  assert.equal(floor.executions('bob').at(-1), 'adl close 1 @ 54967 fee 0 pnl 4967');
});

test('margin that is there is spent wherever the book stands: the band limits what the fund pays', () => {
  const floor = isolatedLong();
  floor.buy('cat', '1', '45100');
  floor.mark('60000');
  floor.force('ann');
  assert.equal(floor.executions('ann').at(-1), 'liquidation close 1 @ 45100 fee 27.06 pnl -4900');
});

test('bankruptcy prices (rules 5.8)', () => {
  const instrument = new FuturesFloor().instrument();
  assert.equal(bankruptcyTicks(instrument, true, 10_000, units('50000'), units('5000')), 450_271);
  assert.equal(bankruptcyTicks(instrument, false, 10_000, units('50000'), units('5000')), 549_670);
});

test('case 86: a crossed account is reduced by two tiers and no further than it needs', () => {
  const floor = futuresFloor('10000000', 'bob', 'cat');
  floor.trader('ann', { USDT: '32000' });
  floor.mark('102000');
  floor.leverage('ann', 50);
  floor.sell('bob', '12', '102000');
  floor.buy('ann', '12', '102000');
  floor.buy('cat', '10.5', '100000');
  floor.mark('100000');
  assert.equal(floor.position('ann'), 'long 1.5 @ 102000');
  assert.equal(floor.executions('ann').at(-1), 'reduce close 10.5 @ 100000 fee 630 pnl -21000');
  assert.equal(floor.insurance(), '630');
  assert.equal(floor.state.accountByUid.get(floor.uid('ann'))!.liquidating, false);
});

test('case 87: cancelling orders alone cures: margin of isolated orders comes back', () => {
  const floor = futuresFloor('10000000', 'bob');
  floor.index('60000', 'BTCUSD');
  floor.trader('ann', { USDT: '700', BTC: '0.1' });
  floor.isolate('ann', 'BTCUSD');
  floor.deal('ann', 'bob', '0.1', '60000');
  const order = floor.buy('ann', '0.9', '30000', { on: 'BTCUSD' });
  assert.equal(order.status, 'new');
  floor.mark('48000');
  assert.equal(order.stands, 'cancelled 0/0.9 burst_cancel');
  assert.equal(floor.position('ann'), 'long 0.1 @ 60000');
});

test('case 88: hedged pairs are netted at the mark before anything is sold', () => {
  const floor = futuresFloor('10000000', 'bob');
  floor.trader('ann', { USDT: '1440' });
  floor.holdMode('ann', 'hedge_mode');
  floor.leverage('ann', 100);
  floor.sell('bob', '2', '60000');
  floor.buy('ann', '2', '60000', { posSide: 'long' });
  floor.buy('bob', '2', '60000');
  floor.sell('ann', '2', '60000', { posSide: 'short' });
  floor.buy('bob', '1', '100000');
  floor.mark('150000');
  assert.deepEqual(floor.executions('ann').slice(2), [
    'offset close 2 @ 150000 fee 0 pnl 180000',
    'offset close 2 @ 150000 fee 0 pnl -180000',
  ]);
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.publicFills().length, 2);
});

test('case 89: orders that freeze a position go before it is deleveraged', () => {
  const floor = isolatedLong();
  const closing = floor.buy('bob', '1', '44000', { reduceOnly: true });
  floor.mark('40000');
  assert.equal(closing.stands, 'cancelled 0/1 adl_cancel');
  assert.equal(floor.position('bob'), 'none');
});

/**
 * Ann is long 1 at 50 000, owes 600 USDT and has ETH behind it, which is about to be worth nothing; dan is short at
 * 49 500 with an isolated margin of one percent.
 */
function longOnBadCollateral(bobKeeps: string): FuturesFloor {
  const floor = futuresFloor('100000', 'bob');
  floor.trader('ann', { ETH: '10' });
  floor.trader('dan', { USDT: '1000' });
  floor.index('3000', 'ETHUSD');
  floor.mark('50000');
  floor.deal('ann', 'bob', '1', '50500');
  floor.deal('bob', 'ann', '1', '49900');
  floor.deal('ann', 'bob', '1', '50000');
  floor.isolate('dan');
  floor.leverage('dan', 100);
  floor.mark('49500');
  floor.deal('bob', 'dan', String(1 - Number(bobKeeps)), '49500');
  return floor;
}

test('nobody is deleveraged beyond its own margin: who can bear the price goes first', () => {
  const floor = longOnBadCollateral('0.5');
  floor.index('1', 'ETHUSD');
  assert.equal(floor.position('ann'), 'none');
  // Bob can pay what ann lacks; dan, who earns less and risks more, is closed where his margin ends.
  // (50 000 + 670.28 owed - 9.99 that her ETH was converted to) / 0.9994
  assert.equal(floor.executions('bob').at(-1), 'adl close 0.5 @ 50690.8 fee 0 pnl -345.4');
  assert.equal(floor.executions('dan').at(-1), 'adl close 0.5 @ 49965 fee 0 pnl -232.5');
  assert.equal(floor.position('dan'), 'none');
  assert.equal(floor.isolatedMargin('dan'), '0');
});

test('deleveraging costs an isolated counterparty no more than its margin, whatever the bankrupt side owes', () => {
  const floor = longOnBadCollateral('0');
  const before = Number(floor.cash('dan', 'USDT'));
  floor.index('1', 'ETHUSD');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.executions('dan').at(-1), 'adl close 1 @ 49965 fee 0 pnl -465');
  // 30 are left of the margin of 495.
  assert.equal(Number(floor.cash('dan', 'USDT')) - before, 30);
  assert.ok(Number(floor.cash('ann', 'USDT')) < 0, 'what nobody paid is a debt of hers');
});

test('an account with both sides isolated may be its own counterparty', () => {
  const floor = futuresFloor('100000', 'ann');
  floor.mark('50000');
  floor.holdMode('ann', 'hedge_mode');
  floor.isolate('ann');
  floor.sell('ann', '1', '50000', { posSide: 'short' });
  floor.buy('ann', '1', '50000', { posSide: 'long' });
  floor.mark('40000');
  assert.equal(floor.view('ann'), undefined);
});

test('nobody closes beyond bankruptcy: a limit is refused, a market order stops there', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.isolate('ann');
  floor.leverage('ann', 100);
  floor.deal('ann', 'bob', '1', '60000');
  const order = floor.sell('ann', '1', '59435.6');
  assert.equal(order.rejectReason, 'sellBeyondBankruptcy');
  assert.equal(order.outcome.bound, 594_357);
  floor.buy('bob', '0.4', '59500');
  floor.buy('bob', '1', '58000');
  assert.equal(floor.marketOrder('ann', 'sell', '1').stands, 'cancelled 0.4/1 slippage_cancel');
  assert.equal(floor.sell('ann', '0.6', '59500').stands, 'new 0/0.6');
});

test('an isolated order that would be near liquidation at once is refused', () => {
  const floor = futuresFloor('100000', 'ann');
  floor.isolate('ann');
  floor.leverage('ann', 100);
  assert.equal(floor.buy('ann', '1', '60100').status, 'new');
  assert.equal(floor.buy('ann', '1', '60400').rejectReason, 'riskTooHigh');
});

test('a liquidated side of isolated hedge mode leaves the orders of the other side alone', () => {
  const floor = futuresFloor('100000', 'ann', 'bob', 'cat');
  floor.mark('50000');
  floor.holdMode('ann', 'hedge_mode');
  floor.isolate('ann');
  floor.sell('bob', '1', '50000');
  floor.buy('ann', '1', '50000', { posSide: 'long' });
  const add = floor.buy('ann', '0.1', '40000', { posSide: 'long' });
  const other = floor.sell('ann', '0.1', '51000', { posSide: 'short' });
  floor.buy('cat', '1', '45100');
  floor.mark('45200');
  assert.equal(add.stands, 'cancelled 0/0.1 burst_cancel');
  assert.equal(other.stands, 'new 0/0.1');
});

test('case 98: a stale index liquidates nobody and freezes the mark; orders still match', () => {
  const floor = isolatedLong();
  floor.wait(16 * 60_000);
  floor.deal('cat', 'bob', '0.1', '45000');
  floor.wait(60_000);
  assert.equal(floor.view('ann')!.markTicks, 500_000);
  assert.equal(floor.position('ann'), 'long 1 @ 50000 iso 5000');
});

test('case 100: one trade far away moves the mark no farther than the second of its inputs', () => {
  const floor = futuresFloor('10000000', 'ann', 'bob');
  floor.deal('ann', 'bob', '0.1', '66000');
  floor.wait(1000);
  assert.equal(floor.view('ann')!.markTicks, 600_000);
});

test('case 91: ranks in the queue: profit times risk, the smaller side of a crossed pair is not in it', () => {
  const floor = futuresFloor('1000000', 'bob', 'zoe');
  floor.deal('bob', 'zoe', '0.1', '60000');
  assert.equal(floor.adlRank('zoe'), '1');
  assert.equal(floor.adlRank('bob'), '1');
  for (const [name, qty, entry] of [
    ['s1', '2', '60000'],
    ['s2', '1', '55000'],
    ['s3', '5', '51000'],
  ] as const) {
    floor.trader(name, { USDT: '60000' });
    floor.mark(entry);
    floor.deal('bob', name, qty, entry);
  }
  floor.mark('50000');
  const names = ['zoe', 's1', 's2', 's3'];
  const score = (name: string): number => {
    const { effective, maintenance } = floor.risk(name);
    const { long, basis, lots } = floor.state.accountByUid.get(floor.uid(name))!.positions.values().next()
      .value!;
    assert.equal(long, false);
    const entry = -Number(basis) / 1e8;
    return ((entry - lots * 5) / entry) * Math.max(0.0001, Number(maintenance) / Number(effective));
  };
  const order = [...names].sort((a, b) => score(b) - score(a));
  assert.deepEqual(
    order.map((name) => floor.adlRank(name)),
    ['1', '0.75', '0.5', '0.25'],
  );
});

test('a restart right before a fall misses nobody', () => {
  const floor = isolatedLong();
  floor.buy('cat', '1', '45100');
  floor.restart();
  floor.mark('45207.9');
  assert.equal(floor.position('ann'), 'none');
});

test('other coins pay what a position has lost before it is closed and before the fund pays (rules 5.9 step 4)', () => {
  const floor = futuresFloor('1000000', 'bob', 'cat');
  floor.index('60000', 'BTCUSD');
  floor.trader('ann', { BTC: '0.1' });
  floor.sell('bob', '0.5', '60000');
  floor.buy('ann', '0.5', '60000');
  floor.insure('1000');
  floor.buy('cat', '0.5', '48400');
  floor.mark('48400');
  // The loss of 5 800 and the fee of 18 cost 0.09706374 BTC with the fee of the conversion.
  assert.equal(floor.position('ann'), 'long 0.5 @ 60000');
  assert.equal(floor.cash('ann', 'USDT'), '5800');
  assert.equal(floor.cash('ann', 'BTC'), '0.00293626');
  assert.equal(floor.insurance(), '1000');
});

test('what an account owes beyond all it owns is paid by the fund as far as it goes', () => {
  const floor = futuresFloor('1000000', 'bob', 'cat');
  floor.trader('ann', { USDT: '6100' });
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000');
  floor.insure('1000');
  floor.buy('cat', '1', '53500');
  floor.mark('54000');
  assert.equal(floor.position('ann'), 'none');
  // 6 100 - 36 - 6 500 - 32.1 is 468.1 short.
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.equal(floor.insurance(), '564');
});

test('an isolated sell reserves margin at the bid it meets, not at its lower limit', () => {
  const floor = futuresFloor('100000', 'bob');
  floor.trader('ann', { USDT: '6050' });
  floor.isolate('ann');
  floor.buy('bob', '1', '60000');
  assert.equal(floor.sell('ann', '1', '59500').rejectReason, 'insufficientMargin');
  floor.deposit('ann', '22', 'USDT');
  assert.equal(floor.sell('ann', '1', '59500').stands, 'filled 1/1');
  assert.equal(floor.position('ann'), 'short 1 @ 60000 iso 6000');
  assert.equal(floor.cash('ann', 'USDT'), '36');
});
