/** The audit log tells when it was touched, and a crash at any moment leaves it complete. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatHead } from '../../src/admin/audit-file.ts';
import { type AuditLine, formatLine } from '../../src/admin/audit-line.ts';
import { command, start } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { endVenues, Venue, VenueProcess } from './venue-process.ts';

const venue = new Venue();

before(async () => {
  await venue.start();
  await venue.ask('account', 'create', 'alice');
  await venue.ask('deposit', 'alice', '100', 'USDT', '--reference', 'one');
  await venue.ask('deposit', 'alice', '200', 'USDT', '--reference', 'two');
  await venue.ask('account', 'freeze', 'alice');
  await venue.stop();
});
after(endVenues);

/** A copy of the venue's directory to do damage to. */
function copy(): string {
  const data = join(temporaryDirectory(), 'copy');
  cpSync(venue.data, data, { recursive: true });
  return data;
}

function readLines(data: string): string[] {
  return readFileSync(join(data, 'audit.log'), 'utf8').trimEnd().split('\n');
}

function writeLines(data: string, lines: readonly string[]): void {
  writeFileSync(join(data, 'audit.log'), `${lines.join('\n')}\n`);
}

async function verify(data: string): Promise<{ code: number | null; problems: string[] }> {
  const { code, stdout, stderr } = await command(['audit', 'verify', '--data', data, '--json']);
  assert.equal(stderr, '');
  return { code, problems: JSON.parse(stdout).problems };
}

test('an untouched audit log is verified and shown', async () => {
  const data = copy();
  assert.deepEqual(await verify(data), { code: 0, problems: [] });
  const shown = await command(['audit', 'show', '--data', data]);
  assert.match(shown.stdout, /deposit +done +\d+ +\d+ +\{"account":"alice"/);
  await command(['audit', 'verify', '--data', temporaryDirectory()]).then(({ code }) =>
    assert.equal(code, 2),
  );
});

test('a changed byte, a missing line and swapped lines are found and named', async () => {
  const lines = readLines(venue.data);
  const edited = lines.with(4, lines[4]!.replace('"amount":"100"', '"amount":"900"'));
  assert.notEqual(edited[4], lines[4]);
  const { seq, time, previous, hash: _hash, ...entry } = JSON.parse(edited[4]!) as AuditLine;
  const forged = lines.with(4, formatLine({ seq: seq - 1, hash: previous }, time, entry));
  const cases: [string, readonly string[], RegExp][] = [
    ['an edited amount', edited, /line 5 was changed/],
    ['an edited line with a hash of its own', forged, /line 6 does not continue the line before it/],
    ['a line less in the middle', lines.toSpliced(3, 1), /line 4 has number 5 where 4 belongs/],
    ['a line less at the start', lines.slice(1), /line 1 has number 2/],
    ['a line less at the end', lines.slice(0, -1), /line 9 to 9 are missing/],
    ['all but one line gone', lines.slice(0, 1), /line 2 to 9 are missing/],
    ['two lines swapped', lines.with(3, lines[4]!).with(4, lines[3]!), /line 4 has number 5/],
    ['a line twice', lines.toSpliced(4, 0, lines[4]!), /line 6 has number 5/],
    ['the last line edited', lines.with(8, lines[8]!.replace('alice', 'alicf')), /line 9 was changed/],
  ];
  for (const [name, changed, problem] of cases) {
    const data = copy();
    writeLines(data, changed);
    const { code, problems } = await verify(data);
    assert.equal(code, 4, name);
    assert.match(problems.join('\n'), problem, name);
  }
  const data = copy();
  writeLines(data, edited);
  const refused = await start(['--data', data, '--no-demo', '--port', '0']);
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /audit\.log line 5 was changed/);
});

/** A chain made anew has the right hashes; only the command log can tell. */
function rewritten(lines: readonly string[], change: (line: AuditLine) => AuditLine): string[] {
  let head = { seq: 0, hash: '0'.repeat(64) };
  return lines.map((text) => {
    const {
      seq: _seq,
      time,
      previous: _previous,
      hash: _hash,
      ...entry
    } = change(JSON.parse(text) as AuditLine);
    const line = formatLine(head, time, entry);
    head = { seq: head.seq + 1, hash: line.slice(-66, -2) };
    return line;
  });
}

function replaceChain(data: string, lines: readonly string[]): void {
  writeLines(data, lines);
  const head = { seq: lines.length, hash: lines.at(-1)!.slice(-66, -2) };
  writeFileSync(join(data, 'audit.head'), formatHead(head));
}

test('a chain that was made anew is held against the command log', async () => {
  const data = copy();
  const lines = readLines(data);
  replaceChain(
    data,
    rewritten(lines, (line) => line),
  );
  assert.equal((await verify(data)).code, 0, 'the same lines give the same chain');
  replaceChain(
    data,
    rewritten(lines, (line) => ({ ...line, operator: line.seq > 1 ? 'mallory' : line.operator })),
  );
  const other = await verify(data);
  assert.equal(other.code, 4);
  assert.match(other.problems[0]!, /names command \d+, which is not that of mallory/);
  replaceChain(
    data,
    rewritten(lines, (line) => (line.seq === 5 ? { ...line, command: 9999 } : line)),
  );
  const missing = await verify(data);
  assert.equal(missing.code, 4);
  assert.match(missing.problems.join('\n'), /line 5 names command 9999, which the log does not hold/);
  replaceChain(
    data,
    rewritten(lines.toSpliced(3, 2), (line) => line),
  );
  assert.equal((await verify(data)).code, 4, 'a deposit without its lines');
  const renumbered = (line: AuditLine) =>
    line.of !== undefined && line.of > 5 ? { ...line, of: line.of - 2 } : line;
  replaceChain(data, rewritten(lines.toSpliced(3, 2), renumbered));
  assert.equal((await verify(data)).code, 4, 'and with the others renumbered');
  replaceChain(data, lines.slice(0, 5));
  assert.match(
    (await verify(data)).problems.join('\n'),
    /command \d+ by \S+ names audit line 6/,
    'a tail cut with its head',
  );
});

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
