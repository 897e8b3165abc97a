import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openIdentity } from './sqlite-identity.ts';

const directory = mkdtempSync(join(tmpdir(), 'bourse-quotas-'));
const identity = openIdentity(directory);
after(async () => {
  await identity.close();
  rmSync(directory, { recursive: true });
});

function opened(name: string, mainUid?: number): number {
  const user = { name, nowMs: 1 };
  const created = mainUid === undefined ? identity.createUser(user) : identity.createSub(mainUid, user);
  assert.ok(created.ok);
  return created.value.uid;
}

const ann = opened('ann');
const son = opened('son', ann);
const bob = opened('bob');
const quotas = (uid: number) => identity.findUser(uid)!.quotas;

test('what one account of a family is given another has given up, or the operator has added', () => {
  assert.deepEqual(identity.partyQuota(ann, 'spot'), { given: 20, cap: 20 });
  assert.equal(quotas(son), undefined);
  const tooMuch = identity.setQuota(ann, 'spot', [son], 11);
  assert.ok(!tooMuch.ok && tooMuch.reason === 'quota_above_cap');
  assert.equal(quotas(son), undefined, 'a refusal changes nothing');
  assert.ok(identity.setQuota(ann, 'spot', [ann], 1).ok);
  assert.ok(identity.setQuota(ann, 'spot', [son], 19).ok);
  assert.deepEqual(
    [quotas(ann), quotas(son)],
    [
      { spot: 1, futures: 10 },
      { spot: 19, futures: 10 },
    ],
  );
  assert.deepEqual(identity.setQuotaExtra(ann, 'futures', 60), { ok: true, value: { given: 20, cap: 80 } });
  assert.ok(identity.setQuota(ann, 'futures', [ann, son], 40).ok);
  assert.deepEqual(identity.partyQuota(ann, 'futures'), { given: 80, cap: 80 });
  assert.ok(
    !identity.setQuotaExtra(ann, 'futures', 59).ok,
    'what is given out cannot be taken from under it',
  );
});

test('an account that is back at the standard counts as before', () => {
  assert.ok(identity.setQuota(ann, 'futures', [ann, son], 10).ok);
  assert.ok(identity.setQuota(ann, 'spot', [son], 10).ok);
  assert.ok(identity.setQuota(ann, 'spot', [ann], 10).ok);
  assert.equal(quotas(ann), undefined);
});

test('a new sub-account brings its own standard with it', () => {
  opened('daughter', ann);
  assert.deepEqual(identity.partyQuota(ann, 'spot'), { given: 30, cap: 30 });
});

test('nobody gives quotas to strangers, and of a list with one nobody gets any', () => {
  const refused = identity.setQuota(ann, 'spot', [ann, bob], 1);
  assert.ok(!refused.ok && refused.reason === 'user_unknown');
  assert.equal(quotas(bob), undefined);
  assert.ok(!identity.setQuotaExtra(son, 'spot', 5).ok, 'only a main account has something to share out');
});
