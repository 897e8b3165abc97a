/**
 * Random trading since the fourth edition (rules 14) with portions so small that everybody acts between them: invariants
 * hold, replays agree, everybody pays and receives the funding of the position held at the hour, and nothing happens to an
 * account before it is settled. With nobody acting, portions and one step come to the same.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import { type Command, EVERY_COMPONENT } from '../../src/core/model/command.ts';
import { NEWEST_EDITION } from '../../src/core/model/edition.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import type { State } from '../../src/core/state/state.ts';
import { AuditedRun } from './audited-run.ts';
import { FLOWS } from './flows.ts';
import { HourOracle } from './hour-oracle.ts';
import { OperatorFlow } from './operator-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 12 });
const COMMANDS = 200;
/** Commands that follow each other closely while an hour is open. */
const ACTS = 12;
const HOUR_MS = 3_600_000;
/** Lines of an hour. From which pocket an isolated position pays goes by its margin when it does. */
const CHARGES: ReadonlySet<string> = new Set(['interest', 'fundingOut', 'fundingIn']);

const met = { hours: 0, inPortions: 0, between: 0, seconds: 0, paid: 0, received: 0, compared: 0, moved: 0 };

for (const [name, { setUp, flowOf }] of Object.entries(FLOWS)) {
  test(`${name} in portions: invariants hold, the hour is settled by what was held, replays agree`, () => {
    for (const seed of SEEDS) {
      const oracle: { hours?: HourOracle } = {};
      const prepare = (state: State) => {
        state.portion = 1 + (seed % 3);
      };
      const run = new AuditedRun(
        setUp,
        ({ state }) => {
          oracle.hours = new HourOracle(state, met);
          return (_command, _outcome, events) => oracle.hours!.after(events);
        },
        prepare,
      );
      const { state } = run.exchange;
      const flow = new OperatorFlow(seed, state, flowOf(seed, state), 40, NEWEST_EDITION);
      for (let n = 0; n < COMMANDS; n++) {
        const command = flow.next();
        const apply = (each: Command, time: number) => {
          oracle.hours!.before();
          run.apply({ ...each, time: Math.max(time, state.now) });
        };
        try {
          for (const instant of instantsBefore(state, command.time)) {
            if (instant % HOUR_MS === 0) {
              comparePortions(state, instant);
              compareCharges(state, instant);
            }
            apply({ type: 'tick', time: instant }, instant);
            // Every third act is in the next second, when the prices of that second have been taken.
            for (let acts = 0; acts < ACTS && state.works.length > 0; acts++) {
              const second = state.nextSecond;
              apply(flow.next(), acts % 3 === 2 ? state.nextSecond : state.now + 1);
              if (state.works.length > 0 && state.nextSecond > second) met.seconds++;
            }
          }
          apply(command, command.time);
        } catch (error) {
          throw new Error(`seed ${seed}, command ${n} ${command.type}: ${(error as Error).message}`, {
            cause: error,
          });
        }
      }
      assert.equal(state.edition, NEWEST_EDITION);
      run.assertReplaysAgree(seed * 113);
    }
  });
}

/** The last millisecond before each full hour and the hour itself, as far as there are few. */
function instantsBefore({ now }: State, time: number): number[] {
  const hour = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
  const hours: number[] = [];
  for (let each = hour; each <= time && hours.length < 6; each += HOUR_MS) hours.push(each - 1, each);
  return hours.filter((each) => each > now);
}

/** The hour from the same state, in one step and in portions of one. */
function comparePortions(state: State, time: number): void {
  if (state.edition < 4 || state.works.length > 0) return;
  const bytes = Uint8Array.from(saveState(state));
  const [whole, portioned] = [Number.POSITIVE_INFINITY, 1].map((portion) => {
    const exchange = new Exchange(loadState(bytes));
    exchange.state.portion = portion;
    let fills = 0;
    do {
      exchange.apply({ type: 'tick', time });
      for (const { type } of exchange.takeEvents()) if (type === 'fill') fills++;
    } while (exchange.hasOpenWork);
    return { holdings: holdingsOf(exchange.state), fills };
  });
  // Forced closes meet other books when they come at other moments.
  if (whole!.fills > 0 || portioned!.fills > 0) return;
  assert.deepEqual(portioned!.holdings, whole!.holdings);
  met.compared++;
}

/** The same with prices that move a little between the portions: each account is charged what the hour has fixed. */
function compareCharges(state: State, time: number): void {
  if (state.edition < 4 || state.works.length > 0) return;
  const bytes = Uint8Array.from(saveState(state));
  const [still, moving] = [false, true].map((moves) => {
    const exchange = new Exchange(loadState(bytes));
    const { state } = exchange;
    state.portion = moves ? 1 : Number.POSITIVE_INFINITY;
    exchange.apply({ type: 'tick', time });
    const inPortions = state.works.length > 0;
    const charges = new Map<string, bigint>();
    let fills = 0;
    const look = () => {
      for (const event of exchange.takeEvents()) {
        if (event.type === 'fill' || event.type === 'conversion') fills++;
        if (event.type !== 'ledgerLine' || !CHARGES.has(event.kind)) continue;
        const key = `${event.uid} ${event.coin} ${event.kind} ${event.reference}`;
        charges.set(key, (charges.get(key) ?? 0n) + event.amount);
      }
    };
    look();
    for (let second = 1; exchange.hasOpenWork && second < 5; second++) {
      for (const [index, { price }] of state.indices.entries()) {
        const moved = price + (price * BigInt(second % 2 === 1 ? 7 : -9)) / 1000n;
        const told = { component: EVERY_COMPONENT, price: moved, volume: 0n, by: 'operator' };
        if (price > 0n) exchange.apply({ type: 'componentPrice', time: state.now, index, ...told });
      }
      exchange.apply({ type: 'tick', time: time + second * 1000 });
      look();
    }
    while (exchange.hasOpenWork) {
      exchange.apply({ type: 'tick', time: state.now });
      look();
    }
    return { charges, fills, inPortions };
  });
  if (still!.fills > 0 || moving!.fills > 0 || !moving!.inPortions) return;
  assert.deepEqual(moving!.charges, still!.charges);
  met.moved++;
}

function holdingsOf(state: State): unknown[] {
  const { ledger } = state;
  return [...state.accountByUid.values()].map(({ index, positions }) => [
    ledger
      .coinsOf(index)
      .map((coin) => Object.values(Bucket).map((bucket) => ledger.balanceOf(index, coin, bucket))),
    ledger.coinsOf(index).map((coin) => ledger.peakOf(index, coin)),
    [...positions.values()].map(({ id, size, iso, funding, fundingOwed }) => [
      id,
      size,
      iso,
      funding,
      fundingOwed,
    ]),
  ]);
}

test('these flows act between the portions of hours', () => {
  const least = {
    hours: 100,
    inPortions: 60,
    between: 300,
    seconds: 60,
    paid: 100,
    received: 100,
    compared: 60,
    moved: 30,
  };
  for (const [what, times] of Object.entries(least)) SEEDS.met(what, met[what as keyof typeof met], times);
});
