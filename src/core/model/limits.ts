/** Every bound of the core in one place: nothing in it grows without one. */

/** Prices are integers of the tick below 2^30, so that they fit the six levels of the price index. */
export const PRICE_TICKS_MAX = 2 ** 30 - 1;
/**
 * Quantities are integers of the lot. The bound of one order leaves room for eight thousand of that size, in a position and in
 * the volume of a day, below 2^53, where a `number` stays exact. Levels of the book may have more (`book/level-lots.ts`).
 */
export const SIZE_LOTS_MAX = 2 ** 40 - 1;
/** Largest single amount of money in a command, in 10^-8 units: far above any supply, far below 2^127. */
export const MONEY_MAX = 10n ** 30n;

export const OPEN_ORDERS_PER_PRODUCT_LINE_MAX = 400;
export const BATCH_ITEMS_MAX = 20;
export const OUTSTANDING_AMENDS_MAX = 5;
/** Positions that one command may move from one account to another. */
export const MOVED_POSITIONS_MAX = 10;
/** Orders, positions and debts that one portion of long work does something to (rules 14.1, 18.3). */
export const PORTION_MAX = 250;
/** The same before the eighth edition. */
export const PORTION_MAX_BEFORE = 500;
/** Accounts that a portion looks at beyond those. */
export const PORTION_LOOKS_MAX = 20_000;
/** Take-profit and stop-loss records of one account on one symbol, placed by their own command (rules 3.3). */
export const TPSL_PER_SYMBOL_MAX = 20;
/** Waiting strategy orders of one account, and open orders that will bring some. */
export const STRATEGIES_PER_ACCOUNT_MAX = 400;
/** Orders that strategy orders may make in one command; the rest waits for the next second (rules 3.4). */
export const FIRINGS_PER_COMMAND_MAX = 10_000;
/** A trailing order's callback: 0.01 % to 10 %, in millionths. */
export const CALLBACK_PPM_MIN = 100;
export const CALLBACK_PPM_MAX = 100_000;
/** Client ids of strategy orders are not used twice within six hours (wire 4.1), as far as so many are remembered. */
export const STRATEGY_OIDS_REMEMBERED = 100_000;
export const STRATEGY_OID_MS = 6 * 3_600_000;
/** Matches of one order in one command; the rest is cancelled with `trade_too_many_times_cancel`. */
export const FILLS_PER_ORDER_MAX = 400;
/** Resting orders that one order removes in one command because they fail their check (rules 13.1). */
export const REMOVALS_PER_ORDER_MAX = 400;
/** Both before the ninth edition (rules 19.2). */
export const MATCHES_PER_ORDER_MAX_BEFORE = 1000;
/** Orders whose failed amendment cancelled them; later amendments of these answer 25573, not 25204. */
export const FAILED_AMENDS_REMEMBERED = 1024;
/** Client ids of transfers and withdrawals that a retry is recognised by. */
export const TRANSFER_OIDS_REMEMBERED = 20_000;
/** References of operators' deposits that a retry is recognised by. */
export const DEPOSIT_REFERENCES_REMEMBERED = 100_000;
export const PENDING_WITHDRAWALS_MAX = 100_000;
/** Ongoing pledge loans of one account, and of all. */
export const LOANS_PER_ACCOUNT_MAX = 100;
export const LOANS_MAX = 1_000_000;
export const PUBLIC_FILLS_KEPT = 500;
/**
 * Distinct milliseconds with trades in one rolling day before the window halves its resolution: a book with a trade
 * every second is counted in steps of 16 seconds, which keeps the snapshot of a day on every book small.
 */
export const WINDOW_BUCKETS_MAX = 1 << 13;

/** Venues whose prices make an index (rules 5.14). */
export const INDEX_COMPONENTS_MAX = 6;

export const INSTRUMENTS_MAX = 4096;
/** Every instrument may have a base coin of its own, beside the coins that they are quoted in. */
export const COINS_MAX = INSTRUMENTS_MAX + 512;
export const ACCOUNTS_MAX = 4_000_000;
export const COUNTDOWN_SECONDS_MIN = 5;
export const COUNTDOWN_SECONDS_MAX = 60;
