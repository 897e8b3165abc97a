/**
 * Client ids of open orders, as bytes in pages: a million strings are a million objects for the garbage collector to visit,
 * and most clients name every order. An order is found by a hash of its owner and its id; orders of one hash are chained.
 */
import { IdIndex } from './id-index.ts';
import { slotNumber } from './order-columns.ts';
import { RecordPages } from './record-pages.ts';

const NIL = -1;
const PAGE_BITS = 12;
const PAGE_MASK = (1 << PAGE_BITS) - 1;
/** Of an order: where its id is, 0 for none, and the next order of the same hash. */
const ROW = 2;
const PLACE = 0;
const NEXT = 1;

/** Bytes of a record: its length, then the characters. The last kind is text that fits into none. */
const SIZES = [16, 32, 64] as const;
const KINDS = SIZES.length + 1;
const TEXT = SIZES.length;
const CODE_MAX = 255;

export class ClientIds {
  size = 0;
  private readonly rows: Int32Array[] = [];
  private readonly index = new IdIndex();
  private readonly records = SIZES.map((size) => new RecordPages(size));
  /** Longer ids, and those of other alphabets. */
  private readonly texts = new Map<number, string>();
  private readonly hashOf: (owner: number, clientOid: string) => number;

  /** Another hash is for tests: good ones hardly ever meet. */
  constructor(hashOf = hash52) {
    this.hashOf = hashOf;
  }

  has(slot: number): boolean {
    return this.placeOf(slot) !== 0;
  }

  get(slot: number): string | undefined {
    const place = this.placeOf(slot);
    if (place === 0) return undefined;
    const kind = place % KINDS;
    return kind === TEXT ? this.texts.get(slot)! : this.records[kind]!.text(Math.floor(place / KINDS) - 1);
  }

  /** The order has no id yet, its owner no other order of this id. */
  set(slot: number, owner: number, clientOid: string): void {
    const hash = this.hashOf(owner, clientOid);
    const first = this.index.get(hash);
    if (first === NIL) this.index.set(hash, slot);
    else this.index.replace(hash, slot);
    const number = slotNumber(slot);
    const row = this.rows[number >> PAGE_BITS] ?? this.openPage(number >> PAGE_BITS);
    const at = (number & PAGE_MASK) * ROW;
    row[at + PLACE] = this.store(slot, clientOid);
    row[at + NEXT] = first;
    this.size++;
  }

  delete(slot: number, owner: number): void {
    const place = this.placeOf(slot);
    if (place === 0) return;
    this.unchain(slot, this.hashOf(owner, this.get(slot)!));
    const kind = place % KINDS;
    if (kind === TEXT) this.texts.delete(slot);
    else this.records[kind]!.free(Math.floor(place / KINDS) - 1);
    const number = slotNumber(slot);
    this.rows[number >> PAGE_BITS]![(number & PAGE_MASK) * ROW + PLACE] = 0;
    this.size--;
  }

  /** The open order of that owner and id; -1 when there is none. `owners` is the slab's column. */
  find(owner: number, clientOid: string, owners: Int32Array): number {
    if (this.size === 0) return NIL;
    let slot = this.index.get(this.hashOf(owner, clientOid));
    while (slot !== NIL && !(owners[slot] === owner && this.is(slot, clientOid))) slot = this.nextOf(slot);
    return slot;
  }

  private is(slot: number, clientOid: string): boolean {
    const place = this.placeOf(slot);
    const kind = place % KINDS;
    return kind === TEXT
      ? this.texts.get(slot) === clientOid
      : this.records[kind]!.is(Math.floor(place / KINDS) - 1, clientOid);
  }

  private store(slot: number, clientOid: string): number {
    const kind = kindOf(clientOid);
    if (kind !== TEXT) return (this.records[kind]!.add(clientOid) + 1) * KINDS + kind;
    this.texts.set(slot, clientOid);
    return KINDS + TEXT;
  }

  private unchain(slot: number, hash: number): void {
    const next = this.nextOf(slot);
    const first = this.index.get(hash);
    if (first === slot) {
      if (next === NIL) this.index.delete(hash);
      else this.index.replace(hash, next);
      return;
    }
    let before = first;
    while (this.nextOf(before) !== slot) before = this.nextOf(before);
    const number = slotNumber(before);
    this.rows[number >> PAGE_BITS]![(number & PAGE_MASK) * ROW + NEXT] = next;
  }

  private placeOf(slot: number): number {
    const number = slotNumber(slot);
    return this.rows[number >> PAGE_BITS]?.[(number & PAGE_MASK) * ROW + PLACE] ?? 0;
  }

  private nextOf(slot: number): number {
    const number = slotNumber(slot);
    return this.rows[number >> PAGE_BITS]![(number & PAGE_MASK) * ROW + NEXT]!;
  }

  private openPage(number: number): Int32Array {
    while (this.rows.length <= number) this.rows.push(new Int32Array((PAGE_MASK + 1) * ROW));
    return this.rows[number]!;
  }
}

function kindOf(clientOid: string): number {
  for (let n = 0; n < clientOid.length; n++) if (clientOid.charCodeAt(n) > CODE_MAX) return TEXT;
  const kind = SIZES.findIndex((size) => clientOid.length < size);
  return kind === -1 ? TEXT : kind;
}

/** 52 bits of two products, never 0, which the index takes for an empty place. */
function hash52(owner: number, clientOid: string): number {
  let a = Math.imul(owner + 1, 0x9e3779b1);
  let b = Math.imul(owner + 1, 0x85ebca6b);
  for (let n = 0; n < clientOid.length; n++) {
    const code = clientOid.charCodeAt(n);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul((b << 7) ^ (b >>> 25) ^ code, 0xcc9e2d51);
  }
  a ^= a >>> 15;
  return (a >>> 0) * 2 ** 20 + (b >>> 12) || 1;
}
