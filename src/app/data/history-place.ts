/**
 * Where the history of a data directory is: in its file, or in PostgreSQL. A directory whose history is elsewhere says so in
 * `history.json`, without the password, so that later starts and commands find it.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AbandonableHistory, History, HistoryCopies } from '../../history/history.ts';
import { HistoryRefused } from '../../history/history.ts';
import { type PostgresAddress, readAddress, withoutPassword } from '../../history/postgres/address.ts';
import { openSqliteHistory, type SqliteHistoryOptions } from '../../history/sqlite-history.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { readSegmentHeaders } from '../../journal/segment-files.ts';
import { replaceFile } from '../../storage/durable-file.ts';
import { ConfigError, DataDamaged } from '../exit-codes.ts';
import { HISTORY_FILE, HISTORY_PLACE_FILE } from './data-files.ts';

/** The setting that means the file. */
export const IN_FILE = 'sqlite';

/** Undefined for the file. `setting` is empty unless it was given. */
export function historyAddress(setting: string, directory: string): PostgresAddress | undefined {
  if (setting === IN_FILE) return undefined;
  return setting === '' ? rememberedAddress(directory) : readAddress(setting);
}

export function historyName(address: PostgresAddress | undefined): string {
  return address === undefined ? HISTORY_FILE : `the history in ${address.place}`;
}

function rememberedAddress(directory: string): PostgresAddress | undefined {
  const path = join(directory, HISTORY_PLACE_FILE);
  if (!existsSync(path)) return undefined;
  const address = readAddress(writtenPlace(readFileSync(path, 'utf8')));
  if (address !== undefined) return address;
  throw new DataDamaged(
    `${path} does not say where the history is: start with --history, which writes it anew`,
  );
}

function writtenPlace(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly postgres?: unknown }).postgres);
  } catch {
    return '';
  }
}

export interface HistoryOpening extends Omit<SqliteHistoryOptions, 'path'> {
  readonly directory: string;
  /** As in the settings. */
  readonly setting: string;
  /** Instance id of the journal. */
  readonly instance: string;
  readonly onNotice: (text: string) => void;
}

/** Throws HistoryRefused, or as SQLite does. */
export async function openHistory(
  opening: HistoryOpening,
): Promise<History & HistoryCopies & AbandonableHistory> {
  const { directory, setting, ...options } = opening;
  const address = historyAddress(setting, directory);
  const file = join(directory, HISTORY_FILE);
  if (address === undefined) return openSqliteHistory({ ...options, path: file });
  const { openPostgresHistory } = await import('../../history/postgres/postgres-history.ts');
  // A file that an earlier database has replaced is out of date.
  const current = existsSync(file) && !existsSync(join(directory, HISTORY_PLACE_FILE));
  return openPostgresHistory({ ...options, address, moveFrom: current ? file : undefined }).catch(rejected);
}

/** Once the history has turned out to fit the log. */
export function rememberHistory(setting: string, directory: string): void {
  const note = join(directory, HISTORY_PLACE_FILE);
  const address = historyAddress(setting, directory);
  if (address === undefined) rmSync(note, { force: true });
  else replaceFile(note, `${JSON.stringify({ postgres: withoutPassword(address) })}\n`);
}

/** The history wraps every failure in the same message; the cause is what the user can act on. */
function rejected(error: Error): never {
  throw error.cause instanceof HistoryRefused ? error.cause : error;
}

/** A history in PostgreSQL as a file, for backups and verification. */
export async function copyHistory(
  address: PostgresAddress,
  logDirectory: string,
  path: string,
  meanwhile: () => void = () => {},
): Promise<void> {
  const { copyToFile } = await import('../../history/postgres/copies.ts');
  await copyToFile({ address, instance: instanceOf(logDirectory), path, meanwhile });
}

/** The exchange that a journal is of, as its recovery reports it. */
function instanceOf(logDirectory: string): string {
  const [first] = readSegmentHeaders(new NodeDisk(logDirectory));
  if (first === undefined) throw new DataDamaged(`${logDirectory} has no segment`);
  return Buffer.from(first.instanceId).toString('hex');
}

export const LAB_NEEDS_FILE =
  'the laboratory copies the history, which it cannot do in PostgreSQL: start with --history sqlite, or with --lab off';

/** Throws ConfigError when it was asked for in words. */
export function refuseLab(lab: 'on' | 'off', origin: string): void {
  if (lab === 'on' && origin !== 'default') throw new ConfigError(LAB_NEEDS_FILE);
}
