/** A journal that goes on from a snapshot of another: the next start finds it as if it had been closed there. */
import { FIRST_CHAIN_HASH } from './batch-format.ts';
import type { Snapshot } from './command-journal.ts';
import { withFile, writeFully } from './disk.ts';
import { segmentName } from './file-names.ts';
import { journalSettings } from './journal-settings.ts';
import { NodeDisk } from './node-disk.ts';
import { encodeSegmentHead } from './segment-format.ts';
import { withClosedMarks } from './segment-repair.ts';
import { writeSnapshotFile } from './snapshot-file.ts';

/** `directory` exists and is empty. */
export function beginJournal(directory: string, snapshot: Snapshot): void {
  const disk = new NodeDisk(directory);
  const instanceId = journalSettings().newInstanceId();
  const header = {
    epoch: 1,
    instanceId,
    segment: 1,
    firstSeq: snapshot.seq + 1,
    chain: FIRST_CHAIN_HASH,
  };
  const end = { lastSeq: snapshot.seq, chain: FIRST_CHAIN_HASH };
  withFile(disk.create(segmentName(1)), (file) => {
    writeFully(file, withClosedMarks(encodeSegmentHead(header), header, end), 0);
    file.sync();
  });
  writeSnapshotFile(disk, instanceId, snapshot);
}
