/** Worked numbers of the unified account (rules 5.1, 6) that hang on dollar indices and rates of coins. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marginRatio } from '../../../src/api/routes/account/valuation.ts';
import { coinUsd, collateralRate, collateralValue } from '../../../src/core/margin/collateral.ts';
import { accountRisk } from '../../../src/core/margin/margin-cache.ts';
import type { InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { formatUnits } from '../../../src/core/model/units.ts';
import { repayableCoins } from '../../../src/core/reads/borrowing-reads.ts';
import { closedPositionView } from '../../../src/views/position-view.ts';
import { MARGIN, MarginFloor, SPOT, workedAccount } from '../borrowing/margin-floor.ts';
import { BTCUSDT } from '../listings.ts';
import { BTC_PERPETUAL, FUTURES_COINS, FuturesFloor, futuresFloor, priced, units } from './futures-floor.ts';

test('the net profit of the published closed position: -0.116 - 22.7360116 - 22.7359884 = -45.588 (rules 5.1)', () => {
  const floor = futuresFloor('1000000', 'ann', 'bob');
  // The sample has no sizes: 0.58 bought at 196 000.1 and sold at 195 999.9 as maker cost what it says.
  floor.mark('196000');
  floor.buy('ann', '0.58', '196000.1');
  floor.sell('bob', '0.58', '196000.1');
  floor.sell('ann', '0.58', '195999.9');
  floor.buy('bob', '0.58', '195999.9');
  const closed = floor.eventsOf('positionClosed').find(({ uid }) => uid === floor.uid('ann'))!;
  const view = closedPositionView(closed, floor.instrument(), () => 'USDT');
  assert.deepEqual(
    [view.cumRealisedPnl, view.openFeeTotal, view.closeFeeTotal, view.netProfit],
    ['-0.116', '-22.7360116', '-22.7359884', '-45.588'],
  );
});

test('USDC counts by its own index, not as a dollar (rules 5.1)', () => {
  const perpetual: InstrumentSpec = {
    ...BTC_PERPETUAL,
    symbol: 'BTCPERP',
    category: 'USDC-FUTURES',
    quoteCoin: 'USDC',
    indexComponents: [{ exchange: 'elsewhere', spotPair: 'BTC/USDC', weight: '1' }],
  };
  const coins = [...FUTURES_COINS, { coin: 'USDC', name: 'USDC', chains: [] }];
  const floor = new FuturesFloor(undefined, coins, [perpetual, priced('USDC')]);
  const words = { on: 'BTCPERP', category: 'USDC-FUTURES' } as const;
  floor.index('0.998', 'USDCUSD');
  floor.index('60000', 'BTCUSDC');
  for (const name of ['ann', 'bob']) floor.trader(name, { USDC: '10000' });
  floor.deal('ann', 'bob', '1', '60000', words);
  // 9 964 are left after the fee; 276 and 6 036 are kept and reserved, all in USDC.
  assert.deepEqual(floor.risk('ann'), {
    equity: '9944.072',
    effective: '9944.072',
    initial: '6023.928',
    maintenance: '275.448',
    available: '3920.144',
  });
});

test('the worked account: what each coin is worth, and the ratio of 0.015445 (rules 6.7)', () => {
  const floor = workedAccount();
  const account = floor.account('ann');
  const [owed] = repayableCoins(floor.state, account);
  assert.deepEqual(
    [formatUnits(owed!.size, 8), formatUnits(owed!.usd, 8)],
    ['6000', '5997'],
    'debt with the unrealised loss in it',
  );
  assert.equal(Number(marginRatio(accountRisk(floor.state, account))).toFixed(6), '0.015445');
  const { state } = floor;
  const counted = (coin: string, usd: string) =>
    formatUnits(collateralValue(state, state.coinByName.get(coin)!, units(usd)), 8);
  assert.deepEqual([counted('BTC', '30000'), counted('ETH', '30000')], ['29250', '28000']);
});

test('without a dollar index USDC counts by its price in USDT; before anybody tells one, as a dollar (rules 5.1)', () => {
  const coins = [...FUTURES_COINS, { coin: 'USDC', name: 'USDC', chains: [] }];
  const floor = new FuturesFloor(undefined, coins, [
    { ...priced('USDC'), symbol: 'USDCUSDT', quoteCoin: 'USDT' },
  ]);
  const worth = () => formatUnits(coinUsd(floor.state, floor.state.coinByName.get('USDC')!), 8);
  assert.equal(worth(), '1');
  floor.index('0.9987', 'USDCUSDT');
  assert.equal(worth(), '0.9987');
});

test('a cap of 100 coins: the coins above it count nothing, at whatever price (rules 6.2)', () => {
  const floor = new FuturesFloor();
  const coin = floor.state.coins.length;
  const collateral = [{ tierStartValue: '0', discountRate: '0.975' }];
  floor.send({
    type: 'listCoin',
    time: floor.now,
    spec: { coin: 'CAP', name: 'CAP', chains: [], collateral, collateralCap: '100' },
  });
  floor.send({ type: 'listInstrument', time: floor.now, spec: priced('CAP') });
  floor.trader('ann', { CAP: '150' });
  const { state } = floor;
  const held = () => {
    const { equity, effective } = accountRisk(state, state.accountByUid.get(floor.uid('ann'))!);
    return [formatUnits(equity, 8), formatUnits(effective, 8)];
  };
  floor.index('60000', 'CAPUSD');
  assert.deepEqual(held(), ['9000000', '5850000']);
  floor.index('50000', 'CAPUSD');
  assert.deepEqual(held(), ['7500000', '4875000']);
  const counted = (usd: string) => formatUnits(collateralValue(state, coin, units(usd)), 8);
  assert.deepEqual([counted('1000000'), counted('6000000')], ['975000', '4875000']);
  const rate = (usd: string) => formatUnits(collateralRate(state, coin, units(usd)), 12);
  assert.deepEqual([rate('5000000'), rate('5000001')], ['0.975', '0']);
});

test('10 000 dollars of a 0.975 coin for one of 0.80 cost 1 750 of margin (rules 6.3)', () => {
  const floor = new MarginFloor();
  const collateral = [{ tierStartValue: '0', discountRate: '0.8' }];
  floor.send({
    type: 'listCoin',
    time: floor.now,
    spec: { coin: 'TOK', name: 'TOK', chains: [], collateral },
  });
  for (const spec of [
    priced('TOK'),
    { ...BTCUSDT, symbol: 'BTCTOK', quoteCoin: 'TOK', openingPrice: '50000', indexComponents: [] },
  ])
    floor.send({ type: 'listInstrument', time: floor.now, spec });
  floor.index('1', 'TOKUSD');
  floor.index('50000', 'BTCUSD');
  floor.trader('ann', { BTC: '1' });
  assert.equal(floor.sell('ann', '0.2', '50000', { on: 'BTCTOK', ...SPOT }).stands, 'new 0/0.2');
  assert.equal(floor.haircut('ann'), '1750');
});

test('the published debt of 147 214.04781004 USDT is 147 102.60677584 dollars (rules 6.8)', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { BTC: '10' });
  floor.trader('bob', { BTC: '10', USDT: '500000' });
  floor.index('0.999243', 'USDTUSD');
  // Bought on margin, and the odd cents taken out of the account's own.
  floor.buy('ann', '3', '60000', MARGIN);
  const owed = () => repayableCoins(floor.state, floor.account('ann'))[0]!;
  const change = owed().size - units('147214.04781004');
  assert.ok(change > 0n);
  floor.deposit('ann', formatUnits(change, 8), 'USDT');
  assert.deepEqual(
    [formatUnits(owed().size, 8), formatUnits(owed().usd, 8)],
    ['147214.04781004', '147102.60677584'],
  );
});
