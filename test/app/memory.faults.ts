/** Memory that is full ends the process in order (reliability 2.2). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHosted } from '../harness/hosted-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { start } from './bourse-process.ts';

const SMALL = ['--port', '0', '--operator-port', '0', '--market', 'off', '--segment-bytes', '1048576'];

test('a process whose memory is full saves its state and ends; the next start has everything', async () => {
  const data = join(temporaryDirectory(), 'data');
  const { code, stderr } = await start([...SMALL, '--data', data, '--memory-limit', '64']);
  assert.equal(code, 1);
  assert.match(stderr, /memory is full: the exchange saves its state and ends/);
  assert.match(stderr, /4 accounts, 0 open orders, saved to/);
  const server = await startHosted({ data, args: SMALL });
  assert.equal(server.replayedCommands(), 0);
  await server.stop();
});
