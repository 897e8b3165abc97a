/** The components of a node of a cluster: everything that lasts is in the database. */
import type { Logger } from 'pino';
import { AuditLog } from '../../admin/audit-log.ts';
import { KeysMissing, keysFingerprint } from '../../cluster/keys.ts';
import { ClusterNode } from '../../cluster/node.ts';
import { type DatabaseAddress, readAddress } from '../../cluster/postgres/address.ts';
import { ClusterRefused } from '../../cluster/postgres/install.ts';
import { openMemoryIdentity } from '../../identity/sqlite-identity.ts';
import type { AbandonableJournal } from '../../journal/command-journal.ts';
import { JournalFailed } from '../../journal/journal-errors.ts';
import { ExchangeClock, WallClock } from '../../sequencer/clock.ts';
import type { CommandLog } from '../../sequencer/command-log.ts';
import { VERSION } from '../../version.ts';
import type { Config } from '../config/settings.ts';
import { CannotStart } from '../exit-codes.ts';
import type { Components } from './components.ts';

/** Each is closed by `open`, in reverse order. Throws CannotStart. */
export async function openNodeComponents(
  config: Config,
  logger: Logger,
  open: AsyncDisposableStack,
  onFailure: (error: Error) => void,
): Promise<Components> {
  const wall = new WallClock();
  const clock = new ExchangeClock(wall);
  const node = await join(config, logger, clock);
  open.defer(() => node.close());
  node.sequencer.onHalted(onFailure);
  const identity = openMemoryIdentity();
  open.defer(() => identity.close());
  const audit = await AuditLog.openInMemory(() => wall.now());
  open.defer(() => audit.close());
  await node.catchUp();
  const { sequencer, history, log } = node;
  return {
    journal: noJournal(log),
    past: () => ({ snapshots: [], firstSeq: sequencer.appliedSeq + 1, recordsAfter: () => [] }),
    identity,
    history,
    sequencer,
    log,
    node,
    clock,
    wall,
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
    logDirectory: undefined,
    generated24h: undefined,
  };
}

async function join(config: Config, logger: Logger, clock: ExchangeClock): Promise<ClusterNode> {
  const { cluster, node: name, role, clusterDurability: durability, snapshotMinutes, keys } = config;
  try {
    return await ClusterNode.join({
      address: readAddress(cluster) as DatabaseAddress,
      name,
      role,
      durability,
      fingerprint: keysFingerprint(keys),
      version: VERSION,
      snapshotMs: snapshotMinutes * 60_000,
      clock,
      warn: (text, error) => (error === undefined ? logger.warn(text) : logger.warn({ err: error }, text)),
      trouble: (error) =>
        logger.debug({ err: error }, 'the database of the cluster fails; it is tried again'),
    });
  } catch (error) {
    if (error instanceof ClusterRefused || error instanceof KeysMissing)
      throw new CannotStart(`--cluster: ${error.message}`);
    throw error;
  }
}

/** Whoever asks for the journal wants to know how the log is. */
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
