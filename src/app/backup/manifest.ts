/**
 * The manifest of a backup. `backup.json` is written last, when all its files are on disk: a directory with it is
 * complete, one with `backup.incomplete` alone is not. A restore works the other way round: its directory holds
 * `restore.incomplete` from before the first file until after the last.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, DataDamaged } from '../exit-codes.ts';

export const MANIFEST_FILE = 'backup.json';
/** Folder of the copied files, under their names in a data directory. */
export const CONTENTS = 'data';
export const HALF_BACKUP_FILE = 'backup.incomplete';
export const HALF_RESTORE_FILE = 'restore.incomplete';

const FORMAT = 1;
/** A file of a data directory or of its journal; a name never leads out of it. */
const PLACE = /^(?:log\/)?[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

export interface BackedUpFile {
  /** As in the data directory, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The moment of a backup. */
export interface Moment {
  /** The last command. */
  readonly seq: number;
  /** The exchange's time then, in Unix milliseconds. */
  readonly time: number;
  /** SHA-256 of the state after that command; null when it was not computed. */
  readonly stateHash: string | null;
}

export interface Manifest {
  readonly format: number;
  /** Version of the program that made it. */
  readonly program: string;
  readonly madeAt: string;
  readonly source: string;
  readonly moment: Moment;
  readonly files: readonly BackedUpFile[];
}

export function manifestOf(contents: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...contents };
}

/** The text of the file, which ends with the hash of the text before it. */
export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: hashOf(manifest) }, undefined, 2)}\n`;
}

export function hashOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

export function isBackup(directory: string): boolean {
  return [MANIFEST_FILE, HALF_BACKUP_FILE].some((name) => existsSync(join(directory, name)));
}

export function isWhole(directory: string): boolean {
  return existsSync(join(directory, MANIFEST_FILE));
}

/** Throws ConfigError when there is no backup, DataDamaged when it is incomplete. */
export function readManifest(directory: string): Manifest {
  const path = join(directory, MANIFEST_FILE);
  if (!existsSync(path)) {
    if (!isBackup(directory))
      throw new ConfigError(`${directory} is no backup: there is no ${MANIFEST_FILE} in it`);
    throw new DataDamaged(
      `${directory} is an incomplete backup: it was cut off before its end and cannot be used. ` +
        `Make it anew with bourse backup ${directory}, or delete it`,
    );
  }
  const { sha256, ...manifest } = parse(path) as Manifest & { sha256?: unknown };
  if (manifest.format !== FORMAT && typeof manifest.format === 'number')
    throw new DataDamaged(`${path} has format ${manifest.format}, this program reads ${FORMAT}`);
  if (sha256 !== hashOf(manifest)) throw changed(path);
  if (!manifest.files.every((file) => PLACE.test(file.path)))
    throw new DataDamaged(`${path} names files outside of a data directory: it is not a backup of ours`);
  return manifest;
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw changed(path);
    throw error;
  }
}

function changed(path: string): DataDamaged {
  return new DataDamaged(`${path} was changed since it was written: use another backup`);
}

/** An exchange starts neither in a backup, which would change it, nor on an unfinished restore. */
export function refuseUnfinished(data: string): void {
  if (isBackup(data))
    throw new DataDamaged(
      `${data} is a backup, in which no exchange runs. Restore it first: bourse restore ${data} --data NEW`,
    );
  const half = join(data, HALF_RESTORE_FILE);
  if (!existsSync(half)) return;
  throw new DataDamaged(
    `${data} is half restored: the restore was cut off (${HALF_RESTORE_FILE} is there). ` +
      `Run it again: bourse restore ${sourceOf(half)} --data ${data}`,
  );
}

/** The marker of a restore under way. */
export interface HalfRestore {
  readonly from: string;
  readonly files: readonly string[];
}

export function readHalfRestore(path: string): HalfRestore | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as HalfRestore;
  } catch {
    // Interrupted while it was written, so before any file.
    return undefined;
  }
}

function sourceOf(half: string): string {
  return readHalfRestore(half)?.from ?? 'DIR';
}
