/** `docs/postgres.md`: its blocks are executed in order and as written, the SQL by an administrator, the rest in one shell each. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blocksOf, ROOT } from '../docs/blocks.ts';
import { pathWithStandIn } from '../docs/npm-stand-in.ts';
import { startCommand } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { NO_SERVER, sharedServer } from './server.ts';

test('the blocks of docs/postgres.md lead from an empty server to a proved backup', {
  skip: NO_SERVER,
}, async () => {
  const server = await sharedServer();
  const blocks = blocksOf('docs/postgres.md');
  const [made, ...queries] = blocks.filter(({ language }) => language === 'sql').map(({ text }) => text);
  const [begin, prove] = blocks.filter(({ language }) => language === 'bash').map(({ text }) => text);
  assert.equal(blocks.length, 1 + queries.length + 2);
  for (const statement of made!.split(';\n').filter((each) => each.trim() !== ''))
    await server.run(statement);

  // The shell of the reader stays open while SQL is tried; here it waits for a file.
  const home = temporaryDirectory();
  const data = join(home, 'venue');
  const tried = join(home, 'tried');
  const script = `${begin}\ntouch "${tried}.begin"\nuntil [ -e "${tried}" ]; do sleep 0.1; done\n${prove}`;
  const place = {
    BOURSE_DATA: data,
    BACKUPS: join(home, 'backups'),
    BOURSE_PORT: '0',
    DATABASE_HOST: `127.0.0.1:${server.port}`,
  };
  const env = { ...process.env, ...place, PATH: await pathWithStandIn() };
  const shell = startCommand('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT, env });
  let ended = false;
  void shell.ended.then(() => {
    ended = true;
  });
  while (!existsSync(`${tried}.begin`) && !ended) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const query of queries)
    for (const statement of query.split(';\n').filter((each) => each.trim() !== '')) {
      const rows = await server.run(statement, 'exchange');
      assert.ok(rows.length > 0 || !statement.startsWith('SELECT') || /uid = /.test(statement), statement);
    }
  await startCommand('touch', [tried], {}).ended;
  const { code, stdout, stderr } = await shell.ended;
  const log = existsSync(`${data}.log`) ? readFileSync(`${data}.log`, 'utf8') : '';
  assert.equal(code, 0, `${stdout}\n${stderr}\n${log}`);
  assert.match(stdout, /^ok +moment +state after command/m);
  assert.equal([...stdout.matchAll(/^verified$/gm)].length, 2, stdout);
  assert.doesNotMatch(`${stdout}${stderr}${log}`, /change this/);
  await server.dropDatabase('exchange');
  for (const role of ['reports', 'exchange']) await server.run(`DROP ROLE ${role}`);
});
