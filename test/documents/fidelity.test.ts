/** `docs/fidelity.md` has a row for every endpoint that is served. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROUTES } from '../../src/gateway/routes.ts';
import { ROOT } from './blocks.ts';

test('every endpoint is covered by a row of docs/fidelity.md', () => {
  const rows = readFileSync(join(ROOT, 'docs/fidelity.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) =>
    [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  );
  const patterns = named.map((name) => {
    const path = name.startsWith('/') ? name : `/api/v3/${name}`;
    return new RegExp(`^${path.replaceAll('*', '.*')}$`);
  });
  const uncovered = ROUTES.filter(({ path }) => !patterns.some((pattern) => pattern.test(path)));
  assert.deepEqual(
    uncovered.map(({ path }) => path),
    [],
  );
  const idle = named.filter(
    (name, n) => !name.includes('strategy') && !ROUTES.some(({ path }) => patterns[n]!.test(path)),
  );
  assert.deepEqual(idle, [], 'a row covers what is not served');
});
