/**
 * Random commands on a real exchange, each through the codec of the log. After every command all invariants hold, the
 * auditor is content and every balance is what the fills say; a refused command has changed nothing; and at the end a replay, and a snapshot
 * from the middle with the rest, come to the same bytes (domain.md 10.1).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Command } from '../../src/core/command.ts';
import { decodeCommand, encodeCommand } from '../../src/core/command-codec.ts';
import type { Event } from '../../src/core/event.ts';
import { Exchange } from '../../src/core/exchange.ts';
import { checkInvariants } from '../../src/core/invariants.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { loadState, saveState } from '../../src/core/snapshot.ts';
import { OrderStatus } from '../../src/core/terms.ts';
import { Auditor } from '../core/auditor.ts';
import { NaiveLedger } from './naive-ledger.ts';
import { type Intent, intents, type Named, SET_UP, toCommand, UIDS } from './random-commands.ts';
import { OPENING_TIME } from './venue.ts';

const RUNS = 150;
const COMMANDS_MAX = 440;
const CLOSED_NAMED = 4;

/** Where the digest stands in a snapshot: it counts refusals, so a refused command changes it and nothing else. */
const DIGEST_AT = 26;
const DIGEST_BYTES = 8;

/** One exchange, its log as bytes, and what watches it. */
class Run {
  readonly exchange = new Exchange();
  readonly log: Uint8Array[] = [];
  private readonly auditor = new Auditor(this.exchange.state);
  private readonly ledger = new NaiveLedger();
  /** Open orders, and the few that closed last. */
  private readonly open = new Map<number, Named>();
  private readonly closed: Named[] = [];
  private readonly withdrawals: { id: number; uid: number }[] = [];
  private time = OPENING_TIME;

  constructor() {
    for (const command of SET_UP) this.apply(command);
  }

  perform(intent: Intent): void {
    this.time += intent.waitMs;
    // The clock first: what time does (candles, countdowns) is not the command's doing.
    this.apply({ type: 'tick', time: this.time });
    const orders = [...this.open.values(), ...this.closed.slice(-CLOSED_NAMED)];
    const command = toCommand(intent, this.time, orders, this.withdrawals.slice(-CLOSED_NAMED));
    const before = meaning(this.exchange);
    const outcome = this.apply(command);
    if (isRefused(command, outcome))
      assert.deepEqual(meaning(this.exchange), before, 'a refusal changed the state');
  }

  private remember(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'walletRecord' && event.status === 'pending')
        this.withdrawals.push({ id: event.recordId, uid: event.uid });
      if (event.type !== 'order') continue;
      const { orderId, uid, clientOid, status } = event.order;
      this.open.set(orderId, { orderId, uid, clientOid });
      if (status !== OrderStatus.filled && status !== OrderStatus.cancelled) continue;
      this.closed.push(this.open.get(orderId)!);
      this.open.delete(orderId);
    }
  }

  private apply(original: Command): Outcome {
    const bytes = encodeCommand(original).slice();
    const command = decodeCommand(bytes);
    assert.deepEqual(command, original);
    this.log.push(bytes);
    const outcome = this.exchange.apply(command);
    const events = this.exchange.takeEvents();
    this.remember(events);
    this.auditor.observe(command, outcome, events);
    this.ledger.observe(command, outcome, events);
    checkInvariants(this.exchange.state);
    this.ledger.compare(this.exchange.state, UIDS);
    return outcome;
  }
}

function meaning(exchange: Exchange): Uint8Array {
  const bytes = saveState(exchange.state).slice();
  bytes.fill(0, DIGEST_AT, DIGEST_AT + DIGEST_BYTES);
  return bytes;
}

/** Nothing of it was carried out; an item with `autoCancel` that fails does something. */
function isRefused(command: Command, outcome: Outcome): boolean {
  if (outcome.refusal !== Refusal.none) return true;
  if (command.type !== 'amendOrders') return false;
  return outcome.items!.every((item, n) => item.refusal !== Refusal.none && !command.items[n]!.autoCancel);
}

function replay(exchange: Exchange, log: readonly Uint8Array[]): Uint8Array {
  for (const bytes of log) {
    exchange.apply(decodeCommand(bytes));
    exchange.takeEvents();
  }
  return saveState(exchange.state).slice();
}

test('whatever the commands: invariants hold, money adds up, refusals change nothing, replays agree', () => {
  let commands = 0;
  fc.assert(
    fc.property(intents(COMMANDS_MAX), fc.nat(), (flow, cut) => {
      const run = new Run();
      for (const intent of flow) run.perform(intent);
      commands += flow.length;

      const { log, exchange } = run;
      const end = saveState(exchange.state).slice();
      assert.deepEqual(replay(new Exchange(), log), end, 'I40: a replay of the log differs');

      const middle = cut % log.length;
      const first = new Exchange();
      const snapshot = replay(first, log.slice(0, middle));
      const second = new Exchange(loadState(snapshot));
      assert.deepEqual(saveState(second.state), snapshot, 'I40: a snapshot does not survive loading');
      assert.deepEqual(
        replay(second, log.slice(middle)),
        end,
        'I40: snapshot and rest differ from the replay',
      );
    }),
    { numRuns: RUNS },
  );
  assert.ok(commands >= 20_000, `only ${commands} commands`);
});
