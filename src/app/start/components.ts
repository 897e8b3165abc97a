/**
 * Opens the components of an exchange, in order: the journal with its lock (so that a second process stops before it
 * has changed anything), identity, history, then the state from snapshot and journal. A failure closes the open ones.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { AuditLog } from '../../admin/audit-log.ts';
import { Reconciliation } from '../../admin/reconcile.ts';
import type { ClusterNode } from '../../cluster/node.ts';
import type { AbandonableHistory, History, HistoryContents, HistoryCopies } from '../../history/history.ts';
import { HISTORY_THREAD, openMemoryHistory } from '../../history/sqlite-history.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Mark } from '../../identity/identity-mark.ts';
import type { IdentityImage } from '../../identity/identity-storage.ts';
import { IDENTITY_FILE, openIdentity, openMemoryIdentity } from '../../identity/sqlite-identity.ts';
import type { AbandonableJournal, JournalPast, Recovered, Snapshot } from '../../journal/command-journal.ts';
import type { DirectoryLock } from '../../journal/directory-lock.ts';
import { acquireLock, recoverFileJournal } from '../../journal/file-journal.ts';
import { readPast } from '../../journal/journal-reader.ts';
import { type MemoryJournal, openMemoryJournal, recoverMemoryJournal } from '../../journal/memory-journal.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import type { RecoveryReport } from '../../journal/recovery-report.ts';
import { BRANCH_SEGMENT_BYTES_MAX } from '../../lab/limits.ts';
import { ExchangeClock, WallClock } from '../../sequencer/clock.ts';
import { type ClockChoice, openClock } from '../../sequencer/clock-choice.ts';
import { type CommandLog, JournalLog } from '../../sequencer/command-log.ts';
import { formatDuration } from '../../sequencer/duration.ts';
import type { Generated24hStats } from '../../sequencer/generated-24h-stats.ts';
import { replay } from '../../sequencer/recovery.ts';
import { Sequencer } from '../../sequencer/sequencer.ts';
import { Threads } from '../../storage/threads.ts';
import { refuseUnfinished } from '../backup/manifest.ts';
import { copyBeforeMigration } from '../backup/migration-copies.ts';
import type { Config } from '../config/settings.ts';
import { GENERATED_FILE, HISTORY_FILE, LOG_DIRECTORY, LOST_GENERATED } from '../data/data-files.ts';
import { historyAddress, historyName, openHistory, rememberHistory } from '../data/history-place.ts';
import { loggedCommands } from '../data/logged-commands.ts';
import { CannotStart, DataDamaged, ExitCode, exitCodeOf } from '../exit-codes.ts';
import { counted } from '../terminal/format.ts';
import { closeToOthers } from './file-permissions.ts';
import { JournaledMark } from './identity-marks.ts';
import { reconcileUsers } from './orphan-accounts.ts';
import { explainPoisonedCommand } from './poisoned-command-advice.ts';

export { HISTORY_FILE };

const PROGRESS_INTERVAL_MS = 1000;
const SEALING_REPORT_MS = 10_000;
const CLOCK_SLACK_MS = 5000;
/** How much a journal in memory keeps for explanations and capsules (docs/lab.md). */
const PAST_BYTES_MAX = 256 * 1024 * 1024;

export interface Components {
  readonly journal: AbandonableJournal;
  /** What the journal still has, up to a command that is durable. */
  readonly journalPast: (lastSeq: number) => JournalPast;
  readonly identity: Identity;
  readonly history: History & HistoryCopies & AbandonableHistory;
  readonly sequencer: Sequencer;
  readonly log: CommandLog;
  /** Undefined for an exchange of one machine. */
  readonly node?: ClusterNode | undefined;
  /** The clock of the sequencer. */
  readonly clock: ExchangeClock;
  /** The machine's clock, whatever the exchange's clock is: signatures, timeouts and the audit log use it. */
  readonly wallClock: WallClock;
  readonly audit: AuditLog;
  readonly report: RecoveryReport;
  /** Commands replayed between the snapshot and the end of the journal. */
  readonly replayed: number;
  /** Changes of the identity store, as the journal has them. */
  readonly identityMark: Mark | undefined;
  /** The lock of the data directory; undefined in memory. */
  readonly lock: DirectoryLock | undefined;
  /** The threads of journal and history; undefined in memory. */
  readonly threads: Threads | undefined;
  /** The directory of the journal; undefined in memory. */
  readonly logDirectory: string | undefined;
  /** From the exchange that this one is a branch of. */
  readonly generated24h: Generated24hStats | undefined;
}

/** What an exchange in memory begins with, when it is not a new one. */
export interface MemoryImage extends Snapshot {
  readonly identity: IdentityImage;
  readonly history: HistoryContents;
}

/** What an exchange in memory leaves when it stops, in place of files on disk. */
export interface MemoryRemains {
  readonly journal: MemoryJournal;
  readonly identity: IdentityImage;
  readonly history: HistoryContents;
}

/** Where the components come from; whatever is absent is opened. */
export interface Beginning {
  /** Closes what outlives the components: lock, threads and audit log. */
  readonly processResources?: AsyncDisposableStack;
  readonly wallClock?: WallClock;
  readonly audit?: AuditLog;
  readonly lock?: DirectoryLock | undefined;
  readonly threads?: Threads | undefined;
  /** Journal, identity and history lie here instead of in the data directory itself. */
  readonly directory?: string;
  readonly image?: MemoryImage;
  /** What an exchange in memory has left behind. */
  readonly left?: MemoryRemains;
  /** The exchange's time. Default: the time of its last command. */
  readonly time?: number;
  /** How far it is behind the machine's clock. */
  readonly gapMs?: number;
  /** Default: the clock of the settings. */
  readonly clock?: ClockChoice;
  /** From the exchange that this one is a branch of. */
  readonly generated24h?: Generated24hStats;
}

/** The opened stores, before the state is recovered from them. */
interface Stores {
  readonly recovered: Recovered<AbandonableJournal>;
  readonly journalPast: Components['journalPast'];
  readonly audit: AuditLog;
  readonly identity: Identity;
  readonly history: History & HistoryCopies & AbandonableHistory;
  readonly lock: DirectoryLock | undefined;
  readonly threads: Threads | undefined;
}

/** What opening them needs; each is closed by `open`, in reverse order. */
interface Opening {
  readonly config: Config;
  readonly logger: Logger;
  readonly open: AsyncDisposableStack;
  /** Of the history. */
  readonly onFailure: (error: Error) => void;
  readonly wallClock: WallClock;
  readonly beginning: Beginning;
}

async function openDataDirectory(opening: Opening): Promise<Stores> {
  const { config, logger, open, onFailure, wallClock, beginning } = opening;
  const { directory = config.data, processResources = open } = beginning;
  const lock = beginning.lock ?? (await lockDirectory(opening, processResources));
  const threads = beginning.threads ?? new Threads();
  if (beginning.threads === undefined) processResources.defer(() => threads.close());
  const ofTrunk = directory === config.data;
  if (historyAddress(config.history, directory) === undefined) threads.prepare(HISTORY_THREAD);
  const { started, ...recovered } = recoverFileJournal({
    directory: join(directory, LOG_DIRECTORY),
    segmentBytes: ofTrunk ? config.segmentBytes : Math.min(config.segmentBytes, BRANCH_SEGMENT_BYTES_MAX),
    lock: ofTrunk ? lock : undefined,
    threads,
  });
  open.defer(() => recovered.journal.close());
  // A new directory has its log first: users and history without one are refused by the next start.
  if (recovered.report.epoch === 1) await started;
  // Reported below, if nothing fails before.
  else started.catch(() => {});
  reportRecovery(recovered.report, logger);
  const audit = beginning.audit ?? (await AuditLog.open(config.data, () => wallClock.now()));
  if (beginning.audit === undefined) processResources.defer(() => audit.close());
  const identity = await openDatabase(IDENTITY_FILE, LOST_IDENTITY, async () =>
    openIdentity(directory, { acceptGap: config.acceptIdentityGap }),
  );
  open.defer(() => identity.close());
  const history = await openDatabase(HISTORY_FILE, LOST_HISTORY, () =>
    openHistory({
      directory,
      setting: config.history,
      instance: recovered.report.instanceId,
      threads,
      onFailure,
      onSealed: sealingReport(logger),
      onNotice: (text) => logger.warn(text),
      acceptGap: config.acceptHistoryGap,
    }),
  );
  open.defer(() => history.close());
  await started;
  const disk = new NodeDisk(join(directory, LOG_DIRECTORY));
  const journalPast = (lastSeq: number) => readPast(disk, lastSeq);
  return { recovered, journalPast, audit, identity, history, lock, threads };
}

/** Before anything in the directory is changed. */
async function lockDirectory(
  { config, logger, beginning }: Opening,
  processResources: AsyncDisposableStack,
): Promise<DirectoryLock> {
  refuseUnfinished(config.data);
  const { directory = config.data } = beginning;
  for (const each of new Set([config.data, directory])) closeToOthers(each, logger);
  await copyBeforeMigration(directory, (text) => logger.warn(text), config.history);
  const lock = acquireLock(join(config.data, LOG_DIRECTORY));
  processResources.defer(() => lock.release());
  return lock;
}

/** The same without disk, lock and threads; all of it ends with the process. */
async function openInMemory({ config, open, onFailure, wallClock, beginning }: Opening): Promise<Stores> {
  const { image, left, processResources = open } = beginning;
  const options = { pastBytesMax: config.lab === 'off' ? 0 : PAST_BYTES_MAX };
  const recovered =
    left === undefined ? openMemoryJournal(options, image) : recoverMemoryJournal(left.journal, options);
  const contents = left ?? image;
  open.defer(() => recovered.journal.close());
  const audit = beginning.audit ?? (await AuditLog.openInMemory(() => wallClock.now()));
  if (beginning.audit === undefined) processResources.defer(() => audit.close());
  const identity = openMemoryIdentity(contents?.identity);
  open.defer(() => identity.close());
  const history = await openMemoryHistory({ onFailure, contents: contents?.history });
  open.defer(() => history.close());
  const journalPast = () => recovered.journal.past();
  return { recovered, journalPast, audit, identity, history, lock: undefined, threads: undefined };
}

/** Each component is closed by `open`, in reverse order. */
export async function openComponents(
  config: Config,
  logger: Logger,
  open: AsyncDisposableStack,
  onFailure: (error: Error) => void,
  beginning: Beginning = {},
): Promise<Components> {
  const { wallClock = new WallClock() } = beginning;
  // Without its history the sequencer must announce nothing more: it would find the history closed.
  let historyFailed = onFailure;
  const opening = {
    config,
    logger,
    open,
    onFailure: (error: Error) => historyFailed(error),
    wallClock,
    beginning,
  };
  const { recovered, journalPast, audit, identity, history, lock, threads } = await (config.memory
    ? openInMemory(opening)
    : openDataDirectory(opening));
  const { journal, report } = recovered;
  const reconciliation = new Reconciliation(audit);
  // While the exchange runs, an action without an outcome is one that is being carried out.
  const afterCrash = beginning.audit === undefined;
  if (afterCrash && reconciliation.reachesBefore(report.snapshotSeq)) {
    const { directory = config.data } = beginning;
    for (const { seq, command } of loggedCommands(directory)) reconciliation.note(seq, command);
  }
  const logged = new JournaledMark();
  logged.readSnapshot(recovered.snapshot);
  const { exchange, lastSeq, commands } = await replay(recovered.snapshot, recovered.records, history, {
    progress: progressReport(recovered, logger),
    applied: (seq, command, result) => {
      reconciliation.note(seq, command, result);
      logged.readCommand(command);
    },
    acceptHistoryGap: config.acceptHistoryGap,
    historyName: historyName(historyAddress(config.history, beginning.directory ?? config.data)),
  }).catch((error) => {
    throw explainPoisonedCommand(error, { lastSeq: report.lastSeq, confirmedSeq: history.confirmedSeq });
  });
  if (!config.memory) rememberHistory(config.history, beginning.directory ?? config.data);
  const replaced = await reconcileUsers(exchange.state, identity, config.acceptIdentityGap, wallClock.now());
  if (logged.mark !== undefined) identity.proveNewest(logged.mark);
  if (replaced > 0)
    logger.warn(`${counted(replaced, 'account')} without a user: frozen until the operator gives a key`);
  if (afterCrash)
    for (const action of await reconciliation.complete()) logger.warn(`an action was cut off: ${action}`);
  const { time = exchange.state.now, gapMs, clock: choice = config.clock } = beginning;
  const clock = new ExchangeClock(openClock(choice, time, config.clockStart, wallClock, gapMs));
  warnOfTimeAhead(exchange.state.now - clock.now(), logger);
  const log = new JournalLog(journal);
  const sequencer = new Sequencer(exchange, log, history, clock, lastSeq);
  sequencer.onFailed(onFailure);
  historyFailed = (error) => sequencer.fail(error);
  return {
    journal,
    journalPast,
    identity,
    history,
    sequencer,
    clock,
    log,
    wallClock,
    audit,
    report,
    replayed: commands,
    identityMark: logged.mark,
    lock,
    threads,
    logDirectory: config.memory ? undefined : join(beginning.directory ?? config.data, LOG_DIRECTORY),
    generated24h: beginning.generated24h,
  };
}

const LOST_IDENTITY = 'Put it back from a backup: it holds the API keys.';
export const LOST_HISTORY =
  'Put it back from a backup, or move it away and start with --accept-history-gap: closed orders and fills that the ' +
  'log no longer holds are then missing.';

/** Messages of SQLite about damaged files; an error from another thread carries only its message. */
const DAMAGED =
  /not a database|malformed|disk I\/O error|no such (?:table|column)|already exists|UNIQUE constraint/;
const MISSING = new RegExp(`${GENERATED_FILE} does not exist`);
const CLOSED = /unable to open database file|readonly database|database is locked|authorization denied/;

export async function openDatabase<Database>(
  file: string,
  advice: string,
  open: () => Promise<Database>,
): Promise<Database> {
  try {
    return await open();
  } catch (error) {
    throw asDamage(file, advice, error);
  }
}

/** A failure of the history as an error that the user can act on. */
export function asHistoryDamage(error: unknown): unknown {
  return /^history failed/.test((error as Error | null)?.message ?? '')
    ? asDamage(HISTORY_FILE, LOST_HISTORY, error)
    : error;
}

/** An error of SQLite as one that the user can act on. */
function asDamage(file: string, advice: string, error: unknown): unknown {
  if (exitCodeOf(error) !== ExitCode.failed) return error;
  const { message } = error as Error;
  if (MISSING.test(message)) return new DataDamaged(`${GENERATED_FILE} is missing. ${LOST_GENERATED}`);
  // The history names the file of its generated past, which its thread writes too.
  if (file === HISTORY_FILE && message.includes(GENERATED_FILE))
    return asDamage(GENERATED_FILE, LOST_GENERATED, error);
  if (DAMAGED.test(message)) return new DataDamaged(`${file} is damaged: ${message}. ${advice}`);
  if (CLOSED.test(message)) {
    return new CannotStart(
      `${file} cannot be opened: ${message}. It must be a file that this user may write`,
    );
  }
  return error;
}

/** Time never goes back, so it stands still until the machine's clock has caught up. */
function warnOfTimeAhead(aheadMs: number, logger: Logger): void {
  if (aheadMs <= CLOCK_SLACK_MS) return;
  logger.warn(
    `the exchange's time is ${formatDuration(aheadMs)} ahead of the machine's clock and stands still until then: ` +
      'it ran on another clock before. Start it with --clock manual or --clock scaled:N to go on from where it was',
  );
}

function reportRecovery(report: RecoveryReport, logger: Logger): void {
  const { cleanEnd, tornBytes, quarantined, damagedSnapshots, recordsToReplay, snapshotSeq } = report;
  logger.debug({ report }, 'log opened');
  if (!cleanEnd) {
    logger.warn(
      { recordsToReplay, snapshotSeq, tornBytes, quarantined },
      'the last run did not end properly: everything that was acknowledged is being restored',
    );
  }
  for (const { file, reason } of damagedSnapshots) {
    logger.error({ file, reason }, 'a snapshot is damaged: an older one is used and more is replayed');
  }
}

/** Records of an older program get their checksums while the exchange runs; long runs report progress. */
function sealingReport(logger: Logger): (rows: number, all: boolean) => void {
  let reportedMs = performance.now();
  return (rows, all) => {
    const nowMs = performance.now();
    if (!all && nowMs - reportedMs < SEALING_REPORT_MS) return;
    reportedMs = nowMs;
    logger.info(`history: ${counted(rows, 'older record')} given a checksum${all ? ', all done' : ''}`);
  };
}

/** Reports at most once a second, so only long replays report. */
function progressReport({ report }: Recovered, logger: Logger): (seq: number) => void {
  let reportedMs = performance.now();
  return (seq) => {
    const nowMs = performance.now();
    if (nowMs - reportedMs < PROGRESS_INTERVAL_MS) return;
    reportedMs = nowMs;
    const done = seq - report.snapshotSeq;
    const percent = Math.floor((100 * done) / report.recordsToReplay);
    logger.info(`replaying: ${counted(done, 'command')}, ${percent} %`);
  };
}
