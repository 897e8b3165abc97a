/**
 * Restricts the data directory to its owner. A directory or file of this program that others may enter or read is
 * closed at the start, with a line in the log. Files of another user stay unchanged: files with secrets are refused
 * where they are read, an open directory is logged.
 */
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { LOG_DIRECTORY } from '../data/data-files.ts';

const OTHERS = 0o077;
/** A shared directory, such as /tmp. */
const STICKY = 0o1000;
/** Only files of this program: the directory may contain others. */
const OWN_FILES =
  /^(?:(?:identity|history|history-generated)\.sqlite(?:-wal|-shm|-journal)?|(?:identity|address)\.key|identity\.mark|operator\.(?:token|json)|audit\.(?:log|head)|demo-accounts\.json)$/;

/** Does nothing to a missing directory, nor on Windows, which has no such permissions. */
export function closeToOthers(data: string, logger: Logger): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const log = join(data, LOG_DIRECTORY);
  for (const directory of [data, log]) closeDirectory(directory, user, logger);
  for (const name of namesIn(data)) if (OWN_FILES.test(name)) close(join(data, name), user, logger);
  for (const name of namesIn(log)) close(join(log, name), user, logger);
}

function closeDirectory(path: string, user: number, logger: Logger): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isDirectory() || (found.mode & OTHERS) === 0) return;
  const mode = (found.mode & 0o777).toString(8);
  if (found.uid !== user || (found.mode & STICKY) !== 0) {
    logger.warn(
      `${path} is open to others (mode ${mode}) and not this user's alone: choose a directory of its own`,
    );
    return;
  }
  chmodSync(path, 0o700);
  logger.warn(`${path} was open to others (mode ${mode}); it is closed to them now (mode 700)`);
}

function close(path: string, user: number, logger: Logger): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.uid !== user || (found.mode & OTHERS) === 0) return;
  chmodSync(path, 0o600);
  logger.warn(
    `${path} could be read by others (mode ${(found.mode & 0o777).toString(8)}); now only by this user`,
  );
}

function namesIn(directory: string): string[] {
  return lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(directory)
    : [];
}
