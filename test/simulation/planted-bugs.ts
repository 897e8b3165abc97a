/** Bugs as somebody could write them, put in from outside, to see whether the simulation has teeth (reliability 4, T2). */
import type { Exchange } from '../../src/core/engine/exchange.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { Ledger } from '../../src/core/state/ledger.ts';
import type { LedgerCells } from '../../src/core/state/ledger-cells.ts';
import type { History } from '../../src/history/history.ts';
import { BATCH_HEADER_BYTES, identityCrc, readBatchHeader } from '../../src/journal/batch-format.ts';
import { dataViewOf, getUint53 } from '../../src/journal/bytes.ts';
import type { LoggedRecord, Recovered } from '../../src/journal/command-journal.ts';
import { type Disk, type DiskFile, readWhole } from '../../src/journal/disk.ts';
import { segmentName } from '../../src/journal/file-names.ts';
import { JournalDamaged } from '../../src/journal/journal-errors.ts';
import { RECORD_HEADER_BYTES, recordBytes } from '../../src/journal/record-format.ts';
import { readSegmentHeaders } from '../../src/journal/segment-files.ts';
import { SEGMENT_HEAD_BYTES, type SegmentHeader } from '../../src/journal/segment-format.ts';
import { openSyncJournal, type SyncJournal } from '../../src/journal/sync-journal.ts';
import type { SimulatedDisk } from './disk.ts';
import { type FlushableLog, LOG, type Seams } from './seams.ts';
import type { SimulatedHistory } from './simulated-history.ts';

export interface PlantedBug {
  readonly name: string;
  readonly seams?: Seams;
  /** Changes the code itself for a while; returns how to change it back. */
  readonly plant?: () => () => void;
  /** How the checker must put it: a bug found for a wrong reason is not found. */
  readonly foundAs: RegExp;
  /** Where it was found last, tried first: other changes of the program may move it. */
  readonly foundAt?: number;
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  { name: 'answer before fsync', seams: { journal: answersBeforeSync }, foundAs: /LOST|history holds/ },
  { name: 'skipped CRC', seams: { openDamaged: openWithoutChecksums }, foundAs: /CHANGED/ },
  { name: 'one unit lost in rounding', plant: loseOneUnit, foundAs: /I01: coin \d+ sums to -?\d+/ },
  { name: 'rounded to the wrong side', plant: moveOneUnitLess, foundAs: /owns of|I04/ },
  {
    name: 'fsync tried again after an error',
    seams: { disk: retriesSync },
    foundAs: /LOST|JournalDamaged|log damaged/,
    foundAt: 87,
  },
  {
    name: 'fsync error ignored',
    seams: { journal: ignoresFailure },
    foundAs: /LOST|log damaged|acknowledged after|history holds|Missing expected|left commands behind/,
  },
  { name: 'directory not synced', seams: { disk: neverSyncsDirectory }, foundAs: /LOST|log damaged|ENOENT/ },
  { name: 'reads not held back', seams: { answerReadsAtOnce: true }, foundAs: /LOST/ },
  {
    name: 'snapshot without countdowns',
    seams: { journal: forgetsCountdowns },
    foundAs: /HASH|results differ/,
  },
  {
    name: 'snapshot before history is safe',
    seams: { history: confirmsTooEarly },
    foundAs: /history\.sqlite ends at command/,
  },
  {
    name: 'answer before publication',
    seams: { history: projectsLater },
    foundAs: /was answered when history ended/,
  },
  { name: 'history projected twice', seams: { history: forgetsLastCommand }, foundAs: /gap or a repetition/ },
  {
    name: 'an effect that is not in the log',
    seams: { exchange: addsLots },
    foundAs: /HASH|differ|READ|owns of/,
  },
];

// --- the log ---

function overLog(journal: FlushableLog, changes: Partial<FlushableLog>): FlushableLog {
  return {
    get appendedSeq() {
      return journal.appendedSeq;
    },
    get durableSeq() {
      return journal.durableSeq;
    },
    append: (payload) => journal.append(payload),
    appendAll: (payloads) => journal.appendAll(payloads),
    onDurable: (listener) => journal.onDurable(listener),
    onFailure: (listener) => journal.onFailure(listener),
    capacity: () => journal.capacity(),
    queueAgeMs: () => journal.queueAgeMs(),
    saveSnapshot: (seq, state) => journal.saveSnapshot(seq, state),
    close: () => journal.close(),
    flush: () => journal.flush(),
    ...changes,
  };
}

function answersBeforeSync(journal: FlushableLog): FlushableLog {
  let tell: (seq: number) => void = () => {};
  return overLog(journal, {
    onDurable: (listener) => {
      tell = listener;
      journal.onDurable(listener);
    },
    flush: () => {
      tell(journal.appendedSeq);
      journal.flush();
    },
  });
}

function ignoresFailure(journal: FlushableLog): FlushableLog {
  let tell: (seq: number) => void = () => {};
  return overLog(journal, {
    onDurable: (listener) => {
      tell = listener;
      journal.onDurable(listener);
    },
    onFailure: () => {},
    flush: () => {
      try {
        journal.flush();
      } catch (error) {
        if (!(error as Error).message.includes('EIO')) throw error;
        tell(journal.appendedSeq);
      }
    },
  });
}

function forgetsCountdowns(journal: FlushableLog): FlushableLog {
  return overLog(journal, {
    saveSnapshot: (seq, bytes) => {
      const state = loadState(bytes);
      for (const account of state.accountByUid.values()) account.countdownDeadline = 0;
      return journal.saveSnapshot(seq, saveState(state));
    },
  });
}

// --- the reader ---

/** Takes the records of a damaged directory as they are; heads of segments and batches, and snapshots, are checked. */
function openWithoutChecksums(damaged: SimulatedDisk, intact: SimulatedDisk): Recovered<SyncJournal> {
  readSegmentHeaders(damaged);
  const found = openSyncJournal(intact, LOG);
  return { ...found, records: recordsWithoutChecksums(damaged, found) };
}

function* recordsWithoutChecksums(disk: Disk, { snapshot, report }: Recovered): Generator<LoggedRecord> {
  const afterSeq = snapshot?.seq ?? 0;
  let lastSeq = 0;
  for (const header of readSegmentHeaders(disk)) {
    for (const record of segmentWithoutChecksums(readWhole(disk, segmentName(header.segment)), header)) {
      if (record.seq > afterSeq && record.seq !== Math.max(lastSeq, afterSeq) + 1) refuse(header);
      lastSeq = record.seq;
      if (record.seq > afterSeq) yield record;
    }
    if (lastSeq === report.lastSeq) return;
  }
  if (lastSeq < report.lastSeq)
    throw new JournalDamaged('a head is bad', { file: '', segment: 0, offset: 0, seq: lastSeq });
}

function refuse({ segment }: SegmentHeader): never {
  throw new JournalDamaged('records are missing', { file: segmentName(segment), segment, offset: 0, seq: 0 });
}

function* segmentWithoutChecksums(bytes: Uint8Array, header: SegmentHeader): Generator<LoggedRecord> {
  const { segment, epoch, instanceId } = header;
  const view = dataViewOf(bytes);
  const place = { segment, epoch, identity: identityCrc(instanceId) };
  let at = SEGMENT_HEAD_BYTES;
  for (
    let batch = readBatchHeader(bytes, at, place);
    batch !== undefined;
    batch = readBatchHeader(bytes, at, place)
  ) {
    const end = at + BATCH_HEADER_BYTES + batch.recordsBytes;
    for (at += BATCH_HEADER_BYTES; at < end; ) {
      const length = view.getUint32(at, true);
      const next = at + recordBytes(length);
      if (next > end) refuse(header);
      const from = at + RECORD_HEADER_BYTES;
      yield { seq: getUint53(view, at + 8), payload: bytes.subarray(from, from + length) };
      at = next;
    }
  }
}

// --- the core ---

function replaceMove(
  move: (this: Ledger, honest: Ledger['move'], from: number, to: number, amount: bigint) => void,
) {
  const honest = Reflect.get(Ledger.prototype, 'move');
  Ledger.prototype.move = function (this: Ledger, from, to, amount) {
    move.call(this, honest, from, to, BigInt(amount));
  };
  return () => {
    Ledger.prototype.move = honest;
  };
}

/** One unit of some amounts leaves and does not arrive. */
function loseOneUnit(): () => void {
  return replaceMove(function (honest, from, to, amount) {
    honest.call(this, from, to, amount);
    const { cells } = this as unknown as { readonly cells: LedgerCells };
    if (amount % 10_007n === 7n) cells.subtract(to, 1);
  });
}

function moveOneUnitLess(): () => void {
  return replaceMove(function (honest, from, to, amount) {
    honest.call(this, from, to, amount % 101n === 7n ? amount - 1n : amount);
  });
}

function addsLots(exchange: Exchange): Exchange {
  const honest = exchange.apply.bind(exchange);
  let placed = 0;
  exchange.apply = (command, seq) => {
    if (command.type !== 'placeOrder' || ++placed % 20 !== 0 || command.sizeLots <= 0)
      return honest(command, seq);
    return honest({ ...command, sizeLots: command.sizeLots + 1 }, seq);
  };
  return exchange;
}

// --- the history ---

function overHistory(history: SimulatedHistory, changes: Partial<History>): History {
  return new Proxy(history, {
    get: (target, name) => {
      const changed = changes[name as keyof History];
      if (changed !== undefined) return changed;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function confirmsTooEarly(history: SimulatedHistory): History {
  return overHistory(history, { flush: () => Promise.resolve() });
}

function projectsLater(history: SimulatedHistory): History {
  return overHistory(history, { project: (command) => void setImmediate(() => history.project(command)) });
}

function forgetsLastCommand(history: SimulatedHistory): History {
  history.confirmedSeq = Math.max(0, history.confirmedSeq - 1);
  history.projectedSeq = history.confirmedSeq;
  return history;
}

// --- the disk ---

function overDisk(disk: Disk, changes: Partial<Disk>, wrap: (file: DiskFile) => DiskFile): Disk {
  return {
    list: () => disk.list(),
    open: (name) => wrap(disk.open(name)),
    create: (name) => wrap(disk.create(name)),
    rename: (from, to) => disk.rename(from, to),
    link: (from, to) => disk.link(from, to),
    unlink: (name) => disk.unlink(name),
    syncDirectory: () => disk.syncDirectory(),
    freeBytes: () => disk.freeBytes(),
    ...changes,
  };
}

function neverSyncsDirectory(disk: Disk): Disk {
  return overDisk(disk, { syncDirectory: () => {} }, (file) => file);
}

function retriesSync(disk: Disk): Disk {
  return overDisk(disk, {}, (file) => ({
    size: () => file.size(),
    read: (position, length) => file.read(position, length),
    write: (bytes, position) => file.write(bytes, position),
    truncate: (length) => file.truncate(length),
    close: () => file.close(),
    sync: () => {
      try {
        file.sync();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
        file.sync();
      }
    },
  }));
}
