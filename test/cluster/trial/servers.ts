/** Two real PostgreSQL servers, the second a synchronous standby of the first, with a database that has a cluster. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { StoredPack } from '../../../src/cluster/engine.ts';
import { type DatabaseAddress, readAddress } from '../../../src/cluster/postgres/address.ts';
import { durabilityRefusals } from '../../../src/cluster/postgres/durability-checks.ts';
import { PostgresEngine } from '../../../src/cluster/postgres/postgres-engine.ts';
import { until } from '../../harness/until.ts';
import { PostgresServer, ROLE } from '../../postgres/server.ts';
import { Link } from './link.ts';

const STANDBY = 'second';
/** A standby notices soon that its connection is dead, as in `bourse cluster trial`. */
const SETTINGS = { wal_retrieve_retry_interval: '500ms', wal_receiver_timeout: '5s' };
/** How far the two are from each other's point of view. */
const SEEN_BY_PRIMARY =
  'SELECT application_name, state, sync_state, sent_lsn, flush_lsn FROM pg_stat_replication';
const SEEN_BY_STANDBY =
  'SELECT status, flushed_lsn, latest_end_lsn, last_msg_receipt_time FROM pg_stat_wal_receiver';

/** Nodes delete packs that two snapshots have passed; the judge needs all of them. */
const KEEP_PACKS = `CREATE SCHEMA kept;
  CREATE TABLE kept.pack (LIKE bourse_cluster.pack INCLUDING ALL);
  CREATE FUNCTION kept.keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO kept.pack SELECT OLD.* ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep AFTER DELETE ON bourse_cluster.pack FOR EACH ROW EXECUTE FUNCTION kept.keep()`;
/** Only those before the log: what servers have lost behind it stays lost. */
const PUT_BACK = `INSERT INTO bourse_cluster.pack SELECT * FROM kept.pack k
  WHERE k.no < (SELECT min(no) FROM bourse_cluster.pack) ON CONFLICT DO NOTHING`;

export class Servers {
  readonly database: string;
  readonly standby: PostgresServer;
  primary: PostgresServer;
  /** From the standby to the primary. */
  readonly link: Link;
  readonly #first: PostgresServer;

  private constructor(primary: PostgresServer, standby: PostgresServer, database: string, link: Link) {
    this.primary = primary;
    this.#first = primary;
    this.standby = standby;
    this.database = database;
    this.link = link;
  }

  static async start(): Promise<Servers> {
    const primary = await PostgresServer.start({ durable: true });
    const database = await primary.createDatabase();
    const link = await Link.to(primary.port);
    for (const [name, value] of Object.entries(SETTINGS))
      await primary.run(`ALTER SYSTEM SET ${name} = '${value}'`);
    const standby = await primary.standby(STANDBY, link.port);
    await primary.run(`ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (${STANDBY})'`);
    await primary.run('SELECT pg_reload_conf()');
    const servers = new Servers(primary, standby, database, link);
    await servers.twoCopies();
    return servers;
  }

  /** Resolves when a commit is on both. */
  async twoCopies(): Promise<void> {
    try {
      await this.#synchronous();
    } catch (error) {
      const seen = [await this.primary.run(SEEN_BY_PRIMARY), await this.standby.run(SEEN_BY_STANDBY)];
      throw new Error(`the primary sees, the standby sees: ${JSON.stringify(seen)}`, { cause: error });
    }
  }

  async #synchronous(): Promise<void> {
    await until('a synchronous standby', async () => {
      const client = new pg.Client({ connectionString: this.primary.url(this.database) });
      client.on('error', () => {});
      try {
        await client.connect();
        return (await durabilityRefusals(client, 'standby')).length === 0;
      } finally {
        await client.end().catch(() => {});
      }
    });
  }

  /** Both, each through a way of its own, the primary of the beginning first. */
  async links(): Promise<readonly [Link, Link]> {
    return [await Link.to(this.#first.port), await Link.to(this.standby.port)];
  }

  addressBy(ports: readonly number[]): string {
    return `postgres://${ROLE}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${this.database}`;
  }

  /** What whoever manages the servers does when the primary is lost: the other takes its place, alone. */
  async replacePrimary(): Promise<void> {
    await this.primary.kill();
    await this.standby.promote();
    await this.standby.run("ALTER SYSTEM SET synchronous_standby_names = ''");
    await this.standby.run('SELECT pg_reload_conf()');
    this.primary = this.standby;
  }

  async run(sql: string): Promise<Record<string, unknown>[]> {
    return this.primary.run(sql, this.database, 'bourse_cluster');
  }

  /** From now on packs that nodes delete are kept aside. */
  async keepPacks(): Promise<void> {
    await this.run(KEEP_PACKS);
  }

  /** All that there ever were. */
  async packs(): Promise<readonly StoredPack[]> {
    await this.run(PUT_BACK);
    const engine = new PostgresEngine(readAddress(this.addressBy([this.primary.port])) as DatabaseAddress);
    await engine.reconnect();
    const packs: StoredPack[] = [];
    for (;;) {
      const more = await engine.read(packs.at(-1)?.no ?? 0, 64);
      if (more.length === 0) break;
      packs.push(...more);
    }
    await engine.close();
    return packs;
  }

  async end(): Promise<void> {
    this.link.close();
    for (const server of new Set([this.#first, this.standby])) {
      server.unpause();
      await server.kill();
    }
    await sleep(1);
  }
}
