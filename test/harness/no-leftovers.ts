/**
 * Loaded into every test file: one whose tests are over and that does not end has left a server, a socket or a timer
 * behind, mostly because a test failed half-way. It fails instead of holding up the whole run. The runner's own way
 * (`--test-force-exit`) ends files before all of their results are told.
 */
import { isMainThread } from 'node:worker_threads';

/** Long enough for everything to end by itself and to be told, on a busy machine too. */
const PATIENCE_MS = 120_000;

// Threads get it too. They have no tests, and loading the runner is more than half of a thread's start.
if (isMainThread && process.env.NODE_TEST_CONTEXT !== undefined) {
  const { after } = await import('node:test');
  after(() => {
    setTimeout(() => {
      console.error(
        `left open ${PATIENCE_MS / 1000} s after the last test: ${process.getActiveResourcesInfo().join(', ')}`,
      );
      process.exit(1);
    }, PATIENCE_MS).unref();
  });
}
