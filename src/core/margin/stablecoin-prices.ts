/** Dollar prices of the stablecoins, from the indices of other coins (rules 13.3). */

import { type IndexPrice, median } from '../marketdata/index-price.ts';
import { divHalf, MONEY_ONE } from '../model/units.ts';
import type { State } from '../state/state.ts';

/** Two prices reported farther apart than this are not compared. */
const TOGETHER_MS = 60_000;

/** Each second, after the indices: first USDT, because the price of USDC may be derived from it. */
export function sampleStablecoinPrices(state: State, time: number, seconds: number): void {
  const { USDT, USDC } = state.stablecoins;
  USDT.add(freshPrice(state, 'USDTUSD') ?? voteOf(state, 'USDT', time), time, seconds);
  const perTether = freshPrice(state, 'USDCUSDT');
  // By USDT of this second and not by its mean: else a jump of USDT would stay in the mean of USDC for two minutes.
  const byTether = perTether === undefined ? undefined : divHalf(perTether * USDT.last, MONEY_ONE);
  USDC.add(freshPrice(state, 'USDCUSD') ?? byTether ?? voteOf(state, 'USDC', time), time, seconds);
}

/** The median over all coins of what they cost in dollars by what they cost in this coin. */
function voteOf(state: State, stablecoin: string, time: number): bigint | undefined {
  const votes: bigint[] = [];
  for (const { coin } of state.coins) {
    const inDollars = freshIndex(state, `${coin}USD`);
    const inCoin = freshIndex(state, `${coin}${stablecoin}`);
    if (inDollars === undefined || inCoin === undefined) continue;
    const apart = Math.abs(inDollars.reportedAt(time) - inCoin.reportedAt(time));
    if (apart <= TOGETHER_MS) votes.push(divHalf(inDollars.price * MONEY_ONE, inCoin.price));
  }
  return votes.length === 0 ? undefined : median(votes);
}

/**
 * When the present price of a stablecoin was reported: the older of the two prices that make a vote. 0 while all of them are
 * stale; undefined if no index ever had a price, where the coin counts as one dollar.
 */
export function stablecoinReportedAt(
  state: State,
  stablecoin: 'USDT' | 'USDC',
  time: number,
): number | undefined {
  const own = reportedAt(state, `${stablecoin}USD`, time);
  if (own !== undefined && own > 0) return own;
  const byTether = stablecoin === 'USDC' ? reportedAt(state, 'USDCUSDT', time) : undefined;
  if (byTether !== undefined && byTether > 0)
    return Math.min(byTether, stablecoinReportedAt(state, 'USDT', time) ?? byTether);
  let latest = own ?? byTether;
  for (const { coin } of state.coins) {
    const [inDollars, inCoin] = [
      reportedAt(state, `${coin}USD`, time),
      reportedAt(state, `${coin}${stablecoin}`, time),
    ];
    if (inDollars === undefined || inCoin === undefined) continue;
    const voted = Math.abs(inDollars - inCoin) <= TOGETHER_MS ? Math.min(inDollars, inCoin) : 0;
    latest = Math.max(latest ?? 0, voted);
  }
  return latest;
}

/** 0 while the index is stale, undefined without one that ever had a price. */
function reportedAt(state: State, name: string, time: number): number | undefined {
  const index = state.indexByName.get(name);
  const found = index === undefined ? undefined : state.indices[index]!;
  if (found === undefined || found.price === 0n) return undefined;
  return found.stale ? 0 : found.reportedAt(time);
}

function freshPrice(state: State, name: string): bigint | undefined {
  return freshIndex(state, name)?.price;
}

/** The index of this name while it has a price and is not stale. */
export function freshIndex(state: State, name: string): IndexPrice | undefined {
  const index = state.indexByName.get(name);
  const found = index === undefined ? undefined : state.indices[index]!;
  return found === undefined || found.stale || found.price === 0n ? undefined : found;
}
