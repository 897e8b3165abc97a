/**
 * Nothing but jumps of up to a fifth on thin books: thousands of liquidations, of payments of the insurance fund and of
 * deleveragings, all invariants after every command, and clearing sums of exactly zero when nobody holds anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { markTicks } from '../../src/core/margin/margin.ts';
import type { Command } from '../../src/core/model/command.ts';
import { HoldMode, OrderKind, PosSide, Side } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { Bucket, SystemAccount } from '../../src/core/model/ledger-accounts.ts';
import type { State } from '../../src/core/state/state.ts';
import { PositionAudit } from '../core/oracle/position-audit.ts';
import { FuturesFlow, Rng, SET_UP, UIDS } from './futures-flow.ts';
import { Seeds } from './seeds.ts';
import { account, deposit, OPENING_TIME, order } from './venue.ts';

/** Of three one has thin books. */
const SEEDS = new Seeds({ all: 60, few: 3 });
const STEPS = 220;
const ALWAYS = 1;
const ONE = 10n ** 8n;
const CONTRACTS = [0, 1, 2];
const USDT = 0;
const AAA = 2;
const LEVERAGE = 20;
/** Rich, and holding orders far from the price: forced closes meet them beyond bankruptcy. */
const DEEP = 9;

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

/** A flow in which somebody always opens something large before the next jump. */
class Storm {
  private readonly dice: Rng;
  private readonly flow: FuturesFlow;
  private readonly state: State;
  private readonly deep: boolean;

  constructor(seed: number, state: State) {
    this.dice = new Rng(seed);
    this.flow = new FuturesFlow(7000 + seed, state, ALWAYS);
    this.state = state;
    this.deep = hasDeepBooks(seed);
  }

  get time(): number {
    return this.flow.time;
  }

  *step(n: number): Generator<Command> {
    const { dice, flow } = this;
    yield flow.next();
    // Whoever has lost everything starts again.
    if (n % 50 === 0) for (const uid of UIDS) yield { ...deposit(uid, USDT, 300n * ONE), time: this.time };
    if (dice.chance(0.6)) yield* this.deal();
    if (dice.chance(0.1)) yield* this.autoMargin();
    if (this.deep && dice.chance(0.3)) yield this.farOrder();
    if (dice.chance(0.3)) yield flow.price();
  }

  /** Two accounts meet at the mark with about as much as twentyfold leverage carries. */
  private *deal(): Generator<Command> {
    const { dice, state } = this;
    const instrument = dice.pick(CONTRACTS);
    const priceTicks = markTicks(state, state.instruments[instrument]!);
    // Ticks are tenths and lots hundredths.
    const sizeLots = Math.max(1, Math.round(((500 + dice.below(7000)) * 1000) / priceTicks));
    for (const side of [Side.sell, Side.buy]) {
      const uid = dice.pick(UIDS);
      const hedge = state.accountByUid.get(uid)!.holdMode === HoldMode.hedge;
      const posSide = side === Side.buy ? PosSide.long : PosSide.short;
      const { time } = this;
      yield order({ time, uid, instrument, side, priceTicks, sizeLots, ...(hedge && { posSide }) });
    }
  }

  /** Somebody's isolated position may save itself from the next jump. */
  private *autoMargin(): Generator<Command> {
    const { dice, state, time } = this;
    const uid = dice.pick(UIDS);
    for (const { isolated, instrument, posSide } of state.accountByUid.get(uid)!.positions.values())
      if (isolated) yield { type: 'setAutoMargin', time, uid, instrument, posSide, room: 500n * ONE };
  }

  private farOrder(): Command {
    const { dice, state, time } = this;
    const instrument = dice.pick(CONTRACTS);
    const side = dice.pick([Side.buy, Side.sell]);
    const away = 0.05 + 0.2 * dice.next();
    const mark = markTicks(state, state.instruments[instrument]!);
    const priceTicks = Math.max(1, Math.round(mark * (side === Side.buy ? 1 - away : 1 + away)));
    return order({ time, uid: DEEP, instrument, side, priceTicks, sizeLots: 500 });
  }
}

/** Two of three venues have orders far from the price and a fund that pays for long; on the third, others pay. */
function hasDeepBooks(seed: number): boolean {
  return seed % 3 !== 0;
}

function openVenue(seed: number, apply: (command: Command) => void, state: State): void {
  for (const command of SET_UP) apply(command);
  apply(account(DEEP));
  for (const [coin, amount] of [
    [USDT, 10n ** 8n],
    [AAA, 10n ** 6n],
  ] as const)
    apply(deposit(DEEP, coin, amount * ONE));
  const both = { longLeverage: LEVERAGE, shortLeverage: LEVERAGE };
  for (const uid of UIDS)
    for (const instrument of CONTRACTS)
      apply({ type: 'setLeverage', time: OPENING_TIME, uid, instrument, ...both });
  if (!hasDeepBooks(seed)) return;
  const { ledger } = state;
  for (const [coin, amount] of [
    [USDT, 50_000n],
    [AAA, 500n],
  ] as const) {
    const house = ledger.cell(SystemAccount.convert, coin, Bucket.cash);
    ledger.move(house, ledger.cell(SystemAccount.insurance, coin, Bucket.cash), amount * ONE);
  }
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
