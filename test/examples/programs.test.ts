/** The programs in `examples/` as a reader runs them. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hostedCommandIn } from '../harness/hosted-command.ts';
import { ExampleVenue, PROGRAMS, ROOT } from './example-venue.ts';

const venue = new ExampleVenue();
before(() => venue.start());
after(() => venue.end());

test('every program of examples/ is tried here or is for Python', () => {
  const programs = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.mjs'));
  assert.deepEqual(new Set(programs), new Set(PROGRAMS.map(([program]) => program)));
});

for (const [program] of PROGRAMS) {
  test(`${program} places, changes, follows and cancels orders`, async () => {
    const { code, output } = await venue.run(process.execPath, [`examples/${program}`]).ended;
    assert.equal(code, 0, output);
    assert.match(output, /^balance 100000 USDT$/m);
    assert.match(output, /^3 of 3 orders open, 3 different$/m);
    assert.match(output, /^the first was changed to 30100 and is cancell?ed$/m);
    assert.match(output, /^seen on the stream$/m);
  });
}

test('the program for Python is well formed', async (context) => {
  const { code, output } = await venue.run('python3', [
    '-c',
    'import ast; ast.parse(open("examples/ccxt_orders.py").read())',
  ]).ended;
  if (code === 127) context.skip('there is no python3 here');
  else assert.equal(code, 0, output);
});

const bourse = (kind: string, ...more: string[]) => {
  const env = { ...(process.env as Readonly<Record<string, string>>), BOURSE_DATA: venue.data };
  return hostedCommandIn({ cwd: ROOT, env }, ['client', kind, '--account', 'maker', ...more]);
};

for (const kind of ['ccxt-js', 'sdk']) {
  test(`bourse client ${kind} prints a program that runs as it is`, async () => {
    const program = await bourse(kind);
    assert.equal(program.code, 0, program.output);
    assert.match(program.output, /demo-maker-secret/);
    const args = ['--input-type=module', '--eval', program.output];
    const { code, output } = await venue.run(process.execPath, args).ended;
    assert.equal(code, 0, output);
    assert.match(output, /30000/);
    assert.equal(await venue.openOrders('maker'), 0);
  });
}

test('bourse client curl prints commands that place an order', async () => {
  const { code, output } = await venue.run('bash', ['-euc', (await bourse('curl')).output]).ended;
  assert.equal(code, 0, output);
  assert.equal(JSON.parse(output).code, '00000', output);
  assert.equal(await venue.openOrders('maker'), 1);
});

test('bourse client ccxt-py names the same address and key; a wrong account is told which there are', async () => {
  const { output } = await bourse('ccxt-py');
  assert.ok(output.includes(venue.server.url) && output.includes('demo-maker'));
  const wrong = await bourse('curl', '--account', 'nobody');
  assert.equal(wrong.code, 2);
  assert.match(wrong.output, /no demo account "nobody": there are alice, bob, bot, maker/);
});
