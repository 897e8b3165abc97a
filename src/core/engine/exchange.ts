/**
 * The entry point of the core. A command goes through these steps, in this order; `checkpoint`, `skipCommand` and
 * `identityMark` change no state and skip them:
 *
 *   1. the clock moves to the command's time and scheduled work runs (`schedule.ts`)
 *   2. the accounts that the command names: open work is settled with them (`portions.ts`), and they are checked at the
 *      prices of the second, if the round has not reached them yet (`price-checks.ts`), or liquidated, if they wait for it
 *   3. the command itself: checks, then changes (`place-order.ts`, `amend.ts`, `cancel.ts`, `wallet.ts`, ...)
 *   4. strategy orders that its trades reached fire, one by one (`trigger-engine.ts`); dirty accounts are processed:
 *      closing orders trimmed, liquidations (`risk-engine.ts`); repeated until nothing changes
 *   5. its result is folded into the digest; `takeEvents` returns its events
 *   6. assertions: no isolated margin is left below zero; with each new second the invariants of one account are
 *      checked (`account-invariants.ts`). A broken one throws `InvariantBroken`, which stops the process
 *
 * No clock, no randomness, no I/O: the same commands give the same state, ids and events, anywhere and always.
 */

import { repayDebt, setCoinLeverage } from '../borrowing/repayment.ts';
import { amendOrders } from '../entry/amend.ts';
import type { Settlements } from '../entry/execution.ts';
import { placeOrder } from '../entry/place-order.ts';
import { payFundingNow } from '../futures/funding.ts';
import { setHoldMode, setLeverage, setMarginMode } from '../futures/futures-settings.ts';
import { FuturesSettlement } from '../futures/futures-settlement.ts';
import { adjustMargin, setAutoMargin } from '../futures/isolated-margin.ts';
import { fundInsurance, writeOffDebt } from '../liquidation/insurance-funding.ts';
import type { LiquidationMonitor } from '../liquidation/liquidation-monitor.ts';
import { forceClose } from '../liquidation/operator-force-close.ts';
import { movePositions } from '../liquidation/position-move.ts';
import { setCoinLimits } from '../listing/coin-limits.ts';
import {
  listCoin,
  listInstrument,
  openAccount,
  setBroker,
  setEdition,
  setFeeDeduction,
  setFees,
  setHalt,
  setInstrumentStatus,
  setMarketMaker,
} from '../listing/listing.ts';
import { borrow } from '../loan/borrow.ts';
import { fundLoanPool, setLoanRate } from '../loan/loan-pool.ts';
import { repayLoan } from '../loan/repay.ts';
import { revisePledge } from '../loan/revise.ts';
import { updateShortfalls } from '../margin/clearing-shortfall.ts';
import type {
  Checkpoint,
  Command,
  ForceFunding,
  IdentityMark,
  SetInstrumentStatus,
  SkipCommand,
} from '../model/command.ts';
import { type CommandResult, OK, rejected } from '../model/command-result.ts';
import type { Event } from '../model/event.ts';
import { RejectReason } from '../model/reject-reason.ts';
import { ReplayDivergence } from '../model/replay-divergence.ts';
import { cancelAll, cancelOrder, setCountdown } from '../orders/cancel.ts';
import { SpotSettlement } from '../spot/spot-settlement.ts';
import { hasOpenWork } from '../state/open-work.ts';
import { State } from '../state/state.ts';
import type { Tracer } from '../state/tracer.ts';
import { setCommission } from '../wallet/commission.ts';
import { deposit, setDepositWallet, transfer, withdraw } from '../wallet/wallet.ts';
import { endWithdrawal, internalWithdrawal, requestWithdrawal } from '../wallet/withdrawal.ts';
import { checkNextAccount } from './account-invariants.ts';
import { Cancellations } from './cancellations.ts';
import { Portions } from './portions.ts';
import { onComponentPrice } from './price-tick.ts';
import { RiskEngine } from './risk-engine.ts';
import { Schedule } from './schedule.ts';
import { amendStrategy, cancelStrategyOrder, placeStrategy } from './strategy-entry.ts';
import { TriggerEngine } from './trigger-engine.ts';

export class Exchange {
  readonly state: State;
  private readonly settlements: Settlements;
  private readonly riskEngine: RiskEngine;
  private readonly triggerEngine: TriggerEngine;
  private readonly cancellations: Cancellations;
  private readonly portions: Portions;
  private readonly schedule: Schedule;
  private lastSeq = 0;

  constructor(state = new State()) {
    this.state = state;
    this.settlements = { spot: new SpotSettlement(state), futures: new FuturesSettlement(state) };
    this.riskEngine = new RiskEngine(state, this.settlements.futures);
    this.cancellations = new Cancellations(state);
    this.triggerEngine = new TriggerEngine(state, this.settlements, this.riskEngine, this.cancellations);
    this.portions = new Portions(state, this.settlements.futures);
    this.schedule = new Schedule(
      state,
      this.riskEngine,
      this.triggerEngine,
      this.portions,
      this.cancellations,
    );
  }

  /** `seq` is the command's sequence number in the journal; it selects the account whose invariants are checked. */
  apply(command: Command, seq = this.lastSeq + 1): CommandResult {
    const { state } = this;
    this.lastSeq = seq;
    // Commands have many shapes, so a read of a field is a search: each is read once.
    const { type, time } = command;
    if (isMark(type, command)) return this.applyMark(command);
    const { nextSecond } = state;
    this.triggerEngine.begin();
    this.portions.begin();
    this.cancellations.begin();
    this.riskEngine.begin();
    this.schedule.advanceTo(time);
    this.portions.settleNamedAccounts(command);
    this.cancellations.completeNamed(command);
    if (this.riskEngine.checksEarly) this.riskEngine.checkNamed(command);
    if (state.tracer !== undefined) state.tracer.onCommand(command);
    const { fillsDone } = state.slab;
    const result = this.dispatch(command);
    // What forced orders trade with a tick keeps no strategy order waiting.
    if (type !== 'tick') this.triggerEngine.countFills(state.slab.fillsDone - fillsDone);
    if (state.tracer !== undefined) state.tracer.onResult(result);
    this.triggerEngine.runUntilIdle();
    if (state.clearingChanged) updateShortfalls(state, false);
    state.digest.fold(result.rejectReason);
    if (result.items !== undefined) for (const item of result.items) state.digest.fold(item.rejectReason);
    state.ledger.checkIsolatedMargins();
    state.ledger.recordDebtPeaks();
    if (state.nextSecond !== nextSecond) checkNextAccount(state, seq);
    return result;
  }

  /** The same, with a tracer that watches it. */
  applyTraced(command: Command, seq: number, tracer: Tracer): CommandResult {
    const { state } = this;
    state.tracer = tracer;
    state.ledger.tracer = tracer;
    try {
      return this.apply(command, seq);
    } finally {
      state.tracer = undefined;
      state.ledger.tracer = undefined;
    }
  }

  /** Is there work that the next tick must continue (rules 14.1)? */
  get hasOpenWork(): boolean {
    return hasOpenWork(this.state);
  }

  /** The accounts near liquidation, for reads. */
  get liquidationMonitor(): LiquidationMonitor {
    return this.riskEngine.monitor;
  }

  /** Leaves out the events of orders, fills, trades and ledger lines in a replay of commands that the history already has. */
  set suppressEvents(suppress: boolean) {
    this.state.suppressEvents = suppress;
  }

  /** Events since the last call, in order. */
  takeEvents(): readonly Event[] {
    return this.state.takeEvents();
  }

  private dispatch(command: Exclude<Command, Mark>): CommandResult {
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
        return this.cancellations.freeze(command);
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
      case 'internalWithdrawal':
        return internalWithdrawal(state, command);
      case 'setEdition':
        return setEdition(state, command);
      case 'setHalt':
        return setHalt(state, command);
      case 'setMarketMaker':
        return setMarketMaker(state, command);
      case 'setFeeDeduction':
        return setFeeDeduction(state, command);
      case 'setCommission':
        return setCommission(state, command);
      case 'setBroker':
        return setBroker(state, command);
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
        return this.afterLoan(repayLoan(state, command));
      case 'loanRevise':
        return this.afterLoan(revisePledge(state, command));
      case 'forceClose':
        return forceClose(state, this.settlements.futures, command);
      case 'forceFunding':
        return this.forceFunding(command);
      case 'movePositions':
        return movePositions(state, this.settlements.futures, command);
      case 'fundInsurance':
        return fundInsurance(state, command);
      case 'writeOffDebt':
        return writeOffDebt(state, command);
      case 'fundLoanPool':
        return fundLoanPool(state, command);
      case 'setCoinLimits':
        return setCoinLimits(state, command);
      case 'setLoanRate':
        return setLoanRate(state, command);
      case 'componentPrice':
        return onComponentPrice(state, command);
      case 'placeStrategy':
        return placeStrategy(state, command);
      case 'modifyStrategy':
        return amendStrategy(state, command);
      case 'cancelStrategy':
        return cancelStrategyOrder(state, command);
      case 'tick':
        this.portions.run();
        this.triggerEngine.resume();
        this.riskEngine.resume();
        this.cancellations.resume();
        return OK;
    }
  }

  /** A changed loan or pledge may have crossed a level in either direction (rules 7.5). */
  private afterLoan(result: CommandResult): CommandResult {
    if (result.rejectReason === RejectReason.none) this.riskEngine.checkLoans();
    return result;
  }

  /** Positions of an instrument that goes offline are settled, because they could not be closed any more. */
  private setStatus(command: SetInstrumentStatus): CommandResult {
    const { rules } = this.state;
    const result = setInstrumentStatus(this.state, command);
    if (result.rejectReason !== RejectReason.none || command.status !== 'offline') return result;
    if (rules.portions) this.portions.delist(command.instrument);
    else this.riskEngine.delist(command.instrument);
    return result;
  }

  /** Funding of one perpetual at once, so that it can be tried on a demo (rules 5.10). */
  private forceFunding({ instrument: index }: ForceFunding): CommandResult {
    const { state } = this;
    const instrument = state.instruments[index];
    if (instrument?.futures === undefined || instrument.futures.delivery !== undefined)
      return rejected(RejectReason.unknownInstrument);
    const market = state.market(instrument);
    if (state.rules.portions) this.portions.openFunding(market);
    else payFundingNow(state, market);
    return OK;
  }

  private applyMark(mark: Mark): CommandResult {
    // Only recovery acts on `skipCommand`: it skips the named command. The clock does not move, because that may be what failed.
    // `identityMark` is read by recovery and verification only; users and keys are not part of the state.
    return mark.type === 'checkpoint' ? this.verifyCheckpoint(mark) : OK;
  }

  /** A replay with other results than the run that wrote the journal must stop. */
  private verifyCheckpoint(checkpoint: Checkpoint): CommandResult {
    const { digest } = this.state;
    if (digest.value !== checkpoint.digest) {
      throw new ReplayDivergence(
        `results differ from the journal: digest ${digest.value}, logged ${checkpoint.digest}`,
      );
    }
    return OK;
  }
}

/** Commands that change no state. */
type Mark = Checkpoint | SkipCommand | IdentityMark;

function isMark(type: Command['type'], _command: Command): _command is Mark {
  return type === 'checkpoint' || type === 'skipCommand' || type === 'identityMark';
}
