/** Has the code of rare and heavy work compiled, and keeps it so, while the exchange is open (`src/warmup`). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { keepWarm, warmUp } from '../../warmup/warmup.ts';

/** First requests and what a start leaves to be done come before it. */
const DELAY_MS = 10_000;
/** After a slice of the work, as a multiple of what it took. */
const REST_SHARE = 9;

/** The collector drops code that has not run during some major collections, which are minutes apart. */
const KEEP_EVERY_MS = 2 * 60_000;

/** Returns how to end it. It keeps no process alive. */
export function compileRareCode(logger: Logger): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const rest = (ms: number) => sleep(ms, undefined, { ref: false, signal });
  const afterSlice = (taken: number) => rest(REST_SHARE * taken);
  const run = async () => {
    await rest(DELAY_MS);
    const ms = Math.round(await warmUp(afterSlice));
    logger.debug({ ms }, 'the code of rare and heavy work is compiled');
    for (;;) {
      await rest(KEEP_EVERY_MS);
      await keepWarm(afterSlice);
    }
  };
  run().catch((error: unknown) => {
    if (signal.aborted) return;
    logger.warn({ err: error }, 'code could not be compiled in advance; nothing else is affected');
  });
  return () => ending.abort();
}
