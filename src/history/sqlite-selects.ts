/** Statements of reads in SQLite, compiled once each. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { answerNow, type Read, type Select } from './read.ts';
import type { Row } from './tables/table.ts';

export class SqliteSelects {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  answer<Answer>(read: Read<Answer>): Answer {
    return answerNow(read, (select) => this.#rows(select));
  }

  #rows({ text, index, values }: Select): Row[] {
    const key = index === undefined ? text : `${index} ${text}`;
    let statement = this.#statements.get(key);
    if (statement === undefined) {
      statement = this.#database.prepare(sqliteText(text, index));
      statement.setReturnArrays(true);
      this.#statements.set(key, statement);
    }
    // The declared type has rows as objects only.
    return statement.all(...values.map(sqliteValue)) as unknown as Row[];
  }
}

function sqliteText(text: string, index: string | undefined): string {
  const listed = text.replaceAll('IN ?', 'IN (SELECT value FROM json_each(?))');
  return index === undefined ? listed : listed.replace(' WHERE ', ` INDEXED BY ${index} WHERE `);
}

function sqliteValue(value: Select['values'][number]): SQLInputValue {
  return typeof value === 'object' ? JSON.stringify(value) : value;
}
