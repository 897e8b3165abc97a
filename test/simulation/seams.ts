/** Where a planted bug can be put in, and the log's measures that bugs and lives have in common. */
import type { Exchange } from '../../src/core/engine/exchange.ts';
import type { History } from '../../src/history/history.ts';
import type { CommandJournal, Recovered } from '../../src/journal/command-journal.ts';
import type { Disk } from '../../src/journal/disk.ts';
import type { SyncJournal, SyncJournalOptions } from '../../src/journal/sync-journal.ts';
import type { SimulatedDisk } from './disk.ts';
import type { SimulatedHistory } from './simulated-history.ts';

const KIB = 1024;

/** Small segments, so that a short life crosses many of their boundaries. */
export const LOG: SyncJournalOptions = {
  segmentBytes: 16 * KIB,
  queueBytes: 16 * KIB,
  payloadBytesMax: 4 * KIB,
  batchBytesMax: 8 * KIB,
  prepareStepBytes: 8 * KIB,
  newInstanceId: () => new Uint8Array(16).fill(0xb0),
};

export type FlushableLog = CommandJournal & Pick<SyncJournal, 'flush'>;

/** Where a planted bug can be put in, without a change of the source. */
export interface Seams {
  readonly disk?: (disk: Disk) => Disk;
  readonly journal?: (journal: FlushableLog) => FlushableLog;
  readonly history?: (history: SimulatedHistory) => History;
  readonly exchange?: (exchange: Exchange) => Exchange;
  readonly answerReadsAtOnce?: boolean;
  /** What opens a damaged directory; the undamaged one is at hand for a bug that overlooks the damage. */
  readonly openDamaged?: (damaged: SimulatedDisk, intact: SimulatedDisk) => Recovered<SyncJournal>;
}
