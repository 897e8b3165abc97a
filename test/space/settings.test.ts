/** The exchange starts with every setting of its log and its snapshots at the ends of what they may be. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeCommand } from '../../src/core/codec/command-codec.ts';
import {
  COMMAND_BYTES_MAX,
  EXCHANGE_SEGMENT_BYTES_MIN,
  journalSettings,
} from '../../src/journal/journal-settings.ts';
import { Server, start } from '../app/bourse-process.ts';
import { refusedHosted, startHosted } from '../harness/hosted-server.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const ends = (...flags: string[]) => ({ name: flags.join(' '), flags });

/** A segment of 1 GiB is left out: a start writes three of them. */
const ENDS = [
  ends('--segment-bytes', String(EXCHANGE_SEGMENT_BYTES_MIN)),
  ends('--snapshot-commands', '1'),
  ends('--snapshot-commands', '1000000000', '--snapshot-minutes', '1440'),
  ends('--snapshot-minutes', '1', '--memory-limit', '1048576'),
];

for (const { name, flags } of ENDS) {
  test(`a first start and the one after it with ${name}`, async () => {
    const data = join(temporaryDirectory(), 'data');
    const small = flags[0] === '--segment-bytes' ? [] : ['--segment-bytes', '1048576'];
    const args = ['--operator-port', '0', ...small, ...flags];
    if (flags.includes('--memory-limit')) {
      // Only a process has a limit of its memory.
      const first = await Server.start(['--data', data, ...args]);
      const ended = await first.end('SIGTERM');
      assert.equal(ended.code, 0, ended.output);
    } else {
      const first = await startHosted({ data, args });
      assert.equal(await first.stop(), 0);
    }
    const second = await startHosted({ data, args });
    assert.equal(await second.stop(), 0);
  });
}

test('segments that are too short for the longest command are refused with what is right', async () => {
  const tooShort = ['--segment-bytes', String(EXCHANGE_SEGMENT_BYTES_MIN - 4096)];
  for (const { code, stderr } of [
    await start(['--port', '0', ...tooShort]),
    await refusedHosted(temporaryDirectory(), tooShort),
    await refusedHosted(temporaryDirectory(), ['--segment-bytes', '65536']),
  ]) {
    assert.equal(code, 2);
    assert.match(stderr, /--segment-bytes "\d+" must be a multiple of 4096 from 262144 to 1073741824/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test('the longest command fits the queue and the segment of the smallest setting', () => {
  const text = 'x'.repeat(65_535 - '{"coin":""}'.length);
  const listing = encodeCommand({
    type: 'listCoin',
    time: 0,
    spec: { coin: text } as never,
    by: 'a'.repeat(200),
  });
  assert.ok(listing.length > 65_535 && listing.length <= COMMAND_BYTES_MAX, String(listing.length));
  const { payloadBytesMax, queueBytes, segmentBytes } = journalSettings({
    segmentBytes: EXCHANGE_SEGMENT_BYTES_MIN,
  });
  assert.ok(payloadBytesMax >= COMMAND_BYTES_MAX);
  assert.ok(queueBytes >= 4 * payloadBytesMax && segmentBytes >= 3 * payloadBytesMax);
});
