/** A start that meets a busy or restarting server tries again for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost } from './postgres/server-pair.ts';
import { Unreachable } from './postgres/side-connection.ts';

const PATIENCE_MS = 15_000;
const PAUSE_MS = 250;

export async function patiently<Result>(connect: () => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + PATIENCE_MS;
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
