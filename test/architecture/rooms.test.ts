/** The import table and the purity of the core, held against the code (docs/architecture.md shows the same table). */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** Room to the rooms it may import. Files directly in `src` compose everything and may import all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  record: ['core'],
  files: [],
  space: [],
  log: ['files', 'space'],
  http: [],
  identity: ['files', 'space'],
  history: ['core', 'record', 'space'],
  venue: ['core', 'log', 'history', 'space'],
  market: ['core', 'history', 'venue'],
  gateway: ['core', 'record', 'http', 'identity', 'history', 'venue', 'space'],
  streams: ['core', 'record', 'http', 'venue', 'gateway'],
  operator: ['core', 'record', 'files', 'space', 'http', 'identity', 'history', 'venue', 'market'],
  operation: [
    'core',
    'record',
    'files',
    'space',
    'log',
    'http',
    'identity',
    'history',
    'venue',
    'market',
    'gateway',
    'streams',
    'operator',
  ],
};

/** Inside the core lower parts never import upper ones; a file may import its own layer and those before it. */
const CORE_LAYERS: readonly (readonly string[])[] = [
  [
    'units',
    'limits',
    'terms',
    'refusal',
    'outcome',
    'digest',
    'diverged',
    'bytes',
    'ranked-heap',
    'exact-integers',
    'orders/open-counts',
    'orders/order-id',
    'market/candle-width',
    'strategy/trigger-leg',
  ],
  [
    'market/index-price',
    'market/mark-price',
    'margin/margin-tiers',
    'margin/margin-scale',
    'futures/position',
    'futures/quarters',
    'loan/loan-terms',
    'loan/loan',
    'loan/pledge-rate',
  ],
  ['borrowing/borrow-terms'],
  ['listing-spec'],
  [
    'instrument',
    'instrument-reading',
    'book/id-index',
    'book/price-index',
    'event',
    'command',
    'orders/instrument-status',
    'wallet/pending-withdrawal',
  ],
  [
    'book/order-slab',
    'ledger',
    'market/candle-series',
    'market/price-series',
    'market/day-window',
    'market/tape',
    'command-layouts',
    'order-layouts',
    'command-codec',
    'wallet/recent-oids',
    'loan/loan-book',
    'strategy/trigger-ladder',
    'strategy/trailing',
    'strategy/strategy-order',
    'strategy/price-watch',
    'strategy/strategy-book',
  ],
  ['book/book', 'book/depth'],
  ['futures/funding-rate', 'futures/futures-market'],
  ['margin/account-margin', 'account'],
  ['state'],
  ['futures/holders', 'futures/futures-lookup'],
  [
    'margin/collateral',
    'liquidation/insurance-fund',
    'liquidation/insurance-record',
    'borrowing/margin-lock',
    'orders/order-life',
    'borrowing/debts',
    'loan/loan-record',
    'loan/loan-money',
    'loan/loan-lookup',
  ],
  ['orders/order-checks', 'market/prices', 'margin/margin', 'instrument-calendar'],
  ['margin/margin-lines', 'margin/margin-coins'],
  ['margin/margin-cache'],
  ['margin/spendable', 'liquidation/adl-ranking', 'borrowing/margin-entry'],
  ['strategy/strategy-life', 'strategy/strategy-lookup'],
  ['liquidation/bankruptcy', 'liquidation/liquidation-price'],
  [
    'orders/trade-record',
    'orders/cancel',
    'wallet/wallet',
    'wallet/commission',
    'strategy/tpsl-checks',
    'strategy/attached',
    'strategy/cancel-everything',
  ],
  ['borrowing/conversion', 'borrowing/interest'],
  [
    'borrowing/repayment',
    'orders/spot-settlement',
    'wallet/withdrawal',
    'futures/fill-parts',
    'futures/futures-record',
    'futures/futures-settlement',
    'futures/futures-settings',
    'futures/isolated-margin',
    'futures/opening-checks',
    'futures/closing-orders',
    'futures/futures-entry',
    'futures/futures-amend',
    'futures/funding',
    'loan/repay',
    'loan/borrow',
    'loan/revise',
    'loan/force',
    'loan/loan-pool',
    'loan/loan-desk',
  ],
  ['liquidation/forced-orders', 'liquidation/deleveraging'],
  ['liquidation/liquidation-due', 'liquidation/closing-out'],
  ['liquidation/liquidation', 'liquidation/risk-watch', 'liquidation/force-close', 'borrowing/risk-warning'],
  ['futures/move-checks', 'futures/position-move'],
  ['orders/entry-checks', 'orders/execution'],
  ['orders/order-entry', 'listing'],
  ['futures/delivery'],
  [
    'futures/futures-desk',
    'futures/futures-invariants',
    'loan/loan-invariants',
    'borrowing/lending-invariants',
  ],
  ['strategy/strategy-draft', 'strategy/draft-checks', 'strategy/strategy-entry'],
  ['strategy/strategy-desk', 'strategy/strategy-invariants', 'strategy/strategy-reads'],
  ['schedule'],
  ['snapshot/accounts', 'snapshot/orders', 'snapshot/money', 'snapshot/markets'],
  [
    'orders/amend',
    'snapshot',
    'reads',
    'futures/position-reads',
    'futures/leverage-preview',
    'loan/loan-reads',
    'borrowing/borrowing-reads',
    'borrowing/coin-leverage-preview',
    'invariants',
  ],
  ['exchange'],
];

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function sources(pattern: string): SourceFile[] {
  return globSync(pattern, { cwd: ROOT })
    .filter((path) => !/\.(test|contract)\.ts$|example-/.test(path))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);
      return { path, text, imports };
    });
}

test('every room imports only the rooms it may', () => {
  for (const { path, imports } of sources('src/*/**/*.ts')) {
    const room = path.split('/')[1]!;
    const allowed = MAY_IMPORT[room];
    assert.ok(allowed, `${path}: room ${room} has no row in the import table`);
    for (const imported of imports.filter((name) => name.startsWith('.'))) {
      const target = normalize(join(dirname(path), imported)).split('/');
      if (target.length === 2) {
        assert.ok(target[1] === 'version.ts', `${path} imports ${imported}: composition is above the rooms`);
        continue;
      }
      assert.ok(target[1] === room || allowed.includes(target[1]!), `${path} may not import ${imported}`);
    }
  }
});

test('the core imports nothing but itself, and lower layers never import upper ones', () => {
  const layerOf = new Map(
    CORE_LAYERS.flatMap((names, layer) =>
      names.map((name): [string, number] => [`src/core/${name}.ts`, layer]),
    ),
  );
  for (const { path, imports } of sources('src/core/**/*.ts')) {
    const layer = layerOf.get(path);
    assert.ok(layer !== undefined, `${path} has no layer`);
    for (const imported of imports) {
      assert.match(imported, /^\.\.?\/[a-z/.-]+\.ts$/, `${path} imports ${imported} from outside the core`);
      const target = layerOf.get(normalize(join(dirname(path), imported)));
      assert.ok(target !== undefined && target <= layer, `${path} imports ${imported} from a layer above it`);
    }
  }
});

test('no file imports itself by way of others', () => {
  const importsOf = new Map(
    [...sources('src/**/*.ts'), ...sources('bench/**/*.ts')].map((source): [string, string[]] => [
      source.path,
      importsOfFile(source).map((name) => normalize(join(dirname(source.path), name))),
    ]),
  );
  const seen = new Set<string>();
  const visit = (path: string, way: readonly string[]) => {
    const circle = way.indexOf(path);
    assert.equal(circle, -1, `a circle of imports: ${[...way.slice(circle), path].join(' > ')}`);
    if (seen.has(path)) return;
    for (const imported of importsOf.get(path) ?? []) visit(imported, [...way, path]);
    seen.add(path);
  };
  for (const path of importsOf.keys()) visit(path, []);
});

/** In the core the state and its parts know each other's types; what they run must be without circles all the same. */
function importsOfFile({ path, text, imports }: SourceFile): readonly string[] {
  const own = imports.filter((name) => name.startsWith('.'));
  if (!path.startsWith('src/core/')) return own;
  const ofTypes = /import (?:type [^;]*|\{(?:\s*type \w+,?)+\s*\}) from '([^']+)';/g;
  const types = new Set([...text.matchAll(ofTypes)].map((match) => match[1]!));
  return own.filter((name) => !types.has(name));
}

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
  for (const { path, text } of sources('src/core/**/*.ts')) {
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    for (const [pattern, what] of forbidden) assert.doesNotMatch(code, pattern, `${path} uses ${what}`);
  }
});

test('docs/architecture.md shows the import table of this test', () => {
  const document = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  for (const [room, allowed] of Object.entries(MAY_IMPORT)) {
    const row = document.split('\n').find((line) => line.startsWith(`| \`src/${room}/\``));
    assert.ok(row, `docs/architecture.md has no row for src/${room}/`);
    const named = row
      .split('|')
      .at(-2)!
      .matchAll(/`([a-z]+)`/g);
    assert.deepEqual([...named].map((match) => match[1]).sort(), [...allowed].sort(), `row of ${room}`);
  }
});

test('every file and folder that docs/architecture.md names is there', () => {
  const document = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const rows = document.split('\n').filter((line) => line.startsWith('| ') && line.includes('.ts`'));
  assert.ok(rows.length > 20);
  const homes = ['src/core', 'src/gateway', 'test/core'];
  for (const row of rows) {
    for (const [column, cell] of row.split('|').slice(2, -1).entries()) {
      for (const [, name] of cell.matchAll(/`([\w./-]+(?:\.ts|\.md|\/))`/g)) {
        const home = /^(?:src|test)\//.test(name!) ? '' : homes[column]!;
        assert.ok(existsSync(join(ROOT, home, name!)), `${join(home, name!)} of: ${row}`);
      }
    }
  }
});
