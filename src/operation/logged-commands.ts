/**
 * Every command in force that the log in a data directory still holds, in order; reads only, also beside a running
 * exchange.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoggedRecord } from '../log/command-log.ts';
import { readWhole } from '../log/disk.ts';
import { segmentName } from '../log/file-names.ts';
import { NodeDisk } from '../log/node-disk.ts';
import { readSegmentHeaders } from '../log/segment-files.ts';
import { readBatches } from '../log/segment-scan.ts';
import { commandsInForce, type LoggedCommand } from '../venue/commands-in-force.ts';
import { LOG_DIRECTORY } from './data-files.ts';

export { LOG_DIRECTORY };

export function loggedCommands(data: string): Iterable<LoggedCommand> {
  return commandsInForce(loggedRecords(join(data, LOG_DIRECTORY)));
}

function* loggedRecords(directory: string): Generator<LoggedRecord> {
  if (!existsSync(directory)) return;
  const disk = new NodeDisk(directory);
  for (const header of readSegmentHeaders(disk)) {
    for (const { records } of readBatches(readWhole(disk, segmentName(header.segment)), header))
      yield* records;
  }
}
