/** What gets installed: no runtime package may run a script of its own, and versions are exact. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

test('no runtime dependency has an install script', () => {
  const packages = read('package-lock.json').packages as Record<string, LockEntry>;
  const runtime = Object.entries(packages).filter(([name, entry]) => name !== '' && entry.dev !== true);
  assert.ok(runtime.length > 10, 'the lockfile lists runtime packages');
  const withScript = runtime.filter(([, entry]) => entry.hasInstallScript === true).map(([name]) => name);
  assert.deepEqual(withScript, []);
});

test('direct dependencies are few and pinned to exact versions', () => {
  const manifest = read('package.json');
  assert.ok(Object.keys(manifest.dependencies).length <= 12, 'at most a dozen direct runtime dependencies');
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, version] of Object.entries(manifest[kind] as Record<string, string>)) {
      assert.match(version, /^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/, `${name} is not pinned`);
    }
  }
});

test('schemas are compiled by the compilers that Fastify would use itself', () => {
  const names = Object.keys(read('package-lock.json').packages);
  for (const compiler of ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']) {
    const places = names.filter((name) => name.endsWith(`node_modules/${compiler}`));
    assert.deepEqual(places, [`node_modules/${compiler}`]);
  }
});

test('the lockfile names no registry host', () => {
  assert.doesNotMatch(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), /"resolved"/);
});

/** npm leaves the hashes of packages for other systems out when it writes the file from an installed tree. */
test('every package of the lockfile has its hash, those for other systems too', () => {
  const packages = Object.entries(read('package-lock.json').packages as Record<string, LockEntry>);
  const without = packages.filter(
    ([name, { integrity }]) => name !== '' && !/^sha512-/.test(integrity ?? ''),
  );
  const remedy = 'take it from: npm view NAME@VERSION dist.integrity';
  assert.deepEqual(
    without.map(([name, { version }]) => `${name} ${version}`),
    [],
    remedy,
  );
});

test('the packaged Node is the same on every system, and one that is admitted', () => {
  const { optionalDependencies } = read('package.json') as { optionalDependencies: Record<string, string> };
  const { PACKAGES, isAdmitted } = createRequire(import.meta.url)('../../launch/node-choice.cjs');
  assert.deepEqual(Object.keys(optionalDependencies).sort(), Object.values<string>(PACKAGES).sort());
  const versions = [...new Set(Object.values(optionalDependencies))];
  assert.deepEqual(versions.map(isAdmitted), [true]);
  assert.deepEqual(
    versions,
    [readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim()],
    '.nvmrc names another Node',
  );
});
