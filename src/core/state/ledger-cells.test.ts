import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Amount } from '../model/amount.ts';
import { BUCKETS, Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import { Ledger } from './ledger.ts';
import { LedgerCells } from './ledger-cells.ts';

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Amounts on both sides of what a number holds, as numbers where they may be. */
const amounts: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt(0n, 1000n),
  fc.bigInt(SAFE - 1000n, SAFE + 1000n),
  fc.bigInt(0n, 2n ** 80n),
);

function asGiven(amount: bigint, big: boolean): Amount {
  return big || amount > SAFE ? amount : Number(amount);
}

test('a cell holds what a big integer would, however far beyond exact numbers and back it goes', () => {
  const step = fc.record({ amount: amounts, big: fc.boolean(), takes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const cells = new LedgerCells();
      const cell = cells.openOutside(FIRST_USER_ACCOUNT, 0);
      let expected = 0n;
      for (const { amount, big, takes } of steps) {
        expected += takes ? -amount : amount;
        if (takes) equal(cells.subtract(cell, asGiven(amount, big)), expected < 0n);
        else cells.add(cell, asGiven(amount, big));
        equal(BigInt(cells.get(cell)), expected);
        const exact = expected >= -SAFE && expected <= SAFE;
        equal(cells.number(cell), exact ? Number(expected) : Number.NaN);
      }
    }),
  );
});

test('a row knows its owner, whatever its buckets hold', () => {
  const ledger = new Ledger(() => true);
  const first = new Map<string, number>();
  for (let n = 0; n < 6000; n++)
    // More coins than a block has rows, opened in turns with those of other accounts.
    for (const coin of [n % 7, 7, 8, 9 + (n % 3), 20].slice(0, 1 + (n % 5)))
      first.set(`${n} ${coin}`, ledger.row(n, coin));
  equal(new Set(first.values()).size, first.size);
  const { cells } = ledger as unknown as { readonly cells: LedgerCells };
  for (const row of first.values())
    for (let bucket = 0; bucket < BUCKETS; bucket++) cells.set(row + bucket, -1);
  for (const [owner, row] of first) {
    const [account, coin] = owner.split(' ').map(Number);
    deepEqual(ledger.ownerOf(row), { account, coin });
    equal(ledger.find(account!, coin!), row);
    deepEqual(ledger.bucketsOf(row), new Array<bigint>(BUCKETS).fill(-1n));
  }
  deepEqual(
    Array.from({ length: ledger.rowCount }, (_, n) => ledger.rowAt(n)),
    [...first.values()],
  );
});

test('an account has its counters for itself, with rows in any number of coins and without', () => {
  const counts = fc.record({ account: fc.nat(3000), coin: fc.nat(5), changes: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(counts, { maxLength: 60 }), (steps) => {
      const ledger = new Ledger(() => true);
      const changed = new Map<number, number>();
      const known = new Set<string>();
      for (const { account, coin, changes } of steps) {
        ledger.row(account, coin);
        const isNew = !known.has(`${account} ${coin}`);
        known.add(`${account} ${coin}`);
        for (let n = 0; n < changes; n++) ledger.positionChanged(account + 1);
        changed.set(account, (changed.get(account) ?? 0) + (isNew ? 1 : 0));
        changed.set(account + 1, (changed.get(account + 1) ?? 0) + changes);
      }
      for (const [account, times] of changed) equal(ledger.changesOf(account), times);
      for (let account = 0; account < 3002; account++) {
        if (!changed.has(account)) equal(ledger.changesOf(account), 0);
        equal(ledger.hasNegativeCash(account), false);
      }
    }),
    { numRuns: 30 },
  );
});

test('an account finds the rows of many coins, and none of a coin it never had', () => {
  const ledger = new Ledger(() => true);
  const coins = [5, 0, 9, 3, 700, 8];
  for (const account of [FIRST_USER_ACCOUNT, FIRST_USER_ACCOUNT + 5000])
    for (const [n, coin] of coins.entries()) {
      const from = ledger.cell(SystemAccount.external, coin, Bucket.cash);
      ledger.move(from, ledger.cell(account, coin, Bucket.cash), account + n);
    }
  for (const account of [FIRST_USER_ACCOUNT, FIRST_USER_ACCOUNT + 5000]) {
    deepEqual(
      coins.map((coin) => ledger.balanceOf(account, coin, Bucket.cash)),
      coins.map((_, n) => BigInt(account + n)),
    );
    deepEqual(ledger.coinsOf(account), [0, 3, 5, 8, 9, 700]);
    equal(ledger.find(account, 4), -1);
  }
  equal(ledger.find(FIRST_USER_ACCOUNT + 1, 5), -1);
});
