/**
 * Queries of the history. Every page is one walk down an index: the cost is that of the rows returned, however
 * old the page is. Only `category` beside another filter, `symbol` and `type` of ledger lines, and the filters of
 * transfers read rows that they do not return.
 */
import { CATEGORY_NAMES } from '../../core/model/enums.ts';
import { OTHER_CATEGORY } from '../../views/ledger-view.ts';
import { DamagedRow } from '../checksum.ts';
import type { GeneratedReads } from '../generated-reads.ts';
import type { PageQuery } from '../history.ts';
import type { Read, SelectValue } from '../read.ts';
import type { Row, Table, UserTable } from './table.ts';

/** Columns and their required values; undefined values are ignored. */
type Filters = Readonly<Record<string, string | number | undefined>>;

/** Which rows of a table: everything behind its name. */
interface Which {
  readonly index?: string | undefined;
  readonly text: string;
  readonly values: readonly SelectValue[];
}

export class Pages {
  readonly #sealed: () => boolean;
  /** The generated past, where the database does not hold it. */
  readonly generated: GeneratedReads | undefined;

  /** `sealed` says whether every row must have a checksum: those of an older program get theirs gradually. */
  constructor(sealed: () => boolean, generated?: GeneratedReads) {
    this.#sealed = sealed;
    this.generated = generated;
  }

  /** Rows of a table; throws `DamagedRow` when one is not as it was written. */
  *records(table: Table, { index, text, values }: Which): Read<Row[]> {
    return this.#checked(table, yield { text: `${table.select} ${text}`, index, values });
  }

  /** Removes the checksum of each row. */
  #checked(table: Table, rows: readonly Row[]): Row[] {
    for (const row of rows as Row[number][][]) {
      const checksum = row.pop();
      if (checksum === table.checksum(row) || (checksum === null && !this.#sealed())) continue;
      throw new DamagedRow(table.name, table.nameOf(row));
    }
    return rows as Row[];
  }

  *rows(text: string, ...values: readonly SelectValue[]): Read<Row[]> {
    return yield { text, values };
  }

  *count(table: string): Read<number> {
    const [row] = yield* this.rows(`SELECT count(*) FROM ${table}`);
    return Number(row![0]);
  }

  *page(
    table: UserTable,
    index: string,
    query: PageQuery,
    filters: Filters,
    furtherConditions: readonly string[] = [],
  ): Read<Row[]> {
    const { conditions, values } = chosen(filters);
    const beforeId = query.beforeId ?? Number.MAX_SAFE_INTEGER;
    conditions.push(...furtherConditions, `${table.created} BETWEEN ? AND ?`, `${table.id} < ?`);
    const latest = yield* this.#latestTimeBefore(table, beforeId);
    values.push(query.startTime, Math.min(query.endTime, latest), beforeId);
    const text = `WHERE ${conditions.join(' AND ')} ORDER BY ${table.created} DESC, ${table.id} DESC LIMIT ?`;
    return yield* this.records(table, { index, text, values: [...values, query.limit] });
  }

  /** Without a category, the newest of every category's page. */
  *pageByCategory(
    table: UserTable,
    query: PageQuery,
    category: string | undefined,
    filters: Filters = {},
  ): Read<Row[]> {
    const index = `${table.name}_by_category`;
    const categories = category === undefined ? [...CATEGORY_NAMES, OTHER_CATEGORY] : [category];
    const rows: Row[] = [];
    for (const each of categories)
      rows.push(...(yield* this.page(table, index, query, { uid: query.uid, category: each, ...filters })));
    if (category !== undefined) return rows;
    return rows.sort((a, b) => Number(b[0]) - Number(a[0])).slice(0, query.limit);
  }

  /** The account's order with this id. */
  *orderById(table: UserTable, uid: number, orderId: number): Read<Row | undefined> {
    const rows = yield* this.records(table, {
      text: 'WHERE order_id = ? AND uid = ?',
      values: [orderId, uid],
    });
    return rows[0];
  }

  *latestOrderByClientOid(table: UserTable, uid: number, clientOid: string): Read<Row | undefined> {
    const rows = yield* this.records(table, {
      text: 'WHERE uid = ? AND client_oid = ? ORDER BY order_id DESC LIMIT 1',
      values: [uid, clientOid],
    });
    return rows[0];
  }

  /** Times rise with ids: no row before `id` is later than the row at or after it. Lets a page start at its cursor. */
  *#latestTimeBefore(table: UserTable, id: number): Read<number> {
    if (id === Number.MAX_SAFE_INTEGER) return id;
    const [row] = yield* this.rows(
      `SELECT ${table.created} FROM ${table.name} WHERE ${table.id} >= ? ORDER BY ${table.id} LIMIT 1`,
      id,
    );
    return row === undefined ? Number.MAX_SAFE_INTEGER : Number(row[0]);
  }
}

export function chosen(filters: Filters): { conditions: string[]; values: SelectValue[] } {
  const conditions: string[] = [];
  const values: SelectValue[] = [];
  for (const [column, value] of Object.entries(filters)) {
    if (value === undefined) continue;
    conditions.push(`${column} = ?`);
    values.push(value);
  }
  return { conditions, values };
}
