/**
 * An exchange under random commands: each goes through the log's bytes, and after each all invariants are checked and
 * the auditor and the test's own model look at what happened. Refusals change nothing; replays agree.
 */
import assert from 'node:assert/strict';
import { decodeCommand, decodeNextCommand, stampCommand } from '../../src/core/codec/command-codec.ts';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import type { Event } from '../../src/core/model/event.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { StateWriter } from '../../src/core/snapshot/fields.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { stateFields } from '../../src/core/snapshot/state-fields.ts';
import type { State } from '../../src/core/state/state.ts';
import { Auditor } from '../core/oracle/auditor.ts';

/** Where the digest stands in a snapshot: it counts refusals, so a refused command changes it and nothing else. */
const DIGEST_AT = 26;
const DIGEST_BYTES = 8;

/** What the test itself makes of a command and its events. */
type Reader = (command: Command, outcome: CommandResult, events: readonly Event[]) => void;

interface Flow {
  next(): Command;
}

export class AuditedRun {
  readonly exchange: Exchange;
  /** Every command so far, as bytes. */
  readonly log: Uint8Array[] = [];
  private readonly auditor: Auditor;
  private readonly look: Reader;
  private readonly prepare: (state: State) => void;

  /** `prepare` is done to every exchange that runs or replays the commands. */
  constructor(
    setUp: readonly Command[],
    lookAt: (exchange: Exchange) => Reader,
    prepare: (state: State) => void = () => {},
  ) {
    this.prepare = prepare;
    this.exchange = this.open();
    this.auditor = new Auditor(this.exchange.state);
    this.look = lookAt(this.exchange);
    for (const command of setUp) this.apply(command);
  }

  /** So many commands of a flow; a refusal is held against the state before it every so often. */
  follow(flow: Flow, { seed, commands, refusalEvery }: Following): void {
    for (let n = 0; n < commands; n++) {
      try {
        const command = flow.next();
        if (n % refusalEvery === 0) this.perform(command);
        else this.apply(command);
      } catch (error) {
        throw new Error(`seed ${seed}, command ${n}: ${(error as Error).message}`, { cause: error });
      }
    }
  }

  /** The clock first, so that what time does is not the command's doing. */
  perform(command: Command, isRefused = (outcome: CommandResult) => refusedWholly(command, outcome)): void {
    this.apply({ type: 'tick', time: command.time });
    const before = meaningOf(this.exchange.state);
    if (!isRefused(this.apply(command))) return;
    assert.deepEqual(meaningOf(this.exchange.state), before, `a refused ${command.type} changed the state`);
  }

  apply(original: Command): CommandResult {
    const stamped = stampCommand(original, original.time);
    const bytes = stamped.bytes.slice();
    const command = decodeCommand(bytes);
    assert.deepEqual(command, stamped.command);
    assert.partialDeepStrictEqual(command, original);
    this.log.push(bytes);
    const outcome = this.exchange.apply(command);
    const events = this.exchange.takeEvents();
    checkInvariants(this.exchange.state);
    this.auditor.observe(command, outcome, events);
    this.look(command, outcome, events);
    return outcome;
  }

  private open(state?: State): Exchange {
    const exchange = new Exchange(state);
    this.prepare(exchange.state);
    return exchange;
  }

  /** I40: the log from the start, and a snapshot from its middle with the rest, come to the same bytes. */
  assertReplaysAgree(middle: number): void {
    const end = saveState(this.exchange.state).slice();
    const cut = middle % this.log.length;
    const first = this.open();
    const snapshot = replay(first, this.log.slice(0, cut));
    assert.deepEqual(replay(first, this.log.slice(cut)), end, 'I40: a replay of the log differs');
    const second = this.open(loadState(snapshot));
    assert.deepEqual(
      saveState(second.state),
      snapshot,
      `I40: the snapshot at ${cut} does not survive loading`,
    );
    assert.deepEqual(replay(second, this.log.slice(cut)), end, `I40: a restart at ${cut} differs`);
    const { state } = withoutOpenWork(end);
    const rows = loadState(inRows(state));
    assert.deepEqual(
      saveState(rows),
      saveState(state),
      'I40: a snapshot with one order after the other differs',
    );
  }
}

/** The parts of a move are refused one by one. */
function refusedWholly({ type }: Command, { rejectReason, items = [] }: CommandResult): boolean {
  if (type !== 'movePositions' || rejectReason !== RejectReason.none)
    return rejectReason !== RejectReason.none;
  return items.every((item) => item.rejectReason !== RejectReason.none);
}

/** Some of it has no place in formats before the present one. */
function withoutOpenWork(snapshot: Uint8Array): Exchange {
  const exchange = new Exchange(loadState(snapshot));
  while (exchange.hasOpenWork) exchange.apply({ type: 'tick', time: exchange.state.now });
  return exchange;
}

/** As the last format without columns of orders has it. */
function inRows(state: State): Uint8Array {
  const w = new StateWriter(7);
  w.u16(7);
  stateFields(w, state);
  return w.written();
}

/** The state as bytes, all but the digest. */
export function meaningOf(state: State): Uint8Array {
  const bytes = saveState(state).slice();
  return bytes.fill(0, DIGEST_AT, DIGEST_AT + DIGEST_BYTES);
}

interface Following {
  readonly seed: number;
  readonly commands: number;
  readonly refusalEvery: number;
}

function replay(exchange: Exchange, log: readonly Uint8Array[]): Uint8Array {
  for (const bytes of log) {
    exchange.apply(decodeNextCommand(bytes));
    exchange.takeEvents();
  }
  return saveState(exchange.state).slice();
}
