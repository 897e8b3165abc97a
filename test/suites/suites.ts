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
const app = (names: string) => `test/app/{${names}}.test.ts`;

/** Patterns of the files of each suite; the longest first, so that none is alone at the end. */
export const SUITES = {
  lab: [
    'test/lab/{acting-ids,bad-input,capsule*,clock,command-line,data-directory,driven,explain*,faults,forks,generated-past,market}.test.ts',
    'test/lab/{property,referee,refusals,replay,scenarios,snapshots,stream-faults,world-faults}.test.ts',
    'test/memory/*.test.ts',
    'test/testkit/testkit.test.ts',
  ],
  api: [
    api('adl-ranks,futures*,forced-closes,position-moves,margin,loans,strategy,tax-records'),
    api('account-mode,broker*,clock,reserves,restart,sub-accounts,wallet*'),
    api('*orders,*-streams,balances,encodings,paging,market-data,price-candles,refusals,order-quota'),
    'test/security/*.test.ts',
    'test/security/hostile/{foreign-pages,http,limits,malformed,operator,permissions,signature}.test.ts',
    'test/admin/{actions,audit,console,listener}.test.ts',
  ],
  postgres: ['test/{cluster,postgres}/*.test.ts'],
  backup: ['test/{backup,journal,campaign,crash,space}/*.test.ts', 'test/app/start-stop.test.ts'],
  clients: ['test/client-matrix/*.test.ts', 'test/docs/commands.test.ts', 'test/examples/*.test.ts'],
  app: [
    app('clock-advance,cluster-settings,command-line,container,damaged-history,data-format,demo-*,endings'),
    app('exposure*,first-start,host-settings,identity-*,launcher,memory,pages,pieces,private-files'),
    app('reserves-audit,schemas,skip-command,which-exchange'),
  ],
  property: ['test/{property,golden}/*.test.ts'],
  core: ['test/core/**/*.test.ts'],
  unit: ['src/**/*.test.ts', 'web/**/*.test.ts'],
  streams: ['test/{streams,simulator}/*.test.ts', api('thefts-of-*,second-edition-views')],
  simulation: ['test/simulation/*.test.ts'],
  docs: [
    'test/docs/{errors,fidelity,history,openapi,reference,schemas,spec-references,stream-rules}.test.ts',
    'test/architecture/*.test.ts',
    'test/contract/{interface,rates,wire}.test.ts',
    'test/inspector/*.test.ts',
  ],
  web: ['test/web/*.test.ts'],
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
  const lost = SUITES[name].filter((pattern) => filesOf([pattern]).length === 0);
  if (lost.length > 0) throw new Error(`no test file: ${lost.join(' ')}`);
  for (const file of filesOf(SUITES[name])) {
    await new Promise<void>((resolve, reject) => {
      void describe(file, () => import(join(ROOT, file)).then(() => resolve(), reject));
    });
  }
}
