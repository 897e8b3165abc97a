/** A broker's share of the fees that its sub-accounts pay. */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { parseUnits, RATE_SCALE } from '../../src/core/model/units.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import type { ExchangeFloor } from './dsl/exchange-floor.ts';
import { moneyUnits, refusalName } from './dsl/words.ts';
import { FuturesFloor, futuresFloor } from './futures/futures-floor.ts';
import { PLENTY, TradingFloor } from './trading-floor.ts';

function share(floor: ExchangeFloor & { uid(name: string): number }, name: string, rate: string) {
  const [uid, units] = [floor.uid(name), parseUnits(rate, RATE_SCALE)!];
  return refusalName(floor.send({ type: 'setCommission', time: floor.now, uid, rate: units }).rejectReason);
}

/** Acme is a broker with a desk; ann is a stranger who makes the market. Takers pay 0.2 %, makers 0.1 %. */
function brokerFloor(rate: string): TradingFloor {
  const floor = new TradingFloor();
  floor.trader('acme', PLENTY);
  floor.trader('desk', PLENTY, { master: 'acme' });
  floor.trader('ann', PLENTY);
  for (const name of ['acme', 'desk', 'ann']) floor.setFees(name, '0.001', '0.002');
  equal(share(floor, 'acme', rate), 'none');
  return floor;
}

const commissions = (floor: TradingFloor) =>
  floor.lines('acme').filter((line) => line.startsWith('commission'));

test('a share of each fee is in the broker’s funding wallet in the moment of the trade', () => {
  const floor = brokerFloor('0.3');
  floor.sell('ann', '0.5', '60000');
  floor.buy('desk', '0.5', '60000');
  // The desk takes 0.5 BTC and pays 0.001 BTC; ann pays 30 USDT, of which nobody has a share.
  deepEqual(commissions(floor), ['commission 0.0003 fee 0 BTC = 0.0003 in spot']);
  equal(floor.house('sys:fee', 'BTC'), '0.0007');
  equal(floor.house('sys:fee', 'USDT'), '30');
  floor.buy('ann', '0.5', '60000');
  floor.sell('desk', '0.5', '60000');
  deepEqual(commissions(floor).slice(1), ['commission 18 fee 0 USDT = 18 in spot']);
  equal(floor.funding('acme', 'USDT'), '18');
  checkInvariants(floor.state);
});

test('what is less than a unit stays with the house, and a rebate earns nothing', () => {
  const floor = brokerFloor('0.333333333333');
  floor.setFees('desk', '-0.001', '0.002');
  floor.buy('desk', '0.01', '60000');
  floor.sell('ann', '0.01', '60000');
  deepEqual(commissions(floor), []);
  floor.buy('ann', '0.001', '60000');
  floor.sell('desk', '0.001', '60000');
  // A third of 0.12 USDT, less the last of twelve places.
  deepEqual(commissions(floor), ['commission 0.03999999 fee 0 USDT = 0.03999999 in spot']);
});

test('the broker’s own trades and those of strangers earn nothing; without a share nobody earns', () => {
  const floor = brokerFloor('1');
  floor.sell('ann', '1', '60000');
  floor.buy('acme', '1', '60000');
  deepEqual(commissions(floor), []);
  equal(share(floor, 'acme', '0'), 'none');
  floor.sell('ann', '1', '60000');
  floor.buy('desk', '1', '60000');
  deepEqual(commissions(floor), []);
});

test('a share is of 0 to 1 and for a main account', () => {
  const floor = brokerFloor('0.5');
  equal(share(floor, 'acme', '1.000000000001'), 'invalidSpecification');
  equal(share(floor, 'desk', '0.1'), 'invalidSpecification');
  const stranger = { type: 'setCommission', time: floor.now, uid: 77, rate: 1n } as const;
  equal(refusalName(floor.send(stranger).rejectReason), 'unknownAccount');
});

test('futures: the fee of a trade has its share, in the coin of the contract', () => {
  const floor = futuresFloor('1000000', 'acme', 'ann');
  floor.trader('desk', { USDT: '1000000' }, { master: 'acme' });
  equal(share(floor, 'acme', '0.5'), 'none');
  const before = floor.lines('desk').length;
  floor.deal('desk', 'ann', '1', '60000');
  const fee = floor.lineRecords('desk')[before]!.fee;
  equal(floor.lineRecords('acme').at(-1)!.kind, 'commission');
  equal(floor.lineRecords('acme').at(-1)!.amount, fee / 2n);
  notEqual(fee, 0n);
  checkInvariants(floor.state);
});

test('what the maker is given out of a fee has not been kept: the share is of the rest', () => {
  const floor = brokerFloor('0.5');
  floor.setFees('ann', '-0.0005', '0.002');
  floor.sell('ann', '0.5', '60000');
  floor.buy('desk', '0.5', '60000');
  // 0.2 % of 0.5 BTC, less the 0.05 % that ann was paid in USDT: half of 0.00075 BTC.
  deepEqual(commissions(floor), ['commission 0.000375 fee 0 BTC = 0.000375 in spot']);
  floor.buy('ann', '0.5', '60000');
  floor.sell('desk', '0.5', '60000');
  deepEqual(commissions(floor).slice(1), ['commission 22.5 fee 0 USDT = 22.5 in spot']);
  // Nothing is left of a fee that is given away whole, and a rebate above it is nobody's debt.
  floor.setFees('ann', '-0.002', '0.002');
  floor.sell('ann', '0.5', '60000');
  floor.buy('desk', '0.5', '60000');
  equal(commissions(floor).length, 2);
  checkInvariants(floor.state);
});

test('a broker with a share of everything does not earn by trading with itself, in any market', () => {
  const floor = new FuturesFloor();
  const wealth = { USDT: '1000000', BTC: '20' };
  floor.trader('acme', wealth);
  for (const name of ['desk', 'den']) floor.trader(name, wealth, { master: 'acme' });
  floor.index('60000', 'BTCUSD');
  equal(share(floor, 'acme', '1'), 'none');
  const fortune = (coin: string) =>
    ['acme', 'desk', 'den'].reduce(
      (sum, name) => sum + moneyUnits(floor.funding(name, coin)) + moneyUnits(floor.cash(name, coin)),
      0n,
    );
  for (const [on, coin] of [
    ['BTCUSDT', 'USDT'],
    ['BTCUSD', 'BTC'],
  ] as const) {
    for (const name of ['desk', 'den']) floor.setFees(name, '-0.00025', '0.0006', on);
    const before = fortune(coin);
    for (let n = 0; n < 5; n++) {
      floor.deal('desk', 'den', '0.0137', '60001.3', { on });
      floor.deal('den', 'desk', '0.0274', '60001.3', { on });
      floor.deal('desk', 'den', '0.0137', '60001.3', { on });
    }
    equal(floor.position('desk', { on }), 'none');
    const lost = before - fortune(coin);
    ok(lost >= 0n && lost < 40n, `${on}: ${lost}`);
  }
  checkInvariants(floor.state);
});

test('a replay, and a snapshot in between, come to the same shares', () => {
  const floor = brokerFloor('0.3');
  floor.sell('ann', '0.5', '60000');
  floor.buy('desk', '0.5', '60000');
  let exchange = new Exchange();
  for (const [number, bytes] of floor.log.entries()) {
    if (number === floor.log.length - 1) {
      exchange = new Exchange(loadState(Uint8Array.from(saveState(exchange.state))));
    }
    exchange.apply(decodeCommand(bytes));
    exchange.takeEvents();
  }
  deepEqual(Uint8Array.from(saveState(exchange.state)), floor.image());
});
