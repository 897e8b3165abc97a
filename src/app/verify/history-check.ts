/**
 * The history beside the log: as the replay goes on, its rows are compared with what each command makes; then all of them are
 * checked, counted, and said how far they reach. With a repair rows that differ are written anew instead.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '../../core/model/event.ts';
import type { State } from '../../core/state/state.ts';
import { generatedPath } from '../../history/generated-file.ts';
import { COUNTED_RECORDS, RETENTION_MS } from '../../history/history.ts';
import { rowsMade } from '../../history/projection-batch.ts';
import type { Damage } from '../../history/proof/damage.ts';
import { proveGenerated } from '../../history/proof/generated-proof.ts';
import { HistoryProof } from '../../history/proof/history-proof.ts';
import type { HistoryRepair } from '../../history/proof/repair.ts';
import { GENERATED_FILE_VERSION } from '../../history/sqlite-schema.ts';
import { isListing } from '../../sequencer/recovery.ts';
import { GENERATED_FILE } from '../data/data-files.ts';
import { HISTORY_FILE } from '../start/components.ts';
import { count, counted } from '../terminal/format.ts';
import type { Note, Progress } from './verification.ts';

/** The history that is proved. */
export interface ProvedHistory {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  readonly generatedName: string;
  readonly remedy: string;
}

/** What the replay has come to. */
export interface Replayed {
  readonly state: State;
  readonly lastSeq: number;
  /** Did it begin with the first command? When did it? */
  readonly whole: boolean;
  readonly firstTime: number;
  /** Of the snapshots that agree with it. */
  readonly newestSnapshot: number;
}

export function fileOf(data: string): ProvedHistory {
  const path = join(data, HISTORY_FILE);
  return { path, name: path, generatedName: generatedPath(path), remedy: historyRemedy(data) };
}

function historyRemedy(data: string): string {
  return (
    `Run "bourse verify --repair-history --data ${data}": it writes the rows anew that the log still makes, and mends ` +
    `single changed bits. What is left then: put ${HISTORY_FILE} of a backup back; the start adds what came after it, ` +
    `as far as the log reaches back. The log does not hold the generated past: put ${GENERATED_FILE} of a backup back.`
  );
}

export class HistoryCheck {
  readonly #name: string;
  readonly #path: string;
  readonly #generatedName: string;
  readonly #proof: HistoryProof;
  readonly #repair: HistoryRepair | undefined;
  readonly #note: Note;
  readonly #progress: Progress;
  /** Rows that the journal produces, by kind of record. */
  readonly #rows = { ...rowsMade([]) };
  #damages: readonly Damage[] = [];
  #mended = false;

  private constructor(
    { path, name, generatedName }: ProvedHistory,
    repair: HistoryRepair | undefined,
    note: Note,
    progress: Progress,
  ) {
    this.#path = path;
    this.#name = name;
    this.#generatedName = generatedName;
    this.#repair = repair;
    this.#note = note;
    this.#progress = progress;
    this.#proof = new HistoryProof(path, repair);
  }

  /** Undefined where there is none; with a log that is a finding. */
  static open(
    history: ProvedHistory,
    lastSeq: number,
    repair: HistoryRepair | undefined,
    note: Note,
    progress: Progress,
  ): HistoryCheck | undefined {
    if (!existsSync(history.path)) {
      note('history', lastSeq === 0, `${history.path} does not exist`);
      return undefined;
    }
    progress('checking the file of the history', 0);
    return new HistoryCheck(history, repair, note, progress);
  }

  get damages(): readonly Damage[] {
    return this.#damages;
  }

  /** The repair is complete and durable. */
  get mended(): boolean {
    return this.#mended;
  }

  /** The replay begins with this state. */
  startAfter(state: State): void {
    this.#describe(state);
    this.#proof.startAfter(state.lastId, state.now);
  }

  /** A command has brought these events. */
  compare(seq: number, events: readonly Event[], state: State): void {
    if (isListing(events)) this.#describe(state);
    this.#proof.compare(seq, events, state.now);
    if (seq > (this.#proof.facts?.lastSeq ?? 0)) return;
    const made = rowsMade(events);
    for (const records of COUNTED_RECORDS) this.#rows[records] += made[records];
  }

  /** The replay has come to its end. */
  finish(replayed: Replayed): void {
    const { facts } = this.#proof;
    this.#proof.finishComparison(replayed.state.now);
    if (this.#repair !== undefined && facts !== undefined) {
      this.#repair.finish(facts);
      this.#mended = true;
      return;
    }
    const rows = this.#checkRows();
    this.#noteExtent(replayed);
    const compared = `${count(this.#proof.compared)} rows compared with the replay`;
    const unsealed = rows?.unsealed ?? 0;
    const checked = !this.#proof.hasChecksums
      ? 'an older program wrote it: its rows get checksums after the next start'
      : `${count(rows?.sound ?? 0)} rows with the right checksum${unsealed === 0 ? '' : `, ${count(unsealed)} of an older program have none yet`}`;
    const { damageCount, damages } = this.#proof;
    const found = `${counted(damageCount, 'finding')} in ${this.#name}: see below`;
    this.#note('history: rows', damageCount === 0, `${compared}; ${damageCount === 0 ? checked : found}`);
    this.#damages = damages;
    this.#proveGenerated();
    this.#compareCounts(replayed);
  }

  close(): void {
    this.#proof.close();
  }

  #describe({ instruments, coins }: State): void {
    this.#proof.describe(
      instruments,
      coins.map(({ coin }) => coin),
    );
  }

  /** Histories of older programs have it in their tables. */
  #proveGenerated(): void {
    const { facts } = this.#proof;
    if (facts === undefined || facts.version < GENERATED_FILE_VERSION) return;
    this.#progress('checking the generated past', 0);
    const { sound, damages, damageCount } = proveGenerated(generatedPath(this.#path));
    const detail =
      damageCount === 0
        ? `${count(sound)} rows with the right checksum`
        : `${counted(damageCount, 'finding')} in ${this.#generatedName}: see below`;
    this.#note('history: generated past', damageCount === 0, detail);
    this.#damages = [...this.#damages, ...damages];
  }

  #checkRows() {
    const steps = this.#proof.checkRows();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      const [done, of] = step.value;
      this.#progress('checking rows of the history', done / of);
    }
  }

  #noteExtent({ lastSeq, newestSnapshot }: Replayed): void {
    const { facts } = this.#proof;
    if (facts === undefined) return;
    const confirmedSeq = facts.lastSeq;
    const behind = lastSeq - confirmedSeq;
    if (behind < 0) {
      this.#note('history', false, `holds commands up to ${confirmedSeq}, the log ends at ${lastSeq}`);
    } else if (confirmedSeq < newestSnapshot) {
      this.#note(
        'history',
        false,
        `ends at command ${confirmedSeq}, before the snapshot of ${newestSnapshot}`,
      );
    } else {
      const rest = behind === 0 ? '' : `; the next start adds ${count(behind)} commands`;
      this.#note('history', true, `confirmed up to command ${count(confirmedSeq)}${rest}`);
    }
  }

  /** Rows can be counted only where the replay saw all of them and none is old enough to have been deleted. */
  #compareCounts({ whole, firstTime, state }: Replayed): void {
    if (!whole || state.now - firstTime > RETENTION_MS || this.#proof.facts?.completeSince !== 0) return;
    const stored = this.#proof.counts();
    if (stored === undefined) return;
    for (const records of COUNTED_RECORDS) {
      const same = stored[records] === this.#rows[records];
      const detail = `${count(stored[records])} rows${same ? '' : `, the log makes ${count(this.#rows[records])}`}`;
      this.#note(`history: ${records}`, same, detail);
    }
  }
}
