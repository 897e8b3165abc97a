/**
 * The operator's token, and the file that tells the command line where the listener is; both readable by the owner
 * only.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../storage/durable-file.ts';
import { refuseExposed } from '../storage/private-file.ts';

export const TOKEN_FILE = 'operator.token';
export const ADMIN_ENDPOINT_FILE = 'operator.json';

const TOKEN_BYTES = 32;
const TOKEN_CHARS_MIN = 32;
/** A file that a power loss has left without its contents. */
const NOTHING = /^[\0\s]*$/;

/** The file does not hold a token; the message says what to do. */
export class TokenDamaged extends Error {
  override name = 'TokenDamaged';
}

/** Reads the token, or creates one. Throws TokenDamaged, ExposedToOthers. */
export function openToken(path: string): string {
  if (existsSync(path) && !NOTHING.test(readFileSync(path, 'utf8'))) return readToken(path);
  const token = newToken();
  replaceFile(path, `${token}\n`);
  return token;
}

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function readToken(path: string): string {
  refuseExposed(path, statSync(path));
  const token = readFileSync(path, 'utf8').trim();
  if (token.length < TOKEN_CHARS_MIN || !/^[\x21-\x7e]+$/.test(token)) {
    throw new TokenDamaged(
      `${path} must hold one token of at least ${TOKEN_CHARS_MIN} printable characters; delete it to have a new one made`,
    );
  }
  return token;
}

/** Takes the same time for any input: hashes have one length and are compared in constant time. */
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

/** Address and token of a running operator's listener. */
export interface AdminEndpointFile {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

export function writeAdminEndpoint(directory: string, note: AdminEndpointFile): void {
  replaceFile(join(directory, ADMIN_ENDPOINT_FILE), `${JSON.stringify(note, undefined, 2)}\n`);
}

/** Undefined when there is no readable file: the next start writes it. */
export function readAdminEndpoint(directory: string): AdminEndpointFile | undefined {
  const path = join(directory, ADMIN_ENDPOINT_FILE);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as AdminEndpointFile;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function removeAdminEndpoint(directory: string): void {
  rmSync(join(directory, ADMIN_ENDPOINT_FILE), { force: true });
}
