/** A crash that passes from account to account: each is filled by the liquidation before it and is due at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../../src/core/engine/invariants.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { Side } from '../../../src/core/model/enums.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import { contract } from '../../property/futures-flow.ts';
import { account, coin, deposit, OPENING_TIME, order } from '../../property/venue.ts';

const ACCOUNTS = 1200;
const FIRST_UID = 100;
const SELLER_UID = 1;
const ONE = 10n ** 8n;

test('a chain of more than a thousand liquidations in one second comes to an end', () => {
  const exchange = new Exchange();
  let time = OPENING_TIME;
  const give = (command: Command): void => {
    assert.equal(exchange.apply({ ...command, time }).rejectReason, RejectReason.none);
    exchange.takeEvents();
  };
  const tell = (price: bigint): void => {
    time += 1000;
    give({ type: 'componentPrice', time, index: 0, component: 0, price: price * ONE, volume: 0n });
    time += 1000;
    give({ type: 'tick', time });
  };
  give(coin('USDT'));
  give(coin('AAA'));
  give(contract('AAA', 'USDT', 'USDT-FUTURES', '10000'));
  const uids = Array.from({ length: ACCOUNTS }, (_, n) => FIRST_UID + n);
  for (const uid of [SELLER_UID, ...uids]) {
    give(account(uid));
    give(deposit(uid, 0, (uid === SELLER_UID ? 10_000n : 5n) * ONE));
    give({ type: 'setMarginMode', time, uid, instrument: 0, isolated: true });
    give({ type: 'setLeverage', time, uid, instrument: 0, longLeverage: 125, shortLeverage: 125 });
  }
  tell(10_000n);
  const sized = { instrument: 0, sizeLots: 1 };
  give(order({ ...sized, uid: SELLER_UID, side: Side.sell, priceTicks: 100_000 }));
  for (const [n, uid] of uids.entries()) {
    give(order({ ...sized, uid, side: Side.buy, priceTicks: 100_000 - n }));
  }
  tell(9_000n);
  const holders = uids.filter((uid) => exchange.state.accountByUid.get(uid)!.positions.size > 0);
  assert.deepEqual(holders, []);
  checkInvariants(exchange.state);
});
