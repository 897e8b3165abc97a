/**
 * Random margin trading beside spot, futures and pledge loans of the same accounts under falling prices: after every
 * command all invariants hold and nobody is left due (I35), interest is what was charged (I32), pools are not overdrawn
 * (I44), refusals change nothing, sums of the books are exact, replays and restarts come to the same bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exchange } from '../../src/core/engine/exchange.ts';
import { Category, OrderKind } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { AuditedRun } from './audited-run.ts';
import { MARGIN_SET_UP, MarginFlow } from './margin-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 8, fewFrom: 5 });
const COMMANDS = 700;

const seen = { borrowed: 0, forced: 0, repaid: 0, interest: 0, liquidations: 0, loans: 0 };

function count(events: readonly Event[], exchange: Exchange): void {
  for (const event of events) {
    if (event.type === 'conversion') seen[event.forced ? 'forced' : 'repaid']++;
    if (event.type === 'loan') seen.loans++;
    if (event.type === 'fill' && event.fill.futures?.kind === OrderKind.liquidation) seen.liquidations++;
    if (event.type !== 'ledgerLine') continue;
    if (event.kind === 'interest') seen.interest++;
    if (event.category === Category.margin && event.balance < 0n) seen.borrowed++;
  }
  assert.ok(exchange.state.dirtyAccounts.length === 0, 'everybody touched was looked after');
}

test('margin, spot, futures and loans together: nothing is lost or created, nobody is left due, replays agree', () => {
  for (const seed of SEEDS) {
    const run = new AuditedRun(MARGIN_SET_UP, (exchange) => (_command, _outcome, events) => {
      count(events, exchange);
    });
    run.follow(new MarginFlow(seed, run.exchange.state), { seed, commands: COMMANDS, refusalEvery: 5 });
    run.assertReplaysAgree(seed * 131);
  }
  const least = { borrowed: 100, forced: 8, repaid: 10, interest: 500, liquidations: 5, loans: 40 };
  for (const [what, times] of Object.entries(least)) SEEDS.met(what, seen[what as keyof typeof seen], times);
});
