/** Dollar coins have a price (rules 13.3). Every command is followed by `checkInvariants`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversionRate } from '../../../src/core/margin/conversion-price.ts';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import { moneyUnits } from '../dsl/words.ts';
import { ConversionFloor, VotesFloor } from './conversion-floor.ts';

/** So many seconds at these prices. */
function told(floor: ConversionFloor, seconds: number, inDollars: string, inTether: string): void {
  for (let n = 0; n < seconds; n++) floor.btc(inDollars, inTether);
}

test('R3: the example of rules 13.3', () => {
  const floor = new ConversionFloor().withDebt();
  told(floor, 3, '60000', '60606');
  // Near 1 yet: cross and direct are 1.01 % apart.
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'conversionPriceOld');
  told(floor, 60, '60000', '60606');
  assert.equal(floor.usd('USDT'), '0.99000099');
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'none');
});

test('R3 (a): USDT is worth what other coins say, by the mean of a minute', () => {
  const floor = new ConversionFloor();
  assert.equal(floor.usd('USDT'), '1.00000000');
  told(floor, 1, '60000', '60000');
  told(floor, 30, '57000', '60000');
  assert.equal(floor.usd('USDT'), '0.97500000');
  told(floor, 30, '57000', '60000');
  assert.equal(floor.usd('USDT'), '0.95000000');
});

test('R3 (a): an index of its own comes before votes, and a person who moves one price alone declares no depeg', () => {
  const floor = new ConversionFloor();
  told(floor, 60, '60000', '60000');
  floor.wait(61_000);
  floor.say('66000', 'BTCUSDT');
  for (let n = 0; n < 60; n++) floor.wait(1000);
  assert.equal(floor.usd('USDT'), '1.00000000');
  for (let n = 0; n < 60; n++) floor.index('0.98', 'USDTUSD');
  assert.equal(floor.usd('USDT'), '0.98000000');
});

test('R3 (a): never below 0.90 nor above 1.02', () => {
  const floor = new ConversionFloor();
  told(floor, 61, '60000', '80000');
  assert.equal(floor.usd('USDT'), '0.90000000');
  told(floor, 61, '60000', '50000');
  assert.equal(floor.usd('USDT'), '1.02000000');
});

test('R3 (a): without a vote the last value is repeated for a quarter of an hour; unseen seconds repeat it too', () => {
  const floor = new ConversionFloor();
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
  const floor = new ConversionFloor();
  floor.wait(1000);
  assert.equal(floor.usd('USDC'), '1.00000000');
  for (let n = 0; n < 121; n++) {
    floor.tell('1.01', 'USDCUSDT');
    floor.btc('57000', '60000');
  }
  assert.equal(floor.usd('USDC'), '0.95950000');
  assert.equal(floor.usd('USD'), '1.00000000');
});

test('R3 (a): the first value ever fills the whole minute', () => {
  const floor = new ConversionFloor();
  told(floor, 1, '57000', '60000');
  assert.equal(floor.usd('USDT'), '0.95000000');
});

test('R3 (a): of an even number of votes the middle two make the mean; prices told far apart are no vote', () => {
  const floor = new VotesFloor();
  const votes = (...prices: readonly (readonly [string, string, string])[]) => {
    for (let n = 0; n < 60; n++) {
      for (const [coin, inDollars, inTether] of prices) {
        floor.tell(inDollars, `${coin}USD`);
        floor.tell(inTether, `${coin}USDT`);
      }
      floor.wait(1000);
    }
    return floor.usd('USDT');
  };
  // 0.95 and 0.99.
  assert.equal(votes(['BTC', '57000', '60000'], ['ETH', '2970', '3000']), '0.97000000');
  // 0.95, 0.98 and 0.99.
  assert.equal(votes(['BTC', '57000', '60000'], ['ETH', '2970', '3000'], ['XAU', '98', '100']), '0.98000000');
  // By hand, so that both live on; then one of them alone.
  for (const name of ['BTCUSD', 'BTCUSDT']) floor.say('60000', name);
  for (let n = 0; n < 121; n++) floor.wait(1000);
  assert.equal(floor.usd('USDT'), '1.00000000');
  floor.say('66000', 'BTCUSDT');
  for (let n = 0; n < 30; n++) floor.wait(1000);
  assert.equal(floor.usd('USDT'), '1.00000000');
  floor.say('60000', 'BTCUSD');
  for (let n = 0; n < 61; n++) floor.wait(1000);
  assert.equal(floor.usd('USDT'), '0.90909091');
});

test('R3 (b): an index of USDC in dollars comes first, votes come last, with the same limits', () => {
  const floor = new VotesFloor();
  const seconds = (...prices: readonly (readonly [string, string])[]) => {
    for (let n = 0; n < 61; n++) {
      for (const [name, price] of prices) floor.tell(price, name);
      floor.wait(1000);
    }
    return floor.usd('USDC');
  };
  // The vote of BTC alone: 0.97.
  assert.equal(seconds(['BTCUSD', '58200'], ['BTCUSDC', '60000']), '0.97000000');
  // USDCUSDT 1.01 at idx_USDT 0.95 goes before it.
  const tether = [
    ['BTCUSD', '57000'],
    ['BTCUSDT', '60000'],
    ['USDCUSDT', '1.01'],
  ] as const;
  seconds(...tether, ['BTCUSDC', '60000']);
  assert.equal(seconds(...tether, ['BTCUSDC', '60000']), '0.95950000');
  assert.equal(seconds(...tether, ['USDCUSD', '0.99']), '0.99000000');
  assert.equal(seconds(...tether, ['USDCUSD', '1.5']), '1.02000000');
});

test('R3 (b): a jump of USDT does not move USDC, in no second of the two minutes after it', () => {
  const floor = new ConversionFloor();
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
  const floor = new ConversionFloor().withDebt();
  told(floor, 1, '60000', '60606');
  const [btc, usdt] = ['BTC', 'USDT'].map((name) => floor.state.coinByName.get(name)!) as [number, number];
  const rate = (debt: number, pay: number) => {
    const found = conversionRate(floor.state, debt, pay, true);
    return Number((found.debt * 10n ** 16n) / found.pay) / 1e16;
  };
  assert.equal(rate(btc, usdt), 60_606);
  // Who pays in BTC gets the lower of the two for it.
  assert.equal(Math.round(1 / rate(usdt, btc)), 60_010);
  assert.equal(floor.repay('ann', 'BTC', 'USDT'), 'conversionPriceOld');
});

test('R3 (c): a forced conversion takes the worse price and is not refused when cross and direct are far apart', () => {
  const floor = new ConversionFloor();
  floor.trader('ann', { USDT: '15000' });
  floor.trader('bob', { USDT: '1000000', BTC: '100' });
  floor.coinLeverage('ann', 5, 'BTC');
  floor.btc('60000');
  floor.buy('bob', '1', '60000', { category: 'SPOT' });
  assert.equal(floor.sell('ann', '1', '60000', { category: 'MARGIN' }).stands, 'filled 1/1');
  // Dollars say 73 000, USDT says 74 000: 1.4 % apart in the first second.
  floor.btc('73000', '74000');
  assert.equal(floor.cash('ann', 'BTC'), '0');
  const { fromAmount, toAmount } = floor.eventsOf('conversion').at(-1)!;
  assert.ok(fromAmount * 100_000_000n >= toAmount * moneyUnits('74000'), `${fromAmount} for ${toAmount}`);
});

test('R3: dollar prices survive a restart', () => {
  const floor = new ConversionFloor().withDebt();
  told(floor, 20, '60000', '60606');
  const before = floor.image();
  floor.restart();
  assert.deepEqual(floor.image(), before);
  told(floor, 41, '60000', '60606');
  assert.equal(floor.usd('USDT'), '0.99000099');
});

/** USDT is at 0.99. `ann` sold borrowed BTC for 60 606 USDT and pays the debt at the desk. */
function theft(without: readonly SecondEditionRule[]) {
  const floor = new ConversionFloor(without);
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
  const old = theft(['stablecoinPrices']);
  assert.equal(old.answer, 'none');
  assert.ok(old.gain > moneyUnits('400'), `${old.gain}`);
  const now = theft([]);
  assert.equal(now.answer, 'none');
  assert.ok(now.gain < 0n, `${now.gain}`);
});
