/** Checks every row against its checksum and every table against its total, one row at a time. */
import type { SQLOutputValue } from 'node:sqlite';
import { sumWith } from '../checksum.ts';
import { CHECKSUM, type Table } from '../tables/table.ts';
import type { Total } from '../totals.ts';
import { type Damages, shown } from './damage.ts';
import { exactRows, type HistoryFile, META, plainValues, TOTALS } from './history-file.ts';
import { findOneBit } from './one-bit.ts';

const PROGRESS_ROWS = 10_000;
/** Searching for a changed bit takes milliseconds, so it is done for this many rows. */
const EXPLAINED_MAX = 100;

export interface RowCounts {
  /** Rows whose checksum matches. */
  sound: number;
  /** Rows of an older program without a checksum yet. */
  unsealed: number;
  readonly found: Map<string, Total>;
}

/** Yields at intervals with the number of rows checked. */
export function* checkRows(
  file: HistoryFile,
  tables: readonly Table[],
  sealed: boolean,
  damages: Damages,
): Generator<number, RowCounts> {
  const counts: RowCounts = { sound: 0, unsealed: 0, found: new Map() };
  for (const table of [META, TOTALS, ...tables]) {
    try {
      yield* checkTable(file, table, sealed || table === META || table === TOTALS, damages, counts);
    } catch (error) {
      damages.add({ table: table.name, row: '', problem: `cannot be read: ${(error as Error).message}` });
    }
  }
  compareTotals(file, tables, damages, counts.found);
  return counts;
}

function* checkTable(
  file: HistoryFile,
  table: Table,
  sealed: boolean,
  damages: Damages,
  counts: RowCounts,
): Generator<number, void> {
  const total: Total = { rows: 0, checksums: 0 };
  let seen = 0;
  for (const row of exactRows(file.database, table.select).iterate()) {
    const values = plainValues(row as unknown as SQLOutputValue[]);
    const checksum = values.pop();
    if (checksum === null && !sealed) counts.unsealed += 1;
    else if (checksum === table.checksum(values)) counts.sound += 1;
    else noteDamagedRow(table, values, checksum, damages);
    if (typeof checksum === 'number') {
      total.rows += 1;
      total.checksums = sumWith(total.checksums, checksum);
    }
    if (++seen % PROGRESS_ROWS === 0) yield PROGRESS_ROWS;
  }
  counts.found.set(table.name, total);
  yield seen % PROGRESS_ROWS;
}

function noteDamagedRow(
  table: Table,
  values: Parameters<Table['nameOf']>[0],
  checksum: unknown,
  damages: Damages,
): void {
  const damage = { table: table.name, row: table.nameOf(values), problem: 'its checksum does not match' };
  const bit = damages.count < EXPLAINED_MAX ? findOneBit(table, values, checksum) : undefined;
  if (bit === undefined) damages.add(damage);
  else if (bit.field === CHECKSUM)
    damages.add({ ...damage, field: CHECKSUM, stored: String(checksum), expected: shown(bit.original) });
  else damages.add({ ...damage, field: bit.field, stored: shown(bit.stored), expected: shown(bit.original) });
}

function compareTotals(
  file: HistoryFile,
  tables: readonly Table[],
  damages: Damages,
  found: ReadonlyMap<string, Total>,
): void {
  const stored = readTotals(file);
  for (const { name } of tables) {
    const there = found.get(name);
    if (there === undefined) continue;
    const kept = stored.get(name) ?? { rows: 0, checksums: 0 };
    if (there.rows !== kept.rows) {
      const lost = kept.rows - there.rows;
      damages.add({
        table: name,
        row: '',
        problem: lost > 0 ? `lacks ${lost} of its rows` : `has ${-lost} rows that the history did not write`,
        field: 'rows',
        stored: String(there.rows),
        expected: String(kept.rows),
      });
    } else if (there.checksums !== kept.checksums && damages.in(name) === 0) {
      damages.add({
        table: name,
        row: '',
        problem: 'a row is not the one that was written: the sum of the checksums is another',
        field: 'checksums',
        stored: String(there.checksums),
        expected: String(kept.checksums),
      });
    }
  }
}

export function readTotals(file: HistoryFile): Map<string, Total> {
  try {
    const rows = exactRows(file.database, TOTALS.select).all() as unknown as SQLOutputValue[][];
    return new Map(
      rows.map((row) => [String(row[0]), { rows: Number(row[1]), checksums: Number(row[2]) }] as const),
    );
  } catch {
    // Reported before: the table cannot be read.
    return new Map();
  }
}
