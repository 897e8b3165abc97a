/**
 * The audit log that matches the journal up to a command: the lines before the first that names a later one. An
 * action that loses its outcome thereby is completed by the first start on the copy, from the copied journal.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesOfLeftBranches } from '../../admin/audit-branches.ts';
import { AUDIT_FILE, formatHead, readAudit } from '../../admin/audit-file.ts';

export interface AuditCopy {
  readonly log: string;
  readonly head: string;
}

/** Undefined when there is no line yet. */
export function auditUpTo(data: string, lastSeq: number): AuditCopy | undefined {
  const { lines } = readAudit(data);
  const left = linesOfLeftBranches(lines);
  const later = lines.findIndex(({ command }, n) => n >= left && command !== null && command > lastSeq);
  const kept = later === -1 ? lines : lines.slice(0, later);
  const last = kept.at(-1);
  if (last === undefined) return undefined;
  // Lines are only appended, so the first ones are still those that were read.
  const texts = readFileSync(join(data, AUDIT_FILE), 'utf8').split('\n');
  return { log: `${texts.slice(0, kept.length).join('\n')}\n`, head: formatHead(last) };
}
