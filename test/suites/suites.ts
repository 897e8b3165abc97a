/**
 * Test files that share a process in `npm test` and in `npm run test:faults`: the program, the client libraries and the host
 * of the servers (`harness/hosted-server.ts`) are then loaded once and not once a file, and compiled code stays warm. Each
 * file still runs alone.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

const api = (names: string) => `test/api/{${names}}.test.ts`;
const app = (names: string) => `test/app/{${names}}.test.ts`;

/** Of `npm test`: patterns of the files of each suite; the longest first, so that none is alone at the end. */
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
    'test/security/hostile/{foreign-pages,http,limits,malformed,permissions,signature}.test.ts',
    'test/admin/{actions,audit,console,listener}.test.ts',
  ],
  postgres: ['test/{cluster,postgres}/*.test.ts'],
  clients: ['test/client-matrix/*.test.ts', 'test/examples/*.test.ts'],
  streams: ['test/{streams,simulator}/*.test.ts', api('thefts-of-*,second-edition-views')],
  app: [
    app('clock-advance,cluster-settings,command-line,container,data-format,demo-*'),
    app('exposure*,first-start,host-settings,launcher,memory,pages,pieces,private-files'),
    app('reserves-audit,schemas,which-exchange'),
  ],
  docs: [
    'test/docs/{errors,fidelity,history,openapi,reference,schemas,spec-references,stream-rules}.test.ts',
    'test/architecture/*.test.ts',
    'test/contract/{interface,rates,wire}.test.ts',
    'test/inspector/*.test.ts',
  ],
  property: ['test/{property,golden}/*.test.ts'],
  unit: ['src/**/*.test.ts', 'web/**/*.test.ts'],
  core: ['test/core/**/*.test.ts'],
  backup: ['test/{backup,journal,simulation,space}/*.test.ts', 'test/app/start-stop.test.ts'],
  web: ['test/web/*.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Of `npm run test:faults`, by what happens to the exchange; files that measure memory are in none, and run alone. */
export const FAULT_SUITES = {
  'faults-killed': [
    'test/{api,crash,examples}/*.faults.ts',
    'test/campaign/backup.faults.ts',
    'test/lab/data-directory.faults.ts',
    'test/streams/records.faults.ts',
  ],
  'faults-database': ['test/postgres/*.faults.ts'],
  'faults-short-of-space': [
    'test/space/*.faults.ts',
    'test/app/memory.faults.ts',
    'test/campaign/{descriptors,disk-full}.faults.ts',
  ],
  'faults-cut-off': ['test/{admin,backup}/*.faults.ts', 'test/app/{endings,start-stop}.faults.ts'],
  'faults-damaged': [
    'test/campaign/{damage,power-loss}.faults.ts',
    'test/app/{damaged-history,identity-*,skip-command}.faults.ts',
    'test/lab/capsule-damage.faults.ts',
  ],
  'faults-strangers': ['test/security/hostile/operator.faults.ts', 'test/streams/slow-readers.faults.ts'],
  'faults-simulated': ['test/simulation/*.faults.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const ALL = { ...SUITES, ...FAULT_SUITES };

export type SuiteName = keyof typeof ALL;

export const filesOf = (patterns: readonly string[]): string[] =>
  globSync(patterns, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .sort();

/**
 * Each file is a suite of its own, with its own hooks; one after the other. The next is loaded when the last one is: of
 * modules that load at the same time the hooks and tests would fall to whichever suite came to evaluate them.
 */
export async function runSuite(name: SuiteName): Promise<void> {
  const lost = ALL[name].filter((pattern) => filesOf([pattern]).length === 0);
  if (lost.length > 0) throw new Error(`no test file: ${lost.join(' ')}`);
  for (const file of filesOf(ALL[name])) {
    await new Promise<void>((resolve, reject) => {
      void describe(file, () => import(join(ROOT, file)).then(() => resolve(), reject));
    });
  }
}
