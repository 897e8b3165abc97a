import type { Disk, DiskFile } from '../../src/journal/disk.ts';

/** The disk as one process sees it: a killed process can no longer reach it, whatever it still had in mind. */
export class ProcessDisk implements Disk {
  readonly #disk: Disk;
  #alive = true;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  kill(): void {
    this.#alive = false;
  }

  list(): readonly string[] {
    return this.#reach().list();
  }

  open(name: string): DiskFile {
    return this.#file(this.#reach().open(name));
  }

  create(name: string): DiskFile {
    return this.#file(this.#reach().create(name));
  }

  rename(from: string, to: string): void {
    this.#reach().rename(from, to);
  }

  link(from: string, to: string): void {
    this.#reach().link(from, to);
  }

  unlink(name: string): void {
    this.#reach().unlink(name);
  }

  syncDirectory(): void {
    this.#reach().syncDirectory();
  }

  freeBytes(): number | undefined {
    return this.#reach().freeBytes();
  }

  #file(file: DiskFile): DiskFile {
    return {
      size: () => file.size(),
      read: (position, length) => file.read(position, length),
      write: (bytes, position) => {
        this.#reach();
        return file.write(bytes, position);
      },
      truncate: (length) => {
        this.#reach();
        file.truncate(length);
      },
      sync: () => {
        this.#reach();
        file.sync();
      },
      close: () => file.close(),
    };
  }

  #reach(): Disk {
    if (!this.#alive) throw new Error('the process was killed');
    return this.#disk;
  }
}
