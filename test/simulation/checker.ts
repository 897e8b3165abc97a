/**
 * Stands outside the venue and remembers what it was told: every command it saw sequenced, every answer, every read
 * and every published event. After each recovery it holds the venue to its word (reliability 2.0): nothing that
 * was shown is gone, and everything is what a plain exchange makes of the same commands.
 */
import assert from 'node:assert/strict';
import { decodeCommand, encodeCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { balances, openOrders } from '../../src/core/reads/reads.ts';
import type { State } from '../../src/core/state/state.ts';
import type { ProjectedCommand } from '../../src/history/history.ts';
import type { LoggedRecord } from '../../src/journal/command-journal.ts';
import type { Published } from '../../src/sequencer/sequencer.ts';
import { stateHash } from '../../src/sequencer/state-hash.ts';
import { NaiveLedger } from '../property/naive-ledger.ts';
import { fingerprint } from './fingerprint.ts';
import { UIDS } from './workload.ts';

const READ_LIMIT = 100;

interface Sent {
  readonly payload: Uint8Array;
  /** Present once the client has it. */
  outcome?: CommandResult;
}

interface Shown {
  readonly seq: number;
  readonly text: string;
}

/** What one account can see of itself. */
export function accountView(state: State, uid: number): string {
  return fingerprint([openOrders(state, { uid, limit: READ_LIMIT }), balances(state, uid)]);
}

/** A transfer between accounts is money that leaves one and comes to the other. */
function inPlainTerms(command: Command): Command[] {
  if (command.type !== 'transfer') return [command];
  const { time, fromUid, toUid, coin, amount } = command;
  return [
    { type: 'withdraw', time, uid: fromUid, coin, amount, reference: '' },
    { type: 'deposit', time, uid: toUid, coin, amount, reference: '' },
  ];
}

export class Checker {
  readonly sent: Sent[] = [];
  /** Nothing up to here may disappear: somebody outside has seen it. */
  shownSeq = 0;
  acknowledged = 0;
  #reference = new Exchange();
  #referenceSeq = 0;
  #ledger = new NaiveLedger();
  #eventsOf: string[] = [];
  #reads: (Shown & { readonly uid: number })[] = [];
  #published: Shown[] = [];
  #acknowledgedSeq = 0;
  #historyChecked = 0;
  #time = 0;
  /** Trouble met where nobody can throw, such as in a promise. */
  readonly #failures: Error[] = [];

  // --- what the outside sees ---

  sequenced(seq: number, command: Command): void {
    this.#attempt(() => {
      assert.equal(seq, this.sent.length + 1, 'commands are sequenced without gaps');
      assert.ok(command.time >= this.#time, `time went back from ${this.#time} to ${command.time}`);
    });
    this.#time = command.time;
    this.sent.push({ payload: encodeCommand(command).slice() });
  }

  /** `projectedSeq` says how much the history had been given when the answer left. */
  answered(seq: number, outcome: CommandResult, projectedSeq: number): void {
    this.#attempt(() => {
      assert.ok(seq > this.#acknowledgedSeq, 'answers leave in the order of the commands');
      assert.ok(projectedSeq >= seq, `command ${seq} was answered when history ended at ${projectedSeq}`);
    });
    this.#acknowledgedSeq = seq;
    this.sent[seq - 1]!.outcome = outcome;
    this.acknowledged += 1;
    this.#shown(seq);
  }

  read(seq: number, uid: number, text: string): void {
    this.#reads.push({ seq, uid, text });
    this.#shown(seq);
  }

  published({ seq, events }: Published): void {
    this.#attempt(() => {
      assert.ok(
        seq > (this.#published.at(-1)?.seq ?? this.#referenceSeq),
        `command ${seq} was published twice`,
      );
    });
    this.#published.push({ seq, text: fingerprint(events) });
    this.#shown(seq);
  }

  failed(error: unknown): void {
    this.#failures.push(error as Error);
  }

  /** Throws the first trouble met so far. */
  raise(): void {
    if (this.#failures[0] !== undefined) throw this.#failures[0];
  }

  // --- what it demands ---

  /** A log was opened: before anything else, does it hold everything that was shown? */
  found(lastSeq: number): void {
    assert.ok(
      lastSeq >= this.shownSeq,
      `LOST: command ${this.shownSeq} was shown, the log ends at ${lastSeq}`,
    );
    assert.ok(
      lastSeq <= this.sent.length,
      `the log holds ${lastSeq} commands, ${this.sent.length} were sent`,
    );
  }

  /** The records as they come, each compared with what was sent. */
  *watch(records: Iterable<LoggedRecord>, afterSeq: number, lastSeq: number): Generator<LoggedRecord> {
    let seq = afterSeq;
    for (const record of records) {
      seq += 1;
      assert.equal(record.seq, seq, 'records are in order');
      const { payload } = this.sent[seq - 1]!;
      assert.ok(Buffer.compare(record.payload, payload) === 0, `CHANGED: record ${seq} is not what was sent`);
      yield record;
    }
    assert.equal(seq, lastSeq, 'the records end where the report says');
  }

  /** What a start finds is from now on what has happened; the rest never was. */
  recoveredTo(lastSeq: number): void {
    this.sent.length = lastSeq;
    this.shownSeq = lastSeq;
    this.#advance(lastSeq);
  }

  recovered(lastSeq: number, state: State, stored: readonly ProjectedCommand[]): void {
    this.recoveredTo(lastSeq);
    const historySeq = stored.at(-1)?.seq ?? 0;
    assert.ok(historySeq <= lastSeq, `history holds command ${historySeq}, the log ends at ${lastSeq}`);
    this.audit(lastSeq, state, stored);
    this.#time = state.now;
  }

  /** Compares a state with the reference, and itself; and the history with the events of the reference. */
  audit(seq: number, state: State, stored: readonly ProjectedCommand[]): void {
    this.#advance(seq);
    this.#compareHistory(stored);
    this.compareState(state);
  }

  compareState(state: State): void {
    checkInvariants(state);
    this.#ledger.compare(
      state,
      UIDS.filter((uid) => state.accountByUid.has(uid)),
    );
    assert.equal(
      stateHash(state),
      stateHash(this.#reference.state),
      'HASH: the state differs from the reference',
    );
  }

  #advance(seq: number): void {
    this.#compareReads();
    while (this.#referenceSeq < seq) this.#step();
    assert.equal(this.#reads.length, 0, 'a read was made of a state that never was');
  }

  #step(): void {
    const seq = this.#referenceSeq + 1;
    const { payload, outcome: answer } = this.sent[seq - 1]!;
    const command = decodeCommand(payload);
    const outcome = this.#reference.apply(command);
    const events = this.#reference.takeEvents();
    const text = fingerprint(events);
    this.#referenceSeq = seq;
    for (const plain of inPlainTerms(command)) this.#ledger.observe(plain, outcome, events);
    this.#eventsOf.push(text);
    if (answer !== undefined) assert.deepEqual(answer, outcome, `the answer to command ${seq} differs`);
    if (this.#published[0]?.seq === seq) {
      assert.equal(this.#published.shift()!.text, text, `events of command ${seq} differ`);
    } else {
      assert.ok(answer === undefined || events.length === 0, `command ${seq} was answered, never published`);
    }
    this.#compareReads();
  }

  #compareReads(): void {
    while (this.#reads[0] !== undefined && this.#reads[0].seq <= this.#referenceSeq) {
      const { seq, uid, text } = this.#reads.shift()!;
      assert.equal(seq, this.#referenceSeq, `a read of ${seq} was answered late`);
      assert.equal(
        text,
        accountView(this.#reference.state, uid),
        `READ: after command ${seq}, account ${uid}`,
      );
    }
  }

  /** Each command once, in order, with its own events; what was compared before is not compared again. */
  #compareHistory(stored: readonly ProjectedCommand[]): void {
    assert.ok(stored.length >= this.#historyChecked, 'confirmed history disappeared');
    while (this.#historyChecked < Math.min(stored.length, this.#referenceSeq)) {
      const { seq, events } = stored[this.#historyChecked]!;
      this.#historyChecked += 1;
      assert.equal(seq, this.#historyChecked, 'history has a gap or a repetition');
      assert.equal(fingerprint(events), this.#eventsOf[seq - 1], `history of command ${seq} differs`);
    }
  }

  #shown(seq: number): void {
    this.shownSeq = Math.max(this.shownSeq, seq);
  }

  #attempt(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.failed(error);
    }
  }
}
