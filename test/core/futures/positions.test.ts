/** Opening, adding, closing and turning positions; reduce-only and hedge rules (rules 1.10, 1.11, 4.4, 4.5, 5.4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stakeLiquidationTicks } from '../../../src/core/margin/liquidation-price.ts';
import { maintenanceOf } from '../../../src/core/model/margin-tiers.ts';
import { formatUnits } from '../../../src/core/model/units.ts';
import { BTC_PERPETUAL, FuturesFloor, futuresFloor, units } from './futures-floor.ts';

test('an order larger than the position closes it and opens the rest on the other side, with a fill for each', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '0.3', '60000');
  floor.buy('bob', '0.5', '60600');
  const flip = floor.sell('ann', '0.5', '60600');
  assert.deepEqual(floor.executions('ann').slice(1), [
    'user close 0.3 @ 60600 fee 10.908 pnl 180',
    'user open 0.2 @ 60600 fee 7.272 pnl 0',
  ]);
  const [close, open] = flip.fillRecords;
  assert.equal(close!.execLinkId, open!.execLinkId);
  assert.equal(floor.position('ann'), 'short 0.2 @ 60600');
  assert.equal(floor.position('bob'), 'long 0.2 @ 60600');
});

test('cost basis: partial closes release floors, the last one all that is left, and the sum is exact', () => {
  const cheap = { ...BTC_PERPETUAL, pricePrecision: '1', openingPrice: '100' };
  const floor = new FuturesFloor(cheap);
  floor.index('100');
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '10000' });
  floor.deal('ann', 'bob', '1', '100');
  floor.deal('ann', 'bob', '2', '100.1');
  assert.equal(floor.position('ann'), 'long 3 @ 100.1');
  for (let n = 0; n < 3; n++) floor.deal('bob', 'ann', '1', '101');
  const profits = floor.fillsOf('ann').flatMap(({ futures }) => (futures!.closing ? [futures!.pnl] : []));
  assert.deepEqual(
    profits.map((pnl) => formatUnits(pnl, 8)),
    ['0.93333334', '0.93333333', '0.93333333'],
  );
  assert.equal(floor.house('sys:clearing', 'USDT'), '0');
});

test('adding moves the average entry', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.mark('25000');
  floor.deal('ann', 'bob', '0.8', '25000');
  floor.mark('28000');
  floor.deal('ann', 'bob', '0.6', '28000');
  assert.equal(floor.position('ann'), 'long 1.4 @ 26285.7');
});

test('cases 45 and 46: reduce-only needs a position on the other side', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  assert.equal(floor.sell('ann', '1', '60000', { reduceOnly: true }).rejectReason, 'noPositionToClose');
  floor.deal('ann', 'bob', '1', '60000');
  assert.equal(floor.buy('ann', '1', '60000', { reduceOnly: true }).rejectReason, 'closesWrongWay');
});

test('case 47: a new reduce-only order pushes out the oldest that no longer fit', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  const ro = { reduceOnly: true };
  const a = floor.sell('ann', '0.4', '61000', ro);
  const b = floor.sell('ann', '0.4', '61000', ro);
  const c = floor.sell('ann', '0.5', '60500', ro);
  assert.deepEqual(
    [a, b, c].map((order) => order.stands),
    ['cancelled 0/0.4 normal_cancel', 'new 0/0.4', 'new 0/0.5'],
  );
  assert.equal(floor.fields('ann').frozen, '0.9');
  assert.equal(floor.fields('ann').available, '0.1');
  const d = floor.sell('ann', '1.5', '62000', ro);
  assert.deepEqual(
    [b, c, d].map((order) => order.stands),
    ['cancelled 0/0.4 normal_cancel', 'cancelled 0/0.5 normal_cancel', 'new 0/1'],
  );
});

test('a position that shrinks trims the reduce-only order least likely to execute', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  const b = floor.sell('ann', '0.4', '61000', { reduceOnly: true });
  const c = floor.sell('ann', '0.5', '60500', { reduceOnly: true });
  floor.buy('bob', '0.4', '60000');
  floor.sell('ann', '0.4', '60000');
  assert.equal(floor.position('ann'), 'long 0.6 @ 60000');
  assert.equal(b.stands, 'new 0/0.1');
  assert.equal(c.stands, 'new 0/0.5');
  assert.deepEqual(floor.depth().asks, ['0.5 @ 60500', '0.1 @ 61000']);
});

test('case 48: a reduce-only market order takes the position and no more', () => {
  const floor = futuresFloor('1000000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  floor.buy('bob', '5', '60000');
  const order = floor.marketOrder('ann', 'sell', '5', { reduceOnly: true });
  assert.equal(order.stands, 'filled 1/1');
  assert.equal(floor.position('ann'), 'none');
});

test('case 49: closing the position by a plain order cancels its reduce-only orders', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  const ro = floor.sell('ann', '1', '61000', { reduceOnly: true });
  floor.buy('bob', '1', '60000');
  floor.sell('ann', '1', '60000');
  assert.equal(floor.position('ann'), 'none');
  assert.equal(ro.stands, 'cancelled 0/1 delegated_risk_order_cancel');
});

test('case 50: a trimmed reduce-only order keeps its place', () => {
  const floor = futuresFloor('100000', 'ann', 'bob', 'cat');
  floor.deal('ann', 'bob', '1', '60000');
  const ro = floor.sell('ann', '1', '61000', { reduceOnly: true });
  const behind = floor.sell('cat', '0.1', '61000');
  floor.buy('bob', '0.3', '60000');
  floor.sell('ann', '0.3', '60000');
  assert.equal(ro.stands, 'new 0/0.7');
  floor.buy('bob', '0.7', '61000');
  assert.equal(ro.stands, 'filled 0.7/0.7');
  assert.equal(behind.stands, 'new 0/0.1');
});

test('case 52: a flip needs margin for what it opens', () => {
  const floor = futuresFloor('100000', 'bob');
  floor.trader('ann', { USDT: '1900' });
  floor.deal('ann', 'bob', '0.3', '60000');
  floor.mark('54500');
  // 1 900 less the fee and a loss of 1 650 is more than maintenance, less than 0.2 x 54 500 / 10.
  floor.buy('bob', '0.5', '54500');
  assert.equal(floor.sell('ann', '0.5', '54500').rejectReason, 'insufficientMargin');
  assert.equal(floor.sell('ann', '0.3', '54500').stands, 'filled 0.3/0.3');
});

test('case 53: in hedge mode there is no long to sell before one is bought', () => {
  const floor = futuresFloor('10000000', 'ann', 'bob');
  floor.holdMode('ann', 'hedge_mode');
  floor.buy('bob', '1', '60000');
  assert.equal(floor.sell('ann', '1', '60000', { posSide: 'long' }).rejectReason, 'noPositionToClose');
  // A short of her own is no long either.
  floor.sell('ann', '1', '60000', { posSide: 'short' });
  assert.equal(floor.sell('ann', '1', '60000', { posSide: 'long' }).rejectReason, 'noPositionToClose');
  assert.equal(floor.position('ann'), 'short 1 @ 60000');
});

test('hedge mode closes by side and position', () => {
  const floor = futuresFloor('10000000', 'ann', 'bob');
  assert.equal(floor.holdMode('ann', 'hedge_mode'), 'none');
  const long = { posSide: 'long' } as const;
  assert.equal(floor.sell('ann', '1', '60000').rejectReason, 'positionSideNeeded');
  assert.equal(floor.sell('ann', '1', '60000', long).rejectReason, 'noPositionToClose');
  floor.sell('bob', '100', '60000');
  floor.leverage('ann', 20);
  floor.buy('ann', '100', '60000', long);
  const first = floor.sell('ann', '70', '61000', long);
  floor.buy('bob', '50', '60000');
  const market = floor.marketOrder('ann', 'sell', '50', long);
  assert.equal(market.stands, 'filled 30/30');
  assert.equal(first.stands, 'new 0/70');
  assert.deepEqual([floor.fields('ann').total, floor.fields('ann').frozen], ['70', '70']);
  const second = floor.sell('ann', '40', '61000', long);
  assert.equal(first.stands, 'cancelled 0/70 normal_cancel');
  assert.equal(second.stands, 'new 0/40');
  assert.equal(floor.fields('ann').frozen, '40');
  const third = floor.sell('ann', '40', '61000', long);
  assert.equal(third.rejectReason, 'closeAboveAvailable');
  assert.equal(third.rejectReason, 'closeAboveAvailable');
  assert.equal(floor.holdMode('ann', 'one_way_mode'), 'positionsOrOrdersOpen');
  assert.equal(second.record.futures!.reduceOnly, false);
});

test('case 57: the hold mode does not change with an open order', () => {
  const floor = futuresFloor('100000', 'ann');
  floor.buy('ann', '0.1', '50000');
  assert.equal(floor.holdMode('ann', 'hedge_mode'), 'positionsOrOrdersOpen');
  floor.cancelAll('ann', { category: 'USDT-FUTURES' });
  assert.equal(floor.holdMode('ann', 'hedge_mode'), 'none');
});

test('a contract that allows one position takes no long beside a short (rules 1.2 number 13)', () => {
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, maxPositionNum: '1' });
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.holdMode('ann', 'hedge_mode');
  floor.buy('bob', '1', '60000');
  floor.sell('ann', '1', '60000', { posSide: 'short' });
  const long = floor.buy('ann', '1', '60000', { posSide: 'long' });
  assert.equal(long.rejectReason, 'tooManyPositions');
  assert.equal(floor.sell('ann', '1', '60000', { posSide: 'short' }).stands, 'new 0/1');
});

test('nor an order for a long beside one for a short: both could fill', () => {
  const floor = new FuturesFloor({ ...BTC_PERPETUAL, maxPositionNum: '1' });
  for (const name of ['ann', 'bob']) floor.trader(name, { USDT: '100000' });
  floor.holdMode('ann', 'hedge_mode');
  const short = floor.sell('ann', '1', '61000', { posSide: 'short' });
  assert.equal(floor.buy('ann', '1', '59000', { posSide: 'long' }).rejectReason, 'tooManyPositions');
  floor.cancel('ann', short);
  assert.equal(floor.buy('ann', '1', '60000', { posSide: 'long' }).stands, 'new 0/1');
  floor.sell('bob', '1', '60000');
  // One that closes opens nothing.
  assert.equal(floor.sell('ann', '1', '61000', { posSide: 'long' }).stands, 'new 0/1');
  assert.equal(floor.buy('ann', '0.1', '59000', { posSide: 'long' }).stands, 'new 0/0.1');
});

test('position fields agree with the published sample (rules 5.4)', () => {
  const floor = new FuturesFloor();
  floor.trader('ann', { USDT: '100000000' });
  floor.trader('bob', { USDT: '100000000' });
  floor.mark('108674');
  for (const name of ['ann', 'bob']) floor.leverage(name, 3);
  floor.deal('ann', 'bob', '119.2068', '108674');
  floor.mark('118107.8');
  const fields = floor.fields('ann');
  assert.equal(fields.positionBalance, '4701531.84941582');
  assert.equal(fields.unrealisedPnl, '1124573.10984');
  assert.equal(fields.mmr, '0.015');
  assert.equal(fields.avgPrice, '108674');
  assert.equal(fields.leverage, '3');
  // The sample's profit is of an average of 108 674.0006.
  assert.equal(fields.profitRate.slice(0, 8), '0.239192');
  assert.equal(fields.profitRate.length, 18);
});

test('break-even: entry with fees and funding over one less the closing fee (rules 5.4)', () => {
  const floor = futuresFloor('1000000', 'ann', 'bob');
  floor.deal('ann', 'bob', '1', '60000');
  // 60 000 + 36 over 0.9994; bob: 60 000 - 12 over 1.0006.
  assert.equal(floor.fields('ann').breakEvenPrice, '60072');
  assert.equal(floor.fields('bob').breakEvenPrice, '59952');
  assert.equal(floor.fields('ann').openFeeTotal, '-36');
  floor.deal('bob', 'ann', '0.5', '61000');
  // Half is left: 30 000 + 36 + 6.1 - 500 over 0.5 x 0.9994.
  assert.equal(floor.fields('ann').breakEvenPrice, '59119.7');
  assert.equal(floor.fields('ann').curRealisedPnl, '500');
});

test('maintenance margin is progressive (rules 5.5)', () => {
  const { tiers } = new FuturesFloor().instrument().futures!;
  assert.equal(formatUnits(maintenanceOf(tiers, units('1000000')), 8), '5350');
  assert.equal(formatUnits(maintenanceOf(tiers, units('150000')), 8), '600');
  assert.deepEqual(
    tiers.map(({ deduction }) => formatUnits(deduction, 20)),
    ['0', '150', '4650', '64650', '634650'],
  );
});

test('liquidation prices of the published and worked examples (rules 5.7)', () => {
  const floor = new FuturesFloor();
  const instrument = floor.instrument();
  const at = (
    long: boolean,
    qty: number,
    entry: number,
    margin: string,
    netQty = qty,
    basis?: string,
  ): string => {
    const lots = qty * 10_000;
    const worth = basis === undefined ? units(String(qty * entry)) * (long ? 1n : -1n) : units(basis);
    return formatUnits(
      BigInt(
        stakeLiquidationTicks({
          instrument,
          long,
          lots,
          netLots: netQty * 10_000,
          basis: worth,
          margin: units(margin),
        }),
      ),
      1,
    );
  };
  assert.equal(at(true, 1, 50_000, '5000'), '45208');
  assert.equal(at(false, 1, 50_000, '5000'), '54748.1');
  assert.equal(at(true, 10, 100_000, '50000'), '95547.9');
  assert.equal(at(false, 10, 100_000, '50000'), '104358.7');
  assert.equal(at(true, 2, 61_000, '20000'), '51235.7');
  assert.equal(at(true, 2, 0, '20000', 1, '61500'), '41885.4');
  assert.equal(at(true, 1, 50_000, '50000'), '0');
});

test('case 105: liquidation prices of coin-margined contracts (rules 5.7, model B)', () => {
  const floor = new FuturesFloor();
  const instrument = floor.instrument('BTCUSD');
  const at = (long: boolean, margin: string): string =>
    formatUnits(
      BigInt(
        stakeLiquidationTicks({
          instrument,
          long,
          lots: 10_000,
          netLots: 10_000,
          basis: units(long ? '50000' : '-50000'),
          margin: units(margin),
        }),
      ),
      1,
    );
  assert.equal(at(true, '0.1'), '45645.5');
  assert.equal(at(false, '0.1'), '55273');
  assert.equal(at(false, '1.1'), '0');
});

test('fill-or-kill does not count closing orders whose position would be gone by then', () => {
  const floor = futuresFloor('1000000', 'ann', 'bob', 'cat');
  floor.deal('ann', 'bob', '1', '60000');
  const plain = floor.sell('ann', '1', '60000');
  const closing = floor.sell('ann', '1', '60100', { reduceOnly: true });
  assert.equal(floor.buy('cat', '2', '60100', { tif: 'fok' }).stands, 'cancelled 0/2 fok_not_full_cancel');
  assert.deepEqual([plain.stands, closing.stands], ['new 0/1', 'new 0/1']);
  assert.equal(floor.buy('cat', '1', '60100', { tif: 'fok' }).stands, 'filled 1/1');
});
