/**
 * The generated past of an exchange in memory, by book. It is the same on every branch and never changes once it is there, so
 * branches and snapshots share it by reference, and a copy of the history does not hold it (`docs/lab.md`).
 */
import { statSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { DamagedRow } from './checksum.ts';
import type { GeneratedPast } from './generated-candles.ts';
import type { GeneratedReads } from './generated-reads.ts';
import { migrateGenerated, readMeta } from './sqlite-schema.ts';
import { GENERATED_CANDLES, generatedRow } from './tables/generated-candles.ts';
import { GENERATED_FUNDING_RATES, generatedFundingRow } from './tables/market-records.ts';
import type { Row, RowValues, Table } from './tables/table.ts';

interface Book {
  /** By width and first candle. */
  readonly chunks: ReadonlyMap<string, Row>;
  readonly rates: ReadonlyMap<number, Row>;
}

const NONE: Book = { chunks: new Map(), rates: new Map() };
/** Columns of a chunk. */
const [WIDTH, FIRST_OPEN, LAST_OPEN] = [2, 3, 4];

/** Books that were read from files, by file. */
const inUse = new Map<string, WeakRef<GeneratedBooks>>();

/** Rows of a file that are not as they were written. */
const damaged = new WeakSet<Row>();

function sound(table: Table, row: Row): Row {
  if (damaged.has(row)) throw new DamagedRow(table.name, table.nameOf(row));
  return row;
}

export class GeneratedBooks implements GeneratedReads {
  /** Books are replaced, never changed. */
  readonly #books: Map<string, Book>;

  constructor(books: Iterable<readonly [string, Book]> = []) {
    this.#books = new Map(books);
  }

  /** What is there now; later additions to one are not in the other. */
  copy(): GeneratedBooks {
    return new GeneratedBooks(this.#books);
  }

  add({ candles, funding }: GeneratedPast): void {
    const rates = funding?.rates.map((rate) => generatedFundingRow(funding, rate)) ?? [];
    this.#addRows(candles.map(generatedRow), rates);
  }

  /** Takes the rows of a history that has them in tables of its own, as files of an older program do. */
  takeFrom(database: DatabaseSync): void {
    this.#readFrom(database, readMeta(database, 'every_row_has_checksum') === 1);
  }

  #readFrom(database: DatabaseSync, isSealed: boolean): void {
    const [chunks, rates] = [GENERATED_CANDLES, GENERATED_FUNDING_RATES].map((table) => {
      const all = database.prepare(table.select);
      all.setReturnArrays(true);
      const rows = all.all() as unknown as SQLOutputValue[][];
      for (const row of rows) {
        const checksum = row.pop();
        const isSound = checksum === table.checksum(row) || (checksum === null && !isSealed);
        if (!isSound) damaged.add(row);
      }
      return rows;
    });
    this.#addRows(chunks!, rates!);
  }

  /** Those of a file that nobody writes to. It is read once while its books are in use. */
  static ofFile(path: string): GeneratedBooks {
    const { dev, ino, size, mtimeMs } = statSync(path);
    const file = [dev, ino, size, mtimeMs].join(' ');
    const known = inUse.get(file)?.deref();
    if (known !== undefined) return known;
    const books = new GeneratedBooks();
    const address = new URL(`${pathToFileURL(path).href}?immutable=1`);
    const database = new DatabaseSync(address, { readOnly: true });
    try {
      migrateGenerated(database);
      books.#readFrom(database, true);
    } finally {
      database.close();
    }
    for (const [each, reference] of inUse) if (reference.deref() === undefined) inUse.delete(each);
    inUse.set(file, new WeakRef(books));
    return books;
  }

  /** Every sound row, for a database that holds them in its tables. */
  *rows(): Generator<readonly [Table, RowValues]> {
    for (const { chunks, rates } of this.#books.values()) {
      for (const row of chunks.values()) if (!damaged.has(row)) yield [GENERATED_CANDLES, row];
      for (const row of rates.values()) if (!damaged.has(row)) yield [GENERATED_FUNDING_RATES, row];
    }
  }

  names(): string[] {
    return [...this.#books].flatMap(([name, { chunks }]) => (chunks.size > 0 ? [name] : [])).sort();
  }

  firstOpens(category: string, symbol: string, width: string, from: number, until: number): number[] {
    const found: number[] = [];
    for (const row of this.#book(category, symbol).chunks.values())
      if (row[WIDTH] === width && Number(row[FIRST_OPEN]) < until && Number(row[LAST_OPEN]) >= from)
        found.push(Number(row[FIRST_OPEN]));
    return found.sort((a, b) => a - b);
  }

  chunk(category: string, symbol: string, width: string, firstOpen: number): Row | undefined {
    const row = this.#book(category, symbol).chunks.get(`${width} ${firstOpen}`);
    return row && sound(GENERATED_CANDLES, row);
  }

  ratesBefore(category: string, symbol: string, time: number): Row[] {
    const rates = [...this.#book(category, symbol).rates].filter(([at]) => at < time);
    return rates.sort(([a], [b]) => b - a).map(([, row]) => sound(GENERATED_FUNDING_RATES, row));
  }

  #book(category: string, symbol: string): Book {
    return this.#books.get(`${category}:${symbol}`) ?? NONE;
  }

  /** A row that is there stays, as in a table. */
  #addRows(chunks: readonly RowValues[], rates: readonly RowValues[]): void {
    const changed = new Map<string, { chunks: Map<string, Row>; rates: Map<number, Row> }>();
    const change = ([category, symbol]: RowValues) => {
      const name = `${category as string}:${symbol as string}`;
      const known = changed.get(name);
      if (known !== undefined) return known;
      const before = this.#books.get(name) ?? NONE;
      const copy = { chunks: new Map(before.chunks), rates: new Map(before.rates) };
      changed.set(name, copy);
      return copy;
    };
    const addTo = <Key>(rows: Map<Key, Row>, key: Key, row: RowValues) => {
      if (!rows.has(key)) rows.set(key, row as Row);
    };
    for (const row of chunks)
      addTo(change(row).chunks, `${row[WIDTH] as string} ${Number(row[FIRST_OPEN])}`, row);
    for (const row of rates) addTo(change(row).rates, Number(row[2]), row);
    for (const [name, book] of changed) this.#books.set(name, book);
  }
}
