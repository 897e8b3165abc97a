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

const bytes = (path: string) => readFileSync(join(DIST, path));

/** A page with all that it names, compressed. */
function loadedBy(page: string): number {
  const named = [
    ...bytes(page)
      .toString()
      .matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g),
  ].map(([, path]) => path!);
  return [page, ...named].reduce((sum, path) => sum + gzipSync(bytes(path), { level: 9 }).length, 0);
}

test('the pages load little, compressed, and all files together are small', () => {
  for (const [page, most] of [
    ['index.html', 130_000],
    ['inspector.html', 60_000],
    ['reference.html', 80_000],
    ['console.html', 80_000],
  ] as const)
    assert.ok(loadedBy(page) <= most, `${page}: ${loadedBy(page)} bytes`);
  assert.ok(filesIn(DIST).reduce((sum, path) => sum + bytes(path).length, 0) <= 700_000);
});

test('the pages name no other host, but for the credit and the licences of what they contain', () => {
  const NAMED =
    /^https?:\/\/(?:www\.w3\.org|www\.tradingview\.com|www\.apache\.org|preactjs\.com|localhost|127\.0\.0\.1)\b/;
  for (const path of filesIn(DIST))
    for (const [address] of readFileSync(join(DIST, path), 'utf8').matchAll(/https?:\/\/[\w.-]+/g))
      assert.match(address, NAMED, `${path}: ${address}`);
});
