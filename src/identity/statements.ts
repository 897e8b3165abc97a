/** Prepared statements by their text, each prepared once. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Row } from './identity-rows.ts';
import { inTransaction } from './identity-schema.ts';

export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #committed: () => void;

  /** `committed` is called when changes are on disk. */
  constructor(database: DatabaseSync, committed: () => void = () => {}) {
    this.#database = database;
    this.#committed = committed;
  }

  one(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  run(sql: string, ...values: SQLInputValue[]) {
    const result = this.#statement(sql).run(...values);
    if (!this.#database.isTransaction) this.#committed();
    return result;
  }

  /** All or nothing. */
  transaction<Result>(work: () => Result): Result {
    const result = inTransaction(this.#database, work);
    if (!this.#database.isTransaction) this.#committed();
    return result;
  }

  #statement(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
