/** `examples/bot-with-tests` as a user's repository: its tests pass, and its program trades. Vitest and Jest: `test/install`. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBourse } from '../../src/testkit/index.ts';
import { startCommand } from '../harness/child-programs.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { installInto } from '../testkit/installer.ts';

const repository = join(temporaryDirectory(), 'bot-with-tests');

before(() => {
  cpSync(join(import.meta.dirname, '../../examples/bot-with-tests'), repository, { recursive: true });
  installInto(repository);
});

const run = (args: readonly string[], variables: NodeJS.ProcessEnv) =>
  startCommand(process.execPath, args, { cwd: repository, env: { ...process.env, ...variables } });

test('its tests pass', async () => {
  const { code, output } = await run(['--test'], { NODE_TEST_CONTEXT: undefined }).ended;
  assert.equal(code, 0, output);
  assert.match(output, /^. pass 6$/m);
});

test('its program has its orders in the book of an exchange that runs', async () => {
  await using bourse = await startBourse({ instruments: ['SPOT:BTCUSDT'], market: 'normal' });
  await bourse.advance('5s');
  const program = run(['main.mjs'], { BOURSE_URL: bourse.url });
  let over = false;
  void program.ended.then(() => {
    over = true;
  });
  const orders = async () => (await bourse.account('bot').openOrders()).length;
  while (!over && (await orders()) < 4) await sleep(100);
  const seen = await orders();
  program.process.kill();
  await program.ended;
  assert.equal(seen, 4, program.output);
});
