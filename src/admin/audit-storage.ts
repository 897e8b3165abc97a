/** Where the lines of an audit log are kept: in two files of a data directory, or in memory. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../storage/durable-file.ts';
import { isOutOfSpace } from '../storage/shortage-errors.ts';
import { AUDIT_FILE, AUDIT_HEAD_FILE, formatHead, readAudit, readHead } from './audit-file.ts';
import { type AuditLine, CHAIN_START, type ChainHead, hashOf } from './audit-line.ts';
import { lastAuditLines } from './audit-tail.ts';

/** There is no space for the line; nothing of it was written. */
export class AuditFull extends Error {
  override readonly name = 'AuditFull';
}

/** The database that keeps the lines does not answer. */
export class AuditUnavailable extends AuditFull {}

const OWNER_ONLY = 0o600;

/** The line that continues the chain, without its line feed; undefined when there is no need for it any more. */
export type MakeLine = (head: ChainHead) => string | undefined;

export interface WrittenLine {
  readonly text: string;
  readonly head: ChainHead;
}

export interface AuditStorage {
  /** All of them, at the start. Throws AuditDamaged. */
  read(): Promise<readonly AuditLine[]>;
  /** At most so many, the newest last, in portions between which requests are served. Throws AuditDamaged. */
  last(limit: number): Promise<readonly AuditLine[]>;
  /**
   * Resolves when the line and the head that it makes are kept; `make` may be called again when the lines of others came
   * first. Throws AuditFull.
   */
  write(make: MakeLine): Promise<WrittenLine | undefined>;
  /** Lines that others have written, in their order. */
  onOther(listener: (line: AuditLine, text: string) => void): void;
  close(): Promise<void>;
}

/** Throws AuditDamaged. An unfinished line of a crash is cut off. */
export async function openAuditFiles(directory: string): Promise<AuditStorage> {
  const { lines, wholeBytes, tornBytes } = readAudit(directory);
  const file = await open(join(directory, AUDIT_FILE), 'a', OWNER_ONLY);
  if (tornBytes > 0) await file.truncate(wholeBytes);
  const create = constants.O_RDWR | constants.O_CREAT;
  const headFile = await open(join(directory, AUDIT_HEAD_FILE), create, OWNER_ONLY);
  // The names must survive a power loss before the first line: a head without its log would look like a loss.
  syncDirectory(directory);
  const head = lines.at(-1) ?? CHAIN_START;
  // The process may have ended between a line and its head; whoever reads the running log stops at the head.
  if (head.seq > (readHead(directory)?.seq ?? 0)) {
    await headFile.write(formatHead(head), 0);
    await headFile.datasync();
  }
  return new AuditFiles(directory, file, headFile, wholeBytes, head);
}

/** On a full disk a partial line is cut off again. */
class AuditFiles implements AuditStorage {
  readonly #directory: string;
  readonly #file: FileHandle;
  readonly #headFile: FileHandle;
  #bytes: number;
  #head: ChainHead;

  constructor(directory: string, file: FileHandle, headFile: FileHandle, bytes: number, head: ChainHead) {
    this.#head = head;
    this.#directory = directory;
    this.#file = file;
    this.#headFile = headFile;
    this.#bytes = bytes;
  }

  async read(): Promise<readonly AuditLine[]> {
    return readAudit(this.#directory).lines;
  }

  last(limit: number): Promise<readonly AuditLine[]> {
    return lastAuditLines(this.#directory, limit);
  }

  async write(make: MakeLine): Promise<WrittenLine | undefined> {
    const text = make(this.#head);
    if (text === undefined) return undefined;
    const line = `${text}\n`;
    const head = { seq: this.#head.seq + 1, hash: hashOf(text) };
    await this.#orCutOff(() => this.#file.appendFile(line));
    await this.#file.datasync();
    await this.#orCutOff(() => this.#headFile.write(formatHead(head), 0));
    await this.#headFile.datasync();
    this.#bytes += Buffer.byteLength(line);
    this.#head = head;
    return { text, head };
  }

  onOther(): void {
    // One process owns the files.
  }

  async close(): Promise<void> {
    await this.#file.close();
    await this.#headFile.close();
  }

  /** Without space the log is left as it was before the line. */
  async #orCutOff(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!isOutOfSpace(error)) throw error;
      await this.#file.truncate(this.#bytes);
      await this.#file.datasync();
      throw new AuditFull(`no space left for ${AUDIT_FILE}`, { cause: error });
    }
  }
}

/** The same lines with the same chain of hashes; nobody can change them from outside, and they end with the process. */
export class MemoryAudit implements AuditStorage {
  readonly #lines: AuditLine[] = [];

  async read(): Promise<readonly AuditLine[]> {
    return this.#lines;
  }

  async last(limit: number): Promise<readonly AuditLine[]> {
    return this.#lines.slice(-limit);
  }

  async write(make: MakeLine): Promise<WrittenLine | undefined> {
    const text = make(this.#lines.at(-1) ?? CHAIN_START);
    if (text === undefined) return undefined;
    const head = JSON.parse(text) as AuditLine;
    this.#lines.push(head);
    return { text, head };
  }

  onOther(): void {
    // Nobody else has them.
  }

  async close(): Promise<void> {}
}
