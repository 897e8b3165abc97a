/** One record per account, main or sub-account. Money is in the ledger, orders in the slab. */
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
  /** Index of the main account: orders of one party trade with each other only if their STP mode allows it. */
  readonly party: number;
  marketMaker: boolean;
  /** Keeps no per-order history. */
  readonly house: boolean;
  /** Of a main account: its sub-accounts. */
  readonly subAccounts: Account[] = [];
  /** Pays fees in the deduction coin, when the exchange has one. */
  feeDeduction = false;
  /** Wallet for deposits by coin, where the account has chosen one. */
  readonly depositWallets = new Map<number, Wallet>();
  /** Of a broker: its share of the fees that its sub-accounts pay, 10^-12. */
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
  /** The warning of a margin ratio above the warning level was emitted. */
  warned = false;
  /** Being liquidated: commands of the owner are rejected. */
  liquidating = false;
  /** Open orders by client id. */
  readonly clientOids = new Map<string, number>();
  /** Open orders by instrument. */
  readonly openByInstrument = new OpenCounts();
  /** Number of open orders of the two lines: spot with margin, and all futures. */
  openSpot = 0;
  openFutures = 0;
  /** Number of open orders that only close a position. */
  openClosing = 0;
  /** Open orders, oldest first, chained through the slab. */
  firstOrder = NIL;
  lastOrder = NIL;
  /** Strategy orders that wait, oldest first, and those of them with a client id. */
  readonly strategies = new Map<number, StrategyOrder>();
  readonly strategyOids = new Map<string, StrategyOrder>();
  /** When the countdown runs out; 0 = off. */
  countdownDeadline = 0;
  /** Is in `State.dirtyAccounts`. */
  dirty = false;
  /** Cached margin with the changes since; not saved. */
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

  /** A view of the account with other positions, for reads only: money, orders and settings are shared. */
  holding(positions: ReadonlyMap<number, Position>): Account {
    return Object.assign(Object.create(Account.prototype), this, { positions, margin: undefined });
  }

  get futuresSettings(): ReadonlyMap<number, FuturesSetting> {
    return this.settings;
  }

  /** Sets the leverage and margin mode of an instrument; undefined restores the default. */
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

  /** Undefined restores the default. */
  chooseCoinLeverage(coin: number, leverage: number | undefined): void {
    if (leverage === undefined) this.leverages.delete(coin);
    else this.leverages.set(coin, leverage);
    this.margin?.claimsChanged();
  }
}
