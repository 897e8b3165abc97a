/** Bounds of the living market: what it may cost, and how far it may go. */

/** Wake-ups in real time; a faster clock gets more of them, down to the shortest pause. */
export const STEP_INTERVAL_MS = 200;
export const STEP_PAUSE_MIN_MS = 10;
/** Logical time that one wake-up makes up for at most: a venue that slept does not wake to a week of trades. */
export const STEP_SPAN_MAX_MS = 60_000;
/** Commands that agents may give in one logical second on average, and at once. */
export const COMMANDS_PER_SECOND_MAX = 400;
export const COMMANDS_BURST_MAX = 1200;
/** Orders of a maker on one side: both sides fit one modification of twenty. */
export const LEVELS_MAX = 9;
/** Takers' orders on one book in one wake-up. */
export const TAKES_PER_STEP_MAX = 4;
/** A price of the outside falls by at most so many percent in one shock. */
export const SHOCK_PERCENT_MAX = 95;
export const WIDEN_FACTOR_MAX = 50;
/** Lines of a replayed file. */
export const REPLAY_LINES_MAX = 20_000_000;
/** Symbols that a live feed asks for. */
export const LIVE_SYMBOLS_MAX = 200;
