/** `docs/backup.md` is a rehearsal: its bash blocks are executed in order, in one shell, as written. Only npm is a stand-in. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf, ROOT } from '../docs/blocks.ts';
import { pathWithStandIn } from '../docs/npm-stand-in.ts';
import { startCommand } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

test('the commands of docs/backup.md copy a venue that trades, prove the copy, restore and start it', async () => {
  const blocks = blocksOf('docs/backup.md').filter(({ language }) => language === 'bash');
  assert.equal(blocks.length, 4);
  const script = blocks.map(({ text }, index) => `echo "== ${index + 1}"\n${text}`).join('\n');
  const home = temporaryDirectory();
  const data = join(home, 'venue');
  // What the document leaves to the reader: the directories and the port.
  const place = { BOURSE_DATA: data, BACKUPS: join(home, 'backups'), BOURSE_PORT: '0' };
  const env = { ...process.env, ...place, PATH: await pathWithStandIn() };
  const { code, stdout, stderr } = await startCommand('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: ROOT,
    env,
  }).ended;
  const serverLog = existsSync(`${data}.log`) ? readFileSync(`${data}.log`, 'utf8') : '';
  assert.equal(code, 0, `${stdout}\n${stderr}\n${serverLog}`);
  const [, , copied, rehearsed] = stdout.split(/^== \d$/m);
  assert.match(copied!, /^ok +moment +state after command [\d,]+ has the hash of the exchange$/m);
  const hashes = [...`${copied}${rehearsed}`.matchAll(/state hash +([0-9a-f]{64})/g)].map(([, hash]) => hash);
  assert.equal(hashes.length, 4, 'told by backup, its proof, the restore and its proof');
  assert.equal(new Set(hashes).size, 1, 'and the same each time');
  assert.match(rehearsed!, /the books agree/);
});
