/** What coins that are meant to be worth a dollar are worth by the indices of other coins (rules 13.3). */

import { type IndexPrice, median } from '../marketdata/index-price.ts';
import { divHalf, MONEY_ONE } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Two prices that were told farther apart say nothing about each other. */
const TOGETHER_MS = 60_000;

/** A value by the indices of a second. */
interface DollarVote {
  readonly price: bigint;
  /** When the older of the indices behind it was told. */
  readonly told: number;
}

/** Each second, after the indices: first USDT, which USDC may lean on. */
export function sampleDollarPrices(state: State, time: number, seconds: number): void {
  const { USDT, USDC } = state.dollars;
  USDT.add(tetherVote(state, time)?.price, time, seconds);
  USDC.add(usdcVote(state, time)?.price, time, seconds);
}

/** Was the price of a dollar coin said by indices that were told within the time? A dollar that nobody prices is one. */
export function isDollarToldWithin(state: State, coin: 'USDT' | 'USDC', ms: number): boolean {
  const { now, dollars } = state;
  const vote = coin === 'USDT' ? tetherVote(state, now) : usdcVote(state, now);
  return vote === undefined ? !dollars[coin].isRepeatedAt(now) : now - vote.told <= ms;
}

function tetherVote(state: State, time: number): DollarVote | undefined {
  return ownIndex(state, 'USDTUSD', time) ?? voteOf(state, 'USDT', time);
}

function usdcVote(state: State, time: number): DollarVote | undefined {
  return ownIndex(state, 'USDCUSD', time) ?? byTether(state, time) ?? voteOf(state, 'USDC', time);
}

function byTether(state: State, time: number): DollarVote | undefined {
  const inTether = ownIndex(state, 'USDCUSDT', time);
  if (inTether === undefined) return undefined;
  const price = divHalf(inTether.price * state.dollars.USDT.price, MONEY_ONE);
  const told = tetherVote(state, time)?.told ?? inTether.told;
  return { price, told: Math.min(inTether.told, told) };
}

/** The median over all coins of what they cost in dollars by what they cost in this coin. */
function voteOf(state: State, dollar: string, time: number): DollarVote | undefined {
  const votes: bigint[] = [];
  let told = 0;
  for (const { coin } of state.coins) {
    const inDollars = firmIndex(state, `${coin}USD`);
    const inCoin = firmIndex(state, `${coin}${dollar}`);
    if (inDollars === undefined || inCoin === undefined) continue;
    const [one, other] = [inDollars.toldAt(time), inCoin.toldAt(time)];
    if (Math.abs(one - other) > TOGETHER_MS) continue;
    votes.push(divHalf(inDollars.price * MONEY_ONE, inCoin.price));
    told = Math.max(told, Math.min(one, other));
  }
  return votes.length === 0 ? undefined : { price: median(votes), told };
}

function ownIndex(state: State, name: string, time: number): DollarVote | undefined {
  const index = firmIndex(state, name);
  return index && { price: index.price, told: index.toldAt(time) };
}

/** The index of this name when it has a price that somebody vouches for. */
export function firmIndex(state: State, name: string): IndexPrice | undefined {
  const index = state.indexByName.get(name);
  const found = index === undefined ? undefined : state.indices[index]!;
  return found === undefined || found.stale || found.price === 0n ? undefined : found;
}
