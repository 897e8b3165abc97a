import type { Disk, DiskFile } from '../../src/journal/disk.ts';

const SECTOR_BYTES = 512;

/** A small seeded generator (mulberry32), so that a failing run can be repeated from its seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface DiskFaults {
  /** Bytes the disk holds; unlimited when absent. */
  capacityBytes?: number;
  /** The n-th sync from now on fails, counted from 1, once. */
  failSyncAfter?: number;
  /** The n-th write from now on fails, counted from 1, once. */
  failWriteAfter?: number;
  /** Chance that a write takes only a part of its bytes. */
  shortWriteChance?: number;
  /** The power fails in the n-th change of the disk from now on, counted from 1; nothing works after it. */
  powerFailsAfter?: number;
}

export class PowerLoss extends Error {
  override readonly name = 'PowerLoss';
}

/** How a crash treats what was not synced. */
export type CrashKind = 'lose_all' | 'keep_all' | 'keep_some' | 'keep_prefix';

/** A file: what a reader sees now (the page cache), and what a power loss would leave. */
class Inode {
  seen = new Uint8Array(0);
  durable = new Uint8Array(0);
  /** Sectors written since the last sync, in order of writing. */
  dirty = new Set<number>();
  /** The bytes belong to other files too: whoever changes them takes his own first. */
  isShared = false;

  own(): void {
    if (!this.isShared) return;
    this.seen = this.seen.slice();
    this.durable = this.durable.slice();
    this.isShared = false;
  }

  resize(length: number): void {
    if (length === this.seen.length) return;
    this.own();
    const grown = new Uint8Array(length);
    grown.set(this.seen.subarray(0, length));
    this.seen = grown;
    this.dirty.add(Math.floor(Math.max(0, length - 1) / SECTOR_BYTES));
  }

  write(bytes: Uint8Array, position: number): void {
    this.own();
    if (position + bytes.length > this.seen.length) this.resize(position + bytes.length);
    this.seen.set(bytes, position);
    const last = Math.floor((position + bytes.length - 1) / SECTOR_BYTES);
    for (let sector = Math.floor(position / SECTOR_BYTES); sector <= last; sector += 1) {
      this.dirty.delete(sector);
      this.dirty.add(sector);
    }
  }

  sync(): void {
    this.#keep(this.dirty);
    this.dirty.clear();
  }

  /** What the disk holds after a crash that spared these of the dirty sectors. */
  afterCrash(spared: Iterable<number>): Inode {
    const survivor = new Inode();
    survivor.seen = this.seen;
    survivor.durable = this.durable.slice();
    survivor.#keep(spared);
    survivor.seen = survivor.durable.slice();
    return survivor;
  }

  #keep(sectors: Iterable<number>): void {
    const kept = [...sectors];
    if (kept.length === 0) return;
    this.own();
    const { durable, seen } = this;
    const length = this.#keptLength(kept);
    if (length !== durable.length) {
      this.durable = new Uint8Array(length);
      this.durable.set(durable.subarray(0, length));
    }
    for (const sector of kept) {
      const start = sector * SECTOR_BYTES;
      this.durable.set(seen.subarray(start, Math.min(start + SECTOR_BYTES, length)), start);
    }
  }

  /** Another file of the same bytes, all of them durable. */
  copy(): Inode {
    const copy = new Inode();
    copy.seen = this.seen;
    copy.durable = this.seen;
    copy.isShared = true;
    this.isShared = true;
    return copy;
  }

  /** A longer file reaches to its last kept sector; a shorter one is shorter as soon as its end is kept. */
  #keptLength(sectors: readonly number[]): number {
    const lastSector = Math.floor(Math.max(0, this.seen.length - 1) / SECTOR_BYTES);
    if (sectors.includes(lastSector)) return this.seen.length;
    const end = Math.min(this.seen.length, (Math.max(...sectors) + 1) * SECTOR_BYTES);
    return Math.max(end, this.durable.length);
  }
}

/** One change of the directory; a rename is atomic, as file systems promise. */
interface DirectoryChange {
  readonly remove?: string;
  readonly add?: { readonly name: string; readonly inode: Inode };
}

/**
 * A disk in memory that fails as disks do: writes that were not synced are lost or kept sector by sector at a crash,
 * directory entries that were not synced likewise, in any combination; a failed sync leaves pages that look clean and
 * are not on the disk; a full disk takes a part of a write. All of it follows from the seed.
 */
export class SimulatedDisk implements Disk {
  readonly faults: DiskFaults;
  readonly #random: () => number;
  #entries = new Map<string, Inode>();
  #durableEntries = new Map<string, Inode>();
  #changes: DirectoryChange[] = [];
  syncCount = 0;

  constructor(seed = 1, faults: DiskFaults = {}) {
    this.#random = seededRandom(seed);
    this.faults = faults;
  }

  // --- Disk ---

  list(): readonly string[] {
    return [...this.#entries.keys()].sort();
  }

  open(name: string): DiskFile {
    return new SimulatedFile(this, this.#inode(name));
  }

  create(name: string): DiskFile {
    const inode = new Inode();
    this.#change({ add: { name, inode } });
    return new SimulatedFile(this, inode);
  }

  rename(from: string, to: string): void {
    this.#change({ remove: from, add: { name: to, inode: this.#inode(from) } });
  }

  link(from: string, to: string): void {
    if (this.#entries.has(to)) throw systemError('EEXIST', to);
    this.#change({ add: { name: to, inode: this.#inode(from) } });
  }

  unlink(name: string): void {
    this.#inode(name);
    this.#change({ remove: name });
  }

  syncDirectory(): void {
    this.#spendPower();
    this.#durableEntries = new Map(this.#entries);
    this.#changes = [];
  }

  freeBytes(): number {
    return Math.max(0, (this.faults.capacityBytes ?? Infinity) - this.usedBytes);
  }

  // --- what the tests do to it ---

  /** The disk as it is found after a power loss. This one stays as it was. */
  crash(kind: CrashKind = 'keep_some', seed = Math.floor(this.#random() * 2 ** 32)): SimulatedDisk {
    const random = seededRandom(seed);
    const found = new SimulatedDisk(seed);
    const entries = new Map(this.#durableEntries);
    for (const change of survivors(this.#changes, kind, random)) apply(entries, change);
    const inodes = new Map<Inode, Inode>();
    for (const [name, inode] of entries) {
      if (!inodes.has(inode)) inodes.set(inode, inode.afterCrash(survivors([...inode.dirty], kind, random)));
      found.#entries.set(name, inodes.get(inode)!);
    }
    found.syncDirectory();
    return found;
  }

  /** An independent copy in which everything seen is durable: the start of a trial with damage. */
  copy(): SimulatedDisk {
    const copy = new SimulatedDisk(Math.floor(this.#random() * 2 ** 32));
    for (const name of this.list()) copy.#entries.set(name, this.#inode(name).copy());
    copy.syncDirectory();
    return copy;
  }

  bytes(name: string): Uint8Array {
    return this.#inode(name).seen.slice();
  }

  /** Files of the same names with the same bytes? */
  hasContentsOf(other: SimulatedDisk): boolean {
    const names = this.list();
    if (names.join('/') !== other.list().join('/')) return false;
    return names.every((name) => {
      const [seen, there] = [this.#inode(name).seen, other.#inode(name).seen];
      return seen === there || Buffer.compare(seen, there) === 0;
    });
  }

  /** Damage: replaces bytes both in the cache and on the disk. */
  overwrite(name: string, position: number, bytes: Uint8Array): void {
    const inode = this.#inode(name);
    inode.own();
    inode.seen.set(bytes, position);
    inode.durable.set(bytes.subarray(0, Math.max(0, inode.durable.length - position)), position);
  }

  flipBit(name: string, position: number, bit: number): void {
    this.overwrite(name, position, Uint8Array.of(this.#inode(name).seen[position]! ^ (1 << bit)));
  }

  /** A misdirected write: one block lands where another belongs. */
  copyBlock(name: string, from: number, to: number, length: number): void {
    this.overwrite(name, to, this.bytes(name).slice(from, from + length));
  }

  cut(name: string, length: number): void {
    const inode = this.#inode(name);
    inode.seen = inode.seen.slice(0, length);
    inode.durable = inode.durable.slice(0, length);
    inode.dirty.clear();
  }

  get usedBytes(): number {
    return [...new Set(this.#entries.values())].reduce((sum, inode) => sum + inode.seen.length, 0);
  }

  // --- what an open file asks ---

  write(inode: Inode, bytes: Uint8Array, position: number): number {
    if (this.#countDown('failWriteAfter')) throw systemError('EIO', 'write');
    const growth = Math.max(0, position + bytes.length - inode.seen.length);
    const missing = Math.max(0, growth - ((this.faults.capacityBytes ?? Infinity) - this.usedBytes));
    let length = bytes.length - missing;
    if (length <= 0) throw systemError('ENOSPC', 'write');
    if (length > 1 && this.#random() < (this.faults.shortWriteChance ?? 0)) {
      length = 1 + Math.floor(this.#random() * (length - 1));
    }
    inode.write(bytes.subarray(0, length), position);
    this.#spendPower();
    return length;
  }

  truncate(inode: Inode, length: number): void {
    inode.resize(length);
    this.#spendPower();
  }

  sync(inode: Inode): void {
    this.#spendPower();
    this.syncCount += 1;
    if (this.#countDown('failSyncAfter')) {
      // The kernel reports the error once and takes the pages for clean from then on.
      inode.dirty.clear();
      throw systemError('EIO', 'fdatasync');
    }
    inode.sync();
  }

  #countDown(fault: 'failSyncAfter' | 'failWriteAfter'): boolean {
    const left = this.faults[fault];
    if (left === undefined) return false;
    if (left > 1) this.faults[fault] = left - 1;
    else delete this.faults[fault];
    return left <= 1;
  }

  #inode(name: string): Inode {
    const inode = this.#entries.get(name);
    if (inode === undefined) throw systemError('ENOENT', name);
    return inode;
  }

  #change(change: DirectoryChange): void {
    apply(this.#entries, change);
    this.#changes.push(change);
    this.#spendPower();
  }

  /** Writes and changes of names have happened in the cache when the power goes; a sync has not. */
  #spendPower(): void {
    const left = this.faults.powerFailsAfter;
    if (left === undefined) return;
    this.faults.powerFailsAfter = Math.max(0, left - 1);
    if (left <= 1) throw new PowerLoss();
  }
}

class SimulatedFile implements DiskFile {
  readonly #disk: SimulatedDisk;
  readonly #inode: Inode;
  #isOpen = true;

  constructor(disk: SimulatedDisk, inode: Inode) {
    this.#disk = disk;
    this.#inode = inode;
  }

  size(): number {
    return this.#opened().seen.length;
  }

  read(position: number, length: number): Uint8Array {
    return this.#opened().seen.slice(position, position + length);
  }

  write(bytes: Uint8Array, position: number): number {
    return this.#disk.write(this.#opened(), bytes, position);
  }

  truncate(length: number): void {
    this.#disk.truncate(this.#opened(), length);
  }

  sync(): void {
    this.#disk.sync(this.#opened());
  }

  close(): void {
    this.#opened();
    this.#isOpen = false;
  }

  #opened(): Inode {
    if (!this.#isOpen) throw systemError('EBADF', 'file');
    return this.#inode;
  }
}

function survivors<Item>(items: readonly Item[], kind: CrashKind, random: () => number): readonly Item[] {
  switch (kind) {
    case 'lose_all':
      return [];
    case 'keep_all':
      return items;
    case 'keep_prefix':
      return items.slice(0, Math.floor(random() * (items.length + 1)));
    case 'keep_some':
      return items.filter(() => random() < 0.5);
  }
}

function apply(entries: Map<string, Inode>, change: DirectoryChange): void {
  if (change.remove !== undefined) entries.delete(change.remove);
  if (change.add !== undefined) entries.set(change.add.name, change.add.inode);
}

function systemError(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what} (simulated)`), { code });
}
