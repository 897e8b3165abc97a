/** All effective commands of a journal, in order; read-only, also beside a running exchange. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedRecord } from '../../journal/command-journal.ts';
import { readWhole } from '../../journal/disk.ts';
import { segmentName } from '../../journal/file-names.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { readSegmentHeaders } from '../../journal/segment-files.ts';
import { readBatches } from '../../journal/segment-scan.ts';
import { effectiveCommands, type LoggedCommand } from '../../sequencer/effective-commands.ts';
import { LOG_DIRECTORY } from './data-files.ts';

export function loggedCommands(data: string): Iterable<LoggedCommand> {
  return effectiveCommands(loggedRecords(join(data, LOG_DIRECTORY)));
}

function* loggedRecords(directory: string): Generator<LoggedRecord> {
  if (!existsSync(directory)) return;
  const disk = new NodeDisk(directory);
  for (const header of readSegmentHeaders(disk)) {
    for (const { records } of readBatches(readWhole(disk, segmentName(header.segment)), header))
      yield* records;
  }
}
