/**
 * Coins that no index prices: whoever trades on the own book sets their last price, so nothing may hang on it
 * (rules 6.1: a coin is worth its USD index).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalName } from '../dsl/words.ts';
import { priced } from '../futures/futures-floor.ts';
import { PLEDGE } from '../loan/loan-floor.ts';
import { COIN_TERMS, MARGIN, MarginFloor, margin, PAIRS, SPOT, TERMS } from './margin-floor.ts';

const ON_GOLD = { ...SPOT, on: 'XAUUSDT' };

/** Gold has every term a coin can have, and trades at 100; its index has components and no price yet. */
function goldFloor(): MarginFloor {
  const loan = {
    flexibleRate: '0.1',
    sevenDayRate: '0.1',
    thirtyDayRate: '0.1',
    minUsdt: '1',
    maxUsdt: '100000',
  };
  const collateral = [{ tierStartValue: '0', discountRate: '0.9' }];
  const pairs = [...PAIRS, { ...margin('XAU', 'USDT'), openingPrice: '100' }, priced('XAU')];
  const floor = new MarginFloor({ ...TERMS, XAU: COIN_TERMS }, pairs, {
    XAU: { collateral, loan, pledge: PLEDGE },
    USDT: { loan, pledge: PLEDGE },
  });
  floor.trader('market', { USDT: '100000000', BTC: '100', XAU: '1000' });
  floor.sell('market', '10', '60000', SPOT);
  return floor;
}

test('a coin that only the own book prices is no margin, whatever was paid for it', () => {
  const floor = goldFloor();
  floor.trader('ann', { USDT: '1000', XAU: '100' });
  assert.deepEqual([floor.risk('ann').equity, floor.risk('ann').effective], ['11000', '1000']);
  floor.sell('market', '0.01', '180', ON_GOLD);
  floor.buy('ann', '0.01', '180', ON_GOLD);
  floor.wait(1000);
  assert.equal(floor.risk('ann').effective, '998.2');
  assert.equal(floor.buy('ann', '0.1', '60000', MARGIN).stands, 'refused insufficientBalance');
});

test('it counts from the second its index speaks, at the price of the index', () => {
  const floor = goldFloor();
  floor.trader('ann', { USDT: '1000', XAU: '100' });
  floor.index('90', 'XAUUSD');
  assert.deepEqual([floor.risk('ann').equity, floor.risk('ann').effective], ['10000', '9100']);
  floor.restart();
  assert.equal(floor.risk('ann').effective, '9100');
});

test('it is lent to nobody', () => {
  const floor = goldFloor();
  floor.trader('ann', { USDT: '10000' });
  floor.buy('market', '10', '100', ON_GOLD);
  const short = () => floor.sell('ann', '1', '100', { ...MARGIN, on: 'XAUUSDT' }).stands;
  assert.equal(short(), 'refused insufficientBalance');
  floor.index('100', 'XAUUSD');
  assert.equal(short(), 'filled 1/1');
});

test('it pays for no debt, neither by wish nor by force', () => {
  const floor = goldFloor();
  floor.trader('ann', { USDT: '1000', XAU: '100' });
  floor.buy('ann', '0.06', '60000', MARGIN);
  assert.equal(refusalName(floor.repay('ann', 'USDT', 'XAU').rejectReason), 'noCoinPrice');
  floor.index('30000', 'BTCUSD');
  assert.equal(floor.cash('ann', 'XAU'), '100');
  assert.equal(floor.cash('ann', 'USDT'), '-803.5982');
});

test('it can be neither pledged nor borrowed against a pledge', () => {
  const floor = goldFloor();
  floor.trader('ann', { USDT: '10000', XAU: '100' });
  const borrow = (loanCoin: number, pledgeCoin: number) =>
    refusalName(
      floor.send({
        type: 'loanBorrow',
        time: floor.now,
        uid: floor.uid('ann'),
        loanCoin,
        pledgeCoin,
        term: 0,
        loanAmount: 0n,
        pledgeAmount: 10_00000000n,
      }).rejectReason,
    );
  const [usdt, xau] = ['USDT', 'XAU'].map((name) => floor.state.coinByName.get(name)!);
  assert.equal(borrow(usdt!, xau!), 'noCoinPrice');
  assert.equal(borrow(xau!, usdt!), 'noCoinPrice');
});

test('a coin that counts for nothing does not protect from liquidation while its index is stale', () => {
  const floor = new MarginFloor(TERMS, [...PAIRS, priced('XAU')]);
  floor.index('100', 'XAUUSD');
  floor.trader('market', { BTC: '100' });
  floor.sell('market', '10', '60000', SPOT);
  floor.trader('ann', { USDT: '1000', XAU: '0.00000001' });
  floor.buy('ann', '0.06', '60000', MARGIN);
  floor.wait(16 * 60_000);
  for (const [price, name] of [
    ['1.0001', 'USDTUSD'],
    ['3001', 'ETHUSD'],
    ['30000', 'BTCUSD'],
  ] as const)
    floor.index(price, name);
  assert.equal(floor.conversions('ann').length, 1);
});
