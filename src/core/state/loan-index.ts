/**
 * All ongoing loans, ordered so that the next due one is found without a scan: by the next hour, and by loan-to-value per
 * pair of coins. Loans of one pair share their prices and levels, so the one with the highest loan-to-value is always
 * the first to reach a level, and the one with the lowest the first to return below it.
 */

import { IndexedHeap } from '../model/indexed-heap.ts';
import { COINS_MAX } from '../model/limits.ts';
import type { CoinSpec } from '../model/listing-spec.ts';
import type { Loan } from '../model/loan.ts';
import { levelsOf, type PledgeLevels } from '../model/loan-terms.ts';
import { type PairPrices, reaches } from '../model/ltv.ts';
import { HourQueue } from './hour-queue.ts';

interface Pair {
  readonly loanCoin: number;
  readonly pledgeCoin: number;
  readonly levels: PledgeLevels;
  /** Below the supplement level: highest loan-to-value first. */
  readonly calm: IndexedHeap<Loan>;
  /** At or above it: highest loan-to-value first, and lowest first. */
  readonly warned: IndexedHeap<Loan>;
  readonly recovering: IndexedHeap<Loan>;
}

/** Loans that the present prices have brought to a level. */
export interface LoanCrossings {
  readonly warned: readonly Loan[];
  readonly forced: readonly Loan[];
  /** Are these all of them? */
  readonly complete: boolean;
}

/** A forced close costs as much as so many loans that cross the supplement level. */
const FORCED_SHARE = 10;

export class LoanIndex {
  /** By id, oldest first. */
  readonly loans = new Map<number, Loan>();
  /** Per coin: money that operators have put into the pool, less withdrawals; and principal that was lost. */
  readonly funded = new Map<number, bigint>();
  readonly lost = new Map<number, bigint>();
  private readonly byAccount = new Map<number, Set<Loan>>();
  private readonly hours = new HourQueue();
  /** Those with a term, the one first that ends first. */
  private readonly terms = new IndexedHeap<Loan>(endsEarlier);
  private readonly pairs = new Map<number, Pair>();

  get size(): number {
    return this.loans.size;
  }

  /** Oldest first. */
  of(account: number): Loan[] {
    return [...(this.byAccount.get(account) ?? [])];
  }

  countOf(account: number): number {
    return this.byAccount.get(account)?.size ?? 0;
  }

  /** When an hour of some loan begins, or a term ends; Infinity without loans. */
  nextInstant(): number {
    const hour = this.hours.first()?.queuedHour ?? Number.POSITIVE_INFINITY;
    const end = this.terms.first()?.termEnd() ?? Number.POSITIVE_INFINITY;
    return Math.min(hour, end);
  }

  /** How many hours of loans begin until a time; counts no more than so many. */
  hoursUntil(time: number, most: number): number {
    return this.hours.countUntil(time, most);
  }

  /** The loan whose instant comes first, of equal ones the oldest. */
  next(): Loan | undefined {
    const ofHour = this.hours.first();
    const ofTerm = this.terms.first();
    if (ofHour === undefined || ofTerm === undefined) return ofHour ?? ofTerm;
    const gap = ofHour.queuedHour - ofTerm.termEnd();
    return gap < 0 || (gap === 0 && ofHour.id < ofTerm.id) ? ofHour : ofTerm;
  }

  fund(coin: number, amount: bigint): void {
    this.funded.set(coin, (this.funded.get(coin) ?? 0n) + amount);
  }

  lose(coin: number, principal: bigint): void {
    if (principal > 0n) this.lost.set(coin, (this.lost.get(coin) ?? 0n) + principal);
  }

  add(loan: Loan, coins: readonly CoinSpec[]): void {
    this.loans.set(loan.id, loan);
    const own = this.byAccount.get(loan.account);
    if (own === undefined) this.byAccount.set(loan.account, new Set([loan]));
    else own.add(loan);
    this.hours.add(loan);
    if (loan.termEnd() !== Number.POSITIVE_INFINITY) this.terms.add(loan);
    const pair = this.pairs.get(pairKey(loan)) ?? this.openPair(loan, coins);
    this.watch(pair, loan);
  }

  /** After anything of the loan but `warned` has changed. */
  changed(loan: Loan): void {
    this.hours.settle(loan);
    if (loan.termEnd() === Number.POSITIVE_INFINITY) this.terms.remove(loan);
    const pair = this.pairs.get(pairKey(loan))!;
    if (!loan.warned) pair.calm.settle(loan);
    else {
      pair.warned.settle(loan);
      pair.recovering.settle(loan);
    }
  }

  setWarned(loan: Loan, warned: boolean): void {
    const pair = this.pairs.get(pairKey(loan))!;
    this.unwatch(pair, loan);
    loan.warned = warned;
    this.watch(pair, loan);
  }

  remove(loan: Loan): void {
    this.loans.delete(loan.id);
    const own = this.byAccount.get(loan.account)!;
    own.delete(loan);
    if (own.size === 0) this.byAccount.delete(loan.account);
    this.hours.remove(loan);
    this.terms.remove(loan);
    const pair = this.pairs.get(pairKey(loan))!;
    this.unwatch(pair, loan);
    if (pair.calm.size + pair.warned.size === 0) this.pairs.delete(pairKey(loan));
  }

  /**
   * Loans that have newly reached the supplement level, and those that must be closed by force, each by uid and age.
   * Loans that have returned below the supplement level may be warned again later. With a portion, pair by pair, the highest
   * loan-to-value first, until it is used up.
   */
  crossings(
    pricesOf: (loanCoin: number, pledgeCoin: number) => PairPrices | undefined,
    portion?: number,
  ): LoanCrossings {
    const warned: Loan[] = [];
    const forced: Loan[] = [];
    let left = portion ?? Number.POSITIVE_INFINITY;
    for (const pair of portion === undefined ? this.pairs.values() : this.pairsInOrder()) {
      const prices = pricesOf(pair.loanCoin, pair.pledgeCoin);
      if (prices === undefined) continue;
      const { supplement, force } = pair.levels;
      const isAt = (loan: Loan, level: bigint) => reaches(loan.debt(), loan.pledge, level, prices);
      for (let top = pair.calm.first(); top !== undefined && isAt(top, supplement); top = pair.calm.first()) {
        if (left-- <= 0) return crossed(warned, forced, false);
        this.setWarned(top, true);
        warned.push(top);
      }
      for (let low = pair.recovering.first(); low !== undefined && !isAt(low, supplement); ) {
        if (left-- <= 0) return crossed(warned, forced, false);
        this.setWarned(low, false);
        low = pair.recovering.first();
      }
      const due: Loan[] = [];
      let complete = true;
      for (let top = pair.warned.first(); top !== undefined && isAt(top, force); top = pair.warned.first()) {
        if (left <= 0) {
          complete = false;
          break;
        }
        left -= FORCED_SHARE;
        pair.warned.remove(top);
        due.push(top);
      }
      // The caller closes them; until then they stay in the index.
      for (const loan of due) pair.warned.add(loan);
      forced.push(...due);
      if (!complete) return crossed(warned, forced, false);
    }
    return crossed(warned, forced, true);
  }

  /** The order in which pairs were opened is not part of the state. */
  private pairsInOrder(): Pair[] {
    return [...this.pairs.values()].sort((a, b) => a.loanCoin - b.loanCoin || a.pledgeCoin - b.pledgeCoin);
  }

  private openPair({ loanCoin, pledgeCoin }: Loan, coins: readonly CoinSpec[]): Pair {
    const pair = {
      loanCoin,
      pledgeCoin,
      levels: levelsOf(coins[pledgeCoin]!.pledge!),
      calm: new IndexedHeap<Loan>(owesMore),
      warned: new IndexedHeap<Loan>(owesMore),
      recovering: new IndexedHeap<Loan>((a, b) => owesMore(b, a)),
    };
    this.pairs.set(pairKey(pair), pair);
    return pair;
  }

  private watch(pair: Pair, loan: Loan): void {
    if (!loan.warned) {
      pair.calm.add(loan);
      return;
    }
    pair.warned.add(loan);
    pair.recovering.add(loan);
  }

  private unwatch(pair: Pair, loan: Loan): void {
    pair.calm.remove(loan);
    pair.warned.remove(loan);
    pair.recovering.remove(loan);
  }
}

function pairKey({ loanCoin, pledgeCoin }: Pick<Loan, 'loanCoin' | 'pledgeCoin'>): number {
  return loanCoin * COINS_MAX + pledgeCoin;
}

/** Who is closed is not warned before. */
function crossed(warned: readonly Loan[], forced: Loan[], complete: boolean): LoanCrossings {
  const closed = new Set(forced);
  const open = warned.filter((loan) => !closed.has(loan));
  return { warned: open.sort(byOwner), forced: forced.sort(byOwner), complete };
}

function byOwner(a: Loan, b: Loan): number {
  return a.uid - b.uid || a.id - b.id;
}

function endsEarlier(a: Loan, b: Loan): boolean {
  return a.expireTime < b.expireTime || (a.expireTime === b.expireTime && a.id < b.id);
}

/** Compares two loan-to-values by cross multiplication. */
function owesMore(a: Loan, b: Loan): boolean {
  const left = a.debt() * b.pledge;
  const right = b.debt() * a.pledge;
  return left > right || (left === right && a.id < b.id);
}
