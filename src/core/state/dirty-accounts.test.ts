import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { State } from './state.ts';

for (const uids of [[7], [9, 3], [3, 9], [8, 2, 5]]) {
  test(`accounts marked as ${uids.join(', ')} are taken in ascending uid, once`, () => {
    const state = new State();
    const accounts = uids.map((uid) => state.addAccount(uid, 0, false, false));
    for (const account of [...accounts, ...accounts]) state.markDirty(account);
    const taken = state.takeDirty();
    deepEqual(
      taken.map(({ uid }) => uid),
      uids.toSorted((a, b) => a - b),
    );
    equal(state.dirtyAccounts.length, 0);
    state.markDirty(accounts[0]!);
    deepEqual(state.takeDirty(), [accounts[0]]);
    equal(taken.length, uids.length, 'what was taken before stays as it is');
  });
}
