/** `docs/fidelity.md` has a row for every endpoint that is served, and says what is exact of those of the interface. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROUTES } from '../../src/api/http/routes.ts';
import { ENDPOINTS } from '../contract/endpoints.ts';
import { ROOT } from './blocks.ts';

interface Row {
  readonly names: readonly string[];
  readonly exact: string;
  /** What is modelled or different; the older paths have one cell for all. */
  readonly other: string;
}

const ROWS: readonly Row[] = readFileSync(join(ROOT, 'docs/fidelity.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, names = '', exact = '', other = '']) => ({
    names: [...names.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
    exact,
    other,
  }));

function covers(name: string, path: string): boolean {
  const whole = name.startsWith('/') ? name : `/api/v3/${name}`;
  return new RegExp(`^${whole.replaceAll('*', '.*')}$`).test(path);
}

test('every endpoint is covered by a row of docs/fidelity.md, and every row covers one', () => {
  const names = ROWS.flatMap((row) => row.names);
  const uncovered = ROUTES.filter(({ path }) => !names.some((name) => covers(name, path)));
  assert.deepEqual(
    uncovered.map(({ path }) => path),
    [],
  );
  const idle = names.filter((name) => !ROUTES.some(({ path }) => covers(name, path)));
  assert.deepEqual(idle, [], 'a row covers what is not served');
});

for (const endpoint of Object.keys(ENDPOINTS)) {
  test(`docs/fidelity.md says what is exact of ${endpoint}, which the interface documents`, () => {
    const path = `/api/v3/${endpoint.split(' ')[1]}`;
    const rows = ROWS.filter(({ names }) => names.some((name) => covers(name, path)));
    // A row of its own comes before one for anything of its kind.
    const named = rows.find(({ names }) => names.some((name) => !name.includes('*') && covers(name, path)));
    const { exact, other } = named ?? rows[0]!;
    assert.doesNotMatch(exact, /^–/, exact);
    assert.ok(exact !== '' && other !== '', `${exact} | ${other}`);
  });
}
