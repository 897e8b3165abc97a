/**
 * Restores a backup into a data directory. Only an empty place is accepted; until the last file is there the
 * directory is marked as half restored, and the same command begins again.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { makeDirectory, replaceFile, syncDirectory } from '../../storage/durable-file.ts';
import { LOG_DIRECTORY } from '../data/data-files.ts';
import { ConfigError, DataDamaged } from '../exit-codes.ts';
import { copyFileDurably, type Progress, placeIn } from './copying.ts';
import {
  type BackedUpFile,
  CONTENTS,
  HALF_RESTORE_FILE,
  type HalfRestore,
  type Manifest,
  readHalfRestore,
  readManifest,
} from './manifest.ts';

export async function restoreBackup(
  directory: string,
  data: string,
  progress: (share: number) => void = () => {},
): Promise<Manifest> {
  const manifest = readManifest(directory);
  refuseOccupied(data);
  makeDirectory(data);
  const lock = DirectoryLock.take(join(data, LOG_DIRECTORY));
  try {
    // Checked again under the lock: the directory may have changed since.
    refuseOccupied(data);
    clearHalf(data);
    const half: HalfRestore = { from: resolve(directory), files: manifest.files.map(({ path }) => path) };
    replaceFile(join(data, HALF_RESTORE_FILE), `${JSON.stringify(half)}\n`);
    await copyFiles(directory, data, manifest.files, progress);
    for (const folder of [join(data, LOG_DIRECTORY), data, dirname(resolve(data))]) syncDirectory(folder);
    rmSync(join(data, HALF_RESTORE_FILE));
    syncDirectory(data);
    return manifest;
  } finally {
    lock.release();
  }
}

/** A half restore may begin again; any other content is refused and stays unchanged. */
function refuseOccupied(data: string): void {
  if (!existsSync(data)) return;
  const names = readdirSync(data);
  if (names.includes(HALF_RESTORE_FILE)) return;
  // The marker itself may have been interrupted: then only its temporary file is there.
  const nothing = names.every((name) => name === LOG_DIRECTORY || name.startsWith(HALF_RESTORE_FILE));
  if (nothing && onlyLock(join(data, LOG_DIRECTORY))) return;
  const what = names.includes(LOG_DIRECTORY) ? 'holds an exchange' : `is not empty (${names[0]})`;
  throw new ConfigError(
    `--data ${data} ${what}: a restore never overwrites anything. Name a directory that does not exist yet`,
  );
}

/** Content that a restore leaves when it is interrupted before its marker. */
function onlyLock(directory: string): boolean {
  return !existsSync(directory) || readdirSync(directory).every((name) => name.startsWith('lock.'));
}

function clearHalf(data: string): void {
  const half = readHalfRestore(join(data, HALF_RESTORE_FILE));
  for (const path of half?.files ?? []) rmSync(placeIn(data, path), { force: true });
  const left = [
    ...readdirSync(data).filter((name) => name !== LOG_DIRECTORY && !name.startsWith(HALF_RESTORE_FILE)),
    ...readdirSync(join(data, LOG_DIRECTORY)).filter((name) => !name.startsWith('lock.')),
  ];
  if (left.length === 0) return;
  throw new ConfigError(
    `--data ${data} holds ${left.join(', ')} besides a half restore: name another directory`,
  );
}

async function copyFiles(
  directory: string,
  data: string,
  files: readonly BackedUpFile[],
  progress: (share: number) => void,
): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 1);
  let done = 0;
  const advance: Progress = (bytes) => {
    done += bytes;
    progress(done / total);
  };
  for (const { path, bytes, sha256 } of files) {
    const source = placeIn(join(directory, CONTENTS), path);
    if (!existsSync(source)) throw new DataDamaged(`${source} is missing: use another backup`);
    const target = placeIn(data, path);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    const copied = await copyFileDurably(source, target, advance);
    if (copied.bytes !== bytes || copied.sha256 !== sha256)
      throw new DataDamaged(`${source} was changed since the backup was made: use another backup`);
  }
}
