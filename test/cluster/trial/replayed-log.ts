/**
 * The log of a cluster, read again by the rules of the log alone and applied to the real core: what every command came to, and
 * what a read at any number should have shown.
 */
import type { StoredPack } from '../../../src/cluster/engine.ts';
import { chainOf, decodePack, FIRST_CHAIN } from '../../../src/cluster/pack.ts';
import { decodeCommand } from '../../../src/core/codec/command-codec.ts';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { CommandResult } from '../../../src/core/model/command-result.ts';
import { formatOrderId } from '../../../src/core/model/order-id.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import { stateHash } from '../../../src/sequencer/state-hash.ts';
import type { Call } from './notes.ts';
import { shownBy } from './shown.ts';

/** How far the engine's clock may be ahead of the sender's and still count (cluster 6.4). */
const CLOCK_LEAD_MAX_MS = 5_000;

/** A command of a client that was executed, accepted or not. */
export interface Executed {
  readonly seq: number;
  /** When its pack got its place, by the engine's clock. */
  readonly at: number;
  readonly accepted: boolean;
  readonly orderId: string;
}

export class ReplayedLog {
  readonly exchange = new Exchange();
  readonly findings: string[] = [];
  /** By client id; more than one is a finding of whoever looks. */
  readonly placed = new Map<string, Executed[]>();
  /** By the printed id of the order. */
  readonly cancelled = new Map<string, Executed[]>();
  /** What reads should have shown, by their ids. */
  readonly shown = new Map<string, unknown>();
  /** Of the state after the commands that were asked for. */
  readonly hashes = new Map<number, string>();
  lastSeq = 0;
  lastNo = 0;
  voided = 0;
  readonly #digests: number[] = [this.exchange.state.digest.value];
  readonly #reads: Map<number, Call[]>;
  readonly #hashesAt: ReadonlySet<number>;
  #chain = FIRST_CHAIN;
  #time = 0;
  #at = 0;

  /** The reads are those that a node answered; each is asked again at its number. */
  constructor(packs: Iterable<StoredPack>, reads: readonly Call[], hashesAt: readonly number[] = []) {
    this.#hashesAt = new Set(hashesAt);
    this.#reads = Map.groupBy(reads, ({ seq }) => seq ?? -1);
    for (const pack of packs) this.#take(pack);
  }

  /** After a pack. */
  digestAfter(no: number): number | undefined {
    return this.#digests[no];
  }

  #take(pack: StoredPack): void {
    const { no, firstSeq, at, run, asOf } = pack;
    if (no !== this.lastNo + 1) this.findings.push(`GAP: pack ${no} follows pack ${this.lastNo}`);
    if (firstSeq !== this.lastSeq + 1)
      this.findings.push(`GAP: pack ${no} begins with command ${firstSeq}, not ${this.lastSeq + 1}`);
    if (at < this.#at) this.findings.push(`TIME: pack ${no} is older than the one before it`);
    this.#chain = chainOf(this.#chain, pack.body);
    if (Buffer.compare(this.#chain, pack.chain) !== 0)
      this.findings.push(`CHAIN: pack ${no} does not follow the packs before it`);
    if (this.#digests[asOf] !== pack.digest)
      this.findings.push(`DIGEST: run ${run} had another state after pack ${asOf}, it says in pack ${no}`);
    this.lastNo = no;
    this.lastSeq = firstSeq - 1;
    this.#at = at;
    this.#time = Math.max(this.#time, Math.min(at, pack.stamp + CLOCK_LEAD_MAX_MS));
    this.#execute(pack);
    this.#digests[no] = this.exchange.state.digest.value;
  }

  #execute({ no, at, deadline, commands, body }: StoredPack): void {
    const isVoid = at > deadline;
    if (isVoid) this.voided++;
    const payloads = decodePack(body);
    if (payloads.length !== commands)
      this.findings.push(`GAP: pack ${no} has ${payloads.length} commands, not ${commands}`);
    for (const payload of payloads) {
      this.lastSeq++;
      if (!isVoid) this.#apply({ ...decodeCommand(payload), time: this.#time }, at);
      for (const read of this.#reads.get(this.lastSeq) ?? []) this.shown.set(read.id, shownBy(this, read));
      if (this.#hashesAt.has(this.lastSeq)) this.hashes.set(this.lastSeq, stateHash(this.exchange.state));
    }
  }

  #apply(command: Command, at: number): void {
    const seq = this.lastSeq;
    const result = this.exchange.apply(command, seq);
    this.exchange.takeEvents();
    if (command.type === 'placeOrder') add(this.placed, command.clientOid, executed(seq, at, result));
    else if (command.type === 'cancelOrder') {
      const done = executed(seq, at, result);
      add(this.cancelled, command.orderId === 0 ? done.orderId : formatOrderId(command.orderId), done);
    }
  }
}

function executed(seq: number, at: number, { rejectReason, orderId }: CommandResult): Executed {
  return { seq, at, accepted: rejectReason === RejectReason.none, orderId: formatOrderId(orderId) };
}

function add(all: Map<string, Executed[]>, key: string, one: Executed): void {
  const known = all.get(key);
  if (known === undefined) all.set(key, [one]);
  else known.push(one);
}
