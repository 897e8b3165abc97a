/**
 * Random loans beside futures and margin debts of the same accounts under falling prices: after every command all invariants hold (the
 * pool, the pledges, no loan at or above force), the interest is what a naive count of hours says, refusals change
 * nothing, the auditor is content, and replays and restarts come to the same bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/core/command.ts';
import { decodeCommand, encodeCommand } from '../../src/core/command-codec.ts';
import { Exchange } from '../../src/core/exchange.ts';
import { checkInvariants } from '../../src/core/invariants.ts';
import { hourRate, LoanTerm } from '../../src/core/loan/loan-terms.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { loadState, saveState } from '../../src/core/snapshot.ts';
import { Auditor } from '../core/auditor.ts';
import { LOAN_SET_UP, LoanFlow } from './loan-flow.ts';
import { NaiveLoans } from './naive-loans.ts';

const SEEDS = 10;
const COMMANDS = 500;
/** A refusal is held against the state before it this often. */
const REFUSAL_EVERY = 5;
/** Where the digest stands in a snapshot: it counts refusals. */
const DIGEST_AT = 26;
const DIGEST_BYTES = 8;

class Run {
  readonly exchange = new Exchange();
  readonly log: Uint8Array[] = [];
  readonly naive = new NaiveLoans(() => (coin) => {
    return hourRate(this.exchange.state.coins[coin]!.loan!, LoanTerm.flexible);
  });
  private readonly auditor = new Auditor(this.exchange.state);

  constructor() {
    for (const command of LOAN_SET_UP) this.apply(command);
  }

  /** The clock first, so that what time does is not the command's doing. */
  perform(command: Command): void {
    this.apply({ type: 'tick', time: command.time });
    const before = this.meaning();
    if (this.apply(command) === Refusal.none) return;
    assert.deepEqual(this.meaning(), before, `a refused ${command.type} changed the state`);
  }

  apply(original: Command): Refusal {
    const bytes = encodeCommand(original).slice();
    this.log.push(bytes);
    const command = decodeCommand(bytes);
    const { exchange, naive } = this;
    const outcome = exchange.apply(command);
    const events = exchange.takeEvents();
    checkInvariants(exchange.state);
    this.auditor.observe(command, outcome, events);
    naive.observe(events);
    naive.compare(exchange.state);
    return outcome.refusal;
  }

  private meaning(): Uint8Array {
    return saveState(this.exchange.state)
      .slice()
      .fill(0, DIGEST_AT, DIGEST_AT + DIGEST_BYTES);
  }
}

function replay(exchange: Exchange, log: readonly Uint8Array[]): Uint8Array {
  for (const bytes of log) {
    exchange.apply(decodeCommand(bytes));
    exchange.takeEvents();
  }
  return saveState(exchange.state).slice();
}

test('loans: hours are charged once, pools and pledges add up, nobody stays above force, replays agree', () => {
  const seen = { opened: 0, rolledBack: 0, repaid: 0, forced: 0, warned: 0, overdue: 0, short: 0, credit: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = new Run();
    const flow = new LoanFlow(seed, run.exchange.state);
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
    const cut = (seed * 89) % log.length;
    const first = replay(new Exchange(), log.slice(0, cut));
    assert.deepEqual(
      replay(new Exchange(loadState(first)), log.slice(cut)),
      end,
      `I40: a restart at ${cut} of seed ${seed} differs`,
    );
    for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += run.naive.seen[key];
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 10, `only ${count} ${what}`);
});
