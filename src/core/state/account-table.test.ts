import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { Account } from './account.ts';
import { AccountTable } from './account-table.ts';
import { Ledger } from './ledger.ts';
import { MarginCache } from './margin-cache-state.ts';

const UIDS = [7, 2 ** 40, 1, 2 ** 31, 2 ** 53 - 1];

function tableOf(uids: readonly number[]): AccountTable {
  const table = new AccountTable(new Ledger(() => false));
  for (const uid of uids)
    table.add(
      new Account(uid, FIRST_USER_ACCOUNT + table.size, 0, FIRST_USER_ACCOUNT + table.size, false, false),
    );
  return table;
}

test('accounts are found by uid and listed in the order in which they were opened', () => {
  const table = tableOf(UIDS);
  assert.deepEqual([...table.keys()], UIDS);
  assert.deepEqual(
    [...table.values()].map(({ uid }) => uid),
    UIDS,
  );
  assert.equal(table.size, UIDS.length);
  for (const [n, uid] of UIDS.entries()) assert.equal(table.get(uid)?.index, FIRST_USER_ACCOUNT + n);
});

test('no account has uid 0, or one that was not opened, however large the table is', () => {
  for (const uids of [[], UIDS, Array.from({ length: 1000 }, (_, n) => n + 1)]) {
    const table = tableOf(uids);
    for (const uid of [0, 3000, -1, 2 ** 41, Number.NaN]) {
      assert.equal(table.get(uid), undefined);
      assert.equal(table.has(uid), false);
    }
  }
});

test('a look changes nothing of an account, in small and large tables', () => {
  for (const count of [1, 10_000]) {
    const table = tableOf(Array.from({ length: count }, (_, n) => n + 1));
    const account = table.get(count)!;
    account.margin = new MarginCache();
    assert.equal(table.get(count), account);
    assert.equal(account.margin.takeStale(0, 0), new MarginCache().takeStale(0, 0));
  }
});
