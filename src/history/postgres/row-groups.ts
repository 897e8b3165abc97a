/**
 * Rows on their way to PostgreSQL, as the array literals of their columns: one statement stores all rows of a table, and
 * nothing is formatted twice when a transaction has to be repeated.
 */
import { CHECKSUM, type RowValues, type Table } from '../tables/table.ts';

type Value = RowValues[number];

/** Rows of one table, each key once where a row may be replaced: a statement cannot change a row twice. */
export class RowGroup {
  readonly table: Table;
  readonly #columns: string[];
  readonly #keys: Set<string> | undefined;

  constructor(table: Table) {
    this.table = table;
    this.#columns = Array.from({ length: table.columns.length + 1 }, () => '');
    this.#keys = table.open === undefined ? undefined : new Set();
  }

  takes(values: RowValues): boolean {
    return this.#keys?.has(this.table.nameOf(values)) !== true;
  }

  add(given: RowValues): void {
    const values = given.map(storable);
    this.#keys?.add(this.table.nameOf(values));
    const columns = this.#columns;
    for (let n = 0; n < values.length; n++) columns[n] += `,${literal(values[n]!)}`;
    columns[values.length] += `,${this.table.checksum(values)}`;
  }

  /** One for each column. */
  literals(): string[] {
    return this.#columns.map((column) => `{${column.slice(1)}}`);
  }
}

/** Groups in the order in which they must be stored. */
export class RowGroups {
  readonly groups: RowGroup[] = [];
  readonly #current = new Map<Table, RowGroup>();

  add(table: Table, values: RowValues): void {
    let group = this.#current.get(table);
    if (group === undefined || !group.takes(values)) {
      group = new RowGroup(table);
      this.groups.push(group);
      this.#current.set(table, group);
    }
    group.add(values);
  }
}

/** PostgreSQL has no text with the character 0, which no input of the exchange permits either. */
function storable(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

const SPECIAL = /["\\]/;

function literal(value: Value): string {
  if (typeof value === 'string') return `"${SPECIAL.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
  if (ArrayBuffer.isView(value)) {
    const { buffer, byteOffset, byteLength } = value;
    return `"\\\\x${Buffer.from(buffer, byteOffset, byteLength).toString('hex')}"`;
  }
  return String(value);
}

/** Column types by table and column, as the database has them. */
export type ColumnTypes = ReadonlyMap<string, string>;

const MODULUS = 2 ** 32;

/** Stores a group, and counts in `totals` what was added. A row that is there already stays, as in `Table.insert`. */
export function insertText(table: Table, types: ColumnTypes): string {
  const { name, key, open } = table;
  const columns = [...table.columns, CHECKSUM];
  const arrays = columns.map((column, n) => `$${n + 1}::${types.get(`${name}.${column}`)}[]`);
  const replaced = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  const unfinished = open === undefined ? '' : `${name}.${open.column} = '${open.value}'`;
  const onConflict = open === undefined ? 'NOTHING' : `UPDATE SET ${replaced} WHERE ${unfinished}`;
  const before =
    open === undefined
      ? 'SELECT 0 AS n, 0 AS sum'
      : `SELECT count(*) AS n, coalesce(sum(${name}.${CHECKSUM}), 0) AS sum FROM ${name} JOIN given USING (${key.join(', ')})
         WHERE ${unfinished}`;
  return `WITH given AS (SELECT * FROM unnest(${arrays.join(', ')}) AS given (${columns.join(', ')})),
    before AS (${before}),
    stored AS (INSERT INTO ${name} (${columns.join(', ')}) SELECT * FROM given
      ON CONFLICT (${key.join(', ')}) DO ${onConflict} RETURNING ${CHECKSUM}),
    after AS (SELECT count(*) AS n, coalesce(sum(${CHECKSUM}), 0) AS sum FROM stored)
    UPDATE totals SET rows = rows + after.n - before.n,
      checksums = mod(mod(checksums + after.sum - before.sum, ${MODULUS}) + ${MODULUS}, ${MODULUS})
    FROM before, after WHERE table_name = '${name}'`;
}

/** Deletes rows and takes them from `totals`; `which` is their condition. Returns their number. */
export function deleteText(table: Table, which: string): string {
  return `WITH gone AS (DELETE FROM ${table.name} WHERE ${which} RETURNING ${CHECKSUM}),
    summed AS (SELECT count(*) AS n, coalesce(sum(${CHECKSUM}), 0) AS sum FROM gone),
    counted AS (UPDATE totals SET rows = rows - summed.n,
      checksums = mod(checksums - mod(summed.sum, ${MODULUS}) + ${MODULUS}, ${MODULUS})
      FROM summed WHERE table_name = '${table.name}')
    SELECT n FROM summed`;
}
