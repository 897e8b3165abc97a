/** Names in a data directory that several parts of the program use. */
export const LOG_DIRECTORY = 'log';
export const HISTORY_FILE = 'history.sqlite';
