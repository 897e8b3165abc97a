/** Waits for a condition, not for a time; the bound only keeps a failed test from hanging. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 20;
const PATIENCE_MS = 120_000;

export async function until<Found>(
  what: string,
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
): Promise<Found> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    assert.ok(performance.now() < deadline, `waited in vain for: ${what}`);
    await sleep(LOOK_MS);
  }
}
