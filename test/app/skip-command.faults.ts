/** A command that breaks the exchange stops every start, until an operator skips it (reliability 2.2). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAudit } from '../../src/admin/audit-file.ts';
import { skipObjection } from '../../src/app/start/poisoned-command-advice.ts';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { Wallet } from '../../src/core/model/enums.ts';
import { openFileJournal } from '../../src/journal/file-journal.ts';
import { PoisonedCommand } from '../../src/sequencer/recovery-errors.ts';
import { startHosted } from '../harness/hosted-server.ts';
import type { TestServer } from '../harness/server.ts';
import { type Reply, SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { command as run, start } from './bourse-process.ts';

const SMALL = ['--segment-bytes', '1048576'];
const ALICE = {
  name: 'alice',
  uid: 1_000_000_001,
  apiKey: 'demo-alice',
  secretKey: 'demo-alice-secret',
  passphrase: 'demo',
};

const BUY = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '59000',
  qty: '0.01',
};

/** No door lets it through: there is no such wallet. */
const POISON: Command = {
  type: 'deposit',
  time: 0,
  uid: ALICE.uid,
  coin: 0,
  amount: 1n,
  wallet: 7 as Wallet,
  reference: 'x',
};
const TICK: Command = { type: 'tick', time: 0 };

/** An exchange with one open order that was stopped; then `commands` get into its log. */
async function exchangeWith(...commands: readonly Command[]): Promise<{ data: string; firstSeq: number }> {
  const data = join(temporaryDirectory(), 'data');
  const server = await startHosted({ data, args: SMALL });
  assert.equal(await order(server, 'before'), '00000');
  await server.stop();
  const { journal, report } = await openFileJournal({
    directory: join(data, 'log'),
    segmentBytes: 1_048_576,
  });
  for (const command of commands) journal.append(encodeCommand(command));
  await journal.close();
  return { data, firstSeq: report.lastSeq + 1 };
}

async function order(server: TestServer, clientOid: string): Promise<string> {
  const order = { ...BUY, clientOid };
  return asked(server, (client) => client.post('/api/v3/trade/place-order', order)).then(({ code }) => code);
}

async function openOrders(server: TestServer): Promise<string[]> {
  const { data } = await asked(server, (client) =>
    client.get('/api/v3/trade/unfilled-orders', { category: 'SPOT' }),
  );
  return data.list.map(({ clientOid }: { clientOid: string }) => clientOid);
}

async function asked(server: TestServer, ask: (client: SignedClient) => Promise<Reply>): Promise<Reply> {
  const client = new SignedClient(server.url, ALICE);
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

test('the exchange goes on without it, and the record of it stands', async () => {
  const { data, firstSeq: seq } = await exchangeWith(POISON);
  const refused = await start(['--data', data, '--port', '0', ...SMALL]);
  assert.equal(refused.code, 4);
  assert.match(
    refused.stderr,
    new RegExp(
      `command ${seq} \\(deposit\\) of the log cannot be carried out: there is no wallet 7; no client`,
    ),
  );
  assert.match(refused.stderr, new RegExp(`bourse -- skip-command ${seq}`), 'it says what to do');
  assert.match((await run(['verify', '--data', data])).stdout, new RegExp(`command ${seq} \\(deposit\\)`));

  const other = await run(['skip-command', String(seq - 1), '--data', data]);
  assert.equal(other.code, 2, other.stderr);
  assert.match(other.stderr, new RegExp(`the command that cannot be carried out is ${seq}`));

  const done = await run(['skip-command', String(seq), '--data', data, '--by', 'carol']);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, new RegExp(`command ${seq}: .*"wallet":7.*`));

  for (const clientOid of ['after', 'again']) {
    const server = await startHosted({ data, args: SMALL });
    assert.equal(await order(server, clientOid), '00000');
    assert.ok((await openOrders(server)).includes('before'));
    await server.kill();
  }
  assert.equal((await run(['verify', '--data', data])).code, 0);
  assert.equal((await run(['audit', 'verify', '--data', data])).code, 0);
  const { lines } = readAudit(data);
  const { operator, outcome, command, arguments: given } = lines.at(-1)!;
  assert.deepEqual(
    { operator, outcome, command, given },
    { operator: 'carol', outcome: 'done', command: seq + 1, given: { seq, type: 'deposit' } },
  );
  const twice = await run(['set-aside', String(seq), '--data', data]);
  assert.match(twice.stderr, /the command set-aside is now called skip-command/);
  assert.match(twice.stderr, /every command of the log can be carried out/);
});

test('what another program carried out is not skipped', async () => {
  const { data, firstSeq } = await exchangeWith(POISON, TICK);
  const { code, stderr } = await run(['skip-command', String(firstSeq), '--data', data]);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /the program that wrote it carried it out/);
});

test('nor what history holds already, nor a moment in time: the next would break too', () => {
  const broken = (command: Command) => new PoisonedCommand(9, command, new Error('a defect'));
  assert.equal(skipObjection(broken(POISON), { lastSeq: 9, confirmedSeq: 8 }), undefined);
  assert.match(skipObjection(broken(POISON), { lastSeq: 9, confirmedSeq: 9 })!, /carried it out/);
  assert.match(skipObjection(broken(TICK), { lastSeq: 9, confirmedSeq: 8 })!, /next tick/);
});
