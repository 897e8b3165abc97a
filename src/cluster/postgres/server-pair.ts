/**
 * Two connections to the server that takes writes, one that writes and one that listens and reads: a write may wait long for the
 * standby, and what it waits for must be readable meanwhile. They are made and dropped together, so that a node never reads
 * from one server and writes to another: after a fail-over their rows of the same number may differ.
 */
import pg from 'pg';
import type { DatabaseAddress } from './address.ts';

/** Time for one host, before the next is tried. */
const CONNECT_MS = 500;
/** At the start nobody waits for an answer, and a busy server is not one that has gone. */
const FIRST_CONNECT_MS = 5_000;
/** A server that has not answered for so long has gone; the network need not say so. */
const SILENT_MAX_MS = 2_000;
const HEARTBEAT_MS = 1_000;
/** "The transaction has already committed locally, but might not have been replicated": the wait was cut off. */
const MAYBE_LOST = '01000';

/** The server has gone; what was under way is in doubt. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

interface ServerIdentity {
  readonly systemId: string;
  readonly timeline: number;
}

interface Pair {
  readonly writer: pg.Client;
  readonly reader: pg.Client;
  /** Aborted when either has gone. */
  readonly gone: AbortController;
  /** The last statement on each connection: one runs at a time. */
  lastWrite: Promise<unknown>;
  lastRead: Promise<unknown>;
}

export class ServerPair {
  readonly #address: DatabaseAddress;
  readonly #channel: string;
  readonly #hear: (payload: string) => void;
  #pair: Pair | undefined;
  #connecting: Promise<void> | undefined;
  #identity: ServerIdentity | undefined;
  #isClosed = false;

  /** `hear` gets what is sent on the channel while it is connected. */
  constructor(address: DatabaseAddress, channel: string, hear: (payload: string) => void) {
    this.#address = address;
    this.#channel = channel;
    this.#hear = hear;
  }

  get isConnected(): boolean {
    return this.#pair !== undefined;
  }

  /**
   * One statement; resolves when it is safe, which may take as long as the standby is away. It is in doubt when this throws,
   * except with an error of the database itself; at `endMs`, by `performance.now()`, it throws.
   */
  async write(
    statement: pg.QueryConfig,
    endMs = Number.POSITIVE_INFINITY,
  ): Promise<Record<string, unknown>[]> {
    const pair = this.#paired();
    const result = pair.lastWrite.then(() => writeSafely(pair.writer, statement));
    pair.lastWrite = result.catch(() => {});
    const { rows } = await until(endMs, this.#while(pair, result));
    return rows as Record<string, unknown>[];
  }

  /** One statement; what it writes, such as a notification, need not survive. */
  async read(statement: pg.QueryConfig): Promise<Record<string, unknown>[]> {
    const pair = this.#paired();
    const { rows } = await this.#while(pair, this.#readInTurn(pair, statement));
    return rows as Record<string, unknown>[];
  }

  /** Tries every host in turn, once; does nothing while it is connected. */
  reconnect(): Promise<void> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pair !== undefined) await this.#drop(this.#pair);
  }

  #paired(): Pair {
    if (this.#pair === undefined) throw new ConnectionLost('no server is connected');
    return this.#pair;
  }

  #readInTurn(pair: Pair, statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const result = pair.lastRead.then(() => pair.reader.query(statement));
    pair.lastRead = result.catch(() => {});
    return result;
  }

  /** What the pair does, or an error as soon as it has gone. */
  #while<Result>({ gone }: Pair, work: Promise<Result>): Promise<Result> {
    const { signal } = gone;
    const lost = () => new ConnectionLost('the server has gone');
    if (signal.aborted) return Promise.reject(lost());
    return new Promise((resolve, reject) => {
      const leave = () => reject(lost());
      signal.addEventListener('abort', leave, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) throw new ConnectionLost('closed');
    if (this.#pair !== undefined) return;
    const refusals: string[] = [];
    for (const { host, port } of this.#address.hosts) {
      try {
        await this.#connectTo(host, port);
        return;
      } catch (error) {
        refusals.push(`${host}:${port}: ${(error as Error).message}`);
      }
    }
    throw new ConnectionLost(refusals.join('; '));
  }

  async #connectTo(host: string, port: number): Promise<void> {
    const { user, password, database } = this.#address;
    const settings = {
      host,
      port,
      user,
      database,
      ...(password !== undefined && { password }),
      connectionTimeoutMillis: this.#identity === undefined ? FIRST_CONNECT_MS : CONNECT_MS,
      keepAlive: true,
      application_name: 'bourse',
    };
    const [writer, reader] = [new pg.Client(settings), new pg.Client(settings)];
    const gone = new AbortController();
    const lose = () => gone.abort();
    for (const client of [writer, reader]) client.on('error', lose).on('end', lose);
    try {
      await Promise.all([writer.connect(), reader.connect()]);
      const identity = await identify(writer);
      if (this.#identity !== undefined && identity.systemId !== this.#identity.systemId)
        throw new Error('it is another database than before');
      if (this.#identity !== undefined && identity.timeline < this.#identity.timeline)
        throw new Error('it is older than the server before: it was replaced');
      reader.on('notification', ({ payload = '' }) => this.#hear(payload));
      await reader.query(`SET synchronous_commit = off; LISTEN ${this.#channel}`);
      if (gone.signal.aborted || this.#isClosed) throw new ConnectionLost('it has gone again');
      this.#identity = identity;
      const pair: Pair = { writer, reader, gone, lastWrite: Promise.resolve(), lastRead: Promise.resolve() };
      this.#pair = pair;
      const timer = setInterval(() => this.#heartbeat(pair), HEARTBEAT_MS);
      timer.unref();
      gone.signal.addEventListener('abort', () => {
        clearInterval(timer);
        void this.#drop(pair);
      });
    } catch (error) {
      for (const client of [writer, reader]) client.end().catch(() => {});
      throw error;
    }
  }

  #heartbeat(pair: Pair): void {
    const silent = setTimeout(() => pair.gone.abort(), SILENT_MAX_MS);
    silent.unref();
    this.#readInTurn(pair, { text: 'SELECT 1' })
      .catch(() => {})
      .finally(() => clearTimeout(silent));
  }

  async #drop(pair: Pair): Promise<void> {
    if (this.#pair === pair) this.#pair = undefined;
    pair.gone.abort();
    for (const client of [pair.writer, pair.reader]) {
      // A server that has gone does not answer a farewell.
      (
        client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
      ).connection.stream.destroy();
      await client.end().catch(() => {});
    }
  }
}

async function until<Result>(endMs: number, work: Promise<Result>): Promise<Result> {
  if (!Number.isFinite(endMs)) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const leftMs = Math.max(0, endMs - performance.now());
    timer = setTimeout(() => reject(new ConnectionLost('the server has not answered in time')), leftMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A server whose wait for the standby was cut off says so in a notice only. */
async function writeSafely(writer: pg.Client, statement: pg.QueryConfig): Promise<pg.QueryResult> {
  let mayBeLost = false;
  const onNotice = ({ code }: { readonly code?: string | undefined }) => {
    mayBeLost ||= code === MAYBE_LOST;
  };
  writer.on('notice', onNotice);
  try {
    const result = await writer.query(statement);
    if (mayBeLost) throw new ConnectionLost('the server did not wait for its standby');
    return result;
  } finally {
    writer.off('notice', onNotice);
  }
}

/** A server that takes writes, and which one. */
async function identify(client: pg.Client): Promise<ServerIdentity> {
  const standby = await client.query('SELECT pg_is_in_recovery() AS standby');
  if ((standby.rows[0] as { standby: boolean }).standby) throw new Error('it is a standby');
  const { rows } = await client.query(
    `SELECT (pg_control_system()).system_identifier::text AS id,
      substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline`,
  );
  const [row] = rows as [{ id: string; timeline: string }];
  return { systemId: row.id, timeline: Number.parseInt(row.timeline, 16) };
}
