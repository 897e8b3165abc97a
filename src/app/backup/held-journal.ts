/**
 * The log of an exchange that may be running, held for a copy: every file is open, so that one which the next snapshot
 * makes superfluous can be read to its end although its name is gone. Nothing in the exchange waits for it.
 *
 * What is held is unbroken from the opening on: the numbers of the segments have no gap, and the first segment begins at
 * command 1 or continues every snapshot held. Segments are added at the end and nothing is let go.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { segmentName, segmentNumbers, snapshotName, snapshotSeqs } from '../../journal/file-names.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { continues } from '../../journal/segment-files.ts';
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

/** Files that come and go while the directory is read are met by reading it again. */
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
    try {
      this.#openUnbroken();
    } catch (error) {
      this.#closeAll();
      throw error;
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

  /** Opens the segments that were begun since, one after the other, before a snapshot makes them superfluous, too. */
  keepUp(): void {
    let next = this.#segments.at(-1)!.number + 1;
    while (this.#hold(next)) next++;
  }

  /** Holds every segment begun up to now, or throws when one has gone before it could be held. */
  catchUp(): void {
    const newest = segmentNumbers(new NodeDisk(this.#directory).list()).at(-1) ?? 0;
    this.keepUp();
    const held = this.#segments.at(-1)!.number;
    if (held >= newest) return;
    throw new CannotStart(
      `${segmentName(held + 1)} came and went while the log was copied: make the backup again`,
    );
  }

  /** The last command that is whole on disk now. */
  lastSeq(): number {
    this.catchUp();
    const last = this.#segments.at(-1)!;
    return scanSegment(readAll(last), headerOf(last)).lastSeq;
  }

  /**
   * Copies the snapshots held and the commands up to `lastSeq`, as a log that was closed there. That command must have
   * been on disk at the last `catchUp`.
   */
  async copyTo(
    target: string,
    lastSeq: number,
    progress: Progress,
    copied: (name: string, file: CopiedFile) => void,
  ): Promise<void> {
    for (const [seq, descriptor] of this.#snapshots) {
      const name = snapshotName(seq);
      copied(name, await copyOpened(descriptor, join(target, name), progress));
    }
    const end = this.#segments.findLastIndex((segment) => continues(headerOf(segment), lastSeq));
    for (const segment of this.#segments.slice(0, end)) {
      copied(segment.name, await copyOpened(segment.descriptor, join(target, segment.name), progress));
    }
    const last = this.#segments[end];
    if (last === undefined)
      throw new DataDamaged(
        `${this.#segments[0]!.name} begins after command ${lastSeq}, the end of the copy`,
      );
    const cut = segmentUpTo(readAll(last), headerOf(last), lastSeq);
    copied(last.name, writeDurably(join(target, last.name), cut));
    progress(cut.length);
  }

  /** A directory that is broken and does not change is damaged; one that changes is read again. */
  #openUnbroken(): void {
    let before = '';
    for (let reading = 1; reading <= READINGS_MAX; reading++) {
      const names = new NodeDisk(this.#directory).list();
      const broken = this.#openAll(names) ? this.#broken() : 'a file has gone since the listing';
      if (broken === undefined) {
        this.#letGoOfLeftSnapshots();
        return;
      }
      this.#closeAll();
      const listing = names.join();
      if (listing === before) throw new DataDamaged(`${this.#directory}: ${broken}`);
      before = listing;
    }
    throw new CannotStart(`the files of ${this.#directory} change faster than they can be opened: try again`);
  }

  /**
   * False when a file has gone between the list and its opening. Snapshots come first: one that is still there after the
   * listing had its segments all the while, so they are listed, however many steps the listing took.
   */
  #openAll(names: readonly string[]): boolean {
    for (const seq of snapshotSeqs(names)) {
      const descriptor = this.#open(snapshotName(seq));
      if (descriptor === undefined) return false;
      this.#snapshots.set(seq, descriptor);
    }
    return segmentNumbers(names).every((number) => this.#hold(number));
  }

  /** In words what keeps the files held from being one log. */
  #broken(): string | undefined {
    const first = this.#segments[0];
    if (first === undefined) return 'there is no segment of a log, nothing to copy';
    const missing = this.#missingSegment();
    if (missing !== undefined) return `${segmentName(missing)} is missing`;
    const header = headerOf(first);
    if (continues(header, this.snapshotSeq)) return undefined;
    return `commands ${this.snapshotSeq + 1} to ${header.firstSeq - 1} are neither in a segment nor in a snapshot`;
  }

  /** Older programs removed the segments behind a snapshot before the snapshot itself, and may have ended in between. */
  #letGoOfLeftSnapshots(): void {
    const header = headerOf(this.#segments[0]!);
    for (const [seq, descriptor] of this.#snapshots) {
      if (continues(header, seq)) continue;
      closeSync(descriptor);
      this.#snapshots.delete(seq);
    }
  }

  #missingSegment(): number | undefined {
    const first = this.#segments[0]!.number;
    const at = this.#segments.findIndex(({ number }, index) => number !== first + index);
    return at === -1 ? undefined : first + at;
  }

  /** False when the file has gone. */
  #hold(number: number): boolean {
    const name = segmentName(number);
    const descriptor = this.#open(name);
    if (descriptor === undefined) return false;
    this.#segments.push({ name, number, descriptor });
    return true;
  }

  #open(name: string): number | undefined {
    try {
      return openSync(join(this.#directory, name), 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return undefined;
    }
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
