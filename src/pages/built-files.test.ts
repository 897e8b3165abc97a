import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { builtFiles } from './built-files.ts';

test('files with an ending are served, hidden ones are not', () => {
  const directory = temporaryDirectory();
  for (const folder of ['assets', '.vite', 'assets/.maps']) mkdirSync(join(directory, folder));
  const written = ['index.html', 'assets/page-12345678.js', 'LICENSE', '.secret.html', '.vite/manifest.json'];
  for (const file of [...written, 'assets/.maps/page.js']) writeFileSync(join(directory, file), file);
  assert.deepEqual([...builtFiles(directory).keys()].sort(), ['assets/page-12345678.js', 'index.html']);
});

test('pages that were never built are none', () => {
  assert.equal(builtFiles(join(temporaryDirectory(), 'dist')).size, 0);
});
