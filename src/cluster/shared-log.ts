/**
 * The log of commands of a node, over an engine that all nodes share. One pack is on its way at a time; what is proposed
 * meanwhile gathers for the next. Packs of this node and of others are applied in the engine's order, once they are safe.
 */
import type { JournalCapacity } from '../journal/command-journal.ts';
import { JournalFailed, JournalFull } from '../journal/journal-errors.ts';
import type { CommandLog, RefusedListener, SequencedListener } from '../sequencer/command-log.ts';
import type { OrderCall } from '../sequencer/sequencer.ts';
import { DigestRing } from './digest-ring.ts';
import {
  type Duty,
  type EngineNotice,
  LogDiverged,
  type OfferedPack,
  type PackEngine,
  PackFenced,
  PackRefused,
  type PlacedPack,
  type StoredPack,
} from './engine.ts';
import type { EngineTime } from './engine-time.ts';
import {
  bytesOf,
  CALL_BYTES,
  chainOf,
  encodePack,
  PACK_BYTES_MAX,
  PACK_COMMANDS_MAX,
  readPack,
} from './pack.ts';
import { RecentPacks } from './recent-packs.ts';

/** From the receipt of a command; a pack that gets its place later is void. */
export const DEADLINE_MS = 3_000;
/** The same for commands of duties and operators, which do not grow stale. */
export const DUTY_DEADLINE_MS = 30_000;
/** How far the engine's clock may be ahead of the sender's and still count. */
const CLOCK_LEAD_MAX_MS = 5_000;
/** A listening connection that died says nothing. */
const POLL_EACH_MS = 1_000;
const READ_PACKS = 64;
/** Pauses between tries while the engine is away. */
const RETRY_MS = 50;
const WAITING_MAX = 100_000;
/** The time of a command stands behind its type. */
const TIME_AT = 1;

/** The pack after which a node begins, and what the next begins with. */
export interface LogPosition {
  readonly no: number;
  readonly nextSeq: number;
  readonly chain: Uint8Array;
  /** The time of the last command, in the exchange's time. */
  readonly time: number;
}

export interface Timers {
  after(ms: number, act: () => void): () => void;
}

export interface SharedLogOptions {
  readonly engine: PackEngine;
  /** This start of this node; no other has the number. */
  readonly run: number;
  readonly begin: LogPosition;
  readonly engineTime: EngineTime;
  readonly wallMs: () => number;
  readonly timers: Timers;
  /** The digest of the state, with everything sequenced so far. */
  readonly digest: () => number;
  /** The engine failed at something that is tried again. */
  readonly onRetryableError?: (error: Error) => void;
  /** Another node had another state after a pack. */
  readonly onDisagreement?: (run: number, no: number) => void;
  /** Another node had this state after a pack, or another one. What is returned ends the log before it sends more. */
  readonly judgeState?: (run: number, isEqual: boolean) => Error | undefined;
  /** Throws before a command that this program cannot execute as others do. */
  readonly admit?: (payload: Uint8Array) => void;
  /** Called with the last packs when the engine has lost or changed what it had confirmed; the log fails when it has settled. */
  readonly keepAside?: (packs: readonly StoredPack[]) => Promise<void>;
  /** A pack has been applied, or skipped when it was too late. */
  readonly onPack?: (pack: AppliedPack) => void;
}

export interface AppliedPack {
  readonly no: number;
  readonly time: number;
  readonly isOwn: boolean;
  readonly isVoid: boolean;
  readonly payloads: readonly Uint8Array[];
  /** Calls of users that sent its commands. */
  readonly calls: readonly OrderCall[];
}

interface Waiting {
  readonly payloads: readonly Uint8Array[];
  readonly ticket: number;
  /** In the engine's time. */
  readonly received: number;
  readonly duty: Duty | undefined;
  /** Whose first commands these are. */
  readonly call: OrderCall | undefined;
}

interface Flight {
  readonly pack: OfferedPack;
  readonly waiting: readonly Waiting[];
}

const NOT_EXECUTED = 'not executed: it did not get its place in the log in time';

export class SharedLog implements CommandLog {
  readonly isShared = true;
  readonly #options: SharedLogOptions;
  readonly #digests = new DigestRing();
  readonly #recent = new RecentPacks();
  #waiting: Waiting[] = [];
  #waitingCommands = 0;
  #flight: Flight | undefined;
  #runPack = 0;
  #position: LogPosition;
  #confirmed: number;
  #isPolling = false;
  #pollsAgain = false;
  #reconnecting: Promise<void> | undefined;
  #failure: Error | undefined;
  #isClosed = false;
  #applied: AppliedPack | undefined;
  /** The duty and calls of what is proposed in this turn. */
  #duty: Duty | undefined;
  #call: OrderCall | undefined;
  #stopTimer = () => {};
  #onSequenced: SequencedListener = () => {};
  #onRefused: RefusedListener = () => {};
  #onDurable: (seq: number) => void = () => {};
  #onFailure: (error: Error) => void = () => {};

  constructor(options: SharedLogOptions) {
    this.#options = options;
    this.#position = options.begin;
    this.#confirmed = options.begin.no;
    this.#digests.note(options.begin.no, options.digest());
    options.engine.onNotice((notice) => this.#hear(notice));
    this.#pollEachSecond();
  }

  get #hasEnded(): boolean {
    return this.#isClosed || this.#failure !== undefined;
  }

  get position(): LogPosition {
    return this.#position;
  }

  get durableSeq(): number {
    return this.#position.nextSeq - 1;
  }

  onSequenced(listener: SequencedListener): void {
    this.#onSequenced = listener;
  }

  onRefused(listener: RefusedListener): void {
    this.#onRefused = listener;
  }

  onDurable(listener: (seq: number) => void): void {
    this.#onDurable = listener;
  }

  onFailure(listener: (error: Error) => void): void {
    this.#onFailure = listener;
  }

  capacity(): JournalCapacity {
    return 'normal';
  }

  queueAgeMs(): number {
    const oldest = this.#flight?.waiting[0] ?? this.#waiting[0];
    return oldest === undefined ? 0 : Math.max(0, this.#options.engineTime.now() - oldest.received);
  }

  /** The digest of this node's state; undefined when it is too old, or not reached yet. */
  digestAfter(no: number): number | undefined {
    return this.#digests.after(no);
  }

  /** What `act` proposes before it returns is sent under a duty: a node that has lost it by then is refused. */
  under<Result>(duty: Duty, act: () => Result): Result {
    const before = this.#duty;
    this.#duty = duty;
    try {
      return act();
    } finally {
      this.#duty = before;
    }
  }

  /** What `act` proposes before it returns belongs to a call of a user; its pack tells the other nodes of it, once. */
  runAsOrderCall<Result>(call: OrderCall, act: () => Result): Result {
    const before = this.#call;
    this.#call = call;
    try {
      return act();
    } finally {
      this.#call = before;
    }
  }

  /** `duty` is the right under which the commands are sent; a node that has lost it by then is refused. */
  propose(payloads: readonly Uint8Array[], ticket: number, duty = this.#duty): void {
    if (this.#failure !== undefined) throw new JournalFailed(this.#failure.message);
    if (this.#isClosed) throw new JournalFailed('the log is closed');
    if (this.#waitingCommands + payloads.length > WAITING_MAX)
      throw new JournalFull('too many commands wait for the database');
    this.#waitingCommands += payloads.length;
    this.#waiting.push({
      payloads: payloads.map((payload) => payload.slice()),
      ticket,
      received: this.#options.engineTime.now(),
      duty,
      call: this.#call,
    });
    this.#call = undefined;
    this.#send();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    await this.#options.engine.close();
  }

  /** Reads what others have appended. */
  poll(): void {
    if (this.#hasEnded) return;
    if (this.#isPolling) this.#pollsAgain = true;
    else void this.#readOn();
  }

  #pollEachSecond(): void {
    this.#stopTimer = this.#options.timers.after(POLL_EACH_MS, () => {
      if (this.#hasEnded) return;
      this.poll();
      this.#pollEachSecond();
    });
  }

  #hear({ confirmed = 0 }: EngineNotice): void {
    this.#confirmed = Math.max(this.#confirmed, confirmed);
    this.poll();
  }

  #send(): void {
    if (this.#flight !== undefined || this.#hasEnded) return;
    const waiting = this.#takePack();
    if (waiting.length === 0) return;
    const { run, wallMs } = this.#options;
    const payloads = waiting.flatMap((each) => each.payloads);
    const calls = waiting.flatMap(({ call }) => (call === undefined ? [] : [call]));
    const [{ duty }] = waiting as [Waiting];
    const oldest = Math.min(...waiting.map(({ received }) => received));
    const { no } = this.#position;
    this.#runPack++;
    const pack: OfferedPack = {
      run,
      runPack: this.#runPack,
      known: no,
      confirmed: this.#confirmed,
      stamp: wallMs(),
      deadline: Math.ceil(oldest) + (duty === undefined ? DEADLINE_MS : DUTY_DEADLINE_MS),
      asOf: no,
      digest: this.#digests.after(no)!,
      duty,
      commands: payloads.length,
      body: encodePack(payloads, calls),
    };
    this.#flight = { pack, waiting };
    void this.#append(this.#flight);
  }

  /** What fits into one pack and may go together; commands that have waited too long are refused instead. */
  #takePack(): Waiting[] {
    const now = this.#options.engineTime.now();
    const taken: Waiting[] = [];
    let [commands, bytes] = [0, 0];
    while (this.#waiting.length > 0) {
      const next = this.#waiting[0]!;
      const more = next.payloads.reduce((sum, payload) => sum + bytesOf(payload), CALL_BYTES);
      const isTooMuch = commands + next.payloads.length > PACK_COMMANDS_MAX || bytes + more > PACK_BYTES_MAX;
      if (taken.length > 0 && (isTooMuch || !isSameDuty(next.duty, taken[0]!.duty))) break;
      this.#waiting.shift();
      this.#waitingCommands -= next.payloads.length;
      if (next.duty === undefined && now - next.received > DEADLINE_MS) {
        this.#onRefused(next.ticket, new PackRefused(NOT_EXECUTED));
        continue;
      }
      taken.push(next);
      commands += next.payloads.length;
      bytes += more;
    }
    return taken;
  }

  /** Until it is known whether the pack has a place. */
  async #append(flight: Flight): Promise<void> {
    const { engine } = this.#options;
    while (this.#flight === flight) {
      try {
        const placed = await engine.append(flight.pack);
        this.#place(flight, placed);
        return;
      } catch (error) {
        if (this.#hasEnded) return;
        if (error instanceof PackFenced || error instanceof PackRefused) {
          this.#land(flight);
          for (const { ticket } of flight.waiting) this.#onRefused(ticket, error);
          this.#send();
          return;
        }
        this.#options.onRetryableError?.(error as Error);
        await this.#reconnect();
      }
    }
  }

  #place(flight: Flight, placed: PlacedPack): void {
    if (this.#hasEnded) return;
    const { no, firstSeq, at } = placed;
    this.#confirmed = Math.max(this.#confirmed, no);
    // It may have come in with those of others by now.
    if (this.#flight === flight && no === this.#position.no + 1)
      this.#deliver({ ...flight.pack, no, firstSeq, at });
    if (this.#flight === flight) this.poll();
  }

  /** Resolves when the engine is there again and has what it had. Append and read both ask for it. */
  #reconnect(): Promise<void> {
    this.#reconnecting ??= this.#compareAgain().finally(() => {
      this.#reconnecting = undefined;
    });
    return this.#reconnecting;
  }

  async #compareAgain(): Promise<void> {
    const { engine } = this.#options;
    for (;;) {
      if (this.#hasEnded) return;
      try {
        await engine.reconnect();
        const { no, chain } = this.#position;
        if (no === 0) return;
        const [last] = await engine.read(no - 1, 1);
        // Other packs may have come in while it was read.
        if (this.#position.no !== no) continue;
        if (last !== undefined && last.no > no)
          this.#fail(
            new LogDiverged(
              `the packs after ${no} are deleted: this node was away for too long. Start it again; it begins with a snapshot`,
            ),
          );
        else if (last?.no !== no || Buffer.compare(last.chain, chain) !== 0)
          this.#fail(
            new LogDiverged(
              `the database has lost or changed pack ${no}, which it had confirmed: nothing is executed until the operator has decided`,
            ),
          );
        return;
      } catch (error) {
        this.#options.onRetryableError?.(error as Error);
        await new Promise<void>((resolve) => this.#options.timers.after(RETRY_MS, resolve));
      }
    }
  }

  async #readOn(): Promise<void> {
    this.#isPolling = true;
    try {
      do {
        this.#pollsAgain = false;
        const packs = await this.#options.engine.read(this.#position.no, READ_PACKS);
        for (const { confirmed } of packs) this.#confirmed = Math.max(this.#confirmed, confirmed);
        for (const pack of packs) {
          if (this.#hasEnded) return;
          if (pack.no <= this.#position.no) continue;
          if (pack.no > this.#confirmed || pack.no !== this.#position.no + 1) break;
          this.#deliver(pack);
        }
        if (packs.length === READ_PACKS && this.#position.no >= packs.at(-1)!.no) this.#pollsAgain = true;
      } while (this.#pollsAgain);
    } catch (error) {
      this.#options.onRetryableError?.(error as Error);
      await this.#reconnect();
    } finally {
      this.#isPolling = false;
    }
    // What is safe and was not visible yet on the server that was asked.
    if (this.#confirmed > this.#position.no) this.#options.timers.after(RETRY_MS, () => this.poll());
  }

  #deliver(pack: Omit<StoredPack, 'chain'> & { readonly chain?: Uint8Array }): void {
    const chain = chainOf(this.#position.chain, pack.body);
    try {
      this.#refuseStranger(pack, chain);
      this.#sequence(pack, chain);
    } catch (error) {
      this.#fail(error as Error);
    }
    if (this.#hasEnded) return;
    this.#confirmed = Math.max(this.#confirmed, pack.confirmed);
    this.#recent.note({ ...pack, chain });
    this.#digests.note(pack.no, this.#options.digest());
    const own = this.#ownFlight(pack);
    if (own !== undefined) this.#land(own);
    this.#onDurable(this.durableSeq);
    this.#compare(pack);
    if (this.#applied !== undefined) this.#options.onPack?.(this.#applied);
    this.#applied = undefined;
    this.#send();
    // Under load the next pack says it.
    if (own !== undefined && this.#flight === undefined) this.#options.engine.confirm(pack.no);
  }

  /** A pack that does not follow what this node has applied. */
  #refuseStranger(
    { no, firstSeq, chain }: Pick<StoredPack, 'no' | 'firstSeq'> & { readonly chain?: Uint8Array },
    own: Uint8Array,
  ): void {
    const { no: last, nextSeq } = this.#position;
    if (chain !== undefined && Buffer.compare(chain, own) !== 0)
      throw new LogDiverged(`pack ${no} does not follow pack ${last} as this node has it`);
    if (firstSeq !== nextSeq)
      throw new LogDiverged(`pack ${no} begins with command ${firstSeq}, not ${nextSeq}`);
  }

  /** Every node gives the commands of a pack the same numbers and the same time, or skips them all. */
  #sequence(pack: Omit<StoredPack, 'chain'>, chain: Uint8Array): void {
    const { nextSeq, time: before } = this.#position;
    this.#options.engineTime.hear(pack.at);
    const time = timeOf(pack, before);
    const isVoid = pack.at > pack.deadline;
    const tickets = this.#ownFlight(pack)?.waiting.flatMap(({ payloads, ticket }) =>
      payloads.map(() => ticket),
    );
    const { payloads, calls } = readPack(pack.body);
    if (!isVoid) for (const payload of payloads) this.#options.admit?.(payload);
    this.#position = { no: pack.no, nextSeq: nextSeq + pack.commands, chain, time };
    for (const [n, payload] of payloads.entries())
      this.#onSequenced(nextSeq + n, tickets?.[n] ?? 0, isVoid ? undefined : stamped(payload, time));
    this.#applied = { no: pack.no, time, isOwn: tickets !== undefined, isVoid, payloads, calls };
  }

  #ownFlight({ run, runPack }: Pick<StoredPack, 'run' | 'runPack'>): Flight | undefined {
    const flight = this.#flight;
    return run === this.#options.run && runPack === flight?.pack.runPack ? flight : undefined;
  }

  #land(flight: Flight): void {
    if (this.#flight === flight) this.#flight = undefined;
  }

  #compare({ run, asOf, digest }: Pick<StoredPack, 'run' | 'asOf' | 'digest'>): void {
    if (run === this.#options.run) return;
    const mine = this.#digests.after(asOf);
    if (mine === undefined) return;
    if (mine !== digest) this.#options.onDisagreement?.(run, asOf);
    const wrong = this.#options.judgeState?.(run, mine === digest);
    if (wrong !== undefined) this.#fail(wrong);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#stopTimer();
    const kept = error instanceof LogDiverged ? this.#options.keepAside?.(this.#recent.all()) : undefined;
    if (kept === undefined) this.#onFailure(error);
    else void kept.finally(() => this.#onFailure(error));
  }
}

/** The time of a pack's commands: the engine's, unless its clock is far ahead of the sender's; never before the last. */
export function timeOf({ at, stamp }: Pick<StoredPack, 'at' | 'stamp'>, before: number): number {
  return Math.max(before, Math.min(at, stamp + CLOCK_LEAD_MAX_MS));
}

/** The command under the time of its pack. */
export function stamped(payload: Uint8Array, time: number): Uint8Array {
  const copy = Uint8Array.from(payload);
  new DataView(copy.buffer).setFloat64(TIME_AT, time, true);
  return copy;
}

function isSameDuty(one: Duty | undefined, other: Duty | undefined): boolean {
  return one?.name === other?.name && one?.epoch === other?.epoch;
}
