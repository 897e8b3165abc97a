/** What every start would pay for. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** Not read by the start of an exchange. */
const LATER: Readonly<Record<string, string>> = {
  'src/app/start/replay-run.ts': 'imported when a replay runs',
  'src/testkit/json-call.ts': 'of the program under test',
};
/** An import reads every export, among them the client behind `fetch`: a tenth of a start. Types cost nothing. */
const READS_ALL = /^import (?!type\b)(?:(?!;)[\s\S])*? from 'node:https?';/m;

test('no module of the start imports node:http', () => {
  const found = globSync('src/**/*.ts', { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => READS_ALL.test(readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(found.sort(), Object.keys(LATER).sort());
});
