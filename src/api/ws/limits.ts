/** How much one connection, one address and all of them together may use (wire 5.1, reliability 2.2 and 3.3). */

/** What a client may send. */
export const FRAME_BYTES_MAX = 16_384;
export const SUBSCRIBE_BYTES_MAX = 4_096;
export const FRAME_STRING_CHARS_MAX = 1_024;
/** Of one subscription: every push repeats it. */
export const ARGUMENT_CHARS_MAX = 512;
/** Ten messages a second on average; a client that starts up may send its subscriptions faster. */
export const MESSAGES_PER_SECOND = 10;
export const MESSAGE_BURST = 100;
export const SUBSCRIBE_REQUESTS_PER_HOUR = 240;
/** Who has used up either is warned with 30006 first; so many more end the connection. */
export const REQUESTS_AFTER_WARNING = 20;
export const CHANNELS_PER_CONNECTION_MAX = 1_000;
/** Orders whose answers a connection waits for; reading pauses above. */
export const TRADES_IN_FLIGHT_MAX = 256;
/** What a flood costs of the address's overall limit: the sixth within a minute shuts the address out. */
export const FLOOD_COST = 1_000;

/** Who may be connected. */
export const CONNECTIONS_PER_ADDRESS_MAX = 100;
export const CONNECTIONS_PER_UID_MAX = 100;
/** Handshakes a second over all addresses: a herd that returns after a restart waits at the door. */
export const HANDSHAKES_PER_SECOND = 500;
export const LOGIN_WITHIN_MS = 10_000;
/** A login that finds the check of passphrases busy asks again so often and so long: its timestamp is good for 30 s. */
export const LOGIN_RETRY_MS = 200;
export const LOGIN_PATIENCE_MS = 20_000;
export const PING_INTERVAL_MS = 20_000;
/** Two pings without any sign of life. */
export const SILENCE_MAX_MS = 2 * PING_INTERVAL_MS + 5_000;
/** A client says `ping`, or anything else, at least so often (wire 5.1). */
export const IDLE_MAX_MS = 120_000;
export const AGE_MAX_MS = 24 * 60 * 60_000;
export const AGE_NOTICE_MS = 60_000;

/** What waits for a reader. */
export const UNSENT_BYTES_MAX = 1024 * 1024;
export const UNSENT_TOTAL_BYTES_MAX = 256 * 1024 * 1024;
/** Above this a reader gets only the newest of what replaces itself. */
export const CONFLATE_ABOVE_BYTES = 64 * 1024;
/** Bytes wait and none has left for so long, or a ping has no answer for so long: nobody is reading. */
export const STALLED_MS = 3_000;
/** A reader that was sent so much without a sign of life for so long is asked for one. */
export const PROBE_AFTER_BYTES = 4 * 1024;
export const PROBE_AFTER_MS = 1_000;

/** Work of the venue. */
/** Every connection is looked at so often; a part of them at each step. */
export const REAPER_ROUND_MS = 250;
export const REAPER_STEP_MS = 10;
export const POLL_INTERVAL_MS = 10;
/** Longest uninterrupted stretch of sending to many; orders are served in between, and meet two of them at most. */
export const SENDING_SLICE_MS = 0.2;
/** Trades of a market with very many readers gather for so long for each of them: sending takes a third of it. */
export const TRADE_REST_PER_READER_MS = 0.04;
export const CLOSE_GRACE_MS = 1_000;
/** At a stop so many leave together, as many a second as may return, and all within ten seconds. */
export const LEAVE_STEP_MS = 100;
export const LEAVE_TOGETHER = (HANDSHAKES_PER_SECOND * LEAVE_STEP_MS) / 1_000;
export const LEAVE_WITHIN_MS = 10_000;

/** First pushes and page sizes. */
export const BOOK_LEVELS_MAX = 1_000;
export const FIRST_TRADES = 50;
export const FIRST_CANDLES = 100;
export const CLOSED_CANDLES_KEPT = 4;
export const RECORDS_PER_PUSH_MAX = 100;
