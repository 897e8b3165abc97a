/** The unified account as margin: tiers, leverage, isolated margin, what may be spent (rules 5.3, 5.6, 6.6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collateralValue } from '../../../src/core/margin/collateral.ts';
import { formatUnits } from '../../../src/core/model/units.ts';
import { BTCUSDT } from '../listings.ts';
import {
  BTC_PERPETUAL,
  BTC_TIERS,
  FUTURES_COINS,
  FuturesFloor,
  futuresFloor,
  units,
} from './futures-floor.ts';

test('collateral counts by slices (rules 6.2)', () => {
  const floor = new FuturesFloor();
  floor.index('3000', 'ETHUSD');
  const { state } = floor;
  const coin = state.coinByName.get('ETH')!;
  assert.equal(formatUnits(collateralValue(state, coin, units('30000')), 8), '28000');
  assert.equal(formatUnits(collateralValue(state, coin, units('20000')), 8), '19000');
});

test('a crossed order reserves margin, fee and its loss at the mark (rules 5.6)', () => {
  const floor = futuresFloor('10000', 'ann');
  floor.buy('ann', '0.1', '60000');
  assert.equal(floor.risk('ann').initial, '603.6');
  floor.sell('ann', '0.1', '61000');
  // The larger side: 6 100 x 0.1006.
  assert.equal(floor.risk('ann').initial, '613.66');
  floor.buy('ann', '0.1', '60500');
  assert.equal(floor.risk('ann').initial, '1262.23');
  assert.equal(floor.buy('ann', '2', '60000').rejectReason, 'insufficientMargin');
});

test('only the larger side of a hedged pair counts (rules 5.5)', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.holdMode('ann', 'hedge_mode');
  floor.sell('bob', '1', '60000');
  floor.buy('ann', '1', '60000', { posSide: 'long' });
  const { maintenance } = floor.risk('ann');
  floor.buy('bob', '0.4', '60000');
  floor.sell('ann', '0.4', '60000', { posSide: 'short' });
  assert.equal(floor.risk('ann').maintenance, maintenance);
  assert.equal(maintenance, '276');
});

test('cases 101 and 102: leverage obeys the tier of positions and orders, and needs margin when lowered', () => {
  const floor = futuresFloor('10000000', 'bob');
  floor.trader('ann', { USDT: '110000' });
  floor.deal('ann', 'bob', '16', '60000');
  assert.equal(floor.leverage('ann', 125), 'leverageAboveMaximum');
  assert.equal(floor.leverage('ann', 50), 'none');
  assert.equal(floor.leverage('ann', 5), 'leverageNeedsMargin');
  floor.trader('cat', { USDT: '10000000' });
  floor.buy('cat', '20', '50000');
  assert.equal(floor.leverage('cat', 100), 'leverageAboveMaximum');
});

test('leverage may be raised while margin is short', () => {
  const floor = futuresFloor('10000000', 'bob');
  floor.trader('ann', { USDT: '6100' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('58000');
  assert.ok(floor.risk('ann').available.startsWith('-'));
  assert.equal(floor.leverage('ann', 11), 'none');
});

test('case 103: an order that would reach a tier beyond its leverage is refused', () => {
  const floor = futuresFloor('10000000', 'ann', 'bob');
  floor.leverage('ann', 100);
  floor.deal('ann', 'bob', '14', '60000');
  assert.equal(floor.buy('ann', '2', '60000').rejectReason, 'aboveTier');
});

test('lower leverage adds isolated margin from cash, higher gives none back', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.isolate('ann');
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 6000');
  floor.leverage('ann', 5);
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 12000');
  floor.leverage('ann', 20);
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 12000');
  assert.equal(floor.addMargin('ann', '-9000'), 'none');
  assert.equal(floor.position('ann'), 'long 1 @ 60000 iso 3000');
  assert.equal(floor.addMargin('ann', '-1'), 'marginTooLow');
  assert.equal(floor.addMargin('ann', '50000'), 'none');
  // Margin of nine tenths and more: no price liquidates it (104).
  assert.equal(floor.addMargin('ann', '10000'), 'none');
  assert.equal(floor.fields('ann').liquidationPrice, '0');
});

test('case 79: money that crossed positions stand on cannot leave', () => {
  const floor = futuresFloor('10000', 'ann');
  floor.trader('bob', { USDT: '100000' });
  floor.deal('ann', 'bob', '1', '60000');
  // 10 000 less the fee and 60 000 x 0.1006.
  assert.equal(floor.withdraw('ann', '3928.00000001', 'USDT'), 'insufficientBalance');
  assert.equal(floor.transfer('ann uta', 'ann spot', '3928', 'USDT'), 'none');
  assert.equal(floor.withdraw('ann', '0.00000001', 'USDT'), 'insufficientBalance');
});

test('a position closes its own orders of isolated coin margin against dollars, not coins', () => {
  const floor = new FuturesFloor();
  floor.index('60000', 'BTCUSD');
  floor.trader('bob', { USDT: '100000', BTC: '10' });
  floor.trader('ann', { BTC: '0.2' });
  floor.deal('ann', 'bob', '1', '60000');
  floor.isolate('ann', 'BTCUSD');
  // Worth 11 700 less the fee; 6 036 is in use, 5 628 is free: 0.1 coin would be 6 000.
  assert.equal(floor.buy('ann', '0.98', '60000', { on: 'BTCUSD' }).rejectReason, 'insufficientMargin');
});

test('who takes an isolated order back is out of the warning, and is warned again when it comes to it', () => {
  const ether = {
    ...BTC_PERPETUAL,
    symbol: 'ETHUSDT',
    baseCoin: 'ETH',
    openingPrice: '3000',
    indexComponents: [{ exchange: 'elsewhere', spotPair: 'ETH/USDT', weight: '1' }],
  };
  const floor = new FuturesFloor(BTC_PERPETUAL, FUTURES_COINS, [ether]);
  const warnings = () => floor.events.filter(({ type }) => type === 'riskWarning').length;
  floor.index('3000', 'ETHUSDT');
  floor.trader('ann', { USDT: '10000' });
  floor.trader('bob', { USDT: '1000000' });
  floor.mark('60000');
  floor.leverage('ann', 20);
  floor.deal('ann', 'bob', '1', '60000');
  floor.isolate('ann', 'ETHUSDT');
  const order = floor.buy('ann', '10', '2900', { on: 'ETHUSDT' });
  floor.mark('53270');
  // 245.042 must be kept, and the order holds all but 299.2.
  assert.equal(warnings(), 1);
  floor.cancel('ann', order);
  assert.equal(floor.risk('ann').effective, '3234');
  floor.mark('50320');
  assert.equal(warnings(), 2);
});

test('orders worth more than exact numbers reach leave no rounding behind when they are gone', () => {
  const floor = new FuturesFloor({
    ...BTC_PERPETUAL,
    openingPrice: '20000',
    pricePrecision: '4',
    quantityPrecision: '4',
    futures: {
      ...BTC_PERPETUAL.futures!,
      priceMultiplier: '',
      quantityMultiplier: '',
      tiers: [...BTC_TIERS, { upTo: '150000000', maxLeverage: '10', mmr: '0.05' }],
    },
  });
  floor.trader('ann', { USDT: '20000000' });
  floor.mark('20000');
  const orders = Array.from({ length: 30 }, (_, n) => floor.buy('ann', '180.0001', `${19_000 + n}.0003`));
  for (const order of orders.slice(1)) floor.cancel('ann', order);
  // A tenth of 3 420 001.95400003 and 0.06 % of it, both rounded up, and nothing of the 100 million of the others.
  assert.equal(floor.risk('ann').initial, '344052.19657242');
});

test('a coin that gets an index counts at once, though its price stays what the book said', () => {
  const ethers = { ...BTCUSDT, symbol: 'ETHUSDT', baseCoin: 'ETH', openingPrice: '3000' };
  const floor = new FuturesFloor(BTC_PERPETUAL, FUTURES_COINS, [ethers]);
  const warnings = () => floor.events.filter(({ type }) => type === 'riskWarning').length;
  floor.trader('ann', { USDT: '10000', ETH: '10' });
  floor.trader('bob', { USDT: '1000000' });
  floor.mark('60000');
  floor.leverage('ann', 20);
  floor.deal('ann', 'bob', '1', '60000');
  floor.mark('50320');
  assert.equal(floor.risk('ann').effective, '284');
  assert.equal(warnings(), 1);
  floor.index('3000', 'ETHUSD');
  // 20 000 dollars of it count 95 %, 10 000 count 90 %.
  assert.equal(floor.risk('ann').effective, '28284');
  floor.mark('23800');
  assert.equal(warnings(), 2);
});
