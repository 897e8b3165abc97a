/**
 * The replay of a verification: everything the log still holds, from as far back as possible, and at each snapshot on the way the
 * replayed state must have the hash of the stored one.
 */
import { coinSums as bookSums } from '../../admin/trial-balance.ts';
import { Exchange } from '../../core/engine/exchange.ts';
import { checkInvariants } from '../../core/engine/invariants.ts';
import type { Command } from '../../core/model/command.ts';
import { formatMoney } from '../../core/model/units.ts';
import { openOrderCount } from '../../core/reads/reads.ts';
import { hasNewestFormat, loadState, saveState } from '../../core/snapshot/snapshot.ts';
import type { State } from '../../core/state/state.ts';
import type { HistoryRepair } from '../../history/proof/repair.ts';
import type { Snapshot } from '../../journal/command-journal.ts';
import { snapshotName, snapshotSeqs } from '../../journal/file-names.ts';
import { journalSettings } from '../../journal/journal-settings.ts';
import { NodeDisk } from '../../journal/node-disk.ts';
import { recover } from '../../journal/recovery.ts';
import { continues, readSegmentHeaders } from '../../journal/segment-files.ts';
import type { SegmentHeader } from '../../journal/segment-format.ts';
import { readSnapshotFile } from '../../journal/snapshot-file.ts';
import { commandsToReplay } from '../../sequencer/effective-commands.ts';
import { applyLogged } from '../../sequencer/recovery.ts';
import { stateHash } from '../../sequencer/state-hash.ts';
import { ReadOnlyDisk } from '../data/read-only-disk.ts';
import { ExitCode, exitCodeOf } from '../exit-codes.ts';
import { asHistoryDamage } from '../start/components.ts';
import { JournaledMark } from '../start/identity-marks.ts';
import { count, counted } from '../terminal/format.ts';
import { HistoryCheck, type ProvedHistory } from './history-check.ts';
import { proveIdentity } from './identity-verify.ts';
import type { Check, CoinSum, Note, Progress, StateMark, Verification } from './verification.ts';

const PROGRESS_COMMANDS = 10_000;

/** End of the replay. */
interface Tail {
  readonly state: State;
  readonly lastSeq: number;
}

export class Verifier {
  readonly #data: string;
  readonly #disk: NodeDisk;
  readonly #checks: Check[] = [];
  readonly #snapshots: StateMark[] = [];
  /** Snapshots that the replay has not reached yet. */
  readonly #expected = new Map<number, Snapshot>();
  readonly #identity = new JournaledMark();
  readonly #progress: Progress;
  readonly #proved: ProvedHistory;
  readonly #repair: HistoryRepair | undefined;
  #history: HistoryCheck | undefined;
  #checkpoints = 0;
  #firstTime = Number.NaN;

  constructor(
    data: string,
    directory: string,
    progress: Progress,
    history: ProvedHistory,
    repair?: HistoryRepair,
  ) {
    this.#data = data;
    this.#proved = history;
    this.#disk = new NodeDisk(directory);
    this.#progress = progress;
    this.#repair = repair;
  }

  /** The repair is complete and durable. */
  get mended(): boolean {
    return this.#history?.mended === true;
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
    const damages = this.#history?.damages ?? [];
    return {
      ok: this.#checks.every(({ ok }) => ok),
      data: this.#data,
      checks: this.#checks,
      damages,
      remedy: damages.length === 0 ? '' : this.#proved.remedy,
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
    const history = HistoryCheck.open(this.#proved, lastSeq, this.#repair, this.#note, this.#progress);
    this.#history = history;
    try {
      if (startSeq !== undefined && startSeq > 0) this.#compareSnapshot(startSeq, exchange.state);
      history?.startAfter(exchange.state);
      let commands = 0;
      for (const { seq, command } of commandsToReplay(found.records)) {
        this.#apply(exchange, seq, command);
        if (++commands % PROGRESS_COMMANDS === 0) this.#progress('replaying', commands / recordsToReplay);
      }
      const from = whole ? 'the first command' : `snapshot ${count(found.report.snapshotSeq)}`;
      this.#note('replay', true, `from ${from}; digest checkpoints that agree: ${count(this.#checkpoints)}`);
      for (const seq of this.#expected.keys()) {
        this.#note(snapshotName(seq), false, 'the log does not reach it');
      }
      const newestSnapshot = this.#snapshots.at(-1)?.seq ?? 0;
      const { state } = exchange;
      history?.finish({ state, lastSeq, whole, firstTime: this.#firstTime, newestSnapshot });
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

  #apply(exchange: Exchange, seq: number, command: Command): void {
    if (Number.isNaN(this.#firstTime)) this.#firstTime = command.time;
    applyLogged(exchange, seq, command);
    this.#identity.readCommand(command);
    if (command.type === 'checkpoint') this.#checkpoints += 1;
    const events = exchange.takeEvents();
    this.#history?.compare(seq, events, exchange.state);
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

  readonly #note: Note = (name, ok, detail) => {
    this.#checks.push({ name, ok, detail });
  };
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
