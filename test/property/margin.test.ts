/**
 * Random margin trading beside spot, futures and pledge loans of the same accounts under falling prices: after every
 * command all invariants hold and nobody is left due (I35), interest is what was charged (I32), pools are not overdrawn
 * (I44), refusals change nothing, sums of the books are exact, replays and restarts come to the same bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/core/command.ts';
import { decodeCommand, encodeCommand } from '../../src/core/command-codec.ts';
import type { Event } from '../../src/core/event.ts';
import { Exchange } from '../../src/core/exchange.ts';
import { checkInvariants } from '../../src/core/invariants.ts';
import { Refusal } from '../../src/core/refusal.ts';
import { loadState, saveState } from '../../src/core/snapshot.ts';
import { Category, OrderKind } from '../../src/core/terms.ts';
import { Auditor } from '../core/auditor.ts';
import { MARGIN_SET_UP, MarginFlow } from './margin-flow.ts';

const SEEDS = 8;
const COMMANDS = 700;
/** A refusal is held against the state before it this often. */
const REFUSAL_EVERY = 5;
/** Where the digest stands in a snapshot: it counts refusals. */
const DIGEST_AT = 26;
const DIGEST_BYTES = 8;

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
  assert.ok(exchange.state.touched.length === 0, 'everybody touched was looked after');
}

class Run {
  readonly exchange = new Exchange();
  readonly log: Uint8Array[] = [];
  private readonly auditor = new Auditor(this.exchange.state);

  constructor() {
    for (const command of MARGIN_SET_UP) this.apply(command);
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
    const { exchange } = this;
    const outcome = exchange.apply(command);
    const events = exchange.takeEvents();
    checkInvariants(exchange.state);
    this.auditor.observe(command, outcome, events);
    count(events, exchange);
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

test('margin, spot, futures and loans together: nothing is lost or created, nobody is left due, replays agree', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = new Run();
    const flow = new MarginFlow(seed, run.exchange.state);
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
    const cut = (seed * 131) % log.length;
    const second = new Exchange(loadState(replay(new Exchange(), log.slice(0, cut))));
    assert.deepEqual(replay(second, log.slice(cut)), end, `I40: a restart at ${cut} of seed ${seed} differs`);
  }
  const least = { borrowed: 100, forced: 8, repaid: 10, interest: 500, liquidations: 5, loans: 40 };
  for (const [what, times] of Object.entries(least))
    assert.ok(
      seen[what as keyof typeof seen] >= times,
      `${what} happened ${seen[what as keyof typeof seen]} times`,
    );
});
