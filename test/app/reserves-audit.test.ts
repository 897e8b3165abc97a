/** R5 (c) on the command line: an audit that finds something missing ends with exit code 4 (rules 13.5). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Solvency } from '../../src/core/reads/solvency-reads.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { bourse, command } from './bourse-process.ts';

/** What the command says of an operator's listener that has audited this; in a process where it ends with the code. */
async function audited(run: typeof command, solvency: Solvency, ...options: string[]) {
  const amounts = {
    owed: '2',
    held: '1',
    owedAtMark: '2',
    lent: '0',
    converted: '0',
    badDebt: '1',
    writtenOff: '0',
  };
  const answer = {
    time: 0,
    root: 'ab',
    accounts: 1,
    solvency,
    coins: [{ coin: 'BTC', ...amounts, solvency }],
  };
  const listener = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  const token = join(temporaryDirectory(), 'token');
  writeFileSync(token, `${'a'.repeat(64)}\n`, { mode: 0o600 });
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const ended = await run(['reserves', 'audit', '--operator', url, '--token-file', token, ...options]);
  listener.close();
  return ended;
}

test('R5 (c): an insolvent venue ends the audit with exit code 4, an illiquid one warns', async () => {
  const insolvent = await audited(bourse, 'insolvent');
  assert.equal(insolvent.code, 4, insolvent.stderr);
  assert.match(insolvent.stdout, /INSOLVENT/);
  assert.equal((await audited(command, 'insolvent', '--json')).code, 4);
  const illiquid = await audited(command, 'illiquid');
  assert.equal(illiquid.code, 0, illiquid.stderr);
  assert.match(illiquid.stdout, /WARNING/);
  assert.equal((await audited(command, 'solvent')).code, 0);
});
