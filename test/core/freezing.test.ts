/** What a frozen account leaves in the books: nothing that could trade for it. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { refusalName } from './dsl/words.ts';
import { FuturesFloor } from './futures/futures-floor.ts';
import { assertRestartAnywhere } from './restart-anywhere.ts';
import { protect, when } from './strategy/strategy-tickets.ts';

/** Acme has a desk; bob is a stranger. The desk is long one contract, protected, and has orders of every kind. */
function tradingDesk() {
  const floor = new FuturesFloor();
  for (const name of ['acme', 'bob']) floor.trader(name, { USDT: '1000000' });
  floor.trader('desk', { USDT: '1000000' }, { master: 'acme' });
  floor.deal('desk', 'bob', '1', '60000');
  const orders = [
    floor.buy('desk', '1', '59000'),
    floor.sell('desk', '0.5', '61000', { reduceOnly: true }),
    floor.sell('acme', '1', '62000'),
  ];
  const waiting = when(floor, 'desk', 'buy', '1', '63000');
  const protection = protect(floor, 'desk', { stopLoss: { at: '50000' } });
  const freeze = (name: string) =>
    refusalName(floor.send({ type: 'cancelEverything', time: floor.now, uid: floor.uid(name) }).rejectReason);
  return { floor, orders, waiting, protection, freeze };
}

test('orders and triggers of a frozen account are cancelled; what protects its positions stays and works', () => {
  const { floor, orders, waiting, protection, freeze } = tradingDesk();
  equal(freeze('desk'), 'none');
  deepEqual(
    orders.map(({ stands }) => stands),
    ['cancelled 0/1 delegated_risk_order_cancel', 'cancelled 0/0.5 delegated_risk_order_cancel', 'new 0/1'],
  );
  equal(waiting.stands, 'cancelled delegated_risk_order_cancel');
  equal(protection.stands, 'pending');
  equal(floor.position('desk'), 'long 1 @ 60000');
  floor.buy('bob', '1', '50000');
  floor.buy('bob', '0.01', '49999');
  floor.trader('cat', { USDT: '1000000' });
  floor.sell('cat', '0.5', '50000');
  equal(protection.stands, 'success stopLoss');
  equal(floor.position('desk'), 'long 0.49 @ 60000');
  checkInvariants(floor.state);
  assertRestartAnywhere(floor);
});

test('with a main account its sub-accounts are silenced; with a sub-account nobody else; a stranger is refused', () => {
  const { floor, orders, freeze } = tradingDesk();
  equal(freeze('acme'), 'none');
  deepEqual(
    orders.map(({ stands }) => stands.split(' ')[0]),
    ['cancelled', 'cancelled', 'cancelled'],
  );
  // A second time there is nothing left to do.
  equal(freeze('acme'), 'none');
  equal(
    refusalName(floor.send({ type: 'cancelEverything', time: floor.now, uid: 77 }).rejectReason),
    'unknownAccount',
  );
});
