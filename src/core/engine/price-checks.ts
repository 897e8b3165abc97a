/**
 * Checks all accounts at the prices of a second, in portions (rules 18.1). The state holds how far the round has come. Which
 * accounts need a check at all is kept by the liquidation monitor and is not state: an account that the monitor leaves out is
 * neither due for liquidation nor to be warned, so its check would change nothing.
 */

import { updateWarning } from '../borrowing/risk-warning.ts';
import { isDue } from '../liquidation/liquidation-check.ts';
import type { LiquidationMonitor } from '../liquidation/liquidation-monitor.ts';
import { FIRST_USER_ACCOUNT } from '../model/ledger-accounts.ts';
import { assert } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { accountsBefore, awaitsMoney, awaitsPriceCheck, type PriceCheckRound } from '../state/open-work.ts';
import type { State } from '../state/state.ts';

/** A portion is measured in accounts that are passed; the cost of a liquidation is given in accounts as well. */
const PASSED_PER_UNIT = 8;
const LIQUIDATION_COST = 160;
/** The same in the eighth edition. */
const LIQUIDATION_COST_BEFORE = 80;
/** Up to so many accounts to check are sorted by their turn; more are found by passing all. */
const FEW = 1000;

export class PriceChecks {
  private readonly state: State;
  private readonly monitor: LiquidationMonitor;
  /** The part of its portion that the present command has used. */
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
  private get portionLeft(): number {
    return this.state.portion * PASSED_PER_UNIT - this.used;
  }

  /** Prices of a new second: a new round begins at the account that the last one had reached. */
  open(): void {
    const { state } = this;
    const until = Math.max(FIRST_USER_ACCOUNT, state.accounts.length);
    const next = state.priceCheckRound?.next ?? FIRST_USER_ACCOUNT;
    state.priceCheckRound = { next, until, left: until - FIRST_USER_ACCOUNT, jump: state.pricesJumped };
    this.monitor.onPrices();
    this.continue();
  }

  /** Checks accounts until the portion is used up. Those that are due for liquidation are marked dirty. */
  continue(): void {
    const { state } = this;
    const round = state.priceCheckRound;
    if (round === undefined) return;
    // After a jump many need a check, and each account that is passed counts; without one only liquidations do.
    const few = round.jump ? undefined : this.monitor.toCheck(FEW);
    if (few === undefined) this.passOneByOne(round, round.jump ? 1 : 0);
    else this.passTo(round, few);
    if (round.left === 0) state.priceCheckRound = undefined;
  }

  /** Checks an account before its turn. It keeps its turn, because its commands until then may change the outcome. */
  checkEarly(account: Account): void {
    const { index } = account;
    if (awaitsPriceCheck(this.state, index) && this.monitor.needsCheck(index)) this.checkNow(account);
  }

  private passOneByOne(round: PriceCheckRound, cost: number): void {
    const { monitor } = this;
    const { accounts } = this.state;
    while (round.left > 0 && this.portionLeft > 0) {
      const { next } = round;
      pass(round, 1);
      this.used += cost;
      if (monitor.needsCheck(next)) this.checkNow(accounts[next]!);
    }
  }

  /** The same as `passOneByOne`, without a look at the accounts between those to check. */
  private passTo(round: PriceCheckRound, few: readonly number[]): void {
    const { accounts } = this.state;
    const turns = few.map((index) => accountsBefore(round, index));
    const { next, until, left } = round;
    for (const turn of turns.sort((a, b) => a - b)) {
      if (turn >= left) break;
      // Where a round stops is state: behind the account that used up the portion, not before the next in need.
      if (this.portionLeft <= 0) return;
      pass(round, turn - (left - round.left) + 1);
      this.checkNow(accounts[accountAt(next, until, turn)]!);
    }
    if (this.portionLeft > 0) pass(round, round.left);
  }

  private checkNow(account: Account): void {
    const { state, monitor } = this;
    if (awaitsMoney(state, account.index) || state.dueAccounts.has(account.index)) return;
    monitor.release(account);
    if (isDue(state, account)) {
      this.used += state.rules.smallerPortions ? LIQUIDATION_COST : LIQUIDATION_COST_BEFORE;
      state.markDirty(account);
      return;
    }
    updateWarning(state, account);
    monitor.watch(account);
  }
}

function pass(round: PriceCheckRound, count: number): void {
  assert(count >= 0 && count <= round.left, 'a round passes the accounts that it has left');
  round.left -= count;
  round.next = accountAt(round.next, round.until, count);
}

/** The account that comes so many turns later. */
function accountAt(next: number, until: number, turns: number): number {
  const index = next + turns;
  return index < until ? index : index - until + FIRST_USER_ACCOUNT;
}
