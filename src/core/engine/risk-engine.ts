/**
 * Keeps futures accounts in order after anything has happened (rules 9.4 steps 3 and 4): closing orders that no
 * longer fit are trimmed, accounts that can no longer carry their positions are liquidated; what that touches is
 * tested again, until nothing changes.
 */

import { repayFromCollateral } from '../borrowing/conversion.ts';
import { updateWarning } from '../borrowing/risk-warning.ts';
import type { FuturesSettlement } from '../futures/futures-settlement.ts';
import { trimClosingOrders } from '../futures/reduce-only-orders.ts';
import { delist, deliver } from '../liquidation/delivery.ts';
import { liquidateIfDue } from '../liquidation/liquidation.ts';
import { isDue } from '../liquidation/liquidation-check.ts';
import { LiquidationMonitor } from '../liquidation/liquidation-monitor.ts';
import { InstrumentStatus } from '../model/enums.ts';
import { assert } from '../model/units.ts';
import type { Account } from '../state/account.ts';
import type { State } from '../state/state.ts';
import { scheduleDelivery } from '../state/timers.ts';

/**
 * Each round closes something of somebody; a crash may pass from account to account through their resting orders, so the
 * bound grows with their number. More rounds would be going in a circle.
 */
const ROUNDS_MAX = 1000;
const ROUNDS_PER_ACCOUNT_MAX = 100;

export class RiskEngine {
  private readonly state: State;
  private readonly settlement: FuturesSettlement;
  private readonly watch: LiquidationMonitor;

  constructor(state: State, settlement: FuturesSettlement) {
    this.state = state;
    this.settlement = settlement;
    this.watch = new LiquidationMonitor(state);
  }

  /** Prices have moved. */
  onPrices(): void {
    const { state, watch } = this;
    // Only who is due now: whom else the watch wanted to see must not decide in which order accounts are taken.
    for (const account of watch.onPrices()) {
      if (isDue(state, account)) {
        state.markDirty(account);
        continue;
      }
      updateWarning(state, account);
      watch.look(account);
    }
    this.processDirtyAccounts();
  }

  /** Contracts whose day has come. */
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

  /** Accounts whose positions or money have changed. */
  processDirtyAccounts(): void {
    const { state } = this;
    const roundsMax = ROUNDS_MAX + ROUNDS_PER_ACCOUNT_MAX * state.accounts.length;
    for (let round = 0; state.dirtyAccounts.length > 0; round++) {
      assert(round < roundsMax, 'liquidations come to an end');
      const accounts = state.dirtyAccounts;
      state.dirtyAccounts = [];
      if (accounts.length > 1) accounts.sort((a, b) => a.uid - b.uid);
      for (const account of accounts) account.dirty = false;
      for (const account of accounts) this.settle(account);
    }
    this.settlement.ranking.forget();
  }

  private settle(account: Account): void {
    const { state } = this;
    trimClosingOrders(state, account);
    liquidateIfDue(state, this.settlement, account);
    repayFromCollateral(state, account);
    updateWarning(state, account);
    this.watch.look(account);
  }
}
