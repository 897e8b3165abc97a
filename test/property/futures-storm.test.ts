/**
 * Nothing but jumps of up to a fifth on thin books: thousands of liquidations, of payments of the insurance fund and of
 * deleveragings, all invariants after every command, and clearing sums of exactly zero when nobody holds anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import type { Command } from '../../src/core/model/command.ts';
import { OrderKind } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import type { State } from '../../src/core/state/state.ts';
import { PositionAudit } from '../core/oracle/position-audit.ts';
import { Seeds } from './seeds.ts';
import { CONTRACTS, openVenue, Storm } from './storm.ts';

/** Of three one has thin books. */
const SEEDS = new Seeds({ all: 60, few: 3 });
const STEPS = 220;

/** What the storm has reached, over all seeds. */
class Toll {
  liquidations = 0;
  deleveragings = 0;
  payments = 0;
  addedMargin = 0;

  count(command: Command, events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'fill') this.fill(event.fill.futures!.kind);
      if (event.type !== 'ledgerLine') continue;
      if (event.kind === 'liquidation' && event.amount > 0n) this.payments++;
    }
    if (command.type === 'adjustMargin') return;
    this.addedMargin += events.filter((event, at) => addsByItself(event, events[at - 1])).length;
  }

  private fill(kind: OrderKind): void {
    if (kind === OrderKind.adl) this.deleveragings++;
    if (kind === OrderKind.liquidation || kind === OrderKind.reduce) this.liquidations++;
  }
}

/** Margin that neither a trade nor what was paid into the position put there. */
function addsByItself(event: Event, before: Event | undefined): boolean {
  if (event.type !== 'ledgerLine' || event.kind !== 'marginAdded' || event.reference === '') return false;
  return before?.type !== 'ledgerLine' || before.amount !== -event.amount;
}

/** Everything closed: nothing is left to clear (I08, I09). */
function assertCleared(state: State): void {
  for (const { futures } of state.markets) {
    if (futures === undefined) continue;
    assert.equal(futures.openInterest, 0);
    assert.equal(futures.cleared, 0n, 'I08, I09: nothing is left to clear');
    if (!futures.terms.coinMargined) assert.equal(futures.clearing, 0n, 'I09');
  }
}

test('a storm: thousands of forced closes, and nothing is lost, created or left due', (t) => {
  const toll = new Toll();
  let commands = 0;
  for (const seed of SEEDS) {
    const exchange = new Exchange();
    const { state } = exchange;
    const audit = new PositionAudit(state, assert.fail);
    const apply = (command: Command): void => {
      exchange.apply(command);
      const events = exchange.takeEvents();
      audit.observe(events);
      toll.count(command, events);
      commands++;
    };
    openVenue(seed, apply, state);
    const storm = new Storm(seed, state);
    for (let n = 0; n < STEPS; n++) {
      for (const command of storm.step(n)) {
        try {
          apply(command);
          checkInvariants(state);
        } catch (error) {
          const where = `seed ${seed}, step ${n}, ${command.type}`;
          throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
        }
      }
    }
    for (const instrument of CONTRACTS)
      apply({ type: 'setInstrumentStatus', time: storm.time, instrument, status: 'offline' });
    checkInvariants(state);
    assertCleared(state);
  }
  t.diagnostic(
    `${commands} commands: ${toll.liquidations} fills of liquidations, ${toll.payments} payments of the insurance ` +
      `fund, ${toll.deleveragings} deleveragings, ${toll.addedMargin} margins added by themselves`,
  );
  SEEDS.met('fills of liquidations', toll.liquidations, 5001);
  SEEDS.met('payments of the fund', toll.payments, 2001);
  SEEDS.met('deleveragings', toll.deleveragings, 2501);
  SEEDS.met('margins added by themselves', toll.addedMargin, 31);
});
