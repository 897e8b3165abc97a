/** A process under load, for the tests to kill: appends without end and prints what has become durable. */
import { writeSync } from 'node:fs';
import { openFileJournal } from '../../src/journal/file-journal.ts';
import { JournalFull } from '../../src/journal/journal-errors.ts';

const { journal } = await openFileJournal({
  directory: process.argv[2]!,
  segmentBytes: 256 * 1024,
  prepareStepBytes: 64 * 1024,
});
const encoder = new TextEncoder();

function appendSome(): void {
  try {
    for (let index = 0; index < 20; index += 1)
      journal.append(encoder.encode(`load ${journal.appendedSeq + 1}`));
  } catch (error) {
    if (!(error instanceof JournalFull)) throw error;
  }
  setImmediate(appendSome);
}

writeSync(1, `${journal.durableSeq}\n`);
journal.onDurable((durableSeq) => writeSync(1, `${durableSeq}\n`));
appendSome();
