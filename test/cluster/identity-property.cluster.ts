/** Random changes on two nodes at once, with servers that lose connections: the copies are equal, whatever happened. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Identity, IdentityChanges } from '../../src/identity/identity.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { NO_SERVER, sharedServer } from '../postgres/server.ts';
import { clusterDatabase, contentsOf, join, NOW, newUser } from './identity-nodes.ts';

const ROUNDS = 25;
const AT_ONCE = 8;

/** Small numbers, so that changes meet. */
function generator(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
}

type Random = ReturnType<typeof generator>;

function randomChange(random: Random): (to: IdentityChanges) => unknown {
  const [kind, name, pick, flag] = [random(11), `u${random(12)}`, random(50), random(2) === 1];
  const userOf = (to: IdentityChanges) => {
    const users = to.listUsers();
    return users[pick % users.length]!.uid;
  };
  const destination = {
    type: 'regular',
    coin: 'BTC',
    chain: 'BTC',
    address: `a${pick % 5}`,
    memo: '',
  } as const;
  const changes: readonly ((to: IdentityChanges) => unknown)[] = [
    (to) => to.createUser({ name, nowMs: NOW }),
    (to) => to.createSub(userOf(to), { name, nowMs: NOW }),
    (to) => to.createUser({ name: `${name}-main`, nowMs: NOW }),
    (to) => {
      const uid = userOf(to);
      if (to.listUsers().length === 1) return;
      const isAlone = to.listSubs(uid).length === 0 && to.addresses.list(uid, { limit: 1 }).length === 0;
      if (isAlone) to.withdrawUser(to.findUser(uid)!);
    },
    (to) => to.claimUser(userOf(to), NOW + pick),
    (to) => to.reserveUids(1_000_000_000 + pick),
    (to) => to.setUser(userOf(to), { frozen: flag, rights: ['deposit'] }, NOW + pick),
    (to) => to.setQuotaExtra(userOf(to), 'spot', pick),
    (to) => to.setQuota(userOf(to), 'spot', [userOf(to)], pick),
    (to) => to.addresses.add(userOf(to), destination, name, NOW),
    (to) => {
      const [uid, at] = [userOf(to), pick % 3];
      const entry = to.addresses.list(uid, { limit: 3 })[at];
      return entry && to.addresses.remove(uid, entry.id);
    },
    (to) =>
      to.installKey({
        uid: userOf(to),
        apiKey: `key-${name}`,
        secretKey: `secret-${pick}`,
        passphrase: 'passphrase1',
        label: '',
        permType: 'read_only',
        permissions: [],
        demo: true,
        nowMs: NOW,
      }),
  ];
  return changes[kind]!;
}

/** Some are several in one, and some take all of it back. */
async function change(identity: Identity, random: Random): Promise<void> {
  const [first, second] = [randomChange(random), randomChange(random)];
  const kind = random(6);
  await identity
    .change((to) => {
      first(to);
      if (kind > 2) second(to);
      if (kind === 5) throw new Error('taken back');
    })
    .catch((error: Error) => assert.equal(error.message, 'taken back'));
}

test('copies of two nodes are equal after any changes', { skip: NO_SERVER }, async (context) => {
  const seed = Number(process.env.BOURSE_SEED ?? Date.now() % 1_000_000);
  context.diagnostic(`seed ${seed}`);
  const random = generator(seed);
  const server = await sharedServer();
  const address = await clusterDatabase(server);
  const keys = temporaryDirectory();
  const nodes = [await join(address, 'a', keys), await join(address, 'b', keys)];
  context.after(async () => {
    for (const { identity } of nodes) await identity.close();
  });
  await newUser(nodes[0]!.identity, 'first');
  await nodes[1]!.refresh();
  for (let round = 0; round < ROUNDS; round++) {
    const made = Array.from({ length: AT_ONCE }, () => change(nodes[random(2)]!.identity, random));
    if (round % 8 === 7)
      await server.run(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bourse' AND datname = '${address.database}'`,
      );
    await Promise.all(made);
  }
  // Hashes of passphrases follow.
  await Promise.all(nodes.map(({ identity }) => identity.change(() => {})));
  const joined = await join(address, 'c', keys);
  nodes.push(joined);
  await Promise.all(nodes.map((node) => node.refresh()));
  const [one, other, third] = nodes.map(({ identity }) => contentsOf(identity));
  assert.ok(joined.version > ROUNDS, `${joined.version} versions`);
  assert.deepEqual(other, one);
  assert.deepEqual(third, one);
});
