/** The launcher with the Node of the test. What it does under older ones is in `test/install`. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProgram } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { bourse, start } from './bourse-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const LAUNCHER = join(ROOT, 'launch.cjs');
const { isAdmitted } = createRequire(import.meta.url)('../../launch/node-choice.cjs');

const launch = (args: readonly string[], launcher = LAUNCHER, env: NodeJS.ProcessEnv = process.env) =>
  startProgram([launcher, ...args], { cwd: temporaryDirectory(), env }).ended;

/** A program beside which no Node is packaged. */
function programFile(text: string): string {
  const file = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(file, text);
  return file;
}

test('a Node below the last security release of its line is not taken, nor one of a line without them', () => {
  const admitted = ['24.14.1', '24.15.0', '24.21.0', '26.5.1', '26.10.0', '27.0.0', '100.0.0'];
  const refused = ['12.22.12', '20.20.2', '22.23.3', '24.0.0', '24.14.0', '25.9.0', '26.0.0', '26.5.0'];
  assert.deepEqual(admitted.filter(isAdmitted), admitted);
  assert.deepEqual(refused.filter(isAdmitted), []);
});

test('what is missing is said in one sentence', async () => {
  const root = temporaryDirectory();
  for (const name of ['launch.cjs', 'launch', 'src/main.ts']) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  }
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const engines = { node: '^98.1.2 || >=99.3.0' };
  writeFileSync(join(root, 'package.json'), JSON.stringify({ ...manifest, engines }));
  const sentence = new RegExp(
    `^bourse: this is Node ${process.versions.node}, and Node 98 from 98.1.2 on or Node 99.3.0 or later is needed: [^.\\n]+\\.\\n$`,
  );
  const launched = await launch(['src/main.ts'], join(root, 'launch.cjs'), { PATH: '/nowhere' });
  assert.deepEqual([launched.code, launched.stdout], [3, '']);
  assert.match(launched.stderr, sentence);
  const direct = await launch([], join(root, 'src/main.ts'), { PATH: '/nowhere' });
  assert.equal(direct.code, 3, direct.stderr);
  assert.match(direct.stderr, sentence);
});

test('a program sees its arguments, and its end is the end of the launcher', async () => {
  const program = programFile(`
    console.log(JSON.stringify([process.argv[1], ...process.argv.slice(2)]), typeof gc);
    process.exitCode = 7;
  `);
  const plain = await launch([program, '--port', '0', 'x y']);
  assert.deepEqual([plain.code, plain.stdout], [7, `["${program}","--port","0","x y"] undefined\n`]);
  const flagged = await launch(['--expose-gc', program]);
  assert.deepEqual([flagged.code, flagged.stdout], [7, `["${program}"] function\n`]);
  const broken = await launch([programFile('await null; throw new Error("broken program");')]);
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /Error: broken program\n\s+at /);
  assert.equal((await launch([])).code, 2);
});

test('an option that npm kept for itself is answered with what to type', async () => {
  const npm = (event: string, options: Readonly<Record<string, string>>) => ({
    env: { npm_package_name: 'bourse', npm_lifecycle_event: event, ...options },
  });
  // As npm 10 and 11 hand them on: `--port 9000`, `--no-demo --port=0`, two with values, an option of a command.
  const cases = [
    [start, ['9000'], npm('start', { npm_config_port: 'true' }), 'npm start -- --port 9000'],
    [
      start,
      [],
      npm('start', { npm_config_port: '0', npm_config_demo: '' }),
      'npm start -- --port 0 --no-demo',
    ],
    [
      start,
      ['off', '7'],
      npm('start', { npm_config_market: 'true', npm_config_seed: 'true' }),
      'npm start -- --market <off|quiet|normal|wild> --seed <number>',
    ],
    [
      bourse,
      ['verify', './d'],
      npm('bourse', { npm_config_data: 'true' }),
      'npm run bourse -- verify --data ./d',
    ],
  ] as const;
  for (const [program, args, place, line] of cases) {
    const { code, stderr } = await program(args, place);
    assert.equal(code, 2, stderr);
    assert.ok(stderr.endsWith(`Type: ${line}\n`), stderr);
  }
  const foreign = {
    env: { npm_package_name: 'other', npm_lifecycle_event: 'start', npm_config_port: '9000' },
  };
  assert.equal((await start(['--help'], foreign)).code, 0, 'an option of another project');
  assert.equal((await start(['--help'], npm('start', { npm_config_color: 'false' }))).code, 0, 'one of npm');
});
