/** `docs/streams-rules.md` names tests that exist. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './blocks.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('every rule of docs/streams-rules.md has a test under the name that stands there', () => {
  const rows = read('docs/streams-rules.md')
    .split('\n')
    .map((line) => /^\| (.+) \| `([^`]+\.(?:test|faults)\.ts)` \| `([^`]+)` \|$/.exec(line))
    .filter((row) => row !== null);
  assert.ok(rows.length > 70, `${rows.length} rules`);
  const missing = rows.filter(([, , path, name]) => !read(path!).includes(name!));
  assert.deepEqual(
    missing.map(([, rule, path, name]) => `${rule}: ${path} has no "${name}"`),
    [],
  );
});
