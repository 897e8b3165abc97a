/**
 * Opens what an exchange is made of, in order: the log with its lock (so that a second process stops before it has
 * touched anything), identity, history, then the state from snapshot and log. A failure closes what is open.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { History } from '../history/history.ts';
import { openSqliteHistory } from '../history/sqlite-history.ts';
import type { Identity } from '../identity/identity.ts';
import { openIdentity } from '../identity/sqlite-identity.ts';
import type { CommandLog, Recovered } from '../log/command-log.ts';
import { openFileLog } from '../log/file-log.ts';
import type { RecoveryReport } from '../log/recovery-report.ts';
import { WallClock } from '../venue/clock.ts';
import { replay } from '../venue/recovery.ts';
import { Venue } from '../venue/venue.ts';

export const LOG_DIRECTORY = 'log';
export const HISTORY_FILE = 'history.sqlite';

const PROGRESS_INTERVAL_MS = 1000;

export interface Rooms {
  readonly log: CommandLog;
  readonly identity: Identity;
  readonly history: History;
  readonly venue: Venue;
  readonly report: RecoveryReport;
  /** Commands applied on the way from the snapshot to the end of the log. */
  readonly replayed: number;
}

/** What is opened is closed by `open`, last first. */
export async function openRooms(
  config: Config,
  logger: Logger,
  open: AsyncDisposableStack,
  onFailure: (error: Error) => void,
): Promise<Rooms> {
  const recovered = await openFileLog({
    directory: join(config.data, LOG_DIRECTORY),
    segmentBytes: config.segmentBytes,
  });
  const { log, report } = recovered;
  open.defer(() => log.close());
  tellRecovery(report, logger);
  const identity = openIdentity(config.data);
  open.defer(() => identity.close());
  const history = await openSqliteHistory({ path: join(config.data, HISTORY_FILE), onFailure });
  open.defer(() => history.close());

  const { exchange, lastSeq, commands } = await replay(recovered.snapshot, recovered.records, history, {
    progress: progressReport(recovered, logger),
    acceptHistoryGap: config.acceptHistoryGap,
  });
  const venue = new Venue(exchange, log, history, new WallClock(), lastSeq);
  venue.onHalted(onFailure);
  return { log, identity, history, venue, report, replayed: commands };
}

/** Others may list a directory that was there before us; its files are ours alone. */
export function isReadableByOthers(directory: string): boolean {
  return process.platform !== 'win32' && (statSync(directory).mode & 0o077) !== 0;
}

function tellRecovery(report: RecoveryReport, logger: Logger): void {
  const { cleanEnd, tornBytes, keptAside, damagedSnapshots, recordsToReplay, snapshotSeq } = report;
  logger.debug({ report }, 'log opened');
  if (!cleanEnd) {
    logger.warn(
      { recordsToReplay, snapshotSeq, tornBytes, keptAside },
      'the last run did not end properly: everything that was acknowledged is being restored',
    );
  }
  for (const { file, reason } of damagedSnapshots) {
    logger.error({ file, reason }, 'a snapshot is damaged: an older one is used and more is replayed');
  }
}

/** Speaks up at most once a second, so only about long replays. */
function progressReport({ report }: Recovered, logger: Logger): (seq: number) => void {
  let toldMs = performance.now();
  return (seq) => {
    const nowMs = performance.now();
    if (nowMs - toldMs < PROGRESS_INTERVAL_MS) return;
    toldMs = nowMs;
    const done = seq - report.snapshotSeq;
    const percent = Math.floor((100 * done) / report.recordsToReplay);
    logger.info(`replaying: ${done.toLocaleString('en-US')} commands, ${percent} %`);
  };
}
