/** A crash at any moment leaves the audit log complete. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatHead } from '../../src/admin/audit-file.ts';
import { formatLine } from '../../src/admin/audit-line.ts';
import { auditedVenue, readLines, replaceChain, verify } from './audit-log.ts';
import { endVenues, Venue, VenueProcess } from './venue-process.ts';

let venue: Venue;

before(async () => {
  venue = await auditedVenue();
});
after(endVenues);

test('a line torn by a crash is cut off and the log goes on', async () => {
  for (const torn of ['{"seq":10,"time":17', '{"seq":10,"ti\0\0\0\0"}\n']) {
    const own = new Venue();
    cpSync(venue.data, own.data, { recursive: true });
    appendFileSync(join(own.data, 'audit.log'), torn);
    await own.start();
    await own.ask('account', 'unfreeze', 'alice');
    assert.equal(own.audit().length, 11);
    assert.deepEqual(await verify(own.data), { code: 0, problems: [] });
    await own.stop();
  }
});

/** What the disk holds when the process dies after the command and before the line that tells its outcome. */
function forgetLastOutcome(data: string): void {
  const lines = readLines(data);
  const bytes = Buffer.byteLength(`${lines.slice(0, -1).join('\n')}\n`);
  truncateSync(join(data, 'audit.log'), bytes);
  const head = { seq: lines.length - 1, hash: lines.at(-2)!.slice(-66, -2) };
  writeFileSync(join(data, 'audit.head'), formatHead(head));
}

test('an action cut off between its command and its audit line is completed by the next start', async () => {
  for (const { snapshot, outcome } of [
    { snapshot: false, outcome: 'done' },
    { snapshot: true, outcome: 'interrupted' },
  ]) {
    const own = new Venue();
    await own.start();
    await own.ask('account', 'create', 'alice');
    const { command } = await own.ask('deposit', 'alice', '100', 'USDT', '--reference', 'cut');
    if (snapshot) await own.stop();
    else await own.kill();
    forgetLastOutcome(own.data);
    await own.start();
    const last = own.audit().at(-1)!;
    assert.deepEqual([last.action, last.of, last.outcome, last.command], ['deposit', 4, outcome, command]);
    await own.refused(1, /credited before/, 'deposit', 'alice', '100', 'USDT', '--reference', 'cut');
    assert.deepEqual(await verify(own.data), { code: 0, problems: [] });
    await own.stop();
  }
});

test('an action cut off before its command is noted as not carried out', async () => {
  const own = new Venue();
  cpSync(venue.data, own.data, { recursive: true });
  const lines = readLines(own.data);
  const head = { seq: lines.length, hash: lines.at(-1)!.slice(-66, -2) };
  const given = { account: 'alice', coin: 'USDT', amount: '5', reference: 'never' };
  const entry = {
    operator: 'olga',
    action: 'deposit',
    arguments: given,
    outcome: 'begun',
    command: null,
  } as const;
  replaceChain(own.data, [...lines, formatLine(head, 1, { ...entry, after: 1000 })]);
  await own.start();
  const last = own.audit().at(-1)!;
  assert.deepEqual([last.of, last.outcome, last.command], [10, 'interrupted', null]);
  assert.match(last.detail!, /command log does not hold it/);
  assert.equal((await own.ask('deposit', 'alice', '5', 'USDT', '--reference', 'never')).amount, '5');
  await own.stop();
});

test('an account whose opening was cut off is completed under the same name', async () => {
  const own = new Venue();
  await own.start();
  await own.ask('account', 'create', 'alice');
  await own.stop();
  // Identity remembers alice, the exchange has never heard of her.
  for (const lost of ['log', 'history.sqlite', 'audit.log', 'audit.head']) {
    rmSync(join(own.data, lost), { recursive: true });
  }
  await own.start();
  const { accounts } = await own.ask('account', 'list');
  assert.deepEqual([accounts[0].name, accounts[0].open], ['alice', false]);
  await own.refused(1, /is not open yet/, 'deposit', 'alice', '1', 'USDT', '--reference', 'x');
  assert.equal((await own.ask('account', 'create', 'alice')).account.open, true);
  await own.refused(1, /taken/, 'account', 'create', 'alice');
  await own.ask('deposit', 'alice', '1', 'USDT', '--reference', 'x');
  await own.stop();
});

test('kill -9 at any moment of a stream of deposits leaves both logs and the money in agreement', async () => {
  const own = new VenueProcess();
  await own.start();
  await own.ask('account', 'create', 'alice');
  let number = 0;
  const acknowledged = new Set<string>();
  for (let round = 0; round < 3; round++) {
    let killed = false;
    const pour = async () => {
      while (!killed) {
        const reference = `r${++number}`;
        const body = { account: 'alice', coin: 'USDT', amount: '1', reference };
        const answer = await own.admin('POST', '/admin/deposits', body).catch(() => undefined);
        if (answer?.status === 200) acknowledged.add(reference);
      }
    };
    const pouring = Promise.all([pour(), pour(), pour()]);
    await sleep(150 + round * 70);
    while (acknowledged.size < 5 * (round + 1)) await sleep(1);
    await own.kill();
    killed = true;
    await pouring;
    await own.start();
    const ended = own.audit().filter(({ of }) => of !== undefined);
    const begun = own.audit().filter(({ outcome }) => outcome === 'begun');
    assert.equal(ended.length, begun.length, 'every action has its outcome');
    const credited = ended.filter(({ action, outcome }) => action === 'deposit' && outcome === 'done');
    const references = new Set(credited.map((line) => String(line.arguments.reference)));
    assert.equal(references.size, credited.length);
    for (const reference of acknowledged)
      assert.ok(references.has(reference), `${reference} was acknowledged`);
    const { balances } = await own.ask('account', 'show', 'alice');
    assert.equal(balances[0].unified, String(credited.length));
    assert.deepEqual(await verify(own.data), { code: 0, problems: [] });
  }
  await own.stop();
});
