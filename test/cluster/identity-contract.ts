/** What users and keys do, whoever keeps them: one process, or nodes that share them. */
import assert from 'node:assert/strict';
import { openDemoAccounts } from '../../src/identity/demo-accounts.ts';
import type { Identity } from '../../src/identity/identity.ts';
import { must, NOW, newKey, newUser } from './identity-nodes.ts';

const TO = { type: 'regular', coin: 'BTC', chain: 'BTC', address: 'bc1q', memo: '' } as const;

type Case = (identity: Identity) => Promise<void>;

export const IDENTITY_CONTRACT: Readonly<Record<string, Case>> = {
  'a user that was claimed is not withdrawn, and one that was withdrawn is not claimed': async (identity) => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map(async (name) =>
        must(await identity.change((to) => to.createUser({ name, nowMs: NOW }))),
      ),
    );
    // The clock of the second node may be behind.
    const claimed = await identity.change((to) => to.claimUser(one!.uid, NOW - 1));
    assert.deepEqual(claimed, { ...one, updatedTime: NOW + 1 });
    assert.equal(await identity.change((to) => to.withdrawUser(one!)), false);
    assert.deepEqual(identity.findUser(one!.uid), claimed);
    assert.equal(await identity.change((to) => to.withdrawUser(other!)), true);
    assert.equal(await identity.change((to) => to.claimUser(other!.uid, NOW)), undefined);
    assert.equal(await identity.change((to) => to.withdrawUser(other!)), false);
  },
  'users and sub-accounts get uids that are never assigned again': async (identity) => {
    const main = await newUser(identity, 'alice');
    const sub = must(await identity.change((to) => to.createSub(main, { name: 'desk', nowMs: NOW })));
    assert.equal(sub.uid, main + 1);
    assert.deepEqual(identity.findSubByName(main, 'desk'), sub);
    await identity.change((to) => to.withdrawUser(sub));
    assert.equal(identity.findUser(sub.uid), undefined);
    await identity.change((to) => {
      must(to.createUser({ name: 'passing', nowMs: NOW }));
      to.withdrawUser(to.findUserByName('passing')!);
    });
    assert.equal(await newUser(identity, 'bob'), main + 3);
    await identity.change((to) => to.reserveUids(main + 100));
    assert.equal(await newUser(identity, 'carol'), main + 101);
    const again = await identity.change((to) => to.createUser({ name: 'alice', nowMs: NOW }));
    assert.equal(again.ok ? '' : again.reason, 'name_taken');
    await identity.change((to) => to.replaceLost([{ uid: main + 200, mainUid: undefined }], NOW));
    assert.equal(identity.findUser(main + 200)!.frozen, true);
    assert.equal(await newUser(identity, 'dave'), main + 201);
  },

  'keys open their secrets, change and end': async (identity) => {
    const uid = await newUser(identity, 'keys');
    const apiKey = await newKey(identity, uid);
    assert.equal(identity.findKey(apiKey)!.key.uid, uid);
    assert.equal(await identity.checkPassphrase(apiKey, 'passphrase1', NOW), 'ok');
    assert.equal(await identity.checkPassphrase(apiKey, 'wrong', NOW), 'wrong');
    const changed = must(
      await identity.change((to) => to.setKey(apiKey, { label: 'new', ipList: ['10.0.0.1'] })),
    );
    assert.deepEqual([changed.label, changed.version], ['new', 2]);
    assert.deepEqual(identity.findKey(apiKey)!.key, changed);
    must(await identity.setPassphrase(apiKey, 'passphrase2'));
    assert.equal(await identity.checkPassphrase(apiKey, 'passphrase1', NOW), 'wrong');
    assert.equal(await identity.checkPassphrase(apiKey, 'passphrase2', NOW), 'ok');
    identity.noteUse(apiKey, NOW + 9);
    assert.equal(identity.listKeys(uid)[0]!.lastUsedTime, NOW + 9);
    must(await identity.change((to) => to.deleteKey(apiKey)));
    assert.equal(identity.findKey(apiKey), undefined);
    const unknown = await identity.change((to) => to.deleteKey(apiKey));
    assert.equal(unknown.ok ? '' : unknown.reason, 'key_unknown');
    const nobody = await identity.createKey({
      uid: 1,
      label: '',
      permType: 'read_only',
      permissions: [],
      passphrase: 'passphrase1',
      nowMs: NOW,
    });
    assert.equal(nobody.ok ? '' : nobody.reason, 'user_unknown');
  },

  'freezing, rights and quotas reach the keys of a family': async (identity) => {
    const main = await newUser(identity, 'family');
    const sub = must(await identity.change((to) => to.createSub(main, { name: 'desk', nowMs: NOW }))).uid;
    const apiKey = await newKey(identity, sub);
    assert.equal(identity.findKey(apiKey)!.frozen, false);
    must(await identity.change((to) => to.setFrozen(main, true, NOW)));
    assert.equal(identity.findKey(apiKey)!.frozen, true);
    must(await identity.change((to) => to.setUser(main, { frozen: false, broker: true }, NOW)));
    must(await identity.change((to) => to.setUser(sub, { rights: ['deposit'] }, NOW)));
    const { frozen, user } = identity.findKey(apiKey)!;
    assert.deepEqual([frozen, user.rights], [false, ['deposit']]);
    const above = await identity.change((to) => to.setQuota(main, 'spot', [sub], 15));
    assert.equal(above.ok ? '' : above.reason, 'quota_above_cap');
    assert.equal(identity.findKey(apiKey)!.user.quotas, undefined);
    must(await identity.change((to) => to.setQuotaExtra(main, 'spot', 5)));
    must(await identity.change((to) => to.setQuota(main, 'spot', [sub], 15)));
    assert.deepEqual(identity.findKey(apiKey)!.user.quotas, { spot: 15, futures: 10 });
  },

  'address books hold what withdrawals may go to': async (identity) => {
    const uid = await newUser(identity, 'book');
    const { id } = must(await identity.change(({ addresses }) => addresses.add(uid, TO, 'cold', NOW)));
    const twice = await identity.change(({ addresses }) => addresses.add(uid, TO, 'cold', NOW));
    assert.equal(twice.ok ? '' : twice.reason, 'address_taken');
    await identity.change(({ addresses }) => addresses.lock(uid, true));
    assert.equal(identity.addresses.admits(uid, TO), true);
    must(await identity.change(({ addresses }) => addresses.remove(uid, id)));
    assert.equal(identity.addresses.admits(uid, TO), false);
    const next = must(await identity.change(({ addresses }) => addresses.add(uid, TO, 'cold', NOW)));
    assert.equal(next.id, id + 1);
  },

  'a change that throws leaves nothing, and the next is made': async (identity) => {
    const before = identity.mark;
    const broken = identity.change((to) => {
      must(to.createUser({ name: 'half', nowMs: NOW }));
      throw new Error('broken');
    });
    await assert.rejects(broken, /broken/);
    assert.equal(identity.findUserByName('half'), undefined);
    assert.deepEqual(identity.mark, before);
    await newUser(identity, 'whole');
  },

  'demo accounts are made once, and their passphrases hold': async (identity) => {
    const first = await openDemoAccounts(identity, NOW);
    await first.stored;
    const again = await openDemoAccounts(identity, NOW);
    await again.stored;
    assert.deepEqual(again.accounts, first.accounts);
    assert.equal(await identity.checkPassphrase('demo-alice', 'demo', NOW), 'ok');
    assert.equal(identity.findKey('demo-alice')!.verifier.export().toString(), 'demo-alice-secret');
  },
};
