/** R7, the lending fund, the operator's commands and bad debt (rules 13.7 (c), (d), (e)). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkInvariants } from '../../../src/core/engine/invariants.ts';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import { Bucket, SystemAccount } from '../../../src/core/model/ledger-accounts.ts';
import { ledgerView } from '../../../src/views/ledger-view.ts';
import { MARGIN, MarginFloor, PAIRS, SPOT, TERMS } from '../borrowing/margin-floor.ts';
import { moveUnchecked } from '../dsl/unchecked-move.ts';
import { money, moneyUnits, refusalName } from '../dsl/words.ts';
import { LoanFloor } from '../loan/loan-floor.ts';
import { fund, secondEdition, writeOff } from './fund-floor.ts';

/** ann sells 1.6 borrowed BTC at 60 000 with 21 000 USDT behind it. */
function shortSeller(...without: SecondEditionRule[]): MarginFloor {
  const floor = secondEdition(new MarginFloor(TERMS, PAIRS, { USDT: { insuranceFloor: '500' } }), ...without);
  fund(floor, '1', { coin: 'BTC' });
  fund(floor, '1', { coin: 'BTC', lending: true });
  floor.trader('market', { USDT: '1000000', BTC: '100' });
  floor.trader('ann', { USDT: '21000' });
  floor.coinLeverage('ann', 5, 'BTC');
  floor.buy('market', '1.6', '60000', SPOT);
  assert.equal(floor.sell('ann', '1.6', '60000', MARGIN).stands, 'filled 1.6/1.6');
  return floor;
}

const lendingFund = (floor: MarginFloor | LoanFloor, coin: string) =>
  floor.house('sys:insurance-lending', coin);

test('R7 (c): what a margin debt lacks is paid by the lending fund, a fifth of it at most; the other fund is left alone', () => {
  const old = shortSeller('fundReach');
  old.index('90000', 'BTCUSD');
  // The fund of contracts paid the whole debt.
  assert.equal(old.cash('ann', 'BTC'), '0');
  assert.ok(moneyUnits(old.insurance('BTC')) < moneyUnits('0.7'), old.insurance('BTC'));

  const floor = shortSeller();
  floor.index('90000', 'BTCUSD');
  assert.equal(floor.insurance('BTC'), '1');
  assert.equal(lendingFund(floor, 'BTC'), '0.8');
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.ok(moneyUnits(floor.cash('ann', 'BTC')) < 0n);
});

test('R7 (c): the lending fund pays 60 % of its base in an hour', () => {
  const floor = secondEdition(new MarginFloor());
  fund(floor, '1', { coin: 'BTC', lending: true });
  floor.trader('market', { USDT: '10000000', BTC: '100' });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    floor.trader(name, { USDT: '21000' });
    floor.coinLeverage(name, 5, 'BTC');
    floor.buy('market', '1.6', '60000', SPOT);
    floor.sell(name, '1.6', '60000', MARGIN);
  }
  floor.index('90000', 'BTCUSD');
  // 0.2, 0.16, 0.128, 0.1024, then what is left of 0.6.
  assert.equal(lendingFund(floor, 'BTC'), '0.4');
});

test('R7 (c): the lending fund gets the fee of a forced loan and pays what a pledge lacks', () => {
  const floor = secondEdition(new LoanFloor());
  fund(floor, '1000', { lending: true });
  fund(floor, '1000');
  floor.trader('ann', { BTC: '1' });
  floor.trader('bob', { BTC: '1' });
  floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC' });
  floor.index('46900');
  assert.equal(floor.house('sys:fee', 'USDT'), '0');
  assert.equal(lendingFund(floor, 'USDT'), '1200.000698');
  floor.borrow('bob', { loan: '10000 USDT', pledge: 'BTC' });
  floor.index('20000');
  // More than 4 000 are missing: the fund pays a fifth of itself, the pool bears the rest.
  assert.equal(lendingFund(floor, 'USDT'), '960.0005584');
  assert.equal(floor.insurance(), '1000');
});

test('R7 (d): a reference counts once per coin and fund, drains leave the floor of the coin', () => {
  const floor = shortSeller();
  assert.equal(fund(floor, '2000', { reference: 'a' }), 'none');
  assert.equal(fund(floor, '2000', { reference: 'a' }), 'alreadyExists');
  assert.equal(fund(floor, '100', { reference: 'a', lending: true }), 'none');
  assert.equal(fund(floor, '0.1', { reference: 'a', coin: 'BTC' }), 'none');
  assert.equal(fund(floor, '-1500.01'), 'insufficientBalance');
  assert.equal(fund(floor, '-1500'), 'none');
  assert.equal(floor.insurance(), '500');
  assert.equal(fund(floor, '0'), 'amountOutOfRange');
  assert.equal(fund(floor, '-0.00000001', { lending: true }), 'insufficientBalance');
  // It is custody: what came in stands against the outside world.
  assert.equal(floor.house('ext', 'USDT'), '-1021600');
});

test('R7 (e): who owes more than it owns may neither borrow, withdraw, transfer out nor open; deposits repay', () => {
  const floor = shortSeller();
  floor.trader('sub', {}, { master: 'ann' });
  floor.index('90000', 'BTCUSD');
  const owed = floor.cash('ann', 'BTC');
  assert.ok(moneyUnits(owed) < 0n);
  floor.fund('ann', '100', 'USDT');
  const withdrawal = floor.requestWithdrawal('ann', '50', 'USDT', { from: ['spot'] });
  assert.equal(refusalName(withdrawal.rejectReason), 'insufficientMargin');
  assert.equal(refusalName(floor.pay('ann', 'market', '50', 'USDT').rejectReason), 'insufficientMargin');
  assert.equal(floor.transfer('ann spot', 'sub spot', '50', 'USDT'), 'insufficientMargin');
  assert.equal(
    floor.buy('ann', '0.0001', '60000', { category: 'USDT-FUTURES' }).stands,
    'refused insufficientMargin',
  );
  assert.equal(floor.buy('ann', '0.0001', '60000', MARGIN).stands, 'refused insufficientMargin');
  // The own unified account may be paid into.
  assert.equal(floor.transfer('ann spot', 'ann uta', '50', 'USDT'), 'none');
  floor.deposit('ann', '0.01', 'BTC');
  assert.ok(moneyUnits(floor.cash('ann', 'BTC')) > moneyUnits(owed));
});

test('R7 (e): money in another wallet stands behind a debt: only what is beyond it may leave, and no fund pays', () => {
  const floor = shortSeller();
  floor.fund('ann', '50000', 'USDT');
  floor.index('90000', 'BTCUSD');
  // Without the 50 000 she lacks some 27 000: nothing is paid for her.
  assert.equal(lendingFund(floor, 'BTC'), '1');
  const take = (amount: string) =>
    refusalName(floor.requestWithdrawal('ann', amount, 'USDT', { from: ['spot'] }).rejectReason);
  assert.equal(take('30000'), 'insufficientMargin');
  assert.equal(take('20000'), 'none');
  assert.equal(take('20000'), 'insufficientMargin');
});

test('R7 (e): a debt is written off at equity of zero or less, without positions and open orders', () => {
  const floor = shortSeller();
  assert.equal(writeOff(floor, 'market'), 'nothingOwed');
  assert.equal(writeOff(floor, 'ann'), 'debtIsCovered');
  floor.index('90000', 'BTCUSD');
  const owed = moneyUnits(floor.cash('ann', 'BTC'));
  floor.deposit('ann', '1', 'XAU');
  const order = floor.sell('ann', '1', '100', { on: 'XAUUSDT' });
  assert.equal(writeOff(floor, 'ann'), 'positionsOrOrdersOpen');
  floor.cancel('ann', order);
  // 100 dollars of XAU are hers: so much of the debt stays.
  assert.equal(writeOff(floor, 'ann'), 'none');
  assert.equal(moneyUnits(floor.cash('ann', 'BTC')), -moneyUnits('0.00111112'));
  assert.equal(moneyUnits(floor.house('sys:bad-debt', 'BTC')), owed + moneyUnits('0.00111112'));
  floor.withdraw('ann', '1', 'XAU');
  assert.equal(floor.cash('ann', 'XAU'), '1');
});

test('R7 (e): an account that has nothing is let off everything', () => {
  const floor = shortSeller();
  floor.index('90000', 'BTCUSD');
  const owed = moneyUnits(floor.cash('ann', 'BTC'));
  assert.equal(writeOff(floor, 'ann'), 'none');
  assert.equal(floor.cash('ann', 'BTC'), '0');
  assert.equal(floor.house('sys:bad-debt', 'BTC'), money(owed));
  const line = floor.eventsOf('ledgerLine').at(-1)!;
  assert.equal(ledgerView(line, '', () => 'BTC').type, 'RISK_LIQ_USER_IN');
  assert.equal(line.amount, -owed);
  assert.equal(writeOff(floor, 'ann'), 'nothingOwed');
  floor.restart();
});

test('I03: the lending fund never falls below zero, and what was written off never above it', () => {
  for (const [account, sign] of [
    [SystemAccount.insuranceLending, -1n],
    [SystemAccount.badDebt, 1n],
  ] as const) {
    const floor = secondEdition(new MarginFloor());
    const { ledger } = floor.state;
    const cell = ledger.cell(account, 0, Bucket.cash);
    moveUnchecked(ledger, ledger.cell(SystemAccount.convert, 0, Bucket.cash), cell, sign);
    assert.throws(() => checkInvariants(floor.state), /I03/);
  }
});

test('I47: a fund that has paid more than its budgets, or lost more than it says, is found', () => {
  const broken = (change: (floor: MarginFloor) => void) => {
    const floor = secondEdition(new MarginFloor());
    fund(floor, '1000');
    fund(floor, '1000', { lending: true });
    checkInvariants(floor.state);
    change(floor);
    assert.throws(() => checkInvariants(floor.state), /I47/);
  };
  broken(({ state }) =>
    state.fundHours.addPaid(0, state.instrument('USDT-FUTURES', 'BTCUSDT')!.index, moneyUnits('301')),
  );
  broken(({ state }) => state.fundHours.add('lending', 0, 'paid', moneyUnits('601')));
  for (const account of [SystemAccount.insurance, SystemAccount.insuranceLending])
    broken(({ state: { ledger } }) =>
      ledger.move(
        ledger.cell(account, 0, Bucket.cash),
        ledger.cell(SystemAccount.convert, 0, Bucket.cash),
        1n,
      ),
    );
});
