/** Reads of a generated past that is beside the database of the history. */
import type { Row } from './tables/table.ts';

export interface GeneratedReads {
  /** Books with generated candles, as `CATEGORY:SYMBOL`. */
  names(): string[];
  /** First candles of chunks that end at or after `from` and begin before `until`, ascending. */
  firstOpens(category: string, symbol: string, width: string, from: number, until: number): number[];
  /** Throws DamagedRow. */
  chunk(category: string, symbol: string, width: string, firstOpen: number): Row | undefined;
  /** Funding rates before a time, the latest first. Throws DamagedRow. */
  ratesBefore(category: string, symbol: string, time: number): Row[];
}
