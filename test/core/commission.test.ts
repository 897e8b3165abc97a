/** A broker's share of the fees that its sub-accounts pay. */
import { deepEqual, equal, notEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCommand } from '../../src/core/command-codec.ts';
import { Exchange } from '../../src/core/exchange.ts';
import { checkInvariants } from '../../src/core/invariants.ts';
import { loadState, saveState } from '../../src/core/snapshot.ts';
import { parseUnits, RATE_SCALE } from '../../src/core/units.ts';
import type { ExchangeFloor } from './floor/exchange-floor.ts';
import { refusalName } from './floor/words.ts';
import { futuresFloor } from './futures/futures-floor.ts';
import { PLENTY, TradingFloor } from './trading-floor.ts';

function share(floor: ExchangeFloor & { uid(name: string): number }, name: string, rate: string) {
  const [uid, units] = [floor.uid(name), parseUnits(rate, RATE_SCALE)!];
  return refusalName(floor.send({ type: 'setCommission', time: floor.now, uid, rate: units }).refusal);
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
  equal(refusalName(floor.send(stranger).refusal), 'unknownAccount');
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
