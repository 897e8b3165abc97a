/** `bourse backup`, `verify` and `restore` on a small venue: what they refuse, find and leave behind. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hashOf, readManifest, refuseUnfinished } from '../../src/app/backup/manifest.ts';
import { restoreBackup } from '../../src/app/backup/restore.ts';
import { DataDamaged } from '../../src/app/exit-codes.ts';
import { verifyBackup } from '../../src/app/verify/backup-verify.ts';
import { endVenues, type Json, limitOrder, Venue } from '../admin/venue-process.ts';
import { command, start } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

describe('a backup of a small venue', () => {
  const home = temporaryDirectory();
  const directory = join(home, 'backup');
  const venue = new Venue();
  /** Her account as of the backup. */
  let alice: Json;

  before(async () => {
    await venue.start();
    await venue.ask('account', 'create', 'alice');
    await venue.ask('deposit', 'alice', '10000', 'USDT', '--reference', 'bank-1');
    const client = await venue.client('alice');
    assert.equal(
      (await client.post('/api/v3/trade/place-order', limitOrder('buy', '59000', '0.01'))).code,
      '00000',
    );
    client.close();
    await venue.ask('backup', directory, '--by', 'nora');
    alice = await venue.ask('account', 'show', 'alice');
    await venue.ask('deposit', 'alice', '1', 'USDT', '--reference', 'after-the-backup');
  });
  after(endVenues);

  const restored = () => join(temporaryDirectory(), 'data');

  it('is for its owner only and holds what a venue needs, with the keys', () => {
    const contents = join(directory, 'data');
    for (const place of [directory, contents, join(contents, 'log')])
      assert.equal(statSync(place).mode & 0o777, 0o700, place);
    const files = readManifest(directory).files.map(({ path }) => path);
    for (const path of files) assert.equal(statSync(join(contents, path)).mode & 0o777, 0o600, path);
    assert.deepEqual(files, [
      'address.key',
      'audit.head',
      'audit.log',
      'history-generated.sqlite',
      'history.sqlite',
      'identity.key',
      'identity.sqlite',
      'log/segment-00000001.log',
      'operator.token',
    ]);
    assert.deepEqual(readdirSync(join(contents, 'log')), ['segment-00000001.log']);
  });

  it('stands in the audit log with its moment and the hash of its manifest', () => {
    const { moment } = readManifest(directory);
    const [begun, ended] = venue
      .audit()
      .filter(({ action, outcome }) => /^backup/.test(action) && outcome === 'done');
    assert.deepEqual(
      [begun!.action, begun!.operator, begun!.arguments],
      ['backup.begin', 'nora', { directory }],
    );
    assert.equal(begun!.detail, `up to command ${moment.seq}, state hash ${moment.stateHash}`);
    const manifest = hashOf(readManifest(directory));
    assert.deepEqual(
      [ended!.action, ended!.arguments],
      ['backup.end', { directory, seq: moment.seq, manifest }],
    );
  });

  const everything = () => new Set(readdirSync(directory, { recursive: true }).map(String));

  it('is proved without being changed, and the proof names the audit log', async () => {
    const before = everything();
    const { code, stdout } = await command(['verify', directory]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /ok +moment +state after command \d+ has the hash of the exchange/);
    assert.match(stdout, /ok +audit log/);
    assert.deepEqual(everything(), before);
  });

  it('restores to the venue of its moment: what came later is not there, its audit log agrees', async () => {
    const data = restored();
    assert.equal((await command(['restore', directory, '--data', data])).code, 0);
    const audit = await command(['audit', 'verify', '--data', data]);
    assert.equal(audit.code, 0, audit.output);
    const copy = new Venue(data);
    await copy.start();
    assert.deepEqual(await copy.ask('account', 'show', 'alice'), alice);
    const later = await copy.ask('deposit', 'alice', '2', 'USDT', '--reference', 'after-the-backup');
    assert.ok(later, 'the reference is free there');
    await copy.stop();
    const proved = await command(['verify', '--data', data]);
    assert.equal(proved.code, 0, proved.output);
  });

  it('is not restored over anything that exists', async () => {
    const refused = await command(['restore', directory, '--data', venue.data]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /holds an exchange: a restore never overwrites anything/);
    const other = temporaryDirectory();
    writeFileSync(join(other, 'notes.txt'), 'mine');
    const files = await command(['restore', directory, '--data', other]);
    assert.deepEqual([files.code, /is not empty \(notes\.txt\)/.test(files.stderr)], [2, true], files.stderr);
    assert.deepEqual(readdirSync(other), ['notes.txt']);
  });

  it('is restored where a restore was cut off before its first note was whole', async () => {
    const cut = temporaryDirectory();
    mkdirSync(join(cut, 'log'));
    writeFileSync(join(cut, 'restore.incomplete.tmp'), '{');
    const { code, stderr } = await command(['restore', directory, '--data', cut]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      readdirSync(cut).filter((name) => name.startsWith('restore.')),
      [],
    );
  });

  it('is not overwritten, and no exchange runs in it', async () => {
    await venue.refused(2, /holds a backup already/, 'backup', directory);
    await venue.refused(2, /is the exchange's own directory/, 'backup', venue.data);
    const occupied = join(home, 'occupied');
    mkdirSync(occupied);
    writeFileSync(join(occupied, 'notes.txt'), 'mine');
    await venue.refused(2, /is not empty/, 'backup', occupied);
    const started = await start(['--port', '0', '--data', directory]);
    assert.deepEqual(
      [started.code, /is a backup, in which no exchange runs/.test(started.stderr)],
      [4, true],
    );
  });

  it('shows every changed, cut and missing file, and is not restored then', async () => {
    const { files } = readManifest(directory);
    for (const [index, { path, bytes }] of files.entries()) {
      const place = join(directory, 'data', path);
      const whole = readFileSync(place);
      const damaged = Buffer.from(whole);
      damaged[Math.floor(bytes / 2)]! ^= 1;
      const [what, seen] = [
        [() => writeFileSync(place, damaged), 'was changed since the backup was made'],
        [
          () => writeFileSync(place, whole.subarray(0, bytes - 1)),
          `${(bytes - 1).toLocaleString('en-US')} bytes instead of`,
        ],
        [() => rmSync(place), 'is missing'],
      ][index % 3] as [() => void, string];
      what();
      const { ok, checks } = await verifyBackup(directory);
      const wrong = checks.filter((check) => !check.ok);
      assert.deepEqual([ok, wrong.length, wrong[0]!.name], [false, 1, path]);
      assert.ok(wrong[0]!.detail.includes(seen), wrong[0]!.detail);
      const data = restored();
      await assert.rejects(restoreBackup(directory, data), (error: Error) => {
        assert.ok(error instanceof DataDamaged && error.message.includes(path), error.message);
        return true;
      });
      assert.throws(() => refuseUnfinished(data), /is half restored/);
      // Keys that others may read are refused.
      writeFileSync(place, whole, { mode: 0o600 });
    }
    const manifest = join(directory, 'backup.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(/"seq": (\d)/, '"seq": 1$1'));
    const changed = await command(['verify', directory]);
    assert.deepEqual(
      [changed.code, /backup\.json was changed/.test(changed.stderr)],
      [4, true],
      changed.stderr,
    );
    writeFileSync(manifest, text);
    assert.equal((await command(['verify', directory])).code, 0);
  });

  it('is made of a venue that does not run, too: its state hash comes from a replay', async () => {
    assert.equal((await venue.stop()).code, 0);
    const stopped = join(home, 'stopped');
    const { moment } = await venue.ask('backup', stopped);
    const { stateHash } = await venue.ask('verify');
    assert.equal(moment.stateHash, stateHash);
    assert.equal((await command(['verify', stopped])).code, 0);
    assert.ok(!existsSync(join(venue.data, 'backup.incomplete')));
  });
});
