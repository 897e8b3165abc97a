/** Work that concerns everybody and is done in portions, as far as it is still to do (rules 14). */
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import type { State } from './state.ts';

/** A pair that has ended: its orders are cancelled, account by account. */
export interface Ending {
  readonly instrument: number;
  /** The account to go on with. */
  next: number;
}

/** Goes over the accounts in the order in which they were opened. Who is about to act comes before its turn. */
export class Sweep {
  /** The account to go on with, and the first that was opened later. */
  next = FIRST_USER_ACCOUNT;
  readonly until: number;
  /** Accounts that were done before their turn. */
  readonly early = new Set<number>();

  constructor(until: number) {
    this.until = until;
  }

  get isOver(): boolean {
    return this.next >= this.until;
  }

  isDone(account: number): boolean {
    return account < this.next || account >= this.until || this.early.has(account);
  }
}

/** The funding of one perpetual as its instant has fixed it, and how far it is settled. */
export interface FundingDue {
  readonly instrument: number;
  readonly rate: bigint;
  readonly markTicks: number;
  /** Dollar price of the settlement coin. */
  readonly coinPrice: bigint;
  /** Paid by payers so far, due to receivers, and paid to them. */
  collected: bigint;
  due: bigint;
  paid: bigint;
}

/** Prices of an instant that is over, for what goes by it and is worked out later. */
export interface InstantPrices {
  /** By instrument; 0 for one without a mark. */
  readonly marks: readonly number[];
  /** Dollar prices by coin. */
  readonly coins: readonly bigint[];
}

/** Funding that a position is to receive: how much of it is known when every payer has paid. */
export interface Receipt {
  readonly instrument: number;
  readonly positionKey: number;
  readonly positionId: number;
  readonly due: bigint;
}

/** Funding and interest of a full hour (rules 14.3). */
export class HourWork {
  readonly time: number;
  readonly fundings: readonly FundingDue[];
  /** Debts bear interest. */
  readonly interest: boolean;
  readonly prices: InstantPrices;
  readonly sweep: Sweep;
  /** By account. */
  readonly receipts = new Map<number, readonly Receipt[]>();
  /** Accounts that have acted while they waited for their receipts. */
  readonly acted = new Set<number>();
  /** What of the free limits was taken, by party and coin (`freeKey`). */
  readonly freeTaken = new Map<number, bigint>();

  constructor(
    time: number,
    fundings: readonly FundingDue[],
    interest: boolean,
    prices: InstantPrices,
    until: number,
  ) {
    this.time = time;
    this.fundings = fundings;
    this.interest = interest;
    this.prices = prices;
    this.sweep = new Sweep(until);
  }
}

/** Is there work that the next ticks go on with? */
export function hasOpenWork(state: State): boolean {
  return state.endings.length !== 0 || state.works.length !== 0 || hasReached(state);
}

/** Do strategy orders that were reached wait for their turn (rules 14.4)? In a halt they wait for its end. */
function hasReached({ rules, strategies, halted }: State): boolean {
  return rules.portions && strategies.paused && !halted;
}

/** Is the account to receive funding that is not paid yet? */
export function awaitsFunding({ works }: State, account: number): boolean {
  return works.length !== 0 && works.some(({ receipts }) => receipts.has(account));
}
