/**
 * Random futures commands with price jumps and thin books: after every command all invariants hold, nobody is left due
 * (I35), refusals change nothing, the auditor is content; liquidations, insurance payments and deleveraging happen by the
 * hundred; a replay and a snapshot from the middle come to the same bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { OrderKind } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { positionViews } from '../../src/core/reads/position-reads.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import type { State } from '../../src/core/state/state.ts';
import { AuditedRun } from './audited-run.ts';
import { FuturesFlow, SET_UP, UIDS } from './futures-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 24, few: 2 });
const COMMANDS = 700;
const SNAPSHOT_EVERY = 50;

class Count {
  readonly kinds = new Map<OrderKind, number>();
  insurancePayments = 0;
  fundings = 0;
  emptyMarkets = 0;
  moves = 0;
  netted = 0;
  readonly refusedMoves = new Set<RejectReason>();

  see(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'fundingSettled' && event.rate !== 0n) this.fundings++;
      if (event.type === 'ledgerLine' && event.kind === 'liquidation' && event.amount > 0n)
        this.insurancePayments++;
      if (event.type === 'positionMoved') this.moves++;
      if (event.type !== 'fill') continue;
      const { kind, closing } = event.fill.futures!;
      if (kind === OrderKind.move && closing && event.fill.maker) this.netted++;
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    }
  }

  seeOutcome({ type }: Command, { items = [] }: CommandResult): void {
    if (type === 'movePositions') for (const { rejectReason } of items) this.refusedMoves.add(rejectReason);
  }

  of(kind: OrderKind): number {
    return this.kinds.get(kind) ?? 0;
  }
}

/** Markets without open interest; nothing is left in their clearing (I09). */
function emptyMarkets(state: State): number {
  let empty = 0;
  for (const { futures } of state.markets) {
    if (futures === undefined || futures.openInterest !== 0 || futures.terms.coinMargined) continue;
    assert.equal(futures.clearing, 0n, 'I09: clearing without open interest');
    empty++;
  }
  return empty;
}

/** Reads answer in any state, and a snapshot survives loading. */
function runRiskAndTriggers(state: State): void {
  for (const uid of UIDS) {
    for (const view of positionViews(state, uid)) {
      assert.ok(view.availableLots >= 0 && view.availableLots + view.frozenLots === view.totalLots, 'I26');
      assert.ok(view.liquidationTicks >= 0);
    }
  }
  const image = saveState(state).slice();
  assert.deepEqual(saveState(loadState(image)), image, 'I40: a snapshot does not survive loading');
}

test('futures: whatever happens, nobody is left due, nothing is lost or created, replays agree', () => {
  const count = new Count();
  for (const seed of SEEDS) {
    let applied = 0;
    const run = new AuditedRun(SET_UP, ({ state }) => (command, outcome, events) => {
      count.see(events);
      count.seeOutcome(command, outcome);
      count.emptyMarkets += emptyMarkets(state);
      if (++applied % SNAPSHOT_EVERY === 0) runRiskAndTriggers(state);
    });
    run.follow(new FuturesFlow(seed, run.exchange.state), { seed, commands: COMMANDS, refusalEvery: 4 });
    run.assertReplaysAgree(seed * 97);
  }
  const { insurancePayments, fundings } = count;
  SEEDS.met('liquidations', count.of(OrderKind.liquidation), 301);
  SEEDS.met('deleveragings', count.of(OrderKind.adl), 121);
  SEEDS.met('reductions by tier', count.of(OrderKind.reduce), 6);
  SEEDS.met('payments of the fund', insurancePayments, 31);
  SEEDS.met('fundings', fundings, 101);
  SEEDS.met('empty markets', count.emptyMarkets, 1);
  SEEDS.met('moves', count.moves, 101);
  SEEDS.met('moves that met an opposite position', count.netted, 6);
  for (const rejectReason of [
    RejectReason.noPositionToMove,
    RejectReason.moveAbovePosition,
    RejectReason.receiverLacksMargin,
    RejectReason.aboveTier,
    RejectReason.staleIndexPrice,
  ])
    SEEDS.met(`moves refused with ${rejectReason}`, count.refusedMoves.has(rejectReason) ? 1 : 0, 1);
});
