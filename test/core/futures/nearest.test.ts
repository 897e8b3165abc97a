/** The list of accounts near liquidation, among many: few are looked at. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { Side } from '../../../src/core/model/enums.ts';
import { nearestToLiquidation, riskLevels } from '../../../src/core/reads/risk-reads.ts';
import { contract } from '../../property/futures-flow.ts';
import { coin, deposit, OPENING_TIME, order } from '../../property/venue.ts';
import { futuresFloor } from './futures-floor.ts';

const ACCOUNTS = 10_000;
const SELLER = ACCOUNTS + 1;
const ONE = 10n ** 8n;
const ASKED = 20;
const FEW = ACCOUNTS / 50;

/** Everybody has one lot more of margin than the one before, and the same position. */
function crowded(): Exchange {
  const exchange = new Exchange();
  const apply = (command: Command) => assert.equal(exchange.apply(command).rejectReason, 0);
  const open = (uid: number, margin: bigint) => {
    apply({ type: 'openAccount', time: OPENING_TIME, uid, masterUid: 0, marketMaker: false, house: false });
    apply(deposit(uid, 0, margin));
  };
  for (const command of [coin('USDT'), coin('AAA'), contract('AAA', 'USDT', 'USDT-FUTURES', '100')])
    apply(command);
  price(exchange, OPENING_TIME, 100);
  open(SELLER, BigInt(ACCOUNTS) * 1000n * ONE);
  for (let uid = 1; uid <= ACCOUNTS; uid++) {
    open(uid, 12n * ONE + (BigInt(uid) * ONE) / 10n);
    const time = OPENING_TIME + 2000;
    apply(order({ time, uid: SELLER, side: Side.sell, priceTicks: 1000, sizeLots: 100 }));
    apply(order({ time, uid, side: Side.buy, priceTicks: 1000, sizeLots: 100 }));
  }
  exchange.takeEvents();
  return exchange;
}

function price(exchange: Exchange, time: number, dollars: number): void {
  exchange.apply({
    type: 'componentPrice',
    time,
    index: 0,
    component: 0,
    price: BigInt(dollars) * ONE,
    volume: 0n,
  });
  exchange.apply({ type: 'tick', time: time + 1000 });
}

test('of ten thousand accounts the nearest to liquidation are found by a look at few', () => {
  const exchange = crowded();
  const { state, liquidationMonitor } = exchange;
  price(exchange, OPENING_TIME + 10_000, 97);
  const looked = () =>
    state.accounts.filter(
      ({ margin, index }) =>
        margin?.isMaintenanceCurrent(state.priceVersion, state.ledger.changesOf(index)) === true,
    ).length;
  const before = looked();
  const nearest = nearestToLiquidation(state, liquidationMonitor, ASKED);
  assert.deepEqual(
    nearest.map(({ uid }) => uid),
    Array.from({ length: ASKED }, (_, n) => n + 1),
  );
  assert.ok(nearest.every(({ ratio }, n) => n === 0 || ratio! <= nearest[n - 1]!.ratio!));
  assert.ok(looked() - before <= FEW, `${looked() - before} accounts were looked at`);
  const { due, warned, calm } = riskLevels(state, liquidationMonitor, [10_000_000, 50_000_000, 200_000_000]);
  assert.equal(
    calm.reduce((sum, count) => sum + count, due + warned),
    ACCOUNTS + 1,
  );
  assert.ok(calm.every((count) => count > 0));
  assert.ok(looked() - before <= FEW);
});

test('an account is as near as the nearest of its crossed part and its isolated positions', () => {
  const floor = futuresFloor('100000', 'bob');
  floor.trader('ann', { USDT: '10060' });
  floor.mark('50000');
  floor.isolate('ann');
  floor.leverage('ann', 10);
  floor.sell('bob', '1', '50000');
  floor.buy('ann', '1', '50000');
  floor.mark('46000');
  const { state, liquidationMonitor } = floor.exchange;
  const [near, next] = nearestToLiquidation(state, liquidationMonitor, 2);
  // 5,000 of margin less 4,000 of loss; of 46,000 the maintenance is 0.4 % and the fee of closing 0.06 %.
  assert.deepEqual(
    [near!.isolated, near!.effective, near!.maintenance],
    [state.instruments.find(({ symbol }) => symbol === 'BTCUSDT')!.index, 1000n * ONE, (2116n * ONE) / 10n],
  );
  assert.equal(near!.ratio, 211_600_000_000n);
  assert.equal(next!.isolated, undefined);
});
