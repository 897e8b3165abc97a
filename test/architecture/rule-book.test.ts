/**
 * The rule book's own exam: each of its edge cases (domain.md 10.2) and of its invariants (10.1) has a test whose name
 * begins with its number, so that nobody has to look for what proves a row, and none is lost unnoticed.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const CASES = 144;
const INVARIANTS = 44;

/** Names of tests: what is quoted and begins with a number of the rule book. */
const NAMES = globSync(['test/**/*.test.ts', 'src/**/*.test.ts'], { cwd: ROOT }).flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?<=['`])(?:cases? \d[\d, and]*|I\d\d): /g)].map(([name]) => name);
});

function missing(found: ReadonlySet<number>, count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1).filter((number) => !found.has(number));
}

test('every edge case has a test that begins with its number', () => {
  const found = new Set(
    NAMES.filter((name) => name.startsWith('case')).flatMap((name) => name.match(/\d+/g)!.map(Number)),
  );
  assert.deepEqual(missing(found, CASES), []);
  assert.ok([...found].every((number) => number <= CASES));
});

test('every invariant has a test that begins with its number', () => {
  const found = new Set(NAMES.filter((name) => name.startsWith('I')).map((name) => Number(name.slice(1, 3))));
  assert.deepEqual(missing(found, INVARIANTS), []);
});
