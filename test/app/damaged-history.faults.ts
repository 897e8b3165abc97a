/** One changed bit in the history of a real exchange: who notices, what is served, how it is put right. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Verification } from '../../src/app/verify/verification.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { failingChecks } from '../harness/readiness.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { command } from './bourse-process.ts';

const SMALL = ['--market', 'off', '--segment-bytes', '1048576'];

async function ask(url: string, who: string, method: 'GET' | 'POST', path: string, body?: object) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const time = String(Date.now());
  const sign = createHmac('sha256', `demo-${who}-secret`).update(`${time}${method}${path}${text}`);
  const headers = {
    'access-key': `demo-${who}`,
    'access-sign': sign.digest('base64'),
    'access-timestamp': time,
    'access-passphrase': 'demo',
    'content-type': 'application/json',
  };
  const init = { method, headers, ...(body !== undefined && { body: text }) };
  const answer = await fetch(`${url}${path}`, init);
  const envelope = (await answer.json()) as { code: string; msg: string; data: { list?: Fill[] } | null };
  return { status: answer.status, ...envelope };
}

interface Fill {
  readonly execId: string;
  readonly execPrice: string;
}

const FILLS = '/api/v3/trade/fills?category=SPOT';

const sound = join(temporaryDirectory(), 'sound');

/** Alice buys of Bob at 60018; the exchange stops properly. */
before(async () => {
  const server = await startHosted({ data: sound, args: SMALL });
  for (const [who, side] of [
    ['bob', 'sell'],
    ['alice', 'buy'],
  ] as const) {
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side,
      orderType: 'limit',
      price: '60018',
      qty: '0.01',
    };
    const placed = await ask(server.url, who, 'POST', '/api/v3/trade/place-order', order);
    assert.equal(placed.code, '00000', placed.msg);
  }
  const { data: fills } = await ask(server.url, 'alice', 'GET', FILLS);
  assert.equal(await server.stop(), 0);
  const [fill] = fills!.list!;
  assert.equal(fill!.execPrice, '60018');
});

function copied(): string {
  const data = join(temporaryDirectory(), 'data');
  cpSync(sound, data, { recursive: true });
  return data;
}

/** 60018 becomes 70018 in the row of a fill, which has the price once, before its quantity. */
function changePrice(data: string): void {
  const file = join(data, 'history.sqlite');
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf('600180.01');
  assert.ok(at > 0);
  bytes[at]! ^= 1;
  writeFileSync(file, bytes);
}

test('a changed bit is found by verify, not served as truth, and mended from the log', async () => {
  const data = copied();
  const undamaged = await command(['verify', '--data', data]);
  assert.equal(undamaged.code, 0, undamaged.stdout);
  changePrice(data);

  const proof = await command(['verify', '--data', data]);
  assert.equal(proof.code, 4, proof.stderr);
  assert.match(
    proof.stdout,
    /fills exec_id=\d+: is not what the log makes; exec_price is 70018, expected 60018/,
  );
  assert.match(
    proof.stdout,
    /fills exec_id=\d+: its checksum does not match; exec_price is 70018, expected 60018/,
  );
  assert.ok(proof.stdout.includes(join(data, 'history.sqlite')));
  assert.match(proof.stdout, /--repair-history .*backup/s);
  const asJson = await command(['verify', '--data', data, '--json']);
  assert.equal(asJson.code, 4);
  assert.equal((JSON.parse(asJson.stdout) as Verification).damages[0]!.table, 'fills');

  const server = await startHosted({ data, args: SMALL });
  const answers = [await ask(server.url, 'alice', 'GET', FILLS), await ask(server.url, 'bob', 'GET', FILLS)];
  const refused = answers.find(({ code }) => code !== '00000')!;
  assert.equal(refused.status, 500);
  assert.equal(refused.code, '25000');
  assert.match(refused.msg, /damaged/);
  assert.equal(answers.filter(({ code }) => code === '00000').length, 1, 'the other side is sound');
  assert.deepEqual(await failingChecks(server.url), []);
  const ready = await fetch(`${server.url}/readyz`);
  assert.match(await ready.text(), /1 reads came to damaged records/);
  assert.match(
    await (await fetch(`${server.url}/metrics`)).text(),
    /^bourse_history_damaged_reads_total 1$/m,
  );
  assert.equal(await server.stop(), 0);
  assert.match(server.log(), /exec_id=\d+ of the table fills is damaged/);

  const mended = await command(['verify', '--data', data, '--repair-history']);
  assert.equal(mended.code, 0, mended.stdout);
  assert.match(mended.stdout, /1 row of the history written anew/);
  const again = await startHosted({ data, args: SMALL });
  const { data: fills } = await ask(again.url, 'alice', 'GET', FILLS);
  assert.equal(fills!.list![0]!.execPrice, '60018');
  assert.equal(await again.stop(), 0);
});

test('a file that is no database is found by verify, and not repaired', async () => {
  const data = copied();
  const file = join(data, 'history.sqlite');
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 0, 64);
  writeFileSync(file, bytes);
  const proof = await command(['verify', '--data', data]);
  assert.equal(proof.code, 4, proof.stdout + proof.stderr);
  assert.match(proof.stdout, /file is not a database/);
  const repair = await command(['verify', '--data', data, '--repair-history']);
  assert.equal(repair.code, 4, repair.stdout + repair.stderr);
  assert.match(repair.stderr, /history\.sqlite.*backup/s);
});
