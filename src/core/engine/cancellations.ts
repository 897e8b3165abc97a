/**
 * Cancels all orders of an account: its countdown has run out, or it is frozen. A main account may have ten thousand sub-accounts
 * with hundreds of orders each, so since the ninth edition this is done in portions (rules 19.4): whose countdown ran out stays in
 * the heap of countdowns until its turn, sub-accounts of a frozen account wait in `state.freezing`.
 */

import type { CancelFrozenAccount, Command } from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import { CancelReason } from '../model/enums.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { cancelWhere, scheduleCountdowns } from '../orders/cancel.ts';
import type { Account } from '../state/account.ts';
import { awaitsCancellation, hasCancellations, isExpired } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { cancelOrdersOfFrozen } from '../strategy/cancel-frozen-account.ts';
import { eachNamed } from './named-accounts.ts';

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
    const { countdowns, accounts } = state;
    for (;;) {
      const first = countdowns.first();
      if (first === undefined || !isExpired(state, accounts[first]!) || this.isUsedUp) break;
      this.used += this.endCountdown(accounts[first]!);
    }
    scheduleCountdowns(state);
  }

  /** The account's own orders are cancelled with the command, those of its sub-accounts in portions. */
  freeze({ uid }: CancelFrozenAccount): CommandResult {
    const { state } = this;
    const account = state.accountByUid.get(uid);
    if (account === undefined) return rejected(RejectReason.unknownAccount);
    this.used += cancelOrdersOfFrozen(state, account);
    for (const { index } of account.subAccounts) state.freezing.add(index);
    this.silenceFrozen();
    return OK;
  }

  /** A tick: what waits goes on. */
  resume(): void {
    if (!hasCancellations(this.state)) return;
    this.runCountdowns();
    this.silenceFrozen();
  }

  /** Nobody acts beside orders that are to be cancelled. */
  completeNamed(command: Command): void {
    if (hasCancellations(this.state)) eachNamed(this.state, command, (account) => this.complete(account));
  }

  /** The account is about to act. Returns what that counts in a portion. */
  complete(account: Account): number {
    const { state } = this;
    if (!awaitsCancellation(state, account)) return 0;
    let units = 0;
    if (state.freezing.delete(account.index)) units += cancelOrdersOfFrozen(state, account);
    if (isExpired(state, account)) units += this.endCountdown(account);
    scheduleCountdowns(state);
    return units;
  }

  private get isUsedUp(): boolean {
    const { rules, portion } = this.state;
    return rules.cancelPortions && this.used >= portion;
  }

  private silenceFrozen(): void {
    const { freezing, accounts } = this.state;
    for (const index of freezing) {
      if (this.isUsedUp) return;
      freezing.delete(index);
      this.used += cancelOrdersOfFrozen(this.state, accounts[index]!);
    }
  }

  /** Returns what it counts. */
  private endCountdown(account: Account): number {
    const { state } = this;
    state.countdowns.remove(account.index);
    account.countdownDeadline = 0;
    state.settleOpenWork(account);
    return 1 + cancelWhere(state, account, CancelReason.normal, () => true).length;
  }
}
