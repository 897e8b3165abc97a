/** An older program could end between removing segments and removing the snapshot that needed them: no damage. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readManifest } from '../../src/app/backup/manifest.ts';
import { segmentName, snapshotName, snapshotSeqs } from '../../src/journal/file-names.ts';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const ARGS = ['--quiet', '--rate-limits', 'off', '--segment-bytes', '262144', '--snapshot-commands', '20'];
const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  price: '50000',
  qty: '0.001',
};

/** One life of an exchange: it trades until the files of its log are as wanted, and stops. */
async function tradeUntil(data: string, wanted: (files: readonly string[]) => boolean): Promise<void> {
  const server = await startHosted({ data, args: ARGS });
  const client = new SignedClient(server.url, server.account('alice'));
  try {
    while (!wanted(readdirSync(join(data, 'log')))) {
      const placed = await client.post('/api/v3/trade/place-order', ORDER);
      assert.equal(placed.code, '00000', placed.text);
      const { symbol, category } = ORDER;
      await client.post('/api/v3/trade/cancel-symbol-order', { symbol, category });
    }
  } finally {
    client.close();
    assert.equal(await server.stop(), 0);
  }
}

test('a snapshot that the log no longer continues is passed over by verify and left out of a backup', async () => {
  const data = join(temporaryDirectory(), 'data');
  const directory = join(temporaryDirectory(), 'backup');
  await tradeUntil(data, (files) => snapshotSeqs(files).length > 0);
  const [old] = snapshotSeqs(readdirSync(join(data, 'log')));
  const name = snapshotName(old!);
  const contents = readFileSync(join(data, 'log', name));
  // A start begins a segment, and two snapshots in it make the first one superfluous.
  await tradeUntil(data, (files) => !files.includes(name) && !files.includes(segmentName(1)));
  writeFileSync(join(data, 'log', name), contents);

  const verified = await command(['verify', '--data', data]);
  assert.equal(verified.code, 0, verified.output);
  assert.match(verified.stdout, new RegExp(`${name}.*older than the log, not needed`));

  const made = await command(['backup', directory, '--data', data]);
  assert.equal(made.code, 0, made.output);
  const files = readManifest(directory).files.map(({ path }) => path);
  assert.equal(files.includes(`log/${name}`), false);
  assert.equal(files.filter((path) => path.startsWith('log/snapshot-')).length, 2);
  const proven = await command(['verify', directory]);
  assert.equal(proven.code, 0, proven.output);
});
