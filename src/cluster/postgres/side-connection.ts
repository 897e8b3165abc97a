/**
 * A connection for what is not on the way of commands: duties, rows of nodes, snapshots. It is made when it is needed and
 * again after every error, to whichever of the servers takes writes.
 */
import pg from 'pg';
import type { DatabaseAddress } from './address.ts';

/** Time for one host, before the next is tried. */
const CONNECT_MS = 1_000;
/** At the start nobody waits for an answer, and a busy server is not one that has gone. */
const FIRST_CONNECT_MS = 5_000;

/** None of the servers takes writes; the message says what each has said. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export class SideConnection {
  readonly #address: DatabaseAddress;
  readonly #answerMs: number;
  #client: Promise<pg.Client> | undefined;
  #hasConnected = false;
  #isClosed = false;

  /** A server that has not answered for `answerMs` counts as gone. */
  constructor(address: DatabaseAddress, answerMs = 3_000) {
    this.#address = address;
    this.#answerMs = answerMs;
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = await this.client();
    try {
      return (await client.query(text, [...values])).rows as Record<string, unknown>[];
    } catch (error) {
      // An error of the statement leaves the connection as it was.
      if (!(error instanceof pg.DatabaseError)) this.#drop(client);
      throw error;
    }
  }

  /** The connection itself; whoever uses it in another way must not leave a transaction open. */
  async client(): Promise<pg.Client> {
    if (this.#isClosed) throw new Error('the connection is closed');
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    try {
      const connectMs = this.#hasConnected ? CONNECT_MS : FIRST_CONNECT_MS;
      const client = await connectToPrimary(this.#address, this.#answerMs, connectMs);
      this.#hasConnected = true;
      client.once('error', () => this.#drop(client));
      return client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  #drop(client: pg.Client): void {
    this.#client = undefined;
    destroy(client);
  }
}

/** A server that takes writes; tries every host in turn. Throws Unreachable. */
async function connectToPrimary(
  address: DatabaseAddress,
  answerMs: number,
  connectMs: number,
): Promise<pg.Client> {
  const { hosts, user, password, database } = address;
  const refusals: string[] = [];
  for (const { host, port } of hosts) {
    const client = new pg.Client({
      host,
      port,
      user,
      database,
      ...(password !== undefined && { password }),
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
      application_name: 'bourse side',
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query('SELECT pg_is_in_recovery() AS standby');
      if ((rows[0] as { standby: boolean }).standby) throw new Error('it is a standby');
      // What matters says otherwise for its own transaction.
      await client.query('SET synchronous_commit = off');
      return client;
    } catch (error) {
      destroy(client);
      refusals.push(`${host}:${port}: ${(error as Error).message}`);
    }
  }
  throw new Unreachable(`no server of the cluster takes writes: ${refusals.join('; ')}`);
}

function destroy(client: pg.Client): void {
  (
    client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  ).connection.stream.destroy();
  client.end().catch(() => {});
}
