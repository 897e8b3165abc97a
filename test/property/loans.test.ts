/**
 * Random loans beside futures and margin debts of the same accounts under falling prices: after every command all
 * invariants hold (the pool, the pledges, no loan at or above force), the interest is what a naive count of hours says,
 * refusals change nothing, the auditor is content, and replays and restarts come to the same bytes.
 */
import { test } from 'node:test';
import { hourRate, LoanTerm } from '../../src/core/model/loan-terms.ts';
import { AuditedRun } from './audited-run.ts';
import { LOAN_SET_UP, LoanFlow } from './loan-flow.ts';
import { NaiveLoans } from './naive-loans.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 10 });
const COMMANDS = 500;

test('loans: hours are charged once, pools and pledges add up, nobody stays above force, replays agree', () => {
  const seen = { opened: 0, rolledBack: 0, repaid: 0, forced: 0, warned: 0, overdue: 0, short: 0, credit: 0 };
  for (const seed of SEEDS) {
    let naive!: NaiveLoans;
    const run = new AuditedRun(LOAN_SET_UP, ({ state }) => {
      naive = new NaiveLoans(() => (coin) => hourRate(state.coins[coin]!.loan!, LoanTerm.flexible));
      return (_command, _outcome, events) => {
        naive.observe(events);
        naive.compare(state);
      };
    });
    run.follow(new LoanFlow(seed, run.exchange.state), { seed, commands: COMMANDS, refusalEvery: 5 });
    run.assertReplaysAgree(seed * 89);
    for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += naive.seen[key];
  }
  for (const [what, count] of Object.entries(seen)) SEEDS.met(what, count, 11);
});
