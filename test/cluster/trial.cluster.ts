/**
 * `bourse cluster trial` as a newcomer runs it: nodes that answer, a fail-over after a node was killed, and nothing left when it ends.
 * A fail-over with all nodes is in docs.cluster.ts.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { startProgram } from '../harness/child-programs.ts';
import { programModule } from '../harness/program.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { until } from '../harness/until.ts';
import { NO_SERVER } from '../postgres/server.ts';

test('a trial runs three nodes until Ctrl-C, also when one is killed and its primary too, and leaves neither files nor servers', {
  skip: NO_SERVER,
}, async () => {
  const temporary = temporaryDirectory();
  // The servers run as another user when the test is root.
  chmodSync(temporary, 0o755);
  const env = { ...process.env, TMPDIR: temporary };
  const trial = startProgram([programModule('src/bourse.ts'), 'cluster', 'trial', '--market', 'off'], {
    cwd: temporaryDirectory(),
    env,
  });
  await until('it is up', () => {
    assert.equal(trial.process.exitCode, null, `${trial.stdout}${trial.stderr}`);
    return /^f and Enter: /m.test(trial.stdout);
  });
  const urls = [...trial.stdout.matchAll(/^[abc] +(http:\S+)/gm)].map(([, url]) => url!);
  assert.equal(urls.length, 3);
  await ready(urls);
  const keys = /^keys +(\S+)$/m.exec(trial.stdout)![1]!;
  assert.ok(existsSync(keys));
  const [, port] = /^cluster +postgres:\/\/bourse@127\.0\.0\.1:(\d+)/m.exec(trial.stdout)!;

  process.kill(pidOf('c', keys), 'SIGKILL');
  await assert.rejects(fetch(`${urls[2]}/readyz`));
  trial.process.stdin!.write('f\n');
  await until('the killed server is back', () => {
    assert.doesNotMatch(trial.stdout, /the fail-over failed/);
    return /db\d is back as the standby/.test(trial.stdout) && /^ *lost /m.test(trial.stdout);
  });
  assert.match(trial.stdout, /orders flow to 2 nodes/);
  assert.match(trial.stdout, /^ *lost +0: every node that runs has every acknowledged order/m);
  await ready(urls.slice(0, 2));

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

/** Not at once: a node whose timers or log are late says that it is not. */
async function ready(urls: readonly string[]): Promise<void> {
  for (const url of urls)
    await until(`${url} is ready`, async () => (await fetch(`${url}/readyz`)).status === 200);
}

/** Of the node itself: a shell around it has the same arguments. */
function pidOf(node: string, keys: string): number {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,args=']).toString().split('\n');
  const found = lines.map((line) => /^ *(\d+) +(\S+) (.*)$/.exec(line)).filter((match) => match !== null);
  const own = found.filter(
    ([, , program, args]) => !/sh$/.test(program!) && args!.includes(`--node ${node} --keys ${keys}`),
  );
  assert.equal(own.length, 1, lines.filter((line) => line.includes(keys)).join('\n'));
  return Number(own[0]![1]);
}
