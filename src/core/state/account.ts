/** Who trades: one record per account, master or sub. Money is in the ledger, orders in the slab. */
import { NIL } from '../book/order-slab.ts';
import { HoldMode, type Wallet } from '../model/enums.ts';
import { OpenCounts } from '../model/open-order-counts.ts';
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

export class Account {
  readonly uid: number;
  /** Index in the ledger and in the table of accounts. */
  readonly index: number;
  readonly masterUid: number;
  /** Index of the master: orders of one party must not trade with each other unless they say so. */
  readonly party: number;
  marketMaker: boolean;
  /** Keeps no per-order history. */
  readonly house: boolean;
  /** Of a master: the accounts below it. */
  readonly subAccounts: Account[] = [];
  /** Wants fees taken from the deduction coin, when the venue has one. */
  feeDeduction = false;
  /** Where deposits arrive by coin, where the account has chosen. */
  readonly depositWallets = new Map<number, Wallet>();
  /** Of a master: its share of the fees that the accounts below it pay, 10^-12. */
  commissionRate = 0n;
  /** Of a master: the accounts below it belong to different people. */
  broker = false;
  /** Sums of the party it belongs to, where they have been needed; not saved. */
  partySums: PartySums | undefined;
  /** Own fee rates by instrument; the instrument's apply elsewhere. */
  readonly fees = new Map<number, FeeRates>();
  holdMode: HoldMode = HoldMode.oneWay;
  /** Futures positions by `positionKey`. */
  readonly positions = new Map<number, Position>();
  /** Margin mode and leverage by instrument, where the account has chosen. */
  private readonly settings = new Map<number, FuturesSetting>();
  /** Has placed futures or margin orders: its cash may be negative. */
  mayOwe = false;
  /** Leverage of debts by coin, where the account has chosen. */
  private readonly leverages = new Map<number, number>();
  /** A margin ratio above the warning level has been told. */
  warned = false;
  /** Being liquidated: takes no commands of its owner. */
  liquidating = false;
  /** Open orders by client id. */
  readonly clientOids = new Map<string, number>();
  /** Open orders by instrument. */
  readonly openByInstrument = new OpenCounts();
  /** Open orders of the two lines: spot with margin, and all futures. */
  openSpot = 0;
  openFutures = 0;
  /** Those of them that only close a position. */
  openClosing = 0;
  /** Open orders, oldest first, chained through the slab. */
  firstOrder = NIL;
  lastOrder = NIL;
  /** Strategy orders that wait, oldest first, and those of them with a client id. */
  readonly strategies = new Map<number, StrategyOrder>();
  readonly strategyOids = new Map<string, StrategyOrder>();
  /** When the countdown runs out; 0 = off. */
  countdownDeadline = 0;
  /** Waits to be looked after (`State.touch`). */
  touched = false;
  /** As last computed, with what has changed since; not saved. */
  margin: MarginCache | undefined;

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

  /** As it would stand with other positions, for questions only: money, orders and settings are the account's own. */
  holding(positions: ReadonlyMap<number, Position>): Account {
    return Object.assign(Object.create(Account.prototype), this, { positions, margin: undefined });
  }

  get futuresSettings(): ReadonlyMap<number, FuturesSetting> {
    return this.settings;
  }

  /** Chooses for an instrument; undefined goes back to what nobody chose. */
  choose(instrument: number, setting: FuturesSetting | undefined): void {
    if (setting === undefined) this.settings.delete(instrument);
    else this.settings.set(instrument, setting);
    this.margin?.settingChanged();
  }

  addPosition(position: Position): void {
    this.positions.set(positionKey(position.instrument, position.posSide), position);
    this.margin?.positionsChanged();
  }

  /** False when it was gone already. */
  removePosition(position: Position): boolean {
    this.margin?.positionsChanged();
    return this.positions.delete(positionKey(position.instrument, position.posSide));
  }

  get coinLeverage(): ReadonlyMap<number, number> {
    return this.leverages;
  }

  /** Undefined goes back to what nobody chose. */
  chooseCoinLeverage(coin: number, leverage: number | undefined): void {
    if (leverage === undefined) this.leverages.delete(coin);
    else this.leverages.set(coin, leverage);
    this.margin?.claimsChanged();
  }
}
