/** What coins are worth in dollars, and how much of that counts as margin (domain.md 6.1, 6.2). */
import type { CoinSpec, CollateralTier } from '../instrument.ts';
import type { State } from '../state.ts';
import {
  divFloor,
  MONEY_ONE,
  MONEY_SCALE,
  parseUnits,
  powerOfTen,
  RATE_ONE,
  RATE_SCALE,
  smaller,
} from '../units.ts';

const DOLLAR_COINS: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC']);

/** 10^-8 dollars of one coin as of the last second; 0 when nothing tells. */
export function coinUsd(state: State, coin: number): bigint {
  return state.coinPrices[coin] ?? findUsdPrice(state, state.coins[coin]!.coin);
}

/** Taken once a second, so that margin does not hang on who asked first. */
export function takeCoinPrices(state: State): void {
  state.coinPrices = [];
  state.coinPrices = state.coins.map(({ coin }) => findUsdPrice(state, coin));
}

/** The coin's own dollar index, else its USDT index, else the last trade on the own spot book. */
function findUsdPrice(state: State, name: string): bigint {
  const direct = indexPrice(state, `${name}USD`);
  if (direct !== 0n) return direct;
  if (DOLLAR_COINS.has(name)) return MONEY_ONE;
  const tether = state.coinByName.get('USDT');
  const perTether = tether === undefined ? MONEY_ONE : coinUsd(state, tether);
  const byIndex = indexPrice(state, `${name}USDT`);
  if (byIndex !== 0n) return divFloor(byIndex * perTether, MONEY_ONE);
  const pair = state.instrument('SPOT', `${name}USDT`);
  if (pair === undefined) return 0n;
  const ticks = state.market(pair).day.lastTicks || pair.openingTicks;
  return divFloor(BigInt(ticks) * powerOfTen(MONEY_SCALE - pair.pricePrecision) * perTether, MONEY_ONE);
}

function indexPrice(state: State, name: string): bigint {
  const index = state.indexByName.get(name);
  return index === undefined ? 0n : state.indices[index]!.price;
}

/** Margin value of a positive dollar amount of a coin: each slice at the rate of its tier. */
export function collateralValue(state: State, coin: number, usd: bigint): bigint {
  const tiers = collateralTiers(state.coins[coin]!);
  let value = 0n;
  for (const [n, tier] of tiers.entries()) {
    const from = tierStart(tier);
    if (usd <= from) break;
    const next = tiers[n + 1];
    const upTo = next === undefined ? usd : smaller(usd, tierStart(next));
    value += divFloor((upTo - from) * (parseUnits(tier.discountRate, RATE_SCALE) ?? 0n), RATE_ONE);
  }
  return value;
}

/** Rates by slices of the dollar value; a coin without any counts for nothing. */
export function collateralTiers({ coin, collateral }: CoinSpec): readonly CollateralTier[] {
  return collateral ?? (DOLLAR_COINS.has(coin) ? WHOLE : []);
}

const WHOLE: readonly CollateralTier[] = [{ tierStartValue: '0', discountRate: '1' }];

function tierStart(tier: CollateralTier): bigint {
  return parseUnits(tier.tierStartValue, MONEY_SCALE) ?? 0n;
}
