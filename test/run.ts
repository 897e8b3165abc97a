/**
 * The whole suite, the quick part of it (`--quick`), the trials under faults (`--faults`), or the files that are named. Two
 * processes more at once than the machine has cores, because there are always some that wait for a clock, a disk or a server
 * (`--serial`: one process, for tests that measure); with compiled code kept between the processes, and the programs that they
 * start bundled once. With `--checked` types, format and lint before it: the tests begin when only the lint is left, which
 * one core is busy with, and a lint that fails breaks them off.
 */
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { bundledProgram } from './bundled-program.ts';
import { allPass, startChecks } from './harness/checks.ts';
import { endWith } from './harness/command-line.ts';
import { FAULT_SUITES, filesOf, SUITES } from './suites/suites.ts';

const ROOT = join(import.meta.dirname, '..');
const QUICK_SUITES = ['unit', 'core', 'property'] as const;
const QUICK_FILES = ['test/architecture/*.test.ts'];
/** Runs alone and is the longest: begun right after the suites, so that it is not left over at the end. */
const LONG_FILE = 'test/security/hostile/fuzz.faults.ts';
/** Random commands and what is compared after each are garbage at once: it is collected half as often. */
const LARGE_YOUNG_HEAP = ['--min-semi-space-size=32', '--max-semi-space-size=32'];

const { quick, faults, serial, checked, named } = choice();
const chosen = files();
const checks = checked ? startChecks() : undefined;
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
process.env.TEST_PROGRAM = await bundledProgram();
if (checks !== undefined && !(await allPass(checks.others))) {
  await allPass([checks.lint]);
  process.exit(1);
}
if (named.length > 0) process.env.TEST_SOURCE_LINES = 'yes';
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    process.exitCode = 1;
    stopped.abort();
  });
}
void checks?.lint.then(({ passed, report }) => {
  if (passed) return console.log(report);
  process.exitCode = 1;
  stopped.abort();
  // Below the tests that are broken off by it.
  process.once('exit', () => console.log(report));
});
// Not the command line of the runner: it sorts the files by name.
const results = run({
  files: chosen.map((file) => resolve(ROOT, file)),
  cwd: ROOT,
  execArgv: [...LARGE_YOUNG_HEAP, '--import', new URL('harness/no-leftovers.ts', import.meta.url).href],
  concurrency: serial ? 1 : availableParallelism() + 2,
  // A guard against a test that hangs. On a busy machine with a quarter of a processor the longest takes minutes; those
  // that measure may be told to take half an hour.
  timeout: serial ? 7_200_000 : 1_800_000,
  signal: stopped.signal,
});
results.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
results.compose(new spec()).pipe(process.stdout);

function choice(): {
  quick: boolean;
  faults: boolean;
  serial: boolean;
  checked: boolean;
  named: string[];
} {
  try {
    const { values, positionals } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        faults: { type: 'boolean', default: false },
        serial: { type: 'boolean', default: false },
        checked: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    return { ...values, named: positionals };
  } catch {
    return endWith(
      'Usage: node launch.cjs test/run.ts [--serial] [--checked] [--quick | --faults | FILE ...], where FILE may be a pattern.',
    );
  }
}

function files(): string[] {
  if (quick) return [...QUICK_SUITES.map(suiteFile), ...filesOf(QUICK_FILES)];
  if (named.length > 0) {
    const found = named.flatMap((each) => filesOf([each]));
    if (found.length === 0) endWith(`No test file: ${named.join(' ')}.`);
    return found;
  }
  return faults
    ? suitesAndOthers(FAULT_SUITES, 'test/**/*.faults.ts')
    : suitesAndOthers(SUITES, '{src,test,web}/**/*.test.ts');
}

/** The suites, and every file of the pattern that is in none of them. */
function suitesAndOthers(suites: Readonly<Record<string, readonly string[]>>, pattern: string): string[] {
  const shared = new Set(Object.values(suites).flatMap(filesOf));
  const alone = filesOf([pattern]).filter((file) => !shared.has(file));
  const long = alone.filter((file) => file === LONG_FILE);
  return [...new Set([...Object.keys(suites).map(suiteFile), ...long, ...alone])];
}

function suiteFile(name: string): string {
  return `test/suites/${name}.suite.ts`;
}
