/** Histories in PostgreSQL for tests, each in a database of its own. */
import type { History } from '../../src/history/history.ts';
import { readAddress } from '../../src/history/postgres/address.ts';
import { openPostgresHistory } from '../../src/history/postgres/postgres-history.ts';
import { type PostgresServer, sharedServer } from './server.ts';

export const INSTANCE = '0123456789abcdef0123456789abcdef';

export interface PostgresStorage {
  readonly server: PostgresServer;
  readonly database: string;
  readonly url: string;
  open(options?: Partial<Opening>): Promise<History>;
  remove(): Promise<void>;
}

export interface Opening {
  readonly onFailure: (error: Error) => void;
  readonly onNotice: (text: string) => void;
  readonly instance: string;
  readonly url: string;
}

export const unexpected = (error: Error): never => {
  throw error;
};

let template: Promise<string> | undefined;

/** With the tables of an empty history: copying them takes a fraction of what making them does. */
function emptyHistory(server: PostgresServer): Promise<string> {
  template ??= (async () => {
    const database = await server.createDatabase();
    const history = await openAt(server.url(database));
    await history.close();
    return database;
  })();
  return template;
}

export async function createStorage(): Promise<PostgresStorage> {
  const server = await sharedServer();
  const database = await server.createDatabase(await emptyHistory(server));
  const url = server.url(database);
  return {
    server,
    database,
    url,
    open: (options = {}) => openAt(options.url ?? url, options),
    remove: () => server.dropDatabase(database),
  };
}

export function openAt(url: string, options: Partial<Opening> = {}): Promise<History> {
  const { onFailure = unexpected, onNotice = () => {}, instance = INSTANCE } = options;
  return openPostgresHistory({ address: readAddress(url)!, instance, onFailure, onNotice });
}
