/**
 * One line of the audit log: a JSON object that contains the hash of the line before it and ends with its own, so
 * that a changed byte, a missing line or two swapped lines are found. An action has two lines: `begun` before
 * anything happens and its outcome after; a crash in between leaves the first, which the next start completes.
 */
import { createHash } from 'node:crypto';

export type AuditOutcome =
  | 'begun'
  | 'done'
  | 'refused'
  | 'failed'
  /** The process ended before the outcome was known; `command` says whether the journal holds the action. */
  | 'interrupted';

export interface AuditEntry {
  readonly operator: string;
  readonly action: string;
  /** Never a secret: each route lists the arguments it records. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly outcome: AuditOutcome;
  readonly detail?: string;
  /** The node of a cluster that has written the line. */
  readonly node?: string;
  /** The line that this one completes. */
  readonly of?: number;
  /** Commands in the journal when the action began. */
  readonly after?: number;
  /** Sequence number of the action's command; null when it has none. */
  readonly command: number | null;
}

export interface AuditLine extends AuditEntry {
  readonly seq: number;
  /** Unix ms. */
  readonly time: number;
  readonly previous: string;
  readonly hash: string;
}

export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

export const CHAIN_START: ChainHead = { seq: 0, hash: '0'.repeat(64) };
/** The action of the first line; its argument `chain` is the name of the chain. */
export const CHAIN_ACTION = 'audit.begin';

const HASHED = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s;

/** The next line of a chain, without its line feed. */
export function formatLine(head: ChainHead, time: number, entry: AuditEntry): string {
  const body = JSON.stringify({ seq: head.seq + 1, time, ...entry, previous: head.hash });
  return `${body.slice(0, -1)},"hash":"${sha256(body)}"}`;
}

/** The hash that a complete line ends with. */
export function hashOf(text: string): string {
  return text.slice(-66, -2);
}

/** The line as a record, or its fault as the successor of `head`. */
export function readLine(text: string, head: ChainHead): AuditLine | string {
  const [, open, hash] = HASHED.exec(text) ?? [];
  if (open === undefined || hash === undefined) return 'is not a line of an audit log';
  const body = `${open}}`;
  if (sha256(body) !== hash) return 'was changed: its hash does not match';
  const line = JSON.parse(body) as Omit<AuditLine, 'hash'>;
  if (line.seq !== head.seq + 1) return `has number ${line.seq} where ${head.seq + 1} belongs`;
  if (line.previous !== head.hash) return 'does not continue the line before it';
  return { ...line, hash };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Number and hash of the line before the given one, as that line has them. */
export function predecessorOf(text: string): ChainHead {
  const [, seq, previous] = /^\{"seq":(\d+),.*"previous":"([0-9a-f]{64})"/s.exec(text) ?? [];
  return seq === undefined ? CHAIN_START : { seq: Number(seq) - 1, hash: previous! };
}
