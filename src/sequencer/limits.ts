/** Bounds of the venue. */

/** A digest of all outcomes goes into the log after so many commands (reliability 2.1). */
export const CHECKPOINT_COMMANDS = 10_000;
/** Audits of the reserves that are only asked for are no more frequent than this. */
export const RESERVE_AUDIT_INTERVAL_MS = 10 * 60_000;
export const TICK_INTERVAL_MS = 1000;
/** A scaled clock's seconds pass in packs, no more often than this. */
export const TIMER_INTERVAL_MIN_MS = 10;
/** Seconds of a scaled clock that are made up for after a pause of the process; the rest are one jump. */
export const SECONDS_BEHIND_MAX = 3600;
export const CLOCK_FACTOR_MAX = 3600;
/** Ticks of one advance of a manual clock: more than two days of seconds. */
export const ADVANCE_STEPS_MAX = 200_000;
/** Ticks on their way to the disk before an advance waits for them. */
export const ADVANCE_BATCH = 256;
/** New orders are refused while the oldest unwritten command has waited this long; cancels still pass. */
export const QUEUE_AGE_MAX_MS = 2000;
/** Rows the history may be behind before replay waits for it. */
export const HISTORY_LAG_MAX = 20_000;
/** Rows that wait for space before the venue is read-only: they are kept in memory, about two KiB each. */
export const HISTORY_WAITING_MAX = 50_000;
/** A start that replayed more than this is followed by a snapshot, so that the next one replays little. */
export const REPLAY_LONG = 100_000;
/** While the log is short of space snapshots come more often: behind each, old segments go. */
export const SNAPSHOT_FOR_SPACE_MS = 60_000;
