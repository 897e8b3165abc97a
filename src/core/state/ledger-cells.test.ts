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
      const cell = cells.open(FIRST_USER_ACCOUNT, 0);
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
  const cells = new LedgerCells();
  for (let n = 0; n < 10_000; n++) {
    const first = cells.open(n, n % 7);
    for (let bucket = 0; bucket < BUCKETS; bucket++) cells.set(first + bucket, -1);
  }
  for (let n = 0; n < 10_000; n++) {
    const cell = n * 8 + Bucket.isolated;
    deepEqual([cells.accountOf(cell), cells.coinOf(cell)], [n, n % 7]);
  }
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

test('rows keep their place and money while the first page grows and others follow', () => {
  const ledger = new Ledger(() => true);
  // Beyond the first pages of accounts and of rows at their full size.
  const accounts = Array.from({ length: 9000 }, (_, n) => FIRST_USER_ACCOUNT + n);
  const rows = accounts.map((account) => ledger.row(account, account % 3));
  const outside = [0, 1, 2].map((coin) => ledger.cell(SystemAccount.external, coin, Bucket.cash));
  for (const [n, row] of rows.entries()) {
    ledger.move(outside[accounts[n]! % 3]!, row + Bucket.cash, n + 1);
    if (n % 1000 === 0) equal(ledger.find(FIRST_USER_ACCOUNT + 1_000_000 + n, 0), -1);
  }
  for (const [n, account] of accounts.entries()) {
    equal(ledger.find(account, account % 3), rows[n]);
    equal(ledger.find(account, (account + 1) % 3), -1);
    deepEqual(ledger.ownerOf(rows[n]! / 8), { account, coin: account % 3 });
    equal(ledger.balanceOf(account, account % 3, Bucket.cash), BigInt(n + 1));
    equal(ledger.changesOf(account), 2);
  }
});
