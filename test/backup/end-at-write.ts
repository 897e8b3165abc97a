/**
 * Loaded into a program before it starts: kills it, as kill -9 does, right before its n-th change of a file, with
 * `KILL_AT=n`. With `COUNT_CHANGES=FILE` it writes down how many changes the program made in all.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const CHANGES = [
  'openSync',
  'writeSync',
  'writeFileSync',
  'fdatasyncSync',
  'fsyncSync',
  'renameSync',
  'rmSync',
  'mkdirSync',
] as const;

if (isMainThread) {
  const killAt = Number(process.env.KILL_AT ?? Number.POSITIVE_INFINITY);
  const countFile = process.env.COUNT_CHANGES;
  const { writeFileSync } = fs;
  let changes = 0;
  for (const name of CHANGES) {
    // biome-ignore lint/suspicious/noExplicitAny: each has its own arguments, which pass through
    const original = fs[name] as (...given: any[]) => unknown;
    Object.assign(fs, {
      [name]: (...given: unknown[]) => {
        if (name !== 'openSync' || given[1] !== 'r') changes += 1;
        if (changes >= killAt) process.kill(process.pid, 'SIGKILL');
        return original(...given);
      },
    });
  }
  syncBuiltinESMExports();
  if (countFile !== undefined) process.on('exit', () => writeFileSync(countFile, String(changes)));
}
