/** Proves a stored history: first the file, then its rows against the journal, then every row by its checksum. */
import type { Event } from '../../core/model/event.ts';
import type { Instrument } from '../../core/model/instrument.ts';
import type { HistoryCounts } from '../history.ts';
import { READS } from '../reads.ts';
import { CHECKSUMS_VERSION } from '../sqlite-schema.ts';
import { SqliteSelects } from '../sqlite-selects.ts';
import { NameResolver } from '../tables/name-resolver.ts';
import { Pages } from '../tables/pages.ts';
import type { Table } from '../tables/table.ts';
import { type Damage, Damages } from './damage.ts';
import { type HistoryFacts, HistoryFile, tablesOf } from './history-file.ts';
import type { HistoryRepair } from './repair.ts';
import { ReplayedRows } from './replayed-rows.ts';
import { checkRows, type RowCounts } from './row-checks.ts';
import { checkSchema, checkStructure } from './structure.ts';

export class HistoryProof {
  readonly path: string;
  readonly #file: HistoryFile;
  readonly #damages = new Damages();
  readonly #replayed: ReplayedRows;
  readonly #ownsFile: boolean;
  /** Undefined when the file cannot be read. */
  readonly facts: HistoryFacts | undefined;
  #names = new NameResolver([], []);
  #readable = true;

  /** With a repair, damages are repaired on the way. */
  constructor(path: string, repair?: HistoryRepair) {
    this.path = path;
    this.#ownsFile = repair === undefined;
    this.#file = repair?.file ?? HistoryFile.open(path);
    this.#replayed = new ReplayedRows(this.#file, this.#damages, repair?.mend);
    this.#attempt('file', () => checkStructure(this.#file.database, this.#damages));
    this.facts = this.#attempt('meta', () => this.#file.facts());
    const { facts } = this;
    if (facts !== undefined)
      this.#attempt('sqlite_schema', () => checkSchema(this.#file.database, facts.version, this.#damages));
  }

  get damages(): readonly Damage[] {
    return this.#damages.list;
  }

  get damageCount(): number {
    return this.#damages.count;
  }

  /** Rows that were compared with the journal. */
  get compared(): number {
    return this.#replayed.compared;
  }

  /** Rows have checksums that can be looked at. */
  get hasChecksums(): boolean {
    return (this.facts?.version ?? 0) >= CHECKSUMS_VERSION;
  }

  describe(instruments: readonly Instrument[], coins: readonly string[]): void {
    this.#names = new NameResolver(instruments, coins);
  }

  /** The last id and the time before the first command that is compared. */
  startAfter(lastId: number, time: number): void {
    if ((this.facts?.completeSince ?? 0) === 0) this.#replayed.startAfter(lastId, time);
  }

  /** Compares the events of a command at `now`. */
  compare(seq: number, events: readonly Event[], now: number): void {
    const { facts } = this;
    if (facts === undefined || !this.#readable || seq > facts.lastSeq || seq <= facts.completeSince) return;
    this.#attempt('file', () => this.#replayed.compare(events, this.#names, now));
  }

  finishComparison(now: number): void {
    if (this.#readable) this.#attempt('file', () => this.#replayed.finish(now));
  }

  /** Yields the rows checked so far, and their number. */
  *checkRows(): Generator<readonly [done: number, of: number], RowCounts | undefined> {
    if (this.facts === undefined || !this.hasChecksums) return undefined;
    const tables = tablesOf(this.facts.version);
    const all = this.#attempt('file', () => this.#countAll(tables)) ?? 0;
    const rows = checkRows(this.#file, tables, this.facts.sealed, this.#damages);
    let done = 0;
    for (;;) {
      const step = rows.next();
      if (step.done === true) return step.value;
      done += step.value;
      yield [done, all];
    }
  }

  counts(): HistoryCounts | undefined {
    return this.#attempt('file', () => this.#selects().answer(READS.counts(pagesOf(), undefined)));
  }

  close(): void {
    if (this.#ownsFile) this.#file.close();
  }

  #countAll(tables: readonly Table[]): number {
    const selects = this.#selects();
    return tables.reduce((sum, { name }) => sum + selects.answer(pagesOf().count(name)), 0);
  }

  #selects(): SqliteSelects {
    return new SqliteSelects(this.#file.database);
  }

  /** Rows that SQLite cannot read are damaged too, and end the comparison. */
  #attempt<Answer>(table: string, act: () => Answer): Answer | undefined {
    try {
      return act();
    } catch (error) {
      this.#readable = false;
      this.#damages.add({ table, row: '', problem: `cannot be read: ${(error as Error).message}` });
      return undefined;
    }
  }
}

const pagesOf = () => new Pages(() => true);
