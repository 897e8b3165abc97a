/**
 * Compares stored rows with those that a replay produces: each row of their events must be stored, with the same
 * values. Rows are looked up one by one, so that the length of the journal does not matter.
 */
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Event } from '../../core/model/event.ts';
import { addEvent, type ProjectedEvents, ProjectionBatch, type ProjectionKind } from '../projection-batch.ts';
import type { NameResolver } from '../tables/name-resolver.ts';
import { type RowValues, type Table, UserTable } from '../tables/table.ts';
import { PROJECTION_KINDS, PROJECTIONS } from '../tables/tables.ts';
import { type Damages, shown } from './damage.ts';
import { exactRows, type HistoryFile, plainValues } from './history-file.ts';

/** Pruning uses the clock, which may be ahead of the last command. */
const PRUNE_SLACK_MS = 60_000;

interface Missing {
  readonly table: Table;
  readonly values: RowValues;
}

/** Missing rows are checked again at this number: those old enough to be pruned are dropped. */
const MISSING_STEP = 10_000;

interface Lookup {
  readonly select: StatementSync;
  /** Columns that the file has. */
  readonly columns: readonly string[];
  readonly places: readonly number[];
}

/** Handles a row that differs; `stored` is undefined when it is missing. */
export type Mend = (table: Table, expected: RowValues, stored: RowValues | undefined) => void;

export class ReplayedRows {
  readonly #file: HistoryFile;
  readonly #damages: Damages;
  readonly #mend: Mend | undefined;
  readonly #lookups = new Map<string, Lookup>();
  /** Rows that a later command may change. */
  readonly #open = new Map<string, { readonly table: Table; readonly values: RowValues }>();
  /** Missing rows, until it is known which may have been pruned. */
  #missing: Missing[] = [];
  /** Rows found of those that only the journal can have produced. */
  readonly #made = new Map<Table, number>();
  #lastId = Number.MAX_SAFE_INTEGER;
  #startTime = Number.MAX_SAFE_INTEGER;
  #missingDue = MISSING_STEP;
  #compared = 0;

  constructor(file: HistoryFile, damages: Damages, mend?: Mend) {
    this.#file = file;
    this.#damages = damages;
    this.#mend = mend;
  }

  get compared(): number {
    return this.#compared;
  }

  /** The last id and the time before the first command: newer rows must come from the commands that follow. */
  startAfter(lastId: number, time: number): void {
    this.#lastId = lastId;
    this.#startTime = time;
  }

  /** The events of a command at `now`. */
  compare(events: readonly Event[], names: NameResolver, now: number): void {
    if (events.length === 0) return;
    if (this.#missing.length >= this.#missingDue) {
      this.#missing = this.#missing.filter(({ table, values }) => !mayBePruned(table, values, now));
      this.#missingDue = this.#missing.length + MISSING_STEP;
    }
    const { byKind } = batchOf(events);
    for (const kind of PROJECTION_KINDS) this.#compareKind(kind, byKind, names);
  }

  #compareKind<Kind extends ProjectionKind>(
    kind: Kind,
    byKind: { readonly [K in Kind]: ProjectedEvents[K][] },
    names: NameResolver,
  ): void {
    const { table, row } = PROJECTIONS[kind];
    for (const recorded of byKind[kind]) {
      const values = row(recorded, names);
      if (table.open === undefined) this.#compareRow(table, values);
      else this.#compareOpen(table, values);
    }
  }

  /** `now` is the time of the last command. */
  finish(now: number): void {
    for (const { table, values } of this.#open.values()) this.#compareRow(table, values);
    this.#findSurplus();
    for (const { table, values } of this.#missing) {
      if (mayBePruned(table, values, now)) continue;
      this.#damages.add({
        table: table.name,
        row: table.nameOf(values),
        problem: 'is missing: the log makes it',
      });
      this.#mend?.(table, values, undefined);
    }
  }

  /** Keys begin with an id, or end with a time. */
  #isNew(table: Table, values: RowValues): boolean {
    const key = Number(table.keyOf(values).at(-1));
    return table instanceof UserTable ? key > this.#lastId : key > this.#startTime;
  }

  #findSurplus(): void {
    for (const table of new Set(PROJECTION_KINDS.map((kind) => PROJECTIONS[kind].table))) {
      const after = table instanceof UserTable ? this.#lastId : this.#startTime;
      const sql = `SELECT count(*) FROM ${table.name} WHERE ${table.key.at(-1)!} > ?`;
      const [found] = exactRows(this.#file.database, sql).get(after) as unknown as bigint[];
      const surplus = Number(found) - (this.#made.get(table) ?? 0);
      if (surplus <= 0) continue;
      const problem = `has ${surplus} rows with ${table.key.at(-1)!} above ${after} that the log does not make`;
      this.#damages.add({ table: table.name, row: '', problem });
    }
  }

  #compareOpen(table: Table, values: RowValues): void {
    const { column, value } = table.open!;
    const key = `${table.name} ${table.nameOf(values)}`;
    if (values[table.columns.indexOf(column)] === value) {
      this.#open.set(key, { table, values });
    } else {
      this.#open.delete(key);
      this.#compareRow(table, values);
    }
  }

  #compareRow(table: Table, expected: RowValues): void {
    this.#compared += 1;
    const { select, columns, places } = this.#lookup(table);
    const found = select.get(...table.keyOf(expected)) as unknown as SQLOutputValue[] | undefined;
    if (found === undefined) {
      this.#missing.push({ table, values: expected });
      return;
    }
    if (this.#isNew(table, expected)) this.#made.set(table, (this.#made.get(table) ?? 0) + 1);
    const stored = plainValues(found);
    const n = places.findIndex((place, n) => stored[n] !== asStored(expected[place]));
    if (n < 0) return;
    this.#damages.add({
      table: table.name,
      row: table.nameOf(expected),
      problem: 'is not what the log makes',
      field: columns[n]!,
      stored: shown(stored[n]),
      expected: shown(asStored(expected[places[n]!])),
    });
    this.#mend?.(table, expected, stored);
  }

  #lookup(table: Table): Lookup {
    const known = this.#lookups.get(table.name);
    if (known !== undefined) return known;
    const there = this.#file.columnsOf(table);
    const columns = table.columns.filter((column) => there.has(column));
    const select = exactRows(
      this.#file.database,
      `SELECT ${columns.join(', ')} FROM ${table.name} ${table.whereKey}`,
    );
    const lookup = { select, columns, places: columns.map((column) => table.columns.indexOf(column)) };
    this.#lookups.set(table.name, lookup);
    return lookup;
  }
}

function batchOf(events: readonly Event[]) {
  const batch = new ProjectionBatch();
  for (const event of events) addEvent(batch, event);
  return batch;
}

function mayBePruned(table: Table, values: RowValues, now: number): boolean {
  if (!(table instanceof UserTable)) return false;
  const of = (column: string): SQLInputValue => values[table.columns.indexOf(column)]!;
  if (table.open !== undefined && of(table.open.column) === table.open.value) return false;
  return Number(of(table.updated)) < now - table.retentionMs + PRUNE_SLACK_MS;
}

/** SQLite stores text as UTF-8: an unpaired surrogate becomes the replacement character. */
function asStored(value: RowValues[number] | undefined): RowValues[number] | undefined {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
