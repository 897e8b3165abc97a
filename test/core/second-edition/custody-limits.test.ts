/** R5, nobody lends or pays out what is not there (rules 13.5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { custodyOf } from '../../../src/core/margin/custody.ts';
import type { SecondEditionRule } from '../../../src/core/model/edition.ts';
import { SystemAccount } from '../../../src/core/model/ledger-accounts.ts';
import { poolLeft } from '../../../src/core/reads/borrowing-reads.ts';
import { solvencyOf, worstSolvency } from '../../../src/core/reads/solvency-reads.ts';
import { COIN_TERMS, MARGIN, MarginFloor, SPOT, TERMS } from '../borrowing/margin-floor.ts';
import { money, moneyUnits, refusalName } from '../dsl/words.ts';
import { LoanFloor } from '../loan/loan-floor.ts';
import { fund, secondEdition } from './fund-floor.ts';

/** ann has dollars and wants to borrow BTC; bob buys what she sells. */
function desk(without: readonly SecondEditionRule[] = [], terms = TERMS): MarginFloor {
  const floor = secondEdition(new MarginFloor(terms), ...without);
  floor.trader('ann', { USDT: '1000000' });
  floor.trader('bob', { USDT: '1000000' });
  return floor;
}

/** ann sells BTC that she has not got. */
function sellShort(floor: MarginFloor, qty: string): string {
  floor.buy('bob', qty, '60000', SPOT);
  const { stands } = floor.sell('ann', qty, '60000', MARGIN);
  floor.cancelAll('bob');
  return stands;
}

const custody = (floor: MarginFloor, coin: string) =>
  money(custodyOf(floor.state, floor.state.coinByName.get(coin)!));

test('R5: borrowed coin was withdrawn although the venue held none, and no more', () => {
  const theft = (...without: SecondEditionRule[]) => {
    const floor = desk(without);
    const sold = sellShort(floor, '1');
    const paid = refusalName(floor.requestWithdrawal('bob', '0.9', 'BTC').rejectReason);
    return { sold, paid };
  };
  assert.deepEqual(theft('custodyLimits'), { sold: 'filled 1/1', paid: 'none' });
  assert.deepEqual(theft(), { sold: 'refused insufficientBalance', paid: 'insufficientBalance' });
});

test('R5: the example of rules 13.5: custody 1, owed 2, lent 1; no more is lent', () => {
  const floor = desk();
  const { index: instrument } = floor.instrument('BTCUSDT', 'SPOT');
  const free = { uid: floor.uid('bob'), instrument, makerRate: 0n, takerRate: 0n };
  floor.send({ type: 'setFees', time: floor.now, ...free });
  assert.equal(sellShort(floor, '0.0001'), 'refused insufficientBalance');
  floor.trader('xia', { BTC: '2' });
  assert.equal(sellShort(floor, '1'), 'filled 1/1');
  assert.equal(floor.withdraw('bob', '1', 'BTC'), 'none');
  const { held, owed, lent, solvency } = coin(floor, 'BTC');
  assert.deepEqual([money(held), money(owed), money(lent), solvency], ['1', '2', '1', 'illiquid']);
  assert.equal(sellShort(floor, '0.0001'), 'refused insufficientBalance');
  assert.equal(floor.withdraw('xia', '1.0001', 'BTC'), 'custodyTooSmall');
  assert.equal(floor.withdraw('xia', '1', 'BTC'), 'none');
  // ann repays with coin from outside; xia gets the rest.
  assert.equal(floor.withdraw('xia', '1', 'BTC'), 'custodyTooSmall');
  floor.deposit('ann', '1', 'BTC');
  assert.equal(floor.withdraw('xia', '1', 'BTC'), 'none');
  assert.equal(coin(floor, 'BTC').solvency, 'solvent');
});

test('R5 (a): half of the custody is lent; what is borrowed and gone makes it smaller', () => {
  const floor = desk();
  floor.trader('xia', { BTC: '2' });
  assert.equal(money(poolLeft(floor.state, floor.state.coinByName.get('BTC')!)), '1');
  assert.equal(sellShort(floor, '1.0001'), 'refused insufficientBalance');
  assert.equal(sellShort(floor, '1'), 'filled 1/1');
  // bob pays a fee of 0.001 BTC for it and takes the rest away.
  assert.equal(floor.withdraw('bob', '0.999', 'BTC'), 'none');
  assert.equal(custody(floor, 'BTC'), '1.001');
  assert.equal(sellShort(floor, '0.0001'), 'refused insufficientBalance');
  // xia gets what is there, and the rest when ann has repaid.
  assert.equal(floor.withdraw('xia', '2', 'BTC'), 'custodyTooSmall');
  assert.equal(floor.withdraw('xia', '1', 'BTC'), 'none');
});

test('R5 (a): the share is a setting of the coin, and claims of open orders and withdrawals under way count', () => {
  const floor = desk([], { ...TERMS, BTC: { ...COIN_TERMS, lendShare: '0.25' } });
  floor.trader('xia', { BTC: '4' });
  assert.equal(floor.sell('ann', '0.6', '61000', MARGIN).stands, 'new 0/0.6');
  assert.equal(sellShort(floor, '0.5'), 'refused insufficientBalance');
  assert.equal(floor.requestWithdrawal('xia', '1.2', 'BTC').rejectReason, 0);
  // 0.25 * 2.8 - 0.6 = 0.1
  assert.equal(sellShort(floor, '0.1001'), 'refused insufficientBalance');
  assert.equal(sellShort(floor, '0.1'), 'filled 0.1/0.1');
});

test('R5 (a): an order that is enlarged is checked again, a debt above a limit that has shrunk stays', () => {
  const floor = desk();
  floor.trader('xia', { BTC: '2' });
  const order = floor.sell('ann', '0.5', '61000', MARGIN);
  assert.equal(floor.amend('ann', order, { qty: '1.1' }), 'insufficientBalance');
  assert.equal(floor.amend('ann', order, { qty: '0.9' }), 'none');
  assert.equal(floor.withdraw('xia', '1.5', 'BTC'), 'none');
  floor.buy('bob', '0.9', '61000', SPOT);
  assert.equal(order.stands, 'filled 0.9/0.9');
});

test('R5 (b): a withdrawal needs as much in custody when it is asked for and when it is settled', () => {
  const floor = desk(['custodyLimits']);
  floor.trader('xia', { BTC: '1' });
  assert.equal(sellShort(floor, '1'), 'filled 1/1');
  const first = floor.requestWithdrawal('bob', '0.9', 'BTC', { fee: '0.1' });
  const second = floor.requestWithdrawal('xia', '0.9', 'BTC');
  // Both were promised by the first edition; the second knows what is there.
  floor.arrange(({ state }) => {
    state.rules.custodyLimits = true;
  });
  assert.equal(floor.endWithdrawal(second.orderId, { paid: true }), 'none');
  assert.equal(floor.endWithdrawal(first.orderId, { paid: true }), 'custodyTooSmall');
  assert.equal(floor.state.withdrawals.size, 1);
  floor.restart();
  assert.equal(floor.requestWithdrawal('xia', '0.05', 'BTC').rejectReason, 221);
  floor.deposit('ann', '1', 'BTC');
  assert.equal(floor.endWithdrawal(first.orderId, { paid: true }), 'none');
});

test('R5 (b): the fee of a withdrawal stays here and needs no custody; inner withdrawals and transfers move none', () => {
  const floor = desk();
  floor.trader('xia', { BTC: '2' });
  assert.equal(sellShort(floor, '1'), 'filled 1/1');
  assert.equal(floor.withdraw('bob', '0.999', 'BTC'), 'none');
  assert.equal(refusalName(floor.pay('xia', 'bob', '1.5', 'BTC').rejectReason), 'none');
  assert.equal(refusalName(floor.requestWithdrawal('bob', '1.2', 'BTC').rejectReason), 'custodyTooSmall');
  assert.equal(
    refusalName(floor.requestWithdrawal('bob', '1.2', 'BTC', { fee: '0.199' }).rejectReason),
    'none',
  );
});

test('R5 (b): drains of pools and funds obey the same limit', () => {
  const floor = secondEdition(new LoanFloor({ USDT: '1000' }));
  fund(floor, '1000');
  floor.trader('ann', { USDT: '500' });
  // A state in which something is missing: 2 000 of 2 500 have left.
  floor.arrange(({ state: { ledger } }) =>
    ledger.move(ledger.cell(5, 0, 0), ledger.cell(0, 0, 0), 200_000_000_000n),
  );
  floor.restart();
  assert.equal(floor.fundPool('-600', 'USDT'), 'custodyTooSmall');
  assert.equal(fund(floor, '-600'), 'custodyTooSmall');
  assert.equal(fund(floor, '-400'), 'none');
  assert.equal(floor.fundPool('-100', 'USDT'), 'none');
});

const coin = (floor: MarginFloor, name: string) =>
  solvencyOf(floor.state)[floor.state.coinByName.get(name)!]!;

test('R5 (c): lent to an account that can pay is illiquid, not insolvent', () => {
  const floor = desk();
  floor.trader('xia', { BTC: '2' });
  assert.equal(coin(floor, 'BTC').solvency, 'solvent');
  sellShort(floor, '1');
  floor.withdraw('bob', '0.999', 'BTC');
  const { held, owed, lent, solvency } = coin(floor, 'BTC');
  assert.deepEqual([money(held), money(owed), money(lent), solvency], ['1.001', '2', '1', 'illiquid']);
  assert.equal(worstSolvency(solvencyOf(floor.state)), 'illiquid');
});

test('R5 (c): debts of accounts without equity are bad debt and count for nothing', () => {
  const floor = desk(['custodyLimits']);
  floor.trader('xia', { BTC: '1' });
  floor.coinLeverage('ann', 5, 'BTC');
  floor.withdraw('ann', '979000', 'USDT');
  sellShort(floor, '1.6');
  floor.withdraw('bob', '1.5', 'BTC');
  floor.index('90000', 'BTCUSD');
  const { badDebt, lent, solvency } = coin(floor, 'BTC');
  assert.equal(money(badDebt), floor.cash('ann', 'BTC').slice(1));
  assert.deepEqual([money(lent), solvency], ['0', 'insolvent']);
});

test('R5 (c): what conversions paid out counts as far as the coins taken for it are worth it', () => {
  const floor = desk();
  floor.trader('xia', { BTC: '2' });
  /** The house gives BTC that it has not got to bob, and takes USDT from ann for it. */
  const exchange = (btc: string, usdt: string) =>
    floor.arrange(({ state: { ledger } }) => {
      const cell = (account: number, name: string) =>
        ledger.cell(account, floor.state.coinByName.get(name)!, 0);
      ledger.move(
        cell(SystemAccount.convert, 'BTC'),
        cell(floor.account('bob').index, 'BTC'),
        moneyUnits(btc),
      );
      ledger.move(
        cell(floor.account('ann').index, 'USDT'),
        cell(SystemAccount.convert, 'USDT'),
        moneyUnits(usdt),
      );
    });
  exchange('0.5', '30000');
  assert.deepEqual([money(coin(floor, 'BTC').converted), coin(floor, 'BTC').solvency], ['0.5', 'illiquid']);
  floor.index('75000', 'BTCUSD');
  assert.deepEqual([money(coin(floor, 'BTC').converted), coin(floor, 'BTC').solvency], ['0.4', 'insolvent']);
});

test('R5 (c): a rebate in dollars for a fee in coin leaves nothing missing as long as the coin is worth it', () => {
  const floor = desk();
  floor.trader('xia', { BTC: '2' });
  const { index: instrument } = floor.instrument('BTCUSDT', 'SPOT');
  const rates = (name: string, makerRate: bigint, takerRate: bigint) =>
    floor.send({ type: 'setFees', time: floor.now, uid: floor.uid(name), instrument, makerRate, takerRate });
  rates('xia', -300_000_000n, 1_000_000_000n);
  rates('bob', 0n, 300_000_000n);
  floor.sell('xia', '1', '60000', SPOT);
  floor.buy('bob', '1', '60000', SPOT);
  // 0.0003 BTC taken, 18 USDT given.
  assert.equal(floor.house('sys:fee', 'USDT'), '-18');
  assert.deepEqual([money(coin(floor, 'USDT').converted), coin(floor, 'USDT').solvency], ['18', 'illiquid']);
  floor.index('30000', 'BTCUSD');
  assert.deepEqual([money(coin(floor, 'USDT').converted), coin(floor, 'USDT').solvency], ['9', 'insolvent']);
});

test('R5 (c): a profit that was paid out has its loss with somebody who still holds: nothing is missing', () => {
  for (const on of ['BTCUSDT', 'BTCUSD'] as const) {
    const floor = desk();
    const margin = on === 'BTCUSDT' ? 'USDT' : 'BTC';
    for (const name of ['amy', 'ben', 'cas']) floor.trader(name, { [margin]: '100000' });
    const words = { on, category: on === 'BTCUSDT' ? 'USDT-FUTURES' : 'COIN-FUTURES' } as const;
    floor.deal('amy', 'ben', '1', '50000', words);
    floor.deal('cas', 'amy', '1', '60000', words);
    assert.equal(coin(floor, margin).solvency, 'solvent');
    // A linear contract never lacks anything; what coin-margined ones lack by a move of the mark is in the sum.
    floor.mark('66000', on);
    assert.equal(coin(floor, margin).owed > coin(floor, margin).held, on === 'BTCUSD');
  }
});

test('R5 (c): coin that has left without a posting of its owner is missing', () => {
  const floor = desk();
  floor.trader('xia', { BTC: '2' });
  floor.arrange(({ state: { ledger } }) => ledger.move(ledger.cell(5, 2, 0), ledger.cell(0, 2, 0), 1n));
  assert.equal(worstSolvency(solvencyOf(floor.state)), 'insolvent');
});
