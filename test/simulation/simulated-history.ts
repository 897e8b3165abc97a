/**
 * A history whose database is behind, as databases are: what is projected waits, then is written, then is safe. A
 * crash leaves what was safe and some of what was written. It keeps every command it was given, so that a checker can
 * see whether each came exactly once.
 */
import type { History, ProjectedCommand } from '../../src/history/history.ts';

/** What outlives a process: commands 1, 2, 3 ... in order. */
export class HistoryStore {
  readonly safe: ProjectedCommand[] = [];
  written: ProjectedCommand[] = [];

  /** Some of what was written but not yet safe survives. */
  crash(random: () => number): void {
    this.#keep(Math.floor(random() * (this.written.length + 1)));
    this.written = [];
  }

  sync(): void {
    this.#keep(this.written.length);
    this.written = [];
  }

  copy(): HistoryStore {
    const copy = new HistoryStore();
    copy.safe.push(...this.safe);
    return copy;
  }

  #keep(count: number): void {
    for (const command of this.written.slice(0, count)) this.safe.push(command);
  }
}

export class HistoryBroken extends Error {
  override name = 'HistoryBroken';
}

interface FlushWaiter {
  readonly seq: number;
  readonly resolve: () => void;
}

export class SimulatedHistory implements History {
  confirmedSeq: number;
  projectedSeq: number;
  readonly starved = false;
  readonly waitsFor = 'disk';
  readonly #store: HistoryStore;
  #waiting: ProjectedCommand[] = [];
  #flushes: FlushWaiter[] = [];
  #instruments = 0;
  #coins = 0;

  constructor(store: HistoryStore) {
    this.#store = store;
    this.confirmedSeq = store.safe.at(-1)?.seq ?? 0;
    this.projectedSeq = this.confirmedSeq;
  }

  describe(instruments: readonly unknown[], coins: readonly string[]): void {
    this.#instruments = instruments.length;
    this.#coins = coins.length;
  }

  project(command: ProjectedCommand): void {
    if (command.seq <= this.confirmedSeq) return;
    if (command.seq !== this.projectedSeq + 1) {
      throw new HistoryBroken(`command ${command.seq} was projected after ${this.projectedSeq}`);
    }
    this.#refuseUndescribed(command);
    this.projectedSeq = command.seq;
    this.#waiting.push(command);
  }

  addGenerated(): void {}

  generatedBooks(): Promise<never[]> {
    return Promise.resolve([]);
  }

  generatedCandles(): Promise<never[]> {
    return Promise.resolve([]);
  }

  damagedReads(): number {
    return 0;
  }

  lag(): number {
    return this.#waiting.reduce((rows, { events }) => rows + events.length, 0);
  }

  /** The database does a little of what it has to do. */
  work(random: () => number): void {
    const count = Math.ceil(random() * this.#waiting.length);
    this.#store.written.push(...this.#waiting.splice(0, count));
    if (random() < 0.3) this.#confirm();
  }

  /** The database catches up with everything. */
  catchUp(): void {
    this.#store.written.push(...this.#waiting.splice(0));
    this.#confirm();
  }

  flush(): Promise<void> {
    if (this.projectedSeq === this.confirmedSeq) return Promise.resolve();
    return new Promise((resolve) => this.#flushes.push({ seq: this.projectedSeq, resolve }));
  }

  async close(): Promise<void> {
    this.catchUp();
  }

  closedOrders = notSimulated;
  orderById = notSimulated;
  latestOrderByClientOid = notSimulated;
  fills = notSimulated;
  endedStrategies = notSimulated;
  endedStrategy = notSimulated;
  closedPositions = notSimulated;
  positionMoves = notSimulated;
  ledgerLines = notSimulated;
  transfers = notSimulated;
  conversions = notSimulated;
  walletRecords = notSimulated;
  familyWalletRecords = notSimulated;
  commissions = notSimulated;
  candles = notSimulated;
  lastCandleBefore = notSimulated;
  generatedPart = notSimulated;
  gaplessCandles = notSimulated;
  fundingRates = notSimulated;
  insuranceHours = notSimulated;
  liquidations = notSimulated;
  loanRecords = notSimulated;
  counts = notSimulated;
  prune = notSimulated;

  #confirm(): void {
    this.#store.sync();
    this.confirmedSeq = this.#store.safe.at(-1)?.seq ?? 0;
    for (const { seq, resolve } of this.#flushes) if (seq <= this.confirmedSeq) resolve();
    this.#flushes = this.#flushes.filter(({ seq }) => seq > this.confirmedSeq);
  }

  /** Rows are formatted from what was described: an event may not name an instrument or a coin before that. */
  #refuseUndescribed({ seq, events }: ProjectedCommand): void {
    for (const event of events) {
      const instrument = event.type === 'order' ? event.order.instrument : 0;
      const coin = event.type === 'ledgerLine' ? event.coin : 0;
      if (instrument < this.#instruments || event.type !== 'order') {
        if (coin < this.#coins || event.type !== 'ledgerLine') continue;
      }
      throw new HistoryBroken(`command ${seq} names what was not described`);
    }
  }
}

async function notSimulated(): Promise<never> {
  throw new Error('this read is not simulated');
}
