/** The servers of a cluster, each asked what it is; and the one that takes writes. */
import pg from 'pg';
import type { DatabaseAddress } from './address.ts';

const CONNECT_MS = 5_000;

export type ServerState = 'primary' | 'standby' | 'away';

export interface ServerView {
  /** `host:port` */
  readonly name: string;
  readonly state: ServerState;
  /** Why it is away. */
  readonly reason?: string;
  readonly version?: string;
  readonly timeline?: number;
  /** In ms: how soon a standby tries again when its primary was away. */
  readonly retrieveRetryMs?: number;
}

/** No server of the address takes writes; the message says what each of them says. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
}

/** All of them, in the order of the address. */
export function surveyServers(address: DatabaseAddress): Promise<ServerView[]> {
  return Promise.all(address.hosts.map((_, n) => survey(address, n)));
}

/** A connection to the server that takes writes, of several to the one that was promoted last. Throws NoPrimary. */
export async function connectPrimary(
  address: DatabaseAddress,
): Promise<{ readonly client: pg.Client; readonly servers: readonly ServerView[] }> {
  const servers = await surveyServers(address);
  const found = servers
    .map((server, n) => ({ server, n }))
    .filter(({ server }) => server.state === 'primary')
    .sort((one, other) => other.server.timeline! - one.server.timeline!)[0];
  if (found === undefined) {
    const said = servers.map(({ name, reason }) => `${name}: ${reason ?? 'it is a standby'}`);
    throw new NoPrimary(`no server takes writes (${said.join('; ')})`);
  }
  return { client: await connectTo(address, found.n), servers };
}

async function survey(address: DatabaseAddress, n: number): Promise<ServerView> {
  const { host, port } = address.hosts[n]!;
  const name = `${host}:${port}`;
  let client: pg.Client;
  try {
    client = await connectTo(address, n);
  } catch (error) {
    return { name, state: 'away', reason: reasonOf(address, error) };
  }
  try {
    const { rows } = await client.query(
      `SELECT pg_is_in_recovery() AS standby, current_setting('server_version') AS version,
        (pg_control_checkpoint()).timeline_id AS timeline,
        CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS wal,
        (SELECT setting::int FROM pg_settings WHERE name = 'wal_retrieve_retry_interval') AS retry`,
    );
    const [row] = rows as [
      { standby: boolean; version: string; timeline: number; wal: string | null; retry: number },
    ];
    return {
      name,
      state: row.standby ? 'standby' : 'primary',
      version: row.version.replace(/ .*/, ''),
      timeline: row.wal === null ? row.timeline : Number.parseInt(row.wal, 16),
      retrieveRetryMs: row.retry,
    };
  } catch (error) {
    return { name, state: 'away', reason: reasonOf(address, error) };
  } finally {
    await client.end().catch(() => {});
  }
}

async function connectTo(
  { hosts, user, password, database }: DatabaseAddress,
  n: number,
): Promise<pg.Client> {
  const { host, port } = hosts[n]!;
  const client = new pg.Client({
    host,
    port,
    user,
    database,
    ...(password !== undefined && { password }),
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'bourse cluster',
  });
  // The query under way tells of it.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** By SQLSTATE, or the code of Node for what the operating system says. */
const REASONS: Readonly<Record<string, (address: DatabaseAddress) => string>> = {
  '28P01': ({ user }) => `the password of ${user} is wrong: give it in PGPASSWORD or in ~/.pgpass`,
  '28000': ({ user }) => `it does not let ${user} in: see pg_hba.conf of the server`,
  '3D000': ({ database }) => `there is no database ${database}: make it with createdb ${database}`,
  '42501': ({ user }) => `${user} lacks the rights: GRANT pg_monitor TO ${user}`,
  '53300': () => 'it has no connection left: raise its max_connections',
  '57P03': () => 'it is starting up or shutting down',
  ECONNREFUSED: () => 'no server listens there',
  ENOTFOUND: () => 'the host name is unknown',
  EAI_AGAIN: () => 'the host name cannot be looked up now',
  EHOSTUNREACH: () => 'the host cannot be reached',
  ENETUNREACH: () => 'the host cannot be reached',
  ETIMEDOUT: () => 'it does not answer',
  ECONNRESET: () => 'it closed the connection',
};

function reasonOf(address: DatabaseAddress, error: unknown): string {
  // A name with several addresses fails with an error for each.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const { code = '', message } = first as { readonly code?: string; readonly message: string };
  if (/client password must be a string/.test(message))
    return `the server asks for the password of ${address.user}: give it in PGPASSWORD or in ~/.pgpass`;
  if (/timeout/.test(message)) return 'it does not answer';
  return REASONS[code]?.(address) ?? message;
}
