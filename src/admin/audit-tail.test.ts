import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AUDIT_FILE, AUDIT_HEAD_FILE, AuditDamaged, formatHead, readAudit } from './audit-file.ts';
import { CHAIN_START, type ChainHead, formatLine } from './audit-line.ts';
import { AuditLog } from './audit-log.ts';
import { lastAuditLines } from './audit-tail.ts';

const directories: string[] = [];
after(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

/** A log of so many lines, of 150 to 400 bytes each. */
function logOf(count: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'audit-tail-'));
  directories.push(directory);
  let head: ChainHead = CHAIN_START;
  const texts: string[] = [];
  for (let n = 1; n <= count; n++) {
    const entry = { operator: 'ann', action: 'halt', arguments: { note: 'ä'.repeat(n % 120) } };
    const text = formatLine(head, n, { ...entry, outcome: 'done', command: null });
    head = { seq: n, hash: text.slice(-66, -2) };
    texts.push(`${text}\n`);
  }
  writeFileSync(join(directory, AUDIT_FILE), texts.join(''));
  writeFileSync(join(directory, AUDIT_HEAD_FILE), formatHead(head));
  return directory;
}

test('the last lines are those of the whole log, however long it is', async () => {
  for (const count of [1, 2, 3, 700]) {
    const directory = logOf(count);
    const { lines } = readAudit(directory);
    for (const limit of [1, 2, 100, 699, 700, 1000])
      assert.deepEqual(await lastAuditLines(directory, limit), lines.slice(-limit), `${limit} of ${count}`);
  }
});

test('only the end of the file is read', async () => {
  const directory = logOf(700);
  const path = join(directory, AUDIT_FILE);
  const bytes = readFileSync(path);
  bytes.fill(0, 0, 1000);
  writeFileSync(path, bytes);
  assert.equal((await lastAuditLines(directory, 100)).length, 100);
  await assert.rejects(lastAuditLines(directory, 700), AuditDamaged);
});

test('a line that is being written is not shown, a changed or missing one is a damage', async () => {
  const directory = logOf(20);
  const path = join(directory, AUDIT_FILE);
  const whole = readFileSync(path);
  appendFileSync(path, '{"seq":21,');
  assert.equal((await lastAuditLines(directory, 5)).at(-1)!.seq, 20);
  truncateSync(path, whole.length - 1);
  await assert.rejects(lastAuditLines(directory, 5), AuditDamaged);
  const changed = Buffer.from(whole);
  changed.write('bob', whole.lastIndexOf('ann'));
  writeFileSync(path, changed);
  await assert.rejects(lastAuditLines(directory, 5), AuditDamaged);
});

test('a line whose head was not written before the process ended is shown after the next start', async () => {
  const directory = logOf(3);
  const [, , last] = readAudit(directory).lines;
  writeFileSync(join(directory, AUDIT_HEAD_FILE), formatHead(readAudit(directory).lines[1]!));
  assert.equal((await lastAuditLines(directory, 5)).at(-1)!.seq, 2);
  const audit = await AuditLog.open(directory, () => 0);
  assert.deepEqual((await audit.last(1)).at(-1), last);
  await audit.close();
});
