/** An exchange of one machine as its last stop has left it: its state, worked out from the log, and where its parts lie. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Exchange } from '../../core/engine/exchange.ts';
import { loadState } from '../../core/snapshot/snapshot.ts';
import type { State } from '../../core/state/state.ts';
import type { Mark } from '../../identity/identity-mark.ts';
import { journalSettings } from '../../journal/journal-settings.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { recover } from '../../journal/recovery.ts';
import { liveDirectory } from '../../lab/head.ts';
import { commandsToReplay } from '../../sequencer/effective-commands.ts';
import { applyLogged } from '../../sequencer/recovery.ts';
import { refuseUnfinished } from '../backup/manifest.ts';
import { LOG_DIRECTORY } from '../data/data-files.ts';
import { ReadOnlyDisk } from '../data/read-only-disk.ts';
import { CannotStart, ConfigError } from '../exit-codes.ts';
import { JournaledMark } from '../start/identity-marks.ts';

export interface StoppedExchange {
  readonly data: string;
  /** Where journal, history and users lie: in the data directory, or on a branch of it. */
  readonly live: string;
  /** 32 hexadecimal digits. */
  readonly instance: string;
  readonly lastSeq: number;
  readonly state: State;
  /** Changes of users and keys that the log knows of. */
  readonly identityMark: Mark | undefined;
}

export const notClean = (data: string) =>
  new CannotStart(
    `--data ${data}: the last run did not end in order. Start it once, stop it with Ctrl-C, then import it`,
  );

/** The caller has locked the directory. Throws as a start does. */
export function readStopped(data: string): StoppedExchange {
  refuseUnfinished(data);
  const live = liveDirectory(data);
  const directory = join(live, LOG_DIRECTORY);
  if (!existsSync(directory))
    throw new ConfigError(`--data ${data} holds no exchange: there is no ${directory}`);
  const { snapshot, records, report } = recover(new ReadOnlyDisk(new NodeDisk(directory)), journalSettings());
  if (report.lastSeq === 0) throw new ConfigError(`--data ${data} holds an exchange without a command`);
  if (!report.cleanEnd) throw notClean(data);
  const mark = new JournaledMark();
  mark.readSnapshot(snapshot);
  const exchange = new Exchange(snapshot === undefined ? undefined : loadState(snapshot.state));
  exchange.suppressEvents = true;
  for (const { seq, command } of commandsToReplay(records)) {
    applyLogged(exchange, seq, command);
    exchange.takeEvents();
    mark.readCommand(command);
  }
  exchange.suppressEvents = false;
  const { instanceId: instance, lastSeq } = report;
  return { data, live, instance, lastSeq, state: exchange.state, identityMark: mark.mark };
}
