/** A disk that can be read and not changed: recovery repairs nothing on it. */
import type { Disk, DiskFile } from '../../journal/disk.ts';

export class ReadOnlyDisk implements Disk {
  readonly #disk: Disk;
  readonly #hidden: ReadonlySet<string>;

  /** Files named in `hidden` are not listed. */
  constructor(disk: Disk, hidden: readonly string[] = []) {
    this.#disk = disk;
    this.#hidden = new Set(hidden);
  }

  list(): readonly string[] {
    return this.#disk.list().filter((name) => !this.#hidden.has(name));
  }

  open(name: string): DiskFile {
    return this.#disk.open(name);
  }

  create(_name: string): DiskFile {
    return NOWHERE;
  }

  rename(_from: string, _to: string): void {}
  link(_from: string, _to: string): void {}
  unlink(_name: string): void {}
  syncDirectory(): void {}

  freeBytes(): undefined {
    return undefined;
  }
}

const NOWHERE: DiskFile = {
  size: () => 0,
  read: () => new Uint8Array(0),
  write: (bytes) => bytes.length,
  truncate: () => {},
  sync: () => {},
  close: () => {},
};
