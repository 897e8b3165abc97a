/**
 * Attempts to take money from the venue, its insurance fund or other traders without a risk of one's own. Each fails: what
 * a thief's accounts have together afterwards is no more than before.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstrumentSpec } from '../../../src/core/listing-spec.ts';
import { Dice } from '../../property/futures-flow.ts';
import { moneyUnits } from '../floor/words.ts';
import { BTC_COIN, BTC_PERPETUAL, FuturesFloor } from './futures-floor.ts';

/** A contract as the shipped catalogue has them: a band of 5 %. */
const BANDED: InstrumentSpec = { ...BTC_PERPETUAL, buyLimitPriceRatio: '0.05', sellLimitPriceRatio: '0.05' };
const COIN_BANDED: InstrumentSpec = {
  ...BTC_COIN,
  symbol: 'BTCUSDX',
  buyLimitPriceRatio: '0.05',
  sellLimitPriceRatio: '0.05',
};

/** Everything that accounts own in USDT: both wallets, margins, and the profit of their positions. */
function wealth(floor: FuturesFloor, ...names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const { equity } = floor.risk(name);
    const view = floor.view(name);
    const isolated = view?.isolated === true ? Number(moneyUnits(floor.fields(name).unrealisedPnl)) / 1e8 : 0;
    return (
      sum +
      Number(equity) +
      isolated +
      Number(floor.isolatedMargin(name)) +
      Number(floor.funding(name, 'USDT'))
    );
  }, 0);
}

/** A mule at 125x on one side, the thief on the other, nobody else in the book, and a move that ruins the mule. */
function ruinMule(side: 'long' | 'short', ambush: string): { gain: number; fund: number } {
  const floor = new FuturesFloor(BANDED);
  for (const name of ['mule', 'thief']) floor.trader(name, { USDT: '100000' });
  floor.insure('100000');
  floor.isolate('mule');
  floor.leverage('mule', 125);
  const before = wealth(floor, 'mule', 'thief');
  if (side === 'long') {
    floor.deal('mule', 'thief', '1', '60000');
    floor.buy('thief', '1', ambush);
    floor.index('59795');
  } else {
    floor.deal('thief', 'mule', '1', '60000');
    floor.sell('thief', '1', ambush);
    floor.index('60204');
  }
  assert.equal(floor.position('mule'), 'none');
  return { gain: wealth(floor, 'mule', 'thief') - before, fund: Number(floor.insurance()) - 100_000 };
}

test('the fund is not robbed by a position of one’s own that is liquidated into an order of one’s own', () => {
  // As far away as the band allows: the mule is deleveraged against the thief, and the fund has earned a fee.
  for (const { gain, fund } of [ruinMule('long', '56910'), ruinMule('short', '63090')]) {
    assert.ok(gain < -80, `${gain}`);
    assert.ok(fund > 35, `${fund}`);
  }
  // As far as the fund goes along, 347 from the mark, it pays 107 less a fee of 36: 0.02 % are left after all fees.
  for (const { gain, fund } of [ruinMule('long', '59448.3'), ruinMule('short', '60553.1')]) {
    assert.ok(gain < 60_000 * 0.000_25, `${gain}`);
    assert.ok(fund > -75, `${fund}`);
  }
});

test('a family that trades with itself on both ends of the band, in any size and leverage, only loses its fees', () => {
  let ruins = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const dice = new Dice(seed);
    const floor = new FuturesFloor(BANDED);
    const family = ['amy', 'ben', 'cal'];
    for (const name of family) floor.trader(name, { USDT: '6000' });
    floor.insure('1000000');
    if (dice.chance(0.5)) floor.isolate('amy');
    for (const name of family) floor.leverage(name, dice.pick([20, 50, 125]));
    const before = wealth(floor, ...family);
    let price = 60_000;
    for (let n = 0; n < 60; n++) {
      const [buyer, seller] = dice.chance(0.5)
        ? ['amy', dice.pick(['ben', 'cal'])]
        : [dice.pick(['ben', 'cal']), 'amy'];
      const at = (price * (0.951 + 0.098 * dice.next())).toFixed(1);
      const qty = dice.chance(0.3) ? '0.0001' : (0.05 + 1.5 * dice.next()).toFixed(4);
      const ambush = floor.sell(seller!, qty, at);
      floor.buy(buyer!, qty, at);
      if (dice.chance(0.5) && ambush.refusal === 'none')
        floor.cancelAll(seller!, { category: 'USDT-FUTURES' });
      price = Math.round(price * (0.985 + 0.03 * dice.next()));
      floor.index(String(price));
    }
    for (const name of family) floor.cancelAll(name, { category: 'USDT-FUTURES' });
    ruins += family
      .flatMap((name) => floor.executions(name))
      .filter((line) => line.startsWith('liquidation')).length;
    const after = wealth(floor, ...family);
    assert.ok(after <= before, `seed ${seed}: ${after} of ${before}, the fund has ${floor.insurance()}`);
  }
  assert.ok(ruins > 20, `${ruins} liquidations`);
});

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

test('at a price that nobody vouches for no money leaves what stands behind positions and debts', () => {
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
