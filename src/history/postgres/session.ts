/** One connection to the server, as the history uses it. */
import pg from 'pg';
import type { PostgresAddress } from './address.ts';
import { refused } from './refusal.ts';

export const SCHEMA = 'history';
const CONNECT_TIMEOUT_MS = 5000;
const SERVER_VERSION_MIN = 160_000;
const BIGINT = 20;
const NUMERIC = 1700;

/** Ids, times and counts are below 2^53; sums of them as well. */
const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT || oid === NUMERIC ? Number : (pg.types.getTypeParser(oid, format) as unknown),
};

/** A planner that guesses from few rows would sort; every page of the history is a walk down an index. */
const SETTINGS: Readonly<Record<string, string>> = {
  search_path: SCHEMA,
  synchronous_commit: 'on',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  jit: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
};

export class Session {
  readonly #client: pg.Client;
  #lost: Error | undefined;

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on('error', (error) => {
      this.#lost = error;
    });
    client.on('end', () => {
      this.#lost ??= new Error('Connection terminated');
    });
  }

  /** Of several servers that which takes writes. Rejects as the server or the operating system does. */
  static async open({ url, others = [] }: PostgresAddress, name: string): Promise<Session> {
    if (others.length === 0) return Session.#openAt(url, name);
    let failure: unknown;
    for (const each of [url, ...others]) {
      try {
        return await Session.#openPrimary(each, name);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  static async #openPrimary(url: string, name: string): Promise<Session> {
    const session = await Session.#openAt(url, name);
    const [[standby]] = (await session.rows('SELECT pg_is_in_recovery()')) as [[boolean]];
    if (!standby) return session;
    session.destroy();
    throw new Error('Connection terminated: the server is a standby');
  }

  static async #openAt(url: string, name: string): Promise<Session> {
    const session = new Session(
      new pg.Client({
        connectionString: url,
        application_name: name,
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        pipeline: true,
        types: TYPES,
      }),
    );
    await session.#client.connect();
    try {
      const set = Object.entries(SETTINGS).map(
        ([setting, value]) => `SET ${setting} = ${pg.escapeLiteral(value)}`,
      );
      await session.#client.query(set.join('; '));
    } catch (error) {
      session.destroy();
      throw error;
    }
    return session;
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Sent at once, behind the statements before it; `name` has it planned once. Rows are lists of values. */
  async rows(text: string, values: readonly unknown[] = [], name?: string): Promise<unknown[][]> {
    if (this.#lost !== undefined) throw this.#lost;
    const query = { text, values: [...values], rowMode: 'array' as const };
    const result = await this.#client.query<unknown[]>(name === undefined ? query : { ...query, name });
    return result.rows;
  }

  /** Several statements without values, as one text. */
  async run(text: string): Promise<void> {
    await this.#client.query(text);
  }

  async end(): Promise<void> {
    await this.#client.end();
  }

  /** Without a word to the server, which may not answer. */
  destroy(): void {
    this.#lost ??= new Error('Connection terminated');
    (this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** Throws when the server cannot keep a history; returns a warning, or an empty text. */
export async function checkServer(session: Session, address: PostgresAddress): Promise<string> {
  const [facts] = await session.rows(
    `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
            current_setting('server_encoding'), pg_is_in_recovery(), current_setting('fsync')`,
  );
  const [number, version, encoding, standby, fsync] = facts as [number, string, string, boolean, string];
  if (number < SERVER_VERSION_MIN)
    throw refused(address, `it is PostgreSQL ${version}, and 16 is the oldest that is supported`);
  if (encoding !== 'UTF8')
    throw refused(address, `its encoding is ${encoding}: make the database with -E UTF8 -T template0`);
  if (standby) throw refused(address, 'the server is a standby, which takes no writes: name the primary');
  return fsync === 'off' ? 'the server runs with fsync=off: a power loss may destroy the history' : '';
}
