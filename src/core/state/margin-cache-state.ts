/**
 * The cached margin of one account, and the changes since. It is not part of the state: it can be dropped
 * at any time and is not saved. A change of a position, an order, a setting or a claim is reported to it by one of the
 * methods named after the change; prices and balances have versions. `../margin/margin-cache.ts` computes again what is
 * stale when margin is asked for. Dollar amounts in 10^-8; NaN where a number would not be exact.
 *
 * After each second of prices every active account is computed again, so its values are adjacent in one array: thousands
 * of accounts with ten positions each do not fit the processor's cache, and scattered values cost more to fetch than to
 * compute.
 */

import type { Position } from '../model/position.ts';
import { exact, exactNumber } from '../model/safe-integers.ts';

/** Columns of a contract: its crossed positions and opening orders. */
export const ContractRow = {
  instrument: 0,
  /** Number of the coin, among those of the account, that the profit counts in. */
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
  /** 1 when a position or an order has changed since the row was computed. */
  dirty: 18,
  /** Upper bound of the dollars that move when all prices move (`liquidation-monitor.ts`). */
  exposure: 19,
} as const;
export const CONTRACT_COLUMNS = 20;

/** Columns of a coin. */
export const CoinRow = {
  /** Cash and locked together. */
  balance: 0,
  /** Of the contracts settled in the coin. */
  profit: 1,
  /** The profit that equity and effective were computed with. */
  countedProfit: 2,
  equity: 3,
  effective: 4,
  /** First cell of its row in the ledger; -1 while it has none. */
  cells: 5,
  /** What the balance was computed from. */
  cash: 6,
  locked: 7,
} as const;
export const COIN_COLUMNS = 8;

export const Total = { equity: 0, effective: 1, initial: 2, maintenance: 3, exposure: 4 } as const;
const TOTALS = 5;

/** Changes since the margin was computed: bits of `MarginCache.takeStale`. */
export const Stale = {
  /** To be read again from the account. */
  positions: 1,
  orders: 2,
  settings: 4,
  /** Requirements of debts and of open spot and margin orders. */
  claims: 8,
  /** Rows of contracts that are dirty. */
  contracts: 16,
  /** By version. */
  prices: 32,
  balances: 64,
} as const;
const EVERYTHING = Stale.positions | Stale.orders | Stale.settings | Stale.claims;

const NOWHERE = -1;
const NO_VERSION = -1;

export class MarginCache {
  private stale: number = EVERYTHING;
  /** Versions of prices and balances that it was computed with (`State.priceVersion`, `Ledger.changesOf`). */
  private priceVersion = NO_VERSION;
  private balanceVersion = NO_VERSION;
  /** Initial margin is an upper bound: losses of opening orders are bounded, not summed. */
  estimated = false;

  contractCount = 0;
  contracts = new Float64Array(0);
  /** Row of each instrument, or -1. */
  private places = new Int32Array(0);

  readonly coins: number[] = [];
  coinRows = new Float64Array(0);
  /** Rows of the account in the ledger whose coins are among these. */
  ledgerRows = 0;

  readonly totals = new Float64Array(TOTALS);
  /** Margin of debts, and what open spot and margin orders would cost as collateral while there are obligations. */
  debtInitial = 0;
  debtMaintenance = 0;
  haircut = 0;
  /** The haircut is an upper bound: everything that orders hold counts as lost. */
  haircutEstimated = false;
  /** The account has obligations, so the haircut counts. */
  liable = false;
  readonly isolated: Position[] = [];

  /** A position has this size and cost basis now. */
  positionChanged({ instrument, isolated, long, lots, basis }: Position): void {
    const at = this.find(instrument);
    if (isolated || lots === 0 || at < 0) {
      this.stale |= Stale.positions;
      return;
    }
    const { contracts } = this;
    contracts[at + (long ? ContractRow.longLots : ContractRow.shortLots)] = lots;
    contracts[at + (long ? ContractRow.longBasis : ContractRow.shortBasis)] = exactNumber(basis);
    this.markDirty(at);
  }

  /** A position was opened or closed. */
  positionsChanged(): void {
    this.stale |= Stale.positions;
  }

  /** The value of opening orders at a price has changed by so much. */
  orderChanged(instrument: number, buying: boolean, priceTicks: number, value: number): void {
    const at = this.find(instrument);
    const column = at + (buying ? ContractRow.buyValue : ContractRow.sellValue);
    // A sum that was rounded once would stay inexact after its orders are closed.
    const sum = at < 0 ? Number.NaN : exact(exact(this.contracts[column]!) + value);
    if (Number.isNaN(sum)) {
      this.stale |= Stale.orders;
      return;
    }
    const { contracts } = this;
    contracts[column] = sum;
    if (buying) {
      contracts[at + ContractRow.highestBuy] =
        sum === 0 ? 0 : Math.max(priceTicks, contracts[at + ContractRow.highestBuy]!);
    } else {
      contracts[at + ContractRow.lowestSell] =
        sum === 0 ? Number.POSITIVE_INFINITY : Math.min(priceTicks, contracts[at + ContractRow.lowestSell]!);
    }
    this.markDirty(at);
  }

  /** Leverage or margin mode of a contract. */
  settingChanged(): void {
    this.stale |= Stale.settings;
  }

  /** A spot or margin order, what it would borrow, or the leverage of a debt. */
  claimsChanged(): void {
    this.stale |= Stale.claims;
  }

  /** Changes since the last call, as bits of `Stale`; the caller computes the parts again. */
  takeStale(priceVersion: number, balanceVersion: number): number {
    let { stale } = this;
    if (priceVersion !== this.priceVersion) stale |= Stale.prices;
    if (balanceVersion !== this.balanceVersion) stale |= Stale.balances;
    this.stale = 0;
    this.priceVersion = priceVersion;
    this.balanceVersion = balanceVersion;
    return stale;
  }

  /** The sums can no longer be updated by differences: the next call recomputes them, as after a change of prices. */
  dropSums(): void {
    this.priceVersion = NO_VERSION;
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

  /** Exposure to the prices of the contracts; the coins are added by the caller. */
  get exposure(): number {
    return this.totals[Total.exposure]!;
  }

  get maintenance(): number {
    return this.totals[Total.maintenance]! + this.debtMaintenance;
  }

  /** Lots of a crossed position; undefined without a row for the contract. */
  lotsOf(instrument: number, long: boolean): number | undefined {
    const at = this.find(instrument);
    return at < 0 ? undefined : this.contracts[at + (long ? ContractRow.longLots : ContractRow.shortLots)]!;
  }

  /** Crossed positions and opening orders of a contract, both sides, in the quote coin. */
  valueOf(instrument: number): number {
    const at = this.find(instrument);
    if (at < 0) return 0;
    const { contracts } = this;
    const held = contracts[at + ContractRow.longValue]! + contracts[at + ContractRow.shortValue]!;
    const ordered = contracts[at + ContractRow.buyValue]! + contracts[at + ContractRow.sellValue]!;
    return held + ordered;
  }

  /** Of the coin `coins[n]`: cash and locked, and its equity in dollars. */
  balanceOf(n: number): number {
    return this.coinRows[n * COIN_COLUMNS + CoinRow.balance]!;
  }

  /** Unrealised, of the crossed contracts settled in it. */
  profitOf(n: number): number {
    return this.coinRows[n * COIN_COLUMNS + CoinRow.profit]!;
  }

  equityOf(n: number): number {
    return this.coinRows[n * COIN_COLUMNS + CoinRow.equity]!;
  }

  private markDirty(at: number): void {
    this.contracts[at + ContractRow.dirty] = 1;
    this.stale |= Stale.contracts;
  }

  /** Where the row of an instrument begins; -1 when it has none. */
  find(instrument: number): number {
    return instrument < this.places.length ? this.places[instrument]! : NOWHERE;
  }

  addContract(instrument: number, settleCoin: number): number {
    const coin = this.coinAt(settleCoin);
    const at = this.contractCount++ * CONTRACT_COLUMNS;
    if (at === this.contracts.length) this.contracts = grown(this.contracts, at + 4 * CONTRACT_COLUMNS);
    if (instrument >= this.places.length) {
      const places = new Int32Array(instrument + 1).fill(NOWHERE);
      places.set(this.places);
      this.places = places;
    }
    this.places[instrument] = at;
    this.contracts[at + ContractRow.instrument] = instrument;
    this.contracts[at + ContractRow.coin] = coin;
    this.contracts[at + ContractRow.lowestSell] = Number.POSITIVE_INFINITY;
    return at;
  }

  /** Number of a coin among the account's; a new coin is added. */
  coinAt(coin: number): number {
    const known = this.coins.indexOf(coin);
    if (known >= 0) return known;
    const at = this.coins.push(coin) - 1;
    this.coinRows = grown(this.coinRows, (at + 1) * COIN_COLUMNS);
    this.coinRows[at * COIN_COLUMNS + CoinRow.cells] = NOWHERE;
    return at;
  }
}

function grown(old: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const array = new Float64Array(length);
  array.set(old);
  return array;
}
