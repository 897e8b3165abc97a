/**
 * The bundle that the tests of a run start their programs from (`harness/program.ts`): a start from it costs two thirds of
 * one from the sources. The packages are in it: to find their many small files is a tenth of a start. Made anew when a file
 * that goes into it has changed.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const BUNDLES = join(ROOT, 'node_modules/.cache/test-programs');
/** A run beside this one may still use what was made for it. */
const KEPT_MS = 86_400_000;

/** Beside the programs themselves: their hosts, what is loaded before them, and programs of tests. */
const OF_TESTS = [
  'src/testkit/index.ts',
  'test/cluster/trial/changed-rule.ts',
  'test/crash/early-answers.ts',
  'test/harness/command-host.ts',
  'test/harness/exchange-host.ts',
  'test/harness/held-wall-hook.ts',
  'test/harness/parent-watchdog.ts',
  'test/harness/test-server.ts',
  'test/memory/start-and-stop.ts',
];
const SOURCES = [
  'build/*',
  'catalogue/*',
  'launch.cjs',
  'launch/*',
  'package-lock.json',
  'package.json',
  'src/**/*',
  'test/harness/*',
  'test/memory/in-process.ts',
  'web/dist/**/*',
];

export async function bundledProgram(): Promise<string> {
  const directory = join(BUNDLES, fingerprint());
  if (existsSync(directory)) return directory;
  const { bundle, PROGRAM } = await import('../build/bundle.ts');
  mkdirSync(BUNDLES, { recursive: true });
  removeOld();
  const unfinished = mkdtempSync(join(BUNDLES, 'unfinished-'));
  await bundle(unfinished, [...PROGRAM, ...OF_TESTS], { whole: true, sourceMaps: true });
  try {
    renameSync(unfinished, directory);
  } catch (error) {
    // A run beside this one was quicker.
    if (!existsSync(directory)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  return directory;
}

function removeOld(): void {
  for (const path of readdirSync(BUNDLES).map((name) => join(BUNDLES, name)))
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
}

function fingerprint(): string {
  const hash = createHash('sha256');
  const files = globSync([...SOURCES, ...OF_TESTS], { cwd: ROOT, withFileTypes: true });
  for (const file of files
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .sort())
    hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}
