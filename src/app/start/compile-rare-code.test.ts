import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { compileRareCode } from './compile-rare-code.ts';

/** Notes what would be logged. */
function recorder(): { readonly logger: Logger; readonly lines: unknown[][] } {
  const lines: unknown[][] = [];
  const note = (level: string) => (_fields: unknown, message: string) => lines.push([level, message]);
  return { logger: { debug: note('debug'), warn: note('warn') } as unknown as Logger, lines };
}

test('the end of the exchange, before the work and amid it, is no failure of it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const turns of [0, 5]) {
    const { logger, lines } = recorder();
    const end = compileRareCode(logger);
    // The first step is the delay; the others let slices of the work follow each other.
    for (let n = 0; n < turns; n++) {
      t.mock.timers.tick(10_000);
      await turn();
    }
    end();
    t.mock.timers.tick(1_000_000);
    await turn();
    deepEqual(lines, []);
  }
});
