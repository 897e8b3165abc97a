import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { DERIVATION_QUEUE_MAX } from './derivation-thread.ts';
import {
  FAILURES_MAX,
  PassphraseGuard,
  PUBLISHED_SCRYPT_COST,
  SCRYPT_COST,
  type StoredPassphrase,
} from './passphrase.ts';

const CHEAP = { N: 2 ** 10, r: 8, p: 1 };
const NOW = 1_700_000_000_000;

const opened: PassphraseGuard[] = [];
afterEach(async () => {
  for (const guard of opened.splice(0)) await guard.close();
});

function guardWith(cost = CHEAP) {
  const store = new Map<string, StoredPassphrase>();
  let loads = 0;
  const load = (apiKey: string) => {
    loads += 1;
    return store.get(apiKey);
  };
  const guard = new PassphraseGuard(load, cost);
  opened.push(guard);
  const set = async (apiKey: string, passphrase: string) => {
    const stored = await guard.hash(passphrase);
    assert.ok(stored !== 'busy');
    store.set(apiKey, stored);
  };
  return { guard, store, set, loads: () => loads };
}

test('the first check takes the slow way, the next is answered at once', async () => {
  const { guard, set } = guardWith();
  await set('k', 'open sesame');
  const first = guard.check('k', 'open sesame', NOW);
  assert.ok(first instanceof Promise);
  assert.equal(await first, 'ok');
  assert.equal(guard.check('k', 'open sesame', NOW), 'ok');
  assert.equal(guard.check('k', 'open sesam', NOW), 'wrong');
});

test('a wrong passphrase is not remembered as good', async () => {
  const { guard, set } = guardWith();
  await set('k', 'right');
  assert.equal(await guard.check('k', 'wrong', NOW), 'wrong');
  assert.equal(await guard.check('k', 'wrong', NOW), 'wrong');
  assert.equal(await guard.check('k', 'right', NOW), 'ok');
});

test('the passphrase of one key does not open another', async () => {
  const { guard, set } = guardWith();
  await set('a', 'same');
  await set('b', 'other');
  assert.equal(await guard.check('a', 'same', NOW), 'ok');
  assert.equal(await guard.check('b', 'same', NOW), 'wrong');
  assert.equal(await guard.check('unknown', 'same', NOW), 'wrong');
});

test('hashes are salted and carry their cost; the default is the recommended minimum', async () => {
  const { guard } = guardWith();
  const [first, second] = [await guard.hash('same'), await guard.hash('same')];
  assert.ok(first !== 'busy' && second !== 'busy');
  assert.notDeepEqual(first.hash, second.hash);
  assert.deepEqual(first.cost, CHEAP);
  assert.deepEqual(SCRYPT_COST, { N: 131072, r: 8, p: 1 });
});

test('a burst of equal first requests shares one derivation', async () => {
  const { guard, set, loads } = guardWith();
  await set('k', 'right');
  const verdicts = await Promise.all(Array.from({ length: 50 }, async () => guard.check('k', 'right', NOW)));
  assert.deepEqual(new Set(verdicts), new Set(['ok']));
  assert.equal(loads(), 2);
});

for (const path of ['cold', 'warm'] as const) {
  test(`ten wrong guesses in a minute lock the key for a minute, even for the right one (${path})`, async () => {
    const { guard, set } = guardWith();
    await set('k', 'right');
    if (path === 'warm') await guard.check('k', 'right', NOW);
    for (let guess = 0; guess < FAILURES_MAX; guess += 1) {
      assert.equal(await guard.check('k', `guess ${guess}`, NOW + guess), 'wrong', `guess ${guess}`);
    }
    assert.equal(await guard.check('k', 'right', NOW + 100), 'locked');
    assert.equal(await guard.check('k', 'right', NOW + 60_008), 'locked');
    assert.equal(await guard.check('k', 'right', NOW + 60_009), 'ok');
  });
}

test('nine wrong guesses a minute go on for ever', async () => {
  const { guard } = guardWith();
  guard.seed('k', 'right');
  for (let minute = 0; minute < 5; minute += 1) {
    for (let guess = 0; guess < FAILURES_MAX - 1; guess += 1) {
      assert.equal(guard.check('k', 'wrong', NOW + minute * 60_000), 'wrong');
    }
  }
  assert.equal(guard.check('k', 'right', NOW + 300_000), 'ok');
});

test('a lock set before the clock was moved back does not last', () => {
  const { guard } = guardWith();
  guard.seed('k', 'right');
  for (let guess = 0; guess < FAILURES_MAX; guess += 1) guard.check('k', 'wrong', NOW);
  assert.equal(guard.check('k', 'right', NOW), 'locked');
  assert.equal(guard.check('k', 'right', NOW - 86_400_000), 'ok');
});

test('the queue holds eight, then says busy; one key cannot fill it', async () => {
  const { guard, set } = guardWith({ N: 2 ** 13, r: 8, p: 1 });
  for (let key = 0; key < DERIVATION_QUEUE_MAX + 1; key += 1) await set(`k${key}`, 'right');
  const greedy = [guard.check('k0', 'a', NOW), guard.check('k0', 'b', NOW), guard.check('k0', 'c', NOW)];
  assert.equal(greedy[2], 'busy');
  for (let key = 1; key <= 6; key += 1) assert.ok(guard.check(`k${key}`, 'right', NOW) instanceof Promise);
  assert.equal(guard.check('k7', 'right', NOW), 'busy');
  assert.equal(await guard.hash('new'), 'busy');
  assert.deepEqual(await Promise.all(greedy.map(async (verdict) => verdict)), ['wrong', 'wrong', 'busy']);
  assert.equal(await guard.check('k7', 'right', NOW), 'ok');
});

test('a thread is started for hashes that are dear, and not for those of published passphrases', async () => {
  let started = 0;
  const count = () => {
    started += 1;
  };
  process.on('worker', count);
  await guardWith(PUBLISHED_SCRYPT_COST).guard.hash('published');
  assert.equal(started, 0);
  await guardWith({ N: 2 ** 13, r: 8, p: 1 }).guard.hash('secret');
  assert.equal(started, 1);
  process.off('worker', count);
});

for (const cost of [CHEAP, { N: 2 ** 13, r: 8, p: 1 }]) {
  test(`a check that the end comes before is not accepted (N = ${cost.N})`, async () => {
    const { guard, set } = guardWith(cost);
    await set('k', 'right');
    const running = guard.check('k', 'right', NOW);
    await guard.close();
    assert.equal(await running, 'busy');
  });
}

test('a passphrase that is changed during its check is not accepted', async () => {
  const { guard, store, set } = guardWith({ N: 2 ** 13, r: 8, p: 1 });
  await set('k', 'old');
  const replacement = await guard.hash('new');
  const running = guard.check('k', 'old', NOW);
  assert.ok(replacement !== 'busy');
  store.set('k', replacement);
  assert.equal(await running, 'wrong');
  assert.equal(await guard.check('k', 'new', NOW), 'ok');
});

test('a seeded key answers at once and a forgotten one asks again', () => {
  const { guard } = guardWith();
  guard.seed('k', 'demo');
  assert.equal(guard.check('k', 'demo', NOW), 'ok');
  guard.forget('k');
  assert.equal(guard.check('k', 'demo', NOW), 'wrong');
});

test('the fast check looks nothing up and derives nothing', async () => {
  const { guard, set, loads } = guardWith();
  await set('k', 'demo');
  assert.equal(await guard.check('k', 'demo', NOW), 'ok');
  const before = loads();
  for (let call = 0; call < 2_000; call += 1) assert.equal(guard.check('k', 'demo', NOW), 'ok');
  assert.equal(loads(), before);
});
