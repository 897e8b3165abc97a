/** Files that only their owner may read. */
import type { Stats } from 'node:fs';

/** A file with a secret can be read by others; the message says what to do. */
export class ExposedToOthers extends Error {
  override name = 'ExposedToOthers';
}

/** Throws ExposedToOthers. Windows has no such permissions. */
export function refuseExposed(path: string, { mode }: Stats): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  const shown = (mode & 0o777).toString(8);
  throw new ExposedToOthers(
    `${path} holds a secret and others can read it (mode ${shown}); run: chmod 600 ${path}`,
  );
}
