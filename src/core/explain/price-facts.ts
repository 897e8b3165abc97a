/** Prices of coins in a rejection: what a coin is worth, when that was reported, and the price of a conversion (rules 13.3). */
import { coinIndex, coinUsd } from '../margin/collateral.ts';
import { freshIndex, stablecoinReportedAt } from '../margin/stablecoin-prices.ts';
import type { IndexPrice } from '../marketdata/index-price.ts';
import { divFloor, formatMoney, MONEY_ONE, smaller } from '../model/units.ts';
import type { State } from '../state/state.ts';
import { coinName, type Facts, percentText, timeText, usdText, yesNo } from './figures.ts';

export function indexFacts(state: State, name: string, index: IndexPrice | undefined): Facts {
  if (index === undefined) return { [name]: 'no index' };
  const reported = index.reportedAt(state.now);
  const age = reported === 0 ? 'never reported' : `reported ${timeText(reported)}`;
  return { [name]: `${usdText(index.price)}, ${age}, stale: ${yesNo(index.stale)}` };
}

export function coinPriceFacts(state: State, coin: number): Facts {
  const name = coinName(state, coin);
  const index = coinIndex(state, coin);
  if (index !== undefined) return indexFacts(state, name, index);
  const worth = usdText(coinUsd(state, coin));
  if (name === 'USD') return { [name]: worth };
  if (name !== 'USDT' && name !== 'USDC') return indexFacts(state, name, undefined);
  // A stablecoin has the mean of a minute of what several indices say.
  const reported = stablecoinReportedAt(state, name, state.now);
  const stale = reported === 0;
  const age = reported === undefined ? 'never reported' : stale ? 'old' : `reported ${timeText(reported)}`;
  return { [name]: `${worth}, ${age}, stale: ${yesNo(stale)}` };
}

/** The pair's own index, the same by the prices of the two coins, and how far apart they are; nothing where there is no such index. */
export function crossFacts(state: State, debtCoin: number, payCoin: number): Facts {
  for (const [base, quote] of [
    [debtCoin, payCoin],
    [payCoin, debtCoin],
  ] as const) {
    const pair = coinName(state, base) + coinName(state, quote);
    const direct = freshIndex(state, pair)?.price;
    const perQuote = coinUsd(state, quote);
    if (direct === undefined || perQuote === 0n) continue;
    const [crossed, straight] = [coinUsd(state, base) * MONEY_ONE, direct * perQuote];
    const apart = crossed < straight ? straight - crossed : crossed - straight;
    return {
      [`index ${pair}`]: formatMoney(direct),
      [`cross ${pair}`]: formatMoney(divFloor(crossed, perQuote)),
      apart: percentText(apart, smaller(crossed, straight)),
    };
  }
  return {};
}
