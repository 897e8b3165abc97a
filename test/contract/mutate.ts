/**
 * Breaks the exchange on purpose, one thing at a time, and runs the contract test against it: every limit of section 8
 * one too low and one too high, and fields of the answers under another name. Lists what the test did not notice.
 *
 *     node test/contract/mutate.ts rates|limits|fields [every Nth, or part of a title]
 *
 * It takes minutes, so it is no part of `npm test`. What it proves for answers is proved there for every field
 * (`breakage.contract.ts`); here the break is in the gateway itself.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROUTES } from '../../src/gateway/routes.ts';
import { ENDPOINTS } from './endpoints.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOOK = join(import.meta.dirname, 'mutation-hook.ts');
const TEST = join(import.meta.dirname, 'interface.test.ts');

interface Mutant {
  readonly title: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Which tests are to notice. */
  readonly tests: string;
}

const sourceOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** A number in a line of a file, one lower and one higher. */
function shifted(file: string, line: string, value: number, title: string, tests: string): Mutant[] {
  return [value - 1, value + 1].map((other) => ({
    title: `${title} ${other}`,
    file,
    find: line,
    put: line.replace(String(value), String(other)),
    tests,
  }));
}

const LIMITS: readonly (readonly [file: string, line: string, value: number, tests: string])[] = [
  ['src/core/limits.ts', 'OPEN_ORDERS_PER_LINE_MAX = 400', 400, 'interface 8'],
  ['src/core/limits.ts', 'BATCH_ITEMS_MAX = 20', 20, 'interface 8'],
  ['src/core/limits.ts', 'OUTSTANDING_AMENDS_MAX = 5', 5, 'interface 4.3, 8|interface 8: limits'],
  ['src/gateway/paging.ts', 'WINDOW_MS = 90', 90, 'interface 8'],
  ['src/gateway/paging.ts', 'SPAN_MS = 30', 30, 'interface 8'],
  ['src/gateway/paging.ts', 'PAGE_MAX = 100', 100, 'interface 8'],
  ['src/gateway/candle-query.ts', 'CANDLES_MAX = 1000', 1000, 'interface 8|interface 4.1'],
  ['src/gateway/loan-history.ts', 'PAGE_DEFAULT = 10', 10, 'interface 8|4.6, 8'],
  ['src/gateway/loan-history.ts', 'PAGE_MAX = 100', 100, 'interface 8|4.6, 8'],
  ['src/history/history.ts', 'LOAN_RETENTION_MS = 92', 92, 'interface 8|4.6, 8'],
  ['src/identity/identity.ts', 'IP_LIST_ENTRIES_MAX = 30', 30, 'modify-sub-apikey'],
];

function limitMutants(): Mutant[] {
  return LIMITS.flatMap(([file, line, value, tests]) => shifted(file, line, value, line, tests));
}

/** The rate of each of the 23 endpoints, changed in the table that the gateway reads. */
function rateMutants(): Mutant[] {
  const file = 'src/gateway/routes.ts';
  const find = sourceOf(file).slice(sourceOf(file).lastIndexOf('];'));
  return Object.keys(ENDPOINTS).flatMap((endpoint) => {
    const [method, name] = endpoint.split(' ');
    const path = `/api/v3/${name}`;
    const { perSecond } = ROUTES.find((route) => route.path === path && route.method === method)!;
    // A limit of none is no limit.
    return [perSecond - 1, perSecond + 1]
      .filter((other) => other > 0)
      .map((other) => ({
        title: `${endpoint} a second ${other}`,
        file,
        find,
        put: `].map((row) => (row.method === '${method}' && row.path === '${path}' ? { ...row, perSecond: ${other} } : row));`,
        tests: 'interface 5, 8',
      }));
  });
}

/** Where the fields of the 23 answers are named; what is not named there never leaves. */
const FIELD_FILES = [
  'src/gateway/answers.ts',
  'src/gateway/loan-answers.ts',
  ...['order', 'fill', 'strategy', 'position', 'loan'].map((name) => `src/record/${name}-view.ts`),
];

function fieldMutants(): Mutant[] {
  // These files name fields of other answers as well.
  const documented = new Set(sourceOf('test/contract/objects.ts').match(/\w+/g));
  return FIELD_FILES.flatMap((file) => {
    const source = sourceOf(file);
    const names = [...source.matchAll(/^ *'(\w+)',$/gm)].filter((match) => documented.has(match[1]!));
    return names.map(({ 0: line, 1: name, index }) => {
      // With what stands before it the place is the only one.
      const before = source.slice(Math.max(0, index - 200), index);
      const put = before + line.replace(name!, `${name}s`);
      return { title: `${file} ${name}`, file, find: before + line, put, tests: '' };
    });
  });
}

interface Verdict {
  readonly noticed: string | undefined;
  readonly seconds: number;
}

/** Runs until the first failure; that one is enough. */
function judge(mutant: Mutant): Promise<Verdict> {
  const { file, find, put, tests } = mutant;
  const began = performance.now();
  const options = [
    '--test',
    '--test-reporter=tap',
    ...(tests === '' ? [] : [`--test-name-pattern=${tests}`]),
  ];
  const child = spawn(process.execPath, [...options, TEST], {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${HOOK}`,
      BOURSE_MUTATION: JSON.stringify({ file, find, put }),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    // A group of its own, so that the servers of the test end with it.
    detached: true,
  });
  return new Promise((resolve) => {
    let noticed: string | undefined;
    createInterface(child.stdout).on('line', (line) => {
      const failure = /^ +not ok [0-9]+ - (interface .*)/.exec(line);
      if (failure === null || noticed !== undefined) return;
      noticed = failure[1];
      process.kill(-child.pid!, 'SIGINT');
    });
    child.once('close', (code) => {
      const seconds = (performance.now() - began) / 1000;
      // It ended without a verdict, as when a busy machine does not start a server in time.
      if (noticed === undefined && code !== 0) resolve(judge(mutant));
      else resolve({ noticed, seconds });
    });
  });
}

const KINDS = { rates: rateMutants, limits: limitMutants, fields: fieldMutants } as const;
const [kind, choice = '1'] = process.argv.slice(2);
if (kind === undefined || !(kind in KINDS)) throw new Error(`say which: ${Object.keys(KINDS).join(', ')}`);
const chosen = ({ title }: Mutant, n: number) =>
  /^[0-9]+$/.test(choice) ? n % Number(choice) === 0 : title.includes(choice);
const mutants = KINDS[kind as keyof typeof KINDS]().filter(chosen);
const survivors: string[] = [];
for (const mutant of mutants) {
  const { noticed, seconds } = await judge(mutant);
  if (noticed === undefined) survivors.push(mutant.title);
  console.log(`${mutant.title}: ${noticed ?? 'SURVIVED'} (${seconds.toFixed(0)} s)`);
}
console.log(`${mutants.length} mutants, ${survivors.length} survived: ${survivors.join(', ')}`);
process.exitCode = survivors.length === 0 ? 0 : 1;
