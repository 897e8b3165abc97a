/**
 * The journal of a possibly running exchange, held for a copy: every file is open, so that one which the next
 * snapshot makes superfluous can be read to its end although its name is gone. Nothing in the exchange waits for it.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { segmentName, segmentNumbers, snapshotName, snapshotSeqs } from '../../journal/file-names.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import {
  decodeSegmentHeader,
  SEGMENT_FORMAT_VERSION,
  SEGMENT_HEAD_BYTES,
  type SegmentHeader,
} from '../../journal/segment-format.ts';
import { segmentUpTo } from '../../journal/segment-prefix.ts';
import { scanSegment } from '../../journal/segment-scan.ts';
import { CannotStart, DataDamaged } from '../exit-codes.ts';
import { type CopiedFile, copyOpened, type Progress, writeDurably } from './copying.ts';

/** When files vanish while the directory is read, it is read again. */
const READINGS_MAX = 20;

interface HeldSegment {
  readonly name: string;
  readonly number: number;
  readonly descriptor: number;
}

export class HeldJournal implements Disposable {
  readonly #directory: string;
  readonly #segments: HeldSegment[] = [];
  readonly #snapshots = new Map<number, number>();

  constructor(directory: string) {
    this.#directory = directory;
    for (let reading = 1; !this.#openAll(); reading++) {
      this.#closeAll();
      if (reading === READINGS_MAX)
        throw new CannotStart(`the files of ${directory} change faster than they can be opened: try again`);
    }
  }

  [Symbol.dispose](): void {
    this.#closeAll();
  }

  /** Sequence number of the last command in the newest snapshot; 0 without one. */
  get snapshotSeq(): number {
    return Math.max(0, ...this.#snapshots.keys());
  }

  get bytes(): number {
    const descriptors = [...this.#snapshots.values(), ...this.#segments.map(({ descriptor }) => descriptor)];
    return descriptors.reduce((sum, descriptor) => sum + fstatSync(descriptor).size, 0);
  }

  /** The last command that is completely on disk now. */
  lastSeq(): number {
    this.#follow();
    const last = this.#segments.at(-1)!;
    return scanSegment(readAll(last), headerOf(last)).lastSeq;
  }

  /** Copies the held snapshots and the commands up to `lastSeq`, as a journal that was closed there. */
  async copyTo(
    target: string,
    lastSeq: number,
    progress: Progress,
    copied: (name: string, file: CopiedFile) => void,
  ): Promise<void> {
    this.#follow();
    for (const [seq, descriptor] of this.#snapshots) {
      const name = snapshotName(seq);
      copied(name, await copyOpened(descriptor, join(target, name), progress));
    }
    const end = this.#segments.findLastIndex((segment) => headerOf(segment).firstSeq <= Math.max(1, lastSeq));
    for (const segment of this.#segments.slice(0, end)) {
      copied(segment.name, await copyOpened(segment.descriptor, join(target, segment.name), progress));
    }
    const last = this.#segments[end]!;
    const cut = segmentUpTo(readAll(last), headerOf(last), lastSeq);
    copied(last.name, writeDurably(join(target, last.name), cut));
    progress(cut.length);
  }

  /** False when a file vanished between listing and opening. */
  #openAll(): boolean {
    const names = new NodeDisk(this.#directory).list();
    try {
      for (const seq of snapshotSeqs(names)) this.#snapshots.set(seq, this.#open(snapshotName(seq)));
      for (const number of segmentNumbers(names)) this.#hold(number);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return false;
    }
    if (this.#segments.length === 0)
      throw new DataDamaged(`${this.#directory} holds no segment of a log: there is nothing to copy`);
    return this.#isUnbroken();
  }

  /** Opens the segments that were begun since. */
  #follow(): void {
    const known = this.#segments.at(-1)!.number;
    const names = new NodeDisk(this.#directory).list();
    for (const number of segmentNumbers(names)) if (number > known) this.#hold(number);
    if (!this.#isUnbroken())
      throw new CannotStart('the log was shortened twice while it was copied: make the backup again');
  }

  #hold(number: number): void {
    const name = segmentName(number);
    this.#segments.push({ name, number, descriptor: this.#open(name) });
  }

  #isUnbroken(): boolean {
    return this.#segments.every(({ number }, index) => number === this.#segments[0]!.number + index);
  }

  #open(name: string): number {
    return openSync(join(this.#directory, name), 'r');
  }

  #closeAll(): void {
    for (const { descriptor } of this.#segments) closeSync(descriptor);
    for (const descriptor of this.#snapshots.values()) closeSync(descriptor);
    this.#segments.length = 0;
    this.#snapshots.clear();
  }
}

function headerOf(segment: HeldSegment): SegmentHeader {
  const header = decodeSegmentHeader(read(segment, SEGMENT_HEAD_BYTES));
  if (header === undefined) throw new DataDamaged(`${segment.name}: the segment header is not intact`);
  if ('unknownVersion' in header)
    throw new DataDamaged(
      `${segment.name} has format version ${header.unknownVersion}, this program reads ${SEGMENT_FORMAT_VERSION}`,
    );
  return header;
}

function readAll(segment: HeldSegment): Uint8Array {
  return read(segment, fstatSync(segment.descriptor).size);
}

function read({ descriptor }: HeldSegment, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const step = readSync(descriptor, bytes, filled, length - filled, filled);
    if (step === 0) break;
    filled += step;
  }
  return bytes.subarray(0, filled);
}
