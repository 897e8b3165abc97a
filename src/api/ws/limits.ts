/** Limits of one connection, of one address, and in total (wire 5.1, reliability 2.2 and 3.3). */

/** Input of a client. */
export const FRAME_BYTES_MAX = 16_384;
export const SUBSCRIBE_BYTES_MAX = 4_096;
export const FRAME_STRING_CHARS_MAX = 1_024;
/** Characters of a subscription's argument, which every push repeats. */
export const ARGUMENT_CHARS_MAX = 512;
/** Ten messages a second on average; a starting client may send its subscriptions faster. */
export const MESSAGES_PER_SECOND = 10;
export const MESSAGE_BURST = 100;
export const SUBSCRIBE_REQUESTS_PER_HOUR = 240;
/** A client over one of these limits is warned with 30006; this many more requests close the connection. */
export const REQUESTS_AFTER_WARNING = 20;
export const CHANNELS_PER_CONNECTION_MAX = 1_000;
/** Orders without a response yet; above this, reading from the socket pauses. */
export const TRADES_IN_FLIGHT_MAX = 256;
/** Cost of a flood against the address's overall limit: the sixth within a minute blocks the address. */
export const FLOOD_COST = 1_000;

/** Connections. */
export const CONNECTIONS_PER_ADDRESS_MAX = 100;
export const CONNECTIONS_PER_UID_MAX = 100;
/** Handshakes a second over all addresses: after a restart, clients that reconnect together are spread over time. */
export const HANDSHAKES_PER_SECOND = 500;
export const LOGIN_WITHIN_MS = 10_000;
/**
 * A login that finds the passphrase check busy retries at this interval for this long: its timestamp is valid for 30
 * s.
 */
export const LOGIN_RETRY_MS = 200;
export const LOGIN_PATIENCE_MS = 20_000;
export const PING_INTERVAL_MS = 20_000;
/** Two pings without a sign of life. */
export const SILENCE_MAX_MS = 2 * PING_INTERVAL_MS + 5_000;
/** A client must send `ping` or any message this often (wire 5.1). */
export const IDLE_MAX_MS = 120_000;
export const AGE_MAX_MS = 24 * 60 * 60_000;
export const AGE_NOTICE_MS = 60_000;

/** Bytes that wait for a reader. */
export const UNSENT_BYTES_MAX = 1024 * 1024;
export const UNSENT_TOTAL_BYTES_MAX = 256 * 1024 * 1024;
/** Above this, a reader gets only the newest push of a snapshot topic. */
export const CONFLATE_ABOVE_BYTES = 64 * 1024;
/** A reader is stalled when bytes wait and none has left for this long, or a ping is unanswered for this long. */
export const STALLED_MS = 3_000;
/** A reader that was sent this much without a sign of life for this long is pinged. */
export const PROBE_AFTER_BYTES = 4 * 1024;
export const PROBE_AFTER_MS = 1_000;

/** Work of the server. */
/** Every connection is checked once a round; a part of them in each step. */
export const REAPER_ROUND_MS = 250;
export const REAPER_STEP_MS = 10;
export const POLL_INTERVAL_MS = 10;
/** Longest uninterrupted slice of sending; orders are served in between, and wait for two slices at most. */
export const SENDING_SLICE_MS = 0.2;
/** Trades of a market with many readers are collected for this long per reader: sending takes a third of that time. */
export const TRADE_REST_PER_READER_MS = 0.04;
export const CLOSE_GRACE_MS = 1_000;
/**
 * At a stop this many connections close together, at the rate at which handshakes are admitted, all within ten
 * seconds.
 */
export const LEAVE_STEP_MS = 100;
export const LEAVE_TOGETHER = (HANDSHAKES_PER_SECOND * LEAVE_STEP_MS) / 1_000;
export const LEAVE_WITHIN_MS = 10_000;

/** First pushes and page sizes. */
export const BOOK_LEVELS_MAX = 1_000;
export const FIRST_TRADES = 50;
export const FIRST_CANDLES = 100;
export const CLOSED_CANDLES_KEPT = 4;
export const RECORDS_PER_PUSH_MAX = 100;
