/** Lines of a text file as it lies on disk: plain, `.gz`, or every file of a `.zip`. */
import { createReadStream, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { crc32, createGunzip, createInflateRaw } from 'node:zlib';
import { SimulatorError } from '../simulator-error.ts';

/** Longer ones are no rows of any format. */
const LINE_CHARS_MAX = 1_048_576;
const END_RECORD = 0x06054b50;
const ENTRY_RECORD = 0x02014b50;
const LOCAL_BYTES = 30;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const DEFLATED = 8;
const STORED = 0;

/** Errors end the last stream, whose reader tells them. */
const ignore = () => {};

export interface TextFile {
  /** With the name inside an archive. */
  readonly name: string;
  /** The pair may be in it, as in `BTCUSDT-trades-2026-01-01.csv`. */
  readonly baseName: string;
  lines(): AsyncIterable<string>;
}

/** `progress` is called with the share of the file that was read. Throws SimulatorError. */
export async function textFilesOf(
  path: string,
  progress: (share: number) => void = () => {},
): Promise<readonly TextFile[]> {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new SimulatorError(`${path} does not exist`);
  if (/\.zip$/i.test(path)) return zippedFiles(path, progress);
  const read = () => {
    const stream = createReadStream(path);
    stream.on('data', () => progress(stream.bytesRead / Math.max(1, size)));
    return /\.gz$/i.test(path) ? pipeline(stream, createGunzip(), ignore) : stream;
  };
  return [{ name: path, baseName: basename(path).replace(/\.gz$/i, ''), lines: () => linesOf(read(), path) }];
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>, name: string): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of chunks) {
      rest += decoder.decode(chunk, { stream: true });
      let begin = 0;
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', begin)) {
        yield rest.slice(begin, rest[end - 1] === '\r' && end > begin ? end - 1 : end);
        begin = end + 1;
      }
      rest = rest.slice(begin);
      if (rest.length > LINE_CHARS_MAX)
        throw new SimulatorError(`${name}: a line has more than ${LINE_CHARS_MAX} characters`);
    }
  } catch (error) {
    if (error instanceof SimulatorError) throw error;
    throw new SimulatorError(`${name} cannot be read: ${(error as Error).message}`);
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.replace(/\r$/, '');
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

async function zippedFiles(path: string, progress: (share: number) => void): Promise<readonly TextFile[]> {
  const file = await open(path);
  try {
    const entries = (await directoryOf(file, path)).filter(({ bytes }) => bytes > 0);
    if (entries.length === 0) throw new SimulatorError(`${path} has no files in it`);
    const starts = await Promise.all(entries.map((entry) => dataStart(file, entry)));
    const all = entries.reduce((sum, { packedBytes }) => sum + packedBytes, 0);
    let done = 0;
    return entries.map((entry, n) => ({
      name: `${path}:${entry.name}`,
      baseName: basename(entry.name),
      lines: async function* () {
        yield* linesOf(unpacked(path, entry, starts[n]!), `${path}:${entry.name}`);
        done += entry.packedBytes;
        progress(done / all);
      },
    }));
  } finally {
    await file.close();
  }
}

/** Its contents; throws when length or check sum differ. */
async function* unpacked(
  path: string,
  { method, packedBytes, bytes, crc }: ZipEntry,
  start: number,
): AsyncIterable<Uint8Array> {
  const packed = createReadStream(path, { start, end: start + packedBytes - 1 });
  const stream = method === STORED ? packed : pipeline(packed, createInflateRaw(), ignore);
  let length = 0;
  let sum = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    sum = crc32(chunk, sum);
    if (length > bytes) throw new Error('it is longer than its directory says');
    yield chunk;
  }
  if (length !== bytes || sum !== crc) throw new Error('its check sum is another');
}

/** From the list at the end of the archive. */
async function directoryOf(file: FileHandle, path: string): Promise<readonly ZipEntry[]> {
  const { size } = await file.stat();
  const tail = await bytesOf(file, Math.max(0, size - END_BYTES - COMMENT_BYTES_MAX), size);
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END_RECORD) at--;
  if (at < 0) throw new SimulatorError(`${path} is not a zip archive, or its end is missing`);
  const count = tail.readUInt16LE(at + 10);
  const bytes = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  if (offset + bytes > size)
    throw new SimulatorError(`${path} is an archive of a kind that is not read: unpack it`);
  const list = await bytesOf(file, offset, offset + bytes);
  const entries: ZipEntry[] = [];
  for (let n = 0, here = 0; n < count; n++) {
    if (here + 46 > list.length || list.readUInt32LE(here) !== ENTRY_RECORD)
      throw new SimulatorError(`${path}: the list of the archive is damaged`);
    const nameBytes = list.readUInt16LE(here + 28);
    const entry = {
      name: list.toString('utf8', here + 46, here + 46 + nameBytes),
      method: list.readUInt16LE(here + 10),
      crc: list.readUInt32LE(here + 16),
      packedBytes: list.readUInt32LE(here + 20),
      bytes: list.readUInt32LE(here + 24),
      offset: list.readUInt32LE(here + 42),
    };
    const encrypted = (list.readUInt16LE(here + 8) & 1) === 1;
    if (encrypted || (entry.method !== DEFLATED && entry.method !== STORED))
      throw new SimulatorError(`${path}:${entry.name} is packed in a way that is not read: unpack it`);
    entries.push(entry);
    here += 46 + nameBytes + list.readUInt16LE(here + 30) + list.readUInt16LE(here + 32);
  }
  return entries;
}

async function dataStart(file: FileHandle, { offset }: ZipEntry): Promise<number> {
  const head = await bytesOf(file, offset, offset + LOCAL_BYTES);
  return offset + LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28);
}

async function bytesOf(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.alloc(to - from);
  await file.read(buffer, 0, buffer.length, from);
  return buffer;
}
