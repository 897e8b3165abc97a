/**
 * Follows the exchange from outside: sees each command, its outcome and the events, and checks the rules of domain.md
 * 10.1 that can only be seen over time (I02, I16-I25, I27, I30, I31, I38). Complements `checkInvariants`, which looks at one
 * state. Shared by the scenario tests and the property tests.
 */

import type { Command } from '../../src/core/command.ts';
import type {
  CandleClosed,
  Event,
  FillRecord,
  LedgerLine,
  OrderRecord,
  StrategyOrderRecord,
  Traded,
  WalletRecord,
} from '../../src/core/event.ts';
import type { Instrument } from '../../src/core/instrument.ts';
import { Bucket, SystemAccount } from '../../src/core/ledger.ts';
import { CANDLE_WIDTHS, type CandleWidth } from '../../src/core/market/candle-width.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { feeRates, openOrders } from '../../src/core/reads.ts';
import type { State } from '../../src/core/state.ts';
import { protectedPosition } from '../../src/core/strategy/strategy-entry.ts';
import { openStrategies } from '../../src/core/strategy/strategy-reads.ts';
import {
  CancelReason,
  Category,
  ORDER_STATUS_NAMES,
  OrderKind,
  OrderStatus,
  OrderType,
  Side,
  Source,
  STRATEGY_STATUS_NAMES,
  StpMode,
  StrategyKind,
  StrategyReason,
  StrategyStatus,
  TimeInForce,
  Wallet,
} from '../../src/core/terms.ts';
import { PositionAudit } from './position-audit.ts';

export class AuditFailure extends Error {
  override name = 'AuditFailure';
}

function expect(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new AuditFailure(message());
}

/** Table 2.2 as statuses of consecutive records of one order. The core never shows `live`. */
const TRANSITIONS: Record<OrderStatus | 'none', readonly OrderStatus[]> = {
  none: [OrderStatus.new, OrderStatus.partiallyFilled, OrderStatus.filled, OrderStatus.cancelled],
  [OrderStatus.live]: [],
  [OrderStatus.new]: [
    OrderStatus.new,
    OrderStatus.partiallyFilled,
    OrderStatus.filled,
    OrderStatus.cancelled,
  ],
  [OrderStatus.partiallyFilled]: [OrderStatus.partiallyFilled, OrderStatus.filled, OrderStatus.cancelled],
  [OrderStatus.filled]: [],
  [OrderStatus.cancelled]: [],
};

/** Table 3.2 as statuses of consecutive records of one strategy order. */
const STRATEGY_TRANSITIONS: Record<StrategyStatus | 'none', readonly StrategyStatus[]> = {
  none: [StrategyStatus.pending],
  [StrategyStatus.pending]: [StrategyStatus.pending, StrategyStatus.submitting, StrategyStatus.cancelled],
  [StrategyStatus.submitting]: [StrategyStatus.success, StrategyStatus.failed, StrategyStatus.cancelled],
  [StrategyStatus.success]: [],
  [StrategyStatus.failed]: [],
  [StrategyStatus.cancelled]: [],
};

interface Known {
  record: OrderRecord | undefined;
  filledLots: number;
  filledValue: bigint;
  fee: bigint;
}

interface Minute {
  openTime: number;
  openTicks: number;
  highTicks: number;
  lowTicks: number;
  closeTicks: number;
  volumeLots: number;
  turnover: bigint;
}

const WALLETS: readonly Wallet[] = [Wallet.unified, Wallet.funding];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EAST_8 = 8 * HOUR;

export class Auditor {
  private readonly state: State;
  /** Where this audit began: candles that were already running are not recounted. */
  private readonly since: number;
  private readonly known = new Map<number, Known>();
  private readonly closed = new Set<number>();
  private readonly lastId: { order: number; fill: number; trade: number; link: number; line: number };
  /** Sum of ledger lines by account and wallet, then coin. */
  private readonly books = new Map<string, Map<number, bigint>>();
  /** What came in from the outside world less what left for it, by coin. */
  private readonly inside = new Map<number, bigint>();
  /** Last trade price by market instrument. */
  private readonly lastTicks = new Map<number, number>();
  /** Minutes with trades by market instrument: the running one last, as the trades say they are. */
  private readonly minutes = new Map<number, Minute[]>();
  private readonly lastCandle = new Map<string, number>();
  /** Accounts that have had isolated margin: what their lines say of the wallet leaves it out. */
  private readonly isolating = new Set<number>();
  /** Strategy orders that were ever told of, as they stood last. */
  private readonly strategies = new Map<number, StrategyStatus>();
  private lastStrategy: number;
  /** Sum of the house's interest, hours that were charged, debts by account and coin, and what was forced of them. */
  private readonly interest = new Map<number, bigint>();
  private readonly interestHours = new Set<string>();
  private readonly debts = new Map<string, bigint>();
  private readonly forced = new Map<number, bigint>();
  /** Coins that the present command has lent. */
  private readonly borrowed = new Set<number>();
  private lastTime = 0;
  private readonly positions: PositionAudit;

  constructor(state: State) {
    this.state = state;
    this.since = state.now;
    this.positions = new PositionAudit(state, (message) => {
      throw new AuditFailure(message);
    });
    const { lastId } = state;
    this.lastStrategy = lastId;
    this.lastId = { order: lastId, fill: lastId, trade: lastId, link: lastId, line: lastId };
    for (const account of state.accountByUid.values()) {
      for (const coin of state.ledger.coinsOf(account.index)) {
        if (this.isolatedOf(account.uid, coin) !== 0n) this.isolating.add(account.uid);
        for (const wallet of WALLETS)
          this.book(account.uid, wallet).set(coin, this.balance(account.uid, wallet, coin));
      }
      if (account.house) continue;
      for (const { orderId, status } of openStrategies(state, { uid: account.uid }))
        this.strategies.set(orderId, status);
      for (const record of openOrders(state, { uid: account.uid, limit: Number.POSITIVE_INFINITY })) {
        const { filledLots, filledValue, fee } = record;
        this.known.set(record.orderId, { record, filledLots, filledValue, fee });
      }
    }
    for (const coin of state.coins.keys()) {
      this.inside.set(coin, this.outsideOwes(coin));
      this.interest.set(coin, state.ledger.peek(SystemAccount.interest, coin, Bucket.cash));
      // What was owed before the audit began is nobody's growth.
      this.forced.set(coin, state.ledger.owed(coin));
    }
    for (const market of state.markets) this.lastTicks.set(market.instrument, market.day.lastTicks);
  }

  /** Call once after each command with everything it emitted. Throws `AuditFailure`. */
  observe(command: Command, outcome: Outcome, events: readonly Event[]): void {
    if (outcome.refusal !== 0) this.checkRefused(events, command.time > this.lastTime);
    this.lastTime = command.time;
    const finals = new Map<number, OrderRecord>();
    for (const event of events) {
      if (event.type !== 'order') continue;
      finals.set(event.order.orderId, event.order);
      if (event.order.futures?.isolated === true) this.isolating.add(event.order.uid);
    }
    const touched = new Set<number>();
    const bands = new Map<number, number>();
    let fills: FillRecord[] = [];
    let selfTraded = -1;
    for (const event of events) {
      switch (event.type) {
        case 'order':
          this.checkOrder(command, event.order);
          break;
        case 'fill':
          if (fills.length > 0 && fills[0]!.execLinkId !== event.fill.execLinkId) fills = [];
          fills.push(event.fill);
          this.checkFill(event.fill);
          // Both sides of a trade with oneself are posted before either line is written.
          selfTraded = this.tradesWithItself(events, event.fill) ? event.fill.uid : -1;
          break;
        case 'trade':
          this.checkTrade(event, fills, finals, bands);
          fills = [];
          break;
        case 'ledgerLine':
          this.countDebt(event);
          this.checkLine(event, selfTraded === event.uid && event.kind !== 'deposit');
          touched.add(event.uid);
          break;
        case 'strategyOrder':
          this.checkStrategy(event.order, events);
          break;
        case 'walletRecord':
          this.countOutside(event);
          break;
        case 'candle':
          this.checkCandle(event);
          break;
      }
    }
    this.positions.observe(events);
    this.checkInterest(events);
    this.checkPools();
    expect(fills.every(isUnseen), () => `I25: fills of trade ${fills[0]?.execLinkId} without a public fill`);
    for (const uid of touched) this.checkBalances(uid);
    if (command.type === 'fundLoanPool' && outcome.refusal === 0)
      this.addInside(command.coin, command.amount);
    if (command.type === 'withdraw' && outcome.refusal === 0) this.addInside(command.coin, -command.amount);
    for (const [coin, sum] of this.inside) {
      const owed = this.outsideOwes(coin);
      expect(owed === sum, () => `I02: coin ${coin}: ${owed} inside, deposits less withdrawals are ${sum}`);
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

  /** Table 3.2, I30 and the second half of I33; a child is told of before the record that it made successful. */
  private checkStrategy(order: StrategyOrderRecord, events: readonly Event[]): void {
    const { orderId: id, status } = order;
    const before = this.strategies.get(id);
    if (before === undefined) {
      expect(id > this.lastStrategy, () => `I30: strategy order ${id} after ${this.lastStrategy}`);
      this.lastStrategy = id;
      this.checkPartial(order);
    }
    expect(
      STRATEGY_TRANSITIONS[before ?? 'none'].includes(status),
      () => `strategy order ${id} from ${before} to ${STRATEGY_STATUS_NAMES[status]}`,
    );
    this.strategies.set(id, status);
    expect(
      (order.reason !== StrategyReason.none) === (status === StrategyStatus.cancelled) &&
        (order.failure !== 0) === (status === StrategyStatus.failed) &&
        (order.childOrderId !== 0) === (status === StrategyStatus.success),
      () => `strategy order ${id} gives the wrong reasons`,
    );
    const told = () =>
      events.some((event) => event.type === 'order' && event.order.orderId === order.childOrderId);
    expect(
      order.childOrderId === 0 || told(),
      () => `strategy order ${id} made an order that nobody was told of`,
    );
  }

  private checkPartial({ orderId, kind, uid, instrument, posSide, sizeLots }: StrategyOrderRecord): void {
    if (kind !== StrategyKind.partial || this.state.instruments[instrument]!.futures === undefined) return;
    if (!this.state.strategies.byId.has(orderId)) return;
    const position = protectedPosition(this.state.accountByUid.get(uid)!, instrument, posSide);
    expect(
      position !== undefined && sizeLots <= position.lots,
      () => `I33: strategy order ${orderId} closes more than there is`,
    );
  }

  /** I16-I21, and I30 for orders. */
  private checkOrder(command: Command, order: OrderRecord): void {
    const id = order.orderId;
    expect(!this.closed.has(id), () => `I19: closed order ${id} changed`);
    const known = this.knownOrder(id);
    const before = known.record;
    if (before === undefined) {
      // The exchange's own orders are told of when they end, the counterpart of a deleveraging first.
      const forced = order.futures !== undefined && order.futures.kind !== OrderKind.user;
      expect(forced || id > this.lastId.order, () => `I30: order ${id} after ${this.lastId.order}`);
      this.lastId.order = Math.max(this.lastId.order, id);
    } else {
      this.checkIdentity(command, before, order);
    }
    const from = before === undefined ? 'none' : before.status;
    expect(
      TRANSITIONS[from].includes(order.status),
      () => `I19: order ${id} from ${from} to ${ORDER_STATUS_NAMES[order.status]}`,
    );
    this.checkExecution(order, known);
    this.checkStatus(order);
    known.record = order;
    if (isTerminal(order.status)) {
      this.closed.add(id);
      this.known.delete(id);
    }
  }

  /** Domain.md 1.12 rule 8: a modification changes price, size and the time, nothing else ever changes. */
  private checkIdentity(command: Command, before: OrderRecord, after: OrderRecord): void {
    const same =
      before.clientOid === after.clientOid &&
      before.uid === after.uid &&
      before.instrument === after.instrument &&
      before.side === after.side &&
      before.orderType === after.orderType &&
      before.timeInForce === after.timeInForce &&
      before.stpMode === after.stpMode &&
      before.source === after.source &&
      before.createdTime === after.createdTime;
    expect(same, () => `order ${after.orderId} became another order`);
    const amended = before.priceTicks !== after.priceTicks || before.sizeLots !== after.sizeLots;
    const trimmed =
      after.futures?.closing === true &&
      before.priceTicks === after.priceTicks &&
      after.sizeLots < before.sizeLots;
    expect(
      !amended || trimmed || command.type === 'amendOrders',
      () => `order ${after.orderId} was modified by ${command.type}`,
    );
    expect(after.updatedTime >= before.updatedTime, () => `updatedTime of order ${after.orderId} went back`);
  }

  private checkExecution(order: OrderRecord, known: Known): void {
    const name = `order ${order.orderId}`;
    expect(
      order.filledLots === known.filledLots &&
        order.filledValue === known.filledValue &&
        order.fee === known.fee,
      () =>
        `I17: ${name} says ${order.filledLots} lots, value ${order.filledValue}, fee ${order.fee}; ` +
        `its fills sum to ${known.filledLots}, ${known.filledValue}, ${known.fee}`,
    );
    expect(order.filledLots >= 0, () => `I16: ${name} filled ${order.filledLots}`);
    if (order.quoteAmount === 0n) {
      expect(order.filledLots <= order.sizeLots, () => `I16: ${name} overfilled`);
    } else {
      expect(order.filledValue <= order.quoteAmount, () => `I16: ${name} spent more than its amount`);
    }
  }

  private checkStatus(order: OrderRecord): void {
    const name = `order ${order.orderId} (${ORDER_STATUS_NAMES[order.status]})`;
    const cancelled = order.status === OrderStatus.cancelled;
    expect(
      (order.cancelReason !== CancelReason.none) === cancelled,
      () => `I20: ${name} has reason ${order.cancelReason}`,
    );
    if (order.quoteAmount !== 0n) {
      expect(isTerminal(order.status), () => `I21: ${name} is a resting buy by amount`);
      const spent = order.filledValue === order.quoteAmount;
      expect(!(spent && cancelled), () => `I18: ${name} has spent its whole amount`);
      expect(
        order.status !== OrderStatus.filled || order.filledLots > 0,
        () => `I18: ${name} bought nothing`,
      );
    } else {
      const complete = order.filledLots === order.sizeLots;
      expect(
        complete === (order.status === OrderStatus.filled),
        () => `I18: ${name} ${order.filledLots} filled`,
      );
    }
    if (order.status === OrderStatus.new) expect(order.filledLots === 0, () => `I18: ${name} has fills`);
    if (order.status === OrderStatus.partiallyFilled) {
      expect(order.filledLots > 0, () => `I18: ${name} has no fill`);
    }
    if (isTerminal(order.status)) {
      expect(this.state.slab.byId.get(order.orderId) === -1, () => `I18: ${name} is still in the book`);
      return;
    }
    expect(order.orderType === OrderType.limit, () => `I21: ${name} is a market order`);
    const { timeInForce } = order;
    expect(
      timeInForce !== TimeInForce.ioc && timeInForce !== TimeInForce.fok,
      () => `I21: ${name} is ioc or fok`,
    );
  }

  /** I17 sums, I30, fees of 4.3. */
  private checkFill(fill: FillRecord): void {
    expect(fill.execId > this.lastId.fill, () => `I30: fill ${fill.execId} after ${this.lastId.fill}`);
    this.lastId.fill = fill.execId;
    const known = this.knownOrder(fill.orderId);
    known.filledLots += fill.sizeLots;
    known.filledValue += fill.value;
    known.fee += fill.fee;

    const instrument = this.state.instruments[fill.instrument]!;
    const buying = fill.side === Side.buy;
    expect(
      fill.value === exactValue(instrument, fill),
      () => `fill ${fill.execId}: value ${fill.value} is not exact`,
    );
    if (instrument.futures !== undefined) {
      this.checkFuturesFee(fill, instrument);
      return;
    }
    const received = buying ? BigInt(fill.sizeLots) * instrument.unitsPerLot : fill.value;
    const rates = feeRates(this.state, fill.uid, instrument);
    const fee = (received * (fill.maker ? rates.makerRate : rates.takerRate)) / 10n ** 12n;
    expect(fill.fee === fee, () => `fill ${fill.execId}: fee ${fill.fee}, due ${fee}`);
    expect(
      fill.feeCoin === (buying ? instrument.base : instrument.quote),
      () => `fill ${fill.execId}: fee in coin ${fill.feeCoin}`,
    );
  }

  /** Netting, deleveraging and delisting are free, other forced closes pay the taker's rate of everybody. */
  private checkFuturesFee(fill: FillRecord, instrument: Instrument): void {
    const { kind, closing, pnl } = fill.futures!;
    const { coinMargined, settle } = instrument.futures!;
    const free = kind === OrderKind.offset || kind === OrderKind.adl || kind === OrderKind.delisting;
    const rates = kind === OrderKind.user ? feeRates(this.state, fill.uid, instrument) : instrument;
    const base = coinMargined ? BigInt(fill.sizeLots) * instrument.unitsPerLot : fill.value;
    const fee = free ? 0n : (base * (fill.maker ? rates.makerRate : rates.takerRate)) / 10n ** 12n;
    expect(fill.fee === fee, () => `fill ${fill.execId}: fee ${fill.fee}, due ${fee}`);
    expect(fill.feeCoin === settle, () => `fill ${fill.execId}: fee in coin ${fill.feeCoin}`);
    expect(closing || pnl === 0n, () => `fill ${fill.execId} opens and has a profit`);
    expect(closing || kind === OrderKind.user, () => `I27: forced fill ${fill.execId} opens`);
  }

  private tradesWithItself(events: readonly Event[], fill: FillRecord): boolean {
    return events.some(
      (other) =>
        other.type === 'fill' &&
        other.fill.execLinkId === fill.execLinkId &&
        other.fill.execId !== fill.execId &&
        other.fill.uid === fill.uid,
    );
  }

  /** I22-I25. Fills of house accounts are not told, so either side may be missing. */
  private checkTrade(
    trade: Traded,
    fills: readonly FillRecord[],
    finals: ReadonlyMap<number, OrderRecord>,
    bands: Map<number, number>,
  ): void {
    const name = `trade ${trade.execLinkId}`;
    expect(trade.execId > this.lastId.trade, () => `I30: public fill ${trade.execId} out of order`);
    expect(trade.execLinkId > this.lastId.link, () => `I30: ${name} out of order`);
    this.lastId.trade = trade.execId;
    this.lastId.link = trade.execLinkId;
    const taker = sideOf(fills.filter((fill) => !fill.maker));
    const maker = sideOf(fills.filter((fill) => fill.maker));
    for (const fill of [taker, maker]) {
      if (fill === undefined) continue;
      const agrees =
        fill.execLinkId === trade.execLinkId &&
        fill.priceTicks === trade.priceTicks &&
        fill.sizeLots === trade.sizeLots &&
        fill.rpi === trade.rpi &&
        fill.time === trade.time &&
        (fill.side === trade.side) === !fill.maker;
      expect(agrees, () => `I25: ${name} and fill ${fill.execId} disagree`);
    }
    if (taker !== undefined) {
      const own = taker.futures === undefined;
      expect(!own || taker.execId === trade.execId, () => `I25: ${name} shows another fill than the taker's`);
      this.checkTaker(trade, taker, maker, finals.get(taker.orderId)!, bands);
    }
    if (maker !== undefined) this.checkMaker(trade, maker);
    if (taker === undefined || maker === undefined) {
      const houses = [...this.state.accountByUid.values()].some((account) => account.house);
      expect(houses, () => `I25: ${name} has one side only`);
    }
    this.lastTicks.set(trade.instrument, trade.priceTicks);
    this.addToMinute(trade);
  }

  private checkTaker(
    trade: Traded,
    taker: FillRecord,
    maker: FillRecord | undefined,
    order: OrderRecord,
    bands: Map<number, number>,
  ): void {
    const name = `trade ${trade.execLinkId}`;
    const { timeInForce, stpMode, source } = order;
    expect(
      timeInForce !== TimeInForce.postOnly && timeInForce !== TimeInForce.rpi,
      () => `I21: ${name} has a maker-only taker`,
    );
    if (trade.rpi) expect(source === Source.retail, () => `I22: ${name} took an RPI order through the API`);
    if (maker !== undefined && stpMode !== StpMode.none) {
      expect(this.party(taker.uid) !== this.party(maker.uid), () => `I23: ${name} is a self-trade`);
    }
    const buying = order.side === Side.buy;
    if (order.orderType === OrderType.limit) {
      const within = buying ? trade.priceTicks <= order.priceTicks : trade.priceTicks >= order.priceTicks;
      expect(within, () => `I24: ${name} at ${trade.priceTicks}, limit ${order.priceTicks}`);
    }
    if (order.futures !== undefined && order.futures.kind !== OrderKind.user) return;
    const reference = bands.get(order.orderId) ?? this.reference(trade.instrument);
    bands.set(order.orderId, reference);
    const instrument = this.state.instruments[trade.instrument]!;
    const rate = buying ? instrument.buyBandRate : instrument.sellBandRate;
    const moved = BigInt(buying ? trade.priceTicks - reference : reference - trade.priceTicks);
    expect(
      moved * 10n ** 12n <= BigInt(reference) * rate,
      () => `I24: ${name} at ${trade.priceTicks} outside the band of ${reference}`,
    );
  }

  private checkMaker(trade: Traded, fill: FillRecord): void {
    const name = `trade ${trade.execLinkId}`;
    const order = this.known.get(fill.orderId)?.record;
    expect(order !== undefined, () => `I24: the maker of ${name} never rested`);
    expect(
      trade.priceTicks === order.priceTicks,
      () => `I24: ${name} at ${trade.priceTicks}, the maker's price is ${order.priceTicks}`,
    );
    expect(
      trade.rpi === (order.timeInForce === TimeInForce.rpi),
      () => `I22: ${name} does not say whether its maker is RPI`,
    );
  }

  /** I32: what the house has earned is what was charged. Loans and house accounts pay without a line of this kind. */
  private checkInterest(events: readonly Event[]): void {
    const charged = new Map<number, bigint>();
    let others = [...this.state.accountByUid.values()].some((account) => account.house);
    for (const event of events) {
      if (event.type.startsWith('loan')) others = true;
      if (event.type !== 'ledgerLine') continue;
      if (event.kind === 'loanInterest') others = true;
      if (event.kind !== 'interest') continue;
      expect(event.time % HOUR === 0, () => `I32: interest of ${event.uid} at ${event.time}`);
      const hour = `${event.uid} ${event.coin} ${event.time}`;
      expect(!this.interestHours.has(hour), () => `I32: ${hour} is charged twice`);
      this.interestHours.add(hour);
      charged.set(event.coin, (charged.get(event.coin) ?? 0n) - event.amount);
    }
    for (const coin of this.state.coins.keys()) {
      const earned = this.state.ledger.peek(SystemAccount.interest, coin, Bucket.cash);
      const before = this.interest.get(coin) ?? 0n;
      this.interest.set(coin, earned);
      const due = charged.get(coin) ?? 0n;
      expect(
        others || earned - before === due,
        () => `I32: coin ${coin}: ${earned - before} for ${due} charged`,
      );
    }
  }

  /** A debt that grew by anything but a margin trade was forced on the account. */
  private countDebt(line: LedgerLine): void {
    if ((line.wallet ?? Wallet.unified) !== Wallet.unified) return;
    const key = `${line.uid} ${line.coin}`;
    const growth = (line.balance < 0n ? -line.balance : 0n) - (this.debts.get(key) ?? 0n);
    this.debts.set(key, line.balance < 0n ? -line.balance : 0n);
    if (growth <= 0n) return;
    const traded = line.kind === 'tradeOut' || line.kind === 'tradeIn';
    if (line.category === Category.margin && traded) this.borrowed.add(line.coin);
    else this.forced.set(line.coin, (this.forced.get(line.coin) ?? 0n) + growth);
  }

  /** I44: whoever borrows finds it in the pool, what was forced on accounts aside. */
  private checkPools(): void {
    for (const coin of this.borrowed) {
      const owed = this.state.ledger.owed(coin);
      const { poolLimit } = this.state.lending[coin]!.terms;
      const forced = this.forced.get(coin) ?? 0n;
      expect(owed <= poolLimit + forced, () => `I44: ${owed} of coin ${coin} lent, ${forced} of it forced`);
    }
    this.borrowed.clear();
  }

  /** I02 by lines, and I30. */
  private checkLine(line: LedgerLine, bothSidesPosted: boolean): void {
    expect(line.lineId > this.lastId.line, () => `I30: line ${line.lineId} after ${this.lastId.line}`);
    this.lastId.line = line.lineId;
    if (line.kind === 'marginAdded' || line.kind === 'marginRemoved') return;
    const book = this.book(line.uid, line.wallet ?? Wallet.unified);
    const balance = (book.get(line.coin) ?? 0n) + line.amount - line.fee;
    book.set(line.coin, balance);
    if (this.isolatedOf(line.uid, line.coin) !== 0n) this.isolating.add(line.uid);
    if (bothSidesPosted || this.isolating.has(line.uid)) return;
    expect(
      line.balance === balance,
      () => `I02: line ${line.lineId} says ${line.balance}, lines sum to ${balance}`,
    );
  }

  private checkBalances(uid: number): void {
    for (const wallet of WALLETS) {
      for (const [coin, sum] of this.book(uid, wallet)) {
        const balance = this.balance(uid, wallet, coin);
        expect(balance === sum, () => `I02: account ${uid} coin ${coin} has ${balance}, lines sum to ${sum}`);
      }
    }
  }

  /** Money crosses the border when a deposit is booked and when a withdrawal is paid; its fee stays here. */
  private countOutside({ kind, status, counterUid, coin, amount, fee }: WalletRecord): void {
    if (counterUid !== 0 || status !== 'success') return;
    this.addInside(coin, kind === 'deposit' ? amount : fee - amount);
  }

  private addInside(coin: number, amount: bigint): void {
    this.inside.set(coin, (this.inside.get(coin) ?? 0n) + amount);
  }

  private outsideOwes(coin: number): bigint {
    return -this.state.ledger.peek(SystemAccount.external, coin, Bucket.cash);
  }

  /** I38. */
  private checkCandle(candle: CandleClosed): void {
    const { width, openTime, openTicks, highTicks, lowTicks, closeTicks } = candle;
    const name = `${width} candle of instrument ${candle.instrument} at ${openTime}`;
    expect(CANDLE_WIDTHS.includes(width), () => `${name}: unknown width`);
    expect(lowTicks <= Math.min(openTicks, closeTicks), () => `I38: ${name}: low above open or close`);
    expect(highTicks >= Math.max(openTicks, closeTicks), () => `I38: ${name}: high below open or close`);
    expect(opensHere(width, openTime), () => `I38: ${name} is not aligned`);
    const key = `${candle.instrument} ${width}`;
    const last = this.lastCandle.get(key) ?? Number.NEGATIVE_INFINITY;
    expect(openTime >= last, () => `I38: ${name} begins before the last one ended at ${last}`);
    const end = endOf(width, openTime);
    expect(this.state.now >= end, () => `I38: ${name} closed early`);
    this.lastCandle.set(key, end);
    if (openTime <= this.since) return;
    const inside = (this.minutes.get(candle.instrument) ?? []).filter(
      (minute) => minute.openTime >= openTime && minute.openTime < end,
    );
    const sum = joined(inside);
    const agrees =
      sum.openTicks === openTicks &&
      sum.highTicks === highTicks &&
      sum.lowTicks === lowTicks &&
      sum.closeTicks === closeTicks &&
      sum.volumeLots === candle.volumeLots &&
      sum.turnover === candle.turnover;
    expect(agrees, () => `I38: ${name} is not the sum of its ${inside.length} minutes with trades`);
  }

  private addToMinute(trade: Traded): void {
    const instrument = this.state.instruments[trade.instrument]!;
    const openTime = Math.floor(trade.time / MINUTE) * MINUTE;
    const { priceTicks, sizeLots } = trade;
    const minutes = this.minutes.get(trade.instrument) ?? [];
    this.minutes.set(trade.instrument, minutes);
    const one: Minute = {
      openTime,
      openTicks: priceTicks,
      highTicks: priceTicks,
      lowTicks: priceTicks,
      closeTicks: priceTicks,
      volumeLots: sizeLots,
      turnover: exactValue(instrument, trade),
    };
    const last = minutes.at(-1);
    if (last?.openTime === openTime) minutes[minutes.length - 1] = joined([last, one]);
    else minutes.push(one);
  }

  private reference(instrument: number): number {
    const { futures } = this.state.market(this.state.instruments[instrument]!);
    if (futures !== undefined && futures.markTicks !== 0) return futures.markTicks;
    const last = this.lastTicks.get(instrument) ?? 0;
    return last !== 0 ? last : this.state.instruments[instrument]!.openingTicks;
  }

  private knownOrder(orderId: number): Known {
    let known = this.known.get(orderId);
    if (known === undefined) {
      known = { record: undefined, filledLots: 0, filledValue: 0n, fee: 0n };
      this.known.set(orderId, known);
    }
    return known;
  }

  private book(uid: number, wallet: Wallet): Map<number, bigint> {
    const key = `${uid} ${wallet}`;
    let book = this.books.get(key);
    if (book === undefined) {
      book = new Map();
      this.books.set(key, book);
    }
    return book;
  }

  private balance(uid: number, wallet: Wallet, coin: number): bigint {
    const { index } = this.state.accountByUid.get(uid)!;
    const { ledger } = this.state;
    if (wallet === Wallet.funding) return ledger.peek(index, coin, Bucket.funding);
    return (
      ledger.peek(index, coin, Bucket.cash) +
      ledger.peek(index, coin, Bucket.locked) +
      this.isolatedOf(uid, coin)
    );
  }

  private isolatedOf(uid: number, coin: number): bigint {
    const { index } = this.state.accountByUid.get(uid)!;
    const { ledger } = this.state;
    return ledger.peek(index, coin, Bucket.isolated) + ledger.peek(index, coin, Bucket.isolatedOrders);
  }

  private party(uid: number): number {
    const account = this.state.accountByUid.get(uid)!;
    return account.masterUid === 0 ? uid : account.masterUid;
  }
}

/** A trade that turns a position has a closing and an opening fill on that side: together they are the side. */
function sideOf(fills: readonly FillRecord[]): FillRecord | undefined {
  const [first, second] = fills;
  if (first === undefined || second === undefined) return first;
  expect(
    fills.length === 2 && first.futures?.closing === true && second.futures?.closing === false,
    () => `I25: trade ${first.execLinkId} has two fills of one kind`,
  );
  return { ...first, sizeLots: first.sizeLots + second.sizeLots, value: first.value + second.value };
}

/** Netting, deleveraging and delivery happen outside the book. */
function isUnseen(fill: FillRecord): boolean {
  return fill.futures !== undefined && fill.futures.kind !== OrderKind.user;
}

function isTerminal(status: OrderStatus): boolean {
  return status === OrderStatus.filled || status === OrderStatus.cancelled;
}

function exactValue(
  instrument: Instrument,
  at: { readonly priceTicks: number; readonly sizeLots: number },
): bigint {
  return BigInt(at.priceTicks) * BigInt(at.sizeLots) * instrument.valuePerTickLot;
}

function joined(minutes: readonly Minute[]): Minute {
  return {
    openTime: minutes[0]?.openTime ?? 0,
    openTicks: minutes[0]?.openTicks ?? 0,
    highTicks: Math.max(...minutes.map((minute) => minute.highTicks)),
    lowTicks: Math.min(...minutes.map((minute) => minute.lowTicks)),
    closeTicks: minutes.at(-1)?.closeTicks ?? 0,
    volumeLots: minutes.reduce((sum, minute) => sum + minute.volumeLots, 0),
    turnover: minutes.reduce((sum, minute) => sum + minute.turnover, 0n),
  };
}

const UNIT_MS: Record<string, number> = { m: MINUTE, H: HOUR, D: DAY, W: 7 * DAY };

/** Domain.md 8.3 said once more in other words: the calendar of the platform is the judge of months and Mondays. */
function opensHere(width: CandleWidth, openTime: number): boolean {
  const local = new Date(openTime + (width.endsWith('utc') ? 0 : EAST_8));
  const [, count, unit] = /^(\d+)([mHDWM])/.exec(width)!;
  const midnight = local.getTime() % DAY === 0;
  if (unit === 'M') return midnight && local.getUTCDate() === 1;
  if (unit === 'W') return midnight && local.getUTCDay() === 1;
  return local.getTime() % (Number(count) * UNIT_MS[unit!]!) === 0;
}

function endOf(width: CandleWidth, openTime: number): number {
  const shift = width.endsWith('utc') ? 0 : EAST_8;
  const [, count, unit] = /^(\d+)([mHDWM])/.exec(width)!;
  if (unit !== 'M') return openTime + Number(count) * UNIT_MS[unit!]!;
  const local = new Date(openTime + shift);
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1) - shift;
}
