/** The writing thread of a journal, and of the next one when that is closed. */

import { threadPort } from '../thread-port.ts';
import { CommitLoop } from './commit-loop.ts';
import { type JournalSettings, journalSettings } from './journal-settings.ts';
import { JournalWriter } from './journal-writer.ts';
import { NodeDisk } from './node-disk.ts';
import { RecordRing } from './record-ring.ts';
import type { ResumePoint } from './recovery.ts';
import { SharedJournalState } from './shared-journal-state.ts';

const port = threadPort();

export interface JournalWork {
  readonly directory: string;
  readonly settings: Omit<JournalSettings, 'newInstanceId'>;
  readonly resume: ResumePoint;
  readonly ringMemory: SharedArrayBuffer;
  readonly stateMemory: SharedArrayBuffer;
}

/** A failure is the end of the thread: its files may be open. */
port.on('message', (work: JournalWork) => {
  const state = new SharedJournalState(work.stateMemory);
  try {
    const settings = journalSettings(work.settings);
    const disk = new NodeDisk(work.directory, 'hold');
    const writer = new JournalWriter(disk, settings, work.resume);
    new CommitLoop(state, new RecordRing(work.ringMemory), writer, settings).run();
    disk.close();
    state.publishState('closed');
  } catch (error) {
    state.publishState('failed', (error as Error).message);
    port.close();
  }
});
