/**
 * Loaded into a server with `--import`: a wait of minutes, such as that between the notice of a stop and the stop, ends
 * at SIGUSR2, so that the test and not the machine says how much happens in it.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

const LONG_MS = 60_000;

if (isMainThread) {
  const wait = timers.setTimeout;
  const called = new Promise<void>((resolve) => process.once('SIGUSR2', () => resolve()));
  timers.setTimeout = (async (ms?: number, ...more: never[]) =>
    ms !== undefined && ms >= LONG_MS ? called : wait(ms, ...more)) as typeof wait;
  syncBuiltinESMExports();
}
