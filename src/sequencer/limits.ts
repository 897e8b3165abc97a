/** Limits of the sequencer. */

/** A digest of all results goes into the journal after this many commands (reliability 2.1). */
export const CHECKPOINT_COMMANDS = 10_000;
/** Least interval between audits of the reserves that requests cause. */
export const RESERVE_AUDIT_INTERVAL_MS = 10 * 60_000;
export const TICK_INTERVAL_MS = 1000;
/** A second in which so many countdowns and hours of loans are due gets more ticks: one would take them all. */
export const CROWD_MIN = 500;
/** From each of these ticks to the next. */
export const CROWDED_TICK_MS = 20;
/** Ticks of a scaled clock come in batches, at least this far apart. */
export const TIMER_INTERVAL_MIN_MS = 10;
/** Seconds of a scaled clock that are caught up after a pause of the process; the rest are one jump. */
export const SECONDS_BEHIND_MAX = 3600;
export const CLOCK_FACTOR_MAX = 3600;
/** Ticks of one advance of a manual clock: more than two days of seconds. */
export const ADVANCE_STEPS_MAX = 200_000;
/** Ticks that are not durable yet before an advance waits for them. */
export const ADVANCE_BATCH = 256;
/** New orders are rejected while the oldest unwritten command has waited this long; cancels still pass. */
export const QUEUE_AGE_MAX_MS = 2000;
/** Rows that the history may be behind before a replay waits for it. */
export const HISTORY_LAG_MAX = 20_000;
/** Rows that may wait for space before the exchange is read-only: they are in memory, about two KiB each. */
export const HISTORY_WAITING_MAX = 50_000;
/** A start that replayed more than this is followed by a snapshot, so that the next one replays little. */
export const REPLAY_LONG = 100_000;
/** A replica begins when this share of the commands that a start may replay have come: more come while it works. */
export const REPLICA_SHARE = 2 / 3;
/** A state of fewer open orders, an account counted as ten, is saved in place: a thread costs more than it spares. */
export const REPLICA_FROM = 500;
/** While the journal is short of space snapshots are more frequent: each allows old segments to be deleted. */
export const SNAPSHOT_FOR_SPACE_MS = 60_000;
