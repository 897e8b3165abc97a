/** Who trades: one record per account, master or sub. Money is in the ledger, orders in the slab. */
import { NIL } from './order-slab.ts';

export interface FeeRates {
  readonly makerRate: bigint;
  readonly takerRate: bigint;
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
  /** Wants fees taken from the deduction coin, when the venue has one. */
  feeDeduction = false;
  /** Own fee rates by instrument; the instrument's apply elsewhere. */
  readonly fees = new Map<number, FeeRates>();
  /** Open orders by client id. */
  readonly clientOids = new Map<string, number>();
  /** Open orders by instrument. */
  readonly openByInstrument = new Map<number, number>();
  /** Open orders of the two lines: spot with margin, and all futures. */
  openSpot = 0;
  openFutures = 0;
  /** Open orders, oldest first, chained through the slab. */
  firstOrder = NIL;
  lastOrder = NIL;
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
}
