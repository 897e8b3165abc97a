/** Limits of the history. */

/** Rows of one transaction. */
export const COMMIT_ROWS_MAX = 10_000;
/**
 * Long enough that its syncs do not delay those of the journal on the same disk; the journal holds everything anyway.
 */
export const COMMIT_DELAY_MS = 500;
/** Commands without rows, such as clock ticks, are not worth a sync each. */
export const IDLE_COMMIT_DELAY_MS = 1000;
/** Rows checked in one step of pruning: a few milliseconds, between which batches and reads are served. */
export const PRUNE_STEP_ROWS = 500;
