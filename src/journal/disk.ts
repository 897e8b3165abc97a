/**
 * One flat directory of files, with synchronous calls. The whole journal is written against it, so that the same code
 * runs on a real directory and on a simulated one that loses power.
 */
export interface Disk {
  list(): readonly string[];
  /** Opens an existing file for reading and writing. */
  open(name: string): DiskFile;
  /** Creates an empty file; an existing one is emptied. */
  create(name: string): DiskFile;
  rename(from: string, to: string): void;
  /** Gives the file a second name, or a copy where the file system has no hard links. */
  link(from: string, to: string): void;
  unlink(name: string): void;
  /** Makes creations, renames and removals durable. A file's own sync does not promise that. */
  syncDirectory(): void;
  /** Bytes that may still be written; undefined where the system does not provide it. */
  freeBytes(): number | undefined;
}

export interface DiskFile {
  size(): number;
  /** Fewer bytes than asked for only at the end of the file. */
  read(position: number, length: number): Uint8Array;
  /** Returns how much was written, which may be less than asked for: see writeFully. */
  write(bytes: Uint8Array, position: number): number;
  truncate(length: number): void;
  /** fdatasync: contents and length are on the disk when it returns. */
  sync(): void;
  close(): void;
}

/** A nearly full disk accepts a part of a write without an error and fails only the next one. */
export function writeFully(file: DiskFile, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    const step = file.write(bytes.subarray(written), position + written);
    if (step <= 0) throw new Error(`write of ${bytes.length} bytes stopped after ${written}`);
    written += step;
  }
}

export function readWhole(disk: Disk, name: string): Uint8Array {
  return withFile(disk.open(name), (file) => file.read(0, file.size()));
}

export function withFile<Result>(file: DiskFile, use: (file: DiskFile) => Result): Result {
  try {
    return use(file);
  } finally {
    file.close();
  }
}
