/**
 * Adds checksums to the rows of an older program, a few at a time between other work. Damage from before cannot be
 * detected any more. A restart continues the work; reads require checksums when every row of every table has one
 * ("sealed").
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { CHECKSUM, type Table } from './tables/table.ts';
import { PROJECTED_TABLES } from './tables/tables.ts';
import type { Totals } from './totals.ts';

/** A few milliseconds, as for pruning. */
const STEP_ROWS = 500;

/** Yields after each step with its rows; `begin` opens a transaction when there is none. */
export function* sealRows(database: DatabaseSync, totals: Totals, begin: () => void): Generator<number> {
  // A failed transaction rolls its rows back, so only a pass that finds nothing is the last.
  for (let found = true; found; ) {
    found = false;
    for (const table of PROJECTED_TABLES) {
      for (const rows of sealTable(database, table, totals, begin)) {
        found = true;
        yield rows;
      }
    }
  }
}

function* sealTable(
  database: DatabaseSync,
  table: Table,
  totals: Totals,
  begin: () => void,
): Generator<number> {
  const { name, key, columns } = table;
  const order = key.join(', ');
  const select = `SELECT ${columns.join(', ')} FROM ${name} WHERE ${CHECKSUM} IS NULL`;
  const first = database.prepare(`${select} ORDER BY ${order} LIMIT ${STEP_ROWS}`);
  const next = database.prepare(
    `${select} AND (${order}) > (${key.map(() => '?').join(', ')}) ORDER BY ${order} LIMIT ${STEP_ROWS}`,
  );
  for (const statement of [first, next]) statement.setReturnArrays(true);
  const seal = database.prepare(`UPDATE ${name} SET ${CHECKSUM} = ? ${table.whereKey}`);
  let after: SQLInputValue[] | undefined;
  for (;;) {
    const found = after === undefined ? first.all() : next.all(...after);
    const rows = found as unknown as SQLOutputValue[][];
    if (rows.length === 0) return;
    begin();
    for (const row of rows) {
      const checksum = table.checksum(row);
      seal.run(checksum, ...table.keyOf(row));
      totals.add(name, checksum);
    }
    after = table.keyOf(rows.at(-1)!);
    yield rows.length;
  }
}
