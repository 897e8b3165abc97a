/** A table of the history: its columns, and the conversion between rows and records. */

import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { FeeDetail } from '../../views/format.ts';
import { checksumOf } from '../checksum.ts';
import { RETENTION_MS } from '../history.ts';

export const CHECKSUM = 'checksum';

/** Values in the order of the table's columns. */
export type Row = readonly SQLOutputValue[];
export type RowValues = readonly SQLInputValue[];

interface TableColumns<Text extends string> {
  readonly name: string;
  /** The primary key. */
  readonly key: readonly string[];
  /** Columns before the texts, such as ids. */
  readonly before: readonly string[];
  /** Fields that are text in the record and in the table, spelt as in the record. */
  readonly texts: readonly Text[];
  /** Columns after the texts, such as times and values that the record does not show. */
  readonly after?: readonly string[];
  /** The column that is bytes. */
  readonly blob?: string;
  /** Unfinished rows: a later projection of the same key replaces them. All others are never changed. */
  readonly open?: OpenRows;
}

export interface OpenRows {
  readonly column: string;
  readonly value: string;
}

export class Table<Text extends string = string> {
  readonly name: string;
  readonly key: readonly string[];
  /** All but the checksum. */
  readonly columns: readonly string[];
  readonly open: OpenRows | undefined;
  /** The columns, and the checksum after them. */
  readonly select: string;
  /** A conflict of the key is a row projected before; every other conflict is an error. */
  readonly insert: string;
  readonly #texts: readonly Text[];
  readonly #textsFrom: number;
  readonly #keyPlaces: readonly number[];
  readonly #blob: number;

  constructor({ name, key, before, texts, after = [], blob, open }: TableColumns<Text>) {
    this.name = name;
    this.key = key;
    this.columns = [...before, ...texts.map(columnName), ...after];
    this.open = open;
    const columns = [...this.columns, CHECKSUM];
    const places = columns.map(() => '?').join(', ');
    this.select = `SELECT ${columns.join(', ')} FROM ${name}`;
    const replaced = columns.map((column) => `${column} = excluded.${column}`).join(', ');
    const onConflict =
      open === undefined ? 'NOTHING' : `UPDATE SET ${replaced} WHERE ${open.column} = '${open.value}'`;
    this.insert = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places})
      ON CONFLICT (${key.join(', ')}) DO ${onConflict}`;
    this.#texts = texts;
    this.#textsFrom = before.length;
    this.#keyPlaces = key.map((column) => this.columns.indexOf(column));
    this.#blob = blob === undefined ? -1 : this.columns.indexOf(blob);
  }

  checksum(values: RowValues): number {
    return checksumOf(values, this.#blob);
  }

  keyOf(values: RowValues): SQLInputValue[] {
    return this.#keyPlaces.map((place) => values[place]!);
  }

  /** The condition that finds one row by its key. */
  get whereKey(): string {
    return `WHERE ${this.key.map((column) => `${column} = ?`).join(' AND ')}`;
  }

  /** The row's key for people, such as `exec_id=12`. */
  nameOf(values: RowValues): string {
    return this.key
      .map((column, n) => `${column}=${values[this.#keyPlaces[n]!] as string | number}`)
      .join(' ');
  }

  row(before: RowValues, record: Readonly<Record<Text, string>>, after: RowValues = []): SQLInputValue[] {
    const values = [...before];
    for (const field of this.#texts) values.push(record[field]);
    values.push(...after);
    return values;
  }

  /** A page has thousands of fields; spreading such an object costs ten times what filling it does. */
  textsOf(row: Row): Record<Text, string> {
    const texts: Partial<Record<Text, string>> = {};
    for (let n = 0; n < this.#texts.length; n++) texts[this.#texts[n]!] = String(row[this.#textsFrom + n]);
    return texts as Record<Text, string>;
  }
}

interface UserTableColumns<Text extends string> extends Omit<TableColumns<Text>, 'key'> {
  /** The key: an id of the one counter. */
  readonly id: string;
  /** The time of queries. */
  readonly created: string;
  /** Time of the last change, where it can be later. */
  readonly updated?: string;
  /** Retention of rows; `RETENTION_MS` when absent. Unfinished rows stay however old they are. */
  readonly retentionMs?: number;
}

/** Rows of users: paged by id and time, and deleted when no query can reach them any more. */
export class UserTable<Text extends string = string> extends Table<Text> {
  readonly id: string;
  readonly created: string;
  readonly updated: string;
  readonly retentionMs: number;

  constructor(columns: UserTableColumns<Text>) {
    super({ ...columns, key: [columns.id] });
    const { id, created, updated = created, retentionMs = RETENTION_MS } = columns;
    this.id = id;
    this.created = created;
    this.updated = updated;
    this.retentionMs = retentionMs;
  }
}

/** The fields of a record that its table stores as text; the others are numbers there, or derived from them. */
export function textsAmong<Field extends string, Other extends Field>(
  fields: readonly Field[],
  others: readonly Other[],
): readonly Exclude<Field, Other>[] {
  return fields.filter((field): field is Exclude<Field, Other> => !others.includes(field as Other));
}

/** `isRPI` is `is_rpi`. */
function columnName(field: string): string {
  return field.replace(/[A-Z]+/g, (capitals) => `_${capitals.toLowerCase()}`);
}

/** The last columns of orders and fills. */
export const FEE_AND_TIMES = ['fee_coin', 'fee', 'created_time', 'updated_time'] as const;

/** An order without a fill has no fee coin. */
export function feeAndTimes(fees: readonly FeeDetail[], createdTime: number, updatedTime: number): RowValues {
  const [fee] = fees;
  return [fee?.feeCoin ?? '', fee?.fee ?? '0', createdTime, updatedTime];
}

export function readFeeAndTimes(row: Row): {
  readonly feeDetail: readonly FeeDetail[];
  readonly createdTime: string;
  readonly updatedTime: string;
} {
  const [feeCoin, fee, createdTime, updatedTime] = row.slice(-FEE_AND_TIMES.length).map(String);
  return {
    feeDetail: feeCoin === '' ? [] : [{ feeCoin: feeCoin!, fee: fee! }],
    createdTime: createdTime!,
    updatedTime: updatedTime!,
  };
}
