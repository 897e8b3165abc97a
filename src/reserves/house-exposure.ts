/**
 * What the house has at stake in coins and dollars, held against the limits of its operator; and whether everything is
 * there that is owed (rules 13.5). One computation: the operator's page, metrics and readiness present it.
 *
 * All figures but bad debt and solvency are running totals. These two take a look at every account with a position, a debt
 * or a loan, so pages that anybody may read get them from a look that is kept: at most one in a second, and never more than a
 * hundredth of the thread's time. A look at many accounts is taken in slices between which the exchange does its work.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { divFloor, formatUnits, MONEY_ONE } from '../core/model/units.ts';
import {
  type CoinExposure,
  EXPOSURE_FIGURES,
  type ExposureFigure,
  exposureOf,
} from '../core/reads/exposure-reads.ts';
import { closeOnlyCoins } from '../core/reads/house-reads.ts';
import { coinUsd } from '../core/reads/margin-reads.ts';
import {
  type CoinSolvency,
  type Solvency,
  SolvencyRead,
  worstSolvency,
} from '../core/reads/solvency-reads.ts';
import type { Sequencer } from '../sequencer/sequencer.ts';
import { type ExposureLimit, LIMIT_KINDS } from './exposure-limits.ts';
import { LOOKS_AT_A_TIME } from './solvency-slices.ts';

/** 10^-8 dollars by figure. */
export type ExposureDollars = Readonly<Record<ExposureFigure, bigint>>;

export interface ExposedCoin {
  readonly coin: string;
  /** 10^-8 dollars; 0 for a coin without a price, which counts for nothing in sums and limits. */
  readonly price: bigint;
  readonly amounts: CoinExposure;
  readonly dollars: ExposureDollars;
}

export interface LimitReading extends ExposureLimit {
  readonly kind: 'most' | 'least';
  /** What the limit is compared with, 10^-8 dollars. */
  readonly value: bigint;
  readonly passed: boolean;
}

export interface Exposure {
  /** The exchange's time. */
  readonly time: number;
  /** Coins of which any figure is not zero. */
  readonly coins: readonly ExposedCoin[];
  readonly totals: ExposureDollars;
  readonly limits: readonly LimitReading[];
  /** Coins whose contracts only close, because the house lacks more than fund and allowance (rules 13.2). */
  readonly closeOnly: readonly string[];
  /** The solvency of the worst coin, and the coins that are not solvent. */
  readonly solvency: Solvency;
  readonly missing: readonly { readonly coin: string; readonly solvency: Solvency }[];
}

/** In 10^-8 dollars. */
const CENT = MONEY_ONE / 100n;
const LOOK_INTERVAL_MIN_MS = 1000;
/** A look is kept so many times as long as it took. */
const REST_PER_LOOK = 100;

export class HouseExposure {
  readonly #sequencer: Pick<Sequencer, 'state'>;
  readonly #limits: readonly ExposureLimit[];
  #look: readonly CoinSolvency[] | undefined;
  #nextLookMs = 0;
  #underWay: Promise<void> | undefined;

  constructor(sequencer: Pick<Sequencer, 'state'>, limits: readonly ExposureLimit[]) {
    this.#sequencer = sequencer;
    this.#limits = limits;
  }

  /** Everything as of now; bad debt and solvency as of the call, or of the last look before work that is open. */
  async now(): Promise<Exposure> {
    await this.#underWay;
    await this.#lookAgain();
    return this.#exposure();
  }

  /** The same, with bad debt and solvency of the last look. One that is due is begun, and with few accounts done at once. */
  kept(): Exposure {
    if (performance.now() >= this.#nextLookMs) void this.#lookAgain();
    return this.#exposure();
  }

  #lookAgain(): Promise<void> {
    this.#underWay ??= this.#takeLook().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #takeLook(): Promise<void> {
    // What open work has collected and not yet paid out is in no account (rules 14.3, 14.5): debts that it pays would look bad.
    if (this.#look !== undefined && this.#sequencer.state.works.length > 0) return;
    const read = new SolvencyRead(this.#sequencer.state);
    // The first read is done in one piece, at the start: the exchange must not appear solvent before it was checked.
    const looks = this.#look === undefined ? Number.POSITIVE_INFINITY : LOOKS_AT_A_TIME;
    let spentMs = 0;
    try {
      for (;;) {
        const beganMs = performance.now();
        const isDone = read.advance(looks);
        spentMs += performance.now() - beganMs;
        if (isDone) break;
        await turn();
      }
    } finally {
      read.close();
    }
    this.#look = read.result();
    this.#nextLookMs = performance.now() + Math.max(LOOK_INTERVAL_MIN_MS, REST_PER_LOOK * spentMs);
  }

  #exposure(): Exposure {
    const { state } = this.#sequencer;
    const look = this.#look!;
    const all = exposureOf(state, look).map((amounts, index): ExposedCoin => {
      const price = coinUsd(state, index);
      const dollars = byFigure((figure) => divFloor(amounts[figure] * price, MONEY_ONE));
      return { coin: state.coins[index]!.coin, price, amounts, dollars };
    });
    const coins = all.filter(({ amounts }) => EXPOSURE_FIGURES.some((figure) => amounts[figure] !== 0n));
    const missing = look.flatMap(({ solvency }, index) =>
      solvency === 'solvent' ? [] : [{ coin: state.coins[index]!.coin, solvency }],
    );
    return {
      time: state.now,
      coins,
      totals: byFigure((figure) => totalOf(coins, figure)),
      limits: this.#limits.map((limit) => readLimit(coins, limit)),
      closeOnly: closeOnlyCoins(state).map((coin) => state.coins[coin]!.coin),
      solvency: worstSolvency(look),
      missing,
    };
  }
}

/** What the house has bought and what it has paid belong together: the larger side is at stake. */
function totalOf(coins: readonly ExposedCoin[], figure: ExposureFigure): bigint {
  let [above, below] = [0n, 0n];
  for (const { dollars } of coins) {
    if (dollars[figure] > 0n) above += dollars[figure];
    else below -= dollars[figure];
  }
  if (figure === 'conversion') return above > below ? above : below;
  return above - below;
}

function readLimit(coins: readonly ExposedCoin[], limit: ExposureLimit): LimitReading {
  const { figure, coin, usd } = limit;
  const kind = LIMIT_KINDS[figure];
  const value = totalOf(coin === undefined ? coins : coins.filter((row) => row.coin === coin), figure);
  return { ...limit, kind, value, passed: kind === 'most' ? value > usd : value < usd };
}

/** One sentence for each limit that is passed. */
export function exposureWarnings({ limits, closeOnly }: Pick<Exposure, 'limits' | 'closeOnly'>): string[] {
  const passed = limits.filter((limit) => limit.passed);
  return [
    ...passed.map(({ figure, coin, kind, value, usd }) => {
      const name = coin === undefined ? figure : `${figure} of ${coin}`;
      const side = kind === 'most' ? 'above' : 'below';
      return `${name} is ${dollarText(value)} USD, ${side} its limit of ${dollarText(usd)}`;
    }),
    ...closeOnly.map(
      (coin) => `contracts of ${coin} only close: the house lacks more than fund and allowance`,
    ),
  ];
}

/** To the cent, rounded down. */
export function dollarText(usd: bigint): string {
  return formatUnits(divFloor(usd, CENT), 2);
}

function byFigure(dollarsOf: (figure: ExposureFigure) => bigint): ExposureDollars {
  return Object.fromEntries(EXPOSURE_FIGURES.map((figure) => [figure, dollarsOf(figure)])) as ExposureDollars;
}
