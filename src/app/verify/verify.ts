/**
 * Proves a data directory: everything the log still holds is read and replayed from as far back as possible, and at
 * each snapshot on the way the replayed state must have the hash of the stored one. What a start would repair in the log is
 * left as it is.
 */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresAddress } from '../../history/postgres/address.ts';
import { repairGenerated } from '../../history/proof/generated-proof.ts';
import { HistoryRepair } from '../../history/proof/repair.ts';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { GENERATED_FILE, LOG_DIRECTORY, LOST_GENERATED } from '../data/data-files.ts';
import { copyHistory, historyAddress, historyName } from '../data/history-place.ts';
import { ConfigError, DataDamaged } from '../exit-codes.ts';
import { HISTORY_FILE, LOST_HISTORY } from '../start/components.ts';
import { fileOf } from './history-check.ts';
import type { Progress, Verification } from './verification.ts';
import { Verifier } from './verifier.ts';

export interface VerifyOptions {
  readonly progress?: Progress;
  /** Repairs the history first, as far as journal and checksums allow. */
  readonly repairHistory?: boolean;
  /** The setting of the history's place; empty for the one that the directory remembers. */
  readonly history?: string;
}

export async function verify(data: string, options: VerifyOptions = {}): Promise<Verification> {
  const directory = join(data, LOG_DIRECTORY);
  if (!existsSync(directory))
    throw new ConfigError(`--data ${data} holds no exchange: there is no ${directory}`);
  const { progress = () => {}, repairHistory = false } = options;
  const lock = DirectoryLock.take(directory);
  try {
    const address = historyAddress(options.history ?? '', data);
    if (address !== undefined) return await verifyWithDatabase(data, address, options);
    const repairedRows = repairHistory ? (await repair(data, directory, progress)) + repairPast(data) : 0;
    return { ...(await new Verifier(data, directory, progress, fileOf(data)).run()), repairedRows };
  } finally {
    lock.release();
  }
}

/** Rows in PostgreSQL are proved in a copy as of one moment; its pages and indexes are the server's own matter. */
async function verifyWithDatabase(
  data: string,
  address: PostgresAddress,
  { progress = () => {}, repairHistory = false }: VerifyOptions,
): Promise<Verification> {
  if (repairHistory)
    throw new ConfigError(
      `${historyName(address)} is not repaired in place: restore the database from a backup of its own, or drop its ` +
        'schema "history" and start, which projects again what the log still holds',
    );
  const directory = join(data, LOG_DIRECTORY);
  const place = mkdtempSync(join(tmpdir(), 'bourse-verify-'));
  try {
    progress('reading the history', 0);
    const path = join(place, HISTORY_FILE);
    await copyHistory(address, directory, path);
    const remedy =
      'Restore the database from a backup of its own, or drop its schema "history" and start: what the log still holds is ' +
      'projected again.';
    const { place: name } = address;
    const proved = { path, name, generatedName: name, remedy };
    const proven = await new Verifier(data, directory, progress, proved).run();
    return { ...proven, repairedRows: 0 };
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** One pass over journal and history that repairs rows, in one transaction; resolves with their number. */
async function repair(data: string, directory: string, progress: Progress): Promise<number> {
  const path = join(data, HISTORY_FILE);
  if (!existsSync(path)) throw new DataDamaged(`${path} does not exist. ${LOST_HISTORY}`);
  const repair = new HistoryRepair(path);
  try {
    repair.begin();
    if (!repair.hasChecksums)
      throw new ConfigError(`${path} is of an older program: start the exchange once, then repair it`);
    if (!repair.mendFile()) throw new DataDamaged(`${path} is damaged beyond repair. ${LOST_HISTORY}`);
    const verifier = new Verifier(data, directory, progress, fileOf(data), repair);
    await verifier.run();
    if (!verifier.mended) throw new DataDamaged(`${path} cannot be repaired: run verify to see why`);
    return repair.rows;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    throw new DataDamaged(`${path} is damaged beyond repair: ${(error as Error).message}. ${LOST_HISTORY}`);
  } finally {
    repair.close();
  }
}

/** The generated past, which the journal does not hold; the number of rows that were written anew. */
function repairPast(data: string): number {
  const path = join(data, GENERATED_FILE);
  if (!existsSync(path)) return 0;
  const beyond = (reason = '') =>
    new DataDamaged(`${path} is damaged beyond repair${reason}. ${LOST_GENERATED}`);
  try {
    const rows = repairGenerated(path);
    if (rows !== undefined) return rows;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    throw beyond(`: ${(error as Error).message}`);
  }
  throw beyond();
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isCorrupt(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: number };
  return errcode !== undefined && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff);
}
