/**
 * The end of a contract in portions (rules 14.5) against the one step of the third edition (rules 5.15), from the same state:
 * with nobody acting in between everybody comes to the same balances, also where losers lack more than the fund has. With
 * everybody acting in between, invariants hold, replays agree, and every position closes as it would have at the instant.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { checkInvariants } from '../../src/core/engine/invariants.ts';
import { fundBalance } from '../../src/core/margin/insurance-fund.ts';
import { type Command, EVERY_COMPONENT } from '../../src/core/model/command.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import { OrderKind } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { Bucket, FIRST_USER_ACCOUNT } from '../../src/core/model/ledger-accounts.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import { ContractEnd } from '../../src/core/state/contract-end.ts';
import type { State } from '../../src/core/state/state.ts';
import { AuditedRun } from './audited-run.ts';
import { FuturesFlow, Rng, SET_UP } from './futures-flow.ts';
import { OperatorFlow } from './operator-flow.ts';
import { Seeds } from './seeds.ts';
import { StrategyFlow } from './strategy-flow.ts';
import { OPENING_TIME } from './venue.ts';

const SEEDS = new Seeds({ all: 24, few: 2 });
const COMMANDS = 160;
const HOUR_MS = 3_600_000;
/** The contracts that the flows trade. */
const CONTRACTS = [0, 1, 2];
/** The quarter is BBB/USDT. */
const QUARTER = 1;
/** Crossed accounts that have USDT alone, and nothing when that is lost: uid 3 and 7. */
const POOR = 3;
/** Commands between two comparisons. */
const EVERY = 6;

const met = { delisted: 0, delivered: 0, withHour: 0, short: 0, lacking: 0, ends: 0, between: 0 };

/** Half of the quarters are delivered at a full hour, with funding and interest. */
function deliveryTimeOf(seed: number): number {
  const hour = Math.ceil(OPENING_TIME / HOUR_MS) * HOUR_MS + 3 * HOUR_MS;
  return seed % 2 === 0 ? hour : hour + HOUR_MS / 2;
}

/** Until the seventh edition means elsewhere were no matter (rules 17.2). */
function editionOf(seed: number): number {
  return seed % 4 < 2 ? 4 : NEWEST_EDITION;
}

/** The venue of the flows with a quarter among its contracts. */
function setUpOf(seed: number): Command[] {
  const deliveryTime = String(deliveryTimeOf(seed));
  const isPoor = ({ uid, coin }: { uid: number; coin: number }) => uid % 4 === POOR && coin !== 0;
  const rest = SET_UP.filter((command) => command.type !== 'deposit' || !isPoor(command));
  return rest.map((command) => {
    if (command.type !== 'listInstrument' || command.spec.baseCoin !== 'BBB') return command;
    const futures = {
      ...command.spec.futures!,
      type: 'delivery',
      fundInterval: '',
      deliveryTime,
      deliveryStartTime: String(OPENING_TIME),
      deliveryPeriod: 'this_quarter',
    } as const;
    return { ...command, spec: { ...command.spec, futures } };
  });
}

function copyOf(bytes: Uint8Array, portion: number | undefined): Exchange {
  const exchange = new Exchange(loadState(bytes));
  if (portion === undefined) exchange.state.rules.portions = false;
  else exchange.state.portion = portion;
  return exchange;
}

interface Outcome {
  readonly holdings: unknown;
  /** Trades and conversions beyond the closes of the end: they meet other books when they come at other moments. */
  readonly others: number;
}

/** What the end comes to: undefined portion = in one step. */
function endOf(bytes: Uint8Array, command: Command, portion: number | undefined): Outcome {
  const exchange = copyOf(bytes, portion);
  let others = 0;
  exchange.apply(command);
  for (;;) {
    const [work] = exchange.state.works;
    if (work instanceof ContractEnd) {
      if (work.shortage > 0n) met.short++;
      if (work.lacking > 0n) met.lacking++;
    }
    checkInvariants(exchange.state);
    for (const event of exchange.takeEvents())
      if ((event.type === 'fill' && !isEnd(event)) || event.type === 'conversion') others++;
    if (!exchange.hasOpenWork) break;
    exchange.apply({ type: 'tick', time: exchange.state.now });
  }
  return { holdings: holdingsOf(exchange.state), others };
}

function isEnd(event: Event): boolean {
  if (event.type !== 'fill') return false;
  const kind = event.fill.futures?.kind;
  return kind === OrderKind.delivery || kind === OrderKind.delisting;
}

function holdingsOf(state: State): unknown {
  const { ledger, accounts } = state;
  const money: string[] = [];
  for (let index = 0; index < accounts.length; index++) {
    if (index >= FIRST_USER_ACCOUNT && accounts[index] === undefined) continue;
    for (const coin of ledger.coinsOf(index)) {
      const held = Object.values(Bucket).map((bucket) => ledger.balanceOf(index, coin, bucket));
      // A row that was opened and is empty again says nothing.
      const peak = ledger.peakOf(index, coin);
      if (peak > 0n || held.some((each) => each !== 0n))
        money.push(`${index} ${coin}: ${held.join(' ')}, ${peak}`);
    }
  }
  const positions = [...state.accountByUid.values()].map((account) =>
    [...account.positions.values()].map(({ id, size, iso }) => `${id} ${size} ${iso}`),
  );
  const orders = [...state.accountByUid.values()].map(({ strategies }) => [...strategies.keys()]);
  return { money, positions, orders };
}

/** At a mark far away, with more or less in the fund: losers lack margin, and the fund does not have it. */
function compareDelisting(state: State, dice: Rng): void {
  const instrument = dice.pick(CONTRACTS);
  const { futures, holders } = state.market(state.instruments[instrument]!);
  if (holders.size === 0 || state.works.length > 0) return;
  const exchange = copyOf(Uint8Array.from(saveState(state)), Number.POSITIVE_INFINITY);
  const copy = exchange.state;
  drainFund(exchange, futures!.terms.settle, dice);
  const { mark } = copy.market(copy.instruments[instrument]!).futures!;
  mark.price =
    (mark.price * BigInt(dice.pick([25, 60, 80, 92, 97, 99, 101, 103, 108, 120, 140, 400]))) / 100n;
  mark.inputs.fill(mark.price);
  copy.priceVersion++;
  const bytes = Uint8Array.from(saveState(copy));
  const command = { type: 'setInstrumentStatus', time: copy.now, instrument, status: 'offline' } as const;
  compare(bytes, command, 'delisted');
}

/** The last seconds of the hour surprise everybody. */
function compareDelivery(state: State, seed: number, dice: Rng): void {
  const time = deliveryTimeOf(seed);
  const { holders } = state.market(state.instruments[QUARTER]!);
  if (holders.size === 0 || state.works.length > 0 || state.now >= time - 20_000) return;
  const exchange = copyOf(Uint8Array.from(saveState(state)), Number.POSITIVE_INFINITY);
  exchange.apply({ type: 'tick', time: time - 10_000 });
  while (exchange.hasOpenWork) exchange.apply({ type: 'tick', time: exchange.state.now });
  drainFund(exchange, 0, dice);
  const rate = BigInt(dice.pick([20, 400, 1200]));
  for (const [index, { price }] of exchange.state.indices.entries()) {
    const told = { component: EVERY_COMPONENT, volume: 0n, by: 'operator' };
    const moved = index === 1 ? (price * rate) / 100n : price;
    if (price > 0n)
      exchange.apply({ type: 'componentPrice', time: time - 9500, index, price: moved, ...told });
  }
  exchange.takeEvents();
  if (exchange.state.market(exchange.state.instruments[QUARTER]!).holders.size === 0) return;
  if (time % HOUR_MS === 0) met.withHour++;
  compare(Uint8Array.from(saveState(exchange.state)), { type: 'tick', time }, 'delivered');
}

function drainFund(exchange: Exchange, coin: number, dice: Rng): void {
  const { state } = exchange;
  const time = state.now;
  const amount = -(fundBalance(state, coin) * BigInt(dice.pick([0, 90, 100]))) / 100n;
  exchange.apply({
    type: 'setCoinLimits',
    time,
    coin,
    houseShortUsd: '',
    lendShare: '',
    insuranceFloor: '0',
  });
  exchange.apply({ type: 'fundInsurance', time, coin, lending: false, amount, reference: `drain ${time}` });
}

function compare(bytes: Uint8Array, command: Command, kind: 'delisted' | 'delivered'): void {
  const whole = endOf(bytes, command, undefined);
  const one = endOf(bytes, command, 1);
  const all = endOf(bytes, command, Number.POSITIVE_INFINITY);
  if (whole.others > 0 || one.others > 0 || all.others > 0) return;
  assert.deepEqual(all.holdings, whole.holdings, 'in one portion');
  assert.deepEqual(one.holdings, whole.holdings, 'in portions of one');
  met[kind]++;
}

/** Closes of an end by position: lots, price and fee. */
class Closes {
  readonly of = new Map<string, string>();

  add(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type !== 'fill' || !isEnd(event)) continue;
      const { uid, instrument, side, sizeLots, priceTicks, fee, futures } = event.fill;
      this.of.set(
        `${uid} ${instrument} ${futures!.posSide} ${side}`,
        `${sizeLots} ${priceTicks} ${fee} ${futures!.pnl}`,
      );
    }
  }
}

for (const [name, flowOf] of Object.entries({
  futures: (seed: number, state: State) => new FuturesFlow(seed, state),
  strategies: (seed: number, state: State) => new StrategyFlow(seed, state),
})) {
  test(`${name}: contracts end in portions as in one step, and everybody may act in between`, () => {
    for (const seed of SEEDS) {
      const dice = new Rng(seed * 7919);
      let closes: Closes | undefined;
      const run = new AuditedRun(
        [{ type: 'setEdition', time: OPENING_TIME, edition: editionOf(seed) }, ...setUpOf(seed)],
        () => (_command, _outcome, events) => closes?.add(events),
        (state) => {
          state.portion = 1 + (seed % 3);
        },
      );
      const { state } = run.exchange;
      const flow = new OperatorFlow(seed, state, flowOf(seed, state), 40, editionOf(seed));
      /** By one step, from the state before the end. */
      let expected: Closes | undefined;
      const apply = (command: Command) => {
        const wasOpen = state.works.length > 0;
        const bytes = wasOpen ? undefined : Uint8Array.from(saveState(state));
        if (!wasOpen) closes = new Closes();
        run.apply(command);
        const [work] = state.works;
        if (wasOpen) met.between++;
        if (!wasOpen && work instanceof ContractEnd) {
          const whole = copyOf(bytes!, undefined);
          whole.apply(command);
          expected = new Closes();
          expected.add(whole.takeEvents());
          met.ends++;
        }
        if (state.works.length > 0 || expected === undefined) return;
        assert.deepEqual(sorted(closes!), sorted(expected), 'positions close as at the instant');
        expected = undefined;
      };
      for (let n = 0; n < COMMANDS; n++) {
        try {
          const command = flow.next();
          apply({ ...command, time: Math.max(command.time, state.now) });
          if (n % EVERY === EVERY - 1) compareDelisting(state, dice);
          if (n % EVERY === EVERY - 5) compareDelivery(state, seed, dice);
          // Somebody has the contract offered again and again.
          const instrument = dice.pick(CONTRACTS);
          if (n % 40 === 39)
            apply({ type: 'setInstrumentStatus', time: state.now, instrument, status: 'offline' });
        } catch (error) {
          throw new Error(`seed ${seed}, command ${n}: ${(error as Error).message}`, { cause: error });
        }
      }
      run.assertReplaysAgree(seed * 113);
    }
  });
}

function sorted({ of }: Closes): string[] {
  return [...of].map(([key, close]) => `${key}: ${close}`).sort();
}

test('these flows end contracts in every way', () => {
  const least = {
    delisted: 100,
    delivered: 40,
    withHour: 20,
    short: 40,
    lacking: 40,
    ends: 40,
    between: 200,
  };
  for (const [what, times] of Object.entries(least)) SEEDS.met(what, met[what as keyof typeof met], times);
});
