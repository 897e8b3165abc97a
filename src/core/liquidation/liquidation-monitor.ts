/**
 * Finds the accounts that a price move may have brought to liquidation, without a scan of all accounts. Each account has
 * an allowance: a relative move of all prices that it can bear. The monitor knows how far prices are from reference prices,
 * and returns only accounts whose allowance is used up. When a price has left the band around its reference, the distance is
 * added to a sum and the reference prices are those of now; what prices do within the band uses up nothing. The bound is
 * safe: moves multiply, and with R the free margin over the exposure, a sum of moves S <= R / (1 + R) cannot make
 * (1 + S)-fold prices cost more than R. From the prices of a check to the reference, from reference to reference and to the
 * prices of now is such a sum.
 *
 * Similar accounts would use up their allowances in the same second. So each is checked after a different share of its
 * allowance, and each second gives a few accounts in turn a new allowance before theirs is used up. A large move then finds few
 * accounts besides those that it concerns.
 */

import { isInDebt, liquidationRatio, warningRatio } from '../margin/debts.ts';
import { isolatedInQuote, markTicks } from '../margin/margin.ts';
import { accountRisk, currentMargin, isolatedSlackNumber } from '../margin/margin-cache.ts';
import { tradeValue, valueNumber } from '../model/instrument.ts';
import { NumberHeap } from '../model/number-heap.ts';
import type { Position } from '../model/position.ts';
import { divCeil, larger, MOVE_ONE, RATE_ONE } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { MarginCache } from '../state/margin-cache-state.ts';
import type { State } from '../state/state.ts';
import { isolatedSlack } from './liquidation-check.ts';

/** A relative move of 1, in the unit of moves, 10^-9. */
const MOVE_UNIT = BigInt(MOVE_ONE);
/** The move of a price that appears or is lost: it uses up every allowance, because none exceeds 1. */
const WHOLE_ALLOWANCE = MOVE_UNIT;
/** Allowances are floating-point estimates; this factor makes them smaller than any rounding could make them larger. */
const SAFETY = 0.999_999;
const MONEY = 100_000_000;
const RATE_NUMBER = Number(RATE_ONE);
/** Seconds in which prices move until every account has had its turn. */
const ROUND_SECONDS = 512;
/** How far a price may be from its reference before the reference follows: 0.2 %. */
const BAND = MOVE_ONE / 500;
/** Accounts that are alike are checked after different shares of what they can bear, between this one and all of it. */
const SHARE_MIN = 0.875;
const HASH_FACTOR = 2_654_435_761;
const HASH_RANGE = 2 ** 32;

/** An account, and the least relative move of all prices that could bring it to liquidation, in 10^-9. */
export interface NearAccount {
  readonly account: Account;
  readonly move: number;
}

export class LiquidationMonitor {
  private readonly state: State;
  /** Sum of the moves from reference to reference so far, and the distance of the prices from the last one. */
  private referenceMoves = 0;
  private distance = 0;
  private referenceMarks: number[] = [];
  private referenceCoins: readonly bigint[] = [];
  private referenceIndexed: readonly boolean[] = [];
  /** Indices of accounts, by the sum of moves at which each must be checked. */
  private readonly watched = new NumberHeap();
  /** Index of the account whose turn is next. */
  private turn = 0;
  /** Accounts that have been warned (rules 6.4). */
  private readonly warned = new Set<Account>();

  constructor(state: State) {
    this.state = state;
    this.updateDistance();
    for (const account of state.accountByUid.values()) if (account.cashCanBeNegative) this.watch(account);
  }

  /** Call after each sample of the prices. */
  onPrices(): void {
    const before = this.cumulativeMove;
    this.updateDistance();
    if (this.cumulativeMove !== before) this.renewSome();
  }

  /** Must the account with this index be checked now? */
  needsCheck(index: number): boolean {
    return this.watched.has(index) && this.watched.rankOf(index) <= this.cumulativeMove;
  }

  /** Indices of the accounts to check now, in no particular order; undefined when they are more than so many. */
  toCheck(most: number): number[] | undefined {
    return this.watched.upTo(this.cumulativeMove, most);
  }

  /** The account is being checked: what it could bear before does not count any more. */
  release({ index }: Account): void {
    this.watched.remove(index);
  }

  /** New allowances for the next accounts in turn that have not used up the one they have. */
  private renewSome(): void {
    const { watched } = this;
    const { accounts } = this.state;
    for (let left = Math.ceil(accounts.length / ROUND_SECONDS); left > 0; left--) {
      if (this.turn >= accounts.length) this.turn = 0;
      const index = this.turn++;
      if (watched.has(index) && !this.needsCheck(index))
        watched.set(index, this.nextCheckAt(accounts[index]!));
    }
  }

  /** Watches an account after a check. One that has become safer keeps its earlier due value. */
  watch(account: Account): void {
    const { watched, warned } = this;
    if (account.warned) warned.add(account);
    else warned.delete(account);
    if (account.positions.size === 0 && !isInDebt(this.state, account)) {
      watched.remove(account.index);
      return;
    }
    const due = this.nextCheckAt(account);
    if (!watched.has(account.index) || due < watched.rankOf(account.index)) watched.set(account.index, due);
  }

  /** The sum that an account's rank is compared with. */
  private get cumulativeMove(): number {
    return this.referenceMoves + this.distance;
  }

  /** The sum of moves at which an account must be checked again: prices are as far from their reference as they are now. */
  private nextCheckAt(account: Account): number {
    const spread = ((account.index * HASH_FACTOR) % HASH_RANGE) / HASH_RANGE;
    const allowed = Math.floor(this.allowance(account) * (SHARE_MIN + (1 - SHARE_MIN) * spread));
    return this.referenceMoves + allowed - this.distance;
  }

  /** Accounts with positions or debts. */
  get size(): number {
    return this.watched.size;
  }

  get warnedAccounts(): ReadonlySet<Account> {
    return this.warned;
  }

  /** The number of accounts, without warned ones, that must be checked again before all prices have moved by `move`. */
  countToCheckWithin(move: number): number {
    const { watched } = this;
    const rank = this.cumulativeMove + move;
    let count = watched.countBelow(rank);
    for (const { index } of this.warned) if (watched.has(index) && watched.rankOf(index) < rank) count--;
    return count;
  }

  /**
   * The accounts nearest to liquidation. None is nearer to it than to its next check, so those whose check is farther than
   * the liquidation of all that were found need no look.
   */
  nearest(count: number): NearAccount[] {
    const found: NearAccount[] = [];
    const { watched, cumulativeMove } = this;
    for (const index of watched.ascending()) {
      if (found.length === count && watched.rankOf(index) - cumulativeMove >= (found.at(-1)?.move ?? 0))
        break;
      const account = this.state.accounts[index]!;
      const move = this.moveToLiquidation(account);
      const place = found.findLastIndex((other) => other.move <= move) + 1;
      found.splice(place, 0, { account, move });
      if (found.length > count) found.pop();
    }
    return found;
  }

  /** Measures how far prices are from their references. When one has left its band, the references become the prices of now. */
  private updateDistance(): void {
    const { state, referenceMarks } = this;
    let largest = 0n;
    const marks = state.markets.map(({ futures, instrument }) =>
      futures === undefined ? 0 : markTicks(state, state.instruments[instrument]!),
    );
    const note = (before: bigint, now: bigint): void => {
      if (before === now) return;
      if (before === 0n || now === 0n) {
        largest = larger(largest, WHOLE_ALLOWANCE);
        return;
      }
      const change = before < now ? now - before : before - now;
      const move = divCeil(change * MOVE_UNIT, before < now ? before : now);
      largest = larger(largest, move);
    };
    // A mark concerns only holders of the contract: the first mark of a new quarter is no move for any account.
    for (const [n, { holders }] of state.markets.entries())
      if (holders.size !== 0) note(BigInt(referenceMarks[n] ?? 0), BigInt(marks[n]!));
      else referenceMarks[n] = marks[n]!;
    for (const [n, price] of state.coinPrices.entries()) note(this.referenceCoins[n] ?? 0n, price);
    // A coin that gets an index counts as margin from then on, whatever its price did.
    if (state.coinIndexed.some((indexed, n) => indexed !== this.referenceIndexed[n]))
      largest = larger(largest, WHOLE_ALLOWANCE);
    this.distance = Number(largest);
    if (this.distance <= BAND) return;
    this.referenceMoves += this.distance;
    this.distance = 0;
    this.referenceMarks = marks;
    this.referenceCoins = state.coinPrices;
    this.referenceIndexed = state.coinIndexed;
  }

  /**
   * How far all prices may move before the account must be checked again. 0 for one that is due: while it waits for a
   * fresh price it is checked every second. A price that returns counts as a move like any other.
   */
  private allowance(account: Account): number {
    const margin = currentMargin(this.state, account);
    let least = this.crossedAllowance(account, margin);
    for (const position of margin.isolated) least = Math.min(least, this.isolatedAllowance(position));
    return least;
  }

  private moveToLiquidation(account: Account): number {
    const { state } = this;
    const margin = currentMargin(state, account);
    const risk = accountRisk(state, account);
    const [effective, maintenance] = [Number(risk.effective), Number(risk.maintenance)];
    const lost = Number(liquidationRatio(state, account)) / RATE_NUMBER;
    const exact = this.exposureOf(margin);
    const exposure = Number.isNaN(exact) ? this.estimatedExposure(account, Number(risk.equity)) : exact;
    let least =
      exposure === 0 ? Number.POSITIVE_INFINITY : priceMoveBudget(effective * lost - maintenance, exposure);
    for (const position of margin.isolated) least = Math.min(least, this.isolatedAllowance(position));
    return least;
  }

  /** Positions move with prices, and collateral does too; 0 without crossed positions and debts. */
  private exposureOf(margin: MarginCache): number {
    const { state } = this;
    const { coinCount } = margin;
    let { exposure } = margin;
    if (exposure === 0 && margin.debtMaintenance === 0) return 0;
    for (let n = 0; n < coinCount; n++) {
      const balance = margin.balanceOf(n);
      // Maintenance of a debt grows with the debt: the factor two covers it, as with positions.
      exposure += 2 * Math.abs(balance) * ((state.coinPriceNumbers[margin.coinOf(n)] ?? Number.NaN) / MONEY);
    }
    return exposure;
  }

  /** Of an account that is too large for exact numbers: its equity stands for the sum of its coins. */
  private estimatedExposure({ positions }: Account, equity: number): number {
    const { state } = this;
    let exposure = 2 * Math.abs(equity);
    for (const { instrument: index, lots } of positions.values()) {
      const instrument = state.instruments[index]!;
      exposure += 2 * Number(tradeValue(instrument, markTicks(state, instrument), lots));
    }
    return exposure;
  }

  private crossedAllowance(account: Account, margin: MarginCache): number {
    const { state } = this;
    if (margin.exposure === 0 && margin.debtMaintenance === 0) return Number.POSITIVE_INFINITY;
    const exposure = this.exposureOf(margin);
    const { effective, maintenance } = margin;
    const warned = Number(warningRatio(state, account)) / RATE_NUMBER;
    const above = maintenance - effective * warned;
    if (!account.warned)
      return Math.min(priceMoveBudget(-above, exposure), this.toNextTier(margin, exposure));
    // The ratio is between the warning and the liquidation level: crossing either must be noticed.
    const lost = Number(liquidationRatio(state, account)) / RATE_NUMBER;
    return Math.min(
      priceMoveBudget(above, exposure),
      priceMoveBudget(effective * lost - maintenance, exposure),
      this.toNextTier(margin, exposure),
    );
  }

  /** The maintenance of a debt jumps at the end of its tier: the allowance must end there. */
  private toNextTier(margin: MarginCache, exposure: number): number {
    let least = Number.POSITIVE_INFINITY;
    const { coinCount } = margin;
    for (let n = 0; n < coinCount; n++) {
      const usd = -margin.equityOf(n);
      for (const end of this.state.lending[margin.coinOf(n)]!.terms.tierEnds) {
        if (usd > end) continue;
        least = Math.min(least, priceMoveBudget(end - usd, exposure));
        break;
      }
    }
    return least;
  }

  private isolatedAllowance(position: Position): number {
    const { state } = this;
    const instrument = state.instruments[position.instrument]!;
    const exposure = 2 * valueNumber(instrument, markTicks(state, instrument), position.lots);
    if (!instrument.futures!.coinMargined)
      return priceMoveBudget(isolatedSlackNumber(state, position), exposure);
    const margin = Math.abs(Number(isolatedInQuote(state, position)));
    return priceMoveBudget(Number(isolatedSlack(state, position)), exposure + margin);
  }
}

/** The sum of moves that free margin can bear: R / (1 + R) with R = free / exposure, in 10^-9; 0 when a value is not known. */
function priceMoveBudget(free: number, exposure: number): number {
  if (!(free > 0 && exposure > 0)) return 0;
  return Math.floor((free / (free + exposure)) * SAFETY * MOVE_ONE);
}
