/**
 * Proves a data directory: everything the log still holds is read and replayed from as far back as possible, and at
 * each snapshot on the way the replayed state must have the hash of the stored one. What a start would repair in the log is
 * left as it is.
 */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coinSums as bookSums } from '../../admin/trial-balance.ts';
import { Exchange } from '../../core/engine/exchange.ts';
import { checkInvariants } from '../../core/engine/invariants.ts';
import type { Command } from '../../core/model/command.ts';
import { formatMoney } from '../../core/model/units.ts';
import { openOrderCount } from '../../core/reads/reads.ts';
import { hasNewestFormat, loadState, saveState } from '../../core/snapshot/snapshot.ts';
import type { State } from '../../core/state/state.ts';
import { generatedPath } from '../../history/generated-file.ts';
import { COUNTED_RECORDS, RETENTION_MS } from '../../history/history.ts';
import type { PostgresAddress } from '../../history/postgres/address.ts';
import { rowsMade } from '../../history/projection-batch.ts';
import type { Damage } from '../../history/proof/damage.ts';
import { proveGenerated, repairGenerated } from '../../history/proof/generated-proof.ts';
import { HistoryProof } from '../../history/proof/history-proof.ts';
import { HistoryRepair } from '../../history/proof/repair.ts';
import { GENERATED_FILE_VERSION } from '../../history/sqlite-schema.ts';
import type { Snapshot } from '../../journal/command-journal.ts';
import { DirectoryLock } from '../../journal/directory-lock.ts';
import { snapshotName, snapshotSeqs } from '../../journal/file-names.ts';
import { journalSettings } from '../../journal/journal-settings.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { recover } from '../../journal/recovery.ts';
import { continues, readSegmentHeaders } from '../../journal/segment-files.ts';
import type { SegmentHeader } from '../../journal/segment-format.ts';
import { readSnapshotFile } from '../../journal/snapshot-file.ts';
import { commandsToReplay } from '../../sequencer/effective-commands.ts';
import { applyLogged, isListing } from '../../sequencer/recovery.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { GENERATED_FILE, LOG_DIRECTORY, LOST_GENERATED } from '../data/data-files.ts';
import { copyHistory, historyAddress, historyName } from '../data/history-place.ts';
import { ReadOnlyDisk } from '../data/read-only-disk.ts';
import { ConfigError, DataDamaged, ExitCode, exitCodeOf } from '../exit-codes.ts';
import { asHistoryDamage, HISTORY_FILE, LOST_HISTORY } from '../start/components.ts';
import { JournaledMark } from '../start/identity-marks.ts';
import { count, counted } from '../terminal/format.ts';
import { proveIdentity } from './identity-verify.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface CoinSum {
  readonly coin: string;
  readonly users: string;
  readonly system: string;
  /** Users and system together; anything but "0" means that money appeared or vanished. */
  readonly sum: string;
}

/** The state after one command. */
export interface StateMark {
  readonly seq: number;
  readonly stateHash: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly data: string;
  readonly checks: readonly Check[];
  /** Damages of the history and their remedy; empty when there is none. */
  readonly damages: readonly Damage[];
  readonly remedy: string;
  /** Rows of the history that a repair has rewritten. */
  readonly repairedRows: number;
  readonly coins: readonly CoinSum[];
  readonly snapshots: readonly StateMark[];
  readonly accounts: number;
  readonly openOrders: number;
  readonly lastSeq: number;
  readonly stateHash: string;
}

export interface VerifyOptions {
  /** Current step and its share done, from 0 to 1. */
  readonly progress?: (what: string, share: number) => void;
  /** Repairs the history first, as far as journal and checksums allow. */
  readonly repairHistory?: boolean;
  /** The setting of the history's place; empty for the one that the directory remembers. */
  readonly history?: string;
}

export async function verify(data: string, options: VerifyOptions = {}): Promise<Verification> {
  const directory = join(data, LOG_DIRECTORY);
  if (!existsSync(directory))
    throw new ConfigError(`--data ${data} holds no exchange: there is no ${directory}`);
  const { progress = () => {}, repairHistory = false } = options;
  const lock = DirectoryLock.take(directory);
  try {
    const address = historyAddress(options.history ?? '', data);
    if (address !== undefined) return await verifyWithDatabase(data, address, options);
    const repairedRows = repairHistory ? (await repair(data, directory, progress)) + repairPast(data) : 0;
    return { ...(await new Verifier(data, directory, progress, fileOf(data)).run()), repairedRows };
  } finally {
    lock.release();
  }
}

/** Rows in PostgreSQL are proved in a copy as of one moment; its pages and indexes are the server's own matter. */
async function verifyWithDatabase(
  data: string,
  address: PostgresAddress,
  { progress = () => {}, repairHistory = false }: VerifyOptions,
): Promise<Verification> {
  if (repairHistory)
    throw new ConfigError(
      `${historyName(address)} is not repaired in place: restore the database from a backup of its own, or drop its ` +
        'schema "history" and start, which projects again what the log still holds',
    );
  const directory = join(data, LOG_DIRECTORY);
  const place = mkdtempSync(join(tmpdir(), 'bourse-verify-'));
  try {
    progress('reading the history', 0);
    const path = join(place, HISTORY_FILE);
    await copyHistory(address, directory, path);
    const remedy =
      'Restore the database from a backup of its own, or drop its schema "history" and start: what the log still holds is ' +
      'projected again.';
    const { place: name } = address;
    const proved = { path, name, generatedName: name, remedy };
    const proven = await new Verifier(data, directory, progress, proved).run();
    return { ...proven, repairedRows: 0 };
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** One pass over journal and history that repairs rows, in one transaction; resolves with their number. */
async function repair(data: string, directory: string, progress: Progress): Promise<number> {
  const path = join(data, HISTORY_FILE);
  if (!existsSync(path)) throw new DataDamaged(`${path} does not exist. ${LOST_HISTORY}`);
  const repair = new HistoryRepair(path);
  try {
    repair.begin();
    if (!repair.hasChecksums)
      throw new ConfigError(`${path} is of an older program: start the exchange once, then repair it`);
    if (!repair.mendFile()) throw new DataDamaged(`${path} is damaged beyond repair. ${LOST_HISTORY}`);
    const verifier = new Verifier(data, directory, progress, fileOf(data), repair);
    await verifier.run();
    if (!verifier.mended) throw new DataDamaged(`${path} cannot be repaired: run verify to see why`);
    return repair.rows;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    throw new DataDamaged(`${path} is damaged beyond repair: ${(error as Error).message}. ${LOST_HISTORY}`);
  } finally {
    repair.close();
  }
}

/** The generated past, which the journal does not hold; the number of rows that were written anew. */
function repairPast(data: string): number {
  const path = join(data, GENERATED_FILE);
  if (!existsSync(path)) return 0;
  const beyond = (reason = '') =>
    new DataDamaged(`${path} is damaged beyond repair${reason}. ${LOST_GENERATED}`);
  try {
    const rows = repairGenerated(path);
    if (rows !== undefined) return rows;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    throw beyond(`: ${(error as Error).message}`);
  }
  throw beyond();
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isCorrupt(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: number };
  return errcode !== undefined && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff);
}

type Progress = (what: string, share: number) => void;

/** The history that is proved. */
interface ProvedHistory {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  readonly generatedName: string;
  readonly remedy: string;
}

function fileOf(data: string): ProvedHistory {
  const path = join(data, HISTORY_FILE);
  return { path, name: path, generatedName: generatedPath(path), remedy: historyRemedy(data) };
}

const PROGRESS_COMMANDS = 10_000;

/** End of the replay. */
interface Tail {
  readonly state: State;
  readonly lastSeq: number;
}

class Verifier {
  readonly #data: string;
  readonly #disk: NodeDisk;
  readonly #checks: Check[] = [];
  readonly #snapshots: StateMark[] = [];
  /** Snapshots that the replay has not reached yet. */
  readonly #expected = new Map<number, Snapshot>();
  readonly #identity = new JournaledMark();
  /** Rows that the journal produces, by kind of record. */
  readonly #rows = { ...rowsMade([]) };
  readonly #progress: Progress;
  readonly #history: ProvedHistory;
  readonly #repair: HistoryRepair | undefined;
  #damages: readonly Damage[] = [];
  #checkpoints = 0;
  #firstTime = Number.NaN;
  #mended = false;

  constructor(
    data: string,
    directory: string,
    progress: Progress,
    history: ProvedHistory,
    repair?: HistoryRepair,
  ) {
    this.#data = data;
    this.#history = history;
    this.#disk = new NodeDisk(directory);
    this.#progress = progress;
    this.#repair = repair;
  }

  /** The repair is complete and durable. */
  get mended(): boolean {
    return this.#mended;
  }

  async run(): Promise<Omit<Verification, 'repairedRows'>> {
    let tail: Tail = { state: new Exchange().state, lastSeq: 0 };
    try {
      tail = this.#replayEverything();
      this.#checkBooks(tail.state);
      this.#note('identity', true, await proveIdentity(this.#data, tail.state, this.#identity.mark));
    } catch (thrown) {
      const error = asHistoryDamage(thrown);
      if (exitCodeOf(error) !== ExitCode.damaged) throw error;
      this.#note('stopped', false, (error as Error).message);
    }
    const { state, lastSeq } = tail;
    return {
      ok: this.#checks.every(({ ok }) => ok),
      data: this.#data,
      checks: this.#checks,
      damages: this.#damages,
      remedy: this.#damages.length === 0 ? '' : this.#history.remedy,
      coins: coinSums(state),
      snapshots: this.#snapshots,
      accounts: state.accountByUid.size,
      openOrders: openOrderCount(state),
      lastSeq,
      stateHash: stateHash(state),
    };
  }

  #replayEverything(): Tail {
    const headers = readSegmentHeaders(this.#disk);
    const seqs = snapshotSeqs(this.#disk.list());
    for (const seq of seqs) this.#readSnapshot(seq, headers[0]?.instanceId);
    const whole = headers[0] === undefined || headers[0].firstSeq === 1;
    if (!whole) this.#passOverLeftSnapshots(headers[0]!);
    const startSeq = whole ? 0 : seqs.find((seq) => this.#expected.has(seq));
    const hidden = seqs.filter((seq) => seq !== startSeq).map(snapshotName);
    const found = recover(new ReadOnlyDisk(this.#disk, hidden), journalSettings());
    const { lastSeq, recordsToReplay, tornBytes, cleanEnd } = found.report;
    const ending = cleanEnd
      ? 'closed properly'
      : `not closed properly, ${tornBytes} bytes of an unfinished write`;
    const extent = `${counted(headers.length, 'segment')}, ${counted(recordsToReplay, 'command')} up to ${count(lastSeq)}; ${ending}`;
    this.#note('log: chain and CRC', true, extent);

    const exchange = new Exchange(found.snapshot === undefined ? undefined : loadState(found.snapshot.state));
    const history = this.#openHistory(lastSeq);
    try {
      if (startSeq !== undefined && startSeq > 0) this.#compareSnapshot(startSeq, exchange.state);
      if (history !== undefined) {
        describeListings(history, exchange.state);
        history.startAfter(exchange.state.lastId, exchange.state.now);
      }
      let commands = 0;
      for (const { seq, command } of commandsToReplay(found.records)) {
        this.#apply(exchange, seq, command, history);
        if (++commands % PROGRESS_COMMANDS === 0) this.#progress('replaying', commands / recordsToReplay);
      }
      const from = whole ? 'the first command' : `snapshot ${count(found.report.snapshotSeq)}`;
      this.#note('replay', true, `from ${from}; digest checkpoints that agree: ${count(this.#checkpoints)}`);
      for (const seq of this.#expected.keys()) {
        this.#note(snapshotName(seq), false, 'the log does not reach it');
      }
      if (history !== undefined) this.#proveHistory(history, lastSeq, whole, exchange.state.now);
    } finally {
      history?.close();
    }
    return { state: exchange.state, lastSeq };
  }

  #readSnapshot(seq: number, instanceId: Uint8Array | undefined): void {
    if (instanceId === undefined) return;
    const snapshot = readSnapshotFile(this.#disk, seq, instanceId);
    if (typeof snapshot === 'string') this.#note(snapshotName(seq), false, snapshot);
    else this.#expected.set(seq, snapshot);
  }

  /**
   * Older programs removed the segments behind a snapshot before the snapshot itself: cut off in between, they leave
   * one that nothing continues. It is no damage as long as there is a newer one that the log continues.
   */
  #passOverLeftSnapshots(first: SegmentHeader): void {
    const seqs = [...this.#expected.keys()];
    if (!seqs.some((seq) => continues(first, seq))) return;
    for (const seq of seqs.filter((each) => !continues(first, each))) {
      this.#expected.delete(seq);
      this.#note(snapshotName(seq), true, 'older than the log, not needed; the next snapshot removes it');
    }
  }

  #apply(exchange: Exchange, seq: number, command: Command, history: HistoryProof | undefined): void {
    if (Number.isNaN(this.#firstTime)) this.#firstTime = command.time;
    applyLogged(exchange, seq, command);
    this.#identity.readCommand(command);
    if (command.type === 'checkpoint') this.#checkpoints += 1;
    const events = exchange.takeEvents();
    if (history !== undefined) {
      if (isListing(events)) describeListings(history, exchange.state);
      history.compare(seq, events, exchange.state.now);
    }
    if (seq <= (history?.facts?.lastSeq ?? 0)) {
      const made = rowsMade(events);
      for (const records of COUNTED_RECORDS) this.#rows[records] += made[records];
    }
    if (this.#expected.has(seq)) this.#compareSnapshot(seq, exchange.state);
  }

  /** Loaded and saved again, a snapshot of the present format must be itself; replayed to, any must be the state. */
  #compareSnapshot(seq: number, replayed: State): void {
    const snapshot = this.#expected.get(seq)!;
    const { state: stored } = snapshot;
    this.#identity.readSnapshot(snapshot);
    this.#expected.delete(seq);
    const loaded = loadState(stored);
    const same = !hasNewestFormat(stored) || Buffer.compare(saveState(loaded), stored) === 0;
    const hash = stateHash(loaded);
    const reached = stateHash(replayed) === hash;
    const problem = same ? 'the replayed state is another' : 'loaded and saved again it is another';
    this.#note(
      snapshotName(seq),
      same && reached,
      same && reached ? `equals the replay, ${shortHash(hash)}` : problem,
    );
    this.#snapshots.push({ seq, stateHash: hash });
  }

  #openHistory(lastSeq: number): HistoryProof | undefined {
    const { path } = this.#history;
    if (!existsSync(path)) {
      this.#note('history', lastSeq === 0, `${path} does not exist`);
      return undefined;
    }
    this.#progress('checking the file of the history', 0);
    return new HistoryProof(path, this.#repair);
  }

  #proveHistory(history: HistoryProof, lastSeq: number, whole: boolean, now: number): void {
    history.finishComparison(now);
    if (this.#repair !== undefined && history.facts !== undefined) {
      this.#repair.finish(history.facts);
      this.#mended = true;
      return;
    }
    const rows = this.#checkRows(history);
    this.#noteExtent(history, lastSeq);
    const compared = `${count(history.compared)} rows compared with the replay`;
    const unsealed = rows?.unsealed ?? 0;
    const checked = !history.hasChecksums
      ? 'an older program wrote it: its rows get checksums after the next start'
      : `${count(rows?.sound ?? 0)} rows with the right checksum${unsealed === 0 ? '' : `, ${count(unsealed)} of an older program have none yet`}`;
    const damaged = history.damageCount;
    const found = `${counted(damaged, 'finding')} in ${this.#history.name}: see below`;
    this.#note('history: rows', damaged === 0, `${compared}; ${damaged === 0 ? checked : found}`);
    this.#damages = history.damages;
    this.#proveGenerated(history);
    this.#compareCounts(history, whole, now);
  }

  /** Histories of older programs have it in their tables. */
  #proveGenerated({ facts }: HistoryProof): void {
    if (facts === undefined || facts.version < GENERATED_FILE_VERSION) return;
    this.#progress('checking the generated past', 0);
    const { sound, damages, damageCount } = proveGenerated(generatedPath(this.#history.path));
    const detail =
      damageCount === 0
        ? `${count(sound)} rows with the right checksum`
        : `${counted(damageCount, 'finding')} in ${this.#history.generatedName}: see below`;
    this.#note('history: generated past', damageCount === 0, detail);
    this.#damages = [...this.#damages, ...damages];
  }

  #checkRows(history: HistoryProof) {
    const steps = history.checkRows();
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      const [done, of] = step.value;
      this.#progress('checking rows of the history', done / of);
    }
  }

  #noteExtent({ facts }: HistoryProof, lastSeq: number): void {
    if (facts === undefined) return;
    const confirmedSeq = facts.lastSeq;
    const newestSnapshot = this.#snapshots.at(-1)?.seq ?? 0;
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
  #compareCounts(history: HistoryProof, whole: boolean, now: number): void {
    if (!whole || now - this.#firstTime > RETENTION_MS || history.facts?.completeSince !== 0) return;
    const stored = history.counts();
    if (stored === undefined) return;
    for (const records of COUNTED_RECORDS) {
      const same = stored[records] === this.#rows[records];
      const detail = `${count(stored[records])} rows${same ? '' : `, the log makes ${count(this.#rows[records])}`}`;
      this.#note(`history: ${records}`, same, detail);
    }
  }

  #checkBooks(state: State): void {
    checkInvariants(state);
    const books = `${count(state.markets.length)} books, ${count(openOrderCount(state))} open orders`;
    this.#note('invariants', true, books);
    const wrong = coinSums(state).filter(({ sum }) => sum !== '0');
    const detail =
      wrong.length === 0
        ? 'every coin sums to zero'
        : `not zero: ${wrong.map(({ coin }) => coin).join(', ')}`;
    this.#note('ledger', wrong.length === 0, detail);
  }

  #note(name: string, ok: boolean, detail: string): void {
    this.#checks.push({ name, ok, detail });
  }
}

function historyRemedy(data: string): string {
  return (
    `Run "bourse verify --repair-history --data ${data}": it writes the rows anew that the log still makes, and mends ` +
    `single changed bits. What is left then: put ${HISTORY_FILE} of a backup back; the start adds what came after it, ` +
    `as far as the log reaches back. The log does not hold the generated past: put ${GENERATED_FILE} of a backup back.`
  );
}

function describeListings(history: HistoryProof, { instruments, coins }: State): void {
  history.describe(
    instruments,
    coins.map(({ coin }) => coin),
  );
}

function coinSums(state: State): CoinSum[] {
  return bookSums(state).map(({ coin, users, house, external, total }) => ({
    coin,
    users: formatMoney(users),
    system: formatMoney(house + external),
    sum: formatMoney(total),
  }));
}

function shortHash(hash: string): string {
  return hash.slice(0, 16);
}
