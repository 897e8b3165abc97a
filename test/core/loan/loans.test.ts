/** Pledge loans with the numbers of rules 7.1 to 7.7 and edge cases 124 and 129 to 136. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiry } from '../../../src/core/model/loan.ts';
import { hourRate, LoanTerm } from '../../../src/core/model/loan-terms.ts';
import { formatRate, formatUnits } from '../../../src/core/model/units.ts';
import { money, refusalName } from '../dsl/words.ts';
import { DAY, HOUR, LOAN_COINS, LoanFloor } from './loan-floor.ts';

/** Ann borrows 10,000 USDT for BTC at 60,000 (rules 7.2). */
function annBorrows(floor = new LoanFloor()): { floor: LoanFloor; id: number } {
  floor.trader('ann', { BTC: '1', USDT: '1000' });
  return { floor, id: floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC' }) };
}

test('hourly rates are rounded up at eight decimals (rules 7.1)', () => {
  const usdt = LOAN_COINS.find(({ coin }) => coin === 'USDT')!.loan!;
  const rates = [LoanTerm.flexible, LoanTerm.sevenDays, LoanTerm.thirtyDays].map((term) =>
    formatRate(hourRate(usdt, term)),
  );
  assert.deepEqual(rates, ['0.00000349', '0.00000617', '0.00000879']);
});

test('a loan by its amount pledges a hair more, a loan by its pledge lends a hair less (rules 7.2)', () => {
  const { floor, id } = annBorrows();
  assert.equal(floor.standing('ann', id), '10000 + 0.0349 USDT for 0.25641026 BTC at 65 %');
  assert.deepEqual(
    [floor.cash('ann', 'BTC'), floor.pledged('ann', 'BTC'), floor.cash('ann', 'USDT'), floor.pool('USDT')],
    ['0.74358974', '0.25641026', '11000', '990000'],
  );
  const other = floor.borrow('ann', { loan: 'USDT', pledge: '0.25641025 BTC' });
  assert.equal(money(floor.loan('ann', other)!.loan.principal), '9999.99975');
});

test('cases 131 and 132: a started hour counts in full: one minute costs one hour, exactly one hour costs two', () => {
  for (const [wait, interest] of [
    [60_000, '0.0349'],
    [HOUR - 1, '0.0349'],
    [HOUR, '0.0698'],
  ] as const) {
    const { floor, id } = annBorrows();
    floor.wait(wait);
    assert.equal(money(floor.repay('ann', id).repaid!.interest), interest);
    assert.equal(floor.house('sys:interest', 'USDT'), interest);
    assert.equal(floor.pool('USDT'), '1000000');
  }
});

test('case 124: interest below the last decimal is rounded up', () => {
  const floor = new LoanFloor();
  floor.index('60000000', 'ETHUSD');
  floor.trader('ann', { BTC: '1' });
  // 0.0001 ETH at 0.00000115 an hour is 1.15 * 10^-10.
  const id = floor.borrow('ann', { loan: '0.0001 ETH', pledge: 'BTC' });
  assert.equal(money(floor.loan('ann', id)!.loan.interestOwed()), '0.00000001');
  floor.wait(HOUR);
  assert.equal(money(floor.loan('ann', id)!.loan.interestOwed()), '0.00000002');
  // The hours of a term are rounded up together.
  const fixed = floor.borrow('ann', { loan: '0.0001 ETH', pledge: 'BTC', term: 'SEVEN' });
  floor.wait(40 * HOUR);
  assert.equal(money(floor.loan('ann', fixed)!.loan.interestOwed()), '0.00000001');
});

test('a flexible hour costs the rate at its start, a term keeps its own', () => {
  const { floor, id } = annBorrows();
  const fixed = floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC', term: 'SEVEN' });
  floor.wait(HOUR / 2);
  assert.equal(floor.setRate('USDT', 'FLEXIBLE', '0.0876'), 'none');
  assert.equal(floor.setRate('USDT', 'SEVEN', '0.0876'), 'none');
  assert.equal(money(floor.loan('ann', id)!.loan.interestOwed()), '0.0349');
  floor.wait(HOUR / 2);
  assert.equal(money(floor.loan('ann', id)!.loan.interestOwed()), '0.1349');
  assert.equal(money(floor.loan('ann', fixed)!.loan.interestOwed()), '0.1234');
  assert.equal(floor.setRate('USDT', 'FLEXIBLE', '1'), 'invalidSpecification');
  assert.equal(floor.setRate('BTC', 'FLEXIBLE', '0.01'), 'coinNotOffered');
});

test('a term ends a millisecond before a full hour (rules 7.3)', () => {
  assert.equal(expiry(1_692_434_472_156, LoanTerm.sevenDays), 1_693_036_799_999);
  assert.equal(expiry(1_692_434_472_156, LoanTerm.flexible), 0);
});

test('case 133: hours after the term cost double, and the loan stays open', () => {
  const { floor } = annBorrows();
  const id = floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC', term: 'SEVEN' });
  floor.wait(7 * DAY - 1);
  const { loan } = floor.loan('ann', id)!;
  // 168 hours of 0.0617.
  assert.equal(money(loan.interestOwed()), '10.3656');
  floor.wait(1);
  assert.equal(money(loan.interestOwed()), '10.489');
  assert.equal(floor.loan('ann', id)!.hourRate, 2n * loan.hourRate);
  assert.deepEqual(
    floor.eventsOf('loanNotice').map(({ kind, time }) => [kind, time]),
    [['overdue', loan.expireTime + 1]],
  );
  floor.wait(DAY);
  assert.equal(money(loan.interestOwed()), '13.4506');
  assert.equal(floor.eventsOf('loanNotice').length, 1);
  assert.equal(money(floor.repay('ann', id).repaid!.interest), '13.4506');
});

test('case 136: the published samples are one story: two loans, ten coins added, one debt (rules 0.2, 7.4)', () => {
  const floor = new LoanFloor();
  floor.trader('ann', { USDT: '50000' });
  const first = floor.borrow('ann', { loan: '1 ETH', pledge: 'USDT', term: 'SEVEN' });
  assert.equal(floor.standing('ann', first), '1 + 0.00000229 ETH for 2619.6923077 USDT at 65 %');
  const outcome = floor.revise('ann', first, 'IN', '10', 'USDT');
  assert.equal(formatUnits(outcome.pledgeRate!, 2), '64.75');
  const [revised] = floor.eventsOf('pledgeRevised');
  assert.deepEqual([revised!.into, revised!.before, revised!.after], [true, 6500n, 6475n]);
  floor.wait(HOUR);
  floor.borrow('ann', { loan: '10 ETH', pledge: 'USDT', term: 'SEVEN' });
  assert.deepEqual(floor.debts('ann'), {
    loans: ['11.00002748 ETH = 18730.85'],
    pledges: ['28826.61538463 USDT = 28826.62'],
  });
});

test('case 130: pledge out down to the first rate, pledge in always (rules 7.4)', () => {
  const { floor, id } = annBorrows();
  floor.wait(42 * HOUR);
  assert.equal(floor.standing('ann', id), '10000 + 1.5007 USDT for 0.25641026 BTC at 65.01 %');
  assert.equal(refusalName(floor.revise('ann', id, 'OUT', '0.00000001').rejectReason), 'pledgeNeeded');
  assert.equal(formatUnits(floor.revise('ann', id, 'IN', '0.05').pledgeRate!, 2), '54.4');
  floor.revise('ann', id, 'OUT', '0.04');
  floor.index('70000');
  floor.revise('ann', id, 'OUT', '0.01');
  assert.equal(floor.pledged('ann', 'BTC'), '0.25641026');
  const tooMuch = floor.revise('ann', id, 'OUT', '0.03659706');
  assert.deepEqual(
    [refusalName(tooMuch.rejectReason), money(tooMuch.available!)],
    ['pledgeNeeded', '0.03659705'],
  );
  assert.equal(formatUnits(floor.revise('ann', id, 'OUT', '0.03659705').pledgeRate!, 2), '65');
  assert.deepEqual(
    floor.eventsOf('pledgeRevised').map(({ into, before, after }) => [into, before, after]),
    [
      [true, 6501n, 5440n],
      [false, 5440n, 6257n],
      [false, 5363n, 5572n],
      [false, 5572n, 6500n],
    ],
  );
});

test('the owner is asked to supplement once per crossing (rules 7.5)', () => {
  const { floor, id } = annBorrows();
  floor.wait(42 * HOUR);
  const asked = () => floor.eventsOf('loanNotice').length;
  floor.index('52007.81');
  assert.equal(asked(), 0);
  floor.index('52007.79');
  assert.equal(asked(), 1);
  floor.index('51000');
  assert.equal(asked(), 1);
  floor.index('53000');
  floor.index('52000');
  assert.equal(asked(), 2);
  // A pledge that was supplemented is calm again.
  floor.revise('ann', id, 'IN', '0.02');
  assert.equal(floor.loan('ann', id)!.loan.warned, false);
});

test('a loan is closed by force from its level on, and the rest comes back (rules 7.5)', () => {
  const { floor, id } = annBorrows();
  floor.wait(42 * HOUR);
  floor.index('46995.01');
  assert.notEqual(floor.standing('ann', id), 'closed');
  floor.index('46900');
  assert.equal(floor.standing('ann', id), 'closed');
  assert.deepEqual(floor.endings(), ['FORCE']);
  const [reduced] = floor.eventsOf('loanReduced');
  assert.deepEqual(
    [reduced!.sold, reduced!.unlocked, reduced!.fee, reduced!.paid, reduced!.price].map(money),
    ['0.21751665', '0.03889361', '200.030014', '10001.5007', '46900'],
  );
  assert.equal(floor.cash('ann', 'BTC'), '0.78248335');
  assert.equal(floor.pledged('ann', 'BTC'), '0');
  assert.equal(floor.pool('USDT'), '1000000');
  assert.equal(floor.house('sys:interest', 'USDT'), '1.5007');
  assert.equal(floor.house('sys:fee', 'USDT'), '200.030014');
  assert.equal(floor.house('sys:convert', 'USDT'), '-10201.530714');
  assert.equal(floor.house('sys:convert', 'BTC'), '0.21751665');
});

test('case 129: exactly 83 % is force, a hair below is not', () => {
  const floor = new LoanFloor();
  floor.trader('ann', { BTC: '10' });
  // 8,300 USDT for 0.25 BTC: 83 % at 40,000, without a remainder.
  const id = floor.borrow('ann', { loan: '9999.9651 USDT', pledge: 'BTC' });
  const { loan } = floor.loan('ann', id)!;
  floor.repay('ann', id, { amount: money(loan.debt() - 830_000_000_000n) });
  assert.equal(money(loan.debt()), '8300');
  floor.revise('ann', id, 'OUT', money(loan.pledge - 21_282_052n));
  floor.revise('ann', id, 'IN', '0.03717948');
  assert.equal(floor.pledged('ann', 'BTC'), '0.25');
  floor.index('40000.00000001');
  assert.equal(floor.standing('ann', id), '8300 + 0 USDT for 0.25 BTC at 83 %');
  floor.index('40000');
  assert.equal(floor.standing('ann', id), 'closed');
  assert.equal(floor.eventsOf('loanReduced')[0]!.rate, 8300n);
});

test('an hour that begins may be the one that forces', () => {
  const { floor, id } = annBorrows();
  floor.wait(42 * HOUR);
  floor.index('46995.01');
  floor.wait(HOUR);
  assert.equal(floor.standing('ann', id), 'closed');
  assert.equal(money(floor.eventsOf('loanReduced')[0]!.paid), '10001.5356');
});

test('case 135: collateral that brings in less than the debt: the fund pays the principal, no fee is taken', () => {
  const { floor } = annBorrows();
  floor.insure('5000');
  floor.index('30000');
  assert.deepEqual(floor.endings(), ['FORCE']);
  const [reduced] = floor.eventsOf('loanReduced');
  assert.deepEqual([reduced!.sold, reduced!.unlocked, reduced!.fee, reduced!.paid].map(money), [
    '0.25641026',
    '0',
    '0',
    '7692.3078',
  ]);
  assert.equal(floor.house('sys:interest', 'USDT'), '0.0349');
  assert.equal(floor.insurance(), '2692.2729');
  assert.equal(floor.pool('USDT'), '1000000');
  assert.equal(floor.pledged('ann', 'BTC'), '0');
});

test('what neither collateral nor fund can pay, the pool has lost', () => {
  const { floor } = annBorrows();
  floor.insure('100');
  floor.index('30000');
  assert.equal(floor.insurance(), '0');
  assert.equal(floor.pool('USDT'), '997792.2729');
  assert.equal(money(floor.state.loans.lost.get(0)!), '2207.7271');
});

test('a fee beyond the collateral is taken as far as it goes', () => {
  const { floor } = annBorrows();
  // 99 % of the collateral is owed.
  floor.index('39394');
  const [reduced] = floor.eventsOf('loanReduced');
  assert.deepEqual([reduced!.sold, reduced!.fee, reduced!.paid].map(money), [
    '0.25641026',
    '100.99088244',
    '10000.0349',
  ]);
});

test('case 134: an empty pool or a missing pledge rolls back: a record, and nothing else changes', () => {
  const floor = new LoanFloor({ USDT: '100' });
  floor.trader('ann', { BTC: '1' });
  const empty = floor.askFor('ann', { loan: '10000 USDT', pledge: 'BTC' });
  assert.equal(refusalName(empty.rejectReason), 'none');
  const poor = floor.askFor('ann', { loan: '1000000 USDT', pledge: 'BTC' });
  assert.deepEqual(floor.endings(), ['ROLLBACK', 'ROLLBACK']);
  assert.deepEqual(
    floor
      .eventsOf('loan')
      .map(({ loanId, initLoan, initPledge }) => [loanId, money(initLoan), money(initPledge)]),
    [
      [empty.orderId, '10000', '0.25641026'],
      [poor.orderId, '1000000', '25.64102565'],
    ],
  );
  assert.equal(floor.cash('ann', 'BTC'), '1');
  assert.equal(floor.cash('ann', 'USDT'), '0');
  assert.equal(floor.pool('USDT'), '100');
});

test('interest is paid first, then principal; with unlock the freed collateral comes back (rules 7.6)', () => {
  const { floor, id } = annBorrows();
  floor.wait(42 * HOUR);
  const part = floor.repay('ann', id, { amount: '1' }).repaid!;
  assert.deepEqual([part.interest, part.principal, part.unlocked].map(money), ['1', '0', '0']);
  const half = floor.repay('ann', id, { amount: '5000', unlock: true }).repaid!;
  assert.deepEqual([half.interest, half.principal, half.unlocked].map(money), [
    '0.5007',
    '4999.4993',
    '0.12819229',
  ]);
  assert.equal(floor.standing('ann', id), '5000.5007 + 0 USDT for 0.12821797 BTC at 65 %');
  floor.deposit('ann', '10000', 'USDT');
  const rest = floor.repay('ann', id, { amount: '9000' }).repaid!;
  assert.deepEqual([rest.interest, rest.principal, rest.unlocked].map(money), [
    '0',
    '5000.5007',
    '0.12821797',
  ]);
  assert.deepEqual(floor.endings(), ['REPAY']);
  assert.equal(floor.cash('ann', 'BTC'), '1');
  assert.equal(floor.pool('USDT'), '1000000');
  assert.equal(refusalName(floor.repay('ann', id).rejectReason), 'unknownLoan');
});

test('hours after a repayment cost interest on what is left', () => {
  const { floor, id } = annBorrows();
  floor.repay('ann', id, { amount: '5000.0349' });
  floor.wait(2 * HOUR);
  assert.equal(floor.standing('ann', id), '5000 + 0.0349 USDT for 0.25641026 BTC at 32.5 %');
});

test('repaid from collateral: sold at the index price, a hair more, without a fee', () => {
  const { floor, id } = annBorrows();
  const part = floor.repay('ann', id, { amount: '1000', fromPledge: true }).repaid!;
  assert.deepEqual([part.interest, part.principal].map(money), ['0.0349', '999.9651']);
  assert.equal(floor.standing('ann', id), '9000.0349 + 0 USDT for 0.23974359 BTC at 62.57 %');
  floor.index('50000');
  const all = floor.repay('ann', id, { fromPledge: true }).repaid!;
  assert.deepEqual([all.principal, all.unlocked].map(money), ['9000.0349', '0.05974289']);
  assert.equal(floor.cash('ann', 'USDT'), '11000');
  assert.equal(floor.cash('ann', 'BTC'), '0.80333263');
  assert.deepEqual(floor.endings(), ['REPAY']);
  assert.equal(floor.pool('USDT'), '1000000');
  assert.equal(floor.house('sys:fee', 'USDT'), '0');
});

test('what the desk refuses changes nothing', () => {
  const { floor, id } = annBorrows();
  floor.trader('bob', { BTC: '1' });
  const asks = (loan: string, pledge: string) =>
    refusalName(floor.askFor('ann', { loan, pledge }).rejectReason);
  assert.equal(asks('10 BTC', 'ETH'), 'coinNotOffered');
  assert.equal(asks('10 USDT', 'USD'), 'coinNotOffered');
  assert.equal(asks('10 USDT', 'USDT'), 'coinNotOffered');
  assert.equal(asks('10 USDT', '1 BTC'), 'oneAmountNeeded');
  assert.equal(asks('USDT', 'BTC'), 'oneAmountNeeded');
  assert.equal(asks('0.99 USDT', 'BTC'), 'loanTooSmall');
  assert.equal(asks('1000000.00000001 USDT', 'BTC'), 'loanTooLarge');
  assert.equal(asks('USDT', '0.00000001 BTC'), 'loanTooSmall');
  assert.equal(refusalName(floor.repay('bob', id).rejectReason), 'unknownLoan');
  assert.equal(refusalName(floor.repay('ann', id, { amount: '0' }).rejectReason), 'amountOutOfRange');
  assert.equal(refusalName(floor.revise('bob', id, 'IN', '0.1').rejectReason), 'unknownLoan');
  assert.equal(refusalName(floor.revise('ann', id, 'IN', '1', 'USDT').rejectReason), 'otherPledgeCoin');
  assert.equal(refusalName(floor.revise('ann', id, 'IN', '1').rejectReason), 'insufficientBalance');
  floor.withdraw('ann', '10999', 'USDT');
  const short = floor.repay('ann', id);
  assert.deepEqual([refusalName(short.rejectReason), money(short.available!)], ['insufficientBalance', '1']);
  assert.equal(floor.withdraw('ann', '0.8', 'BTC'), 'insufficientBalance');
});

test('margin of positions cannot be pledged away (rules 7.2)', () => {
  const floor = new LoanFloor();
  floor.trader('ann', { BTC: '1' });
  floor.trader('bob', { USDT: '1000000' });
  floor.deal('ann', 'bob', '8', '60000');
  floor.askFor('ann', { loan: '10000 USDT', pledge: 'BTC' });
  assert.deepEqual(floor.endings(), ['ROLLBACK']);
});

test('the pool is an account: the operator brings and takes what is not lent, each reference once', () => {
  const { floor } = annBorrows(new LoanFloor({ USDT: '15000' }));
  assert.equal(floor.fundPool('-5000.00000001', 'USDT'), 'insufficientBalance');
  assert.equal(floor.fundPool('-5000', 'USDT', 'back to the bank'), 'none');
  assert.equal(floor.fundPool('-5000', 'USDT', 'back to the bank'), 'alreadyExists');
  assert.equal(floor.pool('USDT'), '0');
  assert.equal(floor.fundPool('0', 'USDT'), 'amountOutOfRange');
});
