/**
 * Copies a cluster into a data directory that one machine starts alone, or that is kept as a backup. Nodes may run meanwhile:
 * the history is copied first, the log is read beyond it, users come last, so that they may be newer and never older.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type pg from 'pg';
import { TOKEN_FILE } from '../../admin/token.ts';
import { KEY_FILES, keysFingerprint } from '../../cluster/keys.ts';
import type { DatabaseAddress } from '../../cluster/postgres/address.ts';
import { historyAddressOf } from '../../cluster/postgres/history-address.ts';
import { saveState } from '../../core/snapshot/snapshot.ts';
import { copyToFile } from '../../history/postgres/copies.ts';
import { openSqliteHistory } from '../../history/sqlite-history.ts';
import { writeIdentity } from '../../identity/identity-storage.ts';
import { beginJournal } from '../../journal/begin-journal.ts';
import { replay } from '../../sequencer/recovery.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { createFile, makeDirectory, syncDirectory } from '../../storage/durable-file.ts';
import { HISTORY_FILE, LOG_DIRECTORY } from '../data/data-files.ts';
import { ConfigError } from '../exit-codes.ts';
import { refuseUnlessCluster, withPrimary } from './database.ts';
import { readLog } from './log-reader.ts';
import { readIdentityContents, writeAuditFiles } from './users-and-audit.ts';

export interface ExportOptions {
  readonly address: DatabaseAddress;
  readonly data: string;
  readonly keys: string;
  readonly report: (text: string) => void;
}

export interface Exported {
  readonly pack: number;
  readonly lastSeq: number;
  readonly time: number;
  readonly accounts: number;
  readonly auditLines: number;
  readonly stateHash: string;
}

export async function exportExchange(options: ExportOptions): Promise<Exported> {
  const { data, address } = options;
  refuseOccupied(data);
  // It gets its name when everything is in it.
  const place = `${resolve(data)}.incomplete`;
  if (existsSync(place))
    throw new ConfigError(`${place} is there: an export was cut off. Delete it and begin again`);
  return await withPrimary(address, async ({ client }) => {
    await refuseUnlessCluster(client);
    const instance = await instanceFor(client, options.keys);
    makeDirectory(join(place, LOG_DIRECTORY));
    const exported = await exportInto(client, place, instance, options);
    for (const folder of [join(place, LOG_DIRECTORY), place]) syncDirectory(folder);
    if (existsSync(data)) rmdirSync(data);
    renameSync(place, data);
    syncDirectory(dirname(resolve(data)));
    return exported;
  });
}

async function exportInto(
  client: pg.Client,
  place: string,
  instance: string,
  { address, keys, report }: ExportOptions,
): Promise<Exported> {
  report('copying the history');
  const path = join(place, HISTORY_FILE);
  await copyToFile({ address: historyAddressOf(address), instance, path, meanwhile: () => {} });
  report('reading the log');
  const { snapshot, records, end } = await readLog(client, address);
  const lastSeq = end.nextSeq - 1;
  const history = await openSqliteHistory({ path, onFailure: () => {} });
  try {
    const { exchange } = await replay(snapshot, records, history, {
      historyName: 'the history of the cluster',
    });
    const { state } = exchange;
    await history.flush();
    // The last commands may have been void, which the history need not know of.
    if (history.confirmedSeq < lastSeq) history.project({ seq: lastSeq, time: state.now, events: [] });
    await history.flush();
    report('copying users and audit log');
    const keyFiles = new Map(
      KEY_FILES.filter((name) => name !== TOKEN_FILE).map((name) => [
        name,
        readFileSync(join(keys, name), 'utf8'),
      ]),
    );
    const { contents, note } = await readIdentityContents(address, keys);
    writeIdentity(place, { database: contents, keyFiles });
    createFile(join(place, TOKEN_FILE), readFileSync(join(keys, TOKEN_FILE)));
    const auditLines = await writeAuditFiles(client, place, lastSeq);
    beginJournal(join(place, LOG_DIRECTORY), { seq: lastSeq, state: saveState(state), note });
    return {
      pack: end.no,
      lastSeq,
      time: state.now,
      accounts: state.accountByUid.size,
      auditLines,
      stateHash: stateHash(state),
    };
  } finally {
    await history.close();
  }
}

/** Without its keys the copy would open no API secret. */
async function instanceFor(client: pg.Client, keys: string): Promise<string> {
  const { rows } = await client.query(
    'SELECT instance::text, keys_fingerprint AS fingerprint FROM bourse_cluster.cluster',
  );
  const [row] = rows as [{ instance: string; fingerprint: Buffer }];
  if (Buffer.compare(row.fingerprint, keysFingerprint(keys)) !== 0)
    throw new ConfigError(`--keys ${keys} holds other keys than those of the cluster`);
  return row.instance.replaceAll('-', '');
}

function refuseOccupied(data: string): void {
  if (!existsSync(data)) {
    makeDirectory(dirname(resolve(data)));
    return;
  }
  const [first] = readdirSync(data);
  if (first !== undefined)
    throw new ConfigError(
      `--data ${data} is not empty (${first}): an export never overwrites anything. Name a directory that does not exist yet`,
    );
}
