/** A file that holds keys: on the disk, where only this user may read it, or in memory, where nobody else can. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync } from 'node:fs';
import { createFile, replaceFile } from '../storage/durable-file.ts';
import { refuseExposed } from '../storage/private-file.ts';

export interface KeyFile {
  readonly path: string;
  exists(): boolean;
  /** Throws ExposedToOthers. */
  read(): string;
  /** Throws EEXIST. */
  create(text: string): void;
  replace(text: string): void;
  /** Gives it another name, so that a new one can be made and the old one be looked at. */
  setAside(): void;
}

export function keyFileOnDisk(path: string): KeyFile {
  return {
    path,
    exists: () => existsSync(path),
    read: () => readPrivate(path),
    create: (text) => createFile(path, text),
    replace: (text) => replaceFile(path, text),
    setAside: () => renameSync(path, `${path}.damaged`),
  };
}

function readPrivate(path: string): string {
  const fd = openSync(path, 'r');
  try {
    refuseExposed(path, fstatSync(fd));
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

export function keyFileInMemory(path: string): KeyFile {
  let contents: string | undefined;
  const write = (text: string) => {
    contents = text;
  };
  return {
    path,
    exists: () => contents !== undefined,
    read: () => contents!,
    create: write,
    replace: write,
    setAside: () => {
      contents = undefined;
    },
  };
}
