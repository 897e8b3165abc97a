/**
 * The last lines of the audit log of a running exchange, read from the end of its file in pieces: the log grows for years,
 * and nobody's orders wait while it is read. The lines shown are checked as a chain up to the acknowledged one; the whole
 * chain is checked by a start, `bourse audit` and `bourse verify`.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { AUDIT_FILE, AuditDamaged, readAudit, readHead } from './audit-file.ts';
import { type AuditLine, type ChainHead, predecessorOf, readLine } from './audit-line.ts';

const PIECE_BYTES = 1 << 16;
/** Lines that are checked before others have their turn. */
const LINES_AT_ONCE = 50;
const LINE_FEED = 10;

/** The last `limit` acknowledged lines. Throws AuditDamaged. */
export async function lastAuditLines(directory: string, limit: number): Promise<readonly AuditLine[]> {
  const acknowledged = readHead(directory);
  // The first line is written before there is a head.
  if (acknowledged === undefined) return readAudit(directory).lines.slice(-limit);
  const path = join(directory, AUDIT_FILE);
  const file = await open(path, 'r');
  try {
    // One more to continue from, and one that is written just now.
    const texts = await lastTexts(file, limit + 2);
    const lines = await chainOf(path, texts, acknowledged);
    return lines.slice(-limit);
  } finally {
    await file.close();
  }
}

/** At least so many lines from the end, as far as there are, oldest first; what follows the last line feed is left out. */
async function lastTexts(file: FileHandle, count: number): Promise<string[]> {
  let start = (await file.stat()).size;
  let feeds = 0;
  const pieces: Buffer[] = [];
  while (start > 0 && feeds <= count) {
    const length = Math.min(PIECE_BYTES, start);
    start -= length;
    const piece = Buffer.alloc(length);
    await file.read(piece, 0, length, start);
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, at + 1)) feeds++;
    pieces.unshift(piece);
  }
  const texts = Buffer.concat(pieces).toString('utf8').split('\n').slice(0, -1);
  // The first of a file that was not read to its beginning may lack its own.
  return start === 0 ? texts : texts.slice(1);
}

async function chainOf(
  path: string,
  texts: readonly string[],
  acknowledged: ChainHead,
): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  for (const [n, text] of texts.entries()) {
    if (n % LINES_AT_ONCE === LINES_AT_ONCE - 1) await turn();
    const line = readLine(text, lines.at(-1) ?? predecessorOf(text));
    if (typeof line === 'string')
      throw new AuditDamaged(`${path}, ${texts.length - n} lines from its end, ${line}`);
    lines.push(line);
    if (line.seq < acknowledged.seq) continue;
    if (line.seq === acknowledged.seq && line.hash === acknowledged.hash) return lines;
    throw new AuditDamaged(`${path} line ${line.seq} is another than the one that was acknowledged`);
  }
  throw new AuditDamaged(`${path} ends before line ${acknowledged.seq}, which was acknowledged`);
}
