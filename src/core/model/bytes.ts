/**
 * Little-endian binary fields. One description of a record serves both directions: a `ByteWriter` writes the value it
 * is given and returns it, a `ByteReader` ignores it and returns what it reads, so the two cannot drift apart.
 */
export interface Fields {
  u8(value: number): number;
  u16(value: number): number;
  i32(value: number): number;
  /** Integers up to 2^53, and times. */
  f64(value: number): number;
  money(value: bigint): bigint;
  text(value: string): string;
  flag(value: boolean): boolean;
  /** The number of an account. A writer may give accounts other numbers (`snapshot/renumber.ts`). */
  uid(value: number): number;
  /** A text that may begin with the number of an account and a blank. */
  uidText(value: string): string;
}

/** A record that does not decode: another version's, or damaged in a way the checksum missed. */
export class UnreadableRecord extends Error {
  override name = 'UnreadableRecord';
}

const MONEY_SPLIT = 64n;
const MONEY_LOW = (1n << MONEY_SPLIT) - 1n;

export class ByteWriter implements Fields {
  private bytes: Uint8Array<ArrayBuffer>;
  private view: DataView<ArrayBuffer>;
  private at = 0;

  constructor(capacity = 1024) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  reset(): void {
    this.at = 0;
  }

  /** What was written since the last reset; valid until the next write. */
  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.at);
  }

  u8(value: number): number {
    this.reserve(1);
    this.view.setUint8(this.at, value);
    this.at += 1;
    return value;
  }

  u16(value: number): number {
    this.reserve(2);
    this.view.setUint16(this.at, value, true);
    this.at += 2;
    return value;
  }

  i32(value: number): number {
    this.reserve(4);
    this.view.setInt32(this.at, value, true);
    this.at += 4;
    return value;
  }

  f64(value: number): number {
    this.reserve(8);
    this.view.setFloat64(this.at, value, true);
    this.at += 8;
    return value;
  }

  money(value: bigint): bigint {
    this.reserve(16);
    if (value === 0n) {
      this.view.setFloat64(this.at, 0, true);
      this.view.setFloat64(this.at + 8, 0, true);
    } else {
      this.view.setBigUint64(this.at, value & MONEY_LOW, true);
      this.view.setBigInt64(this.at + 8, value >> MONEY_SPLIT, true);
    }
    this.at += 16;
    return value;
  }

  text(value: string): string {
    const length = value.length;
    this.reserve(2 + length * 3);
    const lengthAt = this.at;
    this.at += 2;
    for (let n = 0; n < length; n++) {
      const code = value.charCodeAt(n);
      if (code >= 128) {
        this.at = lengthAt + 2 + writeUtf8(this.bytes, lengthAt + 2, value);
        break;
      }
      this.bytes[this.at++] = code;
    }
    const size = this.at - lengthAt - 2;
    if (size > 0xffff) throw new RangeError('text field longer than 65535 bytes');
    this.view.setUint16(lengthAt, size, true);
    return value;
  }

  flag(value: boolean): boolean {
    this.u8(value ? 1 : 0);
    return value;
  }

  uid(value: number): number {
    return this.f64(value);
  }

  uidText(value: string): string {
    return this.text(value);
  }

  block(array: ArrayBufferView): void {
    const source = bytesOf(array);
    this.reserve(source.length);
    this.bytes.set(source, this.at);
    this.at += source.length;
  }

  private reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    let capacity = this.bytes.length * 2;
    while (capacity < this.at + size) capacity *= 2;
    const grown = new Uint8Array(capacity);
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}

export class ByteReader implements Fields {
  private bytes: Uint8Array;
  private view: DataView;
  /** Where the record begins and ends in the buffer, and how far it is read. */
  private at: number;
  private end: number;

  constructor(bytes: Uint8Array) {
    this.bytes = new Uint8Array(bytes.buffer);
    this.view = new DataView(bytes.buffer);
    this.at = bytes.byteOffset;
    this.end = bytes.byteOffset + bytes.byteLength;
  }

  /** Turns to another record. Records of a log lie in one buffer, and a view of it is not made twice. */
  reset(bytes: Uint8Array): void {
    if (bytes.buffer !== this.view.buffer) {
      this.bytes = new Uint8Array(bytes.buffer);
      this.view = new DataView(bytes.buffer);
    }
    this.at = bytes.byteOffset;
    this.end = bytes.byteOffset + bytes.byteLength;
  }

  get finished(): boolean {
    return this.at === this.end;
  }

  /** Bytes that are not read yet. */
  get left(): number {
    return this.end - this.at;
  }

  /** Everything was read: leftovers mean that writer and reader disagree. */
  finish(): void {
    if (this.at !== this.end) throw new UnreadableRecord(`${this.end - this.at} bytes left over`);
  }

  u8(_value: number): number {
    return this.view.getUint8(this.advance(1));
  }

  u16(_value: number): number {
    return this.view.getUint16(this.advance(2), true);
  }

  i32(_value: number): number {
    return this.view.getInt32(this.advance(4), true);
  }

  f64(_value: number): number {
    return this.view.getFloat64(this.advance(8), true);
  }

  money(_value: bigint): bigint {
    const at = this.advance(16);
    const { view } = this;
    // Most amounts of a command are zero, and a big integer is an allocation.
    const none = view.getInt32(at) | view.getInt32(at + 4) | view.getInt32(at + 8) | view.getInt32(at + 12);
    if (none === 0) return 0n;
    const low = view.getBigUint64(at, true);
    const high = view.getBigInt64(at + 8, true);
    return high === 0n ? low : (high << MONEY_SPLIT) + low;
  }

  text(_value: string): string {
    const size = this.u16(0);
    const from = this.advance(size);
    const end = from + size;
    const { bytes } = this;
    let text = '';
    let at = from;
    // Each piece that is appended is a string of its own until the text is read.
    for (; at + 8 <= end; at += 8) {
      const a = bytes[at]!;
      const b = bytes[at + 1]!;
      const c = bytes[at + 2]!;
      const d = bytes[at + 3]!;
      const e = bytes[at + 4]!;
      const f = bytes[at + 5]!;
      const g = bytes[at + 6]!;
      const h = bytes[at + 7]!;
      if ((a | b | c | d | e | f | g | h) >= 128) return readUtf8(bytes, from, end);
      text += String.fromCharCode(a, b, c, d, e, f, g, h);
    }
    for (; at < end; at++) {
      const code = bytes[at]!;
      if (code >= 128) return readUtf8(bytes, from, end);
      text += String.fromCharCode(code);
    }
    return text;
  }

  flag(_value: boolean): boolean {
    return this.u8(0) !== 0;
  }

  uid(value: number): number {
    return this.f64(value);
  }

  uidText(value: string): string {
    return this.text(value);
  }

  block(array: ArrayBufferView<ArrayBuffer>): void {
    const target = bytesOf(array);
    const at = this.advance(target.length);
    target.set(this.bytes.subarray(at, at + target.length));
  }

  private advance(size: number): number {
    const at = this.at;
    this.at += size;
    if (this.at > this.end) throw new UnreadableRecord('record ends early');
    return at;
  }
}

/** Arrays have the order of bytes of the machine. */
export const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  if (!IS_LITTLE_ENDIAN) throw new Error('the machine is big-endian, which is not supported');
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function writeUtf8(bytes: Uint8Array, start: number, text: string): number {
  let at = start;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code < 0x80) {
      bytes[at++] = code;
    } else if (code < 0x800) {
      bytes[at++] = 0xc0 | (code >> 6);
      bytes[at++] = 0x80 | (code & 63);
    } else if (code < 0x10000) {
      bytes[at++] = 0xe0 | (code >> 12);
      bytes[at++] = 0x80 | ((code >> 6) & 63);
      bytes[at++] = 0x80 | (code & 63);
    } else {
      bytes[at++] = 0xf0 | (code >> 18);
      bytes[at++] = 0x80 | ((code >> 12) & 63);
      bytes[at++] = 0x80 | ((code >> 6) & 63);
      bytes[at++] = 0x80 | (code & 63);
    }
  }
  return at - start;
}

function readUtf8(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; ) {
    const first = bytes[at++]!;
    const more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    let code = more === 0 ? first : first & (0x3f >> more);
    for (let n = 0; n < more; n++) code = (code << 6) | (bytes[at++]! & 63);
    text += String.fromCodePoint(code);
  }
  return text;
}
