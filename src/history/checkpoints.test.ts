import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { Checkpoints, checkLogBelongs } from './checkpoints.ts';
import { migrate, readMeta, writeMeta } from './sqlite-schema.ts';

const LOCK_TIMEOUT_MS = 10_000;

const open = (path: string) => {
  const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  database.exec('PRAGMA journal_mode = WAL');
  migrate(database);
  return { database, checkpoints: new Checkpoints(database, writeMeta(database)) };
};

function commit({ database, checkpoints }: ReturnType<typeof open>, seq: number): void {
  database.exec('BEGIN IMMEDIATE');
  writeMeta(database)('last_seq', seq);
  const due = checkpoints.prepare();
  database.exec('COMMIT');
  if (due) checkpoints.move();
}

/** The two files as a process that is killed leaves them. */
function copyBoth(from: string, to: string): void {
  for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, to + end);
}

function check(path: string): void {
  const database = new DatabaseSync(path);
  try {
    checkLogBelongs(path, database);
  } finally {
    database.close();
  }
}

test('an older copy of the file beside a newer write-ahead log is refused, the file that it continues is not', () => {
  const home = temporaryDirectory();
  const path = join(home, 'history.sqlite');
  const older: string[] = [];
  for (let run = 1; run <= 4; run++) {
    const opened = open(path);
    for (let seq = 1; seq <= 3; seq++) commit(opened, run * 10 + seq);
    const killed = join(home, `killed-${run}.sqlite`);
    copyBoth(path, killed);
    check(killed);
    for (const [index, copy] of older.entries()) {
      const mixed = join(home, `mixed-${run}-${index}.sqlite`);
      copyBoth(path, mixed);
      copyFileSync(copy, mixed);
      // The newest copy is what the log continues: it was taken at the end of the run before.
      if (index === older.length - 1) check(mixed);
      else
        assert.throws(
          () => check(mixed),
          /malformed: it is of checkpoint \d+, its write-ahead log \(-wal\) of \d+/,
        );
    }
    opened.database.close();
    const copy = join(home, `older-${run}.sqlite`);
    copyFileSync(path, copy);
    older.push(copy);
  }
});

test('a log that was moved into the file in part still belongs to it', () => {
  const home = temporaryDirectory();
  const path = join(home, 'history.sqlite');
  const opened = open(path);
  commit(opened, 1);
  opened.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  commit(opened, 2);
  const killed = join(home, 'killed.sqlite');
  copyBoth(path, killed);
  check(killed);
  opened.checkpoints.move();
  commit(opened, 3);
  assert.equal(readMeta(opened.database, 'checkpoint'), 1);
  copyBoth(path, killed);
  check(killed);
  opened.database.close();
});

test('a file that a cut-off move left unreadable without its log still belongs to it', () => {
  const home = temporaryDirectory();
  const path = join(home, 'history.sqlite');
  const opened = open(path);
  commit(opened, 1);
  opened.checkpoints.move();
  opened.database.exec('CREATE TABLE filler (text TEXT)');
  for (let n = 0; n < 50; n++) opened.database.exec(`INSERT INTO filler VALUES ('${'x'.repeat(4000)}')`);
  commit(opened, 2);
  const killed = join(home, 'killed.sqlite');
  copyBoth(path, killed);
  // The first page says how many there are; the others have not been moved yet.
  const [{ pages }] = opened.database.prepare('SELECT page_count AS pages FROM pragma_page_count').all() as [
    { pages: number },
  ];
  const bytes = readFileSync(killed);
  bytes.writeUInt32BE(pages, 28);
  writeFileSync(killed, bytes);
  check(killed);
  opened.database.close();
});

test('a reader of the file holds up no commit, and the log is moved when it is gone', () => {
  const path = join(temporaryDirectory(), 'history.sqlite');
  const opened = open(path);
  const { database } = opened;
  const lockTimeout = () => Number(database.prepare('PRAGMA busy_timeout').get()!.timeout);
  const waits: number[] = [];
  const exec = database.exec.bind(database);
  database.exec = (sql) => {
    if (sql.includes('wal_checkpoint')) waits.push(lockTimeout());
    exec(sql);
  };
  database.exec('CREATE TABLE filler (bytes BLOB)');
  commit(opened, 1);
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM meta').get();
  for (let seq = 2; seq < 30; seq++) {
    database.exec('INSERT INTO filler VALUES (zeroblob(200000))');
    commit(opened, seq);
  }
  assert.ok(statSync(`${path}-wal`).size > 0, 'the reader still needs the log');
  reader.exec('COMMIT');
  commit(opened, 30);
  assert.equal(statSync(`${path}-wal`).size, 0);
  assert.ok(waits.length > 1);
  assert.deepEqual([...new Set(waits)], [0], 'no move waits for a lock');
  assert.equal(lockTimeout(), LOCK_TIMEOUT_MS, 'other writes do, as before');
  reader.close();
  database.close();
});
