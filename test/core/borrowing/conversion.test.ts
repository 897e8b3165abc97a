/** Paying debts with other coins, by wish and by force, and liquidation of the whole account (rules 5.9, 6.4, 6.8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { refusalName } from '../dsl/words.ts';
import { priced } from '../futures/futures-floor.ts';
import { COIN_TERMS, MARGIN, MarginFloor, margin, PAIRS, SPOT, TERMS, USDT_TERMS } from './margin-floor.ts';

test('a manual repayment sells what the debt costs and the fee of a thousandth', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  floor.buy('ann', '0.005', '60000', MARGIN);
  const outcome = floor.repay('ann', 'USDT', 'BTC');
  assert.equal(outcome.amount, 200_00000000n);
  // ceil(200 / 60 000 / 0.999).
  assert.deepEqual(floor.conversions('ann'), ['0.00333668 BTC for 200 USDT']);
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.equal(floor.cash('ann', 'BTC'), '0.00165832');
  assert.equal(floor.house('sys:convert', 'USDT'), '-200');
  assert.equal(floor.house('sys:convert', 'BTC'), '0.00333668');
});

test('a payment that is too small pays a part', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100', ETH: '0.01' });
  floor.buy('ann', '0.005', '60000', MARGIN);
  // 30 dollars less the fee.
  assert.equal(floor.repay('ann', 'USDT', 'ETH').amount, 29_97000000n);
  assert.equal(floor.cash('ann', 'ETH'), '0');
  assert.equal(floor.owed('USDT'), '170.03');
});

test('there is nothing to repay where nothing is owed, and nothing to pay with where nothing is', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  assert.equal(refusalName(floor.repay('ann', 'USDT', 'BTC').rejectReason), 'nothingOwed');
  floor.buy('ann', '0.005', '60000', MARGIN);
  assert.equal(refusalName(floor.repay('ann', 'USDT', 'ETH').rejectReason), 'insufficientBalance');
  assert.equal(refusalName(floor.repay('ann', 'USDT', 'USDT').rejectReason), 'insufficientBalance');
});

test('what is owed only by an unrealised loss cannot be repaid', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { BTC: '1' });
  floor.trader('bob', { USDT: '1000000' });
  floor.setFees('ann', '0', '0');
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('59500');
  assert.equal(floor.nextHour('ann').debt, '500');
  assert.equal(refusalName(floor.repay('ann', 'USDT', 'BTC').rejectReason), 'nothingOwed');
});

test('a debt is liquidated exactly where maintenance reaches what the account is worth', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.buy('ann', '0.06', '60000', MARGIN);
  // 0.05994 BTC x 0.975 x P - 2 600 > 104 down to 46 268.49...: the exact level decides.
  floor.index('46268.5', 'BTCUSD');
  assert.deepEqual(floor.conversions('ann'), []);
  assert.equal(floor.risk('ann').maintenance, '104');
  floor.index('46268.4', 'BTCUSD');
  assert.equal(floor.conversions('ann').length, 1);
  assert.equal(floor.owed('USDT'), '0');
  assert.equal(floor.cash('ann', 'USDT'), '0');
  // ceil(2 600 / 46 268.4 / 0.999) is sold of 0.05994.
  assert.deepEqual(floor.conversions('ann'), ['forced 0.05625012 BTC for 2600 USDT']);
  assert.equal(floor.cash('ann', 'BTC'), '0.00368988');
});

test('orders go first: locked coins are free before anything is sold', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.buy('ann', '0.06', '60000', MARGIN);
  const offer = floor.sell('ann', '0.05994', '70000', SPOT);
  floor.index('46000', 'BTCUSD');
  assert.equal(offer.stands, 'cancelled 0/0.05994 burst_cancel');
  assert.equal(floor.owed('USDT'), '0');
});

test('stablecoins pay first, then what counts for most; coins that do not count stay', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { ETH: '1', XAU: '1', USDT: '2000' });
  floor.buy('market', '1', '59000', SPOT);
  floor.buy('market', '1', '60000', SPOT);
  floor.sell('ann', '0.1', '59000', MARGIN);
  assert.equal(floor.cash('ann', 'BTC'), '-0.1');
  floor.index('100000', 'BTCUSD');
  assert.equal(floor.cash('ann', 'BTC'), '-0.1');
  floor.index('107000', 'BTCUSD');
  const [first, second] = floor.conversions('ann');
  assert.match(first!, /^forced 7894\.1 USDT for /);
  assert.match(second!, /^forced [0-9.]+ ETH for /);
  assert.equal(floor.cash('ann', 'XAU'), '1');
  assert.equal(floor.cash('ann', 'BTC'), '0');
});

test('coins are sold for debts before a position is touched (rules 5.9 step 4)', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { BTC: '0.1' });
  floor.trader('bob', { USDT: '1000000' });
  floor.deal('ann', 'bob', '0.5', '60000');
  floor.mark('49000');
  assert.equal(floor.position('ann'), 'long 0.5 @ 60000');
  assert.equal(floor.conversions('ann').length, 1);
  // The loss of 5 500 and the fee of 18: what was an unrealised debt is paid, and the position lives.
  assert.equal(floor.conversions('ann')[0], 'forced 0.09205873 BTC for 5518 USDT');
  assert.equal(floor.cash('ann', 'USDT'), '5500');
});

test('positions and debts fall together: one procedure, nothing owed at its end', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '10000' });
  floor.trader('bob', { USDT: '1000000' });
  floor.buy('ann', '0.3', '60000', MARGIN);
  floor.deal('ann', 'bob', '0.2', '60000');
  floor.buy('bob', '1', '36000');
  floor.index('36000', 'BTCUSD');
  floor.mark('36000');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(floor.account('ann').liquidating, false);
  assert.equal(floor.owed('USDT'), '0');
});

test('what is left unpaid comes from the fund as far as it goes, the rest stays as a debt', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.insure('100');
  floor.buy('ann', '0.06', '60000', MARGIN);
  floor.index('30000', 'BTCUSD');
  assert.equal(floor.cash('ann', 'BTC'), '0');
  // 0.05994 x 30 000 x 0.999 of 2 600, and the fund's 100.
  assert.equal(floor.cash('ann', 'USDT'), '-703.5982');
  assert.equal(floor.insurance(), '0');
  // Blocked by what it owes: nothing can be borrowed, and a deposit repays.
  assert.equal(floor.buy('ann', '0.001', '60000', MARGIN).stands, 'refused insufficientMargin');
  floor.deposit('ann', '1000', 'USDT');
  assert.equal(floor.cash('ann', 'USDT'), '296.4018');
});

test('who owes more than its coins count for may still offer a coin that counts for nothing', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000', XAU: '10' });
  floor.buy('ann', '0.06', '60000', MARGIN);
  floor.index('30000', 'BTCUSD');
  // Everything that counts was sold; gold outweighs the rest, so that the fund pays nothing.
  assert.equal(floor.cash('ann', 'USDT'), '-803.5982');
  const offer = floor.sell('ann', '9', '100', { ...SPOT, on: 'XAUUSDT' });
  assert.equal(offer.stands, 'new 0/9');
  floor.index('30001', 'BTCUSD');
  assert.equal(offer.stands, 'new 0/9');
  floor.buy('market', '9', '100', { ...SPOT, on: 'XAUUSDT' });
  assert.equal(floor.cash('ann', 'USDT'), '95.5018');
});

test('a debt above the limit of the account is brought down by force (rules 6.8)', () => {
  const terms = { ...TERMS, USDT: { ...USDT_TERMS, userLimit: '1000', yearRate: '87.6' } };
  const floor = new MarginFloor(terms).stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.buy('ann', '0.0333', '60000', MARGIN);
  assert.equal(floor.owed('USDT'), '998');
  floor.wait(3_590_000 - (floor.now % 3_600_000));
  for (const [price, name] of [
    ['0.9999', 'USDTUSD'],
    ['60001', 'BTCUSD'],
    ['3001', 'ETHUSD'],
  ] as const)
    floor.index(price, name);
  floor.wait(10_000);
  // An hour at 1 % makes 1 007.98.
  assert.equal(floor.owed('USDT'), '1000');
  assert.equal(floor.conversions('ann').length, 1);
});

test('no account is liquidated at a stale price', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.buy('ann', '0.06', '60000', MARGIN);
  floor.wait(16 * 60_000);
  floor.trader('bob', { BTC: '10' });
  floor.deposit('ann', '0.00000001', 'USDT');
  assert.deepEqual(floor.conversions('ann'), []);
});

test('case 125: a coin that does not count adds to equity and not to margin', () => {
  const floor = new MarginFloor().stocked('100', 'XAUUSDT');
  floor.trader('ann', { USDT: '1000', XAU: '5' });
  assert.deepEqual([floor.risk('ann').equity, floor.risk('ann').effective], ['1500', '1000']);
});

test('case 126: a coin that does not count is owed in full when it was borrowed and sold', () => {
  const gold: InstrumentSpec = { ...margin('XAU', 'USDT'), openingPrice: '100' };
  const floor = new MarginFloor({ ...TERMS, XAU: COIN_TERMS }, [...PAIRS, gold, priced('XAU')]);
  floor.index('100', 'XAUUSD');
  floor.trader('bob', { USDT: '100000' });
  floor.buy('bob', '10', '100', { ...SPOT, on: 'XAUUSDT' });
  floor.trader('ann', { USDT: '1000', XAU: '1' });
  assert.equal(floor.risk('ann').effective, '1000');
  assert.equal(floor.sell('ann', '3', '100', { ...MARGIN, on: 'XAUUSDT' }).stands, 'filled 3/3');
  assert.equal(floor.cash('ann', 'XAU'), '-2');
  // 1 300 USDT less the fee of 0.3 and 200 dollars of gold; 200 / 3 and 4 % of it.
  assert.deepEqual(floor.risk('ann'), {
    equity: '1099.7',
    effective: '1099.7',
    initial: '66.66666667',
    maintenance: '8',
    available: '1033.03333333',
  });
});

test('case 127: an account worth nothing that owes nothing is left alone', () => {
  const floor = new MarginFloor();
  floor.trader('ann');
  assert.deepEqual(floor.risk('ann'), {
    equity: '0',
    effective: '0',
    initial: '0',
    maintenance: '0',
    available: '0',
  });
  assert.equal(floor.account('ann').liquidating, false);
});

test('case 128: an account worth less than nothing with a position is liquidated', () => {
  const floor = new MarginFloor();
  floor.trader('ann', { USDT: '700' });
  floor.trader('bob', { USDT: '1000000' });
  floor.deal('ann', 'bob', '0.1', '60000');
  floor.buy('bob', '1', '52000');
  floor.mark('52000');
  assert.equal(floor.position('ann'), 'none');
});

test('the warning level is told once, stops borrowing, and is told again after it was left (rules 6.4)', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '1000' });
  floor.buy('ann', '0.06', '60000', MARGIN);
  const warnings = () => floor.events.filter((event) => event.type === 'riskWarning').length;
  // 104 is 0.8 of 130: 0.05994 x 0.975 x P - 2 600 = 130 at 46 713.3...
  floor.index('46714', 'BTCUSD');
  assert.equal(warnings(), 0);
  floor.index('46713', 'BTCUSD');
  assert.equal(warnings(), 1);
  floor.index('46600', 'BTCUSD');
  assert.equal(warnings(), 1);
  floor.index('47000', 'BTCUSD');
  floor.index('46700', 'BTCUSD');
  assert.equal(warnings(), 2);
  assert.equal(floor.conversions('ann').length, 0);
});
