/** Tiers and leverage go by the party (rules 13.9): what one account may not carry, eight of one owner may not either. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { checkInvariants } from '../../../src/core/engine/invariants.ts';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import { loadState, saveState } from '../../../src/core/snapshot/snapshot.ts';
import { refusalName } from '../dsl/words.ts';
import { FuturesFloor } from '../futures/futures-floor.ts';
import { enterRule } from './one-rule.ts';

const OLD = undefined;
const NEW: SecondEditionRule = 'partyLimits';

/** Ann has eight sub-accounts, `ann 1` to `ann 8`, at 125x; the market sells at 60 000. */
function family(rule: SecondEditionRule | undefined, words: { broker?: boolean } = {}): FuturesFloor {
  const floor = new FuturesFloor();
  floor.trader('ann', { USDT: '100000' });
  for (let n = 1; n <= 8; n++) floor.trader(`ann ${n}`, { USDT: '100000' }, { master: 'ann' });
  floor.trader('market', { USDT: '100000000' });
  floor.leverage('market', 20);
  enterRule(floor, rule);
  if (words.broker === true) equal(setBroker(floor, 'ann', true), 'none');
  for (let n = 1; n <= 8; n++) equal(floor.leverage(`ann ${n}`, 125), 'none');
  equal(floor.leverage('ann', 125), 'none');
  floor.sell('market', '500', '60000');
  return floor;
}

function setBroker(floor: FuturesFloor, name: string, broker: boolean): string {
  return refusalName(
    floor.send({ type: 'setBroker', time: floor.now, uid: floor.uid(name), broker }).rejectReason,
  );
}

test('R9 (a): eight sub-accounts of 144 000 at 125x were one position of 1 152 000 at 125x', () => {
  const taken = (rule: SecondEditionRule | undefined) => {
    const floor = family(rule);
    return [1, 2, 3, 4, 5, 6, 7, 8].map((n) => floor.buy(`ann ${n}`, '2.4', '60000').stands);
  };
  deepEqual(
    taken(OLD),
    Array.from({ length: 8 }, () => 'filled 2.4/2.4'),
  );
  deepEqual(taken(NEW), ['filled 2.4/2.4', ...Array.from({ length: 7 }, () => 'refused aboveTier')]);
});

test('R9 (a): the example of rules 13.9: 144 000 held at 125x, another 10 000 needs 100x; eight times 144 000 needs 50x', () => {
  const floor = family(NEW);
  floor.buy('ann 1', '2.4', '60000');
  equal(floor.buy('ann 2', '0.1667', '60000').stands, 'refused aboveTier');
  equal(floor.leverage('ann 2', 100), 'none');
  equal(floor.buy('ann 2', '0.1667', '60000').stands, 'filled 0.1667/0.1667');
  for (let n = 2; n <= 7; n++) {
    floor.leverage(`ann ${n}`, 50);
    equal(floor.buy(`ann ${n}`, '2.4', '60000').stands, 'filled 2.4/2.4');
  }
  floor.leverage('ann 8', 100);
  equal(floor.buy('ann 8', '2.4', '60000').stands, 'refused aboveTier');
  floor.leverage('ann 8', 50);
  equal(floor.buy('ann 8', '2.4', '60000').stands, 'filled 2.4/2.4');
});

test('R9 (a): leverage may not be raised above what the party’s notional allows (25223), nor go beyond the last tier', () => {
  const floor = family(NEW);
  floor.leverage('ann 1', 50);
  floor.buy('ann 1', '20', '60000');
  equal(floor.leverage('ann 2', 50), 'none');
  equal(floor.leverage('ann 2', 51), 'leverageAboveMaximum');
  equal(floor.leverage('market', 20), 'none');
  for (const name of ['ann 3', 'ann 4']) {
    floor.deposit(name, '10000000', 'USDT');
    floor.leverage(name, 20);
  }
  equal(floor.buy('ann 3', '400', '60000').stands, 'filled 400/400');
  // 20 + 400 + 414 lots are 50 040 000: beyond the last tier.
  equal(floor.buy('ann 4', '414', '60000').stands, 'refused aboveTier');
});

test('R9 (a): open orders count, each direction by itself', () => {
  const floor = family(NEW);
  equal(floor.buy('ann 1', '2.4', '50000').stands, 'new 0/2.4');
  equal(floor.buy('ann 2', '2.4', '50000').stands, 'refused aboveTier');
  equal(floor.sell('ann 2', '2', '70000').stands, 'new 0/2');
  floor.cancelAll('ann 1', { category: 'USDT-FUTURES' });
  equal(floor.buy('ann 3', '2.4', '50000').stands, 'new 0/2.4');
});

test('R9 (a): after a new mark the party is counted again; what the mark has passed is not closed', () => {
  const floor = family(NEW);
  floor.buy('ann 1', '2.4', '60000');
  equal(floor.buy('ann 2', '0.05', '50000').stands, 'new 0/0.05');
  floor.mark('61500');
  equal(floor.position('ann 1'), 'long 2.4 @ 60000');
  equal(floor.buy('ann 3', '0.05', '50000').stands, 'refused aboveTier');
  floor.mark('60000');
  equal(floor.buy('ann 3', '0.05', '50000').stands, 'new 0/0.05');
});

test('R9 (b): sub-accounts of a broker are parties of their own, and so is each house account', () => {
  const floor = family(NEW, { broker: true });
  for (let n = 1; n <= 8; n++) equal(floor.buy(`ann ${n}`, '2.4', '60000').stands, 'filled 2.4/2.4');
  equal(floor.buy('ann', '2.4', '60000').stands, 'filled 2.4/2.4');
  equal(setBroker(floor, 'ann', false), 'none');
  equal(floor.buy('ann', '0.01', '60000').stands, 'refused aboveTier');
  equal(setBroker(floor, 'ann 1', true), 'invalidSpecification');
  equal(setBroker(floor, 'ann', true), 'none');
  const again = loadState(Uint8Array.from(saveState(floor.state)));
  equal(again.accountByUid.get(floor.uid('ann'))!.broker, true);
});

test('R9 (b): a house account below a main account neither counts nor is counted', () => {
  const floor = family(NEW);
  floor.trader('desk', { USDT: '100000' }, { master: 'ann', house: true });
  floor.leverage('desk', 125);
  floor.buy('ann 1', '2.4', '60000');
  floor.buy('desk', '2.4', '60000');
  equal(floor.state.accountByUid.get(floor.uid('desk'))!.positions.size, 1);
  equal(floor.buy('ann 2', '0.1', '60000').stands, 'filled 0.1/0.1');
});

test('R9 (c): a move leaves the sum as it is and checks the receiver’s leverage against it', () => {
  const floor = family(NEW);
  floor.buy('ann 1', '2.4', '60000');
  floor.leverage('ann 2', 100);
  equal(floor.buy('ann 2', '2.4', '60000').stands, 'filled 2.4/2.4');
  // The party has 288 000, tier 2: 100x may take it, 125x not.
  floor.mark('60000');
  deepEqual(floor.move('ann', 'ann 1', 'ann 3', { side: 'sell', qty: '1' }), ['aboveTier']);
  floor.leverage('ann 3', 100);
  deepEqual(floor.move('ann', 'ann 1', 'ann 3', { side: 'sell', qty: '1' }), ['none']);
  equal(floor.position('ann 3'), 'long 1 @ 60000');
});

test('I48: sums of a party that are not those of its accounts are found', () => {
  const floor = family(NEW);
  floor.buy('ann 1', '2.4', '50000');
  floor.buy('ann 2', '0.01', '50000');
  const sums = floor.state.accountByUid.get(floor.uid('ann 1'))!.partySums!;
  const [sum] = sums.contracts.values();
  sum!.buy += 1n;
  throws(() => checkInvariants(floor.state), /I48/);
  sum!.buy -= 1n;
  sum!.changed.clear();
  throws(() => checkInvariants(floor.state), /I48/);
  sum!.changed.add(floor.state.accountByUid.get(floor.uid('ann 2'))!.index);
  checkInvariants(floor.state);
});
