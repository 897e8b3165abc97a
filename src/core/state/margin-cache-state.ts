/**
 * The margin of one account as last computed (`../margin/margin-cache.ts`). No part of the state: it can be thrown away at any
 * time and is not saved. Whoever changes a position, an order or a setting notes it here; what was noted is computed
 * again when margin is asked for. Dollar amounts in 10^-8; NaN where a number would not be exact.
 *
 * After each second of prices every account that acts is computed anew, so its figures lie side by side in one array:
 * thousands of accounts with ten positions each do not fit the processor's cache, and what lies scattered costs more to
 * fetch than to compute.
 */

import type { Position } from '../model/position.ts';
import { exact, exactNumber } from '../model/safe-integers.ts';

/** Columns of a line: one contract with its crossed positions and opening orders. */
export const Line = {
  instrument: 0,
  /** Which of the account's coins the profit counts in. */
  coin: 1,
  longLots: 2,
  shortLots: 3,
  /** Cost bases with their signs, in the quote coin. */
  longBasis: 4,
  shortBasis: 5,
  /** Opening orders at their prices, in the quote coin, and the most they would lose at the mark. */
  buyValue: 6,
  sellValue: 7,
  openLoss: 8,
  longLeverage: 9,
  shortLeverage: 10,
  /** At the mark, in the quote coin. */
  longValue: 11,
  shortValue: 12,
  initial: 13,
  maintenance: 14,
  /** In the settlement coin. */
  profit: 15,
  /** No opening buy is priced above, no sell below: they bound what orders would lose at the mark. */
  highestBuy: 16,
  lowestSell: 17,
  /** 1 when something was noted since it was computed. */
  noted: 18,
  /** Dollars that move when all prices move, at most (`liquidation-monitor.ts`). */
  exposure: 19,
} as const;
export const LINE_COLUMNS = 20;

/** Columns of a coin.  */
export const Worth = {
  /** Cash and locked together. */
  balance: 0,
  /** Of the lines settled in the coin. */
  profit: 1,
  /** The profit that equity and effective were computed with. */
  countedProfit: 2,
  equity: 3,
  effective: 4,
  /** First cell of its row in the ledger; -1 while it has none. */
  cells: 5,
} as const;
export const WORTH_COLUMNS = 6;

export const Total = { equity: 0, effective: 1, initial: 2, maintenance: 3, exposure: 4 } as const;
const TOTALS = 5;

const NOWHERE = -1;

export class AccountMargin {
  /** Version of the prices it was computed at. */
  prices = -1;
  /** What has to be taken anew altogether. */
  positionsUnknown = true;
  ordersUnknown = true;
  settingsUnknown = true;
  /** What debts and open spot and margin orders ask for. */
  claimsUnknown = true;
  /** Some lines are noted. */
  noted = false;
  /** Initial margin is no less than it says, but may be more than needed: losses of orders are bounds. */
  estimated = false;

  lineCount = 0;
  lines = new Float64Array(0);
  /** Line of each instrument, or -1. */
  private places = new Int32Array(0);

  readonly coins: number[] = [];
  worths = new Float64Array(0);
  /** Balances that the worths were computed with. */
  readonly cash: bigint[] = [];
  readonly locked: bigint[] = [];
  /** Changes of the account's money that have been seen (`Ledger.changesOf`). */
  moneyChanges = -1;
  /** Rows of the account whose coins are among these. */
  rowCount = 0;

  readonly totals = new Float64Array(TOTALS);
  /** Margin of debts, and what open spot and margin orders would cost as collateral while it stands behind something. */
  debtInitial = 0;
  debtMaintenance = 0;
  haircut = 0;
  /** The haircut is no less than it says, but may be more than needed: everything that orders hold counts as lost. */
  haircutEstimated = false;
  liable = false;
  readonly isolated: Position[] = [];

  /** Has anything been noted since the figures were computed? */
  get isUnsettled(): boolean {
    return (
      this.noted || this.positionsUnknown || this.ordersUnknown || this.settingsUnknown || this.claimsUnknown
    );
  }

  get equity(): number {
    return this.totals[Total.equity]!;
  }

  get effective(): number {
    return this.totals[Total.effective]!;
  }

  get initial(): number {
    return this.totals[Total.initial]! + this.debtInitial + (this.liable ? this.haircut : 0);
  }

  /** What moves with the prices of the contracts; coins come on top. */
  get exposure(): number {
    return this.totals[Total.exposure]!;
  }

  get maintenance(): number {
    return this.totals[Total.maintenance]! + this.debtMaintenance;
  }

  /** A crossed position has this size and basis now; nothing is left of it when the size is 0. */
  notePosition({ instrument, isolated, long, lots, basis }: Position): void {
    const at = this.find(instrument);
    if (isolated || lots === 0 || at < 0) {
      this.positionsUnknown = true;
      return;
    }
    const { lines } = this;
    lines[at + (long ? Line.longLots : Line.shortLots)] = lots;
    lines[at + (long ? Line.longBasis : Line.shortBasis)] = exactNumber(basis);
    this.note(at);
  }

  /** The value of opening orders at a price has changed by so much. */
  noteOrder(instrument: number, buying: boolean, priceTicks: number, value: number): void {
    const at = this.find(instrument);
    const column = at + (buying ? Line.buyValue : Line.sellValue);
    // A sum that was rounded once would stay so when its orders are gone.
    const sum = at < 0 ? Number.NaN : exact(exact(this.lines[column]!) + value);
    if (Number.isNaN(sum)) {
      this.ordersUnknown = true;
      return;
    }
    const { lines } = this;
    lines[column] = sum;
    if (buying) {
      lines[at + Line.highestBuy] = sum === 0 ? 0 : Math.max(priceTicks, lines[at + Line.highestBuy]!);
    } else {
      lines[at + Line.lowestSell] =
        sum === 0 ? Number.POSITIVE_INFINITY : Math.min(priceTicks, lines[at + Line.lowestSell]!);
    }
    this.note(at);
  }

  private note(at: number): void {
    this.lines[at + Line.noted] = 1;
    this.noted = true;
  }

  /** Where the columns of an instrument's line begin; -1 when it has none. */
  find(instrument: number): number {
    return instrument < this.places.length ? this.places[instrument]! : NOWHERE;
  }

  addLine(instrument: number, settleCoin: number): number {
    const coin = this.coinAt(settleCoin);
    const at = this.lineCount++ * LINE_COLUMNS;
    if (at === this.lines.length) this.lines = grown(this.lines, at + 4 * LINE_COLUMNS);
    if (instrument >= this.places.length) {
      const places = new Int32Array(instrument + 1).fill(NOWHERE);
      places.set(this.places);
      this.places = places;
    }
    this.places[instrument] = at;
    this.lines[at + Line.instrument] = instrument;
    this.lines[at + Line.coin] = coin;
    this.lines[at + Line.lowestSell] = Number.POSITIVE_INFINITY;
    return at;
  }

  /** Number of a coin among the account's; it joins them when it is new. */
  coinAt(coin: number): number {
    const known = this.coins.indexOf(coin);
    if (known >= 0) return known;
    this.cash.push(0n);
    this.locked.push(0n);
    const at = this.coins.push(coin) - 1;
    this.worths = grown(this.worths, (at + 1) * WORTH_COLUMNS);
    this.worths[at * WORTH_COLUMNS + Worth.cells] = NOWHERE;
    return at;
  }
}

function grown(old: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const array = new Float64Array(length);
  array.set(old);
  return array;
}
