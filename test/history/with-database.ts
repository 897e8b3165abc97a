/** A look into a database file, or a change of it, beside the program. */
import { DatabaseSync } from 'node:sqlite';

export function withDatabase<Answer>(path: string, use: (database: DatabaseSync) => Answer): Answer {
  const database = new DatabaseSync(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
