/**
 * Dollar prices of coins as one random process in continuous time, so that a step of any length, a fifth of a second
 * or
 * an hour, gives the same kind of market:
 *   - all coins share one market movement, each has one of its own (`correlation` is the shared part);
 *   - volatility varies on two scales, minutes and half days, and in regimes of hours (calm, usual, storm);
 *   - regimes also have a drift: a storm mostly falls;
 *   - prices jump at random times;
 *   - stablecoins stay near one; all others return to their first price over months.
 */

import { clamp, decay, exp, log } from '../deterministic-math.ts';
import { DOLLARS, type MarketParameters } from '../parameters.ts';
import { Rng } from '../rng.ts';

const YEAR_S = 365 * 86_400;
const DAY_S = 86_400;

interface Regime {
  readonly name: string;
  readonly volatility: number;
  /** Drift of the market per day, as a fraction. */
  readonly driftPerDay: number;
  readonly meanHours: number;
  readonly weight: number;
}

const REGIMES: readonly Regime[] = [
  { name: 'calm', volatility: 0.65, driftPerDay: 0.001, meanHours: 8, weight: 4 },
  { name: 'usual', volatility: 1, driftPerDay: 0.002, meanHours: 8, weight: 5 },
  { name: 'rally', volatility: 1.25, driftPerDay: 0.03, meanHours: 4, weight: 2 },
  { name: 'storm', volatility: 2, driftPerDay: -0.04, meanHours: 1.5, weight: 1.5 },
];

/** Deviations and half-lives of the two components of log volatility. */
const FAST = { deviation: 0.35, halfLifeS: 20 * 60 };
const SLOW = { deviation: 0.4, halfLifeS: 12 * 3600 };
/** Keeps the mean square at one. */
const MEAN_SQUARE = FAST.deviation ** 2 + SLOW.deviation ** 2;

const MARKET_JUMPS_PER_DAY = 1.5;
const MARKET_JUMP = 0.005;
const OWN_JUMPS_PER_DAY = 0.7;
const OWN_JUMP = 0.01;
/** Deviation of stablecoins from one dollar, and its half-life. */
const PEG = { deviation: 0.0004, halfLifeS: 6 * 3600 };
const ANCHOR_HALF_LIFE_S = 90 * DAY_S;

interface Coin {
  readonly name: string;
  readonly pegged: boolean;
  readonly volatility: number;
  readonly correlation: number;
  readonly anchor: number;
  readonly rng: Rng;
  /** Logarithm of the dollar price. */
  level: number;
  /** Remaining effect of shocks, and the seconds they have left. */
  shock: number;
  shockS: number;
}

export class CoinPrices {
  private readonly parameters: MarketParameters;
  private readonly seed: number;
  private readonly intensity: number;
  private readonly rng: Rng;
  private readonly coins = new Map<string, Coin>();
  private fast = 0;
  private slow = 0;
  private regime = REGIMES[1]!;

  /** `intensity` multiplies every volatility. */
  constructor(parameters: MarketParameters, seed: number, intensity: number) {
    this.parameters = parameters;
    this.seed = seed;
    this.intensity = intensity;
    this.rng = new Rng(seed, 'market');
    this.fast = this.rng.normal() * FAST.deviation;
    this.slow = this.rng.normal() * SLOW.deviation;
  }

  has(name: string): boolean {
    return this.coins.has(name);
  }

  /** Starts a coin at a dollar price; a known coin is unchanged. */
  add(name: string, price: number): void {
    if (this.coins.has(name) || name === 'USD') return;
    const { volatility, correlation } = this.parameters.coin(name);
    const level = log(price);
    this.coins.set(name, {
      name,
      pegged: DOLLARS.has(name),
      volatility,
      correlation,
      anchor: level,
      rng: new Rng(this.seed, `coin ${name}`),
      level,
      shock: 0,
      shockS: 0,
    });
  }

  /** Logarithm of the dollar price. */
  level(name: string): number {
    return this.coins.get(name)?.level ?? 0;
  }

  /** Present volatility over the usual one. */
  get relativeVolatility(): number {
    return this.regime.volatility * exp(this.fast + this.slow - MEAN_SQUARE);
  }

  shock(name: string, factor: number, overMs: number): boolean {
    const coin = this.coins.get(name);
    if (coin === undefined || coin.pegged) return false;
    coin.shock += log(factor);
    coin.shockS = Math.max(overMs / 1000, 0.001);
    return true;
  }

  step(seconds: number): void {
    const { rng } = this;
    this.fast = ornsteinUhlenbeckStep(this.fast, FAST.deviation, FAST.halfLifeS, seconds, rng.normal());
    this.slow = ornsteinUhlenbeckStep(this.slow, SLOW.deviation, SLOW.halfLifeS, seconds, rng.normal());
    if (rng.chance(1 - decay(seconds, this.regime.meanHours * 3600 * Math.LN2)))
      this.regime = nextRegime(rng);
    const relativeVolatility = this.relativeVolatility * this.intensity;
    const market = rng.normal();
    const drift = (this.regime.driftPerDay * seconds) / DAY_S;
    const jump = jumpIn(rng, MARKET_JUMPS_PER_DAY, MARKET_JUMP * this.intensity, seconds);
    const root = Math.sqrt(seconds / YEAR_S);
    for (const coin of this.coins.values()) {
      if (coin.pegged) {
        coin.level = ornsteinUhlenbeckStep(
          coin.level,
          PEG.deviation,
          PEG.halfLifeS,
          seconds,
          coin.rng.normal(),
        );
        continue;
      }
      const { correlation, volatility } = coin;
      const own = coin.rng.normal() * Math.sqrt(1 - correlation * correlation);
      const size = volatility * relativeVolatility * root;
      const ownJump = jumpIn(coin.rng, OWN_JUMPS_PER_DAY, OWN_JUMP * volatility * this.intensity, seconds);
      const pull = (coin.anchor - coin.level) * (1 - decay(seconds, ANCHOR_HALF_LIFE_S));
      coin.level += size * (correlation * market + own) + correlation * (drift + jump) + ownJump + pull;
      coin.level += shockPart(coin, seconds);
    }
  }
}

/** One exact step of an Ornstein-Uhlenbeck process around zero. */
export function ornsteinUhlenbeckStep(
  value: number,
  deviation: number,
  halfLifeS: number,
  seconds: number,
  normal: number,
): number {
  const kept = decay(seconds, halfLifeS);
  return value * kept + deviation * Math.sqrt(1 - kept * kept) * normal;
}

function nextRegime(rng: Rng): Regime {
  const total = REGIMES.reduce((sum, { weight }) => sum + weight, 0);
  let left = rng.next() * total;
  for (const regime of REGIMES) {
    left -= regime.weight;
    if (left < 0) return regime;
  }
  return REGIMES[0]!;
}

function jumpIn(rng: Rng, perDay: number, size: number, seconds: number): number {
  if (!rng.chance(clamp((perDay * seconds) / DAY_S, 0, 1))) return 0;
  return rng.normal() * size;
}

function shockPart(coin: Coin, seconds: number): number {
  if (coin.shockS <= 0) return 0;
  const share = clamp(seconds / coin.shockS, 0, 1);
  const part = coin.shock * share;
  coin.shock -= part;
  coin.shockS -= seconds;
  return part;
}
