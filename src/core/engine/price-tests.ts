/**
 * Tests all accounts by the prices of a second, in portions (rules 18.1). The state holds how far the round has come. Which
 * accounts need a check at all is the monitor's knowledge and not state: one that the monitor leaves out is neither due nor
 * to be warned, so a check would come to nothing.
 */

import { updateWarning } from '../borrowing/risk-warning.ts';
import { isDue } from '../liquidation/liquidation-check.ts';
import type { LiquidationMonitor } from '../liquidation/liquidation-monitor.ts';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { assert } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { awaitsMoney, awaitsPriceTest, type PriceRound, turnsBefore } from '../state/open-work.ts';
import type { State } from '../state/state.ts';

/** A portion is measured in accounts that are passed; a liquidation costs as much as so many. */
const PASSED_PER_UNIT = 8;
const LIQUIDATION_COST = 80;
/** Accounts that are put in order rather than found by passing all. */
const FEW = 1000;

export class PriceTests {
  private readonly state: State;
  private readonly monitor: LiquidationMonitor;
  /** What of its portion the present command has used. */
  private used = 0;

  constructor(state: State, monitor: LiquidationMonitor) {
    this.state = state;
    this.monitor = monitor;
  }

  /** A command begins. */
  begin(): void {
    this.used = 0;
  }

  /** What is left of the portion of the present command. */
  private get room(): number {
    return this.state.portion * PASSED_PER_UNIT - this.used;
  }

  /** The prices of a second: the round begins anew where it is. */
  open(): void {
    const { state } = this;
    const until = Math.max(FIRST_USER_ACCOUNT, state.accounts.length);
    const next = state.priceRound?.next ?? FIRST_USER_ACCOUNT;
    state.priceRound = { next, until, left: until - FIRST_USER_ACCOUNT, jump: state.pricesJumped };
    this.monitor.onPrices();
    this.continue();
  }

  /** Marks those that are due, as far as the portion goes. */
  continue(): void {
    const { state } = this;
    const round = state.priceRound;
    if (round === undefined) return;
    // After a jump many need a check, and each account that is passed counts; without one only liquidations do.
    const few = round.jump ? undefined : this.monitor.toCheck(FEW);
    if (few === undefined) this.passOneByOne(round, round.jump ? 1 : 0);
    else this.passTo(round, few);
    if (round.left === 0) state.priceRound = undefined;
  }

  /** Checks an account before its turn, which it keeps: what it does meanwhile may matter. */
  testEarly(account: Account): void {
    const { index } = account;
    if (awaitsPriceTest(this.state, index) && this.monitor.needsCheck(index)) this.check(account);
  }

  private passOneByOne(round: PriceRound, cost: number): void {
    const { monitor } = this;
    const { accounts } = this.state;
    while (round.left > 0 && this.room > 0) {
      const { next } = round;
      pass(round, 1);
      this.used += cost;
      if (monitor.needsCheck(next)) this.check(accounts[next]!);
    }
  }

  /** The same, without a look at those between. */
  private passTo(round: PriceRound, few: readonly number[]): void {
    const { accounts } = this.state;
    const turns = few.map((index) => turnsBefore(round, index));
    const { next, until, left } = round;
    for (const turn of turns.sort((a, b) => a - b)) {
      if (turn >= left) break;
      // Where a round stops is state: behind the account that used up the portion, not before the next in need.
      if (this.room <= 0) return;
      pass(round, turn - (left - round.left) + 1);
      this.check(accounts[accountAt(next, until, turn)]!);
    }
    if (this.room > 0) pass(round, round.left);
  }

  private check(account: Account): void {
    const { state, monitor } = this;
    if (awaitsMoney(state, account.index)) return;
    monitor.release(account);
    if (isDue(state, account)) {
      this.used += LIQUIDATION_COST;
      state.markDirty(account);
      return;
    }
    updateWarning(state, account);
    monitor.watch(account);
  }
}

function pass(round: PriceRound, count: number): void {
  assert(count >= 0 && count <= round.left, 'a round passes the accounts that it has left');
  round.left -= count;
  round.next = accountAt(round.next, round.until, count);
}

/** The account that comes so many turns later. */
function accountAt(next: number, until: number, turns: number): number {
  const index = next + turns;
  return index < until ? index : index - until + FIRST_USER_ACCOUNT;
}
