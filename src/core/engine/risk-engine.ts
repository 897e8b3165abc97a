/**
 * Post-trade risk checks of dirty accounts (rules 9.4 steps 3 and 4): closing orders larger than the position are trimmed,
 * accounts below maintenance margin are liquidated; accounts that this changes are checked again, until none is dirty.
 */

import { repayFromCollateral } from '../borrowing/conversion.ts';
import { updateWarning } from '../borrowing/risk-warning.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { trimClosingOrders } from '../futures/reduce-only-orders.ts';
import { delist, deliver } from '../liquidation/delivery.ts';
import { liquidateIfDue } from '../liquidation/liquidation.ts';
import { isDue } from '../liquidation/liquidation-check.ts';
import { LiquidationMonitor } from '../liquidation/liquidation-monitor.ts';
import { continueCloses } from '../liquidation/open-closes.ts';
import { checkLoans } from '../loan/loan-servicing.ts';
import type { Command } from '../model/command.ts';
import { InstrumentStatus } from '../model/enums.ts';
import { assert } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import { isAwaited } from '../state/open-closes.ts';
import { awaitsMoney } from '../state/open-work.ts';
import type { State } from '../state/state.ts';
import { scheduleDelivery } from '../state/timers.ts';
import { eachNamed } from './named-accounts.ts';
import { PriceChecks } from './price-checks.ts';

/**
 * Each round closes a position or order. Liquidations may cascade from account to account through their resting orders, so
 * the bound grows with the number of accounts; more rounds mean an endless loop.
 */
const ROUNDS_MAX = 1000;
const ROUNDS_PER_ACCOUNT_MAX = 100;

/** What a liquidation that begins counts, and a look of a ranking, in units of a portion. */
const LIQUIDATION_UNITS = 20;
const LOOKS_PER_UNIT = 16;

export class RiskEngine {
  private readonly state: State;
  private readonly settlement: FuturesSettlement;
  readonly monitor: LiquidationMonitor;
  private readonly priceChecks: PriceChecks;
  /** Liquidations that the present command has begun. */
  private begun = 0;
  /** The present command has done a portion of the loan checks. */
  private loansChecked = false;

  constructor(state: State, settlement: FuturesSettlement) {
    this.state = state;
    this.settlement = settlement;
    this.monitor = new LiquidationMonitor(state);
    this.priceChecks = new PriceChecks(state, this.monitor);
  }

  /** A command begins. */
  begin(): void {
    this.priceChecks.begin();
    this.loansChecked = false;
    this.begun = 0;
    const { state } = this;
    if (!state.rules.closePortions) return;
    state.closeUnitsLeft = state.portion;
    state.looksLeft = state.portion * LOOKS_PER_UNIT;
    for (const ranking of state.rankings) ranking.isNew = false;
  }

  /** A command ends. A ranking that is not complete is for closes that wait. */
  end(): void {
    const { state } = this;
    if (state.rankings.length === 0) return;
    this.settlement.ranking.forget(state);
    if (state.openCloses.length === 0) state.rankings = state.rankings.filter(({ isComplete }) => isComplete);
  }

  /** A tick: the checks of a second and forced closes go on (rules 18, 19). */
  resume(): void {
    if (this.state.loanChecksPending && !this.loansChecked) this.checkLoans();
    if (this.hasWaiting) this.continueCloses();
    this.priceChecks.continue();
  }

  private get hasWaiting(): boolean {
    const { openCloses, dueAccounts } = this.state;
    return openCloses.length !== 0 || dueAccounts.size !== 0;
  }

  /** Closes that have begun, then the accounts that wait, as far as the command may, then those that these have changed. */
  private continueCloses(): void {
    const { state } = this;
    continueCloses(state, this.settlement);
    let looks = state.portion;
    for (const index of state.dueAccounts) {
      if (this.begun >= this.liquidationsMax || state.closeUnitsLeft <= 0 || looks-- === 0) break;
      this.processNow(state.accounts[index]!);
    }
    this.processDirtyAccounts();
  }

  /** Prices, hours or pledges have changed. */
  checkLoans(): void {
    this.loansChecked = true;
    checkLoans(this.state);
  }

  /** Must accounts be looked at before they act? */
  get checksEarly(): boolean {
    return this.state.priceCheckRound !== undefined || this.hasWaiting;
  }

  /** An account is about to act by itself. */
  checkEarly(account: Account): void {
    this.checkNow(account);
    this.processDirtyAccounts();
  }

  /** Accounts that a command names are checked before it is applied. */
  checkNamed(command: Command): void {
    eachNamed(this.state, command, (account) => this.checkNow(account));
    this.processDirtyAccounts();
  }

  /** An account that is about to act is liquidated before, however many the command has begun with. */
  private checkNow(account: Account): void {
    this.priceChecks.checkEarly(account);
    const { rules, dueAccounts } = this.state;
    if (!rules.closePortions) return;
    if (account.dirty || dueAccounts.has(account.index)) this.processNow(account);
  }

  /** It waits no longer, unless for money. */
  private processNow(account: Account): void {
    if (this.isUnsettled(account)) return;
    this.state.dueAccounts.delete(account.index);
    this.processAccount(account, false);
  }

  /** Prices have moved. */
  onPrices(): void {
    const { state } = this;
    // Scores of the second before. One that nobody was taken by is kept for those that wait for it.
    if (state.rankings.length !== 0)
      state.rankings = state.rankings.filter(
        (ranking) => !ranking.isComplete || (!ranking.isUsed && isAwaited(state, ranking)),
      );
    if (state.rules.riskPortions) this.priceChecks.open();
    else this.checkAll();
    this.processDirtyAccounts();
  }

  private checkAll(): void {
    const { state, monitor } = this;
    // Only accounts that are due: the other candidates of the monitor must not influence the order of processing.
    monitor.onPrices();
    const accounts = monitor.toCheck(monitor.size)!.map((index) => state.accounts[index]!);
    for (const account of accounts.sort((a, b) => a.uid - b.uid)) {
      monitor.release(account);
      if (awaitsMoney(state, account.index)) continue;
      if (isDue(state, account)) {
        state.markDirty(account);
        continue;
      }
      updateWarning(state, account);
      monitor.watch(account);
    }
  }

  /** Settles contracts whose delivery time has come. */
  deliverDue(): void {
    const { state } = this;
    for (const market of [...state.markets]) {
      const delivery = market.futures?.terms.delivery;
      const { status } = state.instruments[market.instrument]!;
      if (delivery === undefined || delivery.time > state.now || status === InstrumentStatus.offline)
        continue;
      deliver(state, this.settlement, market);
    }
    scheduleDelivery(state);
  }

  /** A contract that was switched off keeps no positions (rules 1.3). */
  delist(instrument: number): void {
    delist(this.state, this.settlement, this.state.market(this.state.instruments[instrument]!));
  }

  /** Processes accounts whose positions or money have changed, in ascending uid, until none is dirty. */
  processDirtyAccounts(): void {
    const { state } = this;
    const roundsMax = ROUNDS_MAX + ROUNDS_PER_ACCOUNT_MAX * state.accounts.length;
    for (let round = 0; state.dirtyAccounts.length > 0; round++) {
      assert(round < roundsMax, 'liquidations come to an end');
      for (const account of state.takeDirty()) this.processAccount(account, true);
    }
    this.settlement.ranking.forget(state);
  }

  /**
   * Open work comes before any liquidation. Who is to receive funding is looked at when it has it, a few seconds later at
   * most (rules 14.3).
   */
  private isUnsettled(account: Account): boolean {
    const { state } = this;
    if (state.works.length !== 0) state.settleEarly(account, false);
    return awaitsMoney(state, account.index);
  }

  /** How many liquidations may begin with a command, apart from those of accounts that act (rules 19.1). */
  private get liquidationsMax(): number {
    return Math.ceil(this.state.portion / LIQUIDATION_UNITS);
  }

  /** Must it wait until those before it have been begun with? */
  private mustWait(account: Account): boolean {
    const { state } = this;
    const { rules, dueAccounts } = state;
    if (!rules.closePortions || !account.cashCanBeNegative) return false;
    if (this.begun < this.liquidationsMax && dueAccounts.size === 0) return false;
    if (!dueAccounts.has(account.index) && isDue(state, account)) dueAccounts.add(account.index);
    return dueAccounts.has(account.index);
  }

  private processAccount(account: Account, inTurn: boolean): void {
    const { state } = this;
    trimClosingOrders(state, account);
    if (this.isUnsettled(account) || account.liquidating) return;
    if (inTurn && this.mustWait(account)) return;
    if (liquidateIfDue(state, this.settlement, account)) this.begun++;
    // A part of it goes on with the next ticks.
    if (account.liquidating) return;
    repayFromCollateral(state, account);
    updateWarning(state, account);
    this.monitor.watch(account);
  }
}
