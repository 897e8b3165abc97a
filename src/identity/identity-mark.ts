/**
 * Id and change count of the last store, kept outside the store: they distinguish a lost or older `identity.sqlite`
 * from the last one. They are written after each change is on disk, so a crash leaves them behind the store and never
 * ahead of it. Journal and snapshots hold them too (`app/start/identity-marks.ts`): `identity.mark` can be lost, or
 * put back together with the store, and is written anew then.
 * Two places are written in turn, in sectors of their own: a torn write leaves the one before it.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { replaceFile } from '../storage/durable-file.ts';

export const IDENTITY_MARK_FILE = 'identity.mark';

export interface Mark {
  readonly store: string;
  readonly changes: number;
}

const PLACE_BYTES = 512;
const PLACES = 2;
const LINE = /^(bourse-identity ([0-9a-f]{16}) (\d{16})) ([0-9a-f]{16})\n/;

const MARK_BYTES = 16;
const CHANGES_AT = 8;

/** As the note of a snapshot. */
export function markToBytes({ store, changes }: Mark): Uint8Array {
  const bytes = Buffer.alloc(MARK_BYTES);
  bytes.write(store, 'hex');
  bytes.writeBigUInt64LE(BigInt(changes), CHANGES_AT);
  return bytes;
}

/** Undefined for zeros, which snapshots of older programs have. */
export function markFromBytes(note: Uint8Array): Mark | undefined {
  if (note.every((byte) => byte === 0)) return undefined;
  const bytes = Buffer.from(note);
  const store = bytes.toString('hex', 0, CHANGES_AT);
  return { store, changes: Number(bytes.readBigUInt64LE(CHANGES_AT)) };
}

export class IdentityMark {
  readonly #fd: number;
  #changes: number;

  /** Replaces the mark, whatever it was. */
  constructor(path: string, mark: Mark) {
    const found = readMark(path);
    if (found?.store !== mark.store || found.changes !== mark.changes) {
      replaceFile(path, place(mark) + place(mark));
    }
    this.#fd = openSync(path, 'r+');
    this.#changes = mark.changes;
  }

  /** Returns when it is on the disk. */
  write(mark: Mark): void {
    if (mark.changes === this.#changes) return;
    try {
      writeSync(this.#fd, place(mark), (mark.changes % PLACES) * PLACE_BYTES);
      fdatasyncSync(this.#fd);
      this.#changes = mark.changes;
    } catch {
      // The change itself is stored. The mark may lag: the next change or the next start updates it.
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** The later of the two places; undefined when neither is there or whole. */
export function readMark(path: string): Mark | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'latin1');
  const places = Array.from({ length: PLACES }, (_, index) => readPlace(text.slice(index * PLACE_BYTES)));
  return places.filter((mark) => mark !== undefined).sort((a, b) => b.changes - a.changes)[0];
}

function place({ store, changes }: Mark): string {
  const said = `bourse-identity ${store} ${String(changes).padStart(16, '0')}`;
  return `${said} ${checksum(said)}\n`.padEnd(PLACE_BYTES, '\0');
}

function readPlace(text: string): Mark | undefined {
  const [, said, store, changes, sum] = LINE.exec(text) ?? [];
  if (said === undefined || checksum(said) !== sum) return undefined;
  return { store: store!, changes: Number(changes) };
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
