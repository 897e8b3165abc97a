/**
 * `bourse/testkit/capsule-on-failure`: when a test fails, the session of its exchange is written to a file that has it again:
 * `bourse lab capsule replay FILE`. For any runner by a function around the test, for node:test and Vitest by their hooks.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CapsuleHooks, CapsulePlace } from './interface.ts';
import { Watch, watchAll, watching } from './watched-tests.ts';

export type { CapsuleHooks, CapsulePlace } from './interface.ts';

const DIRECTORY = 'capsules';
const NAME_CHARS_MAX = 80;

/**
 * The test, with a capsule for each exchange that it has started when it fails. Exchanges end with the test, also when it has
 * closed them before.
 */
export function capsuleOnFailure<Arguments extends unknown[]>(
  test: (...given: Arguments) => unknown,
  place: CapsulePlace = {},
): (...given: Arguments) => Promise<void> {
  const watched = async (...given: Arguments) => {
    const watch = new Watch();
    try {
      await watching(watch, async () => {
        await test(...given);
      });
    } catch (error) {
      await write(watch, { name: nameOf(given[0]), ...place });
      throw error;
    } finally {
      await watch.end();
    }
  };
  // Runners look at the number of parameters: some give a callback to a function that has one.
  return Object.defineProperty(watched, 'length', { value: test.length });
}

/** The same for every test of the file, by the hooks of a runner that tells them whether the test has failed. */
export function capsulesOfFailedTests(hooks: CapsuleHooks, place: CapsulePlace = {}): void {
  let watch = new Watch();
  hooks.beforeEach(() => {
    watch = new Watch();
    watchAll(watch);
  });
  hooks.afterEach(async (context) => {
    watchAll(undefined);
    try {
      if (hasFailed(context)) await write(watch, { name: nameOf(context), ...place });
    } finally {
      await watch.end();
    }
  });
}

/** What is written is named on stderr; that it could not be written must not hide why the test failed. */
async function write(watch: Watch, { name, directory = DIRECTORY }: CapsulePlace): Promise<void> {
  try {
    const sessions = await watch.sessions();
    if (sessions.length > 0) mkdirSync(directory, { recursive: true });
    for (const session of sessions) {
      const file = freeFile(resolve(directory), name ?? 'test', session);
      process.stderr.write(`bourse: the session of the failed test: npx bourse lab capsule replay ${file}\n`);
    }
  } catch (error) {
    process.stderr.write(`bourse: no capsule of the failed test: ${(error as Error).message}\n`);
  }
}

/** One that is there is not overwritten: several tests may have one name. */
function freeFile(directory: string, name: string, bytes: Uint8Array): string {
  const stem =
    name
      .replaceAll(/[^A-Za-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, NAME_CHARS_MAX) || 'test';
  for (let n = 1; ; n++) {
    const file = join(directory, `${stem}${n === 1 ? '' : `-${n}`}.capsule`);
    try {
      writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

interface TestContext {
  /** Of node:test. */
  readonly name?: unknown;
  readonly passed?: unknown;
  readonly error?: unknown;
  /** Of Vitest. */
  readonly task?: { readonly name?: unknown; readonly result?: { readonly state?: unknown } };
}

function hasFailed(context: unknown): boolean {
  const { passed, error, task } = (context ?? {}) as TestContext;
  if (task !== undefined) return task.result?.state === 'fail';
  return passed === false && error !== null;
}

function nameOf(context: unknown): string | undefined {
  const { name, task } = (context ?? {}) as TestContext;
  const given = task?.name ?? name;
  return typeof given === 'string' ? given : undefined;
}
