/** Work over all accounts that is done in portions, as far as it is still to do (rules 14). */
import type { CancelReason } from '../model/enums.ts';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { ContractEnd } from './contract-end.ts';
import type { State } from './state.ts';
import { Sweep } from './sweep.ts';

export type OpenWork = HourWork | ContractEnd;

/** Why the orders of an account have left the books: its countdown has run out, or it is frozen (rules 19.4). */
export type PullReason = typeof CancelReason.normal | typeof CancelReason.delegatedRiskOrder;

/** A delisted pair: its orders are cancelled, account by account. */
export interface Delisting {
  readonly instrument: number;
  /** The account to go on with. */
  next: number;
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

export interface HourScope {
  /** Debts bear interest. */
  readonly interest: boolean;
  /** The largest debts begin anew: a full hour, not funding by command. */
  readonly newPeaks: boolean;
}

/** Funding and interest of a full hour (rules 14.3), or funding of one perpetual by command (rules 5.10). */
export class HourWork {
  readonly time: number;
  readonly fundings: readonly FundingDue[];
  readonly scope: HourScope;
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
    scope: HourScope,
    prices: InstantPrices,
    until: number,
  ) {
    this.time = time;
    this.fundings = fundings;
    this.scope = scope;
    this.prices = prices;
    this.sweep = new Sweep(until);
  }

  /** Is it to get something that it does not have yet? */
  owes(account: number): boolean {
    return this.receipts.has(account);
  }
}

/** The round of checks at the prices of a second, as far as it is still to do (rules 18.1). */
export interface PriceCheckRound {
  /** The account to go on with, and the first that was opened after the second. */
  next: number;
  readonly until: number;
  /** Accounts that are still to be passed. */
  left: number;
  /** Some price has moved far: accounts that are passed count. */
  readonly jump: boolean;
}

/** How many accounts the round passes before this one; Infinity for one that was opened after the second. */
export function accountsBefore({ next, until }: PriceCheckRound, account: number): number {
  if (account >= until) return Number.POSITIVE_INFINITY;
  return account >= next ? account - next : account - next + until - FIRST_USER_ACCOUNT;
}

/** Is the account still to be checked in this round? */
export function awaitsPriceCheck({ priceCheckRound }: State, account: number): boolean {
  return priceCheckRound !== undefined && accountsBefore(priceCheckRound, account) < priceCheckRound.left;
}

/** Is there work that the next ticks must continue? */
export function hasOpenWork(state: State): boolean {
  const { delistings, works, priceCheckRound, loanChecksPending, dueAccounts, pulled } = state;
  return (
    delistings.length !== 0 ||
    works.length !== 0 ||
    priceCheckRound !== undefined ||
    loanChecksPending ||
    dueAccounts.size !== 0 ||
    pulled.size !== 0 ||
    hasReached(state)
  );
}

/** Do strategy orders that were reached wait for their turn (rules 14.4)? In a halt they wait for its end. */
function hasReached({ rules, strategies, halted }: State): boolean {
  return rules.portions && strategies.paused && !halted;
}

/** Is the account to receive something of open work: funding, or the gain of a contract that has ended? */
export function awaitsMoney({ works }: State, account: number): boolean {
  return works.length !== 0 && works.some((work) => work.owes(account));
}

/** What open ends of contracts are to bring an account: its gains, and margin that its cash has paid until it is covered. */
export function awaitedOf(
  { works, instruments }: State,
  account: number,
  add: (coin: number, amount: bigint) => void,
): void {
  for (const work of works) {
    const pending = work instanceof ContractEnd ? work.pending.get(account) : undefined;
    if (pending === undefined || !(work instanceof ContractEnd)) continue;
    add(instruments[work.instrument]!.futures!.settle, pending.kept + pending.lacking);
  }
}

/** Does the pair or contract, which is offline, still have orders or positions? */
export function isEnding(state: State, instrument: number): boolean {
  const { delistings, works } = state;
  if (delistings.length === 0 && works.length === 0) return false;
  return (
    delistings.some((delisting) => delisting.instrument === instrument) ||
    endOf(state, instrument) !== undefined
  );
}

/** The open end of a contract. */
export function endOf({ works }: State, instrument: number): ContractEnd | undefined {
  return works.find(
    (work): work is ContractEnd => work instanceof ContractEnd && work.instrument === instrument,
  );
}
