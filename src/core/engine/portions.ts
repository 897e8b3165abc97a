/**
 * Work that concerns everybody, done in portions (rules 14). It is opened at its instant; ticks go on with it until it is
 * done. An account that is about to act, or to be decided about, is settled before its turn (`State.touch`), so nobody
 * gains by what is done in between.
 */

import { continueEnding } from '../listing/ending.ts';
import type { Command } from '../model/command.ts';
import { PORTION_LOOKS_MAX } from '../model/limits.ts';
import type { Account } from '../state/account.ts';
import type { HourWork } from '../state/open-work.ts';
import type { Market, State } from '../state/state.ts';
import { closeHour, openHour, PAYMENT, payReceipts, settleHour } from './hour-work.ts';

/** Until then it must be done, or what is left is done in one step: receivers of funding are not liquidated before. */
const WORK_MS_MAX = 5000;

/** Fields of commands that name accounts. */
const NAMES = ['uid', 'fromUid', 'toUid', 'initiatorUid'] as const;

export class Portions {
  private readonly state: State;
  /** The present command has done a portion. */
  private hasRun = false;

  constructor(state: State) {
    this.state = state;
    state.settleEarly = (account, acts) => this.settleEarly(account, acts);
  }

  /** A command begins. */
  begin(): void {
    this.hasRun = false;
  }

  /** A full hour: its first portion is done at once. */
  openHour(markets: readonly Market[], interest: boolean): void {
    const { state } = this;
    state.works.push(openHour(state, markets, interest));
    if (state.works.length === 1) this.continueWork(state.portion);
  }

  /** A tick: the next portion of everything that is open, unless its time has brought one already. */
  run(): void {
    if (!this.hasRun) this.continueWork(this.state.portion);
    continueEnding(this.state);
  }

  /** Must what is open be done by this time? */
  isOverdue(time: number): boolean {
    const first = this.state.works[0];
    return first !== undefined && time >= first.time + WORK_MS_MAX;
  }

  /** All that is left of it, in one step. */
  finish(): void {
    while (this.state.works.length !== 0) this.continueWork(Number.POSITIVE_INFINITY);
  }

  /** Settles the accounts that a command names before it is looked at. */
  touchNamed(command: Command): void {
    const { state } = this;
    if (state.works.length === 0) return;
    const names: Partial<Record<(typeof NAMES)[number], number>> = command as object;
    for (const name of NAMES) this.touchUid(names[name]);
    if (command.type === 'endWithdrawal') this.touchUid(state.withdrawals.get(command.withdrawalId)?.uid);
  }

  private touchUid(uid: number | undefined): void {
    const account = uid === undefined ? undefined : this.state.accountByUid.get(uid);
    if (account !== undefined) this.state.touch(account);
  }

  private settleEarly(account: Account, acts: boolean): void {
    const { state } = this;
    const { index } = account;
    for (const work of state.works) {
      const { sweep, receipts, acted } = work;
      if (!sweep.isDone(index)) {
        sweep.early.add(index);
        settleHour(state, work, account);
      } else if (sweep.isOver && receipts.has(index)) payReceipts(state, work, account);
      if (acts && receipts.has(index)) acted.add(index);
    }
  }

  private continueWork(portion: number): void {
    const { state } = this;
    const work = state.works[0];
    if (work === undefined) return;
    this.hasRun = true;
    const left = this.sweep(work, portion);
    if (!work.sweep.isOver) return;
    this.pay(work, left);
    if (work.receipts.size > 0) return;
    state.works.shift();
    closeHour(state, work);
  }

  /** Returns what is left of the portion. */
  private sweep(work: HourWork, portion: number): number {
    const { state } = this;
    const { sweep } = work;
    let left = portion;
    for (let looks = PORTION_LOOKS_MAX; !sweep.isOver && left > 0 && looks > 0; looks--) {
      const { next } = sweep;
      const done = sweep.isDone(next);
      sweep.next++;
      if (!done) left -= settleHour(state, work, state.accounts[next]!);
    }
    return left;
  }

  private pay(work: HourWork, portion: number): void {
    const { accounts } = this.state;
    let left = portion;
    for (const account of work.receipts.keys()) {
      if (left <= 0) return;
      left -= PAYMENT;
      payReceipts(this.state, work, accounts[account]!);
    }
  }
}
