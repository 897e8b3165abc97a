/** The primary of two servers is killed while nodes change users and keys: what was told is kept, on every node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdentityInDoubt, IdentityUnavailable } from '../../src/identity/identity.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { NO_SERVER } from '../postgres/server.ts';
import { announce, contentsOf, join, NOW, newUser, withStandby } from './identity-nodes.ts';

test('changes that were told survive the loss of the primary, those in doubt are made once or not at all', {
  skip: NO_SERVER,
}, async (context) => {
  const { primary, standby, address } = await withStandby();
  const hosts = [...address.hosts, { host: '127.0.0.1', port: standby.port }];
  const keys = temporaryDirectory();
  const nodes = [await join({ ...address, hosts }, 'a', keys), await join({ ...address, hosts }, 'b', keys)];
  await announce(primary, address, 'a', 'b');
  await newUser(nodes[0]!.identity, 'first');

  const told = new Map<string, number>();
  const unknown: string[] = [];
  const refused: string[] = [];
  let isOver = false;
  const work = async (n: number) => {
    for (let k = 0; !isOver; k++) {
      const name = `n${n}-${k}`;
      const made = nodes[n]!.identity.change((to) => to.createUser({ name, nowMs: NOW }));
      await made.then(
        (created) => {
          // A change that is repeated under its own id never finds its name taken.
          assert.ok(created.ok, created.ok ? '' : created.message);
          told.set(name, created.value.uid);
        },
        (error) => {
          if (error instanceof IdentityInDoubt) unknown.push(name);
          else if (error instanceof IdentityUnavailable) refused.push(name);
          else throw error;
        },
      );
    }
  };
  const working = Promise.all([work(0), work(1)]);
  for (let n = 0; told.size < 20 && n < 500; n++) await sleep(20);
  const before = told.size;
  assert.ok(before >= 20);
  // The standby stops first, so that changes wait for it: they are in the middle when the primary goes.
  standby.pause();
  await sleep(100);
  // Who only reads goes on.
  await nodes[0]!.refresh();
  await primary.kill();
  standby.unpause();
  const killedMs = performance.now();
  await standby.promote();
  await standby.run("ALTER SYSTEM SET synchronous_standby_names = ''");
  await standby.run('SELECT pg_reload_conf()');
  for (let n = 0; told.size < before + 20 && n < 1_000; n++) await sleep(20);
  context.diagnostic(`answers again ${Math.round(performance.now() - killedMs)} ms after the kill`);
  assert.ok(told.size >= before + 20, 'changes are made again');
  isOver = true;
  await working;

  await Promise.all(nodes.map((node) => node.refresh()));
  const [one, other] = nodes.map(({ identity }) => identity);
  for (const [name, uid] of told) assert.equal(one!.findUserByName(name)?.uid, uid, name);
  for (const name of refused) assert.equal(one!.findUserByName(name), undefined, name);
  assert.deepEqual(contentsOf(other!), contentsOf(one!));
  const rows = await standby.run(
    'SELECT count(*)::int AS count, max(version)::int AS last FROM bourse_cluster.identity_change',
    address.database,
  );
  assert.equal(rows[0]!.count, rows[0]!.last, 'versions without a gap');
  assert.equal(
    one!.listUsers().length,
    told.size + 1 + unknown.filter((name) => one!.findUserByName(name)).length,
  );
  const joined = await join({ ...address, hosts: [hosts[1]!] }, 'c', keys);
  assert.deepEqual(contentsOf(joined.identity), contentsOf(one!));
  for (const { identity } of [...nodes, joined]) await identity.close();
  await standby.kill();
});
