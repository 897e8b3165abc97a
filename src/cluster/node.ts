/**
 * A node of a cluster: its place in the log of all nodes, the duties that it may have, and whether it may be trusted to answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeCommand, encodeCommand } from '../core/codec/command-codec.ts';
import type { Exchange } from '../core/engine/exchange.ts';
import type { Command, Unstamped } from '../core/model/command.ts';
import { NEWEST_EDITION } from '../core/model/edition.ts';
import type { Clock } from '../sequencer/clock.ts';
import { isCancellation } from '../sequencer/load-shedding.ts';
import { describeListings } from '../sequencer/recovery.ts';
import { type OrderCall, Unavailable } from '../sequencer/sequencer.ts';
import type { ClusterHistory } from './cluster-history.ts';
import { Duties, type DutyName } from './duties.ts';
import type { Duty, StoredPack } from './engine.ts';
import { EngineTime } from './engine-time.ts';
import { HistoryDuty } from './history-duty.ts';
import { type Member, Membership } from './membership.ts';
import { NodeSequencer } from './node-sequencer.ts';
import { decodePack } from './pack.ts';
import { PeriodicHash } from './periodic-hash.ts';
import type { DatabaseAddress } from './postgres/address.ts';
import type { Durability } from './postgres/durability-checks.ts';
import { keepLostPacks } from './postgres/kept-packs.ts';
import type { PostgresEngine } from './postgres/postgres-engine.ts';
import { SideConnection } from './postgres/side-connection.ts';
import { type AppliedPack, type LogPosition, SharedLog } from './shared-log.ts';
import { SnapshotDuty } from './snapshot-duty.ts';
import { StateComparison } from './state-comparison.ts';

const HEARTBEAT_MS = 1_000;
/** Ticks come every second: a node that has seen no pack for so long may be cut off. */
const CUT_OFF_MS = 2_000;
const CLOCK_DIFFERENCE_MAX_MS = 1_000;
const RETRY_MS = 100;
const PACKS_AT_ONCE = 64;
/** Asks the node that writes the history to store what it has. */
export const STORE_MESSAGE = 'store';

/** Says that a duty was left. */
const FREE_MESSAGE = 'free';

const TICK = encodeCommand({ type: 'tick', time: 1 })[0];
const SET_EDITION = encodeCommand({ type: 'setEdition', time: 1, edition: 1, by: '' })[0];

export interface NodeOptions {
  readonly address: DatabaseAddress;
  readonly name: string;
  readonly role: 'node' | 'scribe';
  readonly durability: Durability;
  /** The fingerprint of the keys that this node has. */
  readonly fingerprint: Uint8Array;
  readonly version: string;
  readonly snapshotMs: number;
  readonly clock: Clock;
  /** What the operator should know. */
  readonly warn: (text: string, error?: Error) => void;
  /** The engine failed at something that is tried again. */
  readonly onRetryableError: (error: Error) => void;
  /** The history cannot be read any more: the process must end. */
  readonly onFailure: (error: Error) => void;
}

export interface NodeUrls {
  readonly url: string;
  readonly operatorUrl: string | undefined;
}

/** A condition for serving requests: `ReadinessCheck` of `api/http/health.ts`, which this layer may not import. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

const timers = {
  after: (ms: number, act: () => void) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** What a node has found when it joined (`join.ts`). */
export interface JoinedCluster {
  readonly options: NodeOptions;
  readonly side: SideConnection;
  readonly instance: string;
  readonly run: number;
  /** The time of the database. */
  readonly now: number;
  readonly exchange: Exchange;
  /** Where the snapshot ends. */
  readonly begin: LogPosition;
  readonly engine: PostgresEngine;
  readonly history: ClusterHistory;
}

export class ClusterNode {
  readonly log: SharedLog;
  readonly sequencer: NodeSequencer;
  readonly history: ClusterHistory;
  readonly duties: Duties;
  readonly instance: string;
  /** Commands between the snapshot and the end of the log. */
  replayed = 0;
  #urls: NodeUrls = { url: '', operatorUrl: undefined };
  /** Changes of users and keys that this node has. */
  identitySeen: () => number = () => 0;
  /** Since the copy of users and keys was known to be the newest. */
  identityAgeMs: () => number = () => 0;
  /** Called with every tick that was applied, and with every pack. */
  onTick: (time: number) => void = () => {};
  onPack: (pack: AppliedPack) => void = () => {};
  /** Called with what users have called at other nodes. */
  onCalls: (calls: readonly OrderCall[]) => void = () => {};
  readonly #options: NodeOptions;
  readonly #side: SideConnection;
  readonly #membership: Membership;
  #lastPackMs = Number.NEGATIVE_INFINITY;
  #heartbeatUnderWay: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isServing = false;
  readonly #states = new StateComparison();
  readonly #hashes: PeriodicHash;
  readonly #snapshots: SnapshotDuty;
  readonly #historyDuty: HistoryDuty;
  #isLeaving = false;

  constructor({ options, side, instance, run, now, exchange, begin, engine, history }: JoinedCluster) {
    this.#options = options;
    this.#side = side;
    this.instance = instance;
    this.history = history;
    const { name, role, durability, clock, warn, onRetryableError } = options;
    const query = (text: string, values: readonly unknown[]) => side.query(text, values);
    this.#membership = new Membership(query, { name, run, role, durability });
    this.duties = new Duties(name, query, () => engine.notify(FREE_MESSAGE));
    this.log = new SharedLog({
      engine,
      run,
      begin,
      engineTime: new EngineTime({ monotonicMs: () => performance.now(), wallMs: Date.now }, now),
      wallMs: Date.now,
      timers,
      digest: () => exchange.state.digest.value,
      onRetryableError,
      onDisagreement: () => void this.heartbeat(),
      judgeState: (other, isEqual) => this.#states.byPack(other, isEqual, this.#others()),
      admit: refuseUnknown,
      keepAside: (packs) => this.#keepAside(packs),
      onPack: (pack) => this.#applied(pack),
    });
    this.sequencer = new NodeSequencer(exchange, this.log, history, clock, begin.nextSeq - 1);
    this.sequencer.admissionFilter = (command) => this.#refusalOf(command);
    this.#hashes = new PeriodicHash(this.sequencer, begin.time);
    describeListings(history, exchange.state);
    engine.onMessage((message) => {
      if (message === STORE_MESSAGE) history.storeNow();
      if (message === FREE_MESSAGE) void this.heartbeat();
    });
    const wanted = () => role === 'scribe' || !this.#hasScribe();
    const { duties, log, sequencer } = this;
    this.#historyDuty = new HistoryDuty({ duties, history, wanted, warn, onRetryableError });
    this.#snapshots = new SnapshotDuty({
      ...options,
      duties,
      history,
      wanted,
      log,
      side,
      state: () => sequencer.state,
    });
  }

  /** Applies what the log has; resolves when that is everything that it had when this was called. */
  async catchUp(): Promise<void> {
    const before = this.sequencer.appliedSeq;
    this.log.poll();
    for (;;) {
      try {
        await this.sequencer.catchUp();
        break;
      } catch (error) {
        // Its place was too late; what comes before it is applied all the same.
        if (this.sequencer.failure !== undefined) throw this.sequencer.failure;
        this.#options.onRetryableError(error as Error);
        await sleep(RETRY_MS);
      }
    }
    this.replayed = this.sequencer.appliedSeq - before;
    this.#timer = setInterval(() => void this.heartbeat(), HEARTBEAT_MS);
    await this.heartbeat();
    // Another node may have ended while it wrote the history: then this one does, when the lease is over.
    await this.history
      .flush()
      .catch((error: Error) => this.#options.warn('the history is behind: no node stores it', error));
  }

  /** What the log still has, in order; commands that came too late are left out. */
  async *commandsAfter(seq: number): AsyncGenerator<{ readonly seq: number; readonly command: Command }> {
    for (let no = 0; ; ) {
      const packs = await this.#side.query(
        `SELECT no, first_seq, body, at > deadline AS void FROM bourse_cluster.pack
          WHERE no > $1 AND first_seq + commands > $2 AND no <= $3 ORDER BY no LIMIT ${PACKS_AT_ONCE}`,
        [no, seq, this.log.position.no],
      );
      if (packs.length === 0) return;
      for (const pack of packs) {
        no = Number(pack.no);
        if (pack.void === true) continue;
        for (const [n, payload] of decodePack(pack.body as Buffer).entries())
          yield { seq: Number(pack.first_seq) + n, command: decodeCommand(payload) };
      }
    }
  }

  /** Does what one node at a time may do; waits until it has the duty `upkeep`. */
  async underUpkeepDuty<Result>(act: (duty: Duty) => Promise<Result>): Promise<Result> {
    for (;;) {
      const duty = await this.duties.take('upkeep').catch(() => undefined);
      if (duty !== undefined)
        try {
          // What the one before has done must be seen.
          await this.sequencer.catchUp();
          return await act(duty);
        } finally {
          await this.duties.release('upkeep').catch(() => {});
        }
      await sleep(RETRY_MS);
    }
  }

  /** Where clients reach it, once it listens. */
  get urls(): NodeUrls {
    return this.#urls;
  }

  set urls(urls: NodeUrls) {
    this.#urls = urls;
    this.history.isStarting = false;
  }

  /** From now on it takes duties, and refuses commands while it cannot be trusted. */
  serve(): void {
    this.#isServing = true;
    void this.heartbeat();
  }

  get isServing(): boolean {
    return this.#isServing;
  }

  get isGateway(): boolean {
    return this.#options.role === 'node';
  }

  /** Why requests of users are not answered now; undefined when they are. */
  get cutOff(): string | undefined {
    const silentMs = performance.now() - this.#lastPackMs;
    if (silentMs > CUT_OFF_MS)
      return `this node has heard nothing from the log of the cluster for ${Math.round(silentMs / 100) / 10} s`;
    // Other nodes have stopped waiting for it when a key was deleted.
    return this.identityAgeMs() < CUT_OFF_MS
      ? undefined
      : 'this node does not know whether its users and keys are the newest';
  }

  checks(): readonly Check[] {
    const { engineAheadMs, oneCopy } = this.#membership.view;
    const { cutOff } = this;
    const differs = Math.abs(engineAheadMs) > CLOCK_DIFFERENCE_MAX_MS;
    return [
      check('cluster log', cutOff === undefined, cutOff),
      check(
        'cluster clock',
        !differs,
        `this machine's clock is ${Math.round(Math.abs(engineAheadMs))} ms ${engineAheadMs > 0 ? 'behind' : 'ahead of'} the database's`,
      ),
      check('cluster states', this.#states.disagreement === undefined, this.#states.disagreement),
      {
        name: 'cluster copies',
        ok: true,
        ...(oneCopy && { detail: 'one copy: no standby is connected to the database' }),
      },
    ];
  }

  /** Resolves with whether a command with this number was applied in time. */
  async reached(seq: number, withinMs: number): Promise<boolean> {
    const endMs = performance.now() + withinMs;
    while (this.sequencer.appliedSeq < seq) {
      if (performance.now() > endMs) return false;
      await sleep(5);
    }
    return true;
  }

  /** Who else has a duty, for an operator who asks the wrong node. */
  elsewhere(duty: DutyName): string {
    const { node, operatorUrl } = this.duties.holderOf(duty) ?? {};
    if (node === undefined) return `no node has the duty ${duty} at the moment: try again in a few seconds`;
    const place = operatorUrl === undefined ? '' : ` at ${operatorUrl}`;
    return `node ${node} has the duty ${duty}: ask its operator's listener${place}`;
  }

  /** Writes the row of this node and looks after its duties. */
  heartbeat(): Promise<void> {
    this.#heartbeatUnderWay ??= this.#heartbeat()
      .catch((error: Error) => this.#options.onRetryableError(error))
      .finally(() => {
        this.#heartbeatUnderWay = undefined;
      });
    return this.#heartbeatUnderWay;
  }

  /** Writes one now, if it is this node's to do; resolves when it counts. */
  snapshot(): Promise<void> {
    if (!this.duties.holds('snapshots')) return Promise.reject(new Unavailable(this.elsewhere('snapshots')));
    return this.#snapshots.save();
  }

  /** Leaves the cluster in order; the log stays open until `close`. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    clearInterval(this.#timer);
    await this.#heartbeatUnderWay;
    if (this.duties.holds('snapshots'))
      await this.snapshot().catch((error: Error) => this.#options.warn('no snapshot at the stop', error));
    if (this.history.isWriter) await this.history.flush().catch(() => {});
    await this.duties.close();
    await this.#historyDuty.settled();
    await this.#membership.leave().catch(() => {});
  }

  async close(): Promise<void> {
    this.#isLeaving = true;
    clearInterval(this.#timer);
    await this.#heartbeatUnderWay;
    this.sequencer.close();
    await this.duties.close();
    await this.#historyDuty.settled();
    await this.#membership.leave().catch(() => {});
    await this.history.close();
    await this.log.close();
    await this.#side.close();
  }

  #hasScribe(): boolean {
    const { members } = this.#membership.view;
    return members.some(({ role, name }) => role === 'scribe' && name !== this.#options.name);
  }

  #applied(pack: AppliedPack): void {
    this.#lastPackMs = performance.now();
    if (!pack.isVoid && pack.payloads.some(([type]) => type === TICK)) this.onTick(pack.time);
    this.onPack(pack);
    if (!pack.isOwn && !pack.isVoid && pack.calls.length > 0) this.onCalls(pack.calls);
    this.#hashes.applied(pack.no, pack.time);
  }

  #refusalOf(command: Unstamped<Command>): string | undefined {
    if (!this.#isServing || command.type === 'tick') return undefined;
    const { cutOff } = this;
    if (cutOff !== undefined) return cutOff;
    const { disagreement } = this.#states;
    return disagreement === undefined || isCancellation(command, this.sequencer.state)
      ? undefined
      : disagreement;
  }

  async #heartbeat(): Promise<void> {
    if (this.#isLeaving || this.sequencer.failure !== undefined) return;
    const { no } = this.log.position;
    const { version } = this.#options;
    const facts = {
      ...this.urls,
      version,
      editionMax: NEWEST_EDITION,
      applied: no,
      appliedSeq: this.sequencer.appliedSeq,
      digest: this.sequencer.state.digest.value,
      identitySeen: this.identitySeen(),
      hash: this.#hashes.last,
    };
    if (!(await this.#membership.write(facts))) {
      this.sequencer.fail(
        new Error(`another process has joined the cluster as node ${this.#options.name}: names must differ`),
      );
      return;
    }
    this.#compareStates();
    if (this.cutOff !== undefined) await this.#haltIfForgotten();
    await this.duties.heartbeat();
    await this.history.refresh();
    if (this.duties.holds('snapshots')) await this.#snapshots.saveIfDue();
  }

  /** What the database has lost and this node still has: `bourse cluster repair` puts it back. Never rejects. */
  async #keepAside(packs: readonly StoredPack[]): Promise<void> {
    const side = new SideConnection(this.#options.address);
    try {
      const kept = await keepLostPacks(side, this.#options.name, packs);
      if (kept > 0)
        this.#options.warn(
          `${kept} packs that the log does not have any more are kept beside it: see "bourse cluster repair"`,
        );
    } catch (error) {
      this.#options.warn('the packs that the log does not have any more could not be kept', error as Error);
    } finally {
      await side.close();
    }
  }

  /** A node that was away for longer than packs are kept cannot follow any more. */
  async #haltIfForgotten(): Promise<void> {
    const [row] = await this.#side.query('SELECT min(no) AS first FROM bourse_cluster.pack');
    const { no } = this.log.position;
    if (row?.first !== null && Number(row?.first) > no + 1)
      this.sequencer.fail(
        new Error(`the packs after ${no} are deleted: this node was away for too long. Start it again`),
      );
  }

  #compareStates(): void {
    const { disagreement: before } = this.#states;
    const wrong = this.#states.byRows(this.#others(), (no) => this.log.digestAfter(no));
    if (wrong !== undefined) this.sequencer.fail(wrong);
    const { disagreement } = this.#states;
    if (disagreement !== undefined && disagreement !== before) this.#options.warn(disagreement);
  }

  #others(): readonly Member[] {
    return this.#membership.view.members.filter(({ name }) => name !== this.#options.name);
  }
}

function check(name: string, ok: boolean, detail: string | undefined): Check {
  return ok || detail === undefined ? { name, ok } : { name, ok, detail };
}

/** A newer program has written it: whatever this one made of it would be something else. */
function refuseUnknown(payload: Uint8Array): void {
  if (payload[0] !== SET_EDITION) return;
  const command = decodeCommand(payload);
  if (command.type === 'setEdition' && command.edition > NEWEST_EDITION)
    throw new Error(
      `the cluster enters edition ${command.edition} of the rule book, and this program knows up to ${NEWEST_EDITION}: start the newer program`,
    );
}
