/**
 * Snapshots and branches of a data directory:
 *
 *   lab/HEAD              the branch that a start goes on with (`head.ts`)
 *   lab/lineage.json      which branch began where
 *   lab/snapshots/NAME/   snapshot.json, state, history.sqlite, identity.sqlite and its keys
 *   lab/branches/N/       log, history.sqlite, identity.sqlite and its keys: what a data directory has
 *
 * The generated past lies beside each history.sqlite: one file, to which all of them have hard links, and which is replaced
 * where it must change (`history/generated-file.ts`).
 *
 * A directory gets its name when everything in it is on disk, so a kill leaves it whole or unnamed; what is unnamed is
 * removed by the next start.
 */
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GeneratedBooks } from '../history/generated-books.ts';
import { generatedPath } from '../history/generated-file.ts';
import type { HistoryContents, HistoryCopies } from '../history/history.ts';
import { writeHistoryFile } from '../history/history-image.ts';
import { readIdentity, writeIdentity } from '../identity/identity-storage.ts';
import { beginJournal } from '../journal/begin-journal.ts';
import type { Snapshot } from '../journal/command-journal.ts';
import { makeDirectory, replaceFile, syncDirectory } from '../storage/durable-file.ts';
import { freeBytes } from '../storage/free-space.ts';
import { inMemory } from '../storage/memory-database.ts';
import { linkFile } from '../storage/shared-file.ts';
import type { BranchFacts } from './branches.ts';
import { branchDirectory, type Head, labDirectory, readHead, writeHead } from './head.ts';
import { BRANCHES_KEPT } from './limits.ts';
import type { BranchStart, Image, SnapshotFacts, SnapshotStore } from './snapshot.ts';

const SNAPSHOTS = 'snapshots';
const FACTS_FILE = 'snapshot.json';
const STATE_FILE = 'state';
const NOTE_FILE = 'note';
const LINEAGE_FILE = 'lineage.json';
const HISTORY_FILE = 'history.sqlite';
const GENERATED_FILE = generatedPath(HISTORY_FILE);
const LOG_DIRECTORY = 'log';
const UNFINISHED = '.tmp';
/** Files of a snapshot that a branch does not get. */
const OF_SNAPSHOTS: ReadonlySet<string> = new Set([FACTS_FILE, STATE_FILE, NOTE_FILE]);

export class DiskStore implements SnapshotStore {
  readonly #data: string;
  readonly #snapshots: string;
  readonly #branches: string;
  /** Oldest first. */
  #facts: SnapshotFacts[] = [];

  /** Removes what a kill has left half done. */
  constructor(data: string) {
    this.#data = data;
    this.#snapshots = join(labDirectory(data), SNAPSHOTS);
    this.#branches = join(branchDirectory(data, 1), '..');
    if (!existsSync(labDirectory(data))) return;
    for (const parent of [this.#snapshots, this.#branches])
      for (const name of namesIn(parent)) if (name.endsWith(UNFINISHED)) remove(join(parent, name));
    this.#dropOldBranches();
    this.#facts = namesIn(this.#snapshots)
      .map((name) => join(this.#snapshots, name, FACTS_FILE))
      .filter((path) => existsSync(path))
      .map((path) => JSON.parse(readFileSync(path, 'utf8')) as SnapshotFacts)
      .sort((a, b) => a.taken - b.taken || a.seq - b.seq);
  }

  all(): readonly SnapshotFacts[] {
    return this.#facts;
  }

  lineage(): readonly BranchFacts[] {
    const path = join(labDirectory(this.#data), LINEAGE_FILE);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as BranchFacts[]) : [];
  }

  /** A start goes on with this branch from now on; the file that says so is replaced at once and as the last. */
  enter(all: readonly BranchFacts[], head: Head): void {
    makeDirectory(labDirectory(this.#data));
    replaceFile(join(labDirectory(this.#data), LINEAGE_FILE), `${JSON.stringify(all)}\n`);
    writeHead(this.#data, head);
  }

  room({ state, identity }: Image): { readonly bytes: number; readonly free: number | undefined } {
    const history = join(branchDirectory(this.#data, readHead(this.#data).branch), HISTORY_FILE);
    const past = existsSync(history) ? statSync(history).size : 0;
    return { bytes: state.length + identity.database.length + past, free: freeBytes(this.#data) };
  }

  async save(
    given: Omit<SnapshotFacts, 'bytes'>,
    image: Image,
    history: HistoryCopies,
  ): Promise<SnapshotFacts> {
    const place = join(this.#snapshots, given.name);
    const unfinished = `${place}${UNFINISHED}`;
    let copied: Promise<void> | undefined;
    try {
      remove(unfinished);
      makeDirectory(unfinished);
      copied = history.copyTo(join(unfinished, HISTORY_FILE));
      writeIdentity(unfinished, image.identity);
      replaceFile(join(unfinished, STATE_FILE), image.state);
      replaceFile(join(unfinished, NOTE_FILE), image.note);
      await copied;
      await syncFile(join(unfinished, HISTORY_FILE));
      const facts = { ...given, bytes: bytesOf(unfinished) };
      replaceFile(join(unfinished, FACTS_FILE), `${JSON.stringify(facts)}\n`);
      remove(place);
      renameSync(unfinished, place);
      syncDirectory(this.#snapshots);
      this.#facts = [...this.#facts.filter(({ name }) => name !== facts.name), facts];
      return facts;
    } catch (error) {
      // The history may still be copying into it.
      await copied?.catch(() => {});
      remove(unfinished);
      throw error;
    }
  }

  delete(name: string): void {
    const place = join(this.#snapshots, name);
    this.#facts = this.#facts.filter((each) => each.name !== name);
    // Half a snapshot must not be found by a start.
    if (existsSync(place)) renameSync(place, `${place}${UNFINISHED}`);
    remove(`${place}${UNFINISHED}`);
  }

  stateOf(name: string): Uint8Array {
    return readFileSync(join(this.#snapshots, name, STATE_FILE));
  }

  async image(name: string): Promise<BranchStart> {
    const { seq, time } = this.#facts.find((each) => each.name === name)!;
    const from = join(this.#snapshots, name);
    const [note, history] = await Promise.all(
      [NOTE_FILE, HISTORY_FILE].map((file) => readFile(join(from, file))),
    );
    const generated = join(from, GENERATED_FILE);
    const image = {
      seq,
      time,
      state: this.stateOf(name),
      note: note!,
      history: {
        bytes: inMemory(history!),
        ...(existsSync(generated) && { generated: GeneratedBooks.ofFile(generated) }),
      },
    };
    return { time, image: { ...image, identity: readIdentity(from) } };
  }

  async begin(name: string, branch: number): Promise<BranchStart> {
    const facts = this.#facts.find((each) => each.name === name)!;
    const from = join(this.#snapshots, name);
    const directory = branchDirectory(this.#data, branch);
    const unfinished = `${directory}${UNFINISHED}`;
    remove(unfinished);
    makeDirectory(join(unfinished, LOG_DIRECTORY));
    const files = namesIn(from).filter((file) => !OF_SNAPSHOTS.has(file) && file !== GENERATED_FILE);
    // Snapshots of older programs have it in the tables of their history.
    if (existsSync(join(from, GENERATED_FILE)))
      linkFile(join(from, GENERATED_FILE), join(unfinished, GENERATED_FILE));
    for (const file of files)
      copyFileSync(join(from, file), join(unfinished, file), constants.COPYFILE_FICLONE);
    const synced = Promise.all(files.map((file) => syncFile(join(unfinished, file))));
    // Awaited below, if nothing fails before.
    synced.catch(() => {});
    const note = readFileSync(join(from, NOTE_FILE));
    beginJournal(join(unfinished, LOG_DIRECTORY), { seq: facts.seq, state: this.stateOf(name), note });
    await synced;
    syncDirectory(unfinished);
    // A kill before a branch was entered leaves its directory, and its number is given again.
    this.dropBranch(branch);
    renameSync(unfinished, directory);
    syncDirectory(this.#branches);
    return { time: facts.time, directory };
  }

  dropBranch(branch: number): void {
    if (branch === 0 || branch === readHead(this.#data).branch) return;
    remove(branchDirectory(this.#data, branch));
  }

  #dropOldBranches(): void {
    const head = readHead(this.#data).branch;
    const numbers = namesIn(this.#branches).map(Number).filter(Number.isInteger);
    const left = numbers.filter((branch) => branch !== head).sort((a, b) => a - b);
    for (const branch of left.slice(0, -BRANCHES_KEPT)) this.dropBranch(branch);
  }
}

/** A directory with what an exchange in memory has, for one that runs in another process. */
export function writeBranch(
  directory: string,
  {
    seq,
    state,
    note,
    identity,
    history,
  }: Snapshot & Pick<Image, 'identity'> & { readonly history: HistoryContents },
): void {
  mkdirSync(join(directory, LOG_DIRECTORY), { recursive: true, mode: 0o700 });
  writeIdentity(directory, identity);
  writeHistoryFile(join(directory, HISTORY_FILE), history);
  beginJournal(join(directory, LOG_DIRECTORY), { seq, state, note });
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).sort() : [];
}

/** A file that other directories have as well takes no room here. */
function bytesOf(directory: string): number {
  const sizes = namesIn(directory).map((name) => {
    const { nlink, size } = statSync(join(directory, name));
    return nlink > 1 ? 0 : size;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** In a thread of the pool: a large file takes its time. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
