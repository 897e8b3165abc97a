/**
 * Random trading under the fourth edition (rules 14) with portions so small that everybody acts between them: invariants
 * hold, replays agree, everybody pays and receives the funding of the position held at the hour, and nothing happens to an
 * account before it is settled. With nobody acting, portions and one step come to the same.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/core/engine/exchange.ts';
import type { Command } from '../../src/core/model/command.ts';
import { Bucket } from '../../src/core/model/ledger-accounts.ts';
import { loadState, saveState } from '../../src/core/snapshot/snapshot.ts';
import type { State } from '../../src/core/state/state.ts';
import { AuditedRun } from './audited-run.ts';
import { FLOWS } from './flows.ts';
import { HourOracle } from './hour-oracle.ts';
import { OperatorFlow } from './operator-flow.ts';
import { Seeds } from './seeds.ts';

const SEEDS = new Seeds({ all: 12, few: 2 });
const COMMANDS = 200;
/** Commands that follow each other closely while an hour is open. */
const ACTS = 12;
const HOUR_MS = 3_600_000;

const met = { hours: 0, inPortions: 0, between: 0, paid: 0, received: 0, compared: 0 };

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
      const flow = new OperatorFlow(seed, state, flowOf(seed, state), 40, 4);
      for (let n = 0; n < COMMANDS; n++) {
        const command = flow.next();
        const apply = (each: Command, time: number) => {
          oracle.hours!.before();
          run.apply({ ...each, time: Math.max(time, state.now) });
        };
        try {
          for (const instant of instantsBefore(state, command.time)) {
            if (instant % HOUR_MS === 0) comparePortions(state, instant);
            apply({ type: 'tick', time: instant }, instant);
            for (let acts = 0; acts < ACTS && state.works.length > 0; acts++)
              apply(flow.next(), state.now + 1);
          }
          apply(command, command.time);
        } catch (error) {
          throw new Error(`seed ${seed}, command ${n} ${command.type}: ${(error as Error).message}`, {
            cause: error,
          });
        }
      }
      assert.equal(state.edition, 4);
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
  const least = { hours: 100, inPortions: 60, between: 300, paid: 100, received: 100, compared: 60 };
  for (const [what, times] of Object.entries(least)) SEEDS.met(what, met[what as keyof typeof met], times);
});
