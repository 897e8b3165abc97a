/** The operator's token and the note that tells the command line where the door is; both for the owner's eyes only. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const TOKEN_FILE = 'operator.token';
export const DOOR_FILE = 'operator.json';

const TOKEN_BYTES = 32;
const TOKEN_CHARS_MIN = 32;
const OWNER_ONLY = 0o600;

/** The token in a file cannot be used; the message says what to do. */
export class TokenRefused extends Error {
  override name = 'TokenRefused';
}

/** Reads the token, or makes the file on the first start. */
export function openToken(path: string): string {
  if (existsSync(path)) return readToken(path);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  writeFileSync(path, `${token}\n`, { mode: OWNER_ONLY, flag: 'wx' });
  return token;
}

export function readToken(path: string): string {
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new TokenRefused(
      `${path} holds the operator's token and is readable by others (mode ${mode.toString(8)}); run: chmod 600 ${path}`,
    );
  }
  const token = readFileSync(path, 'utf8').trim();
  if (token.length < TOKEN_CHARS_MIN || !/^[\x21-\x7e]+$/.test(token)) {
    throw new TokenRefused(
      `${path} must hold one token of at least ${TOKEN_CHARS_MIN} printable characters; delete it to have a new one made`,
    );
  }
  return token;
}

/** In the same time whatever is presented: hashes have one length and compare without a shortcut. */
export class TokenCheck {
  readonly #expected: Buffer;

  constructor(token: string) {
    this.#expected = digest(token);
  }

  accepts(presented: string): boolean {
    return timingSafeEqual(digest(presented), this.#expected);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Where a running server's door is. */
export interface DoorNote {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

export function writeDoorNote(directory: string, note: DoorNote): void {
  const path = join(directory, DOOR_FILE);
  writeFileSync(path, `${JSON.stringify(note, undefined, 2)}\n`, { mode: OWNER_ONLY });
  // The mode above counts only for a new file.
  chmodSync(path, OWNER_ONLY);
}

/** Undefined when no server has left one. */
export function readDoorNote(directory: string): DoorNote | undefined {
  const path = join(directory, DOOR_FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DoorNote) : undefined;
}

export function removeDoorNote(directory: string): void {
  rmSync(join(directory, DOOR_FILE), { force: true });
}
