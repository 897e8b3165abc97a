/**
 * What is checked after every command (rules 10.1) must be able to fail: each test breaks the state in one place
 * and sees the rule that says so. The rules that need a story are in `auditor.test.ts`.
 */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { FLAG_RPI } from '../../../src/core/book/order-slab.ts';
import { checkInvariants } from '../../../src/core/engine/invariants.ts';
import { InstrumentStatus, StrategyKind } from '../../../src/core/model/enums.ts';
import { Bucket, SystemAccount } from '../../../src/core/model/ledger-accounts.ts';
import type { Position } from '../../../src/core/model/position.ts';
import type { Account } from '../../../src/core/state/account.ts';
import { MARGIN, MarginFloor } from '../borrowing/margin-floor.ts';
import type { ExchangeFloor } from '../dsl/exchange-floor.ts';
import type { Ticket } from '../dsl/ticket.ts';
import { moveUnchecked } from '../dsl/unchecked-move.ts';
import { FuturesFloor, futuresFloor } from '../futures/futures-floor.ts';
import { LoanFloor } from '../loan/loan-floor.ts';
import { protect } from '../strategy/strategy-tickets.ts';
import { openFloor, PLENTY, type TradingFloor } from '../trading-floor.ts';

type Named = ExchangeFloor & { uid(name: string): number };

function account(floor: Named, name: string): Account {
  return floor.state.accountByUid.get(floor.uid(name))!;
}

function cell(floor: Named, name: string, coin: string, bucket: Bucket): number {
  return floor.state.ledger.cell(account(floor, name).index, floor.state.coinByName.get(coin)!, bucket);
}

function house(floor: ExchangeFloor, who: number, coin: string): number {
  return floor.state.ledger.cell(who, floor.state.coinByName.get(coin)!, Bucket.cash);
}

const slot = (floor: ExchangeFloor, order: Ticket): number => floor.state.slab.byId.get(order.orderId);

/** Healthy before the break, and told by its number after it. */
function breaks(floor: ExchangeFloor, rule: RegExp, harm: () => void): void {
  checkInvariants(floor.state);
  harm();
  throws(() => checkInvariants(floor.state), rule);
}

/** Ann bids 2 and offers 1, bob bids behind her. */
function spot() {
  const floor = openFloor('ann', 'bob');
  floor.trader('mm', PLENTY, { marketMaker: true });
  const bid = floor.buy('ann', '2', '59000', { clientOid: 'mine' });
  const behind = floor.buy('bob', '1', '59000');
  const ask = floor.sell('ann', '1', '61000');
  return { floor, bid, behind, ask };
}

/** Ann is long 1 from 60 000, bob short. */
function pair(isolated = false): FuturesFloor {
  const floor = futuresFloor('100000', 'ann', 'bob');
  if (isolated) floor.isolate('ann');
  floor.deal('ann', 'bob', '1', '60000');
  return floor;
}

function position(floor: FuturesFloor, name: string): Position {
  return account(floor, name).positions.values().next().value!;
}

const contract = (floor: FuturesFloor) => floor.state.market(floor.instrument()).futures!;

test('I01: a unit that nobody gave', () => {
  const { floor } = spot();
  const { ledger } = floor.state;
  const { index } = account(floor, 'ann');
  breaks(floor, /I01: coin 0 sums to 1$/, () => {
    ledger.restoreRow(index, 0, [
      ledger.balanceOf(index, 0, Bucket.cash) + 1n,
      ledger.balanceOf(index, 0, Bucket.locked),
      0n,
      0n,
      0n,
      0n,
      0n,
    ]);
  });
});

test('I03: locked, pledged, isolated or insured money below zero', () => {
  for (const bucket of [Bucket.locked, Bucket.pledge, Bucket.funding]) {
    const floor = openFloor('ann');
    breaks(floor, /I03/, () =>
      moveUnchecked(
        floor.state.ledger,
        cell(floor, 'ann', 'ETH', bucket),
        cell(floor, 'ann', 'ETH', Bucket.cash),
        1n,
      ),
    );
  }
  for (const who of [SystemAccount.insurance, SystemAccount.loanPool]) {
    const floor = openFloor('ann');
    breaks(floor, /I03/, () =>
      moveUnchecked(
        floor.state.ledger,
        house(floor, who, 'USDT'),
        house(floor, SystemAccount.convert, 'USDT'),
        1n,
      ),
    );
  }
  const floor = pair(true);
  breaks(floor, /I03: isolated margin/, () => {
    position(floor, 'ann').iso = -1n;
  });
});

test('I03: margin of isolated orders below zero', () => {
  const floor = futuresFloor('100000', 'ann');
  floor.isolate('ann');
  const [one, two] = [floor.buy('ann', '0.1', '59000'), floor.buy('ann', '0.1', '59000')];
  const { isolatedHolds } = floor.state.slab;
  breaks(floor, /I03/, () => {
    const [a, b] = [slot(floor, one), slot(floor, two)];
    isolatedHolds.set(b, isolatedHolds.get(a)! + isolatedHolds.get(b)! + 1n);
    isolatedHolds.set(a, -1n);
  });
});

test('I04: more or less locked than open orders need', () => {
  for (const [from, to] of [
    [Bucket.cash, Bucket.locked],
    [Bucket.locked, Bucket.cash],
  ] as const) {
    const { floor } = spot();
    breaks(floor, /I04/, () =>
      floor.state.ledger.move(cell(floor, 'ann', 'USDT', from), cell(floor, 'ann', 'USDT', to), 1n),
    );
  }
});

test('I05: a spot account in debt', () => {
  const floor = openFloor();
  floor.trader('ann', { USDT: '1' });
  breaks(floor, /I05/, () =>
    moveUnchecked(
      floor.state.ledger,
      cell(floor, 'ann', 'USDT', Bucket.cash),
      house(floor, SystemAccount.convert, 'USDT'),
      100_000_001n,
    ),
  );
});

test('I06: longs without shorts', () => {
  const floor = pair();
  breaks(floor, /I06: sizes of BTCUSDT sum to 1$/, () => {
    position(floor, 'ann').size++;
  });
});

test('holders of a contract: one too few, one too many', () => {
  for (const change of ['delete', 'add'] as const) {
    const floor = pair();
    floor.trader('eve', { USDT: '1' });
    const { holders } = floor.state.market(floor.instrument('BTCUSDT', 'USDT-FUTURES'));
    const who = account(floor, change === 'delete' ? 'ann' : 'eve');
    breaks(floor, /holders of BTCUSDT: /, () => holders[change](who));
  }
});

test('I07: clearing that is not the sum of the bases, in the contract or in the ledger', () => {
  const one = pair();
  breaks(one, /I07/, () => {
    contract(one).clearing++;
  });
  const two = pair();
  breaks(two, /I07/, () =>
    two.state.ledger.move(
      house(two, SystemAccount.clearing, 'USDT'),
      house(two, SystemAccount.convert, 'USDT'),
      1n,
    ),
  );
});

test('I08: a coin-margined contract whose dollars do not add up', () => {
  const floor = new FuturesFloor();
  floor.index('60000', 'BTCUSD');
  for (const name of ['ann', 'bob']) floor.trader(name, { BTC: '10' });
  floor.deal('ann', 'bob', '1', '60000', { on: 'BTCUSD' });
  breaks(floor, /I08: BTCUSD/, () => {
    floor.state.market(floor.instrument('BTCUSD')).futures!.cleared++;
  });
});

test('I09: clearing that is left when nobody holds anything', () => {
  const floor = pair();
  floor.deal('bob', 'ann', '1', '60500');
  equal(contract(floor).clearing, 0n);
  breaks(floor, /I09/, () => {
    contract(floor).clearing = 1n;
  });
});

test('I10: an empty position that remains', () => {
  const floor = new FuturesFloor();
  floor.index('60000', 'BTCUSD');
  for (const name of ['ann', 'bob']) floor.trader(name, { BTC: '10' });
  floor.deal('ann', 'bob', '1', '60000', { on: 'BTCUSD' });
  breaks(floor, /I10/, () => {
    for (const name of ['ann', 'bob']) position(floor, name).size = 0;
    floor.state.market(floor.instrument('BTCUSD')).futures!.openInterest = 0;
  });
});

test('I11: a long that has cost less than nothing', () => {
  const floor = pair();
  breaks(floor, /I11/, () => {
    for (const name of ['ann', 'bob']) position(floor, name).basis *= -1n;
  });
});

/** Moves a resting order as no command would. */
function rehang(floor: TradingFloor, order: Ticket, change: (slot: number) => void): void {
  const { book } = floor.state.market(floor.instrument());
  book.remove(slot(floor, order));
  change(slot(floor, order));
  book.rest(slot(floor, order));
}

test('I12: a bid above the best ask', () => {
  const { floor, bid } = spot();
  breaks(floor, /I12/, () =>
    rehang(floor, bid, (at) => {
      floor.state.slab.price[at] = 6_100_000;
    }),
  );
});

test('I13: the displayed book is not crossed, whatever RPI orders rest in it', () => {
  const { floor } = spot();
  for (const [side, price] of [
    ['sell', '59500'],
    ['buy', '60500'],
    ['sell', '60400'],
    ['buy', '59400'],
    ['sell', '61000'],
    ['buy', '60999.99'],
  ] as const) {
    equal(floor[side]('mm', '1', price, { tif: 'rpi' }).stands, 'new 0/1');
    const { asks, bids } = floor.depth();
    const best = (levels: string[]) => Number(levels[0]!.split(' @ ')[1]);
    equal(best(bids) < best(asks), true, `${bids[0]} and ${asks[0]}`);
  }
  deepEqual(floor.depth(), {
    asks: ['1 @ 59500', '1 @ 60400', '2 @ 61000'],
    bids: ['1 @ 59400', '3 @ 59000'],
  });
});

test('I14: a queue out of order, and an RPI order among the others', () => {
  const one = spot();
  breaks(one.floor, /I14: queue/, () => {
    one.floor.state.slab.prioritySeq[slot(one.floor, one.behind)] = 1;
  });
  const two = spot();
  breaks(two.floor, /I14: order in a wrong queue/, () => {
    two.floor.state.slab.flags[slot(two.floor, two.behind)]! |= FLAG_RPI;
  });
});

test('I15: a level that shows more than its orders hold', () => {
  const { floor, behind } = spot();
  breaks(floor, /I15: level 5900000 shows 3000000, holds 2999999/, () => {
    floor.state.slab.size[slot(floor, behind)]!--;
    floor.state.slab.remaining[slot(floor, behind)]!--;
  });
});

test('I16: an order with more left than it ever wanted', () => {
  const { floor, behind } = spot();
  breaks(floor, /I16/, () => {
    floor.state.slab.remaining[slot(floor, behind)]!++;
  });
});

test('I26: orders that close more than there is', () => {
  const floor = pair();
  floor.sell('ann', '0.5', '61000', { reduceOnly: true });
  breaks(floor, /I26: 5000 lots are being closed of 4999/, () => {
    position(floor, 'ann').size = 4999;
    position(floor, 'bob').size = -4999;
    contract(floor).openInterest = 4999;
  });
});

test('I28: a wrong count of open orders', () => {
  const { floor } = spot();
  breaks(floor, /I28/, () => {
    account(floor, 'ann').openSpot++;
  });
});

test('I28: more open orders than the symbol allows', () => {
  const { floor } = spot();
  breaks(floor, /I28: 2 open orders on BTCUSDT, which allows 1/, () => {
    Object.assign(floor.instrument(), { maxSymbolOrders: 1 });
  });
});

test('I29: one client id for two orders, and one that is left of a closed order', () => {
  const one = spot();
  breaks(one.floor, /I29/, () => {
    const { slab } = one.floor.state;
    const named = slot(one.floor, one.ask);
    slab.clientOids.set(named, slab.account[named]!, 'mine');
  });
  const two = spot();
  breaks(two.floor, /I29/, () => {
    const { slab } = two.floor.state;
    const free = slab.allocate(two.floor.state.lastId + 1);
    slab.release(free);
    slab.clientOids.set(free, account(two.floor, 'ann').index, 'gone');
  });
});

test('I33: two full records for one position', () => {
  const floor = pair();
  protect(floor, 'ann', { stopLoss: '58000' });
  protect(floor, 'ann', { qty: '0.5', stopLoss: '57000' });
  breaks(floor, /I33/, () => {
    for (const order of account(floor, 'ann').strategies.values()) {
      Object.assign(order, { kind: StrategyKind.full });
    }
  });
});

test('I34: a record that protects no position', () => {
  const floor = pair();
  protect(floor, 'ann', { stopLoss: '58000' });
  breaks(floor, /I34/, () => {
    for (const order of account(floor, 'ann').strategies.values()) {
      Object.assign(order, { instrument: floor.instrument('BTCUSD').index });
    }
  });
});

test('I35: an isolated position that should have been closed', () => {
  const floor = pair(true);
  breaks(floor, /I35: an isolated position is due/, () => {
    const stake = position(floor, 'ann');
    // 240 of maintenance and 36 of fee is exactly where it ends.
    const taken = stake.iso - 27_600_000_000n;
    stake.iso -= taken;
    floor.state.ledger.move(
      cell(floor, 'ann', 'USDT', Bucket.isolated),
      cell(floor, 'ann', 'USDT', Bucket.cash),
      taken,
    );
  });
});

test('I35: an account that should be in liquidation', () => {
  const floor = pair();
  breaks(floor, /I35: account \d+ is due/, () => {
    const cash = cell(floor, 'ann', 'USDT', Bucket.cash);
    const { ledger } = floor.state;
    ledger.move(cash, house(floor, SystemAccount.convert, 'USDT'), ledger.balance(cash) - 27_600_000_000n);
    account(floor, 'ann').warned = true;
  });
});

test('I36: an account in liquidation that has orders', () => {
  const floor = pair();
  floor.sell('ann', '0.5', '61000');
  breaks(floor, /I36/, () => {
    account(floor, 'ann').liquidating = true;
  });
});

function borrower() {
  const floor = new LoanFloor();
  floor.trader('ann', { BTC: '1' });
  const id = floor.borrow('ann', { loan: '10000 USDT', pledge: 'BTC' });
  return { floor, loan: floor.state.loans.loans.get(id)! };
}

test('I37: a pledge that is not in its account, and a loan that should have been closed', () => {
  const one = borrower();
  breaks(one.floor, /I37: account \d+ coin \d+ pledges/, () => {
    one.loan.pledge++;
  });
  const two = borrower();
  breaks(two.floor, /I37: loan \d+ should have been closed by force/, () => {
    // 10 000.0349 against 12 000 are 83.33 %.
    two.loan.pledge = 20_000_000n;
  });
});

test('I38: a candle whose low is above its open', () => {
  const { floor } = spot();
  floor.printPrice('60000');
  breaks(floor, /I38/, () => {
    floor.state.market(floor.instrument()).candles.running[0]!.lowTicks++;
  });
});

test('I39: a day whose average price is outside its range', () => {
  for (const change of [1n, -1n]) {
    const { floor } = spot();
    floor.printPrice('60000');
    const { day } = floor.state.market(floor.instrument());
    breaks(floor, /I39/, () => Object.assign(day, { turnover: day.statistics(floor.now).turnover + change }));
  }
});

test('I42: positions or orders on a contract that is offline', () => {
  const one = pair();
  breaks(one, /I42: BTCUSDT is offline and has positions/, () => {
    one.instrument().status = InstrumentStatus.offline;
  });
  const two = futuresFloor('100000', 'ann');
  two.buy('ann', '1', '59000');
  breaks(two, /I42: BTCUSDT is offline and has orders/, () => {
    two.instrument().status = InstrumentStatus.offline;
  });
});

test('I43: weights that do not sum to one, and a mark outside of what it is made of', () => {
  const one = pair();
  breaks(one, /I43: the weights/, () => {
    one.state.indices[0]!.components[0]!.weight++;
  });
  const two = pair();
  breaks(two, /I43: mark of BTCUSDT/, () => {
    contract(two).mark.price++;
  });
});

test('I44: a coin of which more is lent than is owed, and a reserve that no order needs', () => {
  const floor = new MarginFloor().stocked();
  floor.trader('ann', { USDT: '100' });
  floor.buy('ann', '0.005', '60000', MARGIN);
  equal(floor.owed('USDT'), '200');
  breaks(floor, /I44: coin \d+: reserved 1$/, () => {
    floor.state.lending[floor.state.coinByName.get('USDT')!]!.reserved++;
  });
});

test('I41: every amount in the books is the sum of postings from one cell to another', () => {
  const floor = new MarginFloor();
  const { ledger } = floor.state;
  const sums: bigint[] = [];
  const before = new Map<number, bigint>();
  const move = ledger.move.bind(ledger);
  ledger.move = (from, to, amount) => {
    for (const each of [from, to]) if (!before.has(each)) before.set(each, ledger.balance(each));
    sums[from] = (sums[from] ?? 0n) - BigInt(amount);
    sums[to] = (sums[to] ?? 0n) + BigInt(amount);
    move(from, to, amount);
  };
  floor.stocked();
  floor.trader('ann', { USDT: '2000', BTC: '1' });
  floor.trader('bob', { USDT: '1000000' });
  floor.isolate('ann');
  floor.leverage('ann', 50);
  floor.deal('ann', 'bob', '0.1', '60000');
  floor.buy('ann', '0.1', '59000');
  equal(floor.buy('ann', '0.05', '60000', MARGIN).stands, 'filled 0.05/0.05');
  floor.transfer('bob uta', 'bob spot', '100', 'USDT');
  floor.withdraw('bob', '50', 'USDT');
  floor.wait(3 * 3_600_000);
  floor.mark('50000');
  equal(floor.position('ann'), 'none');
  equal(floor.house('sys:interest', 'USDT') === '0', false);
  equal(before.size > 12, true);
  ledger.eachRow((who, coin, buckets) => {
    buckets.forEach((amount, bucket) => {
      const at = ledger.cell(who, coin, bucket as Bucket);
      equal(
        amount,
        (before.get(at) ?? 0n) + (sums[at] ?? 0n),
        `account ${who} coin ${coin} bucket ${bucket}`,
      );
    });
  });
  equal(
    sums.reduce((sum, amount) => sum + (amount ?? 0n), 0n),
    0n,
  );
  throws(() => ledger.move(0, 1, -1n), /positive amount/);
});
