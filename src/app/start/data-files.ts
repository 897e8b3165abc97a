/** Names in a data directory that more than one part of the program has to know. */
export const LOG_DIRECTORY = 'log';
export const HISTORY_FILE = 'history.sqlite';
