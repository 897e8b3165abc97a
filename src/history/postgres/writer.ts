/**
 * Writes to the history in PostgreSQL. What it stores becomes visible together with the number of the last command, in one
 * transaction whose statements are sent without waiting for each other. A lost connection leaves a transaction in doubt: its
 * revision tells, after the next connection, whether it was carried out.
 */
import { HistoryRefused } from '../history.ts';
import { PRUNE_STEP_ROWS } from '../limits.ts';
import type { UserTable } from '../tables/table.ts';
import { USER_TABLES } from '../tables/tables.ts';
import type { PostgresAddress } from './address.ts';
import type { FileRows } from './copies.ts';
import { refused } from './refusal.ts';
import { type ColumnTypes, deleteText, insertText, type RowGroup } from './row-groups.ts';
import { checkMeta, type Meta, migrate, readMeta } from './schema.ts';
import { checkServer, SCHEMA, Session } from './session.ts';

/** What one transaction stores. */
export interface Storing {
  readonly groups: readonly RowGroup[];
  readonly seq: number;
  /** Records of commands up to this one are missing (0 = of none). */
  readonly gapSeq: number;
}

/** The connection of a program that was killed ends at once on the same machine. */
const LOCK_WITHIN_MS = 3000;
const LOCK_POLL_MS = 50;
/** A server that does not answer for so long is given up, and the transaction with it: it is in doubt then. */
const ANSWER_WITHIN_MS = 30_000;
const LOCK_NAME = 'bourse.history';
const CUT_OFF = `SELECT pg_terminate_backend(l.pid) FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.objid = hashtext($1)::oid AND l.granted AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

export class PostgresWriter {
  readonly #address: PostgresAddress;
  readonly #instance: string;
  /** Name of this process's sessions, which distinguishes its own left-over session from those of others. */
  readonly #name: string;
  readonly #takesOver: boolean;
  readonly #inserts = new Map<string, string>();
  #session: Session | undefined;
  #types: ColumnTypes = new Map();
  #revision = 0;
  #seq = 0;
  #completeSince = 0;
  #backend = 0;
  #destroyed = false;

  /** With `takesOver` a program that holds the lock is cut off: its lease is over. */
  constructor(address: PostgresAddress, instance: string, name: string, takesOver = false) {
    this.#address = address;
    this.#instance = instance;
    this.#name = name;
    this.#takesOver = takesOver;
  }

  /** Last command that is durable. */
  get seq(): number {
    return this.#seq;
  }

  get connected(): boolean {
    return this.#session?.lost === false;
  }

  /** At the start; returns a warning about the server, or an empty text. */
  async open(): Promise<string> {
    const session = await this.#connect();
    const warning = await checkServer(session, this.#address);
    await this.#lock(session, this.#takesOver);
    this.#note(await migrate(session, this.#address, this.#instance));
    await this.#readTypes(session);
    return warning;
  }

  /** Nothing was ever stored. */
  get unused(): boolean {
    return this.#revision === 0;
  }

  /** Everything in a file, in one transaction. */
  async importRows(rows: FileRows): Promise<void> {
    const session = this.#live();
    const seq = rows.lastSeq;
    const completeSince = rows.completeSince;
    await session.rows('BEGIN');
    await session.rows('SELECT advance($1, $2, $3)', [this.#revision, seq, completeSince]);
    for (const group of rows.groups())
      await session.rows(this.#insert(group), group.literals(), `store ${group.table.name}`);
    await session.rows('COMMIT');
    this.#revision += 1;
    this.#seq = seq;
    this.#completeSince = completeSince;
  }

  /** After a lost connection. True when the transaction that was under way has been carried out. */
  async reconnect(): Promise<boolean> {
    this.#session?.destroy();
    const session = await this.#connect();
    try {
      await checkServer(session, this.#address);
      // The server may not know yet that the last connection is lost.
      const left =
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2';
      if (this.#backend !== 0) await session.rows(left, [this.#backend, this.#name]);
      await this.#lock(session);
      const meta = await readMeta(session, this.#address);
      if (meta === undefined) throw new HistoryRefused('the database has lost the history');
      checkMeta(meta, this.#address, this.#instance);
      const { revision } = meta;
      if (revision !== this.#revision && revision !== this.#revision + 1)
        throw new HistoryRefused(
          `the history is at revision ${revision} instead of ${this.#revision}: another program has written to it, or ` +
            'the server has lost transactions that it had confirmed',
        );
      const carriedOut = revision > this.#revision;
      this.#note(meta);
      return carriedOut;
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  async store({ groups, seq, gapSeq }: Storing): Promise<void> {
    await this.#transaction(Math.max(seq, this.#seq), gapSeq || this.#completeSince, (session) =>
      groups.map((group) => {
        const { name } = group.table;
        return session.rows(this.#insert(group), group.literals(), `store ${name}`);
      }),
    );
  }

  /** Rows that belong to no command, beside another program that writes. */
  async add(groups: readonly RowGroup[]): Promise<void> {
    const session = this.#live();
    if (this.#types.size === 0) await this.#readTypes(session);
    await session.rows('BEGIN');
    try {
      for (const group of groups) await session.rows(this.#insert(group), group.literals());
    } finally {
      // After an error it rolls back.
      await session.rows('COMMIT');
    }
  }

  /** Without the right to write, for one that only reads and adds. */
  async connect(): Promise<void> {
    if (this.connected) return;
    await checkServer(await this.#connect(), this.#address);
  }

  /**
   * Deletes old rows step by step: yields after each with the rows it deleted, so that other work is served. Walks up the ids,
   * which rise with creation, until rows are too young.
   */
  async *prune(now: number): AsyncGenerator<number> {
    for (const table of USER_TABLES) yield* this.#pruneTable(table, now - table.retentionMs);
  }

  async *#pruneTable(table: UserTable, cutoff: number): AsyncGenerator<number> {
    const { name, id, created, updated, open } = table;
    const finished = open === undefined ? '' : `AND ${open.column} <> '${open.value}'`;
    const remove = deleteText(table, `${id} > $1 AND ${id} <= $2 AND ${updated} < $3 ${finished}`);
    const nextStep = `SELECT max(id), max(created) FROM
      (SELECT ${id} AS id, ${created} AS created FROM ${name} WHERE ${id} > $1 ORDER BY ${id} LIMIT ${PRUNE_STEP_ROWS}) AS step`;
    let from = 0;
    for (;;) {
      const [step] = await this.#live().rows(nextStep, [from]);
      const [last, newest] = step as [number | null, number];
      if (last === null) return;
      const [[[deleted]]] = (await this.#transaction(this.#seq, this.#completeSince, (session) => [
        session.rows(remove, [from, last, cutoff]),
      ])) as [[[number]]];
      yield deleted;
      if (newest >= cutoff) return;
      from = last;
    }
  }

  async close(): Promise<void> {
    await this.#session?.end();
  }

  /** Ends the connection without waiting for anything. */
  destroy(): void {
    this.#destroyed = true;
    this.#session?.destroy();
  }

  async #connect(): Promise<Session> {
    const session = await Session.open(this.#address, this.#name);
    this.#session = session;
    if (this.#destroyed) session.destroy();
    return session;
  }

  /** Statements within one transaction, which begins by taking the history's next revision. */
  async #transaction(
    seq: number,
    completeSince: number,
    statements: (session: Session) => readonly Promise<unknown[][]>[],
  ): Promise<unknown[][][]> {
    const session = this.#live();
    const patience = setTimeout(() => session.destroy(), ANSWER_WITHIN_MS);
    try {
      const begun = session.rows('BEGIN');
      const advance = 'SELECT advance($1, $2, $3)';
      const advanced = session.rows(advance, [this.#revision, seq, completeSince], 'advance');
      const made = statements(session);
      const committed = session.rows('COMMIT');
      const [, , , ...results] = await Promise.all([begun, advanced, committed, ...made]);
      this.#revision += 1;
      this.#seq = seq;
      this.#completeSince = completeSince;
      return results;
    } finally {
      clearTimeout(patience);
    }
  }

  #live(): Session {
    if (this.#session === undefined) throw new Error('Connection terminated');
    return this.#session;
  }

  #note({ revision, lastSeq, completeSince }: Meta): void {
    this.#revision = revision;
    this.#seq = lastSeq;
    this.#completeSince = completeSince;
  }

  #insert({ table }: RowGroup): string {
    let text = this.#inserts.get(table.name);
    if (text === undefined) {
      text = insertText(table, this.#types);
      this.#inserts.set(table.name, text);
    }
    return text;
  }

  /** One program at a time; the revision is what keeps a second one out, this only says so early. */
  async #lock(session: Session, takesOver = false): Promise<void> {
    const [[backend]] = (await session.rows('SELECT pg_backend_pid()')) as [[number]];
    const endMs = performance.now() + LOCK_WITHIN_MS;
    for (;;) {
      const [[locked]] = (await session.rows('SELECT pg_try_advisory_lock(hashtext($1))', [LOCK_NAME])) as [
        [boolean],
      ];
      if (locked) break;
      if (takesOver) await session.rows(CUT_OFF, [LOCK_NAME]);
      if (performance.now() > endMs) throw refused(this.#address, await this.#holder(session));
      await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
    }
    this.#backend = backend;
  }

  async #holder(session: Session): Promise<string> {
    const [row] = await session.rows(
      `SELECT a.pid, coalesce(host(a.client_addr), 'this machine') FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.objid = hashtext($1)::oid AND l.granted
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [LOCK_NAME],
    );
    const [pid, host] = (row ?? ['?', '?']) as [unknown, unknown];
    return `another exchange is writing to it, from ${String(host)} (process ${String(pid)} of the server)`;
  }

  async #readTypes(session: Session): Promise<void> {
    const rows = await session.rows(
      `SELECT table_name || '.' || column_name, data_type FROM information_schema.columns WHERE table_schema = $1`,
      [SCHEMA],
    );
    this.#types = new Map(rows as [string, string][]);
  }
}
