/**
 * Random futures commands with price jumps and thin books: after every command all invariants hold, nobody is left due
 * (I35), refusals change nothing, the auditor is content; liquidations, insurance payments and deleveraging happen by the hundred; a replay and
 * a snapshot from the middle come to the same bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/core/command.ts';
import { decodeCommand, encodeCommand } from '../../src/core/command-codec.ts';
import type { Event } from '../../src/core/event.ts';
import { Exchange } from '../../src/core/exchange.ts';
import { positionViews } from '../../src/core/futures/position-reads.ts';
import { checkInvariants } from '../../src/core/invariants.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { loadState, saveState } from '../../src/core/snapshot.ts';
import { OrderKind } from '../../src/core/terms.ts';
import { Auditor } from '../core/auditor.ts';
import { FuturesFlow, SET_UP, UIDS } from './futures-flow.ts';

const SEEDS = 24;
const COMMANDS = 700;
const SNAPSHOT_EVERY = 50;
/** A refusal is held against the state before it this often. */
const REFUSAL_EVERY = 4;
/** Where the digest stands in a snapshot: it counts refusals. */
const DIGEST_AT = 26;
const DIGEST_BYTES = 8;

class Count {
  readonly kinds = new Map<OrderKind, number>();
  insurancePayments = 0;
  fundings = 0;
  emptyMarkets = 0;

  see(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'fundingSettled' && event.rate !== 0n) this.fundings++;
      if (event.type === 'ledgerLine' && event.kind === 'liquidation' && event.amount > 0n)
        this.insurancePayments++;
      if (event.type !== 'fill') continue;
      const { kind } = event.fill.futures!;
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    }
  }

  of(kind: OrderKind): number {
    return this.kinds.get(kind) ?? 0;
  }
}

class Run {
  readonly exchange = new Exchange();
  readonly log: Uint8Array[] = [];
  private readonly auditor = new Auditor(this.exchange.state);
  private readonly count: Count;

  constructor(count: Count) {
    this.count = count;
    for (const command of SET_UP) this.apply(command);
  }

  /** The clock first, so that what time does is not the command's doing. */
  perform(command: Command): void {
    this.apply({ type: 'tick', time: command.time });
    const before = this.meaning();
    const outcome = this.apply(command);
    if (outcome.refusal === Refusal.none) return;
    assert.deepEqual(this.meaning(), before, `a refused ${command.type} changed the state`);
  }

  apply(original: Command): Outcome {
    const bytes = encodeCommand(original).slice();
    const command = decodeCommand(bytes);
    assert.deepEqual(command, original);
    this.log.push(bytes);
    const { exchange } = this;
    const outcome = exchange.apply(command);
    const events = exchange.takeEvents();
    this.count.see(events);
    checkInvariants(exchange.state);
    this.auditor.observe(command, outcome, events);
    for (const { futures } of exchange.state.markets) {
      if (futures === undefined || futures.openInterest !== 0 || futures.terms.coinMargined) continue;
      assert.equal(futures.clearing, 0n, 'I09: clearing without open interest');
      this.count.emptyMarkets++;
    }
    if (this.log.length % SNAPSHOT_EVERY === 0) this.lookAround();
    return outcome;
  }

  private meaning(): Uint8Array {
    const bytes = saveState(this.exchange.state).slice();
    return bytes.fill(0, DIGEST_AT, DIGEST_AT + DIGEST_BYTES);
  }

  /** Reads answer in any state, and a snapshot survives loading. */
  private lookAround(): void {
    const { state } = this.exchange;
    for (const uid of UIDS) {
      for (const view of positionViews(state, uid)) {
        assert.ok(view.availableLots >= 0 && view.availableLots + view.frozenLots === view.totalLots, 'I26');
        assert.ok(view.liquidationTicks >= 0);
      }
    }
    const image = saveState(state).slice();
    assert.deepEqual(saveState(loadState(image)), image, 'I40: a snapshot does not survive loading');
  }
}

function replay(exchange: Exchange, log: readonly Uint8Array[]): Uint8Array {
  for (const bytes of log) {
    exchange.apply(decodeCommand(bytes));
    exchange.takeEvents();
  }
  return saveState(exchange.state).slice();
}

test('futures: whatever happens, nobody is left due, nothing is lost or created, replays agree', () => {
  const count = new Count();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = new Run(count);
    const flow = new FuturesFlow(seed, run.exchange.state);
    for (let n = 0; n < COMMANDS; n++) {
      try {
        const command = flow.next();
        if (n % REFUSAL_EVERY === 0) run.perform(command);
        else run.apply(command);
      } catch (error) {
        throw new Error(`seed ${seed}, command ${n}: ${(error as Error).message}`, { cause: error });
      }
    }
    const { log, exchange } = run;
    const end = saveState(exchange.state).slice();
    assert.deepEqual(replay(new Exchange(), log), end, 'I40: a replay differs');
    const cut = (seed * 97) % log.length;
    const first = replay(new Exchange(), log.slice(0, cut));
    const second = new Exchange(loadState(first));
    assert.deepEqual(replay(second, log.slice(cut)), end, `I40: a restart at ${cut} of seed ${seed} differs`);
  }
  const { insurancePayments, fundings, emptyMarkets } = count;
  assert.ok(count.of(OrderKind.liquidation) > 300, `${count.of(OrderKind.liquidation)} liquidations`);
  assert.ok(count.of(OrderKind.adl) > 120, `${count.of(OrderKind.adl)} deleveragings`);
  assert.ok(count.of(OrderKind.reduce) > 5, `${count.of(OrderKind.reduce)} reductions by tier`);
  assert.ok(insurancePayments > 30, `${insurancePayments} payments of the fund`);
  assert.ok(fundings > 100, `${fundings} fundings`);
  assert.ok(emptyMarkets > 0, 'no market was ever empty');
});
