/** Names in a data directory that several parts of the program use. */
export const LOG_DIRECTORY = 'log';
export const HISTORY_FILE = 'history.sqlite';
/** The generated past, beside it (`history/generated-file.ts`). */
export const GENERATED_FILE = 'history-generated.sqlite';
/** Names the database of a history that is not in the directory. */
export const HISTORY_PLACE_FILE = 'history.json';

/** What to do about a lost or damaged generated past. */
export const LOST_GENERATED =
  'Put it back from a backup, or move it away and start with --accept-history-gap: charts from before the exchange began ' +
  'are then empty until the market generates them anew.';
