import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { accountsBefore } from './open-work.ts';

test('18.1: a round goes on where it is, comes to every account of its second once and to no later one', () => {
  const until = FIRST_USER_ACCOUNT + 5;
  const accounts = Array.from({ length: 5 }, (_, n) => FIRST_USER_ACCOUNT + n);
  for (const next of accounts) {
    const round = { next, until, left: 5, jump: false };
    const turns = accounts.map((account) => accountsBefore(round, account));
    deepEqual(
      [...turns].sort((a, b) => a - b),
      [0, 1, 2, 3, 4],
    );
    equal(turns[next - FIRST_USER_ACCOUNT], 0);
    for (const later of [until, until + 1]) equal(accountsBefore(round, later), Number.POSITIVE_INFINITY);
  }
});
