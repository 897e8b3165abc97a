/** A command that finds no exchange says where it looked and how to name another directory. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { endVenues, VenueProcess } from '../admin/venue-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { bourse } from './bourse-process.ts';

after(endVenues);

test('without a running exchange every command names the directory and --data', async () => {
  const data = join(temporaryDirectory(), 'nothing');
  for (const args of [['client', 'curl'], ['health'], ['clock', 'show']]) {
    const { code, stderr } = await bourse([...args, '--data', data], {
      env: { BOURSE_PORT: '0' },
    });
    assert.equal(code, 3, stderr);
    assert.ok(stderr.includes(`no exchange runs on ${data}`), stderr);
    assert.match(stderr, /name that directory with --data DIR \(or BOURSE_DATA\)/);
    assert.ok(stderr.includes(`npm start -- --data ${data}`), stderr);
  }
});

test('the directory of the exchange that listens on the port is named, and a note of a killed one', async () => {
  const sequencer = await new VenueProcess().start();
  const empty = join(temporaryDirectory(), 'empty');
  const env = { BOURSE_PORT: new URL(sequencer.url).port };
  const other = await bourse(['client', 'curl', '--data', empty], { env });
  assert.equal(other.code, 3);
  // Only Linux tells which files a process has open.
  if (process.platform === 'linux') {
    assert.ok(
      other.stderr.includes(`keeps its data in ${sequencer.data}: add --data ${sequencer.data}`),
      other.stderr,
    );
  }
  await sequencer.kill();
  const killed = await sequencer.run('health');
  assert.equal(killed.code, 3);
  assert.match(killed.stderr, /no exchange answers at .* it is not running/);
  assert.ok(killed.stderr.includes(join(sequencer.data, 'operator.json')), killed.stderr);
  assert.match(killed.stderr, /another directory is named with --data DIR/);
  assert.ok(killed.stderr.includes(`npm start -- --data ${sequencer.data}`), killed.stderr);
});
