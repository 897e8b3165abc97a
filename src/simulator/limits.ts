/** Limits of the simulator. */

/** Real time between steps; a faster clock gets more of them, down to the shortest pause. */
export const STEP_INTERVAL_MS = 200;
export const STEP_PAUSE_MIN_MS = 10;
/** Logical time that one step covers at most: after a long pause of the process there is no week of trades. */
export const STEP_SPAN_MAX_MS = 60_000;
/** Commands of agents per logical second on average, and at once. */
export const COMMANDS_PER_SECOND_MAX = 400;
export const COMMANDS_BURST_MAX = 1200;
/** Orders of a maker's ladder on one side: both sides fit one modification of twenty. */
export const LEVELS_MAX = 9;
/** Orders of a maker on one side, ladder and tail: at least 20 levels, also when some of them meet on one price. */
export const MAKER_ORDERS_A_SIDE = 24;
/** Takers' orders on one book in one step. */
export const TAKES_PER_STEP_MAX = 4;
/** Largest fall of an outside price in one shock, in percent. */
export const SHOCK_PERCENT_MAX = 95;
export const WIDEN_FACTOR_MAX = 50;
/** Lines of a replayed file. */
export const REPLAY_LINES_MAX = 20_000_000;
/** Symbols that a live feed polls. */
export const LIVE_SYMBOLS_MAX = 200;
