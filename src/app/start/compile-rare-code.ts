/** Has the code of rare and heavy work compiled while the exchange is open (`src/warmup`). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { warmUp } from '../../warmup/warmup.ts';

/** First requests and what a start leaves to be done come before it. */
const DELAY_MS = 10_000;
/** After a slice of the work, as a multiple of what it took. */
const REST_SHARE = 9;

/** Returns how to end it. It keeps no process alive. */
export function compileRareCode(logger: Logger): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const rest = (ms: number) => sleep(ms, undefined, { ref: false, signal });
  rest(DELAY_MS)
    .then(() => warmUp((taken) => rest(REST_SHARE * taken)))
    .then((ms) => logger.debug({ ms: Math.round(ms) }, 'the code of rare and heavy work is compiled'))
    .catch((error: unknown) => {
      if (!signal.aborted)
        logger.warn({ err: error }, 'code could not be compiled in advance; nothing else is affected');
    });
  return () => ending.abort();
}
