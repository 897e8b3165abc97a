/** `bourse cluster trial` as a newcomer runs it: nodes that answer, and nothing left when it ends. The fail-over is in docs.cluster.ts. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { startCommand } from '../harness/child-programs.ts';
import { programModule } from '../harness/program.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER } from '../postgres/server.ts';

test('a trial runs three nodes until Ctrl-C, and leaves neither files nor servers', {
  skip: NO_SERVER,
}, async () => {
  const temporary = temporaryDirectory();
  // The servers run as another user when the test is root.
  chmodSync(temporary, 0o755);
  const env = { ...process.env, TMPDIR: temporary };
  const trial = startCommand(
    process.execPath,
    [programModule('src/bourse.ts'), 'cluster', 'trial', '--market', 'off'],
    {
      cwd: temporaryDirectory(),
      env,
    },
  );
  await until('it is up', () => {
    assert.equal(trial.process.exitCode, null, `${trial.stdout}${trial.stderr}`);
    return /^f and Enter: /m.test(trial.stdout);
  });
  const urls = [...trial.stdout.matchAll(/^[abc] +(http:\S+)/gm)].map(([, url]) => url!);
  assert.equal(urls.length, 3);
  for (const url of urls) assert.equal((await fetch(`${url}/readyz`)).status, 200);
  const keys = /^keys +(\S+)$/m.exec(trial.stdout)![1]!;
  assert.ok(existsSync(keys));
  const [, port] = /^cluster +postgres:\/\/bourse@127\.0\.0\.1:(\d+)/m.exec(trial.stdout)!;
  trial.process.kill('SIGINT');
  const { code, output } = await trial.ended;
  assert.equal(code, 0, output);
  assert.deepEqual(
    readdirSync(temporary).filter((name) => name.startsWith('bourse-trial')),
    [],
  );
  for (const url of [...urls, `http://127.0.0.1:${port}`])
    await assert.rejects(fetch(url), (error: Error) =>
      /ECONNREFUSED/.test(String((error.cause as { code?: string }).code)),
    );
});
