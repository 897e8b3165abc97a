/**
 * Moves an exchange of one machine into a cluster: history first, then everything else in one transaction. Cut off before its
 * end it has made no cluster, and the same command begins again. The data directory stays as it is.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { TOKEN_FILE } from '../../admin/token.ts';
import { KEY_FILES, keysFingerprint } from '../../cluster/keys.ts';
import type { DatabaseAddress } from '../../cluster/postgres/address.ts';
import type { Durability } from '../../cluster/postgres/durability-checks.ts';
import { historyAddressOf } from '../../cluster/postgres/history-address.ts';
import { installTables } from '../../cluster/postgres/install.ts';
import { SideConnection } from '../../cluster/postgres/side-connection.ts';
import { loadSnapshot } from '../../cluster/snapshots.ts';
import { openPostgresHistory } from '../../history/postgres/postgres-history.ts';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { createFile, makeDirectory } from '../../storage/durable-file.ts';
import { historySeq } from '../backup/databases.ts';
import { HISTORY_FILE, LOG_DIRECTORY } from '../data/data-files.ts';
import { copyHistory, historyAddress } from '../data/history-place.ts';
import { CannotStart, ConfigError, DataDamaged } from '../exit-codes.ts';
import { proveIdentity } from '../verify/identity-verify.ts';
import { inTransaction, withPrimary } from './database.ts';
import { refuseServer } from './init.ts';
import { makeKeys } from './keys-folder.ts';
import { notClean, readStopped, type StoppedExchange } from './stopped-exchange.ts';
import { writeBeginning } from './stored-state.ts';
import { writeAuditOf, writeIdentityOf } from './users-and-audit.ts';

export interface ImportOptions {
  readonly address: DatabaseAddress;
  readonly data: string;
  readonly keys: string;
  readonly durability: Durability;
  readonly report: (text: string) => void;
}

export interface Imported {
  readonly instance: string;
  readonly lastSeq: number;
  readonly time: number;
  readonly edition: number;
  readonly accounts: number;
  readonly auditLines: number;
  readonly hashBefore: string;
  readonly hashAfter: string;
}

/** A snapshot of a large state takes its time. */
const ANSWER_MS = 60_000;

export async function importExchange(options: ImportOptions): Promise<Imported> {
  const { data, address } = options;
  if (!existsSync(join(data, LOG_DIRECTORY)))
    throw new ConfigError(`--data ${data} holds no exchange: there is no ${join(data, LOG_DIRECTORY)}`);
  const lock = DirectoryLock.take(join(data, LOG_DIRECTORY));
  try {
    return await withPrimary(address, async ({ client, servers }) => {
      await refuseServer({ client, servers }, options.durability);
      await refuseUsedCluster(client);
      return await importInto(client, options);
    });
  } finally {
    lock.release();
  }
}

async function importInto(client: pg.Client, options: ImportOptions): Promise<Imported> {
  const { data, keys, address, report } = options;
  report(`reading ${data}`);
  const stopped = readStopped(data);
  const { state, lastSeq, live, instance } = stopped;
  const hashBefore = stateHash(state);
  await proveIdentity(live, state, stopped.identityMark);
  copyKeys(live, data, keys);
  report('moving the history');
  await moveHistory(stopped, address);
  report('moving state, users and audit log');
  const auditLines = await inTransaction(client, async () => {
    await makeCluster(client, instance, keysFingerprint(keys));
    await writeBeginning(client, state, lastSeq);
    await writeIdentityOf(client, live);
    return await writeAuditOf(client, data);
  });
  const hashAfter = await storedHash(address);
  if (hashAfter !== hashBefore)
    throw new DataDamaged(`the state in the database has the hash ${hashAfter} instead of ${hashBefore}`);
  const { now: time, edition, accountByUid } = state;
  return { instance, lastSeq, time, edition, accounts: accountByUid.size, auditLines, hashBefore, hashAfter };
}

/** One that was made by `init` and that no node has joined is as good as none. */
async function refuseUsedCluster(client: pg.Client): Promise<void> {
  const there = await client.query("SELECT to_regclass('bourse_cluster.cluster') IS NOT NULL AS there");
  if (!(there.rows[0] as { there: boolean }).there) return;
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT 1 FROM bourse_cluster.pack) OR EXISTS (SELECT 1 FROM bourse_cluster.node)
      OR EXISTS (SELECT 1 FROM bourse_cluster.snapshot) AS used`,
  );
  if ((rows[0] as { used: boolean }).used)
    throw new CannotStart('the database has a cluster that is in use: import into a database of its own');
}

async function makeCluster(client: pg.Client, instance: string, fingerprint: Uint8Array): Promise<void> {
  const there = await client.query("SELECT to_regclass('bourse_cluster.cluster') IS NOT NULL AS there");
  if (!(there.rows[0] as { there: boolean }).there) await installTables(client, fingerprint);
  // The history of the exchange is known by it.
  await client.query('UPDATE bourse_cluster.cluster SET instance = $1::uuid, keys_fingerprint = $2', [
    instance,
    fingerprint,
  ]);
}

/** The keys of the data directory; a folder that has others is refused. */
function copyKeys(live: string, data: string, keys: string): void {
  makeDirectory(keys);
  for (const name of KEY_FILES) {
    const source = [live, data].map((directory) => join(directory, name)).find((path) => existsSync(path));
    if (source === undefined) continue;
    const [text, target] = [readFileSync(source, 'utf8'), join(keys, name)];
    if (!existsSync(target)) createFile(target, text);
    else if (readFileSync(target, 'utf8').trimEnd() !== text.trimEnd())
      throw new ConfigError(
        `--keys ${keys} holds another ${name} than ${source}: name a folder that does not exist yet`,
      );
  }
  // An exchange without an operator's listener may have no token.
  const missing = KEY_FILES.filter((name) => name !== TOKEN_FILE && !existsSync(join(keys, name)));
  if (missing.length > 0) throw new DataDamaged(`${join(data, missing[0]!)} is missing`);
  makeKeys(keys);
}

/** Rows go over with their checksums. A database that has the history of this exchange already keeps it. */
async function moveHistory(
  { data, live, instance, lastSeq }: StoppedExchange,
  address: DatabaseAddress,
): Promise<void> {
  const elsewhere = historyAddress('', live);
  const place = mkdtempSync(join(tmpdir(), 'bourse-import-'));
  try {
    let file = join(live, HISTORY_FILE);
    if (elsewhere !== undefined) {
      file = join(place, HISTORY_FILE);
      await copyHistory(elsewhere, join(live, LOG_DIRECTORY), file);
    }
    if (!existsSync(file)) throw new DataDamaged(`${file} does not exist: put it back from a backup`);
    if (historySeq(file) !== lastSeq) throw notClean(data);
    const history = await openPostgresHistory({
      address: historyAddressOf(address),
      instance,
      moveFrom: file,
      part: 'writer',
      onFailure: () => {},
      onNotice: () => {},
    });
    const { confirmedSeq } = history;
    await history.close();
    if (confirmedSeq !== lastSeq)
      throw new CannotStart(
        `the history in the database ends at command ${confirmedSeq}, the exchange at ${lastSeq}: drop its schema "history" first`,
      );
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** As a node loads it. */
async function storedHash(address: DatabaseAddress): Promise<string> {
  const side = new SideConnection(address, ANSWER_MS);
  try {
    const loaded = await loadSnapshot(side, (_, reason) => {
      throw new DataDamaged(`the snapshot in the database is not as it was written: ${reason}`);
    });
    return loaded === undefined ? 'none' : stateHash(loaded.state);
  } finally {
    await side.close();
  }
}
