/**
 * Breaks the exchange on purpose, one thing at a time, runs the contract test against it, and lists what the test did
 * not notice.
 *
 *     node test/contract/mutate.ts answers|categories|rates|limits|fields|parameters|access [every Nth, or part of a title]
 *
 * `answers`: every field of the answers of the 23 endpoints missing, renamed, of another type, empty, with another number
 * or another word, and every refusal with another code or without its message; `categories`: the same in one category at
 * a time. These play a recording back (`mutation/replay.ts`), so there is time for thousands. The others are changes of
 * the source: `rates` and `limits` of interface 8 one too low and one too high; `access`, another permission; `parameters`
 * of every call (`mutation/rows.ts`); and `fields` of every answer and push under another name.
 *
 * It takes minutes, so it is no part of `npm test`.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROUTES } from '../../src/api/http/routes.ts';
import { ENDPOINTS } from './endpoints.ts';
import { accessMutants, parameterMutants, type RowMutant } from './mutation/rows.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOOK = join(import.meta.dirname, 'mutation-hook.ts');
const INTERFACE = 'interface.test.ts';
const RATES = 'rates.test.ts';
const TABLES = 'wire.test.ts';

interface Mutant {
  readonly title: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Which tests are to notice, all if none is named, and in which file. */
  readonly tests: string;
  readonly test: string;
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
    test: INTERFACE,
  }));
}

const LIMITS: readonly (readonly [file: string, line: string, value: number, tests: string])[] = [
  ['src/core/model/limits.ts', 'OPEN_ORDERS_PER_LINE_MAX = 400', 400, 'interface 8'],
  ['src/core/model/limits.ts', 'BATCH_ITEMS_MAX = 20', 20, 'interface 8'],
  ['src/core/model/limits.ts', 'OUTSTANDING_AMENDS_MAX = 5', 5, 'interface 4.3, 8|interface 8: limits'],
  ['src/api/wire/paging.ts', 'WINDOW_MS = 90', 90, 'interface 8'],
  ['src/api/wire/paging.ts', 'SPAN_MS = 30', 30, 'interface 8'],
  ['src/api/wire/paging.ts', 'PAGE_MAX = 100', 100, 'interface 8'],
  ['src/api/routes/market/candle-query.ts', 'CANDLES_MAX = 1000', 1000, 'interface 8|interface 4.1'],
  ['src/api/routes/loans/loan-history.ts', 'PAGE_DEFAULT = 10', 10, 'interface 8|4.6, 8'],
  ['src/api/routes/loans/loan-history.ts', 'PAGE_MAX = 100', 100, 'interface 8|4.6, 8'],
  ['src/history/history.ts', 'LOAN_RETENTION_MS = 92', 92, 'interface 8|4.6, 8'],
  ['src/identity/identity.ts', 'IP_LIST_ENTRIES_MAX = 30', 30, 'modify-sub-apikey'],
];

function limitMutants(): Mutant[] {
  return LIMITS.flatMap(([file, line, value, tests]) => shifted(file, line, value, line, tests));
}

/** The table that the gateway reads, and where it ends. */
const TABLE = 'src/api/http/routes.ts';
const END_OF_TABLE = sourceOf(TABLE).slice(sourceOf(TABLE).lastIndexOf('];'));

function inTable(mutants: readonly RowMutant[]): Mutant[] {
  return mutants.map(({ tests = '', ...mutant }) => ({
    ...mutant,
    file: TABLE,
    find: END_OF_TABLE,
    tests,
    test: tests === '' ? TABLES : INTERFACE,
  }));
}

/** The rate of each of the 23 endpoints. */
function rateMutants(): Mutant[] {
  return Object.keys(ENDPOINTS).flatMap((endpoint) => {
    const [method, name] = endpoint.split(' ');
    const path = `/api/v3/${name}`;
    const { perSecond } = ROUTES.find((route) => route.path === path && route.method === method)!;
    // A limit of none is no limit.
    return [perSecond - 1, perSecond + 1]
      .filter((other) => other > 0)
      .map((other) => ({
        title: `${endpoint} a second ${other}`,
        file: TABLE,
        find: END_OF_TABLE,
        put: `].map((row) => (row.method === '${method}' && row.path === '${path}' ? { ...row, perSecond: ${other} } : row));`,
        tests: `interface 5, 8 ${endpoint}`,
        test: RATES,
      }));
  });
}

/** Where the fields of answers and pushes are named; what is not named never leaves. */
const FIELD_FILES = [
  ...['answers', 'loan-answers', 'sub-account-answers', 'wallet-answers'].map((name) => `gateway/${name}.ts`),
  ...readdirSync(join(ROOT, 'src/gateway/routes')).map((name) => `gateway/routes/${name}`),
  ...readdirSync(join(ROOT, 'src/record'))
    .filter((name) => name.endsWith('-view.ts'))
    .map((name) => `record/${name}`),
  ...['push-schemas', 'asyncapi', 'schemas'].map((name) => `streams/${name}.ts`),
].map((name) => `src/${name}`);

/** Lists of names, and a name with the schema of its value. */
const FIELD_LISTS =
  /(?:texts|[dD]ecimals|digits|all)\((?:[^()]|\n)*?\)|_(?:FIELDS|ALIASES) = \[[^\]]*\]|PARTIES = \[[^\]]*\]/g;
const SCHEMA_KEYS = /(?<=[{,\n] *)(\w+)(?=: (?:Type\.|text\b|list\b|word|fields\.|[A-Z][a-z]\w*[,\n ]))/g;

function fieldMutants(): Mutant[] {
  const documented = new Set(sourceOf('test/contract/wire-book.ts').match(/\w+/g));
  return FIELD_FILES.flatMap((file) => {
    const source = sourceOf(file);
    const listed = [...source.matchAll(FIELD_LISTS)].flatMap((list) =>
      [...list[0].matchAll(/(?<=')\w+(?=')/g)].map((name) => [name[0], list.index + name.index] as const),
    );
    const keys = [...source.matchAll(SCHEMA_KEYS)].map((key) => [key[0], key.index] as const);
    return [...listed, ...keys]
      .filter(([name]) => documented.has(name))
      .map(([name, index]) => {
        // With all that stands before it the place is the only one.
        const find = source.slice(0, index + name.length);
        return { title: `${file} ${name}`, file, find, put: `${find}s`, tests: '', test: TABLES };
      });
  });
}

interface Verdict {
  readonly noticed: string | undefined;
  readonly seconds: number;
}

/** Runs until the first failure; that one is enough. */
function judge(mutant: Mutant, again = false): Promise<Verdict> {
  const { file, find, put, tests, test } = mutant;
  const began = performance.now();
  const options = ['--test', '--test-reporter=tap', `--test-name-pattern=${tests || '.'}`];
  const child = spawn(process.execPath, [...options, join(import.meta.dirname, test)], {
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
      const failure = /^ +not ok [0-9]+ - ((?:interface|wire) .*)/.exec(line);
      if (failure === null || noticed !== undefined) return;
      noticed = failure[1];
      process.kill(-child.pid!, 'SIGINT');
    });
    child.once('close', (code) => {
      const seconds = (performance.now() - began) / 1000;
      // It ended without a verdict, as when a busy machine does not start a server in time; twice, and there is no server.
      if (noticed === undefined && code !== 0 && !again) resolve(judge(mutant, true));
      else resolve({ noticed: noticed ?? (code === 0 ? undefined : 'the exchange does not start'), seconds });
    });
  });
}

/** Unbroken, the tests of a mutant pass: those that need the ones left out would notice everything. */
const sound = new Set<string>();
async function assertSound({ tests, test }: Mutant): Promise<void> {
  if (sound.has(`${test} ${tests}`)) return;
  const unbroken = { title: 'unbroken', file: TABLE, find: END_OF_TABLE, put: END_OF_TABLE, tests, test };
  const { noticed } = await judge(unbroken);
  if (noticed !== undefined) throw new Error(`fails without a mutant, of ${tests}: ${noticed}`);
  sound.add(`${test} ${tests}`);
}

const KINDS = {
  rates: rateMutants,
  limits: limitMutants,
  fields: fieldMutants,
  parameters: () => inTable(parameterMutants()),
  access: () => inTable(accessMutants()),
} as const;
const PLAYED = ['answers', 'categories'] as const;
const isPlayed = (kind: string): kind is (typeof PLAYED)[number] =>
  (PLAYED as readonly string[]).includes(kind);
const isKind = (kind: string): kind is keyof typeof KINDS => kind in KINDS;

const [kind = '', choice = '1'] = process.argv.slice(2);
const chosen = (title: string, n: number) =>
  /^[0-9]+$/.test(choice) ? n % Number(choice) === 0 : title.includes(choice);

let count = 0;
const survivors: string[] = [];
function tell(title: string, noticed: string | undefined, seconds: number): void {
  count++;
  if (noticed === undefined) survivors.push(title);
  console.log(`${title}: ${noticed ?? 'SURVIVED'} (${seconds.toFixed(1)} s)`);
}

if (isPlayed(kind)) {
  const { replay } = await import('./mutation/replay.ts');
  await replay(kind, chosen, tell);
} else if (isKind(kind)) {
  for (const mutant of KINDS[kind]().filter(({ title }, n) => chosen(title, n))) {
    await assertSound(mutant);
    const { noticed, seconds } = await judge(mutant);
    tell(mutant.title, noticed, seconds);
  }
} else {
  throw new Error(`say which: ${[...PLAYED, ...Object.keys(KINDS)].join(', ')}`);
}
console.log([`${count} mutants, ${survivors.length} survived`, ...survivors].join('\n  '));
process.exit(survivors.length === 0 ? 0 : 1);
