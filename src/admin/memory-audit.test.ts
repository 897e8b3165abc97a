import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuditLog } from './audit-log.ts';

test('an audit log in memory has the lines and the chain of one in files', async () => {
  let nowMs = 1000;
  const audit = await AuditLog.openInMemory(() => nowMs++);
  const seen: string[] = [];
  audit.onLine((line) => seen.push(line));
  const intent = { operator: 'ann', action: 'exchange.halt', arguments: { why: 'test' } };
  const line = await audit.begin(intent, 7);
  assert.deepEqual([...audit.interrupted().keys()], [line]);
  await audit.end(line, { outcome: 'done', command: 8 });
  const lines = await audit.last();
  assert.deepEqual(await audit.last(1), lines.slice(-1));
  assert.deepEqual(
    lines.map(({ seq, time, action, outcome, of, command }) => [seq, time, action, outcome, of, command]),
    [
      [1, 1000, 'audit.begin', 'done', undefined, null],
      [2, 1001, 'exchange.halt', 'begun', undefined, null],
      [3, 1002, 'exchange.halt', 'done', 2, 8],
    ],
  );
  assert.equal(lines[2]!.previous, lines[1]!.hash);
  assert.equal(lines[0]!.arguments.chain, audit.chain);
  assert.equal(seen.length, 2);
  await audit.close();
});
