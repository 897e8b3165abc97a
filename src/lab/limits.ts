/** Names and bounds of the laboratory. */

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Ends of branches that were left; the laboratory names them itself. */
const BRANCH_END = /^branch-\d+$/;
/** The state as it is, in comparisons. */
export const NOW = 'now';
export const NAME_RULE =
  'a name has 1 to 64 small letters, digits and . _ -, begins with a letter or digit, and is not branch-N, as ends of branches are called';

export function isName(text: string): boolean {
  return NAME.test(text) && !BRANCH_END.test(text);
}

export const branchEndName = (branch: number): string => `branch-${branch}`;

/** Branches that were left and are kept, the newest ones. */
export const BRANCHES_KEPT = 8;
/** The size of a segment of a branch's journal, at most: the first one is made while a revert waits, and two more of them lie ready. */
export const BRANCH_SEGMENT_BYTES_MAX = 4 * 1024 * 1024;
export const NOTE_CHARS_MAX = 500;

export interface LabLimits {
  readonly snapshots: number;
  readonly bytes: number;
  readonly forks: number;
}
