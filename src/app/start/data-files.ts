/** Names in a data directory that several parts of the program use. */
export const LOG_DIRECTORY = 'log';
export const HISTORY_FILE = 'history.sqlite';
/** Names the database of a history that is not in the directory. */
export const HISTORY_PLACE_FILE = 'history.json';
