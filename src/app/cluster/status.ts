/** A cluster as its database tells of it: engine, log, nodes, duties, snapshots. */
import type pg from 'pg';
import type { ServerView } from '../../cluster/postgres/servers.ts';
import { type Connected, refuseUnlessCluster } from './database.ts';

/** A node writes its row each second; one that has not for so long is gone. */
export const GONE_AFTER_MS = 5_000;

export interface StandbyView {
  readonly name: string;
  /** `sync`, `quorum`, `potential` or `async`. */
  readonly sync: string;
  readonly state: string;
  /** Bytes of the log that it does not have on its disk yet. */
  readonly behindBytes: number;
}

export interface NodeView {
  readonly name: string;
  readonly role: string;
  readonly url: string;
  readonly operatorUrl: string | null;
  readonly version: string;
  readonly editionMax: number;
  /** Null when it has left in order. */
  readonly seenMsAgo: number | null;
  readonly live: boolean;
  readonly appliedPack: number;
  readonly appliedCommand: number;
  readonly behindPacks: number;
  readonly hashPack: number | null;
  readonly hash: string | null;
}

export interface DutyView {
  readonly name: string;
  readonly node: string;
  readonly epoch: number;
  /** Below 0 when its time is over and nobody has taken it. */
  readonly leftMs: number;
}

export interface SnapshotView {
  readonly pack: number;
  readonly command: number;
  readonly edition: number;
  readonly bytes: number;
  readonly whole: boolean;
}

export interface ClusterStatus {
  readonly instance: string;
  readonly schemaVersion: number;
  readonly servers: readonly ServerView[];
  readonly standbys: readonly StandbyView[];
  /** Is every command on two machines before it is answered? */
  readonly copies: 'standby' | 'one copy';
  readonly log: {
    readonly packs: number;
    readonly firstPack: number;
    readonly commands: number;
    readonly lastMsAgo: number | null;
    readonly bytes: number;
  };
  readonly nodes: readonly NodeView[];
  readonly duties: readonly DutyView[];
  readonly snapshots: readonly SnapshotView[];
  readonly databaseBytes: number;
  /** What an operator should look at. */
  readonly warnings: readonly string[];
  /** Two nodes had different states after the same pack. */
  readonly diverged: boolean;
}

export async function clusterStatus({ client, servers }: Connected): Promise<ClusterStatus> {
  await refuseUnlessCluster(client);
  const [facts] = await rowsOf<{ instance: string; schema_version: number; bytes: string; names: string }>(
    client,
    `SELECT instance::text, schema_version, pg_database_size(current_database()) AS bytes,
      current_setting('synchronous_standby_names') AS names FROM bourse_cluster.cluster`,
  );
  const standbys = await standbysOf(client);
  const log = await logOf(client);
  const nodes = await nodesOf(client, log.packs);
  const status = {
    instance: facts!.instance,
    schemaVersion: facts!.schema_version,
    servers,
    standbys,
    copies:
      facts!.names !== '' && standbys.some(({ sync }) => sync === 'sync' || sync === 'quorum')
        ? ('standby' as const)
        : ('one copy' as const),
    log,
    nodes,
    duties: await dutiesOf(client),
    snapshots: await snapshotsOf(client),
    databaseBytes: Number(facts!.bytes),
  };
  const diverged = divergedPacks(nodes);
  return { ...status, warnings: warningsOf(status, diverged), diverged: diverged.length > 0 };
}

async function rowsOf<Row>(client: pg.Client, text: string): Promise<Row[]> {
  return (await client.query(text)).rows as Row[];
}

async function standbysOf(client: pg.Client): Promise<StandbyView[]> {
  const rows = await rowsOf<{
    name: string;
    sync: string | null;
    state: string | null;
    behind: string | null;
  }>(
    client,
    `SELECT application_name AS name, sync_state AS sync, state, pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn) AS behind
      FROM pg_stat_replication ORDER BY application_name`,
  );
  return rows.map(({ name, sync, state, behind }) => ({
    name,
    sync: sync ?? 'hidden: GRANT pg_monitor',
    state: state ?? '',
    behindBytes: Number(behind ?? 0),
  }));
}

async function logOf(client: pg.Client): Promise<ClusterStatus['log']> {
  const [row] = await rowsOf<{
    last: string | null;
    first: string | null;
    next: string | null;
    ago: string | null;
    bytes: string;
  }>(
    client,
    `SELECT max(no) AS last, min(no) FILTER (WHERE no > 0) AS first,
      (SELECT first_seq + commands FROM bourse_cluster.pack ORDER BY no DESC LIMIT 1) AS next,
      bourse_cluster.now_ms() - nullif(max(at), 0) AS ago,
      pg_total_relation_size('bourse_cluster.pack') AS bytes FROM bourse_cluster.pack`,
  );
  return {
    packs: Number(row!.last ?? 0),
    firstPack: Number(row!.first ?? 0),
    commands: Number(row!.next ?? 1) - 1,
    lastMsAgo: row!.ago === null ? null : Number(row!.ago),
    bytes: Number(row!.bytes),
  };
}

export async function nodesOf(client: pg.Client, lastPack: number): Promise<NodeView[]> {
  const rows = await rowsOf<Record<string, string | number | Uint8Array | null>>(
    client,
    `SELECT *, CASE WHEN isfinite(seen) THEN floor(extract(epoch FROM clock_timestamp() - seen) * 1000)::bigint END AS ago
      FROM bourse_cluster.node ORDER BY name`,
  );
  return rows.map((row) => {
    const appliedPack = Number(row.applied);
    const seenMsAgo = row.ago === null ? null : Number(row.ago);
    return {
      name: String(row.name),
      role: String(row.role),
      url: String(row.url),
      operatorUrl: row.operator_url as string | null,
      version: String(row.version),
      editionMax: Number(row.edition_max),
      seenMsAgo,
      live: seenMsAgo !== null && seenMsAgo < GONE_AFTER_MS,
      appliedPack,
      appliedCommand: Number(row.applied_seq),
      behindPacks: Math.max(0, lastPack - appliedPack),
      hashPack: row.hash_no === null ? null : Number(row.hash_no),
      hash: row.hash === null ? null : Buffer.from(row.hash as Uint8Array).toString('hex'),
    };
  });
}

async function dutiesOf(client: pg.Client): Promise<DutyView[]> {
  const rows = await rowsOf<{ name: string; node: string; epoch: string; left: string }>(
    client,
    `SELECT name, node, epoch, floor(extract(epoch FROM until - clock_timestamp()) * 1000)::bigint AS left
      FROM bourse_cluster.duty ORDER BY name`,
  );
  return rows.map(({ name, node, epoch, left }) => ({
    name,
    node,
    epoch: Number(epoch),
    leftMs: Number(left),
  }));
}

async function snapshotsOf(client: pg.Client): Promise<SnapshotView[]> {
  const rows = await rowsOf<{ no: string; next_seq: string; edition: number; bytes: string; whole: boolean }>(
    client,
    'SELECT no, next_seq, edition, bytes, whole FROM bourse_cluster.snapshot ORDER BY no DESC',
  );
  return rows.map(({ no, next_seq, edition, bytes, whole }) => ({
    pack: Number(no),
    command: Number(next_seq) - 1,
    edition,
    bytes: Number(bytes),
    whole,
  }));
}

/** Packs after which two nodes have reported different hashes. */
function divergedPacks(nodes: readonly NodeView[]): number[] {
  const known = nodes.filter(({ hash, hashPack }) => hash !== null && hashPack !== null);
  const byPack = Map.groupBy(known, ({ hashPack }) => hashPack!);
  return [...byPack].filter(([, same]) => new Set(same.map(({ hash }) => hash)).size > 1).map(([no]) => no);
}

function warningsOf(
  { servers, copies, log, nodes }: Pick<ClusterStatus, 'servers' | 'copies' | 'log' | 'nodes'>,
  diverged: readonly number[],
): string[] {
  const primaries = servers.filter(({ state }) => state === 'primary');
  const ahead = nodes.filter(({ appliedPack }) => appliedPack > log.packs);
  return [
    ...diverged.map(
      (no) =>
        `the nodes have different states after pack ${no}: see "a node that differs" in docs/cluster.md`,
    ),
    ...ahead.map(
      ({ name, appliedPack }) =>
        `node ${name} has applied pack ${appliedPack}, the log ends at ${log.packs}: the database has lost packs, see "bourse cluster repair"`,
    ),
    ...(primaries.length > 1
      ? [
          `${primaries.map(({ name }) => name).join(' and ')} both take writes: stop the one that was replaced`,
        ]
      : []),
    ...(copies === 'one copy'
      ? ['one copy: no synchronous standby is connected, so the loss of the primary loses commands']
      : []),
    ...servers
      .filter(({ state }) => state === 'away')
      .map(({ name, reason }) => `${name} is away: ${reason}`),
    ...nodes.flatMap(({ name, live, seenMsAgo }) =>
      live || seenMsAgo === null
        ? []
        : [`node ${name} has not been seen for ${Math.round(seenMsAgo / 1000)} s`],
    ),
  ];
}
