/** `docs/cluster.md`: its blocks are executed in order and as written, the SQL by an administrator, the rest in one shell. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../src/app/cluster/trial/free-port.ts';
import { blocksOf, ROOT } from '../docs/blocks.ts';
import { pathWithStandIn } from '../docs/npm-stand-in.ts';
import { startCommand } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { NO_SERVER, PostgresServer } from '../postgres/server.ts';

test('the blocks of docs/cluster.md lead from two servers to a cluster that was moved out and in again', {
  skip: NO_SERVER,
}, async () => {
  const blocks = blocksOf('docs/cluster.md');
  const of = (wanted: string) => blocks.filter(({ language }) => language === wanted).map(({ text }) => text);
  const [statements, commands] = [of('sql'), of('bash')];
  assert.equal(blocks.length, statements.length + commands.length);

  const db1 = await PostgresServer.start({ durable: true });
  const db2 = await db1.standby('db2');
  for (const statement of statements.join('\n').split(';\n'))
    if (statement.trim() !== '') await db1.run(statement);

  const home = temporaryDirectory();
  const place = {
    DB1: `127.0.0.1:${db1.port}`,
    DB2: `127.0.0.1:${db2.port}`,
    KEYS: join(home, 'keys'),
    COPY: join(home, 'copy'),
    PORT_A: String(await freePort()),
    PORT_B: String(await freePort()),
    PATH: await pathWithStandIn(),
  };
  const env = { ...process.env, ...place };
  const script = commands.join('\n');
  const shell = startCommand('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT, env });
  const { code, stdout, stderr } = await shell.ended;
  const logs = ['a', 'b']
    .map((name) => join(home, `keys.${name}.log`))
    .map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''));
  assert.equal(code, 0, [stdout, stderr, ...logs].join('\n'));
  assert.match(stdout, /^lost +0: every node that runs has every acknowledged order$/m);
  assert.match(stdout, /^copies +two: primary and standby$/m);
  for (const name of ['a', 'b']) assert.match(stdout, new RegExp(`^${name} +node +http`, 'm'));
  assert.match(stdout, /^verified$/m);
  const hash = /^state hash +([0-9a-f]{64})$/m.exec(stdout)?.[1];
  assert.equal(/^hash after +([0-9a-f]{64})$/m.exec(stdout)?.[1], hash);
  assert.match(stdout, /edition \d+ of the rules is in force/);
  assert.match(stdout, /Nothing is lost/);
  assert.doesNotMatch(`${stdout}${stderr}${logs.join('')}`, /change this/);
  await db2.kill();
  await db1.kill();
});
