/** One record per account, main or sub-account. Money is in the ledger, orders in the slab. */
import { NIL } from '../book/order-slab.ts';
import { HoldMode, type Wallet } from '../model/enums.ts';
import { type Position, positionKey } from '../model/position.ts';
import type { MarginCache } from './margin-cache-state.ts';
import type { PartySums } from './party-sums.ts';
import type { StrategyOrder } from './strategy-order.ts';

export interface FeeRates {
  readonly makerRate: bigint;
  readonly takerRate: bigint;
}

export interface FuturesSetting {
  readonly isolated: boolean;
  readonly longLeverage: number;
  readonly shortLeverage: number;
}

/** Shared by all accounts that have none: an empty map of its own costs an account 200 bytes. */
const NONE: ReadonlyMap<never, never> = new Map<never, never>();
const NO_ACCOUNTS: readonly Account[] = [];

/** Fields that every order reads come first: an object lies in memory in the order of its declaration. */
export class Account {
  readonly uid: number;
  /** Index in the ledger and in the table of accounts. */
  readonly index: number;
  /** Index of the main account: orders of one party trade with each other only if their STP mode allows it. */
  readonly party: number;
  /** Keeps no per-order history. */
  readonly house: boolean;
  marketMaker: boolean;
  /** Has placed futures or margin orders, so its cash can become negative. */
  cashCanBeNegative = false;
  /** Being liquidated: commands of the owner are rejected. */
  liquidating = false;
  /** The warning of a margin ratio above the warning level was emitted. */
  warned = false;
  /** Is in `State.dirtyAccounts`. */
  dirty = false;
  holdMode: HoldMode = HoldMode.oneWay;
  /** Open orders, oldest first, chained through the slab. */
  firstOrder = NIL;
  lastOrder = NIL;
  /** Number of open orders of the two lines: spot with margin, and all futures. */
  openSpot = 0;
  openFutures = 0;
  /** Those of the first line that may borrow. */
  openMargin = 0;
  /** Number of open orders that only close a position. */
  openClosing = 0;
  /** Cached margin with the changes since; not saved. */
  margin: MarginCache | undefined;
  /** Sums of the party it belongs to, where they have been needed; not saved. */
  partySums: PartySums | undefined;
  private held: Map<number, Position> | undefined;
  private settings: Map<number, FuturesSetting> | undefined;
  private ownFees: Map<number, FeeRates> | undefined;
  private subs: Account[] | undefined;

  readonly masterUid: number;
  /** Of a master: the accounts below it belong to different people. */
  broker = false;
  /** Pays fees in the deduction coin, when the exchange has one. */
  feeDeduction = false;
  /** Of a broker: its share of the fees that its sub-accounts pay, 10^-12. */
  commissionRate = 0n;
  private walletsOfDeposits: Map<number, Wallet> | undefined;
  private leverages: Map<number, number> | undefined;
  private waiting: Map<number, StrategyOrder> | undefined;
  private waitingOids: Map<string, StrategyOrder> | undefined;
  /** When the countdown runs out; 0 = off. */
  countdownDeadline = 0;

  constructor(
    uid: number,
    index: number,
    masterUid: number,
    party: number,
    marketMaker: boolean,
    house: boolean,
  ) {
    this.uid = uid;
    this.index = index;
    this.masterUid = masterUid;
    this.party = party;
    this.marketMaker = marketMaker;
    this.house = house;
  }

  /** A view of the account with other positions, for reads only: money, orders and settings are shared. */
  withPositions(positions: ReadonlyMap<number, Position>): Account {
    return Object.assign(Object.create(Account.prototype), this, { held: positions, margin: undefined });
  }

  /** Of a main account: its sub-accounts. */
  get subAccounts(): readonly Account[] {
    return this.subs ?? NO_ACCOUNTS;
  }

  addSubAccount(account: Account): void {
    this.subs ??= [];
    this.subs.push(account);
  }

  /** Wallet for deposits by coin, where the account has chosen one. */
  get depositWallets(): ReadonlyMap<number, Wallet> {
    return this.walletsOfDeposits ?? NONE;
  }

  chooseDepositWallet(coin: number, wallet: Wallet): void {
    this.walletsOfDeposits ??= new Map();
    this.walletsOfDeposits.set(coin, wallet);
  }

  /** Own fee rates by instrument; the instrument's apply elsewhere. */
  get fees(): ReadonlyMap<number, FeeRates> {
    return this.ownFees ?? NONE;
  }

  setFees(instrument: number, rates: FeeRates): void {
    this.ownFees ??= new Map();
    this.ownFees.set(instrument, rates);
  }

  /** Strategy orders that wait, oldest first. */
  get strategies(): ReadonlyMap<number, StrategyOrder> {
    return this.waiting ?? NONE;
  }

  /** Those of them with a client id. */
  get strategyOids(): ReadonlyMap<string, StrategyOrder> {
    return this.waitingOids ?? NONE;
  }

  addStrategy(order: StrategyOrder): void {
    this.waiting ??= new Map();
    this.waiting.set(order.id, order);
    if (order.clientOid === '') return;
    this.waitingOids ??= new Map();
    this.waitingOids.set(order.clientOid, order);
  }

  dropStrategy({ id, clientOid }: StrategyOrder): void {
    this.waiting?.delete(id);
    if (clientOid !== '') this.waitingOids?.delete(clientOid);
  }

  /** Margin mode and leverage by instrument, where the account has chosen. */
  get futuresSettings(): ReadonlyMap<number, FuturesSetting> {
    return this.settings ?? NONE;
  }

  /** Sets the leverage and margin mode of an instrument; undefined restores the default. */
  setFuturesSetting(instrument: number, setting: FuturesSetting | undefined): void {
    this.settings ??= new Map();
    if (setting === undefined) this.settings.delete(instrument);
    else this.settings.set(instrument, setting);
    this.margin?.settingChanged();
  }

  /** Futures positions by `positionKey`. */
  get positions(): ReadonlyMap<number, Position> {
    return this.held ?? NONE;
  }

  addPosition(position: Position): void {
    this.held ??= new Map();
    this.held.set(positionKey(position.instrument, position.posSide), position);
    this.margin?.positionsChanged();
  }

  /** False when it was gone already. */
  removePosition(position: Position): boolean {
    this.margin?.positionsChanged();
    return this.held?.delete(positionKey(position.instrument, position.posSide)) ?? false;
  }

  /** Leverage of debts by coin, where the account has chosen. */
  get coinLeverage(): ReadonlyMap<number, number> {
    return this.leverages ?? NONE;
  }

  /** Undefined restores the default. */
  chooseCoinLeverage(coin: number, leverage: number | undefined): void {
    this.leverages ??= new Map();
    if (leverage === undefined) this.leverages.delete(coin);
    else this.leverages.set(coin, leverage);
    this.margin?.claimsChanged();
  }
}
