/**
 * The cached margin of one account, and the changes since. It is not part of the state: it can be dropped
 * at any time and is not saved. A change of a position, an order, a setting or a claim is reported to it by one of the
 * methods named after the change; prices and balances have versions. `../margin/margin-cache.ts` computes again what is
 * stale when margin is asked for. Dollar amounts in 10^-8; NaN where a number would not be exact.
 *
 * After each second of prices every active account is computed again, so its values are adjacent in one block of an array
 * that all accounts share: thousands of accounts with ten positions each do not fit the processor's cache, and scattered
 * values cost more to fetch than to compute.
 */

import { type Block, NumberBlocks } from '../model/number-blocks.ts';
import type { Position } from '../model/position.ts';
import { PositionColumn } from '../model/position-numbers.ts';
import { exact } from '../model/safe-integers.ts';

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
  coin: 0,
  /** Cash and locked together, and locked alone. */
  balance: 1,
  locked: 2,
  /** Of the contracts settled in the coin. */
  profit: 3,
  /** The profit that equity and effective were computed with. */
  countedProfit: 4,
  equity: 5,
  effective: 6,
  /** First cell of its row in the ledger; -1 while it has none. */
  cells: 7,
} as const;
export const COIN_COLUMNS = 8;

/** The block of an account begins with these; instruments of the contracts, coin rows and contract rows follow. */
const Head = {
  stale: 0,
  /** Versions of prices and balances that it was computed with (`State.priceVersion`, `Ledger.changesOf`). */
  priceVersion: 1,
  balanceVersion: 2,
  contracts: 3,
  coins: 4,
  /** Rows of the account in the ledger whose coins are among these. */
  ledgerRows: 5,
  equity: 6,
  effective: 7,
  initial: 8,
  maintenance: 9,
  exposure: 10,
  debtInitial: 11,
  debtMaintenance: 12,
  haircut: 13,
} as const;
const HEAD = 16;
const LINE = 8;
const FIRST_CONTRACTS = 2;
const FIRST_COINS = 2;

/** Changes since the margin was computed: bits of `MarginCache.takeStale`. */
export const Stale = {
  /** To be read again from the account. */
  positions: 1,
  orders: 2,
  settings: 4,
  /** Requirements of debts and of open spot and margin orders. */
  claims: 8,
  /** Rows of contracts that are dirty: a position has changed, or only orders have. */
  contracts: 16,
  orderRows: 128,
  /** By version. */
  prices: 32,
  balances: 64,
} as const;
const EVERYTHING = Stale.positions | Stale.orders | Stale.settings | Stale.claims;

const NOWHERE = -1;
const NO_VERSION = -1;
const NO_POSITIONS: readonly Position[] = [];

export class MarginCache {
  /** `base` is the place in it where the account's block begins. */
  private shared: Float64Array;
  private base: number;
  /** Rows that the block has room for. */
  private contractsMax = FIRST_CONTRACTS;
  private coinsMax = FIRST_COINS;
  private readonly blocks: NumberBlocks;

  private boundedLosses = false;
  private boundedHaircut = false;
  private liable = false;
  private isolatedPositions: readonly Position[] = NO_POSITIONS;

  constructor(blocks = new NumberBlocks(sizeOf(FIRST_CONTRACTS, FIRST_COINS))) {
    this.blocks = blocks;
    const { numbers, base } = blocks.take(sizeOf(FIRST_CONTRACTS, FIRST_COINS));
    this.shared = numbers;
    this.base = base;
    numbers[base + Head.stale] = EVERYTHING;
    numbers[base + Head.priceVersion] = NO_VERSION;
    numbers[base + Head.balanceVersion] = NO_VERSION;
  }

  /** Reads a number of each line that every block has (`account-table.ts`); returns their sum. */
  prefetch(): number {
    const { shared, base } = this;
    const end = base + sizeOf(FIRST_CONTRACTS, FIRST_COINS);
    let sum = 0;
    for (let at = base; at < end; at += LINE) sum += shared[at]!;
    return sum;
  }

  /** A position has this size and cost basis now. */
  positionChanged(position: Position): void {
    const { instrument, isolated, long, lots } = position;
    const at = this.find(instrument);
    if (isolated || lots === 0 || at < 0) {
      this.mark(Stale.positions);
      return;
    }
    const { numbers } = this;
    numbers[at + (long ? ContractRow.longLots : ContractRow.shortLots)] = lots;
    numbers[at + (long ? ContractRow.longBasis : ContractRow.shortBasis)] = position.number(
      PositionColumn.basis,
    );
    this.markDirty(at, Stale.contracts);
  }

  /** A position was opened or closed. */
  positionsChanged(): void {
    this.mark(Stale.positions);
  }

  /** The value of opening orders at a price has changed by so much. */
  orderChanged(instrument: number, buying: boolean, priceTicks: number, value: number): void {
    const at = this.find(instrument);
    const { numbers } = this;
    const column = at + (buying ? ContractRow.buyValue : ContractRow.sellValue);
    // A sum that was rounded once would stay inexact after its orders are closed.
    const sum = at < 0 ? Number.NaN : exact(exact(numbers[column]!) + value);
    if (Number.isNaN(sum)) {
      this.mark(Stale.orders);
      return;
    }
    numbers[column] = sum;
    if (buying) {
      numbers[at + ContractRow.highestBuy] =
        sum === 0 ? 0 : Math.max(priceTicks, numbers[at + ContractRow.highestBuy]!);
    } else {
      numbers[at + ContractRow.lowestSell] =
        sum === 0 ? Number.POSITIVE_INFINITY : Math.min(priceTicks, numbers[at + ContractRow.lowestSell]!);
    }
    this.markDirty(at, Stale.orderRows);
  }

  /** Leverage or margin mode of a contract. */
  settingChanged(): void {
    this.mark(Stale.settings);
  }

  /** A spot or margin order, what it would borrow, or the leverage of a debt. */
  claimsChanged(): void {
    this.mark(Stale.claims);
  }

  /** Changes since the last call, as bits of `Stale`; the caller computes the parts again. */
  takeStale(priceVersion: number, balanceVersion: number): number {
    const { numbers, base } = this;
    let stale = numbers[base + Head.stale]!;
    if (priceVersion !== numbers[base + Head.priceVersion]) stale |= Stale.prices;
    if (balanceVersion !== numbers[base + Head.balanceVersion]) stale |= Stale.balances;
    if (stale === 0) return 0;
    numbers[base + Head.stale] = 0;
    numbers[base + Head.priceVersion] = priceVersion;
    numbers[base + Head.balanceVersion] = balanceVersion;
    return stale;
  }

  /** Are effective equity and maintenance margin up to date? Orders change initial margin alone. */
  isMaintenanceCurrent(priceVersion: number, balanceVersion: number): boolean {
    const { numbers, base } = this;
    return (
      (numbers[base + Head.stale]! & ~Stale.orderRows) === 0 &&
      priceVersion === numbers[base + Head.priceVersion] &&
      balanceVersion === numbers[base + Head.balanceVersion]
    );
  }

  /** Are effective equity and maintenance margin up to date but for prices? */
  isMaintenanceRepricable(balanceVersion: number): boolean {
    const { numbers, base } = this;
    return (
      (numbers[base + Head.stale]! & ~Stale.orderRows) === 0 &&
      balanceVersion === numbers[base + Head.balanceVersion]
    );
  }

  /** The sums can no longer be updated by differences: the next call recomputes them, as after a change of prices. */
  dropSums(): void {
    this.numbers[this.base + Head.priceVersion] = NO_VERSION;
  }

  /** The array that the rows are in; offsets of rows are places in it. Both change when a row is added. */
  get numbers(): Float64Array {
    return this.shared;
  }

  /** Initial margin is an upper bound: losses of opening orders are bounded, not summed. */
  get lossesAreBounded(): boolean {
    return this.boundedLosses;
  }

  /** The haircut is an upper bound: everything that orders hold counts as lost. */
  get haircutIsBounded(): boolean {
    return this.boundedHaircut;
  }

  /** The account has obligations, so the haircut counts. */
  get isLiable(): boolean {
    return this.liable;
  }

  get isolated(): readonly Position[] {
    return this.isolatedPositions;
  }

  get equity(): number {
    return this.numbers[this.base + Head.equity]!;
  }

  get effective(): number {
    return this.numbers[this.base + Head.effective]!;
  }

  get initial(): number {
    const { numbers, base } = this;
    const haircut = this.liable ? numbers[base + Head.haircut]! : 0;
    return exact(numbers[base + Head.initial]! + numbers[base + Head.debtInitial]! + haircut);
  }

  /** Exposure to the prices of the contracts; the coins are added by the caller. */
  get exposure(): number {
    return this.numbers[this.base + Head.exposure]!;
  }

  get maintenance(): number {
    return exact(this.numbers[this.base + Head.maintenance]! + this.debtMaintenance);
  }

  /** Maintenance of debts. */
  get debtMaintenance(): number {
    return this.numbers[this.base + Head.debtMaintenance]!;
  }

  /** What open spot and margin orders would cost as collateral while there are obligations. */
  get haircut(): number {
    return this.numbers[this.base + Head.haircut]!;
  }

  /** Of all coins. */
  setEquity(equity: number, effective: number): void {
    this.numbers[this.base + Head.equity] = equity;
    this.numbers[this.base + Head.effective] = effective;
  }

  /** Sums of the contract rows, as they stand and as they are computed anew. */
  get contractInitial(): number {
    return this.numbers[this.base + Head.initial]!;
  }

  get contractMaintenance(): number {
    return this.numbers[this.base + Head.maintenance]!;
  }

  setContractSums(initial: number, maintenance: number, exposure: number): void {
    this.numbers[this.base + Head.initial] = initial;
    this.numbers[this.base + Head.maintenance] = maintenance;
    this.numbers[this.base + Head.exposure] = exposure;
  }

  /** The rows are about to be summed anew. */
  beginContractSums(): void {
    this.boundedLosses = false;
  }

  /** What the opening orders of a row lose at most. */
  boundLoss(at: number, loss: number): void {
    this.numbers[at + ContractRow.openLoss] = loss;
    this.boundedLosses = true;
  }

  setIsolated(positions: readonly Position[] | undefined): void {
    this.isolatedPositions = positions ?? NO_POSITIONS;
  }

  setLiable(liable: boolean): void {
    this.liable = liable;
  }

  /** Of debts and of open spot and margin orders. */
  setClaims(initial: number, maintenance: number, haircut: number): void {
    this.numbers[this.base + Head.debtInitial] = initial;
    this.numbers[this.base + Head.debtMaintenance] = maintenance;
    this.numbers[this.base + Head.haircut] = haircut;
    this.boundedHaircut = false;
  }

  /** Of open spot orders of an account without debts: no more than this. */
  boundClaims(haircut: number): void {
    this.setClaims(0, 0, haircut);
    this.boundedHaircut = true;
  }

  /** The account has so many rows in the ledger: returns whether some are new, to be added by `coinAt`. */
  ledgerRowsOpened(count: number): boolean {
    if (this.numbers[this.base + Head.ledgerRows] === count) return false;
    this.numbers[this.base + Head.ledgerRows] = count;
    return true;
  }

  /** Lots of a crossed position; undefined without a row for the contract. */
  lotsOf(instrument: number, long: boolean): number | undefined {
    const at = this.find(instrument);
    return at < 0 ? undefined : this.numbers[at + (long ? ContractRow.longLots : ContractRow.shortLots)]!;
  }

  /** Crossed positions and opening orders of a contract, both sides, in the quote coin. */
  valueOf(instrument: number): number {
    const at = this.find(instrument);
    if (at < 0) return 0;
    const { numbers } = this;
    const held = numbers[at + ContractRow.longValue]! + numbers[at + ContractRow.shortValue]!;
    const ordered = numbers[at + ContractRow.buyValue]! + numbers[at + ContractRow.sellValue]!;
    return held + ordered;
  }

  /** Where the rows of the coins begin, and how many there are. */
  get firstCoin(): number {
    return this.base + HEAD + this.contractsMax;
  }

  get coinCount(): number {
    return this.numbers[this.base + Head.coins]!;
  }

  /** The coin of a row by its number. */
  coinOf(n: number): number {
    return this.coinCell(n, CoinRow.coin);
  }

  /** Number of the row of a coin; -1 when it has none. */
  findCoin(coin: number): number {
    const count = this.coinCount;
    for (let n = 0; n < count; n++) if (this.coinOf(n) === coin) return n;
    return NOWHERE;
  }

  /** Cash and locked, and its equity in dollars. */
  balanceOf(n: number): number {
    return this.coinCell(n, CoinRow.balance);
  }

  /** Unrealised, of the crossed contracts settled in it. */
  profitOf(n: number): number {
    return this.coinCell(n, CoinRow.profit);
  }

  equityOf(n: number): number {
    return this.coinCell(n, CoinRow.equity);
  }

  private coinCell(n: number, column: number): number {
    return this.numbers[this.firstCoin + n * COIN_COLUMNS + column]!;
  }

  private mark(stale: number): void {
    this.numbers[this.base + Head.stale]! |= stale;
  }

  private markDirty(at: number, stale: number): void {
    this.numbers[at + ContractRow.dirty] = 1;
    this.mark(stale);
  }

  /** Where the rows of the contracts begin and end. */
  get firstContract(): number {
    return this.firstCoin + this.coinsMax * COIN_COLUMNS;
  }

  get endOfContracts(): number {
    return this.firstContract + this.contractCount * CONTRACT_COLUMNS;
  }

  private get contractCount(): number {
    return this.numbers[this.base + Head.contracts]!;
  }

  /** Where the row of an instrument begins; -1 when it has none. */
  find(instrument: number): number {
    const { numbers } = this;
    const first = this.base + HEAD;
    const count = this.contractCount;
    for (let n = 0; n < count; n++)
      if (numbers[first + n] === instrument) return this.firstContract + n * CONTRACT_COLUMNS;
    return NOWHERE;
  }

  addContract(instrument: number, settleCoin: number): number {
    const coin = this.coinAt(settleCoin);
    const n = this.contractCount;
    if (n === this.contractsMax) this.grow(2 * n, this.coinsMax);
    const { numbers, base } = this;
    numbers[base + Head.contracts] = n + 1;
    numbers[base + HEAD + n] = instrument;
    const at = this.firstContract + n * CONTRACT_COLUMNS;
    numbers[at + ContractRow.instrument] = instrument;
    numbers[at + ContractRow.coin] = coin;
    numbers[at + ContractRow.lowestSell] = Number.POSITIVE_INFINITY;
    return at;
  }

  /** Number of a coin among the account's; a new coin is added. */
  coinAt(coin: number): number {
    const known = this.findCoin(coin);
    if (known >= 0) return known;
    const n = this.coinCount;
    if (n === this.coinsMax) this.grow(this.contractsMax, 2 * n);
    const { numbers, base } = this;
    numbers[base + Head.coins] = n + 1;
    const at = this.firstCoin + n * COIN_COLUMNS;
    numbers[at + CoinRow.coin] = coin;
    numbers[at + CoinRow.cells] = NOWHERE;
    return n;
  }

  /** Moves everything to a block with more room. */
  private grow(contractsMax: number, coinsMax: number): void {
    const { firstCoin, firstContract, endOfContracts, contractCount, coinCount } = this;
    const old: Block = { numbers: this.numbers, base: this.base };
    const oldSize = sizeOf(this.contractsMax, this.coinsMax);
    const { numbers, base } = this.blocks.take(sizeOf(contractsMax, coinsMax));
    this.shared = numbers;
    this.base = base;
    this.contractsMax = contractsMax;
    this.coinsMax = coinsMax;
    const copy = (to: number, from: number, end: number) => numbers.set(old.numbers.subarray(from, end), to);
    copy(base, old.base, old.base + HEAD + contractCount);
    copy(this.firstCoin, firstCoin, firstCoin + coinCount * COIN_COLUMNS);
    copy(this.firstContract, firstContract, endOfContracts);
    this.blocks.giveBack(old, oldSize);
  }
}

/** In whole lines of the processor's cache. */
function sizeOf(contracts: number, coins: number): number {
  const numbers = HEAD + contracts + coins * COIN_COLUMNS + contracts * CONTRACT_COLUMNS;
  return Math.ceil(numbers / LINE) * LINE;
}
