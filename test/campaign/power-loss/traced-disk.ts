/**
 * What a power loss leaves of a data directory, worked out from the notes that `trace-writes.c` took of a process: changes
 * that were not synced survive sector by sector and name by name, in any combination (`SimulatedDisk`).
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DiskFile } from '../../../src/journal/disk.ts';
import { type CrashKind, SimulatedDisk } from '../../simulation/disk.ts';

const HEAD_BYTES = 21;

interface Note {
  readonly kind: string;
  readonly inode: bigint;
  readonly at: number;
  readonly bytes: Buffer;
}

export class TracedDisk {
  readonly #directories = new Map<string, SimulatedDisk>();
  readonly #pathOfDirectory = new Map<bigint, string>();
  readonly #files = new Map<bigint, DiskFile>();

  /** Everything that is there now counts as safe on the disk. */
  constructor(directories: readonly string[], seed: number) {
    for (const [index, path] of directories.entries()) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      const disk = new SimulatedDisk(seed + index);
      this.#directories.set(path, disk);
      this.#pathOfDirectory.set(inodeOf(path), path);
      for (const name of filesIn(path)) {
        const file = disk.create(name);
        const bytes = readFileSync(join(path, name));
        if (bytes.length > 0) file.write(bytes, 0);
        file.sync();
        this.#files.set(inodeOf(join(path, name)), file);
      }
      disk.syncDirectory();
    }
  }

  /** Goes through what a process did; returns how many changes there were. */
  follow(tracePath: string): number {
    let count = 0;
    for (const note of notesOf(readFileSync(tracePath))) {
      this.#apply(note);
      count += 1;
    }
    return count;
  }

  /** Puts into the directories what a power loss would have left there. */
  lose(kind: CrashKind): void {
    for (const [path, disk] of this.#directories) {
      const found = disk.crash(kind);
      for (const name of filesIn(path)) rmSync(join(path, name));
      for (const name of found.list()) writeFileSync(join(path, name), found.bytes(name), { mode: 0o600 });
    }
  }

  #apply({ kind, inode, at, bytes }: Note): void {
    const [from = '', to = ''] = 'CRLU'.includes(kind) ? bytes.toString('utf8').split('\0') : [];
    const disk = this.#directories.get(dirname(from));
    switch (kind) {
      case 'C':
        if (disk !== undefined) this.#files.set(inode, disk.create(basename(from)));
        return;
      case 'W':
        if (bytes.length > 0) this.#files.get(inode)?.write(bytes, at);
        return;
      case 'T':
        this.#files.get(inode)?.truncate(at);
        return;
      case 'S':
        this.#files.get(inode)?.sync();
        return;
      case 'D':
        this.#directories.get(this.#pathOfDirectory.get(inode) ?? '')?.syncDirectory();
        return;
      case 'R':
        disk?.rename(basename(from), basename(to));
        return;
      case 'L':
        disk?.link(basename(from), basename(to));
        return;
      case 'U':
        disk?.unlink(basename(from));
        return;
      default:
        throw new Error(`the trace has a note of kind ${JSON.stringify(kind)}`);
    }
  }
}

/** A process that was killed may leave half a note at the end. */
function* notesOf(trace: Buffer): Generator<Note> {
  for (let start = 0; start + HEAD_BYTES <= trace.length; ) {
    const length = trace.readUInt32LE(start + 17);
    const end = start + HEAD_BYTES + length;
    if (end > trace.length) return;
    yield {
      kind: String.fromCharCode(trace[start]!),
      inode: trace.readBigUInt64LE(start + 1),
      at: Number(trace.readBigUInt64LE(start + 9)),
      bytes: trace.subarray(start + HEAD_BYTES, end),
    };
    start = end;
  }
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true }).ino;
}
