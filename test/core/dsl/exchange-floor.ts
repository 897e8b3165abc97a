/**
 * An exchange for scenarios. Each command goes through the log's bytes, and after each one the state and the events are
 * checked (`checkInvariants`, `Auditor`). At the end every scenario is played again without any of these looks, which
 * make kept figures exact, and must come to the same (I40).
 */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { decodeCommand, encodeCommand } from '../../../src/core/codec/command-codec.ts';
import { Exchange } from '../../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../../src/core/engine/invariants.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { CommandResult } from '../../../src/core/model/command-result.ts';
import type { CategoryName } from '../../../src/core/model/enums.ts';
import type { Event, OrderRecord } from '../../../src/core/model/event.ts';
import type { Instrument } from '../../../src/core/model/instrument.ts';
import type { CoinSpec, InstrumentSpec } from '../../../src/core/model/listing-spec.ts';
import { RejectReason } from '../../../src/core/model/reject-reason.ts';
import { loadState, saveState } from '../../../src/core/snapshot/snapshot.ts';
import { COINS, INSTRUMENTS } from '../listings.ts';
import { Auditor } from '../oracle/auditor.ts';
import { ScenarioPath } from './known-beginnings.ts';
import { refusalName } from './words.ts';

/** 2026-01-01 00:00:00 UTC. */
export const OPENING_BELL = 1_767_225_600_000;

/** A change that no command makes, for examples that begin in the middle. */
type Arrangement = (exchange: Exchange) => void;

/** Commands of many scenarios, side by side as in a journal: the reader makes a view of each buffer that it is given. */
let page = new Uint8Array(0);
let used = 0;

function kept(bytes: Uint8Array): Uint8Array {
  if (used + bytes.length > page.length) {
    page = new Uint8Array(Math.max(PAGE_BYTES, bytes.length));
    used = 0;
  }
  page.set(bytes, used);
  used += bytes.length;
  return page.subarray(used - bytes.length, used);
}

const PAGE_BYTES = 256 * 1024;

/** After the test that it is made in, or the file. The runner keeps the hooks of tests that are over: not the floor with them. */
function playUnseenAfter(floor: ExchangeFloor): void {
  let left: ExchangeFloor | undefined = floor;
  after(() => {
    left?.assertSameUnseen();
    left = undefined;
  });
}

export class ExchangeFloor {
  exchange = new Exchange();
  private auditor = new Auditor(this.exchange.state);
  now = OPENING_BELL;
  /** Every command so far, as bytes. */
  readonly log: Uint8Array[] = [];
  /** Everything that happened so far. */
  readonly events: Event[] = [];
  private readonly outcomes: CommandResult[] = [];
  /** By the number of commands before them. */
  private readonly arrangements = new Map<number, Arrangement[]>();
  /** Latest record of each order ever told of. */
  private readonly orders = new Map<number, OrderRecord>();
  private readonly path = new ScenarioPath();

  constructor(instruments: readonly InstrumentSpec[] = INSTRUMENTS, coins: readonly CoinSpec[] = COINS) {
    playUnseenAfter(this);
    this.state.verifiesFillChecks = true;
    for (const spec of coins) this.carryOut({ type: 'listCoin', time: this.now, spec });
    for (const spec of instruments) this.carryOut({ type: 'listInstrument', time: this.now, spec });
  }

  get state() {
    return this.exchange.state;
  }

  /** Lets time pass and the clock tick. */
  wait(ms: number): void {
    this.at(this.now + ms);
  }

  at(time: number): void {
    this.now = time;
    this.carryOut({ type: 'tick', time });
  }

  eventsOf<T extends Event['type']>(type: T): Extract<Event, { type: T }>[] {
    return this.events.filter((event) => event.type === type) as Extract<Event, { type: T }>[];
  }

  record(orderId: number): OrderRecord | undefined {
    return this.orders.get(orderId);
  }

  instrument(symbol = 'BTCUSDT', category: CategoryName = 'SPOT'): Instrument {
    const instrument = this.state.instrument(category, symbol);
    if (instrument === undefined) throw new Error(`${category} ${symbol} is not listed`);
    return instrument;
  }

  protected coin(name: string): number {
    const coin = this.state.coinByName.get(name);
    if (coin === undefined) throw new Error(`coin ${name} is not listed`);
    return coin;
  }

  send(command: Command): CommandResult {
    const bytes = kept(encodeCommand(command));
    this.log.push(bytes);
    const decoded = decodeCommand(bytes);
    const outcome = this.exchange.apply(decoded);
    this.outcomes.push(outcome);
    const events = this.exchange.takeEvents();
    this.events.push(...events);
    for (const event of events) if (event.type === 'order') this.orders.set(event.order.orderId, event.order);
    this.path.follow(bytes, this.state, () => checkInvariants(this.state));
    this.auditor.observe(decoded, outcome, events);
    return outcome;
  }

  arrange(change: Arrangement): void {
    const at = this.log.length;
    this.arrangements.set(at, [...(this.arrangements.get(at) ?? []), change]);
    this.path.leave();
    change(this.exchange);
  }

  /** The same commands on an exchange that nobody looks into. */
  assertSameUnseen(): void {
    const exchange = new Exchange();
    let told = 0;
    for (const [at, bytes] of this.log.entries()) {
      for (const change of this.arrangements.get(at) ?? []) change(exchange);
      const command = decodeCommand(bytes);
      const where = `command ${at} ${command.type}, unseen`;
      assert.deepEqual(exchange.apply(command), this.outcomes[at], where);
      const events = exchange.takeEvents();
      assert.deepEqual(events, this.events.slice(told, told + events.length), where);
      told += events.length;
    }
    assert.equal(told, this.events.length, 'the scenario played unseen tells less');
  }

  /** Stops and starts again from a snapshot; the floor goes on with the loaded state. */
  restart(): void {
    const state = loadState(Uint8Array.from(saveState(this.state)));
    this.exchange = new Exchange(state);
    state.verifiesFillChecks = true;
    this.auditor = new Auditor(state);
    this.path.leave();
    checkInvariants(state);
  }

  /** The state as canonical bytes. */
  image(): Uint8Array {
    return Uint8Array.from(saveState(this.state));
  }

  protected carryOut(command: Command): void {
    const outcome = this.send(command);
    if (outcome.rejectReason !== RejectReason.none) {
      throw new Error(`${command.type}: ${refusalName(outcome.rejectReason)} ${outcome.detail ?? ''}`);
    }
  }
}
