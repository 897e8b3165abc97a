/** Three nodes on simulated servers, with clients that write down what they were told, and a checker that knows only the log. */

import type { PackEngine } from '../../src/cluster/engine.ts';
import { EngineTime } from '../../src/cluster/engine-time.ts';
import { decodePack, FIRST_CHAIN } from '../../src/cluster/pack.ts';
import { DEADLINE_MS, SharedLog } from '../../src/cluster/shared-log.ts';
import { decodeCommand, encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { Side } from '../../src/core/model/enums.ts';
import type { Clock } from '../../src/sequencer/clock.ts';
import { OutcomeUnknown, Sequencer } from '../../src/sequencer/sequencer.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { noHistory } from '../harness/memory-journal.ts';
import { account, coin, deposit, order, spotPair } from '../property/venue.ts';
import {
  type ConnectionFaults,
  type KeptPack,
  SimulatedCluster,
  SimulatedConnection,
} from './simulated-engine.ts';
import { VirtualTime } from './virtual-time.ts';

export interface PlantedBug {
  /** Between a node and its connection. */
  readonly engine?: (engine: PackEngine) => PackEngine;
  readonly faults?: Partial<ConnectionFaults>;
}

/** What a client wrote down. */
interface Told {
  readonly clientOid: string;
  readonly sentMs: number;
  answeredMs: number | undefined;
  outcome: 'open' | 'acknowledged' | 'not executed' | 'unknown';
  result: CommandResult | undefined;
  reason: string;
  readonly node: Node;
  /** When nothing was wrong between its node and the servers, whatever happened to other nodes. */
  answerDueMs: number;
}

const OPENING = [
  coin('AAA'),
  coin('BBB'),
  spotPair('AAA', 'BBB'),
  ...[1, 2, 3].flatMap((uid) => [account(uid), deposit(uid, 0, 10n ** 15n), deposit(uid, 1, 10n ** 15n)]),
];
const NODES = 3;
/** For an order while its node and the servers are well. */
const WELL_MS = 2_000;
/** After a fault has ended; what had gathered meanwhile is worked off. */
const RECOVERY_MS = 3_000;
/** An order after everything is healed is answered within this time. */
const HEALED_MS = 5_000;

export function dice(seed: number): (most: number) => number {
  let state = seed | 0;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * most);
  };
}

class Node {
  readonly exchange = new Exchange();
  readonly sequencer: Sequencer;
  readonly log: SharedLog;
  readonly connection: SimulatedConnection;
  failure: Error | undefined;
  wellFromMs = 0;
  /** With which it believes to have the duty. */
  epoch = 0;
  #stopped: { readonly ended: Promise<void>; readonly end: () => void } | undefined;

  constructor(world: SimulatedCluster, run: number, skewMs: number, bug: PlantedBug) {
    const { time } = world;
    const isStopped = () => this.#stopped?.ended;
    this.connection = new SimulatedConnection(world, { isStopped, ...bug.faults });
    const wallMs = () => time.now + skewMs;
    const clock: Clock = { now: () => Math.floor(wallMs()) };
    this.log = new SharedLog({
      engine: bug.engine?.(this.connection) ?? this.connection,
      run,
      begin: { no: 0, nextSeq: 1, chain: FIRST_CHAIN, time: 0 },
      engineTime: new EngineTime({ monotonicMs: () => time.now, wallMs }, time.now),
      wallMs: () => clock.now(),
      timers: {
        after: (ms, act) =>
          time.after(ms, () => {
            void Promise.resolve(isStopped()).then(act);
          }),
      },
      digest: () => this.exchange.state.digest.value,
      onDisagreement: (other, no) => {
        this.failure ??= new Error(`run ${other} had another state after pack ${no}`);
      },
    });
    this.sequencer = new Sequencer(this.exchange, this.log, noHistory(), clock, 0);
    this.sequencer.onFailed((error) => {
      this.failure ??= error;
    });
  }

  stop(): void {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#stopped ??= { ended, end };
  }

  goOn(): void {
    this.#stopped?.end();
    this.#stopped = undefined;
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }
}

export interface Statistics {
  acknowledged: number;
  notExecuted: number;
  unknown: number;
  packs: number;
  voided: number;
  faults: number;
}

export class Simulation {
  readonly #time = new VirtualTime();
  readonly #chance: (most: number) => number;
  readonly #world: SimulatedCluster;
  readonly #bug: PlantedBug;
  readonly #told: Told[] = [];
  #nodes: Node[] = [];
  #run = 0;
  #faults = 0;
  #wellFromMs = 0;

  constructor(seed: number, bug: PlantedBug = {}) {
    this.#chance = dice(seed);
    this.#world = new SimulatedCluster(this.#time, this.#chance);
    this.#bug = bug;
  }

  /** Throws what the checker finds. */
  async run(steps = 100): Promise<Statistics> {
    this.#nodes = Array.from({ length: NODES }, () => this.#newNode());
    const opened = OPENING.map((command) => this.#nodes[0]!.sequencer.submit(command));
    await this.#time.run(200);
    await Promise.all(opened);
    for (let step = 0; step < steps; step++) {
      for (let n = this.#chance(3); n > 0; n--) this.#order();
      for (const node of this.#nodes) this.#act(node);
      if (this.#chance(10) === 0) this.#takeDuty(this.#nodes[this.#chance(NODES)]!);
      if (this.#chance(8) === 0) this.#fault();
      await this.#time.run(10 + this.#chance(150));
    }
    await this.#heal();
    return this.#check();
  }

  #newNode(): Node {
    const node = new Node(this.#world, ++this.#run, this.#chance(2_001) - 1_000, this.#bug);
    this.#tick(node);
    return node;
  }

  #tick(node: Node): void {
    this.#time.after(1_000 + this.#chance(50), () => {
      if (node.failure !== undefined) return;
      if (!node.isStopped) node.sequencer.submit({ type: 'tick' }).catch(() => {});
      this.#tick(node);
    });
  }

  #order(node = this.#nodes[this.#chance(NODES)]!): Told {
    const told: Told = {
      clientOid: `o${this.#told.length}`,
      sentMs: this.#time.now,
      answeredMs: undefined,
      outcome: 'open',
      result: undefined,
      reason: '',
      node,
      answerDueMs:
        this.#time.now < Math.max(this.#wellFromMs, node.wellFromMs) ? Infinity : this.#time.now + WELL_MS,
    };
    this.#told.push(told);
    const submitted = node.sequencer.submit(
      order({
        uid: 1 + this.#chance(3),
        side: this.#chance(2) === 0 ? Side.buy : Side.sell,
        priceTicks: 98 + this.#chance(5),
        sizeLots: 1 + this.#chance(9),
        clientOid: told.clientOid,
      }),
    );
    const answered = (outcome: Told['outcome'], result?: CommandResult) => {
      told.answeredMs = this.#time.now;
      told.outcome = outcome;
      told.result = result;
    };
    submitted.then(
      (result) => answered('acknowledged', result),
      (error: Error) => {
        told.reason = error.message;
        answered(error instanceof OutcomeUnknown ? 'unknown' : 'not executed');
      },
    );
    return told;
  }

  /** What the holder of the duty sends: marks whose number may only grow. A former holder does not know that it is one. */
  #act(node: Node): void {
    if (node.epoch === 0 || node.failure !== undefined) return;
    const { epoch } = node;
    const mark = encodeCommand({ type: 'identityMark', time: 0, store: 'duty', changes: epoch });
    node.log.propose([mark], 0, { name: 'market', epoch });
  }

  #takeDuty(node: Node): void {
    node.epoch = ++this.#world.epoch;
  }

  #fault(): void {
    this.#faults++;
    const n = this.#chance(NODES);
    const node = this.#nodes[n]!;
    const world = this.#world;
    const kinds = [
      () => {
        this.#impair(0, node);
        node.connection.cut();
      },
      () => this.#replace(n),
      () => {
        const ms = 500 + this.#chance(6_000);
        this.#impair(ms, node);
        node.stop();
        this.#time.after(ms, () => node.goOn());
      },
      () => {
        const ms = 500 + this.#chance(6_000);
        this.#impair(ms, node);
        node.connection.isCutOff = true;
        node.connection.cut();
        this.#time.after(ms, () => {
          node.connection.isCutOff = false;
        });
      },
      () => {
        this.#impair(0);
        world.restart();
      },
      () => {
        this.#impair(0);
        world.promote();
      },
      () => {
        const ms = 200 + this.#chance(5_000);
        this.#impair(ms);
        world.standbyRuns = false;
        this.#time.after(ms, () => {
          world.standbyRuns = true;
        });
      },
      // The primary is alone for a while, restarts and is lost: what it showed is gone.
      () => {
        this.#impair(230);
        world.standbyRuns = false;
        this.#time.after(30, () => world.restart());
        this.#time.after(30 + this.#chance(200), () => world.promote());
      },
    ];
    kinds[this.#chance(kinds.length)]!();
  }

  /** Of one node, or of the servers. */
  #impair(ms: number, node?: Node): void {
    const wellFromMs = this.#time.now + ms + RECOVERY_MS;
    if (node === undefined) this.#wellFromMs = Math.max(this.#wellFromMs, wellFromMs);
    else node.wellFromMs = Math.max(node.wellFromMs, wellFromMs);
    for (const told of this.#told)
      if (told.answeredMs === undefined && (node === undefined || told.node === node))
        told.answerDueMs = Infinity;
  }

  /** Killed; another start of it begins with nothing. */
  #replace(n: number): void {
    const old = this.#nodes[n]!;
    old.goOn();
    void old.log.close();
    old.sequencer.fail(new Error('killed'));
    this.#nodes[n] = this.#newNode();
    this.#impair(0, this.#nodes[n]);
  }

  async #heal(): Promise<void> {
    for (const node of this.#nodes) {
      node.goOn();
      node.connection.isCutOff = false;
    }
    this.#world.standbyRuns = true;
    await this.#time.run(8_000);
    const last = this.#nodes.map((node) => this.#order(node));
    await this.#time.run(HEALED_MS);
    for (const { outcome, reason } of last)
      if (outcome !== 'acknowledged')
        throw new Error(
          `STUCK: an order after everything was healed is ${outcome}: ${reason}${this.#failures()}`,
        );
    // The last pack is confirmed to all.
    await this.#time.run(3_000);
  }

  #failures(): string {
    return this.#nodes.map(({ failure }) => (failure === undefined ? '' : `; ${failure.message}`)).join('');
  }

  #check(): Statistics {
    const { packs } = this.#world.primary;
    const replayed = new Replay(packs);
    for (const told of this.#told) replayed.check(told);
    this.#checkOrder(replayed);
    const hash = stateHash(replayed.exchange.state);
    for (const { failure, exchange, log } of this.#nodes) {
      if (failure !== undefined) throw new Error(`HALTED: ${failure.message}`);
      const { no } = log.position;
      if (no < packs.length - NODES) throw new Error(`BEHIND: a node is at ${no} of ${packs.length}`);
      const differs =
        exchange.state.digest.value !== replayed.digests[no] ||
        (no === packs.length && stateHash(exchange.state) !== hash);
      if (differs) throw new Error('HASH: a node differs from the replay of the log');
    }
    const count = (outcome: Told['outcome']) => this.#told.filter((told) => told.outcome === outcome).length;
    return {
      acknowledged: count('acknowledged'),
      notExecuted: count('not executed'),
      unknown: count('unknown') + count('open'),
      packs: packs.length,
      voided: packs.filter(({ at, deadline }) => at > deadline).length,
      faults: this.#faults,
    };
  }

  /** What was answered before another was sent stands before it. */
  #checkOrder(replayed: Replay): void {
    const answered = this.#told
      .filter(({ outcome }) => outcome === 'acknowledged')
      .map(({ clientOid, sentMs, answeredMs }) => ({
        sentMs,
        answeredMs: answeredMs!,
        seq: replayed.seqOf(clientOid),
      }));
    for (const one of answered)
      for (const other of answered)
        if (one.answeredMs < other.sentMs && one.seq > other.seq)
          throw new Error(`ORDER: command ${other.seq} was sent after ${one.seq} was answered`);
  }
}

/** The log, read again by the rules of the log alone. */
class Replay {
  readonly exchange = new Exchange();
  readonly #results = new Map<
    string,
    { readonly seq: number; readonly result: CommandResult; readonly at: number }
  >();
  /** After each pack. */
  readonly digests: number[] = [this.exchange.state.digest.value];
  #epoch = 0;

  constructor(packs: readonly KeptPack[]) {
    let [seq, time] = [1, 0];
    for (const pack of packs) {
      if (pack.firstSeq !== seq)
        throw new Error(`GAP: pack ${pack.no} begins with ${pack.firstSeq}, not ${seq}`);
      time = Math.max(time, Math.min(pack.at, pack.stamp + 5_000));
      const isVoid = pack.at > pack.deadline;
      for (const payload of decodePack(pack.body)) {
        if (!isVoid) this.#apply({ ...decodeCommand(payload), time }, seq, pack.at);
        seq++;
      }
      this.digests.push(this.exchange.state.digest.value);
    }
  }

  #apply(command: ReturnType<typeof decodeCommand>, seq: number, at: number): void {
    if (command.type === 'identityMark' && command.store === 'duty') {
      if (command.changes < this.#epoch) throw new Error('FENCE: a former holder of the duty was executed');
      this.#epoch = command.changes;
    }
    const result = this.exchange.apply(command, seq);
    this.exchange.takeEvents();
    if (command.type !== 'placeOrder') return;
    if (this.#results.has(command.clientOid)) throw new Error(`DOUBLED: ${command.clientOid}`);
    this.#results.set(command.clientOid, { seq, result, at });
  }

  seqOf(clientOid: string): number {
    return this.#results.get(clientOid)!.seq;
  }

  check({ clientOid, sentMs, answeredMs, answerDueMs, outcome, result }: Told): void {
    if ((answeredMs ?? Infinity) > answerDueMs)
      throw new Error(`WAITED: ${clientOid}, whose node and servers were well`);
    const executed = this.#results.get(clientOid);
    if (outcome === 'acknowledged' && executed === undefined)
      throw new Error(`LOST: ${clientOid} was acknowledged`);
    if (outcome === 'not executed' && executed !== undefined)
      throw new Error(`EXECUTED: ${clientOid}, which was refused`);
    if (executed === undefined) return;
    if (executed.at > sentMs + DEADLINE_MS + 1)
      throw new Error(`LATE: ${clientOid} was executed ${executed.at - sentMs} ms after it was sent`);
    if (
      outcome === 'acknowledged' &&
      JSON.stringify(plain(result!)) !== JSON.stringify(plain(executed.result))
    )
      throw new Error(`TOLD: ${clientOid} was told something else than the log says`);
  }
}

const plain = ({ rejectReason, orderId }: CommandResult) => ({ rejectReason, orderId });
