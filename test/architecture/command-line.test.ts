/** A command of `bourse` that asks a running exchange something starts without the parts that only an exchange needs. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
/** Each would be more than a quarter of a command's start. What needs one of them imports it when it is called. */
const DEAR = [
  'src/validation/schema-check.ts',
  'src/history/history-database.ts',
  'src/core/engine/exchange.ts',
  'src/app/start/start-exchange.ts',
];
const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;]*?\sfrom\s+)?'(\.[^']+)';/gm;

test('every command starts without validator, history and exchange', () => {
  const wayTo = new Map([['src/app/cli/bourse-program.ts', '']]);
  for (const [path, way] of wayTo) {
    const here = `${way} > ${path}`;
    assert.ok(!DEAR.includes(path), `import it where it is used:${here}`);
    for (const [, name] of readFileSync(join(ROOT, path), 'utf8').matchAll(STATIC_IMPORT)) {
      const to = normalize(join(dirname(path), name!)).replaceAll('\\', '/');
      if (!wayTo.has(to)) wayTo.set(to, here);
    }
  }
  assert.ok(wayTo.size > 50, 'the imports are found');
  for (const path of DEAR) assert.ok(existsSync(join(ROOT, path)), path);
});
