/** Skips a command that the core cannot apply (`poisoned-command-advice.ts`). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AuditLog } from '../../admin/audit-log.ts';
import { formatAuditReference } from '../../admin/audit-reference.ts';
import { encodeCommand } from '../../core/codec/command-codec.ts';
import type { Command } from '../../core/model/command.ts';
import type { CommandJournal } from '../../journal/command-journal.ts';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { openFileJournal } from '../../journal/file-journal.ts';
import { liveDirectory } from '../../lab/head.ts';
import { replay } from '../../sequencer/recovery.ts';
import { PoisonedCommand } from '../../sequencer/recovery-errors.ts';
import { copyBeforeMigration } from '../backup/migration-copies.ts';
import type { Config } from '../config/settings.ts';
import { LOG_DIRECTORY } from '../data/data-files.ts';
import { openHistory } from '../data/history-place.ts';
import { CannotStart, ConfigError } from '../exit-codes.ts';
import { skipObjection } from './poisoned-command-advice.ts';

export interface SkipReport {
  readonly seq: number;
  readonly command: Command;
  readonly reason: string;
  /** Sequence number of the record that skips it. */
  readonly recordedAs: number;
}

/** Skips command `seq`; the exchange must not be running. */
export async function skipLoggedCommand(
  { data, segmentBytes, history: setting }: Pick<Config, 'data' | 'segmentBytes' | 'history'>,
  seq: number,
  operator: string,
): Promise<SkipReport> {
  const live = liveDirectory(data);
  const directory = join(live, LOG_DIRECTORY);
  if (!existsSync(directory))
    throw new ConfigError(`--data ${data} holds no exchange: there is no ${directory}`);
  await copyBeforeMigration(live, (text) => process.stderr.write(`bourse: ${text}\n`), setting);
  await using open = new AsyncDisposableStack();
  if (live !== data) {
    const lock = DirectoryLock.take(join(data, LOG_DIRECTORY));
    open.defer(() => lock.release());
  }
  const { journal, snapshot, records, report } = await openFileJournal({ directory, segmentBytes });
  open.defer(() => journal.close());
  const audit = await AuditLog.open(data, Date.now);
  open.defer(() => audit.close());
  const onFailure = (error: Error) => {
    throw error;
  };
  const history = await openHistory({
    directory: live,
    setting,
    instance: report.instanceId,
    onFailure,
    onNotice: (text) => process.stderr.write(`bourse: ${text}\n`),
  });
  open.defer(() => history.close());
  const broken = await replay(snapshot, records, history).then(() => undefined, asPoisoned);
  if (broken === undefined) throw new ConfigError('every command of the log can be carried out: start it');
  if (broken.seq !== seq) throw new ConfigError(`the command that cannot be carried out is ${broken.seq}`);
  const { lastSeq } = report;
  const objection = skipObjection(broken, { lastSeq, confirmedSeq: history.confirmedSeq });
  if (objection !== undefined) throw new CannotStart(`${broken.message}; ${objection}`);

  const { command } = broken;
  const reason = (broken.cause as Error).message;
  const intent = { operator, action: 'log.set-aside', arguments: { seq, type: command.type } };
  const line = await audit.begin(intent, lastSeq);
  const by = formatAuditReference({ operator, chain: audit.chain, line });
  const recordedAs = await appended(journal, { type: 'skipCommand', time: command.time, seq, by });
  await audit.end(line, { outcome: 'done', detail: reason, command: recordedAs });
  return { seq, command, reason, recordedAs };
}

function asPoisoned(error: unknown): PoisonedCommand {
  if (error instanceof PoisonedCommand) return error;
  throw error;
}

function appended(journal: CommandJournal, command: Command): Promise<number> {
  return new Promise((resolve, reject) => {
    journal.onFailure(reject);
    const seq = journal.append(encodeCommand(command));
    journal.onDurable((durableSeq) => {
      if (durableSeq >= seq) resolve(seq);
    });
  });
}
