/**
 * Test files that share a process in `npm test`: the program, the client libraries and the host of the servers
 * (`harness/hosted-server.ts`) are then loaded once and not once a file, and compiled code stays warm. Each file still runs
 * alone.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

const api = (names: string) => `test/api/{${names}}.test.ts`;

/** Patterns of the files of each suite; the longest first, so that none is alone at the end. */
export const SUITES = {
  unit: ['src/**/*.test.ts', 'web/**/*.test.ts'],
  streams: ['test/streams/*.test.ts'],
  property: ['test/{property,golden}/*.test.ts'],
  'api-futures': [api('futures*,forced-closes,position-moves,margin,loans,strategy,tax-records')],
  'api-accounts': [api('account-mode,broker*,clock,reserves,restart,sub-accounts,wallet*')],
  core: ['test/core/**/*.test.ts'],
  'api-spot': [api('*orders,balances,encodings,paging,market-data,price-candles,refusals,order-quota')],
  security: [
    'test/security/*.test.ts',
    'test/security/hostile/{foreign-pages,permissions,signature}.test.ts',
  ],
  'api-streams': ['test/api/*-streams.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type SuiteName = keyof typeof SUITES;

export const filesOf = (patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .sort();

/**
 * Each file is a suite of its own, with its own hooks; one after the other. The next is loaded when the last one is: of
 * modules that load at the same time the hooks and tests would fall to whichever suite came to evaluate them.
 */
export async function runSuite(name: SuiteName): Promise<void> {
  for (const file of filesOf(SUITES[name])) {
    await new Promise<void>((resolve, reject) => {
      void describe(file, () => import(join(ROOT, file)).then(() => resolve(), reject));
    });
  }
}
