/**
 * All state of the exchange. Commands change it, reads use it, snapshots save it. Caches and what belongs to the present command
 * are here too and are not saved.
 */

import { OrderSlab } from '../book/order-slab.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { type Component, IndexPrice } from '../marketdata/index-price.ts';
import { StablecoinPrice } from '../marketdata/stablecoin-price.ts';
import { type BorrowTerms, readBorrowTerms } from '../model/borrow-terms.ts';
import { Digest } from '../model/digest.ts';
import { type RulesInForce, rulesOf } from '../model/edition.ts';
import { type CategoryName, PosSide } from '../model/enums.ts';
import type { Event } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import { Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import {
  DEPOSIT_REFERENCES_REMEMBERED,
  FAILED_AMENDS_REMEMBERED,
  FILLS_PER_ORDER_MAX,
  MATCHES_PER_ORDER_MAX_BEFORE,
  PORTION_MAX,
  PORTION_MAX_BEFORE,
  REMOVALS_PER_ORDER_MAX,
  TRANSFER_OIDS_REMEMBERED,
} from '../model/limits.ts';
import type { CoinSpec } from '../model/listing-spec.ts';
import { NumberBlocks } from '../model/number-blocks.ts';
import { NumberHeap } from '../model/number-heap.ts';
import type { Position } from '../model/position.ts';
import { positionKey } from '../model/position.ts';
import { POSITION_NUMBERS } from '../model/position-numbers.ts';
import { exactNumber } from '../model/safe-integers.ts';
import { parseUnits, RATE_ONE, RATE_SCALE, smaller } from '../model/units.ts';
import { Account } from './account.ts';
import { AccountTable } from './account-table.ts';
import { FundHours } from './fund-hours.ts';
import { Ledger } from './ledger.ts';
import { LoanIndex } from './loan-index.ts';
import { type Market, newMarket } from './market.ts';
import { OpenOrderCounts } from './open-order-counts.ts';
import type { Delisting, OpenWork, PriceCheckRound, PullReason } from './open-work.ts';
import { forgetPartySums } from './party.ts';
import { RecentClientIds } from './recent-client-ids.ts';
import { StrategyBook } from './strategy-book.ts';
import type { Tracer } from './tracer.ts';
import { WithdrawalsUnderWay } from './withdrawals-under-way.ts';

/** Shared empty lists. The first entry makes a new list of one: an empty array that grows reserves memory for many. */
const NO_EVENTS: readonly Event[] = [];
const NOBODY: readonly Account[] = [];

const POSITION_SIDES = [PosSide.none, PosSide.long, PosSide.short];

/** Part of a coin's dollar value that counts at one rate, which is `share` over `divisor`, in exact numbers or NaN. */
export interface CollateralSlice {
  readonly fromNumber: number;
  readonly upToNumber: number;
  readonly share: number;
  readonly divisor: number;
}

/** How much of a coin's dollar value counts as margin; no more than the cap. */
export interface CollateralTerms {
  readonly capNumber: number;
  readonly slices: readonly CollateralSlice[];
}

/** How a coin is lent to unified accounts now. */
export interface CoinLending {
  terms: BorrowTerms;
  /** The highest of the coin's margin pairs; 0 = it has none and cannot be borrowed. */
  maxLeverage: number;
  /** The strictest of those pairs, 10^-12. */
  warningRatio: bigint;
  liquidationRatio: bigint;
  /** Amount that open margin orders would borrow. */
  reserved: bigint;
  /** The same by account, where it is more than nothing. */
  readonly reservedBy: Map<number, bigint>;
}

/** A read that spans many commands and sees each account as it was when the read began. */
export interface ConsistentRead {
  /** Money, a position or a loan of the account, given by its index, is about to change. */
  keep(account: number): void;
}

/** An order that its failed amendment cancelled. */
export interface FailedAmend {
  readonly account: number;
  readonly orderId: number;
  readonly clientOid: string;
}

export class State {
  /** Logical time: never goes back. */
  now = 0;
  /** Last id given to an order, trade, fill, ledger line, position, loan or movement of money. */
  lastId = 0;
  /** Last place given in a queue. */
  lastPriority = 0;
  readonly digest = new Digest();
  /** Edition of the rule book in force, and its rules. */
  edition = 1;
  readonly rules: RulesInForce = rulesOf(1);

  readonly coins: CoinSpec[] = [];
  readonly coinByName = new Map<string, number>();
  readonly lending: CoinLending[] = [];
  readonly instruments: Instrument[] = [];
  readonly instrumentByName = new Map<string, number>();
  readonly markets: Market[] = [];
  readonly indices: IndexPrice[] = [];
  /** Dollar prices of the coins, sampled each second, and the same as exact numbers (NaN where not exact). */
  coinPrices: readonly bigint[] = [];
  coinPriceNumbers: readonly number[] = [];
  /** Which of them are index prices. */
  coinIndexed: readonly boolean[] = [];
  /** What counts as margin of each coin at these prices, filled as it is asked for (`../margin/collateral.ts`). */
  collateral: CollateralTerms[] = [];
  /** Dollar prices of the stablecoins (rules 13.3). */
  readonly stablecoins = { USDT: new StablecoinPrice(), USDC: new StablecoinPrice() } as const;
  /** Grows with every sample of prices: margin cached under an older version is stale. */
  priceVersion = 0;
  readonly indexByName = new Map<string, number>();
  /** The next second at which prices are sampled; 0 = with the next command. */
  nextSecond = 0;
  /** Memory of the cached margins of the accounts; not saved. */
  readonly marginBlocks = new NumberBlocks();
  /** Memory of the numbers of positions; not saved. */
  readonly positionBlocks = new NumberBlocks();
  /** House accounts and market makers: the operator is liable for their orders (rules 13.0). Unordered. */
  readonly backedAccounts = new Set<Account>();
  /** Accounts with fee rates of their own. */
  readonly accountsWithFees = new Set<Account>();
  /** Markets of coin-margined contracts. */
  readonly coinMargined: FuturesMarket[] = [];
  readonly ledger = new Ledger((account) => this.accounts[account]!.cashCanBeNegative);
  readonly accountByUid = new AccountTable(this.ledger);
  /** Users by index; the places of the system accounts are empty. */
  readonly accounts: readonly Account[] = this.accountByUid.byIndex;
  readonly slab = new OrderSlab();
  readonly openOrders = new OpenOrderCounts();
  readonly strategies = new StrategyBook();
  /** No new orders anywhere; cancelling goes on. */
  halted = false;
  readonly withdrawals = new WithdrawalsUnderWay();
  /** Ongoing pledge loans. */
  readonly loans = new LoanIndex();
  /** Client ids of recent transfers and withdrawals: a retry must not move money twice. */
  readonly transferOids = new RecentClientIds(TRANSFER_OIDS_REMEMBERED);
  /** References of recent deposits by operators: one is credited once per account and coin. */
  readonly depositReferences = new RecentClientIds(DEPOSIT_REFERENCES_REMEMBERED);
  /** Orders cancelled because their amendment failed, oldest first. */
  failedAmends: FailedAmend[] = [];
  /** Indices of accounts whose countdown runs, by its end. */
  readonly countdowns = new NumberHeap();
  /** Earliest countdown of any account; Infinity = none. */
  nextCountdown = Number.POSITIVE_INFINITY;
  /** Earliest funding settlement of any perpetual; Infinity = none. */
  nextFunding = Number.POSITIVE_INFINITY;
  /** Earliest delivery of any contract; Infinity = none. */
  nextDelivery = Number.POSITIVE_INFINITY;
  /** Earliest change of status in any instrument's calendar; Infinity = none. */
  nextCalendarTime = Number.POSITIVE_INFINITY;
  /** The insurance fund by coin as of the last full hour, and the next full hour; 0 = with the next command. */
  insuranceAtHour: bigint[] = [];
  nextInsuranceHour = 0;
  /** What both insurance funds have been given and have paid since then. */
  readonly fundHours = new FundHours();
  /** Earliest end of any running candle; Infinity = none runs. */
  nextCandleEnd = Number.POSITIVE_INFINITY;

  /** Delisted pairs that still have orders, oldest first. */
  readonly delistings: Delisting[] = [];
  /** Hours and ends of contracts that are not yet settled with all accounts, oldest first. */
  readonly works: OpenWork[] = [];
  /** Settles open work with one account; `acts`: its owner has sent a command. Set by the engine. */
  settleEarly: (account: Account, acts: boolean) => void = () => {};
  /** Checks at the prices of a second that are still to do: the round over the accounts, and loans (rules 18). */
  priceCheckRound: PriceCheckRound | undefined = undefined;
  loanChecksPending = false;
  /** Has some price moved far in the second that was sampled last? */
  pricesJumped = false;
  private portionOverride: number | undefined = undefined;

  /** The liquidation queue: accounts that are due, in the order in which they began to wait (rules 19.1). */
  readonly dueAccounts = new Set<number>();
  /** Accounts whose orders have left the books and are still to be cancelled, in their order, and for what (rules 19.4). */
  readonly pulled = new Map<number, PullReason>();

  /** Accounts that are being liquidated, by index: none at the end of a command. */
  readonly inLiquidation = new Set<number>();
  /** Compares each bound of a fill check with the rule, and the settlement with the check (I50); not saved. */
  verifiesFillChecks = false;
  /** A coin-margined contract has paid or collected a profit since the shortfall was last checked. */
  clearingChanged = false;
  /** Accounts whose positions or money the present command has changed, without duplicates. */
  dirtyAccounts: readonly Account[] = NOBODY;
  /** Reads that are under way; not part of the state. */
  private consistentReads: readonly ConsistentRead[] = [];
  /** Events of the present command so far. */
  events: readonly Event[] = NO_EVENTS;
  /** Leaves out the events of orders and money, which a replay does not need. Ids and digest advance all the same. */
  suppressEvents = false;

  /** Watches the present command; none on a running exchange. */
  tracer: Tracer | undefined = undefined;

  /** Size of a portion of open work, in units of work (rules 14.1). */
  get portion(): number {
    return this.portionOverride ?? (this.rules.riskPortions ? PORTION_MAX : PORTION_MAX_BEFORE);
  }

  /** Not saved. Only tests change it. */
  set portion(size: number) {
    this.portionOverride = size;
  }

  enterEdition(edition: number): void {
    this.edition = edition;
    Object.assign(this.rules, rulesOf(edition));
    const { fewerMatches } = this.rules;
    this.slab.fillsMax = fewerMatches ? FILLS_PER_ORDER_MAX : MATCHES_PER_ORDER_MAX_BEFORE;
    this.slab.removalsMax = fewerMatches ? REMOVALS_PER_ORDER_MAX : MATCHES_PER_ORDER_MAX_BEFORE;
    this.slab.countsOwn = fewerMatches;
    this.priceVersion++;
  }

  /** What the second edition counts begins with the command that brings it (rules 13.12). */
  beginSecondEdition(): void {
    // What the fund has paid in this hour was under no budget yet.
    for (const coin of this.coins.keys()) {
      const paid =
        (this.insuranceAtHour[coin] ?? 0n) -
        this.ledger.balanceOf(SystemAccount.insurance, coin, Bucket.cash);
      this.fundHours.add('futures', coin, 'unlimited', paid > 0n ? paid : 0n);
    }
    this.ledger.beginPeaks();
  }

  nextId(): number {
    return ++this.lastId;
  }

  /** To be called before a command changes an account or decides by its balance: open work is settled first (rules 14.3). */
  settleOpenWork(account: Account): void {
    if (this.works.length !== 0) this.settleEarly(account, true);
  }

  /** Returns a function that ends the read. */
  beginConsistentRead(read: ConsistentRead): () => void {
    const { ledger } = this;
    const rows = { keep: (row: number) => read.keep(ledger.ownerOf(row).account) };
    this.consistentReads = [...this.consistentReads, read];
    ledger.follow(rows);
    return () => {
      this.consistentReads = this.consistentReads.filter((other) => other !== read);
      ledger.unfollow(rows);
    };
  }

  /** To be called before a position or a loan of an account changes; the ledger calls `keep` for money. */
  keepForReads(account: number): void {
    if (this.consistentReads.length !== 0) for (const read of this.consistentReads) read.keep(account);
  }

  /** Ids of records that are left out. */
  passIds(count: number): void {
    this.lastId += count;
  }

  beginLiquidation(account: Account): void {
    account.liquidating = true;
    this.inLiquidation.add(account.index);
  }

  endLiquidation(account: Account): void {
    account.liquidating = false;
    this.inLiquidation.delete(account.index);
  }

  /** Marks an account for `RiskEngine.processDirtyAccounts`, which runs before the command ends. */
  markDirty(account: Account): void {
    if (account.dirty) return;
    account.dirty = true;
    if (this.dirtyAccounts.length === 0) this.dirtyAccounts = [account];
    else (this.dirtyAccounts as Account[]).push(account);
  }

  /** The accounts that are marked, in ascending uid; clears the marks. */
  takeDirty(): readonly Account[] {
    const accounts = this.dirtyAccounts as Account[];
    this.dirtyAccounts = NOBODY;
    for (const account of accounts) account.dirty = false;
    // Most often they are the two sides of a trade.
    if (accounts.length > 2) accounts.sort((a, b) => a.uid - b.uid);
    else if (accounts.length === 2 && accounts[0]!.uid > accounts[1]!.uid) accounts.reverse();
    return accounts;
  }

  emit(event: Event): void {
    if (this.events.length === 0) this.events = [event];
    else (this.events as Event[]).push(event);
  }

  takeEvents(): readonly Event[] {
    const { events } = this;
    this.events = NO_EVENTS;
    return events;
  }

  setCoinPrices(prices: readonly bigint[], indexed: readonly boolean[]): void {
    this.coinPrices = prices;
    this.coinIndexed = indexed;
    this.coinPriceNumbers = prices.map(exactNumber);
    this.collateral = [];
    this.priceVersion++;
  }

  /** False when the terms of lending are not valid. */
  addCoin(spec: CoinSpec): boolean {
    const terms = readBorrowTerms(spec.borrow);
    if (terms === undefined) return false;
    this.coinByName.set(spec.coin, this.coins.push(spec) - 1);
    this.lending.push({
      terms,
      maxLeverage: 0,
      warningRatio: RATE_ONE,
      liquidationRatio: RATE_ONE,
      reserved: 0n,
      reservedBy: new Map(),
    });
    return true;
  }

  instrument(category: CategoryName, symbol: string): Instrument | undefined {
    const index = this.instrumentByName.get(`${category} ${symbol}`);
    return index === undefined ? undefined : this.instruments[index];
  }

  /** Applies leverage and levels of a margin pair to the lending of its coins. */
  applyMarginPair({ base, quote, margin }: Instrument): void {
    if (margin === undefined) return;
    // They may change the leverage and the levels of present debts.
    this.priceVersion++;
    for (const index of this.ledger.accountsInDebt()) this.markDirty(this.accounts[index]!);
    for (const coin of [base, quote]) {
      const lending = this.lending[coin]!;
      lending.maxLeverage = Math.max(lending.maxLeverage, margin.maxLeverage);
      lending.warningRatio = smaller(lending.warningRatio, margin.warningRatio);
      lending.liquidationRatio = smaller(lending.liquidationRatio, margin.liquidationRatio);
    }
  }

  /** The instrument of the order in a slot. */
  instrumentOf(slot: number): Instrument {
    return this.instruments[this.slab.instrument[slot]!]!;
  }

  /** The owner of the order in a slot. */
  accountOf(slot: number): Account {
    return this.accounts[this.slab.account[slot]!]!;
  }

  market(instrument: Instrument): Market {
    return this.markets[instrument.book]!;
  }

  addPosition(account: Account, position: Position): void {
    account.addPosition(position);
    const { holders, positions } = this.market(this.instruments[position.instrument]!);
    holders.add(account);
    positions.add(account, position);
  }

  /** False when it was gone already. */
  removePosition(account: Account, position: Position): boolean {
    const { instrument } = position;
    if (!account.removePosition(position)) return false;
    const { holders, positions } = this.market(this.instruments[instrument]!);
    positions.remove(position);
    this.positionBlocks.giveBack(position.leaveBlock(), POSITION_NUMBERS);
    const holds = POSITION_SIDES.some((side) => account.positions.has(positionKey(instrument, side)));
    if (!holds) holders.delete(account);
    return true;
  }

  addMarket(instrument: number, index?: IndexPrice, futures?: FuturesMarket): number {
    if (futures?.terms.coinMargined === true) this.coinMargined.push(futures);
    this.markets.push(newMarket(this.rules, this.slab, instrument, index, futures));
    return this.markets.length - 1;
  }

  /** The index an instrument follows; made from its components when it is the first to. */
  indexOf(instrument: Pick<Instrument, 'indexName' | 'spec'>): IndexPrice | undefined {
    const known = this.indexByName.get(instrument.indexName);
    if (known !== undefined) return this.indices[known];
    const { indexComponents } = instrument.spec;
    if (indexComponents.length === 0) return undefined;
    const components = indexComponents.map(
      ({ exchange, spotPair, weight }): Component => ({
        exchange,
        spotPair,
        weight: parseUnits(weight, RATE_SCALE) ?? 0n,
        price: 0n,
        volume: 0n,
        changedTime: 0,
        reportedTime: 0,
        reportedSeen: 0,
        byOperator: false,
        outlier: false,
      }),
    );
    const index = new IndexPrice(instrument.indexName, components);
    this.indexByName.set(instrument.indexName, this.indices.push(index) - 1);
    return index;
  }

  addAccount(uid: number, masterUid: number, marketMaker: boolean, house: boolean): Account {
    const index = FIRST_USER_ACCOUNT + this.accountByUid.size;
    const party = masterUid === 0 ? index : this.accountByUid.get(masterUid)!.index;
    const account = new Account(uid, index, masterUid, party, marketMaker, house);
    this.accountByUid.add(account);
    if (marketMaker || house) this.backedAccounts.add(account);
    if (party !== index) {
      this.accounts[party]!.addSubAccount(account);
      forgetPartySums(this.accounts[party]!);
    }
    return account;
  }

  rememberFailedAmend(failed: FailedAmend): void {
    this.failedAmends.push(failed);
    if (this.failedAmends.length >= 2 * FAILED_AMENDS_REMEMBERED)
      this.failedAmends = this.recentFailedAmends();
  }

  recentFailedAmends(): FailedAmend[] {
    return this.failedAmends.slice(-FAILED_AMENDS_REMEMBERED);
  }

  /** Did a failed amendment cancel this order of the account? Named by id, else by client id. */
  hasFailedAmend(account: number, orderId: number, clientOid: string): boolean {
    return this.recentFailedAmends().some(
      (failed) =>
        failed.account === account &&
        (orderId === 0 ? failed.clientOid === clientOid : failed.orderId === orderId),
    );
  }
}
