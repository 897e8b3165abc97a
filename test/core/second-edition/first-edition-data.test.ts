/** What a state of the first edition becomes under the second (rules 13.12): nothing held is closed or refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../../src/core/engine/invariants.ts';
import { hourLeft } from '../../../src/core/margin/fund-budgets.ts';
import type { Command } from '../../../src/core/model/command.ts';
import { NEWEST_EDITION, SECOND_EDITION_RULES } from '../../../src/core/model/edition.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import { StateWriter } from '../../../src/core/snapshot/fields.ts';
import { loadState, saveState } from '../../../src/core/snapshot/snapshot.ts';
import { stateFields } from '../../../src/core/snapshot/state-fields.ts';
import type { State } from '../../../src/core/state/state.ts';
import { MARGIN, MarginFloor } from '../borrowing/margin-floor.ts';
import { money, moneyUnits } from '../dsl/words.ts';

/** As a program of the first edition wrote it. */
function formatOne(state: State): Uint8Array {
  const writer = new StateWriter(1);
  writer.u16(writer.format);
  stateFields(writer, state);
  return Uint8Array.from(writer.written());
}

const HOUR = 3_600_000;

/** A venue of the first edition: a fund, a debt, positions, a resting order, fees that the second would refuse. */
function oldVenue(): MarginFloor {
  const floor = new MarginFloor().stocked();
  floor.insure('1000');
  floor.at(Math.ceil(floor.now / HOUR) * HOUR);
  for (const [name, price] of [
    ['BTCUSDT', '60000'],
    ['BTCUSD', '60000'],
    ['USDTUSD', '0.95'],
  ] as const)
    floor.index(price, name);
  floor.trader('ann', { USDT: '500', BTC: '1' });
  floor.trader('bob', { USDT: '1000000', BTC: '10' });
  floor.setFees('ann', '-0.01', '-0.02', 'ETHUSDT');
  floor.sell('bob', '0.025', '60000', MARGIN);
  floor.buy('ann', '0.025', '60000', MARGIN);
  assert.equal(floor.cash('ann', 'USDT'), '-1000');
  floor.deal('ann', 'bob', '0.1', '60000');
  floor.deal('ann', 'bob', '0.1', '50000', { on: 'BTCUSD' });
  floor.sell('ann', '0.1', '70000');
  return floor;
}

function take(floor: MarginFloor): { exchange: Exchange; state: State } {
  const state = loadState(formatOne(floor.state));
  return { exchange: new Exchange(state), state };
}

function apply(exchange: Exchange, command: Command): void {
  assert.equal(exchange.apply(command).rejectReason, RejectReason.none);
  exchange.takeEvents();
  checkInvariants(exchange.state);
}

test('13.12: a state of format 1 is of the first edition until the command that changes it', () => {
  const floor = oldVenue();
  const { exchange, state } = take(floor);
  assert.equal(state.edition, 1);
  assert.ok(Object.values(state.rules).every((inForce) => !inForce));
  assert.deepEqual(formatOne(state), formatOne(floor.state));
  apply(exchange, { type: 'setEdition', time: floor.now, edition: 2 });
  assert.equal(state.edition, 2);
  assert.ok(SECOND_EDITION_RULES.every((rule) => state.rules[rule]));
  assert.ok(!state.rules.silentIndex);
  // There is no way back, and none beyond the newest.
  for (const edition of [1, 2, NEWEST_EDITION + 1])
    assert.notEqual(exchange.apply({ type: 'setEdition', time: floor.now, edition }).rejectReason, 0);
  const saved = Uint8Array.from(saveState(state));
  assert.deepEqual(Uint8Array.from(saveState(loadState(saved))), saved);
});

test('13.12: new fields begin as the table says', () => {
  const floor = oldVenue();
  const { exchange, state } = take(floor);
  apply(exchange, { type: 'setEdition', time: floor.now, edition: 2 });
  const usdt = state.coinByName.get('USDT')!;
  for (const { components } of state.indices) {
    for (const { reportedTime, changedTime, byOperator } of components)
      assert.deepEqual([reportedTime, byOperator], [changedTime, true]);
  }
  const ann = state.accountByUid.get(floor.uid('ann'))!;
  assert.equal(money(state.ledger.peakOf(ann.index, usdt)), money(-moneyUnits(floor.cash('ann', 'USDT'))));
  for (const { fundingOwed } of ann.positions.values()) assert.equal(fundingOwed, 0n);
  assert.equal(ann.broker, false);
  for (const { futures } of state.markets)
    if (futures !== undefined) assert.equal(futures.interval.ms, futures.terms.fundIntervalMs);
  // 60 % of the last record of the fund; the fund of debts has no record yet.
  assert.equal(money(hourLeft(state, 'futures', usdt)), '600');
  assert.equal(money(hourLeft(state, 'lending', usdt)), '0');
  // The first second fills all sixty.
  apply(exchange, { type: 'tick', time: floor.now + 1000 });
  const index = state.indices[state.indexByName.get('BTCUSDT')!]!;
  assert.deepEqual([index.highest, index.lowest], [moneyUnits('60000'), moneyUnits('60000')]);
  assert.equal(money(state.coinPrices[usdt]!), '0.95');
});

test('13.12: orders, positions, fees and debts stay; what comes next obeys the new rules', () => {
  const floor = oldVenue();
  const { exchange, state } = take(floor);
  const before = state.accountByUid.get(floor.uid('ann'))!;
  const held = [before.positions.size, before.openFutures, before.fees.size];
  apply(exchange, { type: 'setEdition', time: floor.now, edition: 2 });
  apply(exchange, { type: 'tick', time: floor.now + 5000 });
  const ann = state.accountByUid.get(floor.uid('ann'))!;
  assert.deepEqual([ann.positions.size, ann.openFutures, ann.fees.size], held);
  assert.deepEqual(held, [2, 1, 1]);
  const eth = state.instrument('SPOT', 'ETHUSDT')!.index;
  const worse = { makerRate: -(10n ** 10n), takerRate: -(10n ** 10n) * 3n };
  const fees = { type: 'setFees', time: state.now, uid: ann.uid, instrument: eth, ...worse } as const;
  assert.notEqual(exchange.apply(fees).rejectReason, RejectReason.none);
});

test('13.12: a contract whose house lacks too much only closes from the command on', () => {
  const floor = new MarginFloor(undefined, undefined, { BTC: { houseShortUsd: '100' } });
  for (const name of ['ann', 'bob', 'cat']) floor.trader(name, { BTC: '10' });
  floor.index('50000', 'BTCUSD');
  floor.deal('ann', 'bob', '1', '50000', { on: 'BTCUSD' });
  floor.index('60000', 'BTCUSD');
  floor.deal('cat', 'ann', '1', '60000', { on: 'BTCUSD' });
  floor.index('66000', 'BTCUSD');
  const { exchange, state } = take(floor);
  const contract = () => state.instrument('COIN-FUTURES', 'BTCUSD')!.closeOnly;
  assert.equal(contract(), false);
  apply(exchange, { type: 'setEdition', time: floor.now, edition: 2 });
  assert.equal(contract(), true);
});
