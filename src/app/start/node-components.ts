/** The components of a node of a cluster: everything that lasts is in the database. */
import type { Logger } from 'pino';
import type { AuditLog } from '../../admin/audit-log.ts';
import { openClusterAudit } from '../../admin/cluster-audit.ts';
import { Reconciliation } from '../../admin/reconcile.ts';
import { joinCluster } from '../../cluster/join.ts';
import { KeysMissing, keysFingerprint } from '../../cluster/keys.ts';
import type { ClusterNode } from '../../cluster/node.ts';
import { type DatabaseAddress, readAddress } from '../../cluster/postgres/address.ts';
import { type ClusterIdentity, openClusterIdentity } from '../../cluster/postgres/cluster-identity.ts';
import { ClusterRefused } from '../../cluster/postgres/install.ts';
import { Unreachable } from '../../cluster/postgres/side-connection.ts';
import { retryWhileUnreachable } from '../../cluster/retry.ts';
import { HistoryRefused } from '../../history/history.ts';
import type { AbandonableJournal } from '../../journal/command-journal.ts';
import { JournalFailed } from '../../journal/journal-errors.ts';
import { ExchangeClock, WallClock } from '../../sequencer/clock.ts';
import type { CommandLog } from '../../sequencer/command-log.ts';
import { ExposedToOthers } from '../../storage/private-file.ts';
import { VERSION } from '../../version.ts';
import type { Config } from '../config/settings.ts';
import { CannotStart } from '../exit-codes.ts';
import { ADDRESS_KEY_FILE } from './address-key.ts';
import type { Components } from './components.ts';
import { refuseLostUsers } from './orphan-accounts.ts';

/** Each is closed by `open`, in reverse order. Throws CannotStart. */
export async function openNodeComponents(
  config: Config,
  logger: Logger,
  open: AsyncDisposableStack,
  onFailure: (error: Error) => void,
): Promise<Components> {
  const wallClock = new WallClock();
  const clock = new ExchangeClock(wallClock);
  const node = await join(config, logger, clock, onFailure);
  open.defer(() => node.close());
  node.sequencer.onFailed(onFailure);
  const users = await retryWhileUnreachable(() =>
    openClusterIdentity({
      address: addressOf(config),
      node: config.node,
      keysDirectory: config.keys,
      keyFiles: [ADDRESS_KEY_FILE],
      onFailure,
    }),
  );
  const { identity } = users;
  open.defer(() => identity.close());
  node.identitySeen = () => users.version;
  node.identityAgeMs = () => users.ageMs();
  const audit = await retryWhileUnreachable(() =>
    openClusterAudit(addressOf(config), config.node, () => wallClock.now()),
  );
  open.defer(() => audit.close());
  await node.catchUp();
  await compareUsers(node, users);
  await completeActions(node, audit, logger);
  const { sequencer, history, log } = node;
  return {
    journal: noJournal(log),
    journalPast: () => ({ snapshots: [], firstSeq: sequencer.appliedSeq + 1, recordsAfter: () => [] }),
    identity,
    history,
    sequencer,
    log,
    node,
    clock,
    wallClock,
    audit,
    report: {
      instanceId: node.instance,
      epoch: 0,
      cleanEnd: true,
      lastSeq: sequencer.appliedSeq,
      snapshotSeq: sequencer.appliedSeq - node.replayed,
      recordsToReplay: node.replayed,
      tornBytes: 0,
      quarantined: undefined,
      damagedSnapshots: [],
    },
    replayed: node.replayed,
    identityMark: undefined,
    lock: undefined,
    threads: undefined,
    logDirectory: undefined,
    generated24h: undefined,
  };
}

const REFUSALS = [ClusterRefused, KeysMissing, Unreachable, HistoryRefused, ExposedToOthers];

const addressOf = ({ cluster }: Config) => readAddress(cluster) as DatabaseAddress;

/** Every account of the state has a user. An account that was opened just now may have one that is newer than the copy. */
async function compareUsers({ sequencer }: ClusterNode, users: ClusterIdentity): Promise<void> {
  await retryWhileUnreachable(() => users.refresh());
  try {
    refuseLostUsers(sequencer.state, users.identity);
  } catch {
    await retryWhileUnreachable(() => users.refresh());
    refuseLostUsers(sequencer.state, users.identity);
  }
}

/** Actions of this node's operators that were cut off: the log says what became of them. */
async function completeActions(node: ClusterNode, audit: AuditLog, logger: Logger): Promise<void> {
  const interrupted = [...audit.interrupted().values()];
  if (interrupted.length === 0) return;
  const reconciliation = new Reconciliation(audit);
  const first = Math.min(...interrupted.map(({ after }) => after ?? 0));
  for await (const { seq, command } of node.commandsAfter(first)) reconciliation.note(seq, command);
  for (const action of await reconciliation.complete()) logger.warn(`an action was cut off: ${action}`);
}

async function join(
  config: Config,
  logger: Logger,
  clock: ExchangeClock,
  onFailure: (error: Error) => void,
): Promise<ClusterNode> {
  const { node: name, role, clusterDurability: durability, snapshotMinutes, keys } = config;
  try {
    return await joinCluster({
      address: addressOf(config),
      name,
      role,
      durability,
      fingerprint: keysFingerprint(keys),
      version: VERSION,
      snapshotMs: snapshotMinutes * 60_000,
      clock,
      warn: (text, error) => (error === undefined ? logger.warn(text) : logger.warn({ err: error }, text)),
      onRetryableError: (error) =>
        logger.debug({ err: error }, 'the database of the cluster fails; it is tried again'),
      onFailure,
    });
  } catch (error) {
    if (REFUSALS.some((refusal) => error instanceof refusal))
      throw new CannotStart(`--cluster: ${(error as Error).message}`);
    throw error;
  }
}

/** Stands in for the journal where only capacity and queue age are read: both are those of the shared log. */
function noJournal(log: CommandLog): AbandonableJournal {
  const refuse = (): never => {
    throw new JournalFailed('a node of a cluster has no journal of its own');
  };
  return {
    append: refuse,
    appendAll: refuse,
    get appendedSeq() {
      return log.durableSeq;
    },
    get durableSeq() {
      return log.durableSeq;
    },
    onDurable: () => {},
    onFailure: () => {},
    capacity: () => log.capacity(),
    queueAgeMs: () => log.queueAgeMs(),
    saveSnapshot: refuse,
    close: async () => {},
    abandon: async () => {},
  };
}
