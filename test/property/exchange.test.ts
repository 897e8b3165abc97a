/**
 * Random commands on a real exchange, each through the codec of the log. After every command all invariants hold, the
 * auditor is content and every balance is what the fills say; a refused command has changed nothing; and at the end a
 * replay, and a snapshot from the middle with the rest, come to the same bytes (rules 10.1).
 */
import { test } from 'node:test';
import fc from 'fast-check';
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { OrderStatus } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { AuditedRun } from './audited-run.ts';
import { NaiveLedger } from './naive-ledger.ts';
import { type Intent, intents, type Named, SET_UP, toCommand, UIDS } from './random-commands.ts';
import { Seeds } from './seeds.ts';
import { OPENING_TIME } from './venue.ts';

const RUNS = new Seeds({ all: 150, few: 10 });
const COMMANDS_MAX = 440;
const CLOSED_NAMED = 4;

/** An exchange, and what somebody who trades there remembers: open orders, the few that closed last, withdrawals. */
class Run {
  readonly audited: AuditedRun;
  private readonly open = new Map<number, Named>();
  private readonly closed: Named[] = [];
  private readonly withdrawals: { id: number; uid: number }[] = [];
  private time = OPENING_TIME;

  constructor() {
    const ledger = new NaiveLedger();
    this.audited = new AuditedRun(SET_UP, ({ state }) => (command, outcome, events) => {
      this.remember(events);
      ledger.observe(command, outcome, events);
      ledger.compare(state, UIDS);
    });
  }

  perform(intent: Intent): void {
    this.time += intent.waitMs;
    // The clock first: what time does (candles, countdowns) may end orders that the command would name.
    this.audited.apply({ type: 'tick', time: this.time });
    const orders = [...this.open.values(), ...this.closed.slice(-CLOSED_NAMED)];
    const command = toCommand(intent, this.time, orders, this.withdrawals.slice(-CLOSED_NAMED));
    this.audited.perform(command, (outcome) => isRefused(command, outcome));
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
}

/** Nothing of it was carried out; an item with `autoCancel` that fails does something. */
function isRefused(command: Command, outcome: CommandResult): boolean {
  if (outcome.rejectReason !== RejectReason.none) return true;
  if (command.type !== 'amendOrders') return false;
  return outcome.items!.every(
    (item, n) => item.rejectReason !== RejectReason.none && !command.items[n]!.autoCancel,
  );
}

test('whatever the commands: invariants hold, money adds up, refusals change nothing, replays agree', () => {
  let commands = 0;
  fc.assert(
    fc.property(intents(COMMANDS_MAX), fc.nat(), (flow, cut) => {
      const run = new Run();
      for (const intent of flow) run.perform(intent);
      commands += flow.length;
      run.audited.assertReplaysAgree(cut);
    }),
    // With a seed of its own each time, one run in a hundred has too few commands: short flows are drawn often.
    { numRuns: RUNS.count, seed: RUNS.first },
  );
  RUNS.met('commands', commands, 20_000);
});
