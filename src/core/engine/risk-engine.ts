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
import { checkLoans } from '../loan/loan-servicing.ts';
import type { Command } from '../model/command.ts';
import { InstrumentStatus } from '../model/enums.ts';
import { assert } from '../model/units.ts';
import type { Account } from '../state/account.ts';
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

/** What a liquidation counts, in units of a portion; each fill of its forced orders counts 1. */
const LIQUIDATION_UNITS = 20;
/** So many positions that are ranked for deleveraging count 1. */
const RANKED_PER_UNIT = 16;

export class RiskEngine {
  private readonly state: State;
  private readonly settlement: FuturesSettlement;
  readonly monitor: LiquidationMonitor;
  private readonly priceChecks: PriceChecks;
  /** What the liquidations of the present command count. */
  private used = 0;
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
    this.used = 0;
  }

  /** A tick: the checks of a second and the liquidation queue go on (rules 18, 19.1). */
  resume(): void {
    if (this.state.loanChecksPending && !this.loansChecked) this.checkLoans();
    if (this.state.dueAccounts.size !== 0) this.continueQueue();
    this.priceChecks.continue();
  }

  /** Accounts of the queue as far as the command may, then those that these have changed. */
  private continueQueue(): void {
    const { state } = this;
    let looks = state.portion;
    for (const index of state.dueAccounts) {
      if (this.isUsedUp || looks-- === 0) break;
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
    const { priceCheckRound, dueAccounts } = this.state;
    return priceCheckRound !== undefined || dueAccounts.size !== 0;
  }

  /** An account is about to act by itself. */
  checkEarly(account: Account): void {
    this.checkNow(account);
    // Before the ninth edition others that are due have waited until strategy orders had fired.
    if (!this.state.rules.liquidationQueue && !account.dirty) return;
    this.processDirtyAccounts();
    this.liquidateWaiting((visit) => visit(account));
  }

  /** Accounts that a command names are checked before it is applied. */
  checkNamed(command: Command): void {
    const { state } = this;
    eachNamed(state, command, (account) => this.checkNow(account));
    this.processDirtyAccounts();
    this.liquidateWaiting((visit) => eachNamed(state, command, visit));
  }

  /** Who is about to act, and was made due by the liquidations of others after he had been looked at (rules 19.1 (c)). */
  private liquidateWaiting(each: (visit: (account: Account) => void) => void): void {
    const { dueAccounts } = this.state;
    for (let round = 0; dueAccounts.size !== 0; round++) {
      let found = false;
      each((account) => {
        if (!dueAccounts.has(account.index) || this.isUnsettled(account)) return;
        found = true;
        this.processNow(account);
      });
      if (!found) return;
      assert(round < ROUNDS_MAX, 'liquidations come to an end');
      this.processDirtyAccounts();
    }
  }

  /** An account that is about to act is liquidated before, however many the command has begun with. */
  private checkNow(account: Account): void {
    this.priceChecks.checkEarly(account);
    const { rules, dueAccounts } = this.state;
    if (!rules.liquidationQueue) return;
    if (account.dirty || dueAccounts.has(account.index)) this.processNow(account);
  }

  /** It waits no longer, unless for money. */
  private processNow(account: Account): void {
    if (this.isUnsettled(account)) return;
    this.state.dueAccounts.delete(account.index);
    this.processAccount(account, false);
  }

  /**
   * Prices were sampled, and strategy orders are about to fire by them: whose owner acts is checked before, and whom the monitor
   * leaves out must not depend on when it was built. Before the ninth edition it did.
   */
  notePrices(): void {
    if (this.state.rules.liquidationQueue) this.monitor.onPrices();
  }

  /** Prices have moved. */
  onPrices(): void {
    if (this.state.rules.riskPortions) this.priceChecks.open();
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
    this.settlement.ranking.forget();
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

  /** Has the command done what it may, apart from liquidations of accounts that act (rules 19.1)? */
  private get isUsedUp(): boolean {
    return this.used >= this.state.portion;
  }

  /** Must it wait until those before it have been begun with? */
  private mustWait(account: Account): boolean {
    const { state } = this;
    const { rules, dueAccounts } = state;
    if (!rules.liquidationQueue || !account.cashCanBeNegative) return false;
    if (!this.isUsedUp && dueAccounts.size === 0) return false;
    if (!dueAccounts.has(account.index) && isDue(state, account)) dueAccounts.add(account.index);
    return dueAccounts.has(account.index);
  }

  private liquidate(account: Account): void {
    const { slab } = this.state;
    const { ranking } = this.settlement;
    const [{ fillsDone }, { ranked }] = [slab, ranking];
    if (!liquidateIfDue(this.state, this.settlement, account)) return;
    this.used += LIQUIDATION_UNITS + slab.fillsDone - fillsDone + (ranking.ranked - ranked) / RANKED_PER_UNIT;
  }

  private processAccount(account: Account, inTurn: boolean): void {
    const { state } = this;
    trimClosingOrders(state, account);
    if (this.isUnsettled(account)) {
      // Else only a restored monitor would know that it is due, and its round would stop elsewhere.
      if (state.rules.liquidationQueue) this.monitor.watch(account);
      return;
    }
    if (inTurn && this.mustWait(account)) return;
    this.liquidate(account);
    repayFromCollateral(state, account);
    updateWarning(state, account);
    this.monitor.watch(account);
  }
}
