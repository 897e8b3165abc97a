import * as fs from 'node:fs';
import { join } from 'node:path';
import { syncDirectory } from '../storage/durable-file.ts';
import { freeBytes } from '../storage/free-space.ts';
import { linkFile } from '../storage/shared-file.ts';
import type { Disk, DiskFile } from './disk.ts';

const OWNER_ONLY = 0o600;
/** One system call cannot read 2 GiB. */
const READ_STEP_BYTES = 2 ** 30;

/** Windows cannot open a directory; NTFS journals names itself. */
const DIRECTORIES_OPEN = process.platform !== 'win32';

/**
 * A directory of the real file system. Synchronous calls stay out of the thread pool, where other work would delay
 * them.
 */
export class NodeDisk implements Disk {
  readonly #directory: string;
  /** Kept open where names must be synced even when the process may open no more files. */
  readonly #descriptor: number | undefined;

  constructor(directory: string, hold: 'hold' | 'open on demand' = 'open on demand') {
    this.#directory = directory;
    if (hold === 'hold' && DIRECTORIES_OPEN) this.#descriptor = fs.openSync(directory, 'r');
  }

  list(): readonly string[] {
    return fs.readdirSync(this.#directory);
  }

  open(name: string): DiskFile {
    return new NodeDiskFile(fs.openSync(this.#path(name), 'r+'));
  }

  create(name: string): DiskFile {
    return new NodeDiskFile(fs.openSync(this.#path(name), 'w+', OWNER_ONLY));
  }

  rename(from: string, to: string): void {
    fs.renameSync(this.#path(from), this.#path(to));
  }

  link(from: string, to: string): void {
    linkFile(this.#path(from), this.#path(to));
  }

  unlink(name: string): void {
    fs.unlinkSync(this.#path(name));
  }

  syncDirectory(): void {
    if (this.#descriptor === undefined) syncDirectory(this.#directory);
    else fs.fsyncSync(this.#descriptor);
  }

  freeBytes(): number | undefined {
    return freeBytes(this.#directory);
  }

  /** Lets go of the directory where it is held; files have their own end. */
  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

class NodeDiskFile implements DiskFile {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  size(): number {
    return fs.fstatSync(this.#descriptor).size;
  }

  read(position: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const step = fs.readSync(
        this.#descriptor,
        bytes,
        filled,
        Math.min(length - filled, READ_STEP_BYTES),
        position + filled,
      );
      if (step === 0) break;
      filled += step;
    }
    return bytes.subarray(0, filled);
  }

  write(bytes: Uint8Array, position: number): number {
    return fs.writeSync(this.#descriptor, bytes, 0, bytes.length, position);
  }

  truncate(length: number): void {
    fs.ftruncateSync(this.#descriptor, length);
  }

  sync(): void {
    fs.fdatasyncSync(this.#descriptor);
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }
}
