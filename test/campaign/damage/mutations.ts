/** What can happen to a data directory: one change of one file. */
import * as fs from 'node:fs';
import { join } from 'node:path';

export interface Mutation {
  readonly file: string;
  /** In words, with numbers: enough to repeat it by hand. */
  readonly what: string;
}

type Rng = () => number;
interface Place {
  readonly data: string;
  readonly older: string;
  readonly file: string;
  readonly dice: Rng;
}

const BLOCK = 4096;

/** Each changes the file and says how; undefined where it does not apply. */
const MUTATIONS: readonly ((place: Place) => string | undefined)[] = [
  flipBits,
  flipBits,
  zeroBlock,
  truncate,
  swapBlocks,
  duplicateBlock,
  remove,
  empty,
  makeOlder,
  makeFamilyOlder,
  appendJunk,
];

const JUNK_NAMES = [
  'junk',
  'core.1234',
  'identity.sqlite-journal',
  'identity.sqlite-wal',
  'history.sqlite-wal',
  'history-generated.sqlite-journal',
  'history-generated.sqlite.tmp',
  'operator.token.tmp',
  'identity.key.tmp',
  'log/junk',
  'log/lock.db',
  'log/lock.db-journal',
  'log/segment-99999999.log',
  'log/snapshot-0000000000999999',
  'log/snapshot-0000000000000001.tmp',
  'log/reserve-7',
];

/** Files of one kind count as one, so that keys are hit as often as segments. */
export function mutate(data: string, older: string, dice: Rng): Mutation {
  if (dice() < 0.06) return addJunkFile(data, dice);
  for (;;) {
    const kinds = [...Map.groupBy(filesIn(data), kindOf).values()];
    const file = pick(pick(kinds, dice), dice);
    const what = pick(MUTATIONS, dice)({ data, older, file, dice });
    if (what !== undefined) return { file, what };
  }
}

function filesIn(directory: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

function kindOf(file: string): string {
  return file.replace(/\d{3,}/, 'N').replace(/reserve-\d/, 'reserve');
}

function pick<Item>(items: readonly Item[], dice: Rng): Item {
  return items[Math.floor(dice() * items.length)]!;
}

/** Calls `change` with the contents, which it may change in place or replace. */
function edit({ data, file }: Place, change: (bytes: Buffer) => Buffer | undefined): boolean {
  const path = join(data, file);
  const bytes = fs.readFileSync(path);
  if (bytes.length === 0) return false;
  const before = Buffer.from(bytes);
  const changed = change(bytes) ?? bytes;
  if (changed.equals(before)) return false;
  fs.writeFileSync(path, changed);
  return true;
}

function flipBits(place: Place): string | undefined {
  const { dice } = place;
  const count = dice() < 0.7 ? 1 : 1 + Math.floor(dice() * 8);
  const positions: string[] = [];
  const done = edit(place, (bytes) => {
    const used = usedLength(bytes);
    for (let n = 0; n < count; n += 1) {
      // Most of a segment is zeros that wait to be written.
      const position = Math.floor(dice() * (dice() < 0.8 ? used : bytes.length));
      const bit = Math.floor(dice() * 8);
      bytes[position]! ^= 1 << bit;
      positions.push(`${position}.${bit}`);
    }
    return undefined;
  });
  return done ? `flip bits ${positions.join(' ')}` : undefined;
}

function usedLength(bytes: Buffer): number {
  let used = bytes.length;
  while (used > 1 && bytes[used - 1] === 0) used -= 1;
  return used;
}

function zeroBlock(place: Place): string | undefined {
  const { dice } = place;
  const size = dice() < 0.5 ? 512 : BLOCK;
  let at = 0;
  const done = edit(place, (bytes) => {
    at = Math.floor((dice() * usedLength(bytes)) / size) * size;
    bytes.fill(0, at, Math.min(at + size, bytes.length));
    return undefined;
  });
  return done ? `zero ${size} bytes at ${at}` : undefined;
}

function truncate(place: Place): string | undefined {
  let length = 0;
  const done = edit(place, (bytes) => {
    length = Math.floor(place.dice() * bytes.length);
    if (place.dice() < 0.5) length -= length % BLOCK;
    return bytes.subarray(0, length);
  });
  return done ? `truncate to ${length}` : undefined;
}

function swapBlocks(place: Place): string | undefined {
  return moveBlocks(place, (bytes, a, b) => {
    const kept = Buffer.from(bytes.subarray(a, a + BLOCK));
    bytes.copy(bytes, a, b, b + BLOCK);
    kept.copy(bytes, b);
    return `swap the blocks at ${a} and ${b}`;
  });
}

function duplicateBlock(place: Place): string | undefined {
  return moveBlocks(place, (bytes, a, b) => {
    bytes.copy(bytes, b, a, a + BLOCK);
    return `copy the block at ${a} over that at ${b}`;
  });
}

function moveBlocks(place: Place, move: (bytes: Buffer, a: number, b: number) => string): string | undefined {
  let what: string | undefined;
  const done = edit(place, (bytes) => {
    const blocks = Math.floor(bytes.length / BLOCK);
    if (blocks < 2) return undefined;
    const at = () => Math.floor(place.dice() * blocks) * BLOCK;
    what = move(bytes, at(), at());
    return undefined;
  });
  return done ? what : undefined;
}

function remove({ data, file }: Place): string {
  fs.rmSync(join(data, file));
  return 'delete';
}

function empty(place: Place): string | undefined {
  return edit(place, () => Buffer.alloc(0)) ? 'empty' : undefined;
}

function makeOlder({ data, older, file }: Omit<Place, 'dice'>): string | undefined {
  const earlier = join(older, file);
  if (!fs.existsSync(earlier) || fs.readFileSync(earlier).equals(fs.readFileSync(join(data, file))))
    return undefined;
  fs.copyFileSync(earlier, join(data, file));
  return 'put an older copy';
}

/** With the files of its name: a store and its mark, a database and its log. */
function makeFamilyOlder({ data, older, file }: Place): string | undefined {
  const [stem] = file.split('.');
  const family = filesIn(data).filter((each) => each.startsWith(`${stem}.`));
  const changed = family.filter((each) => makeOlder({ data, older, file: each }) !== undefined);
  return changed.length > 0 ? `put older copies of ${changed.join(' ')}` : undefined;
}

function appendJunk(place: Place): string | undefined {
  const length = 1 + Math.floor(place.dice() * 5000);
  return edit(place, (bytes) => Buffer.concat([bytes, junk(length, place.dice)]))
    ? `append ${length} bytes`
    : undefined;
}

function addJunkFile(data: string, dice: Rng): Mutation {
  const file = pick(JUNK_NAMES, dice);
  fs.writeFileSync(join(data, file), junk(1 + Math.floor(dice() * 9000), dice), { mode: 0o600 });
  return { file, what: 'a junk file' };
}

function junk(length: number, dice: Rng): Buffer {
  return Buffer.from(Array.from({ length }, () => Math.floor(dice() * 256)));
}
