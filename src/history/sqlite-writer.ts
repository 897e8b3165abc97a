/**
 * Writes packs of events into the tables. Rows collect in one open transaction that `commit` makes durable together
 * with the number of the last command, so the tables never hold half of what `last_seq` claims.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Instrument } from '../core/instrument.ts';
import type { GeneratedCandles } from './generated-candles.ts';
import type { GeneratedFunding } from './generated-funding.ts';
import type { KeptEvents, KeptKind, RowPack } from './row-pack.ts';
import { readMeta } from './sqlite-schema.ts';
import { GENERATED_CANDLES, generatedRow } from './tables/generated-candles.ts';
import { GENERATED_FUNDING_RATES, generatedFundingRow } from './tables/market-records.ts';
import { Names } from './tables/names.ts';
import type { UserTable } from './tables/table.ts';
import { KEPT, KEPT_KINDS, USER_TABLES } from './tables/tables.ts';

/** Rows looked at in one step of pruning: a few milliseconds, between which packs and reads get their turn. */
const PRUNE_STEP_ROWS = 500;

export class SqliteWriter {
  readonly #database: DatabaseSync;
  readonly #inserts: Readonly<Record<KeptKind, StatementSync>>;
  readonly #insertGenerated: StatementSync;
  readonly #insertGeneratedFunding: StatementSync;
  readonly #updateSeq: StatementSync;
  #names = new Names([], []);
  #seq: number;
  #committedSeq: number;
  #openRows = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#inserts = Object.fromEntries(
      KEPT_KINDS.map((kind) => [kind, database.prepare(KEPT[kind].table.insert)]),
    ) as Record<KeptKind, StatementSync>;
    this.#insertGenerated = database.prepare(GENERATED_CANDLES.insert);
    this.#insertGeneratedFunding = database.prepare(GENERATED_FUNDING_RATES.insert);
    this.#updateSeq = database.prepare("UPDATE meta SET value = ? WHERE key = 'last_seq'");
    this.#seq = readMeta(database, 'last_seq');
    this.#committedSeq = this.#seq;
  }

  /** Last command that is durable. */
  get committedSeq(): number {
    return this.#committedSeq;
  }

  /** Rows written or deleted since the last commit. */
  get openRows(): number {
    return this.#openRows;
  }

  get uncommitted(): boolean {
    return this.#database.isTransaction || this.#seq > this.#committedSeq;
  }

  describe(instruments: readonly Instrument[], coins: readonly string[]): void {
    this.#names = new Names(instruments, coins);
  }

  /** What the indices in events stand for now. */
  get names(): Names {
    return this.#names;
  }

  write({ seq, rows, kept }: RowPack, names: Names): void {
    if (rows > 0) this.#begin();
    for (const kind of KEPT_KINDS) this.#writeKind(kind, kept, names);
    this.#seq = seq;
    this.#openRows += rows;
  }

  #writeKind<Kind extends KeptKind>(
    kind: Kind,
    kept: { readonly [K in Kind]: KeptEvents[K][] },
    names: Names,
  ): void {
    const { row } = KEPT[kind];
    const insert = this.#inserts[kind];
    for (const recorded of kept[kind]) insert.run(...row(recorded, names));
  }

  addGenerated(candles: GeneratedCandles): void {
    this.#begin();
    this.#insertGenerated.run(...generatedRow(candles));
    this.#openRows++;
  }

  addGeneratedFunding(funding: GeneratedFunding): void {
    this.#begin();
    for (const rate of funding.rates) this.#insertGeneratedFunding.run(...generatedFundingRow(funding, rate));
    this.#openRows += funding.rates.length;
  }

  commit(): void {
    if (!this.uncommitted) return;
    this.#begin();
    this.#updateSeq.run(this.#seq);
    this.#database.exec('COMMIT');
    this.#committedSeq = this.#seq;
    this.#openRows = 0;
  }

  /** Back to the last commit; some errors have done it already. */
  rollBack(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#seq = this.#committedSeq;
    this.#openRows = 0;
  }

  /** Deletes old rows step by step: yields after each with the rows it deleted, so that others get their turn. */
  *prune(now: number): Generator<number> {
    for (const table of USER_TABLES) yield* this.#pruneTable(table, now - table.keepMs);
  }

  /**
   * Walks up the ids, which rise with creation, until rows are too young. An order that closed late stays until its
   * last change is old.
   */
  *#pruneTable({ name, id, created, updated, unless }: UserTable, cutoff: number): Generator<number> {
    const nextStep = this.#database.prepare(
      `SELECT max(id) AS last, max(created) AS created FROM
         (SELECT ${id} AS id, ${created} AS created FROM ${name} WHERE ${id} > ? ORDER BY ${id} LIMIT ?)`,
    );
    const remove = this.#database.prepare(
      `DELETE FROM ${name} WHERE ${id} > ? AND ${id} <= ? AND ${updated} < ? AND NOT (${unless})`,
    );
    let from = 0;
    for (;;) {
      const step = nextStep.get(from, PRUNE_STEP_ROWS);
      if (step === undefined || step.last === null) return;
      const last = Number(step.last);
      this.#begin();
      const deleted = Number(remove.run(from, last, cutoff).changes);
      this.#openRows += deleted;
      yield deleted;
      if (Number(step.created) >= cutoff) return;
      from = last;
    }
  }

  #begin(): void {
    if (!this.#database.isTransaction) this.#database.exec('BEGIN IMMEDIATE');
  }
}
