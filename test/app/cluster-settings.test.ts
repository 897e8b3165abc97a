/** Settings of a node of a cluster, and what does not go with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseWithCluster } from '../../src/app/config/cluster-mode.ts';
import { explainSettings, type Overrides, resolveConfig } from '../../src/app/config/resolve-config.ts';
import { ConfigError } from '../../src/app/exit-codes.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const CLUSTER = { cluster: 'postgres://bourse:s3cret@db1,db2:5433/bourse', node: 'a', keys: 'keys' };
const resolve = (flags: Overrides, environment: NodeJS.ProcessEnv = {}) =>
  resolveConfig({ flags, environment, directory: temporaryDirectory(), configFile: null });

test('a node needs the database, its name and the keys; its laboratory is off', async () => {
  const resolved = await resolve(CLUSTER);
  refuseWithCluster(resolved);
  const { lab, clusterDurability, role } = resolved.config;
  assert.deepEqual(
    { lab, clusterDurability, role },
    { lab: 'off', clusterDurability: 'standby', role: 'node' },
  );
  for (const missing of ['node', 'keys'] as const) {
    const { [missing]: _, ...rest } = CLUSTER;
    const incomplete = await resolve(rest);
    assert.throws(
      () => refuseWithCluster(incomplete),
      new ConfigError(`--cluster needs --${missing} as well`),
    );
  }
});

test('the password of the database is shown nowhere', async () => {
  const shown = JSON.stringify(explainSettings(await resolve(CLUSTER)));
  assert.match(shown, /postgres:\/\/bourse@db1,db2:5433\/bourse/);
  assert.doesNotMatch(shown, /s3cret/);
  await assert.rejects(resolve({ cluster: 'postgres://bourse:s3cret@db1:99999/x' }), (error: Error) => {
    assert.match(error.message, /^--cluster must be postgres:\/\/USER@HOST/);
    return !error.message.includes('s3cret');
  });
});

test('what belongs to one machine does not go with it, by whichever name it came', async () => {
  const refused: readonly [Overrides, RegExp][] = [
    [{ memory: 'on' }, /--memory: everything is in the database/],
    [{ data: 'data', segmentBytes: '4194304' }, /--data, --segment-bytes: everything/],
    [{ history: 'sqlite' }, /--history: it is in the same database/],
    [{ lab: 'on' }, /--lab on: one node cannot turn back/],
    [{ clock: 'manual' }, /--clock manual: the database tells the time/],
    [{ operatorTokenFile: 'token' }, /--operator-token-file: everything/],
  ];
  for (const [more, words] of refused) {
    const resolved = await resolve({ ...CLUSTER, ...more });
    assert.throws(() => refuseWithCluster(resolved), words);
  }
  const variable = await resolve(CLUSTER, { BOURSE_DATA: 'data' });
  assert.throws(() => refuseWithCluster(variable), /--data \(environment BOURSE_DATA\)/);
});

test('settings of a node alone name the one that is missing', async () => {
  for (const flags of [
    { node: 'a' },
    { role: 'scribe' },
    { clusterDurability: 'single' },
    { keys: 'keys' },
  ]) {
    const resolved = await resolve(flags);
    assert.throws(() => refuseWithCluster(resolved), /these are of a cluster, which --cluster names/);
  }
  await assert.rejects(resolve({ node: 'Node 1' }), /--node "Node 1" must be up to 32 lower-case letters/);
});
