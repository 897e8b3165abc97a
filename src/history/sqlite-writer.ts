/**
 * Writes batches of events into the tables. Rows collect in one open transaction that `commit` makes durable together
 * with the number of the last command, so the tables never hold half of what `last_seq` claims.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Instrument } from '../core/model/instrument.ts';
import { Checkpoints } from './checkpoints.ts';
import { PRUNE_STEP_ROWS } from './limits.ts';
import type { ProjectedEvents, ProjectionBatch, ProjectionKind } from './projection-batch.ts';
import { sealRows } from './sealing.ts';
import { type MetaKey, readMeta, writeMeta } from './sqlite-schema.ts';
import { TableWriter } from './table-writer.ts';
import { NameResolver } from './tables/name-resolver.ts';
import { CHECKSUM, type Table, type UserTable } from './tables/table.ts';
import { PROJECTED_TABLES, PROJECTION_KINDS, PROJECTIONS, USER_TABLES } from './tables/tables.ts';
import { Totals } from './totals.ts';

export class SqliteWriter {
  readonly #database: DatabaseSync;
  readonly #totals: Totals;
  readonly #tables: Readonly<Record<ProjectionKind, TableWriter>>;
  readonly #writeMeta: (key: MetaKey, value: number) => void;
  readonly #checkpoints: Checkpoints;
  #names = new NameResolver([], []);
  #seq: number;
  #committedSeq: number;
  #openRows = 0;
  #sealed: boolean;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#totals = new Totals(database, PROJECTED_TABLES);
    const writerOf = (table: Table) => new TableWriter(database, table, this.#totals);
    this.#tables = Object.fromEntries(
      PROJECTION_KINDS.map((kind) => [kind, writerOf(PROJECTIONS[kind].table)]),
    ) as Record<ProjectionKind, TableWriter>;
    this.#writeMeta = writeMeta(database);
    this.#checkpoints = new Checkpoints(database, this.#writeMeta);
    this.#sealed = readMeta(database, 'every_row_has_checksum') === 1;
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
    this.#names = new NameResolver(instruments, coins);
  }

  /** Names behind the indices in events. */
  get names(): NameResolver {
    return this.#names;
  }

  write({ seq, gapSeq, rows, byKind }: ProjectionBatch, names: NameResolver): void {
    if (rows > 0 || gapSeq > 0) this.#begin();
    if (gapSeq > 0) this.#writeMeta('complete_since', gapSeq);
    for (const kind of PROJECTION_KINDS) this.#writeKind(kind, byKind, names);
    this.#seq = seq;
    this.#openRows += rows;
  }

  #writeKind<Kind extends ProjectionKind>(
    kind: Kind,
    byKind: { readonly [K in Kind]: ProjectedEvents[K][] },
    names: NameResolver,
  ): void {
    const { row } = PROJECTIONS[kind];
    const table = this.#tables[kind];
    for (const recorded of byKind[kind]) table.add(row(recorded, names));
  }

  commit(): void {
    if (!this.uncommitted) return;
    this.#begin();
    this.#totals.store();
    this.#writeMeta('last_seq', this.#seq);
    const checkpointDue = this.#checkpoints.prepare();
    this.#database.exec('COMMIT');
    this.#committedSeq = this.#seq;
    this.#openRows = 0;
    if (checkpointDue) this.#checkpoints.move();
  }

  /** Moves what is committed into the database file. False when a reader, or a want of space, keeps some of it out. */
  moveLog(): boolean {
    return this.#checkpoints.move();
  }

  /** Every row has a checksum: one without is damaged. */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** Adds checksums to rows of an older program step by step: yields after each with the rows it checked. */
  *seal(): Generator<number> {
    if (this.#sealed) return;
    for (const rows of sealRows(this.#database, this.#totals, () => this.#begin())) {
      this.#openRows += rows;
      yield rows;
    }
    this.#begin();
    this.#writeMeta('every_row_has_checksum', 1);
    this.#sealed = true;
  }

  /** Back to the last commit; some errors have rolled back already. */
  rollBack(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.#seq = this.#committedSeq;
    this.#openRows = 0;
    this.#sealed = readMeta(this.#database, 'every_row_has_checksum') === 1;
  }

  /** Deletes old rows step by step: yields after each with the rows it deleted, so that other work is served. */
  *prune(now: number): Generator<number> {
    for (const table of USER_TABLES) yield* this.#pruneTable(table, now - table.retentionMs);
  }

  /**
   * Walks up the ids, which rise with creation, until rows are too young. An order that closed late stays until its
   * last change is old.
   */
  *#pruneTable({ name, id, created, updated, open }: UserTable, cutoff: number): Generator<number> {
    const nextStep = this.#database.prepare(
      `SELECT max(id) AS last, max(created) AS created FROM
         (SELECT ${id} AS id, ${created} AS created FROM ${name} WHERE ${id} > ? ORDER BY ${id} LIMIT ?)`,
    );
    const remove = this.#database.prepare(
      `DELETE FROM ${name} WHERE ${id} > ? AND ${id} <= ? AND ${updated} < ?
       ${open === undefined ? '' : `AND ${open.column} <> '${open.value}'`} RETURNING ${CHECKSUM}`,
    );
    let from = 0;
    for (;;) {
      const step = nextStep.get(from, PRUNE_STEP_ROWS);
      if (step === undefined || step.last === null) return;
      const last = Number(step.last);
      this.#begin();
      const deleted = remove.all(from, last, cutoff);
      for (const { checksum } of deleted)
        if (typeof checksum === 'number') this.#totals.remove(name, checksum);
      this.#openRows += deleted.length;
      yield deleted.length;
      if (Number(step.created) >= cutoff) return;
      from = last;
    }
  }

  #begin(): void {
    if (this.#database.isTransaction) return;
    this.#database.exec('BEGIN IMMEDIATE');
    // Totals continue from the stored ones, whatever happened to the transaction before.
    this.#totals.load();
  }
}
