/** The programs in `examples/` as a reader runs them, also while the exchange is killed and started again under them. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChildProgram, startCommand } from '../harness/child-programs.ts';
import { hostedCommandIn } from '../harness/hosted-command.ts';
import { type RunningServer, startServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
/** With the demo account that each trades with. */
const PROGRAMS = [
  ['ccxt.mjs', 'alice'],
  ['sdk.mjs', 'bob'],
  ['fetch.mjs', 'bot'],
] as const;
const ORDERS = 25;

const data = temporaryDirectory();
let server: RunningServer;
const running = new Set<ChildProgram>();

before(async () => {
  server = await startServer({ data });
});

after(async () => {
  for (const { process } of running) process.kill('SIGKILL');
  await server.stop();
});

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProgram {
  const place = { BOURSE_URL: server.url, BOURSE_DATA: data, ...env };
  const program = startCommand(command, args, { cwd: ROOT, env: { ...process.env, ...place } });
  running.add(program);
  void program.ended.then(() => running.delete(program));
  return program;
}

async function openOrders(name: string): Promise<number> {
  const client = new SignedClient(server.url, server.account(name));
  const { data: page } = await client.get('/api/v3/trade/unfilled-orders');
  client.close();
  // The account's limit may be used up by the program under test: then nothing is known yet.
  return page?.list.length ?? -1;
}

test('every program of examples/ is tried here or is for Python', () => {
  const programs = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.mjs'));
  assert.deepEqual(new Set(programs), new Set(PROGRAMS.map(([program]) => program)));
});

for (const [program] of PROGRAMS) {
  test(`${program} places, changes, follows and cancels orders`, async () => {
    const { code, output } = await run(process.execPath, [`examples/${program}`]).ended;
    assert.equal(code, 0, output);
    assert.match(output, /^balance 100000 USDT$/m);
    assert.match(output, /^3 of 3 orders open, 3 different$/m);
    assert.match(output, /^the first was changed to 30100 and is cancell?ed$/m);
    assert.match(output, /^seen on the stream$/m);
  });
}

for (const [program, account] of PROGRAMS) {
  test(`${program} goes on over a kill -9 and a restart, and places nothing twice`, async () => {
    const { ended } = run(process.execPath, [`examples/${program}`], { ORDERS: String(ORDERS) });
    let over = false;
    const outcome = ended.finally(() => {
      over = true;
    });
    while (!over && (await openOrders(account)) < 3) await sleep(100);
    const { port } = new URL(server.url);
    await server.kill();
    server = await startServer({ data, args: ['--port', port] });
    const { code, output } = await outcome;
    assert.equal(code, 0, output);
    assert.match(output, /^waiting/m, 'it was still at work when the exchange went');
    assert.match(
      output,
      new RegExp(`^${ORDERS} of ${ORDERS} orders open, ${ORDERS} different$`, 'm'),
      output,
    );
    assert.equal(await openOrders(account), 0);
  });
}

test('the program for Python is well formed', async (context) => {
  const { code, output } = await run('python3', [
    '-c',
    'import ast; ast.parse(open("examples/ccxt_orders.py").read())',
  ]).ended;
  if (code === 127) context.skip('there is no python3 here');
  else assert.equal(code, 0, output);
});

const bourse = (kind: string, ...more: string[]) => {
  const env = { ...(process.env as Readonly<Record<string, string>>), BOURSE_DATA: data };
  return hostedCommandIn({ cwd: ROOT, env }, ['client', kind, '--account', 'maker', ...more]);
};

for (const kind of ['ccxt-js', 'sdk']) {
  test(`bourse client ${kind} prints a program that runs as it is`, async () => {
    const program = await bourse(kind);
    assert.equal(program.code, 0, program.output);
    assert.match(program.output, /demo-maker-secret/);
    const args = ['--input-type=module', '--eval', program.output];
    const { code, output } = await run(process.execPath, args).ended;
    assert.equal(code, 0, output);
    assert.match(output, /30000/);
    assert.equal(await openOrders('maker'), 0);
  });
}

test('bourse client curl prints commands that place an order', async () => {
  const { code, output } = await run('bash', ['-euc', (await bourse('curl')).output]).ended;
  assert.equal(code, 0, output);
  assert.equal(JSON.parse(output).code, '00000', output);
  assert.equal(await openOrders('maker'), 1);
});

test('bourse client ccxt-py names the same address and key; a wrong account is told which there are', async () => {
  const { output } = await bourse('ccxt-py');
  assert.ok(output.includes(server.url) && output.includes('demo-maker'));
  const wrong = await bourse('curl', '--account', 'nobody');
  assert.equal(wrong.code, 2);
  assert.match(wrong.output, /no demo account "nobody": there are alice, bob, bot, maker/);
});
