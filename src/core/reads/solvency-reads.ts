/**
 * Is everything there that is owed (rules 13.5 (c))? Positions count at the mark: a profit that was paid out has its loss
 * with somebody who still holds, so without them every realised profit would look like missing money. The house's side of
 * coin-margined contracts (13.2) is in it: the sum of their profits at the mark is what clearing holds and what it lacks.
 */

import { inCoinAt } from '../futures/split-fill.ts';
import { wholeEquity } from '../margin/bad-debt.ts';
import { custodyOf } from '../margin/custody.ts';
import { unrealisedOf } from '../margin/margin.ts';
import { surelyOwesNothing } from '../margin/possible-debts.ts';
import { presentPrices } from '../margin/present-prices.ts';
import { BUCKETS, Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import { divFloor, larger, smaller } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { Ledger } from '../state/ledger.ts';
import type { InstantPrices } from '../state/open-work.ts';
import type { ConsistentRead, State } from '../state/state.ts';
import { Sweep } from '../state/sweep.ts';

/** What counting the claims of an account costs, in looks at one that surely owes nothing. */
const COUNT_SHARE = 4;

export const SOLVENCY_NAMES = ['solvent', 'illiquid', 'insolvent'] as const;
export type Solvency = (typeof SOLVENCY_NAMES)[number];

/** Of one coin, in 10^-8. */
export interface CoinSolvency {
  readonly held: bigint;
  /** Claims of accounts, each less what it owes of the coin and never below zero. */
  readonly owed: bigint;
  /** Owed to the venue by accounts that own more than they owe. */
  readonly lent: bigint;
  /**
   * Paid out by conversions and as rebates in another coin than the fee, as far as the coins that the house took for them
   * are worth it: it can buy this back.
   */
  readonly converted: bigint;
  /** By all others: nobody will pay it. */
  readonly badDebt: bigint;
  /** What the operator has written off. */
  readonly writtenOff: bigint;
  readonly solvency: Solvency;
}

type HouseSide = Pick<CoinSolvency, 'held' | 'converted' | 'writtenOff'>;

interface Sums {
  owed: bigint;
  lent: bigint;
  badDebt: bigint;
}

/**
 * A read of one instant, which may be taken in slices while the exchange goes on. Prices and the balances of the house are
 * taken at its beginning; each account is looked at once, in its turn or before it changes, so as it was then.
 *
 * An account without positions, debts and loans claims what its wallets hold. By double entry all wallets together hold
 * what the house and the outside world lack, and the profits of a linear contract sum to what it has cleared (I08). So only
 * those are counted one by one who may owe something, or whose profit is not that of their position.
 */
export class SolvencyRead implements ConsistentRead {
  private readonly state: State;
  private readonly prices: InstantPrices;
  private readonly sweep: Sweep;
  private readonly house: readonly HouseSide[];
  private readonly sums: Sums[];
  /** To be called when it is done or given up. */
  readonly close: () => void;

  constructor(state: State) {
    this.state = state;
    this.prices = presentPrices(state);
    this.sweep = new Sweep(state.accounts.length);
    this.house = houseSides(state, this.prices);
    this.sums = state.coins.map((_, coin) => ({ owed: allWallets(state, coin), lent: 0n, badDebt: 0n }));
    for (const { futures } of state.markets) {
      if (futures === undefined || futures.terms.coinMargined) continue;
      if (this.prices.marks[futures.instrument.index] !== 0)
        this.sums[futures.terms.settle]!.owed += futures.cleared;
    }
    this.close = state.beginConsistentRead(this);
  }

  keep(account: number): void {
    if (this.sweep.isDone(account)) return;
    this.sweep.early.add(account);
    this.lookAt(account);
  }

  /** Looks at so many accounts; one that is counted is worth several. Returns whether all have been. */
  advance(looks: number): boolean {
    const { sweep } = this;
    for (let left = looks; left > 0 && !sweep.isOver; sweep.next++)
      left -= !sweep.early.has(sweep.next) && this.lookAt(sweep.next) ? COUNT_SHARE : 1;
    return sweep.isOver;
  }

  /** By coin. */
  result(): CoinSolvency[] {
    return this.sums.map((sum, coin) => {
      const { held, converted, writtenOff } = this.house[coin]!;
      const solvency = judged(held, sum.owed, sum.lent + converted);
      return { ...sum, held, converted, writtenOff, solvency };
    });
  }

  /** Returns whether its claims had to be counted. */
  private lookAt(index: number): boolean {
    const { state, prices, sums } = this;
    const account = state.accounts[index]!;
    if (!mayOweOrDiffer(state, account, prices)) return false;
    const changes = changesOf(state, account, prices, (coin, amount) => {
      sums[coin]!.owed += amount;
    });
    const debts = debtsOf(state.ledger, index, changes);
    if (debts.length === 0) return true;
    const pays = wholeEquity(state, account, prices) > 0n ? 'lent' : 'badDebt';
    for (const { coin, amount } of debts) {
      sums[coin]!.owed += amount;
      sums[coin]![pays] += amount;
    }
    return true;
  }
}

/** In one step. */
export function solvencyOf(state: State): CoinSolvency[] {
  const read = new SolvencyRead(state);
  read.advance(Number.POSITIVE_INFINITY);
  read.close();
  return read.result();
}

/** The worst of all coins. */
export function worstSolvency(coins: readonly { readonly solvency: Solvency }[]): Solvency {
  const worst = Math.max(0, ...coins.map(({ solvency }) => SOLVENCY_NAMES.indexOf(solvency)));
  return SOLVENCY_NAMES[worst]!;
}

function judged(held: bigint, owed: bigint, covered: bigint): Solvency {
  if (held + covered < owed) return 'insolvent';
  return held < owed ? 'illiquid' : 'solvent';
}

function houseSides(state: State, { coins }: InstantPrices): HouseSide[] {
  const cover = exchangeCover(state, coins);
  return coins.map((_, coin) => ({
    held: custodyOf(state, coin),
    converted: divFloor(larger(0n, -exchangedBalance(state, coin)) * cover.took, cover.gave),
    writtenOff: -state.ledger.balanceOf(SystemAccount.badDebt, coin, Bucket.cash),
  }));
}

/** Which part of what the house gave for other coins is covered by what it took, in dollars: at most all of it. */
function exchangeCover(state: State, prices: readonly bigint[]): { took: bigint; gave: bigint } {
  let took = 0n;
  let gave = 0n;
  for (const [coin, price] of prices.entries()) {
    const worth = exchangedBalance(state, coin) * price;
    if (worth > 0n) took += worth;
    else gave -= worth;
  }
  return gave === 0n ? { took: 0n, gave: 1n } : { took: smaller(took, gave), gave };
}

/** Where the house takes one coin and gives another: conversions, and rebates of spot trades (rules 13.10 (b)). */
function exchangedBalance({ ledger }: State, coin: number): bigint {
  const { convert, fee } = SystemAccount;
  return ledger.balanceOf(convert, coin, Bucket.cash) + ledger.balanceOf(fee, coin, Bucket.cash);
}

/** What all accounts hold of a coin and are about to receive of each other, debts subtracted. */
function allWallets({ ledger }: State, coin: number): bigint {
  let others = 0n;
  for (let account = 0; account < FIRST_USER_ACCOUNT; account++)
    if (account !== SystemAccount.settling) others += walletsOf(ledger, account, coin);
  return -others;
}

function walletsOf(ledger: Ledger, account: number, coin: number): bigint {
  let sum = 0n;
  for (let bucket = 0; bucket < BUCKETS; bucket++) sum += ledger.balanceOf(account, coin, bucket as Bucket);
  return sum;
}

interface Debt {
  readonly coin: number;
  readonly amount: bigint;
}

/** Coins of which the account has less than nothing. */
function debtsOf(ledger: Ledger, account: number, changes: ReadonlyMap<number, bigint>): Debt[] {
  const debts: Debt[] = [];
  const owes = (coin: number, change: bigint) => {
    // No other bucket is below zero, so most often cash alone says that nothing is owed.
    if (ledger.balanceOf(account, coin, Bucket.cash) + change >= 0n) return;
    const claim = walletsOf(ledger, account, coin) + change;
    if (claim < 0n) debts.push({ coin, amount: -claim });
  };
  for (const [coin, change] of changes) owes(coin, change);
  if (ledger.hasNegativeCash(account))
    for (const coin of ledger.coinsOf(account)) if (!changes.has(coin)) owes(coin, 0n);
  return debts;
}

/** May the claims of the account be other than what its wallets hold and its positions have won? */
function mayOweOrDiffer(state: State, account: Account, prices: InstantPrices): boolean {
  const { ledger, loans } = state;
  if (ledger.hasNegativeCash(account.index) || loans.countOf(account.index) > 0) return true;
  return account.positions.size > 0 && !surelyOwesNothing(state, account, prices);
}

/** By coin, what positions at the mark and loans change of an account's claims; `beyond`: what linear profits do not. */
function changesOf(
  state: State,
  account: Account,
  { marks }: InstantPrices,
  beyond: (coin: number, amount: bigint) => void,
): Map<number, bigint> {
  const changes = new Map<number, bigint>();
  const add = (coin: number, amount: bigint, counted: bigint) => {
    changes.set(coin, (changes.get(coin) ?? 0n) + amount);
    if (amount !== counted) beyond(coin, amount - counted);
  };
  for (const position of account.positions.values()) {
    const instrument = state.instruments[position.instrument]!;
    const { settle, coinMargined } = instrument.futures!;
    const ticks = marks[position.instrument]!;
    if (ticks === 0) continue;
    const profit = BigInt(inCoinAt(instrument, unrealisedOf(state, position, ticks), ticks));
    const claim = position.isolated ? larger(profit, -position.iso) : profit;
    add(settle, claim, coinMargined ? 0n : profit);
  }
  if (state.loans.countOf(account.index) > 0)
    for (const loan of state.loans.of(account.index)) add(loan.loanCoin, -loan.debt(), 0n);
  return changes;
}
