/** The import table and the purity of the core, held against the code (docs/architecture.md shows the same table). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** Room to the rooms it may import. Files directly in `src` compose everything and may import all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  record: ['core'],
  log: [],
  identity: [],
  history: ['core', 'record'],
  venue: ['core', 'log', 'history'],
  gateway: ['core', 'record', 'identity', 'history', 'venue', 'operation'],
  operator: ['core', 'record', 'identity', 'history', 'venue'],
  operation: ['core', 'record', 'log', 'identity', 'history', 'venue', 'gateway', 'operator'],
};

/** Inside the core lower parts never import upper ones; a file may import its own layer and those before it. */
const CORE_LAYERS: readonly (readonly string[])[] = [
  ['units', 'limits', 'terms', 'refusal', 'outcome', 'digest', 'bytes', 'order-id', 'candle-width'],
  ['index-price', 'mark-price', 'margin-tiers', 'position', 'quarters'],
  ['instrument', 'id-index', 'price-index', 'event', 'command', 'instrument-status', 'pending-withdrawal'],
  ['order-slab', 'ledger', 'candle-series', 'day-window', 'tape', 'command-codec', 'recent-oids'],
  ['book', 'account', 'depth'],
  ['funding-rate', 'futures-market'],
  ['state'],
  ['collateral', 'order-life'],
  ['order-checks', 'prices', 'margin'],
  ['bankruptcy', 'liquidation-price'],
  ['trade-record', 'cancel', 'wallet'],
  ['spot-settlement', 'withdrawal', 'futures-settlement', 'futures-settings', 'futures-entry', 'funding'],
  ['forced-orders', 'deleveraging'],
  ['liquidation', 'risk-watch'],
  ['order-entry', 'listing'],
  ['delivery'],
  ['futures-desk', 'futures-invariants'],
  ['schedule'],
  ['amend', 'snapshot', 'reads', 'position-reads', 'invariants'],
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
        const open = room === 'operation' ? ['version.ts', 'config.ts'] : ['version.ts'];
        assert.ok(open.includes(target[1]!), `${path} imports ${imported}: composition is above the rooms`);
        continue;
      }
      assert.ok(target[1] === room || allowed.includes(target[1]!), `${path} may not import ${imported}`);
    }
  }
});

test('the core imports nothing but itself, and lower layers never import upper ones', () => {
  const layerOf = new Map(
    CORE_LAYERS.flatMap((names, layer) => names.map((name) => [`${name}.ts`, layer] as [string, number])),
  );
  for (const { path, imports } of sources('src/core/*.ts')) {
    const layer = layerOf.get(path.split('/').at(-1)!);
    assert.ok(layer !== undefined, `${path} has no layer`);
    for (const imported of imports) {
      assert.match(imported, /^\.\/[a-z-]+\.ts$/, `${path} imports ${imported} from outside the core`);
      const target = layerOf.get(imported.slice(2));
      assert.ok(target !== undefined && target <= layer, `${path} imports ${imported} from a layer above it`);
    }
  }
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
  for (const { path, text } of sources('src/core/*.ts')) {
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
