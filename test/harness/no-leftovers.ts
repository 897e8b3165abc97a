/**
 * Loaded into every test file: one whose tests are over and that does not end has left a server, a socket or a timer
 * behind, mostly because a test failed half-way. It fails instead of holding up the whole run. The runner's own way
 * (`--test-force-exit`) ends files before all of their results are told.
 */
import { after } from 'node:test';

/** Long enough for everything to end by itself and to be told, on a busy machine too. */
const PATIENCE_MS = 120_000;

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(() => {
    setTimeout(() => {
      console.error(
        `left open ${PATIENCE_MS / 1000} s after the last test: ${process.getActiveResourcesInfo().join(', ')}`,
      );
      process.exit(1);
    }, PATIENCE_MS).unref();
  });
}
