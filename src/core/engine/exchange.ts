/**
 * The one door into the exchange. A command goes through these steps, always in this order:
 *
 *   1. the clock moves to the command's time and scheduled work runs (`schedule.ts`)
 *   2. the command itself: checks, then changes (`place-order.ts`, `amend.ts`, `cancel.ts`, `wallet.ts`, ...)
 *   3. strategy orders that its trades reached fire, one by one (`trigger-engine.ts`); accounts that were touched are
 *      looked after: closing orders trimmed, liquidations (`risk-engine.ts`); again, until nothing changes
 *   4. its outcome is folded into the digest; what happened waits in `takeEvents`
 *
 * No clock, no randomness, no I/O: the same commands give the same state, ids and events, anywhere and always.
 */

import { repayDebt, setCoinLeverage } from '../borrowing/repayment.ts';
import type { Checkpoint, Command, SetAside, SetInstrumentStatus } from '../model/command.ts';
import { Diverged } from '../model/diverged.ts';
import type { Event } from '../model/event.ts';
import { FuturesDesk } from './risk-engine.ts';
import { setHoldMode, setLeverage, setMarginMode } from '../futures/futures-settings.ts';
import { FuturesSettlement } from '../futures/futures-settlement.ts';
import { adjustMargin, setAutoMargin } from '../futures/isolated-margin.ts';
import { movePositions } from '../liquidation/position-move.ts';
import { forceClose } from '../liquidation/operator-force-close.ts';
import {
  listCoin,
  listInstrument,
  openAccount,
  setFeeDeduction,
  setFees,
  setHalt,
  setInstrumentStatus,
  setMarketMaker,
} from '../listing/listing.ts';
import { borrow } from '../loan/borrow.ts';
import { testLoans } from '../loan/loan-servicing.ts';
import { fundLoanPool, setLoanRate } from '../loan/loan-pool.ts';
import { repay } from '../loan/repay.ts';
import { revisePledge } from '../loan/revise.ts';
import { reportPrice } from './price-tick.ts';
import { amendOrders } from '../entry/amend.ts';
import { cancelAll, cancelOrder, setCountdown } from '../orders/cancel.ts';
import type { Settlements } from '../entry/execution.ts';
import { placeOrder } from '../entry/place-order.ts';
import { SpotSettlement } from '../spot/spot-settlement.ts';
import { DONE, type Outcome } from '../model/command-result.ts';
import { Refusal } from '../model/reject-reason.ts';
import { advance } from './schedule.ts';
import { State } from '../state/state.ts';
import { cancelEverything } from '../strategy/cancel-everything.ts';
import { StrategyDesk } from './trigger-engine.ts';
import { cancelStrategyOrder, modifyStrategy, placeStrategy } from './conditional-entry.ts';
import { setCommission } from '../wallet/commission.ts';
import { deposit, setDepositWallet, transfer, withdraw } from '../wallet/wallet.ts';
import { endWithdrawal, innerWithdrawal, requestWithdrawal } from '../wallet/withdrawal.ts';

const NO_EVENTS: readonly Event[] = [];

export class Exchange {
  readonly state: State;
  private readonly settlements: Settlements;
  private readonly desk: FuturesDesk;
  private readonly strategies: StrategyDesk;

  constructor(state = new State()) {
    this.state = state;
    this.settlements = { spot: new SpotSettlement(state), futures: new FuturesSettlement(state) };
    this.desk = new FuturesDesk(state, this.settlements.futures);
    this.strategies = new StrategyDesk(state, this.settlements, this.desk);
  }

  apply(command: Command): Outcome {
    const { state } = this;
    if (command.type === 'checkpoint') return this.compare(command);
    // Whoever replays has passed over what it names; it moves no clock either, because that may be what broke.
    if (command.type === 'setAside') return DONE;
    this.strategies.begin();
    advance(state, command.time, this.desk, this.strategies);
    const outcome = this.carryOut(command);
    this.strategies.settle();
    state.digest.fold(outcome.refusal);
    if (outcome.items !== undefined) for (const item of outcome.items) state.digest.fold(item.refusal);
    return outcome;
  }

  /** Events since the last call, in the order they arose. */
  takeEvents(): readonly Event[] {
    const { events } = this.state;
    if (events.length === 0) return NO_EVENTS;
    this.state.events = [];
    return events;
  }

  private carryOut(command: Exclude<Command, Checkpoint | SetAside>): Outcome {
    const { state } = this;
    switch (command.type) {
      case 'placeOrder':
        return placeOrder(state, this.settlements, command);
      case 'amendOrders':
        return amendOrders(state, this.settlements, command);
      case 'cancelOrder':
        return cancelOrder(state, command);
      case 'cancelAll':
        return cancelAll(state, command);
      case 'countdownCancel':
        return setCountdown(state, command);
      case 'cancelEverything':
        return cancelEverything(state, command);
      case 'deposit':
        return deposit(state, command);
      case 'withdraw':
        return withdraw(state, command);
      case 'transfer':
        return transfer(state, command);
      case 'requestWithdrawal':
        return requestWithdrawal(state, command);
      case 'endWithdrawal':
        return endWithdrawal(state, command);
      case 'innerWithdrawal':
        return innerWithdrawal(state, command);
      case 'setHalt':
        return setHalt(state, command);
      case 'setMarketMaker':
        return setMarketMaker(state, command);
      case 'setFeeDeduction':
        return setFeeDeduction(state, command);
      case 'setCommission':
        return setCommission(state, command);
      case 'setDepositWallet':
        return setDepositWallet(state, command);
      case 'openAccount':
        return openAccount(state, command);
      case 'listCoin':
        return listCoin(state, command);
      case 'listInstrument':
        return listInstrument(state, command);
      case 'setInstrumentStatus':
        return this.setStatus(command);
      case 'setFees':
        return setFees(state, command);
      case 'setLeverage':
        return setLeverage(state, command);
      case 'setCoinLeverage':
        return setCoinLeverage(state, command);
      case 'repay':
        return repayDebt(state, command);
      case 'setHoldMode':
        return setHoldMode(state, command);
      case 'setMarginMode':
        return setMarginMode(state, command);
      case 'adjustMargin':
        return adjustMargin(state, command);
      case 'setAutoMargin':
        return setAutoMargin(state, command);
      case 'loanBorrow':
        return this.afterLoan(borrow(state, command));
      case 'loanRepay':
        return this.afterLoan(repay(state, command));
      case 'loanRevise':
        return this.afterLoan(revisePledge(state, command));
      case 'forceClose':
        return forceClose(state, this.settlements.futures, command);
      case 'movePositions':
        return movePositions(state, this.settlements.futures, command);
      case 'fundLoanPool':
        return fundLoanPool(state, command);
      case 'setLoanRate':
        return setLoanRate(state, command);
      case 'componentPrice':
        return reportPrice(state, command);
      case 'placeStrategy':
        return placeStrategy(state, command);
      case 'modifyStrategy':
        return modifyStrategy(state, command);
      case 'cancelStrategy':
        return cancelStrategyOrder(state, command);
      case 'tick':
        return DONE;
    }
  }

  /** A pledge that has changed may be below its level again, or the reverse (rules 7.5). */
  private afterLoan(outcome: Outcome): Outcome {
    testLoans(this.state);
    return outcome;
  }

  /** What goes offline is settled: nobody could close it any more. */
  private setStatus(command: SetInstrumentStatus): Outcome {
    const outcome = setInstrumentStatus(this.state, command);
    if (outcome.refusal === Refusal.none && command.status === 'offline')
      this.desk.delist(command.instrument);
    return outcome;
  }

  /** A replay that came to other outcomes than the run that wrote the log must not go on. */
  private compare(checkpoint: Checkpoint): Outcome {
    const { digest } = this.state;
    if (digest.value !== checkpoint.digest) {
      throw new Diverged(`outcomes differ from the log: digest ${digest.value}, logged ${checkpoint.digest}`);
    }
    return DONE;
  }
}
