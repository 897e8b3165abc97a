/** Which folder may import which, and the purity of the core, held against the code (docs/architecture.md shows the tables). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** Module (a folder of `src`) to the modules that it may import. Files directly in `src` are entry points and may import all. */
const MODULES: Readonly<Record<string, string>> = {
  core: '',
  storage: '',
  validation: '',
  http: 'validation',
  pages: 'http',
  inspector: '',
  views: 'core',
  catalogue: 'core validation',
  journal: 'storage',
  identity: 'storage',
  history: 'core storage views',
  sequencer: 'core storage journal history',
  cluster: 'core storage journal identity history sequencer',
  reserves: 'core sequencer',
  accounts: 'core identity sequencer',
  warmup: 'core',
  simulator: 'core history catalogue sequencer',
  api: 'core storage validation http views inspector identity history sequencer reserves accounts',
  admin:
    'core storage validation http views inspector catalogue identity history sequencer cluster reserves accounts simulator',
  lab: 'core storage validation http views inspector journal identity history sequencer simulator admin',
  app: 'core storage http views inspector catalogue journal identity history sequencer cluster reserves accounts simulator warmup pages api admin lab',
  testkit: 'core catalogue identity sequencer simulator app',
};

/** What the program is, where its files are, and how its threads answer. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'src/program-files.ts',
  'src/program-name.ts',
  'src/thread-port.ts',
  'src/version.ts',
]);

/** The layers of the core, lowest first; each imports only itself and those before it. */
const LAYERS = [
  ...['model', 'codec', 'book', 'marketdata', 'state', 'orders', 'margin', 'strategy', 'listing', 'wallet'],
  ...['loan', 'borrowing', 'futures', 'spot', 'liquidation', 'entry', 'explain'],
  ...['reads', 'snapshot', 'engine'],
];

/** What runs outside the core uses only these of it; types may come from any layer, because they do nothing. */
const CORE_SURFACE =
  /^src\/core\/(?:model|codec|explain|reads|snapshot)\/|^src\/core\/engine\/(?:exchange|invariants)\.ts$/;

/** The parts of modules, lowest first; each imports only itself and those before it. A dot stands for the files beside them. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'src/api': ['wire', 'auth', '.', 'limits', 'routes', 'http', 'ws'],
  'src/api/routes': ['market', 'trade', 'account', 'wallet', 'users', 'futures', 'loans', 'legacy'],
  'src/app': '. terminal data config observability backup start verify cluster cli'.split(' '),
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly onlyTypes: boolean;
}

function importsOf(pattern: string): Import[] {
  return globSync(pattern, { cwd: ROOT })
    .filter((path) => !/\.(test|contract)\.ts$/.test(path))
    .flatMap((from) => {
      const text = readFileSync(join(ROOT, from), 'utf8');
      const found = text.matchAll(
        /(import type |import |export )?(\{[^}]*\} |\* as \w+ |\w+ )?(?:from |import\()'([^']+)'/g,
      );
      return [...found].map(([, keyword = '', names = '', path]) => ({
        from,
        to: path!.startsWith('.') ? normalize(join(dirname(from), path!)) : path!,
        onlyTypes: keyword === 'import type ' || /^\{(?:\s*type [\w ]+,?)+\s*\} $/.test(names),
      }));
    });
}

const own = ({ to }: Import) => to.startsWith('src/');
const folder = (path: string, depth: number) => path.split('/').slice(0, -1)[depth] ?? '.';

test('every module imports only the modules that it may', () => {
  for (const { from, to } of importsOf('src/*/**/*.ts').filter(own)) {
    const [module, target] = [folder(from, 1), folder(to, 1)];
    assert.ok(MODULES[module] !== undefined, `${from}: ${module} has no row in the table of modules`);
    if (EVERYWHERE.has(to)) continue;
    assert.ok(
      target === module || MODULES[module].split(' ').includes(target),
      `${from} may not import ${to}`,
    );
  }
});

test('a layer of the core imports only those below it, and nothing from outside', () => {
  for (const { from, to } of importsOf('src/core/**/*.ts')) {
    assert.ok(to.startsWith('src/core/'), `${from} imports ${to} from outside the core`);
    const [layer, target] = [LAYERS.indexOf(folder(from, 2)), LAYERS.indexOf(folder(to, 2))];
    assert.ok(layer >= 0, `${from} is in no layer`);
    assert.ok(target >= 0 && target <= layer, `${from} imports ${to} from a layer above it`);
  }
});

test('the margin cache is computed behind its one interface', () => {
  for (const { from, to } of importsOf('src/**/*.ts').filter(({ to }) =>
    to.startsWith('src/core/margin/cache/'),
  ))
    assert.match(from, /^src\/core\/margin\/(?:cache\/|margin-cache\.ts$)/, `${from} imports ${to}`);
});

test('ledger lines are written by postings and by fills alone', () => {
  const writers = /^src\/core\/(?:state\/ledger-|futures\/futures-fill-events\.ts$)/;
  for (const path of globSync('src/core/**/*.ts', { cwd: ROOT }))
    if (/\bemitLedgerLine\b/.test(readFileSync(join(ROOT, path), 'utf8')))
      assert.match(path, writers, `${path} writes a ledger line apart from its posting`);
});

test('a part of a module imports only the parts below it', () => {
  for (const [module, parts] of Object.entries(PARTS)) {
    const depth = module.split('/').length;
    const partOf = (path: string) => parts.indexOf(folder(path, depth));
    for (const { from, to } of importsOf(`${module}/**/*.ts`)) {
      assert.ok(partOf(from) >= 0, `${from} is in no part of ${module}`);
      if (!to.startsWith(`${module}/`)) continue;
      assert.ok(partOf(to) >= 0 && partOf(to) <= partOf(from), `${from} imports ${to} from a part above it`);
    }
  }
});

test('what runs outside the core uses its surface alone', () => {
  for (const { from, to, onlyTypes } of importsOf('src/**/*.ts')) {
    if (from.startsWith('src/core/') || !to.startsWith('src/core/') || onlyTypes) continue;
    assert.match(to, CORE_SURFACE, `${from} imports ${to}`);
  }
});

test('what runs outside the core reads orders and balances through its reads', () => {
  for (const path of globSync('src/**/*.ts', { cwd: ROOT })) {
    if (path.startsWith('src/core/') || path.endsWith('.test.ts')) continue;
    // Agents compare dozens of their own orders with the book many times a second: they read the columns in place.
    const direct = path.startsWith('src/simulator/') ? /\.ledger\b/ : /\bslab\b|\.ledger\b/;
    assert.doesNotMatch(readFileSync(join(ROOT, path), 'utf8'), direct, path);
  }
});

test('no file imports itself by way of others', () => {
  const imports = [...importsOf('src/**/*.ts'), ...importsOf('bench/**/*.ts')];
  const targets = Map.groupBy(
    imports.filter(({ to, onlyTypes }) => to.endsWith('.ts') && !onlyTypes),
    ({ from }) => from,
  );
  const seen = new Set<string>();
  const visit = (path: string, way: readonly string[]) => {
    const circle = way.indexOf(path);
    assert.equal(circle, -1, `a circle of imports: ${[...way.slice(circle), path].join(' > ')}`);
    if (seen.has(path)) return;
    for (const { to } of targets.get(path) ?? []) visit(to, [...way, path]);
    seen.add(path);
  };
  for (const path of targets.keys()) visit(path, []);
});

test('the core has no clock, randomness, timers, processes, promises or floating-point money', () => {
  const forbidden: readonly (readonly [RegExp, string])[] = [
    [/\bDate\b/, 'a clock'],
    [/\bperformance\b/, 'a clock'],
    [/Math\.random|\bcrypto\./, 'randomness'],
    [/\bset(?:Timeout|Interval|Immediate)\b|queueMicrotask/, 'a timer'],
    [/\bprocess\b|\bglobalThis\b|\brequire\(['"]/, 'the process'],
    [/\basync\b|\bawait\b|\bPromise\b/, 'asynchrony'],
    [/parseFloat|toFixed|Math\.round|\bNumber\.parse/, 'floating-point text'],
    [/\blocaleCompare\b|\bIntl\b|toLocale/, 'a locale'],
  ];
  for (const path of globSync('src/core/**/*.ts', { cwd: ROOT })) {
    if (path.endsWith('.test.ts')) continue;
    const text = readFileSync(join(ROOT, path), 'utf8');
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    for (const [pattern, what] of forbidden) assert.doesNotMatch(code, pattern, `${path} uses ${what}`);
  }
});
