/**
 * Follows the exchange from outside: sees each command, its outcome and the events, and checks the invariants of rules
 * 10.1 that can only be seen over time (I02, I16-I25, I27, I30-I33, I38, I44-I46), each in the file of its subject. Complements
 * `checkInvariants`, which looks at one state. Shared by the scenario tests and the property tests.
 */
import type { Command } from '../../../src/core/model/command.ts';
import type { CommandResult } from '../../../src/core/model/command-result.ts';
import { CancelReason, HoldMode, OrderKind, PosSide, Side } from '../../../src/core/model/enums.ts';
import type { Event, FillRecord, OrderRecord } from '../../../src/core/model/event.ts';
import type { State } from '../../../src/core/state/state.ts';
import { CandleAudit } from './candle-audit.ts';
import { DebtAudit } from './debt-audit.ts';
import { AuditFailure, expect } from './failure.ts';
import { LedgerAudit } from './ledger-audit.ts';
import { MoveAudit } from './move-audit.ts';
import { OrderAudit } from './order-audit.ts';
import { PositionAudit } from './position-audit.ts';
import { StrategyAudit } from './strategy-audit.ts';
import { isUnseen, TradeAudit } from './trade-audit.ts';

export class Auditor {
  private readonly state: State;
  private readonly orders: OrderAudit;
  private readonly trades: TradeAudit;
  private readonly candles: CandleAudit;
  private readonly ledger: LedgerAudit;
  private readonly debts: DebtAudit;
  private readonly strategies: StrategyAudit;
  private readonly positions: PositionAudit;
  private readonly moves: MoveAudit;
  private lastTime = 0;
  private workWasOpen = false;
  /** Contracts that only closed after the command before, and net sizes then. */
  private closeOnly: ReadonlySet<number> = new Set();
  private lots: ReadonlyMap<string, number> = new Map();
  /** Contracts that did not trade after the command before. */
  private paused: ReadonlySet<number> = new Set();

  constructor(state: State) {
    this.state = state;
    this.orders = new OrderAudit(state);
    this.trades = new TradeAudit(state, this.orders);
    this.candles = new CandleAudit(state);
    this.ledger = new LedgerAudit(state);
    this.debts = new DebtAudit(state);
    this.strategies = new StrategyAudit(state);
    this.moves = new MoveAudit(state);
    this.positions = new PositionAudit(state, (message) => {
      throw new AuditFailure(message);
    });
  }

  /** Call once after each command with everything it emitted. Throws `AuditFailure`. */
  observe(command: Command, outcome: CommandResult, events: readonly Event[]): void {
    this.checkCloseOnly(command, outcome);
    this.checkPaused(events);
    // A refused command settles open work with the accounts it names and checks them, as time would (rules 14.3, 18.1).
    const timeMoved = command.time > this.lastTime || this.workWasOpen;
    if (outcome.rejectReason !== 0) this.checkRefused(events, timeMoved);
    this.workWasOpen = this.state.works.length > 0 || this.state.priceCheckRound !== undefined;
    this.lastTime = command.time;
    const finals = new Map<number, OrderRecord>();
    for (const event of events) {
      if (event.type !== 'order') continue;
      finals.set(event.order.orderId, event.order);
    }
    const touched = new Set<number>();
    const bands = new Map<number, number>();
    let fills: FillRecord[] = [];
    let selfTraded = -1;
    for (const event of events) {
      switch (event.type) {
        case 'order':
          this.orders.check(command, event.order);
          break;
        case 'fill':
          if (fills.length > 0 && fills[0]!.execLinkId !== event.fill.execLinkId) fills = [];
          fills.push(event.fill);
          this.trades.checkFill(event.fill);
          // Both sides of a trade with oneself are posted before either line is written.
          selfTraded = tradesWithItself(events, event.fill) ? event.fill.uid : -1;
          break;
        case 'trade':
          this.trades.checkTrade(event, fills, finals, bands);
          this.candles.add(event);
          fills = [];
          break;
        case 'ledgerLine':
          this.debts.count(event);
          this.ledger.checkLine(event, selfTraded === event.uid && event.kind !== 'deposit');
          touched.add(event.uid);
          break;
        case 'strategyOrder':
          this.strategies.check(event.order, events);
          break;
        case 'walletRecord':
          this.ledger.countOutside(event);
          break;
        case 'candle':
          this.candles.check(event);
          break;
      }
    }
    this.positions.observe(events);
    this.moves.observe(events);
    this.debts.checkInterest(events);
    this.debts.checkPools();
    expect(fills.every(isUnseen), () => `I25: fills of trade ${fills[0]?.execLinkId} without a public fill`);
    for (const uid of touched) this.ledger.checkBalances(uid);
    if ((command.type === 'fundLoanPool' || command.type === 'fundInsurance') && outcome.rejectReason === 0)
      this.ledger.addInside(command.coin, command.amount);
    if (command.type === 'withdraw' && outcome.rejectReason === 0)
      this.ledger.addInside(command.coin, -command.amount);
    this.ledger.checkInside();
    if (this.closeOnly.size > 0) this.lots = netSizes(this.state);
  }

  /** I45: where the house lacks too much, nobody but itself opens. What a command brings about counts for the next. */
  private checkCloseOnly(command: Command, outcome: CommandResult): void {
    const flagged = this.closeOnly;
    this.closeOnly = new Set(
      this.state.instruments.filter(({ closeOnly }) => closeOnly).map(({ index }) => index),
    );
    if (command.type !== 'placeOrder' || outcome.rejectReason !== 0) return;
    const { instrument, uid, reduceOnly = false, side, posSide, sizeLots } = command;
    const account = this.state.accountByUid.get(uid)!;
    const stands = flagged.has(instrument) && this.closeOnly.has(instrument);
    if (!stands || account.house || reduceOnly) return;
    const closes =
      account.holdMode === HoldMode.hedge
        ? (side === Side.buy) !== (posSide === PosSide.long)
        : (this.lots.get(`${uid} ${instrument}`) ?? 0) * (side === Side.buy ? -1 : 1) >= sizeLots;
    expect(closes, () => `I45: order ${outcome.orderId} opens on a contract that only closes`);
  }

  /** I51: where nobody tells the index, no order of a user trades. What a command brings about counts for the next. */
  private checkPaused(events: readonly Event[]): void {
    const before = this.paused;
    this.paused = new Set(this.state.instruments.filter(({ paused }) => paused).map(({ index }) => index));
    for (const event of events) {
      if (event.type !== 'fill') continue;
      const { instrument, futures, maker, orderId } = event.fill;
      const stands = before.has(instrument) && this.paused.has(instrument);
      const trades = stands && !maker && futures?.kind === OrderKind.user;
      expect(!trades, () => `I51: order ${orderId} trades on a contract that is paused`);
    }
  }

  /** A refused command changes nothing: what is left is what time itself did. */
  private checkRefused(events: readonly Event[], timeMoved: boolean): void {
    const futures = this.state.markets.some((market) => market.futures !== undefined);
    const loans = this.state.coins.some(({ loan }) => loan !== undefined);
    for (const event of events) {
      const byTime =
        ((futures || loans) && timeMoved) ||
        event.type === 'candle' ||
        (event.type === 'order' && event.order.cancelReason === CancelReason.normal);
      expect(byTime, () => `a refused command caused ${event.type}`);
    }
  }
}

function netSizes({ accountByUid }: State): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { uid, positions } of accountByUid.values()) {
    for (const { instrument, size } of positions.values()) sizes.set(`${uid} ${instrument}`, size);
  }
  return sizes;
}

function tradesWithItself(events: readonly Event[], fill: FillRecord): boolean {
  return events.some(
    (other) =>
      other.type === 'fill' &&
      other.fill.execLinkId === fill.execLinkId &&
      other.fill.execId !== fill.execId &&
      other.fill.uid === fill.uid,
  );
}
