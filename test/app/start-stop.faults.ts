/** Starts that find what a cut-off start, a kill or damage left, and a stop that is cut off. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { resolveConfig } from '../../src/app/config/resolve-config.ts';
import { listCatalogue } from '../../src/app/start/bootstrap.ts';
import { openComponents } from '../../src/app/start/components.ts';
import { loadCatalogue } from '../../src/catalogue/catalogue.ts';
import { MONEY_ONE } from '../../src/core/model/units.ts';
import { openDemoAccounts } from '../../src/identity/demo-accounts.ts';
import { StreamClient } from '../harness/stream-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { command, Server, start } from './bourse-process.ts';
import { BUY, place, SMALL, startedAndStopped, verified } from './started.ts';

test('a killed server does not start with a damaged log: code 4, and the place', async () => {
  const data = join(temporaryDirectory(), 'data');
  const server = await Server.start(['--data', data, ...SMALL]);
  for (const price of ['58000', '58001', '58002'])
    assert.equal((await place(server.url, { ...BUY, price })).code, '00000');
  await server.end('SIGKILL');
  const segment = join(data, 'log', 'segment-00000001.log');
  const bytes = readFileSync(segment);
  bytes[5000]! ^= 1;
  writeFileSync(segment, bytes);
  const refused = await start(['--port', '0', '--data', data, ...SMALL]);
  assert.equal(refused.code, 4, refused.stderr);
  assert.match(refused.stderr, /log damaged: .*segment-00000001\.log/);
  const proof = await command(['verify', '--data', data]);
  assert.equal(proof.code, 4);
  assert.match(proof.stdout, /NOT VERIFIED/);
});

test('a first start that was cut off between two deposits is completed by the next', async () => {
  const home = temporaryDirectory();
  const data = join(home, 'data');
  const flags = { data, segmentBytes: '1048576' };
  const { config } = await resolveConfig({ flags, environment: {}, directory: home });
  const open = new AsyncDisposableStack();
  const { sequencer, identity } = await openComponents(
    config,
    pino({ level: 'silent' }),
    open,
    assert.ifError,
  );
  await listCatalogue(sequencer, loadCatalogue(config.catalogue));
  const { uid } = (await openDemoAccounts(identity, sequencer.clock.now())).accounts[0]!;
  await sequencer.submit({
    type: 'openAccount',
    uid,
    masterUid: 0,
    marketMaker: false,
    house: false,
  });
  const coin = sequencer.state.coinByName.get('USDT')!;
  await sequencer.submit({
    type: 'deposit',
    uid,
    coin,
    amount: 100_000n * MONEY_ONE,
    reference: 'demo',
  });
  await open.disposeAsync();
  assert.equal((await verified(data)).accounts, 1);

  for (let run = 0; run < 2; run++) {
    await startedAndStopped(data);
    const { accounts, coins } = await verified(data);
    const held = (name: string) => coins.find((row) => row.coin === name)!.users;
    assert.deepEqual([accounts, held('BTC'), held('USDT')], [4, '206', '10300000'], `start ${run + 1}`);
  }
});

test('a lost or damaged history stops the start with code 4', async () => {
  const data = join(temporaryDirectory(), 'data');
  for (let run = 0; run < 2; run++) await startedAndStopped(data);
  const history = join(data, 'history.sqlite');
  rmSync(history);
  const gap = await start(['--port', '0', '--data', data, ...SMALL]);
  assert.equal(gap.code, 4, gap.stderr);
  assert.match(gap.stderr, /--accept-history-gap/);
  assert.equal((await command(['verify', '--data', data])).code, 4);
  await startedAndStopped(data, '--accept-history-gap');
  // The gap is accepted once.
  await startedAndStopped(data);

  writeFileSync(history, 'this is no database, and long enough to be looked at as one'.repeat(100));
  rmSync(`${history}-wal`, { force: true });
  const notADatabase = await start(['--port', '0', '--data', data, ...SMALL]);
  assert.equal(notADatabase.code, 4, notADatabase.stderr);
});

test('a second signal leaves at once with 130, and nothing is lost', async () => {
  const data = join(temporaryDirectory(), 'data');
  // The orderly stop waits for ten minutes, as it has told a reader.
  const server = await Server.start(['--data', data, '--stop-notice', '600', ...SMALL]);
  const reader = await StreamClient.open(server.url);
  assert.equal((await place(server.url, BUY)).code, '00000');
  process.kill(server.pid, 'SIGINT');
  await reader.next(({ code }) => code === 30033);
  // Signals within a second are one: Ctrl-C reaches it from the terminal and once more through npm.
  const again = setInterval(() => process.kill(server.pid, 'SIGINT'), 200);
  const { code } = await server.end('SIGINT');
  clearInterval(again);
  assert.equal(code, 130);
  assert.equal((await verified(data)).openOrders, 1);
});
