/** Histories in PostgreSQL for tests, each in a database of its own. */
import assert from 'node:assert/strict';
import type { History } from '../../src/history/history.ts';
import { readAddress } from '../../src/history/postgres/address.ts';
import {
  openPostgresHistory,
  openPostgresHistoryInPlace,
} from '../../src/history/postgres/postgres-history.ts';
import { ALL_TABLES } from '../../src/history/tables/tables.ts';
import { anOrder, START_TIME } from '../history/example-events.ts';
import { orderEvent } from '../history/storage.ts';
import { type PostgresServer, sharedServer } from './server.ts';

export const INSTANCE = '0123456789abcdef0123456789abcdef';

export interface PostgresStorage {
  readonly server: PostgresServer;
  readonly database: string;
  readonly url: string;
  open(options?: Partial<Opening>): Promise<History>;
  /** The statements that empty it. */
  readonly empty: string;
  /** Empties it for the next test. */
  remove(): Promise<void>;
}

export interface Opening {
  readonly onFailure: (error: Error) => void;
  readonly onNotice: (text: string) => void;
  readonly instance: string;
  readonly url: string;
  /** As an exchange opens it. */
  readonly thread: boolean;
}

export const unexpected = (error: Error): never => {
  throw error;
};

/** Empty ones of earlier tests: to empty a database takes a fraction of what making one does. */
const emptied: string[] = [];

/** Tests that change its tables drop it themselves. */
export async function createStorage(): Promise<PostgresStorage> {
  const server = await sharedServer();
  const database = emptied.pop() ?? (await server.createDatabase());
  const url = server.url(database);
  return {
    server,
    database,
    url,
    empty: EMPTY,
    open: (options = {}) => openAt(options.url ?? url, options),
    remove: async () => {
      await server.run(EMPTY, database);
      emptied.push(database);
    },
  };
}

const EMPTY = [
  ...ALL_TABLES.map(({ name }) => `DELETE FROM history.${name}`),
  'UPDATE history.totals SET rows = 0, checksums = 0',
  'UPDATE history.meta SET last_seq = 0, complete_since = 0',
].join('; ');

export function openAt(url: string, options: Partial<Opening> = {}): Promise<History> {
  const { onFailure = unexpected, onNotice, instance = INSTANCE, thread = false } = options;
  const open = thread ? openPostgresHistory : openPostgresHistoryInPlace;
  return open({ address: readAddress(url)!, instance, onFailure, onNotice });
}

export function orderCommand(seq: number) {
  return { seq, time: START_TIME, events: [orderEvent(anOrder({ orderId: seq }))] };
}

/** Histories that a failed test left open are closed. */
export async function withStorage(run: (storage: PostgresStorage) => Promise<void>): Promise<void> {
  const storage = await createStorage();
  const opened: History[] = [];
  const open: PostgresStorage['open'] = async (options) => {
    const history = await storage.open(options);
    opened.push(history);
    return history;
  };
  try {
    await run({ ...storage, open });
  } finally {
    for (const history of opened) await history.close();
    await storage.remove();
  }
}

export async function assertTotals({ server, database }: PostgresStorage): Promise<void> {
  const counted = ALL_TABLES.map(
    ({ name }) =>
      `SELECT '${name}' AS table_name, count(*) AS rows, mod(coalesce(sum(checksum), 0), 4294967296) AS checksums FROM history.${name}`,
  );
  const differing = await server.run(
    `SELECT * FROM (${counted.join(' UNION ALL ')}) AS counted JOIN history.totals t USING (table_name)
     WHERE counted.rows <> t.rows OR counted.checksums <> t.checksums`,
    database,
  );
  assert.deepEqual(differing, []);
}
