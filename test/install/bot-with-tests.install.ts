/**
 * The tests of `examples/bot-with-tests` with Vitest and Jest, on the package as it is published. Both come from the registry:
 * the project itself needs neither.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { buildPackage } from '../../build/published-package.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { cleanEnvironment, RunningCommand } from './toolchain.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUNNERS = ['vitest', 'jest'] as const;

describe('the tests of a bot with other runners', () => {
  const repository = join(temporaryDirectory(), 'bot-with-tests');
  // npm and the runners on the Node of this test, which is one that the package admits.
  const env = {
    ...cleanEnvironment(),
    NO_COLOR: '1',
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  };
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' });

  before(async () => {
    cpSync(join(ROOT, 'examples/bot-with-tests'), repository, { recursive: true });
    const made = temporaryDirectory();
    await buildPackage(join(made, 'bourse'));
    const packed = npm(['pack', './bourse', '--silent'], made).trim();
    const wanted = RUNNERS.map((name) => `${name}@${versionOf(name)}`);
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline'];
    npm(['install', ...options, join(made, packed), ...wanted], repository);
  });

  /** As the folder's manifest asks for it. */
  function versionOf(name: (typeof RUNNERS)[number]): string {
    const manifest = readFileSync(join(repository, name, 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { devDependencies: Record<string, string> }).devDependencies[name]!;
  }

  for (const name of RUNNERS) {
    it(`${name} runs them and ends`, async () => {
      const run = new RunningCommand(
        spawn('npm', ['test'], { cwd: join(repository, name), env, stdio: 'pipe' }),
      );
      assert.equal(await run.ended, 0, run.output);
      assert.match(run.output, /Tests:? +2 passed/, run.output);
      assert.doesNotMatch(run.output, /did not exit|open handle/i);
    });
  }
});
