/** The last hour of the delivery contract, which settles at a mean of the index (rules 5.15). */
import type { FillRecord } from '../../src/core/model/event.ts';
import type { Account } from '../../src/core/state/account.ts';
import type { State } from '../../src/core/state/state.ts';
import { UNTOLD } from './families-told.ts';
import { BOOK } from './families-venue.ts';
import type { World } from './families-world.ts';
import type { Worth } from './families-worth.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

export class Settling {
  private readonly state: State;
  private readonly world: World;
  private readonly worth: Worth;

  constructor(state: State, world: World, worth: Worth) {
    this.state = state;
    this.world = world;
    this.worth = worth;
  }

  /** In its last hour a contract is worth a mean, which a silent feed goes on adding to. */
  settles(fills: readonly FillRecord[]): boolean {
    const { state, world } = this;
    const quarter = state.instruments[BOOK.btcQuarter]!;
    if (this.worth.settlementOf(quarter) === undefined) return false;
    if (fills.some(({ instrument }) => instrument === BOOK.btcQuarter)) return true;
    return Math.abs((Number(state.indexOf(quarter)!.price) * 1e-8) / world.priceOf(quarter) - 1) > UNTOLD;
  }

  /**
   * In the last hour of a contract: what the seconds that passed added to its mean at an index that is not the outside price.
   * The contract promises the mean of the index, in which seconds that nobody saw repeat the last price (rules 5.15): its
   * holders gain or lose by that to each other, whoever they are. Seconds before the hour add nothing.
   */
  differs(accounts: readonly Account[], passedMs: number): number {
    const { state, world } = this;
    const quarter = state.instruments[BOOK.btcQuarter]!;
    const settles = this.worth.settlementOf(quarter);
    if (settles === undefined) return 0;
    let basis = 0;
    for (const { positions } of accounts)
      for (const position of positions.values())
        if (position.instrument === BOOK.btcQuarter) basis += Number(position.basis) * 1e-8;
    const price = world.priceOf(quarter);
    const away = Math.abs(Number(state.indexOf(quarter)!.price) * 1e-8 - price);
    const sampled = state.now - (quarter.futures!.delivery!.time - HOUR_MS) + SECOND_MS;
    const moved = (away * Math.min(passedMs, sampled)) / HOUR_MS;
    return ((Math.abs(basis) * moved) / settles ** 2) * price * 1.05;
  }
}
