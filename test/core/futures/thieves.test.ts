/** Attempts to take money from the venue or from other traders without a risk of one's own. Each fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { moneyUnits } from '../dsl/words.ts';
import { BTC_COIN, BTC_PERPETUAL, FuturesFloor } from './futures-floor.ts';

/** A contract as the shipped catalogue has them: a band of 5 %. */
const BANDED: InstrumentSpec = { ...BTC_PERPETUAL, buyLimitPriceRatio: '0.05', sellLimitPriceRatio: '0.05' };
const COIN_BANDED: InstrumentSpec = {
  ...BTC_COIN,
  symbol: 'BTCUSDX',
  buyLimitPriceRatio: '0.05',
  sellLimitPriceRatio: '0.05',
};

test('a coin-margined position that is passed along the band earns less coin than the fees', () => {
  const floor = new FuturesFloor(BTC_PERPETUAL, undefined, [COIN_BANDED]);
  floor.index('60000', 'BTCUSD');
  const family = ['amy', 'ben', 'cal', 'dan'];
  for (const name of family) floor.trader(name, { BTC: '10' });
  const on = 'BTCUSDX';
  const coins = () => family.reduce((sum, name) => sum + moneyUnits(floor.cash(name, 'BTC')), 0n);
  const before = coins();
  // Profit is paid in coin at the price of the trade, which a family chooses: up the whole band in steps.
  floor.deal('amy', 'ben', '1', '57000', { on });
  floor.deal('cal', 'amy', '1', '60000', { on });
  floor.deal('dan', 'cal', '1', '63000', { on });
  floor.deal('ben', 'dan', '1', '63000', { on });
  assert.deepEqual(
    family.map((name) => floor.position(name, { on })),
    ['none', 'none', 'none', 'none'],
  );
  assert.ok(coins() < before, `${coins() - before}`);
});

test('the smallest orders leave no unit behind that rounding made', () => {
  const floor = new FuturesFloor({ ...BANDED, minOrderQty: '0.0001', minOrderAmount: '' });
  for (const name of ['amy', 'ben']) floor.trader(name, { USDT: '1000' });
  for (let n = 0; n < 40; n++) {
    floor.deal('amy', 'ben', '0.0003', (60_000 + 0.1 * n).toFixed(1));
    floor.deal('ben', 'amy', '0.0001', (60_007 - 0.1 * n).toFixed(1));
    floor.deal('ben', 'amy', '0.0002', (60_003 + 0.3 * n).toFixed(1));
  }
  assert.equal(floor.position('amy'), 'none');
  const both = moneyUnits(floor.cash('amy', 'USDT')) + moneyUnits(floor.cash('ben', 'USDT'));
  assert.equal(both + moneyUnits(floor.house('sys:fee', 'USDT')), moneyUnits('2000'));
});

test('at an unreliable price no collateral of positions and debts leaves the account', () => {
  const floor = new FuturesFloor(BANDED);
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { USDT: '10000' });
  floor.leverage('ann', 20);
  floor.deal('ann', 'bob', '1', '60000');
  // Fresh, all but the initial margin may go; the wallets know no difference.
  assert.equal(floor.transfer('ann uta', 'ann spot', '1000', 'USDT'), 'none');
  floor.wait(20 * 60_000);
  // The world may be at 54000 by now: ann would leave 3000 behind for a loss of 6000.
  for (const name of ['ann', 'bob']) {
    assert.equal(floor.transfer(`${name} uta`, `${name} spot`, '0.01', 'USDT'), 'insufficientBalance');
    assert.equal(floor.withdraw(name, '0.01', 'USDT'), 'insufficientBalance');
  }
  // Who stands behind nothing goes where he likes, and money may always come.
  assert.equal(floor.transfer('cat uta', 'cat spot', '10000', 'USDT'), 'none');
  assert.equal(floor.transfer('ann spot', 'ann uta', '1000', 'USDT'), 'none');
  floor.index('54000');
  assert.equal(floor.transfer('ann uta', 'ann spot', '3000', 'USDT'), 'insufficientBalance');
  assert.equal(floor.transfer('ann uta', 'ann spot', '1000', 'USDT'), 'none');
  assert.equal(floor.insurance(), '0');
});
