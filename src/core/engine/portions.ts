/**
 * Work over all accounts, done in portions (rules 14). It is opened at its instant, and each tick does the next portion. An
 * account that a command acts for or decides about is settled before its turn (`State.settleOpenWork`), so that commands in
 * between do not change what it pays or receives.
 */

import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { closeEnd, continueEnd, nextStage, openEnd, settleEnd } from '../liquidation/contract-end.ts';
import { listNextQuarter } from '../liquidation/delivery.ts';
import { continueDelisting } from '../listing/delisting.ts';
import { markTicks } from '../margin/margin.ts';
import type { Command } from '../model/command.ts';
import { InstrumentStatus, OrderKind } from '../model/enums.ts';
import { PORTION_LOOKS_MAX } from '../model/limits.ts';
import type { Account } from '../state/account.ts';
import { type ContractEnd, EndStage } from '../state/contract-end.ts';
import type { Market } from '../state/market.ts';
import { HourWork, type OpenWork } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { scheduleDelivery } from '../state/timers.ts';
import { closeHour, openFunding, openHour, PAYMENT, payReceipts, settleHour } from './hour-work.ts';
import { eachNamed } from './named-accounts.ts';

/** Work must be done within this time, or its rest is done in one step: receivers of funding are not liquidated before. */
const WORK_MS_MAX = 5000;

export class Portions {
  private readonly state: State;
  private readonly settlement: FuturesSettlement;
  /** The present command has done a portion. */
  private hasRun = false;

  constructor(state: State, settlement: FuturesSettlement) {
    this.state = state;
    this.settlement = settlement;
    state.settleEarly = (account, acts) => this.settleEarly(account, acts);
  }

  /** A command begins. */
  begin(): void {
    this.hasRun = false;
  }

  /** A full hour: its first portion is done at once. */
  openHour(markets: readonly Market[], interest: boolean): void {
    const { state } = this;
    this.open(openHour(state, markets, interest));
  }

  /** Funding of one perpetual by command, between the hours. */
  openFunding(market: Market): void {
    this.open(openFunding(this.state, market));
  }

  /** Contracts whose delivery time has come: trading in them ends. */
  deliverDue(): void {
    const { state } = this;
    for (const market of [...state.markets]) {
      const delivery = market.futures?.terms.delivery;
      const instrument = state.instruments[market.instrument]!;
      if (delivery === undefined || delivery.time > state.now) continue;
      if (instrument.status === InstrumentStatus.offline) continue;
      instrument.status = InstrumentStatus.offline;
      state.emit({ type: 'instrument', instrument: instrument.index });
      listNextQuarter(state, instrument);
      this.open(openEnd(state, market, OrderKind.delivery, market.futures!.fixSettlement()));
    }
    scheduleDelivery(state);
  }

  /** A contract that was switched off keeps no orders and no positions, which close at the mark (rules 1.3). */
  delist(index: number): void {
    const { state } = this;
    const instrument = state.instruments[index]!;
    if (instrument.futures === undefined) return;
    this.open(openEnd(state, state.market(instrument), OrderKind.delisting, markTicks(state, instrument)));
  }

  private open(work: OpenWork): void {
    const { works, portion } = this.state;
    works.push(work);
    if (works.length === 1) this.continueWork(portion);
  }

  /** A tick: the next portion of all open work, unless this command has already done one. */
  run(): void {
    if (!this.hasRun) this.continueWork(this.state.portion);
    continueDelisting(this.state);
  }

  /** Has open work been waiting too long at this time? */
  isOverdue(time: number): boolean {
    const first = this.state.works[0];
    return first !== undefined && time >= first.time + WORK_MS_MAX;
  }

  /** Does the rest of all open work in one step. */
  finish(): void {
    while (this.state.works.length !== 0) this.continueWork(Number.POSITIVE_INFINITY);
  }

  /** Settles open work with the accounts that a command names, before the command is applied. */
  settleNamedAccounts(command: Command): void {
    const { state } = this;
    if (state.works.length !== 0) eachNamed(state, command, (account) => state.settleOpenWork(account));
  }

  private settleEarly(account: Account, acts: boolean): void {
    for (const work of this.state.works)
      if (work instanceof HourWork) this.settleHourEarly(work, account, acts);
      else this.settleEndEarly(work, account, acts);
  }

  private settleHourEarly(work: HourWork, account: Account, acts: boolean): void {
    const { state } = this;
    const { index } = account;
    const { sweep, receipts, acted } = work;
    if (!sweep.isDone(index)) {
      sweep.early.add(index);
      settleHour(state, work, account);
    } else if (sweep.isOver && receipts.has(index)) payReceipts(state, work, account);
    if (acts && receipts.has(index)) acted.add(index);
  }

  private settleEndEarly(work: ContractEnd, account: Account, acts: boolean): void {
    const { index } = account;
    const { sweep, pending } = work;
    if (!sweep.isDone(index)) {
      sweep.early.add(index);
      settleEnd(this.state, this.settlement, work, account);
    }
    const waits = acts ? pending.get(index) : undefined;
    if (waits !== undefined) waits.acted = true;
  }

  private continueWork(portion: number): void {
    const work = this.state.works[0];
    if (work === undefined) return;
    this.hasRun = true;
    if (work instanceof HourWork) this.continueHour(work, portion);
    else this.continueEnd(work, portion);
  }

  private continueHour(work: HourWork, portion: number): void {
    const { state } = this;
    const settle = (account: Account) => settleHour(state, work, account);
    const left = this.sweep(work, portion, settle);
    if (!work.sweep.isOver) return;
    this.pay(work, left);
    if (work.receipts.size > 0) return;
    state.works.shift();
    closeHour(state, work);
  }

  private continueEnd(work: ContractEnd, portion: number): void {
    const { state, settlement } = this;
    const settle = (account: Account) => settleEnd(state, settlement, work, account);
    let left = this.sweep(work, portion, settle);
    if (!work.sweep.isOver) return;
    let looks = PORTION_LOOKS_MAX;
    for (;;) {
      if (work.stage === EndStage.closing || work.next >= work.sweep.until) {
        if (nextStage(state, work)) continue;
        state.works.shift();
        closeEnd(state, work);
        return;
      }
      if (left <= 0 || looks <= 0) return;
      left -= continueEnd(state, work, work.next++);
      looks--;
    }
  }

  /** Returns what is left of the portion. */
  private sweep({ sweep }: OpenWork, portion: number, settle: (account: Account) => number): number {
    const { state } = this;
    let left = portion;
    for (let looks = PORTION_LOOKS_MAX; !sweep.isOver && left > 0 && looks > 0; looks--) {
      const { next } = sweep;
      const done = sweep.isDone(next);
      sweep.next++;
      if (!done) left -= settle(state.accounts[next]!);
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
