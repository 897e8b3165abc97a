/** What a running exchange asserts: a broken one throws `InvariantBroken`, which stops the process. */
import { doesNotThrow, equal, ok, throws } from 'node:assert/strict';
import { test } from 'node:test';
import type { LevelLots } from '../../src/core/book/level-lots.ts';
import { turnOf } from '../../src/core/engine/account-invariants.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { accountRisk } from '../../src/core/margin/margin-cache.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import { loadState } from '../../src/core/snapshot/snapshot.ts';
import type { Account } from '../../src/core/state/account.ts';
import { Ledger } from '../../src/core/state/ledger.ts';
import type { State } from '../../src/core/state/state.ts';
import { futuresFloor } from './futures/futures-floor.ts';
import { openFloor, type TradingFloor } from './trading-floor.ts';

const [SPOT, DEBTOR, COIN, OTHER_COIN] = [16, 17, 0, 1];

function broken(message: RegExp): { name: string; message: RegExp } {
  return { name: 'InvariantBroken', message };
}

/** A ledger in which a spot account and one that may owe have 100 in each bucket. */
function funded(): Ledger {
  const ledger = new Ledger((account) => account === DEBTOR);
  const external = ledger.cell(SystemAccount.external, COIN, Bucket.cash);
  for (const account of [SPOT, DEBTOR])
    for (const bucket of Object.values(Bucket))
      ledger.move(external, ledger.cell(account, COIN, bucket), 100n);
  return ledger;
}

test('I01: a posting between two coins is caught', () => {
  const ledger = funded();
  const [from, to] = [ledger.cell(SPOT, COIN, Bucket.cash), ledger.cell(SPOT, OTHER_COIN, Bucket.cash)];
  throws(() => ledger.move(from, to, 1n), broken(/I01/));
});

test('I03: only cash of accounts that may owe, and counterparts of the house, go below zero', () => {
  const may = (account: number, bucket: Bucket) => {
    const ledger = funded();
    const sink = ledger.cell(
      account === SystemAccount.fee ? SystemAccount.convert : SystemAccount.fee,
      COIN,
      0,
    );
    const cell = ledger.cell(account, COIN, bucket);
    const balance = ledger.balance(cell);
    if (balance > 0n) ledger.move(cell, sink, balance);
    try {
      ledger.move(cell, sink, 1n);
    } catch (error) {
      equal((error as Error).name, 'InvariantBroken');
      return false;
    }
    return true;
  };
  for (const bucket of [
    Bucket.locked,
    Bucket.pledge,
    Bucket.funding,
    Bucket.withdrawing,
    Bucket.isolatedOrders,
  ])
    for (const account of [SPOT, DEBTOR])
      equal(may(account, bucket), false, `bucket ${bucket} of ${account}`);
  equal(may(SPOT, Bucket.cash), false);
  equal(may(DEBTOR, Bucket.cash), true);
  const { insurance, insuranceLending, loanPool, settling, ...counterparts } = SystemAccount;
  for (const account of [insurance, insuranceLending, loanPool, settling])
    equal(may(account, Bucket.cash), false, `account ${account}`);
  for (const account of Object.values(counterparts))
    equal(may(account, Bucket.cash), true, `account ${account}`);
});

test('I03: isolated margin may be below zero within a command, not after it', () => {
  const ledger = funded();
  const isolated = ledger.cell(DEBTOR, COIN, Bucket.isolated);
  const fund = ledger.cell(SystemAccount.external, COIN, Bucket.cash);
  ledger.move(isolated, fund, 130n);
  ledger.move(fund, isolated, 30n);
  doesNotThrow(() => ledger.checkIsolatedMargins());
  ledger.move(isolated, fund, 1n);
  throws(() => ledger.checkIsolatedMargins(), broken(/I03: bucket 5 of account 17 coin 0 holds -1/));
});

/** An exchange of its own in the state of a scenario, to be damaged. */
function copyOf(floor: TradingFloor): Exchange {
  return new Exchange(loadState(floor.image()));
}

test('I15: a level that shows other lots than its orders hold is caught when an order leaves it', () => {
  for (const orders of [1, 2, 3]) {
    const floor = openFloor('ann');
    const placed = Array.from({ length: orders }, () => floor.buy('ann', '1', '59000'));
    const exchange = copyOf(floor);
    const { book } = exchange.state.markets[0]!;
    const { normalLots } = book as unknown as { readonly normalLots: LevelLots };
    if (orders < 3) normalLots.add(0, 1);
    else normalLots.take(0, normalLots.of(0) - 1);
    const [uid, orderId] = [floor.uid('ann'), placed[0]!.orderId];
    const any = { category: -1, instrument: -1, clientOid: '' } as const;
    const cancel = () => exchange.apply({ type: 'cancelOrder', time: floor.now, uid, orderId, ...any });
    throws(cancel, broken(/I15/), `${orders} orders`);
  }
});

/** Seconds pass until the turn of every account has come. */
function passSeconds(exchange: Exchange): void {
  const { state } = exchange;
  for (let left = 2 * state.accountByUid.size; left > 0; left--)
    exchange.apply({ type: 'tick', time: state.now + 1000 });
}

function lastAccount({ accountByUid }: State): Account {
  return [...accountByUid.values()].at(-1)!;
}

const DAMAGES: Readonly<Record<string, (state: State) => void>> = {
  'I04: money is held for no order': (state) => {
    const { ledger } = state;
    const { index } = lastAccount(state);
    const usdt = state.coinByName.get('USDT')!;
    ledger.move(ledger.cell(index, usdt, Bucket.cash), ledger.cell(index, usdt, Bucket.locked), 1n);
  },
  'I28: an open order is not counted': (state) => {
    lastAccount(state).openSpot--;
  },
  'I29: an order is not found by its client id': (state) => {
    const { firstOrder, index } = lastAccount(state);
    const { clientOids } = state.slab;
    clientOids.delete(firstOrder, index);
    clientOids.set(firstOrder, index + 1, 'open');
  },
  'I18: the list of orders loses its end': (state) => {
    const account = lastAccount(state);
    account.lastOrder = account.firstOrder;
  },
};

for (const [name, damage] of Object.entries(DAMAGES)) {
  test(`${name}: found within twice as many seconds as there are accounts`, () => {
    const floor = openFloor('ann', 'bob', 'eve');
    floor.buy('eve', '1', '59000', { clientOid: 'open' });
    floor.buy('eve', '1', '59001');
    const exchange = copyOf(floor);
    doesNotThrow(() => passSeconds(exchange));
    damage(exchange.state);
    throws(() => passSeconds(exchange), broken(new RegExp(`^${name.slice(0, 3)}:`)));
  });
}

test('a margin cache that disagrees with the rule is found within twice as many seconds as there are accounts', () => {
  const floor = futuresFloor('100000', 'ann', 'bob');
  floor.deal('ann', 'bob', '0.3', '60000');
  const exchange = copyOf(floor);
  const { state } = exchange;
  for (const account of state.accountByUid.values()) accountRisk(state, account);
  doesNotThrow(() => passSeconds(exchange));
  // The cache knows of a position by notice: this change gives none.
  for (const position of lastAccount(state).positions.values()) position.basis -= 1n;
  throws(() => passSeconds(exchange), broken(/^margin of .* cached .*, exactly/));
});

test('every account has its turn, however many commands each second brings', () => {
  for (let commands = 1; commands <= 60; commands++)
    for (let accounts = 1; accounts <= 60; accounts++) {
      const left = new Set(Array(accounts).keys());
      for (let second = 0; left.size > 0; second++) {
        left.delete(turnOf(1 + second * commands, accounts));
        ok(second < 60 * accounts, `${left.size} of ${accounts} are left at ${commands} commands a second`);
      }
    }
});
