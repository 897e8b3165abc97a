/** A history in memory as a file, for an exchange in a process of its own. */
import { DatabaseSync } from 'node:sqlite';
import { replaceFile } from '../storage/durable-file.ts';
import type { HistoryContents } from './history.ts';
import { migrate } from './sqlite-schema.ts';
import { SqliteWriter } from './sqlite-writer.ts';

/** The generated past is in its tables, where every history on disk has it. */
export function writeHistoryFile(path: string, { bytes, generated }: HistoryContents): void {
  replaceFile(path, bytes);
  if (generated === undefined || generated.names().length === 0) return;
  const database = new DatabaseSync(path);
  try {
    migrate(database);
    const writer = new SqliteWriter(database);
    writer.addBooks(generated);
    writer.commit();
  } finally {
    database.close();
  }
}
