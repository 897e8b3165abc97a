/** All state of the exchange. Commands change it, reads look at it, snapshots save it; nothing else is remembered. */

import { Book } from '../book/book.ts';
import { OrderSlab } from '../book/order-slab.ts';
import { CandleSeries } from '../marketdata/candle-series.ts';
import type { FuturesMarket } from '../marketdata/futures-market.ts';
import { type Component, IndexPrice } from '../marketdata/index-price.ts';
import { Rolling24h } from '../marketdata/rolling-24h.ts';
import { Tape } from '../marketdata/tape.ts';
import { type BorrowTerms, readBorrowTerms } from '../model/borrow-terms.ts';
import { Digest } from '../model/digest.ts';
import { type RulesInForce, rulesOf } from '../model/edition.ts';
import { type CategoryName, PosSide } from '../model/enums.ts';
import type { Event } from '../model/event.ts';
import type { Instrument } from '../model/instrument.ts';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import {
  DEPOSIT_REFERENCES_REMEMBERED,
  FAILED_AMENDS_REMEMBERED,
  TRANSFER_OIDS_REMEMBERED,
} from '../model/limits.ts';
import type { CoinSpec } from '../model/listing-spec.ts';
import type { PendingWithdrawal } from '../model/pending-withdrawal.ts';
import type { Position } from '../model/position.ts';
import { positionKey } from '../model/position.ts';
import { exactNumber } from '../model/safe-integers.ts';
import { parseUnits, RATE_ONE, RATE_SCALE, smaller } from '../model/units.ts';
import { Account } from './account.ts';
import { Ledger } from './ledger.ts';
import { LoanBook } from './loan-index.ts';
import { forgetPartySums } from './party.ts';
import { RecentOids } from './recent-client-ids.ts';
import { StrategyBook } from './strategy-book.ts';
import type { TriggerBook } from './trigger-book.ts';

const POSITION_SIDES = [PosSide.none, PosSide.long, PosSide.short];

/** A book with what the market remembers of it. */
export interface Market {
  readonly book: Book;
  readonly day: Rolling24h;
  readonly candles: CandleSeries;
  readonly tape: Tape;
  /** The instrument whose trades these are (SPOT for a book that MARGIN shares). */
  readonly instrument: number;
  /** What other venues pay for the pair, when somebody tells. */
  readonly index: IndexPrice | undefined;
  /** Prices beyond the book's own, on futures. */
  readonly futures: FuturesMarket | undefined;
  /** Strategy orders that wait for a trade or for a mark of this market; undefined while none ever did. */
  lastTriggers: TriggerBook | undefined;
  markTriggers: TriggerBook | undefined;
  /** Accounts with a position here. Their order means nothing (`position-holders.ts` sorts them). */
  readonly holders: Set<Account>;
  /** Changes of the displayed book, for readers that follow it. */
  changes: number;
  /** The price band as last computed, and the instrument and reference it holds for. */
  readonly band: { instrument: number; referenceTicks: number; maxBuyTicks: number; minSellTicks: number };
  /** The reference of a spot band stays within the index (rules 13.10); between which prices, as last computed. */
  readonly heldToIndex: boolean;
  readonly leash: { instrument: number; price: bigint; lowestTicks: number; highestTicks: number };
}

/** How a coin is lent to unified accounts now. */
export interface CoinLending {
  readonly terms: BorrowTerms;
  /** Of the margin pairs the coin is in; 0 = none, nobody can borrow it. */
  maxLeverage: number;
  /** The strictest of those pairs, 10^-12. */
  warningRatio: bigint;
  liquidationRatio: bigint;
  /** What open margin orders would borrow. */
  reserved: bigint;
}

/** An order that its failed modification cancelled. */
export interface FailedAmend {
  readonly account: number;
  readonly orderId: number;
  readonly clientOid: string;
}

export class State {
  /** Logical time: never goes back. */
  now = 0;
  /** Last id given to an order, trade, fill or ledger line. */
  lastId = 0;
  /** Last place given in a queue. */
  lastPriority = 0;
  readonly digest = new Digest();
  /** Edition of the rule book in force, and its rules. */
  edition = 1;
  rules: RulesInForce = rulesOf(1);

  readonly coins: CoinSpec[] = [];
  readonly coinByName = new Map<string, number>();
  readonly lending: CoinLending[] = [];
  readonly instruments: Instrument[] = [];
  readonly instrumentByName = new Map<string, number>();
  readonly markets: Market[] = [];
  readonly indices: IndexPrice[] = [];
  /** Dollar prices of the coins, taken each second, and the same as exact numbers (NaN beyond them). */
  coinPrices: readonly bigint[] = [];
  coinPriceNumbers: readonly number[] = [];
  /** Which of them an index tells. */
  coinIndexed: readonly boolean[] = [];
  /** Counts the times prices were taken: margin computed before the last time is not believed. */
  priceVersion = 0;
  readonly indexByName = new Map<string, number>();
  /** The next second at which prices are taken, and the next instants of slower work; 0 = at the first chance. */
  nextSecond = 0;
  /** Holes for the system accounts, then users by index. */
  readonly accounts: Account[] = [];
  readonly accountByUid = new Map<number, Account>();
  readonly ledger = new Ledger((account) => this.accounts[account]!.mayOwe);
  readonly slab = new OrderSlab();
  readonly strategies = new StrategyBook();
  /** No new orders anywhere; cancelling goes on. */
  halted = false;
  /** Withdrawals that the operator has not settled yet, oldest first. */
  readonly withdrawals = new Map<number, PendingWithdrawal>();
  /** Ongoing pledge loans. */
  readonly loans = new LoanBook();
  /** Client ids of recent transfers and withdrawals: a retry must not move money twice. */
  readonly transferOids = new RecentOids(TRANSFER_OIDS_REMEMBERED);
  /** References of recent deposits by operators: one is credited once per account and coin. */
  readonly depositReferences = new RecentOids(DEPOSIT_REFERENCES_REMEMBERED);
  /** Orders cancelled because their modification failed, oldest first. */
  failedAmends: FailedAmend[] = [];
  /** Accounts whose countdown runs. */
  readonly countdowns = new Set<Account>();
  /** Earliest countdown of any account; Infinity = none. */
  nextCountdown = Number.POSITIVE_INFINITY;
  /** Earliest funding settlement of any perpetual; Infinity = none. */
  nextFunding = Number.POSITIVE_INFINITY;
  /** Earliest delivery of any contract; Infinity = none. */
  nextDelivery = Number.POSITIVE_INFINITY;
  /** Earliest change of status in any instrument's calendar; Infinity = none. */
  nextCalendarTime = Number.POSITIVE_INFINITY;
  /** The insurance fund by coin as of the last full hour, and the next one; 0 = at the first chance. */
  insuranceAtHour: bigint[] = [];
  nextInsuranceHour = 0;
  /** Earliest end of any running candle; Infinity = none runs. */
  nextCandleEnd = Number.POSITIVE_INFINITY;

  /** A coin-margined contract has paid or taken a profit since what the house lacks was last looked at. */
  clearingChanged = false;
  /** Accounts whose positions or money the present command has changed, each once. */
  touched: Account[] = [];
  /** What the present command has caused so far. */
  events: Event[] = [];

  enterEdition(edition: number): void {
    this.edition = edition;
    this.rules = rulesOf(edition);
    this.priceVersion++;
    this.ledger.beginPeaks();
  }

  nextId(): number {
    return ++this.lastId;
  }

  /** The account will be looked after before the command ends (`RiskEngine.settleTouched`). */
  touch(account: Account): void {
    if (account.touched) return;
    account.touched = true;
    this.touched.push(account);
  }

  setCoinPrices(prices: readonly bigint[], indexed: readonly boolean[]): void {
    this.coinPrices = prices;
    this.coinIndexed = indexed;
    this.coinPriceNumbers = prices.map(exactNumber);
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
    });
    return true;
  }

  instrument(category: CategoryName, symbol: string): Instrument | undefined {
    const index = this.instrumentByName.get(`${category} ${symbol}`);
    return index === undefined ? undefined : this.instruments[index];
  }

  /** What a margin pair says about lending its coins. */
  applyMarginPair({ base, quote, margin }: Instrument): void {
    if (margin === undefined) return;
    // Leverage and levels of debts may have changed by it.
    this.priceVersion++;
    for (const index of this.ledger.accountsInDebt()) this.touch(this.accounts[index]!);
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
    this.market(this.instruments[position.instrument]!).holders.add(account);
  }

  /** False when it was gone already. */
  removePosition(account: Account, position: Position): boolean {
    const { instrument } = position;
    if (!account.removePosition(position)) return false;
    const holds = POSITION_SIDES.some((side) => account.positions.has(positionKey(instrument, side)));
    if (!holds) this.market(this.instruments[instrument]!).holders.delete(account);
    return true;
  }

  addMarket(instrument: number, index?: IndexPrice, futures?: FuturesMarket): number {
    const state = this;
    this.markets.push({
      get heldToIndex() {
        return state.rules.feeFloors;
      },
      leash: { instrument: -1, price: 0n, lowestTicks: 0, highestTicks: 0 },
      book: new Book(this.slab),
      day: new Rolling24h(),
      candles: new CandleSeries(),
      tape: new Tape(),
      instrument,
      index,
      futures,
      lastTriggers: undefined,
      markTriggers: undefined,
      holders: new Set(),
      changes: 0,
      band: { instrument: -1, referenceTicks: 0, maxBuyTicks: 0, minSellTicks: 0 },
    });
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
    this.accounts[index] = account;
    this.accountByUid.set(uid, account);
    if (party !== index) {
      this.accounts[party]!.subAccounts.push(account);
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

  /** Did a failed modification cancel this order of the account? Named by id, else by client id. */
  hasFailedAmend(account: number, orderId: number, clientOid: string): boolean {
    return this.recentFailedAmends().some(
      (failed) =>
        failed.account === account &&
        (orderId === 0 ? failed.clientOid === clientOid : failed.orderId === orderId),
    );
  }
}

/** When the first of a market's running candles ends, of trades and of prices. */
export function earliestCandleEnd({ candles, futures }: Market): number {
  if (futures === undefined) return candles.earliestEnd();
  const { mark, index, premium } = futures.candles;
  return Math.min(candles.earliestEnd(), mark.earliestEnd(), index.earliestEnd(), premium.earliestEnd());
}
