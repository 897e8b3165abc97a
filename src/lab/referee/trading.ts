/** Orders, fills and money of one account, from the commands of a session as they are applied once more. */
import type { Command } from '../../core/model/command.ts';
import type { CommandResult } from '../../core/model/command-result.ts';
import { CANCEL_REASON_NAMES, CancelReason, OrderKind, OrderStatus, Side } from '../../core/model/enums.ts';
import type { Event, FillRecord, LedgerLine, OrderRecord } from '../../core/model/event.ts';
import { type Instrument, tradeValue } from '../../core/model/instrument.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { accountRisk, markTicks } from '../../core/reads/margin-reads.ts';
import { positionViews } from '../../core/reads/position-reads.ts';
import { dayStatistics, depth, openOrderIds, openOrders } from '../../core/reads/reads.ts';
import type { State } from '../../core/state/state.ts';
import { Curve } from './curve.ts';
import { CoinSums, inDollars, ratio } from './money.ts';
import type { RulesReport, TradingReport } from './report.ts';
import { Slippage } from './slippage.ts';
import { SpotCost } from './spot-cost.ts';

const SHARE_DECIMALS = 4;
const FUNDING: ReadonlySet<string> = new Set(['fundingIn', 'fundingOut']);
const INTEREST: ReadonlySet<string> = new Set(['interest', 'loanInterest']);
/** Money from outside the account's trading, and back. */
const PAID: ReadonlySet<string> = new Set([
  ...['deposit', 'withdrawal', 'withdrawalReturned', 'commission', 'transferIn', 'transferOut'],
  ...['loanIn', 'loanOut', 'pledgeIn', 'pledgeOut'],
]);
const REASONS = new Map<number, string>(Object.entries(RejectReason).map(([name, number]) => [number, name]));
const MINIMUMS: ReadonlySet<RejectReason> = new Set([
  RejectReason.sizeTooSmall,
  RejectReason.belowMinimumAmount,
]);
const STEPS: ReadonlySet<RejectReason> = new Set([
  RejectReason.priceOffTick,
  RejectReason.sizeOffStep,
  RejectReason.amountOffPrecision,
]);
const REDUCTIONS: ReadonlySet<RejectReason> = new Set([
  RejectReason.noPositionToClose,
  RejectReason.closesWrongWay,
  RejectReason.closeAboveAvailable,
]);

/** A fill, as far as a position follows from it. */
export interface PositionStep {
  readonly orderId: number;
  readonly instrument: number;
  readonly time: number;
  /** Bought, less sold. */
  readonly lots: number;
}

export class TradingTally {
  readonly #uid: number;
  readonly #slippage = new Slippage();
  readonly #curve = new Curve();
  readonly #turnover = new CoinSums();
  readonly #maker = new CoinSums();
  readonly #fees = new CoinSums();
  readonly #funding = new CoinSums();
  readonly #interest = new CoinSums();
  readonly #realised = new CoinSums();
  readonly #spot = new Map<Instrument, SpotCost>();
  /** As they stood last; those that were open before are not among them. */
  readonly #orders = new Map<number, OrderRecord>();
  readonly #openBefore: ReadonlySet<number>;
  readonly #reasons = new Map<string, number>();
  readonly #rejections = new Map<RejectReason, number>();
  readonly #ordersOfCommand = new Map<number, number>();
  readonly #steps: PositionStep[] = [];
  #rejectedOrders = 0;
  #selfTrades = 0;
  #liquidations = 0;
  #fills = 0;
  #second = 0;

  constructor(uid: number, state: State) {
    this.#uid = uid;
    this.#openBefore = new Set(openOrderIds(state));
    this.#sample(state);
  }

  /** Orders by the number of the command that placed them. */
  get ordersOfCommand(): ReadonlyMap<number, number> {
    return this.#ordersOfCommand;
  }

  get steps(): readonly PositionStep[] {
    return this.#steps;
  }

  rejected(reason: RejectReason): number {
    return this.#rejections.get(reason) ?? 0;
  }

  /** Returns what is to be done with the result. */
  before(state: State, command: Command): (seq: number, result: CommandResult) => void {
    if (!('uid' in command) || command.uid !== this.#uid) return () => {};
    const top = command.type === 'placeOrder' ? topOf(state, command.instrument) : undefined;
    return (seq, result) => {
      for (const each of result.items ?? [result]) this.#reject(each.rejectReason);
      if (command.type !== 'placeOrder') return;
      if (result.rejectReason !== RejectReason.none) this.#rejectedOrders++;
      else this.#ordersOfCommand.set(seq, result.orderId);
      if (top !== undefined) this.#slippage.arrived(result.orderId, top);
    };
  }

  after(state: State, events: readonly Event[]): void {
    let own = false;
    for (const event of events) {
      if (event.type === 'order' && event.order.uid === this.#uid) this.#order(event.order);
      else if (event.type === 'fill' && event.fill.uid === this.#uid) this.#fill(state, event.fill);
      else if (event.type === 'ledgerLine' && event.uid === this.#uid) this.#line(state, event);
      else continue;
      own = true;
    }
    if (own || state.nextSecond !== this.#second) this.#sample(state);
  }

  report(state: State): TradingReport {
    const { total, ...equity } = this.#curve.equity();
    const share = (coin: string) => ratio(this.#maker.of(coin), this.#turnover.of(coin), SHARE_DECIMALS);
    return {
      orders: this.#outcomes(),
      fills: this.#fills,
      makerShare: Object.fromEntries(this.#turnover.coins.map((coin) => [coin, share(coin)])),
      turnover: this.#turnover.texts(),
      slippage: this.#slippage.report(),
      fees: this.#fees.texts(),
      funding: this.#funding.texts(),
      interest: this.#interest.texts(),
      profit: { realised: this.#realised.texts(), unrealised: this.#unrealised(state).texts(), total },
      equity,
      drawdown: this.#curve.drawdown(),
      exposure: this.#curve.exposure(state.now),
    };
  }

  /** As far as the exchange itself has refused. */
  rules(state: State): RulesReport {
    const sum = (reasons: ReadonlySet<RejectReason>) =>
      [...reasons].reduce<number>((total, reason) => total + this.rejected(reason), 0);
    const own = this.#own();
    const cancelled = own.filter(({ cancelReason }) => cancelReason === CancelReason.normal).length;
    return {
      belowMinimum: sum(MINIMUMS),
      offTick: sum(STEPS),
      reduceOnly: sum(REDUCTIONS),
      selfTradesPrevented: this.#selfTrades,
      cancelRatio: ratio(BigInt(cancelled), BigInt(own.length), SHARE_DECIMALS),
      liquidations: this.#liquidations,
      left: {
        orders: openOrders(state, { uid: this.#uid, limit: Number.POSITIVE_INFINITY }).length,
        positions: positionViews(state, this.#uid).length,
      },
    };
  }

  #own(): OrderRecord[] {
    return [...this.#orders.values()].filter(
      ({ futures }) => (futures?.kind ?? OrderKind.user) === OrderKind.user,
    );
  }

  #outcomes(): TradingReport['orders'] {
    const own = this.#own();
    const ended = own.filter(({ status }) => status === OrderStatus.cancelled);
    const partlyFilled = ended.filter(({ filledLots }) => filledLots > 0).length;
    const filled = own.filter(({ status }) => status === OrderStatus.filled).length;
    return {
      placed: own.length + this.#rejectedOrders,
      filled,
      partlyFilled,
      cancelled: ended.length - partlyFilled,
      rejected: this.#rejectedOrders,
      open: own.length - filled - ended.length,
      byExchange: this.#orders.size - own.length,
      reasons: Object.fromEntries([...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  #reject(reason: RejectReason): void {
    if (reason === RejectReason.none) return;
    this.#rejections.set(reason, this.rejected(reason) + 1);
    this.#because(REASONS.get(reason) ?? String(reason));
  }

  #because(reason: string): void {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
  }

  #order(order: OrderRecord): void {
    const { cancelReason, orderId } = order;
    const ends = this.#orders.get(orderId)?.cancelReason !== cancelReason;
    if (ends && cancelReason > CancelReason.normal) this.#because(CANCEL_REASON_NAMES[cancelReason]);
    if (ends && cancelReason === CancelReason.stp) this.#selfTrades++;
    if (!this.#openBefore.has(orderId)) this.#orders.set(orderId, order);
  }

  #fill(state: State, fill: FillRecord): void {
    const instrument = state.instruments[fill.instrument]!;
    const { quoteCoin } = instrument.spec;
    this.#fills++;
    this.#turnover.add(quoteCoin, fill.value);
    if (fill.maker) this.#maker.add(quoteCoin, fill.value);
    this.#fees.add(state.coins[fill.feeCoin]!.coin, fill.fee);
    this.#slippage.filled(fill, instrument);
    const buy = fill.side === Side.buy;
    const { orderId, sizeLots, time } = fill;
    this.#steps.push({ orderId, instrument: fill.instrument, time, lots: buy ? sizeLots : -sizeLots });
    if (fill.futures === undefined) {
      const profit = this.#costOf(instrument).trade(buy, BigInt(sizeLots), fill.value);
      this.#realised.add(quoteCoin, profit);
      return;
    }
    this.#realised.add(state.coins[instrument.futures!.settle]!.coin, fill.futures.pnl);
    const { kind } = fill.futures;
    if (kind === OrderKind.liquidation || kind === OrderKind.adl || kind === OrderKind.reduce)
      this.#liquidations++;
  }

  #costOf(instrument: Instrument): SpotCost {
    const cost = this.#spot.get(instrument) ?? new SpotCost();
    this.#spot.set(instrument, cost);
    return cost;
  }

  #line(state: State, { kind, coin, amount, wallet }: LedgerLine): void {
    const name = state.coins[coin]!.coin;
    if (FUNDING.has(kind)) this.#funding.add(name, amount);
    if (INTEREST.has(kind)) this.#interest.add(name, amount);
    // The worth of an account is that of its unified wallet.
    if (PAID.has(kind) && (wallet ?? 0) === 0) this.#curve.paid(inDollars(state, coin, amount));
  }

  #sample(state: State): void {
    this.#second = state.nextSecond;
    const account = state.accountByUid.get(this.#uid);
    let exposure = 0n;
    for (const { instrument: index, lots } of account?.positions.values() ?? []) {
      const instrument = state.instruments[index]!;
      const value = tradeValue(instrument, markTicks(state, instrument), lots);
      const quote = state.coinByName.get(instrument.spec.quoteCoin);
      // Contracts that are settled in the coin itself are counted in dollars.
      exposure += quote === undefined ? value : inDollars(state, quote, value);
    }
    const equity = account === undefined ? 0n : accountRisk(state, account).equity;
    this.#curve.sample(state.now, equity, exposure);
  }

  #unrealised(state: State): CoinSums {
    const sums = new CoinSums();
    for (const { marginCoin, unrealised } of positionViews(state, this.#uid))
      sums.add(state.coins[marginCoin]!.coin, unrealised);
    for (const [instrument, cost] of this.#spot) {
      const lots = Number(cost.lots < 0n ? -cost.lots : cost.lots);
      const value = tradeValue(instrument, dayStatistics(state, instrument).lastTicks, lots);
      sums.add(instrument.spec.quoteCoin, cost.unrealised(value));
    }
    return sums;
  }
}

function topOf(state: State, index: number) {
  const instrument = state.instruments[index];
  if (instrument === undefined) return undefined;
  const { bids, asks } = depth(state, instrument, 1);
  const [bid, ask] = [bids[0]?.priceTicks, asks[0]?.priceTicks];
  return bid === undefined || ask === undefined ? undefined : { bid, ask };
}
