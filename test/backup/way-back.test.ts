/** A start that changes the format of a data directory keeps it as it was, and the steps it tells lead back. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { copyBeforeMigration } from '../../src/app/backup/migration-copies.ts';
import {
  migrate as migrateHistory,
  readMeta,
  SCHEMA_VERSION,
  writeMeta,
} from '../../src/history/sqlite-schema.ts';
import { IDENTITY_SCHEMA_VERSION, migrate as migrateIdentity } from '../../src/identity/identity-schema.ts';
import { endVenues, Venue, VenueProcess } from '../admin/venue-process.ts';
import { command } from '../app/bourse-process.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

after(endVenues);

/** The tables of the format before, filled with what the present ones hold as far as it has a place there. */
function older(path: string, make: (database: DatabaseSync) => void): void {
  const newer = `${path}.newer`;
  renameSync(path, newer);
  for (const rest of ['-wal', '-shm'])
    if (existsSync(`${path}${rest}`)) renameSync(`${path}${rest}`, `${newer}${rest}`);
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL');
  make(database);
  database.exec('PRAGMA foreign_keys = OFF');
  database.exec(`ATTACH '${newer}' AS newer`);
  const tables = database.prepare("SELECT name FROM main.sqlite_master WHERE type = 'table'").all();
  for (const name of tables.map((row) => String(row.name))) {
    if (name === 'meta') continue;
    const columns = (schema: string) =>
      database
        .prepare(`SELECT name FROM pragma_table_info('${name}', '${schema}')`)
        .all()
        .map((row) => String(row.name));
    const there = new Set(columns('newer'));
    const common = columns('main')
      .filter((column) => there.has(column))
      .join(', ');
    if (common === '') continue;
    database.exec(
      `DELETE FROM main."${name}"; INSERT INTO main."${name}" (${common}) SELECT ${common} FROM newer."${name}"`,
    );
  }
  if (path.endsWith('history.sqlite')) {
    const { value } = database.prepare("SELECT value FROM newer.meta WHERE key = 'last_seq'").get()!;
    writeMeta(database)('last_seq', Number(value));
  }
  database.close();
  for (const rest of ['', '-wal', '-shm']) rmSync(`${newer}${rest}`, { force: true });
}

function look<Found>(path: string, find: (database: DatabaseSync) => Found): Found {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return find(database);
  } finally {
    database.close();
  }
}

const historyVersion = (data: string) =>
  look(join(data, 'history.sqlite'), (database) => readMeta(database, 'schema_version'));
const identityVersion = (data: string) =>
  look(join(data, 'identity.sqlite'), (database) =>
    Number(database.prepare('PRAGMA user_version').get()!.user_version),
  );
const namesOf = (data: string) =>
  look(join(data, 'identity.sqlite'), (database) =>
    database
      .prepare('SELECT name FROM users ORDER BY uid')
      .all()
      .map((row) => String(row.name)),
  );
const kept = (data: string) => readdirSync(data).filter((name) => name.startsWith('before-'));

const olderData = join(temporaryDirectory(), 'older');

/** The directory of a venue whose databases are of the format before, as its older program left them. */
before(async () => {
  const venue = await new Venue(olderData).start();
  await venue.ask('account', 'create', 'alice');
  await venue.ask('deposit', 'alice', '10000', 'USDT', '--reference', 'bank-1');
  assert.equal((await venue.stop()).code, 0);
  older(join(venue.data, 'history.sqlite'), (database) => migrateHistory(database, SCHEMA_VERSION - 1));
  older(join(venue.data, 'identity.sqlite'), (database) =>
    migrateIdentity(database, () => {}, IDENTITY_SCHEMA_VERSION - 1),
  );
  rmSync(join(venue.data, 'identity.mark'));
});

function copyOfOlder(): string {
  const data = join(temporaryDirectory(), 'venue');
  cpSync(olderData, data, { recursive: true });
  return data;
}

test('a start on a directory of the format before keeps it, says so, and what it says leads back', async () => {
  const venue = await new VenueProcess(copyOfOlder()).start();
  await venue.ask('account', 'create', 'bob');
  const { stderr } = await venue.stop();
  const name = `before-history-${SCHEMA_VERSION}-identity-${IDENTITY_SCHEMA_VERSION}`;
  const directory = join(venue.data, name);
  assert.deepEqual(kept(venue.data), [name]);
  assert.deepEqual(
    [historyVersion(venue.data), identityVersion(venue.data)],
    [SCHEMA_VERSION, IDENTITY_SCHEMA_VERSION],
  );
  const [, step] = /npm run -s bourse -- (restore \S+ --data) NEW/.exec(stderr) ?? [];
  assert.equal(step, `restore ${directory} --data`, stderr);

  const data = join(temporaryDirectory(), 'back');
  const restored = await command([...step.split(' '), data]);
  assert.equal(restored.code, 0, restored.output);
  assert.deepEqual(
    [historyVersion(data), identityVersion(data)],
    [SCHEMA_VERSION - 1, IDENTITY_SCHEMA_VERSION - 1],
  );
  assert.deepEqual(namesOf(data), ['alice'], 'what came after the change is not in it');
  assert.deepEqual(namesOf(venue.data), ['alice', 'bob']);
  assert.equal((await command(['verify', directory])).code, 0);

  const again = await new Venue(venue.data).start();
  await again.stop();
  assert.deepEqual(kept(venue.data), [name], 'a start that changes nothing keeps nothing');
});

test('a copy that was cut off is made again, one of this moment is used again, and the newest two stay', async () => {
  const data = copyOfOlder();
  const told: string[] = [];
  const tell = (text: string) => told.push(text);
  const first = (await copyBeforeMigration(data, tell))!;
  assert.match(told[0]!, /history\.sqlite changes from format \d+ to \d+, identity\.sqlite changes/);
  rmSync(join(first, 'backup.json'));
  assert.equal(await copyBeforeMigration(data, tell), first, 'cut off: made again in its place');
  assert.equal(await copyBeforeMigration(data, tell), first, 'whole and of this moment: nothing to do');
  assert.equal(kept(data).length, 1);
  for (const other of ['before-history-2', 'before-history-3']) {
    renameSync(first, join(data, other));
    assert.equal(await copyBeforeMigration(data, tell), first);
  }
  assert.deepEqual(kept(data).sort(), [first.split('/').at(-1)!, 'before-history-3'].sort());
});
