/** A log in a process that can open no more files: it goes on from segment to segment, and closes. */
import { closeSync, openSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFileJournal } from '../../src/journal/file-journal.ts';

const RECORDS = 1500;
const RESERVE_FILES = 2;
/** Records that share a commit. */
const TOGETHER = 40;

const directory = process.argv[2]!;
const { journal } = await openFileJournal({ directory, segmentBytes: 256 * 1024 });
journal.onFailure((error) => {
  throw error;
});
const payload = new Uint8Array(1000);

async function append(count: number): Promise<void> {
  for (let left = count; left > 0; left--) journal.append(payload);
  while (journal.durableSeq < journal.appendedSeq) await sleep(1);
}

// The log's own files are open when its reserve is complete; a new one then takes the place of one that is closed.
await append(1);
const reserve = () => readdirSync(directory).filter((name) => /^reserve-\d+$/.test(name));
while (reserve().length < RESERVE_FILES) await sleep(5);
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
}
while (journal.appendedSeq < RECORDS) {
  await append(TOGETHER);
  while (journal.capacity() !== 'normal') await sleep(1);
}
for (const descriptor of taken) closeSync(descriptor);
await journal.close();
console.log(JSON.stringify({ taken: taken.length, durable: journal.durableSeq }));
