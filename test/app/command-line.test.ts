import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { environmentName, SETTING_NAMES } from '../../src/app/config/settings.ts';
import { startCommand } from '../harness/child-programs.ts';
import { refusedHosted } from '../harness/hosted-server.ts';
import { programModule } from '../harness/program.ts';
import { failingChecks } from '../harness/readiness.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { bourse, command, Server, start } from './bourse-process.ts';

const ESCAPE = '\u001b[';

/** Each of them is read by several tests and does not change. */
const helpOfStart = once(() => start(['--help']));
const explained = once(() => bourse(['config', '--explain']));

function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

test('a misspelt option or command is refused with the right one', async () => {
  const option = await start(['--prot', '1']);
  assert.equal(option.code, 2);
  assert.match(option.stderr, /unknown option '--prot'/);
  assert.match(option.stderr, /Did you mean --port\?/);
  const verb = await bourse(['verfiy']);
  assert.equal(verb.code, 2);
  assert.match(verb.stderr, /Did you mean verify\?/);
  assert.equal((await start(['surplus'])).code, 2);
});

test('a bad value is named with what would be right', async () => {
  const port = await start(['--port', '70000']);
  assert.equal(port.code, 2, port.stderr);
  assert.match(port.stderr, /--port "70000" must be a whole number from 0 to 65535/);
  const data = join(temporaryDirectory(), 'data');
  const cases: [string[], RegExp][] = [
    [['--log-level', 'inof'], /--log-level "inof" must be one of .* Did you mean info\?/],
    [['--trusted-proxies', '10.0.0.0/99'], /--trusted-proxies "10.0.0.0\/99" must be a list/],
    [['--segment-bytes', '20000'], /multiple of 4096/],
    [['--rate-limits', 'maybe'], /one of on, off/],
    [['--config', 'missing.json'], /missing.json cannot be read/],
    [['--catalogue', 'nowhere'], /nowhere does not exist/],
    [['--market', 'normal', '--feed', 'replay:nothing.csv'], /nothing\.csv/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await refusedHosted(data, args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
});

test('flags win over the environment, that over the file, that over the defaults', async () => {
  const cwd = temporaryDirectory();
  writeFileSync(
    join(cwd, 'bourse.config.json'),
    '{"host": "127.0.0.3", "port": 3, "data": "kept", "demo": false}',
  );
  const env = { BOURSE_HOST: '127.0.0.2', BOURSE_PORT: '2' };
  const { code, stdout, stderr } = await bourse(['config', '--explain', '--host', '127.0.0.1'], { cwd, env });
  assert.equal(code, 0, stderr);
  const line = (name: string) => stdout.split('\n').find((text) => text.startsWith(`${name} `)) ?? '';
  assert.match(line('host'), /"127.0.0.1" +flag --host/);
  assert.match(line('port'), / 2 +environment BOURSE_PORT/);
  assert.match(line('data'), new RegExp(`"${join(cwd, 'kept')}" +file bourse.config.json`));
  assert.match(line('demo'), /false +file bourse.config.json/);
  assert.match(line('rateLimits'), /"on" +default/);
});

test('every setting has an environment variable', async () => {
  const { stdout } = await explained();
  for (const name of SETTING_NAMES) assert.ok(stdout.includes(environmentName(name)), name);
  const help = await helpOfStart();
  for (const name of SETTING_NAMES) assert.ok(help.stdout.includes(environmentName(name)), name);
});

test('a configuration file may be TypeScript, lies beside its paths, and its mistakes are named', async () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, 'settings'));
  const file = join(cwd, 'settings', 'bourse.config.ts');
  writeFileSync(
    file,
    "const port: number = 9;\nexport default { port, data: './here', trustedProxies: ['10.0.0.0/8'] };\n",
  );
  const { stdout, stderr } = await bourse(['config', '--config', file], { cwd });
  const config = JSON.parse(stdout || stderr);
  assert.deepEqual([config.port, config.trustedProxies], [9, ['10.0.0.0/8']]);
  assert.equal(config.data, join(cwd, 'settings', 'here'));

  writeFileSync(join(cwd, 'bourse.config.json'), '{"prot": 1}');
  const misspelt = await bourse(['config'], { cwd });
  assert.equal(misspelt.code, 2);
  assert.match(misspelt.stderr, /unknown setting "prot"; did you mean "port"\?/);
});

test('help begins with examples and tells the exit codes; the version is one line', async () => {
  for (const [run, help] of [
    [start, helpOfStart()],
    [bourse, bourse(['--help'])],
  ] as const) {
    const { code, stdout } = await help;
    assert.equal(code, 0);
    assert.ok(stdout.startsWith('Examples:\n'), stdout);
    assert.match(stdout, /Exit codes:/);
    const version = await run(['--version']);
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  }
});

test('help tells one default a setting, and a forgotten client is answered with those there are', async () => {
  const { stdout } = await helpOfStart();
  assert.match(stdout, /--clock-start .*\[now\] \(BOURSE_CLOCK_START\)/);
  assert.doesNotMatch(stdout, /\] \[/);
  const forgotten = await bourse(['client']);
  assert.equal(forgotten.code, 2);
  assert.match(forgotten.stderr, /ccxt-js\|ccxt-py\|sdk\|curl/);
});

test('help of a command shows its own options first, and examples that can be typed', async () => {
  const { stdout } = await command(['account', 'create', '--help']);
  assert.ok(stdout.indexOf('--kind') < stdout.indexOf('--json'), stdout);
  assert.match(stdout, /--kind <main\|sub\|broker> +what kind of account \[main\]/);
  const group = await command(['help', 'account']);
  assert.match(group.stdout, /^ {2}npm run -s bourse -- account commission acme 0\.3$/m);
  assert.match(group.stdout, /^Usage: npm run -s bourse -- account \[options\] \[command\]$/m);
});

test('colour goes where it is wanted', async () => {
  const args = ['config', '--explain'];
  const coloured = async (extra: string[], env: Record<string, string> = {}) =>
    (await bourse([...args, ...extra], { env })).stdout.includes(ESCAPE);
  assert.equal((await explained()).stdout.includes(ESCAPE), false, 'a pipe is no terminal');
  assert.equal(await coloured([], { FORCE_COLOR: '1' }), true);
  assert.equal(await coloured([], { NO_COLOR: '1' }), false);
  assert.equal(await coloured(['--color']), true);
  assert.equal(await coloured(['--no-color'], { FORCE_COLOR: '1' }), false);
});

test('quiet prints the last line only; logs go to stderr and hold no secrets', async () => {
  const data = join(temporaryDirectory(), 'data');
  const small = ['--segment-bytes', '1048576'];
  const server = await Server.start(['--quiet', '--log-level', 'trace', '--data', data, ...small]);
  assert.equal(server.stdout, `Listening on ${server.url}\n`);
  await fetch(`${server.url}/api/v3/account/assets?passphrase=demo-alice-secret`, {
    headers: {
      'access-key': 'demo-alice',
      'access-passphrase': 'canary-passphrase',
      'access-sign': 'canary-sign',
    },
  });
  const { stderr } = await server.end('SIGTERM');
  assert.doesNotMatch(stderr, /demo-alice-secret|canary/);
  const lines = stderr.trimEnd().split('\n').slice(0, -1);
  for (const line of lines.filter((text) => text.startsWith('{'))) JSON.parse(line);
});

test('a command whose reader has gone ends quietly', async () => {
  const pipe = 'set -o pipefail; "$0" "$1" config --explain | true';
  const program = programModule('src/bourse.ts');
  const { code, output } = await startCommand('bash', ['-c', pipe, process.execPath, program], {}).ended;
  assert.deepEqual([code, output], [0, '']);
});

test('an exchange whose readers have gone goes on', async () => {
  const args = [
    '--memory',
    '--market',
    'off',
    '--backfill',
    '0',
    '--port',
    '0',
    '--operator-port',
    '0',
    '--log-level',
    'debug',
  ];
  const program = programModule('src/main.ts');
  const started = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    let url: string | undefined;
    for await (const text of started.stdout) {
      url = /Listening on (\S+)/.exec(String(text))?.[1];
      if (url !== undefined) break;
    }
    started.stdout.destroy();
    started.stderr.destroy();
    for (let n = 0; n < 5; n++) assert.deepEqual(await failingChecks(url!), []);
    assert.equal(started.exitCode, null);
  } finally {
    started.kill('SIGKILL');
  }
});
