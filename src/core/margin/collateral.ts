/** Dollar values of coins, and how much of them counts as margin (rules 6.1, 6.2). */

import type { IndexPrice } from '../marketdata/index-price.ts';
import type { CoinSpec, CollateralTier } from '../model/listing-spec.ts';
import { DOLLAR_COINS, INDEX_QUOTES } from '../model/listing-spec.ts';
import { floorShare } from '../model/safe-integers.ts';
import {
  divFloor,
  MONEY_ONE,
  MONEY_SCALE,
  parseUnits,
  powerOfTen,
  RATE_ONE,
  RATE_SCALE,
  smaller,
} from '../model/units.ts';
import type { CollateralSlice, CollateralTerms, State } from '../state/state.ts';

/** 10^-8 dollars of one coin as of the last second; 0 without a price. */
export function coinUsd(state: State, coin: number): bigint {
  return state.coinPrices[coin] ?? findUsdPrice(state, state.coins[coin]!.coin);
}

/**
 * Does the coin have an index price? A price of the own book alone could be set by one trader. It is only displayed: the
 * coin counts neither as margin nor as a pledge, is not lent and not sold for debts.
 */
export function isIndexed(state: State, coin: number): boolean {
  return state.coinIndexed[coin] ?? hasIndexPrice(state, state.coins[coin]!.coin);
}

export function indexedCoins(state: State): boolean[] {
  return state.coins.map(({ coin }) => hasIndexPrice(state, coin));
}

function hasIndexPrice(state: State, name: string): boolean {
  return DOLLAR_COINS.has(name) || INDEX_QUOTES.some((quote) => indexPrice(state, name + quote) !== 0n);
}

/** Is the index that prices the coin stale? */
export function hasStalePrice(state: State, coin: number): boolean {
  return coinIndex(state, coin)?.stale ?? false;
}

/** Is it stale, or thin (one live component left of several)? No forced close happens at such a price (rules 13.6). */
export function hasUnsafePrice(state: State, coin: number): boolean {
  return coinIndex(state, coin)?.isUnsafe ?? false;
}

/** Is it stale, thin or silent? Nothing is lent and no margin leaves at such a price (rules 13.6 (d)). */
export function hasUnreliablePrice(state: State, coin: number): boolean {
  const index = coinIndex(state, coin);
  return index !== undefined && isUnreliable(state, index);
}

/** May a trader know a better price than this index? It is stale or thin, or no feed has reported for a minute. */
export function isUnreliable({ rules, now }: State, index: IndexPrice): boolean {
  return index.isUnsafe || (rules.livePrices && index.isSilent(now));
}

/** The index that the coin's price comes from. A stablecoin is priced from several (rules 13.3). */
export function coinIndex(state: State, coin: number): IndexPrice | undefined {
  const name = state.coins[coin]!.coin;
  if (state.rules.stablecoinPrices && DOLLAR_COINS.has(name)) return undefined;
  for (const quote of INDEX_QUOTES) {
    const index = state.indexByName.get(name + quote);
    if (index !== undefined && state.indices[index]!.price !== 0n) return state.indices[index];
  }
  return undefined;
}

/** Samples the prices of all coins, once a second: margin must not depend on when it is read. */
export function sampleCoinPrices(state: State): void {
  state.setCoinPrices([], []);
  state.setCoinPrices(
    state.coins.map(({ coin }) => findUsdPrice(state, coin)),
    indexedCoins(state),
  );
}

/** The coin's own dollar index, else its USDT index, else the last trade on the own spot book. */
function findUsdPrice(state: State, name: string): bigint {
  if (state.rules.stablecoinPrices && DOLLAR_COINS.has(name))
    return name === 'USDT' || name === 'USDC' ? state.stablecoins[name].price : MONEY_ONE;
  const direct = indexPrice(state, `${name}USD`);
  if (direct !== 0n) return direct;
  const byIndex = indexPrice(state, `${name}USDT`);
  if (byIndex === 0n && DOLLAR_COINS.has(name)) return MONEY_ONE;
  const tether = state.coinByName.get('USDT');
  const perTether = tether === undefined ? MONEY_ONE : coinUsd(state, tether);
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

/** Margin value of a positive dollar amount of a coin: each slice at the rate of its tier, up to the cap in coins. */
export function collateralValue(state: State, coin: number, usd: bigint): bigint {
  const most = smaller(usd, capUsd(state, coin) ?? usd);
  let value = 0n;
  for (const { from, upTo, rate } of slicesOf(state, coin)) {
    if (most <= from) break;
    const end = upTo === undefined ? most : smaller(most, upTo);
    value += divFloor((end - from) * rate, RATE_ONE);
  }
  return value;
}

/** Collateral rate of the slice that a dollar value reaches into; 0 for a coin that does not count. */
export function collateralRate(state: State, coin: number, usd: bigint): bigint {
  let reached = 0n;
  if (usd > (capUsd(state, coin) ?? usd)) return reached;
  for (const { from, rate } of slicesOf(state, coin)) {
    if (from > 0n && usd <= from) break;
    reached = rate;
  }
  return reached;
}

/** Margin value in exact numbers; NaN when the rates are too fine for them. */
export function collateralNumber(state: State, coin: number, usd: number): number {
  const { capNumber, slices } = state.collateral[coin] ?? collateralTerms(state, coin);
  const most = Math.min(usd, capNumber);
  let value = 0;
  for (let n = 0; n < slices.length; n++) {
    const { fromNumber, upToNumber, share, divisor } = slices[n]!;
    if (most <= fromNumber) break;
    value += floorShare(Math.min(most, upToNumber) - fromNumber, share, divisor);
  }
  return value;
}

/** Kept until prices are sampled again, where they have been sampled. */
function collateralTerms(state: State, coin: number): CollateralTerms {
  const cap = capUsd(state, coin);
  const capNumber = cap === undefined ? Number.POSITIVE_INFINITY : Number(cap);
  const terms = { capNumber, slices: slicesOf(state, coin) };
  if (coin < Math.min(state.coinPrices.length, state.coinIndexed.length)) state.collateral[coin] = terms;
  return terms;
}

/** Dollars of all the coins that an account may count; undefined when nothing bounds them. */
function capUsd(state: State, coin: number): bigint | undefined {
  const spec = state.coins[coin]!;
  if (spec.collateralCap === undefined) return undefined;
  let cap = CAPS.get(spec);
  if (cap === undefined) {
    cap = parseUnits(spec.collateralCap, MONEY_SCALE) ?? 0n;
    CAPS.set(spec, cap);
  }
  return divFloor(cap * coinUsd(state, coin), MONEY_ONE);
}

/** In 10^-8 of the coin; read once, as the slices are. */
const CAPS = new WeakMap<CoinSpec, bigint>();

/** Part of a coin's dollar value that counts at one rate. */
interface Slice extends CollateralSlice {
  readonly from: bigint;
  readonly upTo: bigint | undefined;
  readonly rate: bigint;
}

/** Does any of the coin count as margin? */
export function countsAsMargin(state: State, coin: number): boolean {
  return slicesOf(state, coin).some(({ rate }) => rate > 0n);
}

const NO_SLICES: readonly Slice[] = [];

function slicesOf(state: State, coin: number): readonly Slice[] {
  return isIndexed(state, coin) ? readSlices(state.coins[coin]!) : NO_SLICES;
}

/** Read once per specification, which never changes. */
const SLICES = new WeakMap<CoinSpec, readonly Slice[]>();

function readSlices(spec: CoinSpec): readonly Slice[] {
  const known = SLICES.get(spec);
  if (known !== undefined) return known;
  const tiers = collateralTiers(spec);
  const slices = tiers.map((tier, n): Slice => {
    const next = tiers[n + 1];
    const from = tierStart(tier);
    const upTo = next === undefined ? undefined : tierStart(next);
    const rate = parseUnits(tier.discountRate, RATE_SCALE) ?? 0n;
    const [share, divisor] = smallFraction(rate);
    return {
      from,
      upTo,
      rate,
      fromNumber: Number(from),
      upToNumber: upTo === undefined ? Number.POSITIVE_INFINITY : Number(upTo),
      share,
      divisor,
    };
  });
  SLICES.set(spec, slices);
  return slices;
}

/** A rate over the smallest power of ten; NaN when that is not exact in a product. */
function smallFraction(rate: bigint): readonly [number, number] {
  let share = rate;
  let divisor = RATE_ONE;
  while (divisor > 1n && share % 10n === 0n) {
    share /= 10n;
    divisor /= 10n;
  }
  const fits = share * divisor <= BigInt(Number.MAX_SAFE_INTEGER);
  return fits ? [Number(share), Number(divisor)] : [Number.NaN, 1];
}

/** Rates by slices of the dollar value; a coin without any counts for nothing. */
export function collateralTiers({ coin, collateral }: CoinSpec): readonly CollateralTier[] {
  return collateral ?? (DOLLAR_COINS.has(coin) ? WHOLE : []);
}

const WHOLE: readonly CollateralTier[] = [{ tierStartValue: '0', discountRate: '1' }];

function tierStart(tier: CollateralTier): bigint {
  return parseUnits(tier.tierStartValue, MONEY_SCALE) ?? 0n;
}
