/**
 * How a node joins a cluster: it checks that the cluster is its own and that the database can be trusted, loads the newest snapshot,
 * and opens the log and the history from there on.
 */
import { Exchange } from '../core/engine/exchange.ts';
import { openPostgresHistory } from '../history/postgres/postgres-history.ts';
import { ClusterHistory } from './cluster-history.ts';
import { isAlive } from './membership.ts';
import { ClusterNode, type NodeOptions, STORE_MESSAGE } from './node.ts';
import { FIRST_CHAIN } from './pack.ts';
import { durabilityRefusals } from './postgres/durability-checks.ts';
import { historyAddressOf, prepareHistory } from './postgres/history-address.ts';
import { ClusterRefused } from './postgres/install.ts';
import { PostgresEngine } from './postgres/postgres-engine.ts';
import { SCHEMA_VERSION } from './postgres/schema.ts';
import { SideConnection } from './postgres/side-connection.ts';
import { retryWhileUnreachable } from './retry.ts';
import type { LogPosition } from './shared-log.ts';
import { SNAPSHOT_ANSWER_MS } from './snapshot-duty.ts';
import { loadSnapshot } from './snapshots.ts';

/** Throws ClusterRefused, or as the database does. */
export async function joinCluster(options: NodeOptions): Promise<ClusterNode> {
  const side = new SideConnection(options.address);
  const snapshotConnection = new SideConnection(options.address, SNAPSHOT_ANSWER_MS);
  try {
    const instance = await retryWhileUnreachable(() => checkCluster(side, options));
    const [row] = await side.query(
      "SELECT nextval('bourse_cluster.run') AS run, bourse_cluster.now_ms() AS now",
    );
    const loaded = await loadSnapshot(snapshotConnection, (no, reason) =>
      options.warn(`the snapshot after pack ${no} is not used: ${reason}`),
    );
    if (loaded === undefined) await refuseLostBeginning(side);
    const begin = loaded?.position ?? { no: 0, nextSeq: 1, chain: FIRST_CHAIN, time: 0 };
    const exchange = loaded === undefined ? new Exchange() : new Exchange(loaded.state);
    const engine = new PostgresEngine(options.address);
    try {
      await retryWhileUnreachable(() => engine.reconnect());
      const history = await openHistory(options, side, instance, engine, begin);
      const [run, now] = [Number(row!.run), Number(row!.now)];
      return new ClusterNode({ options, side, instance, run, now, exchange, begin, engine, history });
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (error) {
    await side.close();
    throw error;
  } finally {
    await snapshotConnection.close();
  }
}

/** Resolves with the id of the cluster. Throws ClusterRefused. */
async function checkCluster(side: SideConnection, options: NodeOptions): Promise<string> {
  const { durability, fingerprint, name } = options;
  const [there] = await side.query("SELECT to_regclass('bourse_cluster.cluster') IS NOT NULL AS there");
  if (there?.there !== true)
    throw new ClusterRefused('the database has no cluster yet: make it with "bourse cluster init"');
  const [row] = await side.query(
    'SELECT instance::text AS instance, schema_version, keys_fingerprint FROM bourse_cluster.cluster',
  );
  const version = Number(row?.schema_version);
  if (version !== SCHEMA_VERSION)
    throw new ClusterRefused(
      `the tables of the cluster have version ${version}, this program has ${SCHEMA_VERSION}: start the other program`,
    );
  if (Buffer.compare(row!.keys_fingerprint as Buffer, fingerprint) !== 0)
    throw new ClusterRefused(
      'the files of --keys are others than those of the cluster: every node needs the same',
    );
  const client = await side.client();
  await client.query('RESET synchronous_commit');
  const refusals = await durabilityRefusals(client, durability);
  await client.query('SET synchronous_commit = off');
  if (refusals.length > 0) throw new ClusterRefused(`the database cannot be trusted: ${refusals.join('; ')}`);
  if (await isAlive((text, values) => side.query(text, values), name))
    throw new ClusterRefused(`node ${name} is running already: give this one another name with --node`);
  return String(row!.instance).replaceAll('-', '');
}

/** Without a snapshot the state comes from the first pack on. Throws ClusterRefused. */
async function refuseLostBeginning(side: SideConnection): Promise<void> {
  const [row] = await side.query('SELECT min(no) AS first FROM bourse_cluster.pack');
  if (row?.first !== null && Number(row?.first) !== 1)
    throw new ClusterRefused(
      `there is no snapshot that can be read, and the packs before ${Number(row?.first)} are deleted: restore the database from a backup`,
    );
}

async function openHistory(
  options: NodeOptions,
  side: SideConnection,
  instance: string,
  engine: PostgresEngine,
  begin: LogPosition,
): Promise<ClusterHistory> {
  const address = historyAddressOf(options.address);
  await prepareHistory(address, instance);
  const storedSeq = async () => {
    const [row] = await side.query('SELECT last_seq FROM history.meta');
    return Number(row?.last_seq);
  };
  const onNotice = (text: string) => options.warn(text);
  const reader = await openPostgresHistory({
    address,
    instance,
    part: 'reader',
    onNotice,
    onFailure: options.onFailure,
  });
  const stored = await storedSeq();
  if (stored < begin.nextSeq - 1)
    options.warn(`the history ends at command ${stored}, before the snapshot: this node cannot write it`);
  return new ClusterHistory(
    {
      reader,
      storedSeq,
      openWriter: (onFailure) =>
        openPostgresHistory({ address, instance, part: 'writer', onNotice, onFailure }),
      wantStored: () => engine.notify(STORE_MESSAGE),
    },
    Math.max(stored, begin.nextSeq - 1),
  );
}
