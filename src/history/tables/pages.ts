/**
 * Queries of the SQLite history. Every page is one walk down an index: the cost is that of the rows returned, however
 * old the page is. Only `category` beside another filter, `symbol` and `type` of ledger lines, and the filters of
 * transfers read rows that they do not return.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import { OTHER_CATEGORY } from '../../views/ledger-view.ts';
import { DamagedRow } from '../checksum.ts';
import type { PageQuery } from '../history.ts';
import type { Row, Table, UserTable } from './table.ts';

/** Columns and their required values; undefined values are ignored. */
type Filters = Readonly<Record<string, SQLInputValue | undefined>>;

export class Pages {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #sealed: () => boolean;

  /** `sealed` says whether every row must have a checksum: those of an older program get theirs gradually. */
  constructor(database: DatabaseSync, sealed: () => boolean) {
    this.#database = database;
    this.#sealed = sealed;
  }

  /** Rows of a table; throws `DamagedRow` when one is not as it was written. */
  records(table: Table, which: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.checked(table, this.rows(`${table.select} ${which}`, ...values));
  }

  /** Removes the checksum of each row. */
  checked(table: Table, rows: readonly Row[]): Row[] {
    for (const row of rows as SQLOutputValue[][]) {
      const checksum = row.pop();
      if (checksum === table.checksum(row) || (checksum === null && !this.#sealed())) continue;
      throw new DamagedRow(table.name, table.nameOf(row));
    }
    return rows as Row[];
  }

  rows(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    // The declared type has rows as objects only.
    return statement.all(...values) as unknown as Row[];
  }

  count(table: string): number {
    return Number(this.rows(`SELECT count(*) FROM ${table}`)[0]![0]);
  }

  page(
    table: UserTable,
    index: string,
    query: PageQuery,
    filters: Filters,
    furtherConditions: readonly string[] = [],
  ): Row[] {
    const { conditions, values } = chosen(filters);
    const beforeId = query.beforeId ?? Number.MAX_SAFE_INTEGER;
    conditions.push(...furtherConditions, `${table.created} BETWEEN ? AND ?`, `${table.id} < ?`);
    values.push(query.startTime, Math.min(query.endTime, this.#latestTimeBefore(table, beforeId)), beforeId);
    return this.records(
      table,
      `INDEXED BY ${index}
       WHERE ${conditions.join(' AND ')} ORDER BY ${table.created} DESC, ${table.id} DESC LIMIT ?`,
      ...values,
      query.limit,
    );
  }

  /** Without a category, the newest of every category's page. */
  pageByCategory(
    table: UserTable,
    query: PageQuery,
    category: string | undefined,
    filters: Filters = {},
  ): Row[] {
    const index = `${table.name}_by_category`;
    const pageOf = (category: string) =>
      this.page(table, index, query, { uid: query.uid, category, ...filters });
    if (category !== undefined) return pageOf(category);
    return [...CATEGORY_NAMES, OTHER_CATEGORY]
      .flatMap(pageOf)
      .sort((a, b) => Number(b[0]) - Number(a[0]))
      .slice(0, query.limit);
  }

  /** The account's order with this id. */
  orderById(table: UserTable, uid: number, orderId: number): Row | undefined {
    return this.records(table, `WHERE order_id = ? AND uid = ?`, orderId, uid)[0];
  }

  latestOrderByClientOid(table: UserTable, uid: number, clientOid: string): Row | undefined {
    const newest = 'WHERE uid = ? AND client_oid = ? ORDER BY order_id DESC LIMIT 1';
    return this.records(table, newest, uid, clientOid)[0];
  }

  /** Times rise with ids: no row before `id` is later than the row at or after it. Lets a page start at its cursor. */
  #latestTimeBefore(table: UserTable, id: number): number {
    const [row] = this.rows(
      `SELECT ${table.created} FROM ${table.name} WHERE ${table.id} >= ? ORDER BY ${table.id} LIMIT 1`,
      id,
    );
    return row === undefined ? Number.MAX_SAFE_INTEGER : Number(row[0]);
  }
}

export function chosen(filters: Filters): { conditions: string[]; values: SQLInputValue[] } {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  for (const [column, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    conditions.push(`${column} = ?`);
    values.push(value);
  }
  return { conditions, values };
}
