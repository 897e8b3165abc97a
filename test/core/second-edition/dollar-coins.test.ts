/** Dollar coins have a price (rules 13.3). Every command is followed by `checkInvariants`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deskRate } from '../../../src/core/margin/desk-price.ts';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import { moneyUnits } from '../dsl/words.ts';
import { DeskFloor } from './desk-floor.ts';

/** So many seconds at these prices. */
function told(floor: DeskFloor, seconds: number, inDollars: string, inTether: string): void {
  for (let n = 0; n < seconds; n++) floor.btc(inDollars, inTether);
}

test('R3: the example of rules 13.3', () => {
  const floor = new DeskFloor().withDebt();
  told(floor, 3, '60000', '60606');
  // Near 1 yet: cross and direct are 1.01 % apart.
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'noCoinPrice');
  told(floor, 60, '60000', '60606');
  assert.equal(floor.usd('USDT'), '0.99000099');
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'none');
});

test('R3 (a): USDT is worth what other coins say, by the mean of a minute', () => {
  const floor = new DeskFloor();
  assert.equal(floor.usd('USDT'), '1.00000000');
  told(floor, 1, '60000', '60000');
  told(floor, 30, '57000', '60000');
  assert.equal(floor.usd('USDT'), '0.97500000');
  told(floor, 30, '57000', '60000');
  assert.equal(floor.usd('USDT'), '0.95000000');
});

test('R3 (a): an index of its own comes before votes, and a person who moves one price alone declares no depeg', () => {
  const floor = new DeskFloor();
  told(floor, 60, '60000', '60000');
  floor.wait(61_000);
  floor.say('66000', 'BTCUSDT');
  for (let n = 0; n < 60; n++) floor.wait(1000);
  assert.equal(floor.usd('USDT'), '1.00000000');
  for (let n = 0; n < 60; n++) floor.index('0.98', 'USDTUSD');
  assert.equal(floor.usd('USDT'), '0.98000000');
});

test('R3 (a): never below 0.90 nor above 1.02', () => {
  const floor = new DeskFloor();
  told(floor, 61, '60000', '80000');
  assert.equal(floor.usd('USDT'), '0.90000000');
  told(floor, 61, '60000', '50000');
  assert.equal(floor.usd('USDT'), '1.02000000');
});

test('R3 (a): without a vote the last value is repeated for a quarter of an hour; unseen seconds repeat it too', () => {
  const floor = new DeskFloor();
  told(floor, 61, '57000', '60000');
  // Both feeds stop.
  for (let n = 0; n < 61; n++) floor.wait(1000);
  assert.equal(floor.indexOf('BTCUSD').stale, true);
  floor.wait(13 * 60_000);
  assert.equal(floor.usd('USDT'), '0.95000000');
  // Feeds are believed for a minute more: then a quarter of an hour has passed since the last vote.
  floor.wait(120_000);
  for (let n = 0; n < 60; n++) floor.wait(1000);
  assert.equal(floor.usd('USDT'), '1.00000000');
});

test('R3 (b): USDC goes by its own index, else by USDT, else by votes, else it is a dollar', () => {
  const floor = new DeskFloor();
  floor.wait(1000);
  assert.equal(floor.usd('USDC'), '1.00000000');
  for (let n = 0; n < 121; n++) {
    floor.tell('1.01', 'USDCUSDT');
    floor.btc('57000', '60000');
  }
  assert.equal(floor.usd('USDC'), '0.95950000');
  assert.equal(floor.usd('USD'), '1.00000000');
});

test('R3 (b): a jump of USDT does not move USDC, in no second of the two minutes after it', () => {
  const floor = new DeskFloor();
  const tell = (inTether: string, perUsdc: string) => {
    floor.tell(perUsdc, 'USDCUSDT');
    floor.btc('60000', inTether);
  };
  for (let n = 0; n < 60; n++) tell('60000', '1');
  for (let n = 0; n < 120; n++) {
    tell('62500', '1.04166667');
    const usdc = Number(floor.usd('USDC'));
    assert.ok(Math.abs(usdc - 1) < 1e-6, `${usdc} after ${n} s`);
  }
  assert.equal(floor.usd('USDT'), '0.96000000');
});

test('R3 (c): the price is the worse of cross and direct index; by force nothing is refused for that', () => {
  const floor = new DeskFloor().withDebt();
  told(floor, 1, '60000', '60606');
  const [btc, usdt] = ['BTC', 'USDT'].map((name) => floor.state.coinByName.get(name)!) as [number, number];
  const rate = (debt: number, pay: number) => {
    const found = deskRate(floor.state, debt, pay, true);
    return Number((found.debt * 10n ** 16n) / found.pay) / 1e16;
  };
  assert.equal(rate(btc, usdt), 60_606);
  // Who pays in BTC gets the lower of the two for it.
  assert.equal(Math.round(1 / rate(usdt, btc)), 60_010);
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'noCoinPrice');
});

test('R3: dollar prices survive a restart', () => {
  const floor = new DeskFloor().withDebt();
  told(floor, 20, '60000', '60606');
  const before = floor.image();
  floor.restart();
  assert.deepEqual(floor.image(), before);
  told(floor, 41, '60000', '60606');
  assert.equal(floor.usd('USDT'), '0.99000099');
});

/** USDT is at 0.99. `ann` sold borrowed BTC for 60 606 USDT and pays the debt at the desk. */
function theft(without: readonly SecondEditionRule[]) {
  const floor = new DeskFloor(without);
  floor.trader('ann', { USDT: '200000' });
  floor.trader('bob', { USDT: '1000000', BTC: '100' });
  told(floor, 61, '60000', '60606');
  const before = floor.worthOf('ann', '60606');
  floor.buy('bob', '1', '60606', { category: 'SPOT' });
  floor.sell('ann', '1', '60606', { category: 'MARGIN' });
  const answer = floor.repay('ann', 'BTC', 'USDT');
  return { answer, gain: floor.worthOf('ann', '60606') - before };
}

test('R3: with a depeg of 1 % each turn of borrowing, selling and repaying paid 485 USDT; now it costs the fees', () => {
  const old = theft(['dollarCoins']);
  assert.equal(old.answer, 'none');
  assert.ok(old.gain > moneyUnits('400'), `${old.gain}`);
  const now = theft([]);
  assert.equal(now.answer, 'none');
  assert.ok(now.gain < 0n, `${now.gain}`);
});
