/** Fills and the public trades they make: I22 to I25, I27, I46, sums of I17, fees of 4.3 and 13.10. */

import { OrderKind, OrderType, Side, Source, StpMode, TimeInForce } from '../../../src/core/model/enums.ts';
import type { FillRecord, OrderRecord, Traded } from '../../../src/core/model/event.ts';
import type { Instrument } from '../../../src/core/model/instrument.ts';
import { feeRates } from '../../../src/core/reads/reads.ts';
import type { State } from '../../../src/core/state/state.ts';
import { expect } from './failure.ts';
import type { OrderAudit } from './order-audit.ts';

export class TradeAudit {
  private readonly state: State;
  private readonly orders: OrderAudit;
  private readonly lastId: { fill: number; trade: number; link: number };
  /** Last trade price by market instrument. */
  private readonly lastTicks = new Map<number, number>();
  /** The last trade of a liquidation. */
  private forcedLink = 0;

  constructor(state: State, orders: OrderAudit) {
    this.state = state;
    this.orders = orders;
    const { lastId } = state;
    this.lastId = { fill: lastId, trade: lastId, link: lastId };
    for (const market of state.markets) this.lastTicks.set(market.instrument, market.day.lastTicks);
  }

  /** I17 sums, I30, fees of 4.3. */
  checkFill(fill: FillRecord): void {
    expect(fill.execId > this.lastId.fill, () => `I30: fill ${fill.execId} after ${this.lastId.fill}`);
    this.lastId.fill = fill.execId;
    const known = this.orders.known(fill.orderId);
    known.filledLots += fill.sizeLots;
    known.filledValue += fill.value;
    known.fee += fill.fee;

    const instrument = this.state.instruments[fill.instrument]!;
    const buying = fill.side === Side.buy;
    // A moved coin-margined position takes its cost basis along (rules 13.2).
    const carried =
      this.state.rules.clearingShortfall &&
      fill.futures?.kind === OrderKind.move &&
      instrument.futures?.coinMargined === true;
    expect(
      carried || fill.value === exactValue(instrument, fill),
      () => `fill ${fill.execId}: value ${fill.value} is not exact`,
    );
    if (instrument.futures !== undefined) {
      this.checkFuturesFee(fill, instrument);
      return;
    }
    const received = buying ? BigInt(fill.sizeLots) * instrument.unitsPerLot : fill.value;
    const rates = feeRates(this.state, fill.uid, instrument);
    this.checkFee(fill, received, fill.maker ? rates.makerRate : rates.takerRate);
    expect(
      fill.feeCoin === (buying ? instrument.base : instrument.quote),
      () => `fill ${fill.execId}: fee in coin ${fill.feeCoin}`,
    );
  }

  /** I22-I25. Fills of house accounts are not told, so either side may be missing. */
  checkTrade(
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
    this.checkKept(trade, fills);
    if (taker === undefined || maker === undefined) {
      const houses = [...this.state.accountByUid.values()].some((account) => account.house);
      expect(houses, () => `I25: ${name} has one side only`);
    }
    this.lastTicks.set(trade.instrument, trade.priceTicks);
  }

  /** A rebate may be cut to what the taker pays. */
  private checkFee(fill: FillRecord, amount: bigint, rate: bigint): void {
    const exact = amount * rate;
    const one = 10n ** 12n;
    const { feeFloors } = this.state.rules;
    const small = feeFloors && exact > 0n && exact < 100n * one;
    const due = (small ? exact + one - 1n : exact) / one;
    const cut = feeFloors && due < fill.fee && fill.fee <= 0n;
    expect(fill.fee === due || cut, () => `fill ${fill.execId}: fee ${fill.fee}, due ${due}`);
  }

  /** I46: what a trade leaves the house is worth something, or nothing, at its price and at the index. */
  private checkKept(trade: Traded, fills: readonly FillRecord[]): void {
    const told = fills.some(({ maker }) => maker) && fills.some(({ maker }) => !maker);
    if (!this.state.rules.feeFloors || !told) return;
    const instrument = this.state.instruments[trade.instrument]!;
    const kept = (coin: number) =>
      fills.reduce((sum, fill) => (fill.feeCoin === coin ? sum + fill.fee - fill.commission : sum), 0n);
    if (instrument.futures !== undefined) {
      // The fee of a liquidation is the insurance fund's.
      const toHouse = fills.filter(({ futures }) => !LIQUIDATIONS.has(futures!.kind));
      const sum = toHouse.reduce((left, { fee, commission }) => left + fee - commission, 0n);
      expect(sum >= 0n, () => `I46: trade ${trade.execLinkId} takes ${-sum} from the house`);
      return;
    }
    const perTick = 10n ** BigInt(8 - instrument.pricePrecision);
    const prices = [BigInt(trade.priceTicks) * perTick, this.state.market(instrument).index?.price ?? 0n];
    for (const price of prices) {
      if (price === 0n) continue;
      const worth = kept(instrument.base) * price + kept(instrument.quote) * 10n ** 8n;
      expect(worth >= 0n, () => `I46: trade ${trade.execLinkId} takes from the house`);
    }
  }

  /** Netting, deleveraging, delisting and moves are free, other forced closes pay the taker's rate of everybody. */
  private checkFuturesFee(fill: FillRecord, instrument: Instrument): void {
    const { kind, closing, pnl } = fill.futures!;
    const { coinMargined, settle } = instrument.futures!;
    const free = FREE.has(kind);
    const rates = kind === OrderKind.user ? feeRates(this.state, fill.uid, instrument) : instrument;
    const base = coinMargined ? BigInt(fill.sizeLots) * instrument.unitsPerLot : fill.value;
    const rate = fill.maker ? rates.makerRate : rates.takerRate;
    // The taker's fill is told first: a forced one pays its maker no rebate (rules 13.7).
    if (kind === OrderKind.liquidation || kind === OrderKind.reduce) this.forcedLink = fill.execLinkId;
    const unrewarded = this.state.rules.fundReach && rate < 0n && this.forcedLink === fill.execLinkId;
    this.checkFee(fill, base, free || unrewarded ? 0n : rate);
    expect(fill.feeCoin === settle, () => `fill ${fill.execId}: fee in coin ${fill.feeCoin}`);
    expect(closing || pnl === 0n, () => `fill ${fill.execId} opens and has a profit`);
    const chosen = kind === OrderKind.user || kind === OrderKind.move;
    expect(closing || chosen, () => `I27: forced fill ${fill.execId} opens`);
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
    const order = this.orders.told(fill.orderId);
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

  /** Of futures the mark; of spot the last trade, before the first one the index (rules 1.9). */
  private reference(instrument: number): number {
    const { pricePrecision, tickStep, openingTicks } = this.state.instruments[instrument]!;
    const { futures, index } = this.state.market(this.state.instruments[instrument]!);
    if (futures !== undefined && futures.markTicks !== 0) return futures.markTicks;
    const last = this.lastTicks.get(instrument) ?? 0;
    if (last !== 0) return this.heldToIndex(instrument, last);
    const unitsPerStep = 10 ** (8 - pricePrecision) * tickStep;
    return Math.round(Number(index?.price ?? 0n) / unitsPerStep) * tickStep || openingTicks;
  }

  /** Rules 13.10 (d). */
  private heldToIndex(instrument: number, last: number): number {
    const { pricePrecision, tickStep, buyBandRate, sellBandRate } = this.state.instruments[instrument]!;
    const { futures, index } = this.state.market(this.state.instruments[instrument]!);
    if (!this.state.rules.feeFloors || futures !== undefined || index === undefined || index.stale)
      return last;
    const perStep = 10 ** (8 - pricePrecision) * tickStep;
    const exact = (rate: bigint) => Number((index.price * rate) / 10n ** 12n) / perStep;
    const lowest = Math.ceil(exact(10n ** 12n - sellBandRate)) * tickStep;
    const highest = Math.floor(exact(10n ** 12n + buyBandRate)) * tickStep;
    return Math.min(Math.max(last, lowest), highest);
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

const LIQUIDATIONS: ReadonlySet<OrderKind> = new Set([OrderKind.liquidation, OrderKind.reduce]);

const FREE: ReadonlySet<OrderKind> = new Set([
  OrderKind.offset,
  OrderKind.adl,
  OrderKind.delisting,
  OrderKind.move,
]);

/** Netting, deleveraging, delivery and moves happen outside the book. */
export function isUnseen(fill: FillRecord): boolean {
  return fill.futures !== undefined && fill.futures.kind !== OrderKind.user;
}

export function exactValue(
  instrument: Instrument,
  at: { readonly priceTicks: number; readonly sizeLots: number },
): bigint {
  return BigInt(at.priceTicks) * BigInt(at.sizeLots) * instrument.valuePerTickLot;
}
