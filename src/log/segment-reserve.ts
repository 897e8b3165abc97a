import { type Disk, type DiskFile, isOutOfSpace, withFile, writeFully } from './disk.ts';
import { isReserve, reserveName, unfinishedName } from './file-names.ts';
import type { LogSettings } from './log-settings.ts';

interface Filling {
  readonly name: string;
  readonly file: DiskFile;
  filledBytes: number;
}

/**
 * Zeroed files of full length, ready to become segments. Space is taken from the file system here and nowhere else:
 * a commit writes only into space that exists, and its sync has no metadata to carry.
 */
export class SegmentReserve {
  readonly #disk: Disk;
  readonly #settings: LogSettings;
  readonly #zeros: Uint8Array;
  readonly #ready: string[] = [];
  #filling: Filling | undefined;
  #starved = false;

  constructor(disk: Disk, settings: LogSettings) {
    this.#disk = disk;
    this.#settings = settings;
    this.#zeros = new Uint8Array(settings.prepareStepBytes);
    this.#adoptFromEarlierRun();
  }

  get readyCount(): number {
    return this.#ready.length;
  }

  /** Whether the last attempt found no space on the disk. */
  get starved(): boolean {
    return this.#starved;
  }

  get complete(): boolean {
    return this.#ready.length >= this.#settings.reserveSegments;
  }

  /** One step of zeros. A full disk is no error here: it is tried again with the next call. */
  advance(): void {
    if (this.complete) return;
    try {
      this.#fillStep();
      this.#starved = false;
    } catch (error) {
      if (!isOutOfSpace(error)) throw error;
      this.#starved = true;
    }
  }

  /** The name of a full-length file; makes one on the spot when none is ready. */
  take(): string {
    while (this.#ready.length === 0) this.#fillStep();
    return this.#ready.shift()!;
  }

  close(): void {
    this.#filling?.file.close();
    this.#filling = undefined;
  }

  #fillStep(): void {
    this.#filling ??= this.#begin();
    const { file, filledBytes, name } = this.#filling;
    const step = Math.min(this.#zeros.length, this.#settings.segmentBytes - filledBytes);
    writeFully(file, this.#zeros.subarray(0, step), filledBytes);
    // Synced step by step: one sync of a whole segment would hold up the commits behind it.
    file.sync();
    this.#filling.filledBytes += step;
    if (this.#filling.filledBytes < this.#settings.segmentBytes) return;
    file.close();
    this.#filling = undefined;
    this.#disk.rename(unfinishedName(name), name);
    this.#ready.push(name);
  }

  #begin(): Filling {
    const taken = new Set(this.#ready);
    let index = 1;
    while (taken.has(reserveName(index))) index += 1;
    const name = reserveName(index);
    return { name, file: this.#disk.create(unfinishedName(name)), filledBytes: 0 };
  }

  #adoptFromEarlierRun(): void {
    for (const name of this.#disk.list().filter(isReserve)) {
      const size = withFile(this.#disk.open(name), (file) => file.size());
      if (size === this.#settings.segmentBytes && !this.complete) this.#ready.push(name);
      else this.#disk.unlink(name);
    }
  }
}
