/**
 * Cancels all orders of an account: its countdown has run out, or it is frozen. A main account may have ten thousand sub-accounts
 * with hundreds of orders each, so since the ninth edition they only leave the books at once, and are cancelled in portions
 * (rules 19.4). Until its turn an account waits in `state.pulled`.
 */

import type { CancelFrozenAccount, Command } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { CancelReason } from '../model/enums.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { cancelWhere, pullOrders, scheduleCountdowns } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import type { Market } from '../state/market.ts';
import type { PullReason } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { cancelOrdersOfFrozen } from '../strategy/cancel-frozen-account.ts';
import { eachNamed } from './named-accounts.ts';

const countChange = (market: Market): void => {
  market.changes++;
};

export class Cancellations {
  private readonly state: State;
  /** Accounts whose turn came with the present command, and their orders. */
  private used = 0;

  constructor(state: State) {
    this.state = state;
  }

  /** A command begins. */
  begin(): void {
    this.used = 0;
  }

  /** Accounts whose countdown has run out: earliest first, then ascending account index. */
  runCountdowns(): void {
    const { state } = this;
    const { countdowns, accounts, now } = state;
    for (let first = countdowns.first(); first !== undefined; first = countdowns.first()) {
      const account = accounts[first]!;
      if (account.countdownDeadline > now) break;
      countdowns.remove(first);
      account.countdownDeadline = 0;
      this.pull(account, CancelReason.normal);
    }
    scheduleCountdowns(state);
    this.cancelPulled();
  }

  /** The account's own orders are cancelled with the command, those of its sub-accounts in portions. */
  freeze({ uid }: CancelFrozenAccount): CommandResult {
    const { state } = this;
    const account = state.accountByUid.get(uid);
    if (account === undefined) return rejected(RejectReason.unknownAccount);
    this.used += cancelOrdersOfFrozen(state, account);
    for (const subAccount of account.subAccounts) this.pull(subAccount, CancelReason.delegatedRiskOrder);
    this.cancelPulled();
    return OK;
  }

  /** A tick: what waits goes on. */
  resume(): void {
    this.cancelPulled();
  }

  /** Nobody acts beside orders that are to be cancelled. */
  completeNamed(command: Command): void {
    if (this.state.pulled.size !== 0) eachNamed(this.state, command, (account) => this.complete(account));
  }

  /** The account is about to act. Returns what that counts in a portion. */
  complete(account: Account): number {
    const { pulled } = this.state;
    const reason = pulled.get(account.index);
    return reason === undefined ? 0 : this.cancel(account, reason);
  }

  /** One that is frozen while it waits keeps its place, and loses its strategy orders too. */
  private pull(account: Account, reason: PullReason): void {
    const { state } = this;
    const { pulled, rules } = state;
    if (!rules.cancelPortions) {
      this.cancel(account, reason);
      return;
    }
    if (!pulled.has(account.index)) pullOrders(state, account, countChange);
    else if (reason === CancelReason.normal) return;
    pulled.set(account.index, reason);
  }

  private cancelPulled(): void {
    const { accounts, pulled, portion } = this.state;
    for (const [index, reason] of pulled) {
      if (this.used >= portion) return;
      this.used += this.cancel(accounts[index]!, reason);
    }
  }

  /** Returns what it counts. */
  private cancel(account: Account, reason: PullReason): number {
    const { state } = this;
    const count =
      reason === CancelReason.delegatedRiskOrder
        ? cancelOrdersOfFrozen(state, account)
        : this.cancelOrders(account);
    state.pulled.delete(account.index);
    return count;
  }

  private cancelOrders(account: Account): number {
    const { state } = this;
    state.settleOpenWork(account);
    return 1 + cancelWhere(state, account, CancelReason.normal, () => true).length;
  }
}
