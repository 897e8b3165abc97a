/** Free space of a disk, and the error of a start that needs more. */
import { statfsSync } from 'node:fs';

/** Bytes that this user may still write there; undefined where the system does not provide it. */
export function freeBytes(directory: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** The disk has no space for files that must be written before requests can be served. */
export class NoSpace extends Error {
  override readonly name = 'NoSpace';

  constructor(file: string, directory: string, neededBytes: number) {
    const free = freeBytes(directory);
    const left = free === undefined ? 'too little is' : `${free} bytes are`;
    super(
      `the disk is full: ${file} needs ${neededBytes} bytes and ${left} free in ${directory}. ` +
        'Nothing is lost. Free space on this disk or make it larger, then start again; ' +
        'do not delete files of the data directory',
    );
  }
}
