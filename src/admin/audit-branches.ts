/** Where the audit log of an exchange that went back to an earlier state (`src/lab`) leaves one branch for another. */
import type { AuditLine } from './audit-line.ts';

export const REVERT_ACTION = 'lab.revert';
/** A kill may have come after the branch was changed and before the line said so. */
const CHANGED: ReadonlySet<AuditLine['outcome']> = new Set(['done', 'interrupted']);

/** How many of the lines name commands of branches that were left. */
export function linesOfLeftBranches(lines: readonly AuditLine[]): number {
  return lines.findLastIndex(({ action, outcome }) => action === REVERT_ACTION && CHANGED.has(outcome)) + 1;
}
