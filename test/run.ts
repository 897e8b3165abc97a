/**
 * The whole suite: one test file more at once than the machine has cores, because there is always one that waits for a
 * clock or a disk, and with compiled code kept between the hundreds of processes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'node-compile-cache'),
};
const files = process.argv.length > 2 ? process.argv.slice(2) : ['src/**/*.test.ts', 'test/**/*.test.ts'];
const options = [
  '--import',
  new URL('harness/no-leftovers.ts', import.meta.url).href,
  '--test',
  `--test-concurrency=${availableParallelism() + 1}`,
  // A guard against a test that hangs. On a busy machine with a quarter of a processor the longest takes minutes.
  '--test-timeout=1800000',
  '--test-reporter=spec',
];
const runner = spawn(process.execPath, [...options, ...files], { cwd: ROOT, env, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => runner.kill(signal));
const [code] = (await once(runner, 'exit')) as [number | null];
process.exitCode = code ?? 1;
