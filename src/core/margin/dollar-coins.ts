/** What coins that are meant to be worth a dollar are worth by the indices of other coins (rules 13.3). */

import { type IndexPrice, median } from '../marketdata/index-price.ts';
import { divHalf, MONEY_ONE } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Two prices that were told farther apart say nothing about each other. */
const TOGETHER_MS = 60_000;

/** Each second, after the indices: first USDT, which USDC may lean on. */
export function takeDollarPrices(state: State, time: number, seconds: number): void {
  const { USDT, USDC } = state.dollars;
  USDT.add(firmPrice(state, 'USDTUSD') ?? voteOf(state, 'USDT', time), time, seconds);
  const perTether = firmPrice(state, 'USDCUSDT');
  const byTether = perTether === undefined ? undefined : divHalf(perTether * USDT.price, MONEY_ONE);
  USDC.add(firmPrice(state, 'USDCUSD') ?? byTether ?? voteOf(state, 'USDC', time), time, seconds);
}

/** The median over all coins of what they cost in dollars by what they cost in this coin. */
function voteOf(state: State, dollar: string, time: number): bigint | undefined {
  const votes: bigint[] = [];
  for (const { coin } of state.coins) {
    const inDollars = firmIndex(state, `${coin}USD`);
    const inCoin = firmIndex(state, `${coin}${dollar}`);
    if (inDollars === undefined || inCoin === undefined) continue;
    const apart = Math.abs(inDollars.toldAt(time) - inCoin.toldAt(time));
    if (apart <= TOGETHER_MS) votes.push(divHalf(inDollars.price * MONEY_ONE, inCoin.price));
  }
  return votes.length === 0 ? undefined : median(votes);
}

function firmPrice(state: State, name: string): bigint | undefined {
  return firmIndex(state, name)?.price;
}

/** The index of this name when it has a price that somebody vouches for. */
export function firmIndex(state: State, name: string): IndexPrice | undefined {
  const index = state.indexByName.get(name);
  const found = index === undefined ? undefined : state.indices[index]!;
  return found === undefined || found.stale || found.price === 0n ? undefined : found;
}
