/**
 * PostgreSQL as the engine. Two connections to the same server, one that appends and one that listens and reads: an append may
 * wait long, and what it waits for must be readable meanwhile. They are made and dropped together, so that a node never reads
 * from one server and appends to another: after a fail-over their packs of the same number may differ.
 */
import pg from 'pg';
import {
  Fenced,
  type News,
  type OfferedPack,
  type PackEngine,
  type Placed,
  type StoredPack,
} from '../engine.ts';
import type { DatabaseAddress } from './address.ts';
import { CHANNEL, FENCED } from './schema.ts';

/** Of one host, before the next is tried. */
const CONNECT_MS = 500;
/** A server that has not answered for so long has gone; the network need not say so. */
const SILENT_MAX_MS = 2_000;
const HEARTBEAT_MS = 1_000;
/** "The transaction has already committed locally, but might not have been replicated": the wait was cut off. */
const MAYBE_LOST = '01000';

const APPEND = {
  name: 'append',
  text: 'SELECT * FROM bourse_cluster.append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)',
};
const READ = {
  name: 'read',
  text: `SELECT no, first_seq, commands, run, run_pack, confirmed, at, stamp, deadline, as_of, digest, chain, body
    FROM bourse_cluster.pack WHERE no > $1 ORDER BY no LIMIT $2`,
};

/** The server has gone; what was under way is in doubt. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

interface Identity {
  readonly systemId: string;
  readonly timeline: number;
}

interface Pair {
  readonly writer: pg.Client;
  readonly reader: pg.Client;
  /** Aborted when either has gone. */
  readonly gone: AbortController;
  /** Of the reader, one statement at a time. */
  lastRead: Promise<unknown>;
}

export class PostgresEngine implements PackEngine {
  readonly #address: DatabaseAddress;
  #pair: Pair | undefined;
  #connecting: Promise<void> | undefined;
  #identity: Identity | undefined;
  #isClosed = false;
  #onNews: (news: News) => void = () => {};

  constructor(address: DatabaseAddress) {
    this.#address = address;
  }

  onNews(listener: (news: News) => void): void {
    this.#onNews = listener;
  }

  async append(pack: OfferedPack): Promise<Placed> {
    const pair = this.#paired();
    const { duty } = pack;
    const values = [
      pack.run,
      pack.runPack,
      pack.known,
      pack.confirmed,
      pack.stamp,
      pack.deadline,
      pack.asOf,
      pack.digest,
      duty?.name,
      duty?.epoch,
      pack.commands,
      pack.body,
    ];
    let mayBeLost = false;
    const onNotice = ({ code }: { readonly code?: string | undefined }) => {
      mayBeLost ||= code === MAYBE_LOST;
    };
    pair.writer.on('notice', onNotice);
    try {
      const { rows } = await this.#while(pair, pair.writer.query({ ...APPEND, values }));
      if (mayBeLost) throw new ConnectionLost('the server did not wait for its standby');
      const [row] = rows as [{ no_: string; first_seq_: string; at_: string }];
      return { no: Number(row.no_), firstSeq: Number(row.first_seq_), at: Number(row.at_) };
    } catch (error) {
      if ((error as { code?: unknown }).code === FENCED) throw new Fenced((error as Error).message);
      throw error;
    } finally {
      pair.writer.off('notice', onNotice);
    }
  }

  async read(after: number, most: number): Promise<readonly StoredPack[]> {
    const pair = this.#paired();
    const { rows } = await this.#while(pair, this.#inTurn(pair, { ...READ, values: [after, most] }));
    return (rows as Record<string, unknown>[]).map(storedPack);
  }

  /** One statement, for what is not on the way of commands. */
  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const pair = this.#paired();
    const { rows } = await this.#while(pair, this.#inTurn(pair, { text, values: [...values] }));
    return rows as Record<string, unknown>[];
  }

  confirm(no: number): void {
    // A hint: who misses it looks each second.
    if (this.#pair !== undefined)
      this.#inTurn(this.#pair, { text: `NOTIFY ${CHANNEL}, 'c${no}'` }).catch(() => {});
  }

  /** Tries every host in turn, once. */
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

  #inTurn(pair: Pair, statement: pg.QueryConfig): Promise<pg.QueryResult> {
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
      connectionTimeoutMillis: CONNECT_MS,
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
      await reader.query(`SET synchronous_commit = off; LISTEN ${CHANNEL}`);
      if (gone.signal.aborted || this.#isClosed) throw new ConnectionLost('it has gone again');
      this.#identity = identity;
      const pair: Pair = { writer, reader, gone, lastRead: Promise.resolve() };
      this.#pair = pair;
      const timer = setInterval(() => this.#beat(pair), HEARTBEAT_MS);
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

  #hear(payload: string): void {
    const no = Number(payload.replace(/^c/, ''));
    if (!Number.isSafeInteger(no)) return;
    this.#onNews(payload.startsWith('c') ? { confirmed: no } : { visible: no });
  }

  #beat(pair: Pair): void {
    const silent = setTimeout(() => pair.gone.abort(), SILENT_MAX_MS);
    silent.unref();
    this.#inTurn(pair, { text: 'SELECT 1' })
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

/** A server that takes writes, and which one. */
async function identify(client: pg.Client): Promise<Identity> {
  const standby = await client.query('SELECT pg_is_in_recovery() AS standby');
  if ((standby.rows[0] as { standby: boolean }).standby) throw new Error('it is a standby');
  const { rows } = await client.query(
    `SELECT (pg_control_system()).system_identifier::text AS id,
      substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline`,
  );
  const [row] = rows as [{ id: string; timeline: string }];
  return { systemId: row.id, timeline: Number.parseInt(row.timeline, 16) };
}

const NUMBERS = {
  no: 'no',
  firstSeq: 'first_seq',
  commands: 'commands',
  run: 'run',
  runPack: 'run_pack',
  confirmed: 'confirmed',
  at: 'at',
  stamp: 'stamp',
  deadline: 'deadline',
  asOf: 'as_of',
  digest: 'digest',
} as const;

function storedPack(row: Record<string, unknown>): StoredPack {
  const numbers = Object.entries(NUMBERS).map(([name, column]) => [name, Number(row[column])]);
  const { body, chain } = row as { readonly body: Uint8Array; readonly chain: Uint8Array };
  return { ...(Object.fromEntries(numbers) as Record<keyof typeof NUMBERS, number>), body, chain };
}
