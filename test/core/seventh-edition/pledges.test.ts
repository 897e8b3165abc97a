/** What pledges and isolated orders pay when crossed positions are closed by force (rules 17.1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditionRule } from '../../../src/core/model/edition.ts';
import { LoanFloor } from '../loan/loan-floor.ts';

function floorOf(edition: number, ...names: string[]): LoanFloor {
  const floor = new LoanFloor();
  for (const name of names) floor.trader(name, { USDT: '100000' });
  floor.send({ type: 'setEdition', time: floor.now, edition });
  floor.index('3000', 'ETHUSD');
  return floor;
}

interface Words {
  readonly edition?: number;
  readonly without?: EditionRule;
  /** ETH that is pledged for 9 000 USDT. */
  readonly pledged?: string;
  /** USDT in the funding wallet. */
  readonly aside?: string;
  readonly first?: (floor: LoanFloor) => void;
  readonly mark?: string;
}

/**
 * Ann has 2 000 USDT, a loan of 9 000 that has left, and is long 1 from 60 000 against bob, who owes nothing. Mark 50 000. She
 * owes 9 000.03141 with the interest of the first hour.
 */
function crash(words: Words): { floor: LoanFloor; loan: number } {
  const { edition = 7, without, pledged = '5', aside, first, mark = '50000' } = words;
  const floor = floorOf(edition, 'bob', 'cat');
  if (without !== undefined)
    floor.arrange(({ state }) => {
      state.rules[without] = false;
    });
  floor.trader('ann', { USDT: '2036', ETH: pledged });
  floor.leverage('ann', 100);
  const loan = floor.borrow('ann', { loan: '9000 USDT', pledge: 'ETH' });
  const more = Number(pledged) - 5;
  if (more > 0) floor.revise('ann', loan, 'IN', String(more), 'ETH');
  floor.withdraw('ann', '9000', 'USDT');
  if (aside !== undefined) floor.fund('ann', aside, 'USDT');
  floor.deal('ann', 'bob', '1', '60000');
  assert.deepEqual([floor.cash('ann', 'USDT'), floor.pledged('ann', 'ETH')], ['2000', pledged]);
  first?.(floor);
  floor.mark(mark);
  assert.equal(floor.position('ann'), 'none');
  return { floor, loan };
}

const lastOf = (floor: LoanFloor, name: string) => floor.executions(name).at(-1);
const cashOf = (floor: LoanFloor, name = 'ann') => [floor.cash(name, 'USDT'), floor.cash(name, 'ETH')];

test('17.1: the example: what a pledge is worth beyond its loan pays for the position', () => {
  const before = crash({ edition: 6 });
  assert.equal(lastOf(before.floor, 'bob'), 'adl close 1 @ 58034.9 fee 0 pnl 1965.1');
  assert.deepEqual(cashOf(before.floor), ['0.07906', '0']);
  assert.equal(before.floor.standing('ann', before.loan), '9000 + 0.03141 USDT for 5 ETH at 60 %');
  const { floor } = crash({});
  // 9 000.03141 * 1.02 / 3 000 = 3.06001068 would be sold; 1.93998932 count 0.95 * 5 819.96796 = 5 528.969562.
  // (60 000 - 2 000 - 5 528.969562) / 0.9994 = 52 502.53
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 52502.6 fee 0 pnl 7497.4');
  assert.deepEqual(floor.lines('ann').slice(-7), [
    'sellDeal -7497.4 fee 31.50156 USDT = -5528.90156',
    // 5 - 9 000.03141 / (0.75 * 3 000), less a unit
    'pledgeIn 0.99998603 fee 0 ETH = 0.99998603',
    'forcedOut -0.99998603 fee 0 ETH = 0',
    'forcedIn 2996.95813191 fee 0 USDT = -2531.94342809',
    'pledgeIn 0.94000329 fee 0 ETH = 0.94000329',
    'forcedOut -0.84482597 fee 0 ETH = 0.09517732',
    'forcedIn 2531.94342809 fee 0 USDT = 0',
  ]);
  assert.deepEqual(cashOf(floor), ['0', '0.09517732']);
  assert.deepEqual(floor.endings(), ['FORCE']);
});

test('17.1 (c): a loan that can spare enough of its pledge goes on', () => {
  const { floor, loan } = crash({ pledged: '20' });
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 49770 fee 0 pnl 10230');
  // 8 259.862 / 3 000 / 0.999
  assert.deepEqual(cashOf(floor), ['0', '0']);
  assert.equal(floor.standing('ann', loan), '9000 + 0.03141 USDT for 17.24395662 ETH at 17.4 %');
  assert.deepEqual(floor.endings(), []);
  const [revised, ...more] = floor.eventsOf('pledgeRevised').slice(-1);
  assert.deepEqual(
    [revised!.into, revised!.amount, revised!.before, revised!.after, more],
    [false, 275_604_338n, 1500n, 1740n, []],
  );
});

test('17.1 (c): a loan keeps what keeps it below the level of a notice', () => {
  const { floor, loan } = crash({ pledged: '6', mark: '52400' });
  // 2 000 - 7 841 - 31.2954 = -5 872.2954 at W = 52 159: / 3 000 / 0.999 = 1.95939119 of the 1.99998603 that it can spare.
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 52159 fee 0 pnl 7841');
  assert.equal(floor.standing('ann', loan), '9000 + 0.03141 USDT for 4.0406088 ETH at 74.25 %');
  assert.deepEqual([floor.eventsOf('loanNotice'), floor.endings()], [[], []]);
});

test('17.1 (c): the funding wallet pays before pledges do', () => {
  const { floor, loan } = crash({ pledged: '20', aside: '8000' });
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 49770 fee 0 pnl 10230');
  // 259.862 are left: / 3 000 / 0.999
  assert.deepEqual([floor.funding('ann', 'USDT'), floor.pledged('ann', 'ETH')], ['0', '19.91329262']);
  assert.equal(floor.loan('ann', loan)?.loan.principal, 900_000_000_000n);
});

test('17.1 (a) without (c): the debt waits beside the pledge, and the fund does not pay it', () => {
  const { floor, loan } = crash({ pledged: '20', without: 'pledgePayment' });
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 49770 fee 0 pnl 10230');
  assert.deepEqual(cashOf(floor), ['-8259.862', '0']);
  assert.equal(floor.standing('ann', loan), '9000 + 0.03141 USDT for 20 ETH at 15 %');
});

test('17.1 (c): a pledge whose price is stale pays when it is told again', () => {
  const { floor, loan } = crash({ pledged: '20', without: 'pledgePayment' });
  floor.feedLives = false;
  floor.wait(15 * 60_000 + 1000);
  floor.arrange(({ state }) => {
    state.rules.pledgePayment = true;
  });
  floor.mark('50001');
  assert.deepEqual([floor.cash('ann', 'USDT'), floor.pledged('ann', 'ETH')], ['-8259.862', '20']);
  floor.index('3001', 'ETHUSD');
  assert.deepEqual([floor.cash('ann', 'USDT'), floor.pledged('ann', 'ETH')], ['0', '17.24487499']);
  assert.notEqual(floor.standing('ann', loan), 'closed');
});

test('17.1 (a): a pledge whose price is stale does not count', () => {
  const { floor, loan } = crash({
    pledged: '20',
    first: (each) => {
      each.feedLives = false;
      each.wait(15 * 60_000 + 1000);
    },
  });
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 58034.9 fee 0 pnl 1965.1');
  assert.equal(floor.pledged('ann', 'ETH'), '20');
  assert.notEqual(floor.standing('ann', loan), 'closed');
});

/**
 * Ann owes 30 000 USDT, her collateral becomes worthless, and she has won 20 000 by a long of 1 from 60 000 against bob, who has
 * 2 000 USDT and what the scene gives him. Mark 80 000.
 */
function rally(edition: number, more: (floor: LoanFloor) => void): LoanFloor {
  const floor = floorOf(edition, 'cat');
  floor.trader('ann', { USDT: '78', ETH: '100' });
  floor.trader('bob', { USDT: '2012' });
  for (const name of ['ann', 'bob']) floor.leverage(name, 100);
  floor.deal('ann', 'cat', '1', '60000');
  floor.deal('cat', 'ann', '1', '30000');
  floor.deal('ann', 'bob', '1', '60000');
  more(floor);
  assert.deepEqual([floor.cash('ann', 'USDT'), floor.cash('bob', 'USDT')], ['-30000', '2000']);
  floor.tell('0.00000001', 'ETHUSD');
  floor.mark('80000');
  assert.deepEqual([floor.position('ann'), floor.position('bob')], ['none', 'none']);
  return floor;
}

test('17.1 (a): a counterparty of a deleveraging bears what its pledge can pay', () => {
  const pledges = (floor: LoanFloor) => {
    floor.deposit('bob', '1', 'BTC');
    const loan = floor.borrow('bob', { loan: '20000 USDT', pledge: 'BTC' });
    floor.revise('bob', loan, 'IN', floor.cash('bob', 'BTC'));
    floor.withdraw('bob', '20000', 'USDT');
  };
  const before = rally(6, pledges);
  assert.equal(lastOf(before, 'bob'), 'adl close 1 @ 61962.8 fee 0 pnl -1962.8');
  const floor = rally(7, pledges);
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 79632 fee 0 pnl -19632');
  // 17 632 / 80 000 / 0.999
  assert.deepEqual([floor.cash('bob', 'USDT'), floor.pledged('bob', 'BTC')], ['0', '0.77937937']);
  assert.equal(before.cash('ann', 'USDT'), '-28074.37767901');
  assert.equal(floor.cash('ann', 'USDT'), '-10415.77919901');
});

test('17.1 (b): so does one whose money is held by an isolated order, which is cancelled for it', () => {
  const hides = (floor: LoanFloor) => {
    floor.index('60000', 'BTCUSD');
    floor.isolate('bob', 'BTCUSD');
    floor.leverage('bob', 1, 'BTCUSD');
    floor.deposit('bob', '1', 'BTC');
    const order = floor.buy('bob', '0.9', '50000', { on: 'BTCUSD', category: 'COIN-FUTURES' });
    assert.equal(order.stands, 'new 0/0.9');
    floor.withdraw('bob', floor.cash('bob', 'BTC'), 'BTC');
  };
  const before = rally(6, hides);
  assert.equal(lastOf(before, 'bob'), 'adl close 1 @ 61962.8 fee 0 pnl -1962.8');
  const floor = rally(7, hides);
  assert.equal(lastOf(floor, 'bob'), 'adl close 1 @ 79632 fee 0 pnl -19632');
  // The order is cancelled, and what it held is margin for the debt.
  assert.deepEqual([floor.cash('bob', 'USDT'), floor.cash('bob', 'BTC')], ['-17632', '0.90108']);
  assert.deepEqual(floor.openOrders('bob'), []);
});

test('17.1: whether an account is due goes by what it went by', () => {
  const due = (edition: number) => {
    const floor = floorOf(edition, 'bob');
    floor.trader('ann', { USDT: '2036', ETH: '20' });
    floor.leverage('ann', 100);
    const loan = floor.borrow('ann', { loan: '9000 USDT', pledge: 'ETH' });
    floor.revise('ann', loan, 'IN', floor.cash('ann', 'ETH'), 'ETH');
    floor.withdraw('ann', '9000', 'USDT');
    floor.deal('ann', 'bob', '1', '60000');
    floor.mark('58300');
    const kept = floor.position('ann');
    floor.mark('58200');
    return [kept, floor.position('ann')];
  };
  assert.deepEqual(due(7), due(6));
  assert.deepEqual(due(7), ['long 1 @ 60000', 'none']);
});
