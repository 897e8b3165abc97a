import { isShortage } from '../storage/shortage-errors.ts';
import { type Disk, type DiskFile, writeFully } from './disk.ts';
import { isReserve, reserveName, unfinishedName } from './file-names.ts';
import type { JournalSettings } from './journal-settings.ts';

/** Kept open: the change to this segment must not fail for want of a descriptor. */
export interface ReservedFile {
  readonly name: string;
  readonly file: DiskFile;
}

interface Filling extends ReservedFile {
  filledBytes: number;
}

/**
 * Zeroed files of full length, ready to become segments. Space is allocated here and nowhere else: a commit writes
 * only into existing space, and its sync has no metadata to write.
 */
export class SegmentPreallocator {
  readonly #disk: Disk;
  readonly #settings: JournalSettings;
  readonly #zeros: Uint8Array;
  readonly #ready: ReservedFile[] = [];
  #filling: Filling | undefined;
  #starved = false;

  constructor(disk: Disk, settings: JournalSettings) {
    this.#disk = disk;
    this.#settings = settings;
    this.#zeros = new Uint8Array(settings.prepareStepBytes);
    this.#adoptFromEarlierRun();
  }

  get readyCount(): number {
    return this.#ready.length;
  }

  /** Whether the last attempt found no space on the disk, or no descriptor. */
  get starved(): boolean {
    return this.#starved;
  }

  get complete(): boolean {
    return this.#ready.length >= this.#settings.reserveSegments;
  }

  /** One step of zeros. A shortage is no error here: the next call tries again. */
  advance(): void {
    if (this.complete) return;
    const { spareBytes } = this.#settings;
    const free = this.#disk.freeBytes();
    this.#starved = free !== undefined && free < this.#zeros.length + spareBytes;
    if (this.#starved) return;
    try {
      this.#fillStep('step by step');
    } catch (error) {
      if (!isShortage(error)) throw error;
      this.#starved = true;
    }
  }

  /** A file of full length; creates one when none is ready. */
  take(): ReservedFile {
    try {
      while (this.#ready.length === 0) this.#fillStep('at the end');
    } catch (error) {
      this.#discardFilling();
      throw error;
    }
    return this.#ready.shift()!;
  }

  close(): void {
    this.#filling?.file.close();
    this.#filling = undefined;
    for (const { file } of this.#ready.splice(0)) file.close();
  }

  /** A file that cannot be completed must not occupy space that is needed elsewhere. */
  #discardFilling(): void {
    if (this.#filling === undefined) return;
    this.#filling.file.close();
    this.#disk.unlink(unfinishedName(this.#filling.name));
    this.#filling = undefined;
  }

  /** Synced step by step while others commit: one sync of a whole segment would delay them. */
  #fillStep(synced: 'step by step' | 'at the end'): void {
    this.#filling ??= this.#begin();
    const { file, filledBytes, name } = this.#filling;
    const step = Math.min(this.#zeros.length, this.#settings.segmentBytes - filledBytes);
    writeFully(file, this.#zeros.subarray(0, step), filledBytes);
    this.#filling.filledBytes += step;
    const isFull = this.#filling.filledBytes === this.#settings.segmentBytes;
    if (isFull || synced === 'step by step') file.sync();
    if (!isFull) return;
    this.#filling = undefined;
    this.#disk.rename(unfinishedName(name), name);
    this.#ready.push({ name, file });
  }

  #begin(): Filling {
    const taken = new Set(this.#ready.map(({ name }) => name));
    let index = 1;
    while (taken.has(reserveName(index))) index += 1;
    const name = reserveName(index);
    return { name, file: this.#disk.create(unfinishedName(name)), filledBytes: 0 };
  }

  #adoptFromEarlierRun(): void {
    for (const name of this.#disk.list().filter(isReserve)) {
      const file = this.#disk.open(name);
      if (file.size() === this.#settings.segmentBytes && !this.complete) {
        this.#ready.push({ name, file });
        continue;
      }
      file.close();
      this.#disk.unlink(name);
    }
  }
}
