/** Bounds of the venue. */

/** A digest of all outcomes goes into the log after so many commands (reliability.md 2.1). */
export const CHECKPOINT_COMMANDS = 10_000;
/** A snapshot is due after so many commands, or so much time with commands in it. */
export const SNAPSHOT_COMMANDS = 1_000_000;
export const SNAPSHOT_INTERVAL_MS = 10 * 60_000;
export const TICK_INTERVAL_MS = 1000;
/** New orders are refused while the oldest unwritten command has waited this long; cancels still pass. */
export const QUEUE_AGE_MAX_MS = 2000;
/** Rows the history may be behind before replay waits for it. */
export const HISTORY_LAG_MAX = 20_000;
