/** Every command that the log in a data directory still holds, in order; reads only, also beside a running exchange. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../core/command.ts';
import { decodeCommand } from '../core/command-codec.ts';
import { readWhole } from '../log/disk.ts';
import { segmentName } from '../log/file-names.ts';
import { NodeDisk } from '../log/node-disk.ts';
import { readSegmentHeaders } from '../log/segment-files.ts';
import { readBatches } from '../log/segment-scan.ts';

export const LOG_DIRECTORY = 'log';

export interface LoggedCommand {
  readonly seq: number;
  readonly command: Command;
}

export function* loggedCommands(data: string): Generator<LoggedCommand> {
  const directory = join(data, LOG_DIRECTORY);
  if (!existsSync(directory)) return;
  const disk = new NodeDisk(directory);
  for (const header of readSegmentHeaders(disk)) {
    for (const { records } of readBatches(readWhole(disk, segmentName(header.segment)), header)) {
      for (const { seq, payload } of records) yield { seq, command: decodeCommand(payload) };
    }
  }
}
