/** The audit log tells when it was touched. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AuditLine, formatLine } from '../../src/admin/audit-line.ts';
import { command, start } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { auditedVenue, readLines, replaceChain, verify, writeLines } from './audit-log.ts';
import { endVenues, type Venue } from './venue-process.ts';

let venue: Venue;

before(async () => {
  venue = await auditedVenue();
});
after(endVenues);

/** A copy of the venue's directory to do damage to. */
function copy(): string {
  const data = join(temporaryDirectory(), 'copy');
  cpSync(venue.data, data, { recursive: true });
  return data;
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
