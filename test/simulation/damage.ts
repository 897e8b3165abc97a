/** Ways to hurt a log directory that is at rest. */
import { type Disk, readWhole } from '../../src/journal/disk.ts';
import { segmentName } from '../../src/journal/file-names.ts';
import { readSegmentHeaders } from '../../src/journal/segment-files.ts';
import { scanSegment } from '../../src/journal/segment-scan.ts';
import type { SimulatedDisk } from './disk.ts';

const SECTOR_BYTES = 512;
const HEADS_BYTES = 1600;
const GARBAGE_BYTES_MAX = 700;

export type Damage = 'bit flip' | 'zeroed sector' | 'misdirected block';
const DAMAGES: readonly Damage[] = ['bit flip', 'bit flip', 'zeroed sector', 'misdirected block'];

/** One fault somewhere in the segments and snapshots; says which. */
export function damageSomewhere(disk: SimulatedDisk, random: () => number): Damage {
  const names = disk.list().filter((name) => /^(segment|snapshot)-\d+(\.log)?$/.test(name));
  const name = names[Math.floor(random() * names.length)]!;
  const { length } = disk.bytes(name);
  const damage = DAMAGES[Math.floor(random() * DAMAGES.length)]!;
  // Half of the faults hit what is in use: heads are small beside the rest, and segments are mostly empty.
  const reach = random() < 0.3 ? Math.min(length, HEADS_BYTES) : usedLength(disk.bytes(name));
  const position = Math.floor(random() * reach);
  if (damage === 'bit flip') {
    disk.flipBit(name, position, Math.floor(random() * 8));
  } else {
    const sector = position - (position % SECTOR_BYTES);
    const size = Math.min(SECTOR_BYTES, length - sector);
    if (damage === 'zeroed sector') disk.overwrite(name, sector, new Uint8Array(size));
    else
      disk.copyBlock(name, Math.max(0, sector - SECTOR_BYTES * (1 + Math.floor(random() * 4))), sector, size);
  }
  return damage;
}

function usedLength(bytes: Uint8Array): number {
  return Math.max(1, bytes.findLastIndex((byte) => byte !== 0) + 1);
}

export interface TornTail {
  readonly name: string;
  readonly position: number;
  readonly bytes: Uint8Array;
}

/** A batch that was being written when the process died: bytes that mean nothing, after the last whole batch. */
export function tornTail(disk: Disk, random: () => number): TornTail | undefined {
  const last = readSegmentHeaders(disk).at(-1);
  if (last === undefined) return undefined;
  const name = segmentName(last.segment);
  const bytes = readWhole(disk, name);
  const { endOffset: position } = scanSegment(bytes, last);
  const length = Math.min(bytes.length - position, 1 + Math.floor(random() * GARBAGE_BYTES_MAX));
  if (length <= 0) return undefined;
  // Sometimes the bytes before it once more, up to where the writing stopped: old data in a new place.
  if (random() < 0.5) return { name, position, bytes: bytes.slice(position - length, position) };
  return { name, position, bytes: new Uint8Array(length).map(() => Math.floor(random() * 256)) };
}
