/** Data directories that earlier versions of the program wrote are opened by the present one, with the same state. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { copyBeforeMigration } from '../../src/app/backup/migration-copies.ts';
import { loggedCommands } from '../../src/app/data/logged-commands.ts';
import type { Verification } from '../../src/app/verify/verification.ts';
import { STATE_FORMAT } from '../../src/core/snapshot/snapshot.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { failingChecks } from '../harness/readiness.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { command, Server, start } from './bourse-process.ts';

const FORMATS = join(import.meta.dirname, 'data-formats');
/** As it was recorded: time goes on from where the journal ends, and only by hand. */
const QUIET = ['--market', 'off', '--clock', 'manual', '--operator-port', '0', '--segment-bytes', '1048576'];
/** The first one, whose way is the longest; the others are opened by the same program in a host. */
const IN_A_PROCESS = 'format-1';
/** A snapshot file is a header, the state with its format first, and the SHA-256 of both. */
const SNAPSHOT_HEADER_BYTES = 64;
const SHA256_BYTES = 32;

for (const file of readdirSync(FORMATS).filter((name) => name.endsWith('.json'))) {
  const name = basename(file, '.json');
  const expected: Partial<Verification> = JSON.parse(readFileSync(join(FORMATS, file), 'utf8'));

  test(`a directory of ${name} comes to the state that its program had, and goes on from there`, async () => {
    const data = unpacked(name);
    assert.deepEqual(await verified(data), expected);
    const log = name === IN_A_PROCESS ? await servedInProcess(data) : await served(data);
    // Its own program could not read the snapshots of this one: what it needs is kept.
    assert.match(
      log,
      new RegExp(`the snapshot changes from ${name.replace('-', ' ')} to ${STATE_FORMAT}\\b`),
    );
    const [kept] = readdirSync(data).filter((each) => each.startsWith('before-state-'));
    const copied = (await verified(join(data, kept!))).snapshots;
    assert.deepEqual(copied, expected.snapshots);
    const after = await verified(data);
    assert.deepEqual(after.snapshots?.slice(0, expected.snapshots!.length), expected.snapshots);
    assert.equal(after.openOrders, expected.openOrders);
    assert.equal(firstAfter(data, expected.lastSeq!), 'setEdition');
  });
}

function withoutSnapshots(format: string): string {
  const data = unpacked(format);
  for (const name of readdirSync(join(data, 'log')).filter((each) => each.startsWith('snapshot-')))
    rmSync(join(data, 'log', name));
  return data;
}

test('a journal without a snapshot has the format of its edition', async () => {
  const told: string[] = [];
  await copyBeforeMigration(withoutSnapshots('format-9'), (text) => told.push(text));
  assert.match(told.join(), new RegExp(`changes from format 9 to ${STATE_FORMAT}\\b`));
});

test('a journal of the first edition without a snapshot is kept before the second edition begins', async () => {
  const data = withoutSnapshots('format-1');
  const { lastSeq, stateHash }: Partial<Verification> = JSON.parse(
    readFileSync(join(FORMATS, 'format-1.json'), 'utf8'),
  );
  for (const round of ['first', 'second']) {
    const server = await startHosted({ data, args: QUIET });
    await server.kill();
    const kept = readdirSync(data).filter((each) => each.startsWith('before-'));
    assert.deepEqual(kept.length, 1, `${round} start: ${kept.join(' ')}`);
    assert.equal((await verified(join(data, kept[0]!))).stateHash, stateHash);
  }
  assert.equal(firstAfter(data, lastSeq!), 'setEdition');
});

test('a directory whose snapshot has a newer format is refused with exit code 4 and says what to do', async () => {
  const data = unpacked('format-1');
  const name = readdirSync(join(data, 'log')).find((each) => each.startsWith('snapshot-'))!;
  const bytes = readFileSync(join(data, 'log', name));
  bytes.writeUInt16LE(999, SNAPSHOT_HEADER_BYTES);
  const contents = bytes.subarray(0, bytes.length - SHA256_BYTES);
  createHash('sha256').update(contents).digest().copy(bytes, contents.length);
  writeFileSync(join(data, 'log', name), bytes);
  const { code, stderr } = await start(['--data', data, '--port', '0', ...QUIET]);
  assert.equal(code, 4, stderr);
  assert.match(stderr, /snapshot has format 999, this version reads .*: start the version .* that wrote it/);
});

/** A start and a stop; returns what it says. */
async function served(data: string): Promise<string> {
  const server = await startHosted({ data, args: QUIET });
  assert.deepEqual(await failingChecks(server.url), []);
  await server.stop();
  return server.log();
}

async function servedInProcess(data: string): Promise<string> {
  const server = await Server.start(['--data', data, ...QUIET]);
  assert.deepEqual(await failingChecks(server.url), []);
  const { code, stderr } = await server.end('SIGTERM');
  assert.equal(code, 0, stderr);
  return stderr;
}

/** Type of the first command behind a place in the journal. */
function firstAfter(data: string, lastSeq: number): string | undefined {
  for (const { seq, command } of loggedCommands(data)) if (seq > lastSeq) return command.type;
  return undefined;
}

function unpacked(name: string): string {
  const from = join(FORMATS, name);
  const data = join(temporaryDirectory(), 'data');
  for (const file of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!statSync(join(from, file)).isFile()) continue;
    const target = join(data, file.replace(/\.gz$/, ''));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, gunzipSync(readFileSync(join(from, file))), { mode: 0o600 });
  }
  return data;
}

async function verified(data: string): Promise<Partial<Verification>> {
  const { code, stdout, stderr } = await command(['verify', '--data', data, '--json']);
  assert.equal(code, 0, `${stdout}${stderr}`);
  const { lastSeq, openOrders, snapshots, stateHash }: Verification = JSON.parse(stdout);
  return { lastSeq, openOrders, snapshots, stateHash };
}
