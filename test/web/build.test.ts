/** The files in `web/dist` are those that the sources give: nobody commits stale pages. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const WEB = join(import.meta.dirname, '../../web');
const DIST = join(WEB, 'dist');
const fresh = temporaryDirectory();

after(() => rmSync(fresh, { recursive: true, force: true }));

const filesIn = (directory: string) =>
  globSync('**/*', { cwd: directory })
    .filter((path) => statSync(join(directory, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

test('a new build gives the committed files, byte for byte', async () => {
  await build({ configFile: join(WEB, 'vite.config.ts'), build: { outDir: fresh } });
  const remedy = 'run npm run web and commit web/dist';
  assert.deepEqual(filesIn(DIST), filesIn(fresh), remedy);
  for (const path of filesIn(fresh))
    assert.ok(readFileSync(join(DIST, path)).equals(readFileSync(join(fresh, path))), `${path}: ${remedy}`);
});

/** Bytes, compressed, of a page with all that it loads. */
const LOADED_MAX = { 'index.html': 130_000, 'console.html': 80_000 };

test('the pages load little: 130 kB compressed for the terminal, 80 for the console, 700 kB of files in all', () => {
  const files = filesIn(DIST);
  const bytes = (path: string) => readFileSync(join(DIST, path));
  for (const [page, most] of Object.entries(LOADED_MAX)) {
    const named = [
      ...bytes(page)
        .toString()
        .matchAll(/(?:src|href)="\/([^"]+)"/g),
    ].map(([, path]) => path!);
    const loaded = [page, ...named].reduce(
      (sum, path) => sum + gzipSync(bytes(path), { level: 9 }).length,
      0,
    );
    assert.ok(named.length > 1 && loaded <= most, `${page}: ${loaded} bytes`);
  }
  assert.ok(files.reduce((sum, path) => sum + bytes(path).length, 0) <= 700_000);
});

test('the pages name no other host, but for the credit and the licences of what they contain', () => {
  const NAMED =
    /^https?:\/\/(?:www\.w3\.org|www\.tradingview\.com|www\.apache\.org|preactjs\.com|localhost|127\.0\.0\.1)\b/;
  for (const path of filesIn(DIST))
    for (const [address] of readFileSync(join(DIST, path), 'utf8').matchAll(/https?:\/\/[\w.-]+/g))
      assert.match(address, NAMED, `${path}: ${address}`);
});
