/**
 * Reads an audit log. `audit.head` names the last acknowledged line: with it a line deleted at the end is found, and
 * an unfinished write after a crash can be told from damage.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AuditLine, CHAIN_START, type ChainHead, readLine } from './audit-line.ts';

export const AUDIT_FILE = 'audit.log';
export const AUDIT_HEAD_FILE = 'audit.head';

const OF_FILES =
  `Restore ${AUDIT_FILE} and ${AUDIT_HEAD_FILE} of one moment from a backup, or keep both as evidence, move them away and ` +
  'start: a new chain begins';

/** The audit log was changed from outside this program. */
export class AuditDamaged extends Error {
  override name = 'AuditDamaged';

  constructor(what: string, advice = OF_FILES) {
    super(`${what}. ${advice}`);
  }
}

export interface AuditContents {
  readonly lines: readonly AuditLine[];
  /** Bytes of whole lines; the rest was never acknowledged. */
  readonly wholeBytes: number;
  readonly tornBytes: number;
}

/** Throws AuditDamaged with the number of the first line that is not as it was written. */
export function readAudit(directory: string): AuditContents {
  const path = join(directory, AUDIT_FILE);
  const acknowledged = readHead(directory);
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const lines: AuditLine[] = [];
  let head = CHAIN_START;
  let start = 0;
  for (let end = bytes.indexOf(10, start); end !== -1; end = bytes.indexOf(10, start)) {
    const line = readLine(bytes.toString('utf8', start, end), head);
    if (typeof line === 'string') {
      if (isUnfinished(bytes, end, head, acknowledged)) break;
      throw new AuditDamaged(`${path} line ${lines.length + 1} ${line}`);
    }
    lines.push(line);
    head = line;
    if (line.seq === acknowledged?.seq && line.hash !== acknowledged.hash) {
      throw new AuditDamaged(`${path} line ${line.seq} is another than the one that was acknowledged`);
    }
    start = end + 1;
  }
  refuseLoss(path, lines.length, acknowledged);
  return { lines, wholeBytes: start, tornBytes: bytes.length - start };
}

/** The last line, behind the acknowledged ones: a write that a crash interrupted. */
function isUnfinished(bytes: Buffer, end: number, head: ChainHead, acknowledged?: ChainHead): boolean {
  return end === bytes.length - 1 && head.seq === (acknowledged?.seq ?? 0);
}

function refuseLoss(path: string, lines: number, acknowledged: ChainHead | undefined): void {
  // The first line is written before there is a head.
  if (acknowledged === undefined && lines > 1) {
    throw new AuditDamaged(`${path} has ${lines} lines, but ${AUDIT_HEAD_FILE} beside it is missing`);
  }
  if (acknowledged !== undefined && acknowledged.seq > lines) {
    throw new AuditDamaged(
      `${path} ends at line ${lines}; line ${lines + 1} to ${acknowledged.seq} are missing`,
    );
  }
}

/** The last acknowledged line; undefined before the first. */
export function readHead(directory: string): ChainHead | undefined {
  const path = join(directory, AUDIT_HEAD_FILE);
  if (!existsSync(path)) return undefined;
  const [, seq, hash] = /^(\d{16}) ([0-9a-f]{64})\n$/.exec(readFileSync(path, 'utf8')) ?? [];
  // The file was created and a crash came before its first content.
  if (seq === undefined && readFileSync(path).length === 0) return undefined;
  if (seq === undefined) throw new AuditDamaged(`${path} is not the head of an audit log`);
  return { seq: Number(seq), hash: hash! };
}

/** Fixed length, so that it is overwritten in place and never torn between two lengths. */
export function formatHead({ seq, hash }: ChainHead): string {
  return `${String(seq).padStart(16, '0')} ${hash}\n`;
}
