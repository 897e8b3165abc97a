/**
 * Every kind of random trading under the later editions (rules 13), beside an operator who funds and drains, writes debts
 * off and sets limits: after every command all invariants hold (I45 to I51 with the auditor and the checks of every match),
 * refusals change nothing, replays and restarts come to the same bytes. The fourth has a property of its
 * own (`fourth-edition.test.ts`), the other properties trade under the first.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/core/model/command.ts';
import type { CommandResult } from '../../src/core/model/command-result.ts';
import { CancelReason, OrderKind } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import type { State } from '../../src/core/state/state.ts';
import { AuditedRun } from './audited-run.ts';
import { FLOWS } from './flows.ts';
import { OperatorFlow } from './operator-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 12 });
const COMMANDS = 620;

class Seen {
  readonly counts = new Map<string, number>();

  see(state: State, command: Command, { rejectReason }: CommandResult, events: readonly Event[]): void {
    const done = rejectReason === RejectReason.none;
    if (done && OPERATOR.has(command.type)) this.add(command.type);
    if (rejectReason === RejectReason.openingRestricted) this.add('openings refused while only closing');
    if (rejectReason === RejectReason.custodyTooSmall) this.add('custody too small');
    for (const event of events) {
      if (event.type === 'order' && event.order.cancelReason === CancelReason.delegatedRiskOrder)
        this.add('orders removed at the match');
      if (event.type === 'fill' && event.fill.futures?.kind === OrderKind.liquidation)
        this.add('liquidations');
      if (event.type === 'instrument' && state.instruments[event.instrument]!.closeOnly)
        this.add('contracts that only close');
      if (event.type === 'instrument' && state.instruments[event.instrument]!.paused)
        this.add('contracts that are paused');
    }
    assert.equal(state.dirtyAccounts.length, 0, 'everybody touched was looked after');
  }

  private add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

const OPERATOR: ReadonlySet<string> = new Set([
  'setEdition',
  'fundInsurance',
  'writeOffDebt',
  'setBroker',
  'setCoinLimits',
]);

const seen = new Seen();

for (const [name, { setUp, flowOf }] of Object.entries(FLOWS)) {
  test(`${name} under the later editions: invariants hold, refusals change nothing, replays agree`, () => {
    for (const seed of SEEDS) {
      const run = new AuditedRun(setUp, ({ state }) => {
        state.verifiesFillChecks = true;
        return (command, outcome, events) => seen.see(state, command, outcome, events);
      });
      const { state } = run.exchange;
      const flow = new OperatorFlow(seed, state, flowOf(seed, state));
      run.follow(flow, { seed, commands: COMMANDS, refusalEvery: 6 });
      assert.equal(state.edition, 3);
      run.assertReplaysAgree(seed * 113);
    }
  });
}

test('these flows meet what the rules of 13 are about', () => {
  const least = {
    setEdition: 120,
    fundInsurance: 300,
    setBroker: 50,
    setCoinLimits: 60,
    liquidations: 90,
    'orders removed at the match': 120,
    'openings refused while only closing': 11,
    'contracts that are paused': 60,
  };
  for (const [what, times] of Object.entries(least)) SEEDS.met(what, seen.counts.get(what) ?? 0, times);
});
