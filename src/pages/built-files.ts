/** The built pages of `web/dist`, read once and kept in memory: they do not change while the exchange runs. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

/** The build puts the hash of a file's contents into these names. */
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;

export class BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly tag: string;
  readonly immutable: boolean;
  #zipped: Buffer | undefined;

  constructor(path: string, bytes: Buffer) {
    this.type = TYPES[extname(path)] ?? 'application/octet-stream';
    this.bytes = bytes;
    this.tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    this.immutable = HASHED.test(path);
  }

  /** Compressed with the first request for it, so that a start does not wait. */
  zipped(): Buffer {
    this.#zipped ??= gzipSync(this.bytes, { level: constants.Z_BEST_COMPRESSION });
    return this.#zipped;
  }
}

/** A file with an ending, neither hidden nor in a hidden directory. */
const NAMED = /^(?:[^./][^/]*\/)*[^./][^/]*\.[^/]*$/;

/** By directory: they do not change while the process runs, however many exchanges it starts. */
const READ = new Map<string, ReadonlyMap<string, BuiltFile>>();

/** By path, with forward slashes; empty when the pages were never built. */
export function builtFiles(directory: string): ReadonlyMap<string, BuiltFile> {
  const known = READ.get(directory);
  if (known !== undefined) return known;
  const files = readBuiltFiles(directory);
  READ.set(directory, files);
  return files;
}

function readBuiltFiles(directory: string): ReadonlyMap<string, BuiltFile> {
  const files = new Map<string, BuiltFile>();
  if (!existsSync(directory)) return files;
  // No pattern of Node's: the code that reads patterns costs a start several times as much as the files.
  for (const entry of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = entry.replaceAll('\\', '/');
    if (NAMED.test(path)) files.set(path, new BuiltFile(path, readFileSync(join(directory, entry))));
  }
  return files;
}
