/** A start that finds the server unreachable, busy or restarting, tries again for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost } from './postgres/server-pair.ts';
import { Unreachable } from './postgres/side-connection.ts';

const RETRY_FOR_MS = 15_000;
const PAUSE_MS = 250;

export async function retryWhileUnreachable<Result>(connect: () => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + RETRY_FOR_MS;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      const isAway = error instanceof ConnectionLost || error instanceof Unreachable;
      if (!isAway || performance.now() > endMs) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
