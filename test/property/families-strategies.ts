/** Random commands about strategy orders: take-profit and stop-loss, trigger and trailing orders. */
import {
  HoldMode,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  StrategyKind,
  TriggerBy,
} from '../../src/core/model/enums.ts';
import type { Position } from '../../src/core/model/position.ts';
import { KEEP_LEG, type LegChange, NO_LEG, REMOVE, type TriggerLeg } from '../../src/core/model/tpsl.ts';
import type { StrategyOrder } from '../../src/core/state/strategy-order.ts';
import { cents, type Ground } from './families-ground.ts';
import type { Step } from './families-steps.ts';
import { BOOK } from './families-venue.ts';

const BOOKS = Object.values(BOOK);
const CONTRACTS = BOOKS.filter((book) => book >= BOOK.btcPerp);

/** One of the account's positions. */
export function positionOf(ground: Ground, uid: number): Position | undefined {
  const held = [...ground.account(uid).positions.values()];
  return held.length === 0 ? undefined : ground.dice.pick(held);
}

function ticksAt(ground: Ground, book: number, away: number): number {
  return Math.max(1, Math.round(ground.price(book) * away * 10 ** ground.instrument(book).pricePrecision));
}

function lotsFor(ground: Ground, book: number): number {
  return Math.ceil(ground.anySize(book) * 10 ** ground.instrument(book).quantityPrecision);
}

/** Near the outside price, so that it is reached now and then. */
function anyLeg(ground: Ground, book: number, away: number): TriggerLeg {
  const { dice } = ground;
  const market = dice.chance(0.8);
  return {
    triggerTicks: ticksAt(ground, book, away),
    triggerBy: dice.pick([TriggerBy.market, TriggerBy.mark]),
    orderType: market ? OrderType.market : OrderType.limit,
    limitTicks: market ? 0 : ticksAt(ground, book, away * (0.999 + 0.002 * dice.next())),
  };
}

export function strategy(ground: Ground, uid: number): Step {
  return ground.dice.chance(0.5) ? protection(ground, uid) : plan(ground, uid);
}

/** Take-profit and stop-loss of a position, all of it or some. */
function protection(ground: Ground, uid: number): Step {
  const { dice } = ground;
  const held = positionOf(ground, uid);
  const book = held?.instrument ?? dice.pick(CONTRACTS);
  const long = held?.long ?? dice.chance(0.5);
  const full = dice.chance(0.5);
  return ground.do({
    type: 'placeStrategy',
    uid,
    source: Source.api,
    instrument: book,
    kind: full ? StrategyKind.full : StrategyKind.partial,
    side: long ? Side.sell : Side.buy,
    posSide: held?.posSide ?? PosSide.none,
    reduceOnly: dice.chance(0.3),
    stpMode: StpMode.none,
    sizeLots: full ? 0 : Math.min(held?.lots ?? 1, lotsFor(ground, book)),
    quoteAmount: 0n,
    takeProfit: anyLeg(ground, book, long ? 1.01 : 0.99),
    stopLoss: anyLeg(ground, book, long ? 0.99 : 1.01),
    trigger: NO_LEG,
    callbackPpm: 0,
    clientOid: ground.newName(),
  });
}

/** An order that waits for a price, or follows it. */
function plan(ground: Ground, uid: number): Step {
  const { dice } = ground;
  const book = dice.chance(0.7) ? dice.pick(CONTRACTS) : dice.pick(BOOKS);
  const trailing = dice.chance(0.5);
  const trigger = anyLeg(ground, book, 1 + 0.02 * (2 * dice.next() - 1));
  // Without an activation price it follows the market at once.
  const followed = { ...NO_LEG, triggerBy: trigger.triggerBy };
  const leg = !trailing ? trigger : dice.chance(0.6) ? followed : { ...trigger, ...MARKET };
  const buying = dice.chance(0.5);
  const byAmount = buying && book < BOOK.btcPerp && leg.orderType === OrderType.market;
  const hedged = book >= BOOK.btcPerp && ground.account(uid).holdMode === HoldMode.hedge;
  return ground.do({
    type: 'placeStrategy',
    uid,
    source: Source.api,
    instrument: book,
    kind: trailing ? StrategyKind.trailing : StrategyKind.trigger,
    side: buying ? Side.buy : Side.sell,
    posSide: hedged ? dice.pick([PosSide.long, PosSide.short]) : PosSide.none,
    reduceOnly: dice.chance(0.3),
    stpMode: StpMode.none,
    sizeLots: byAmount ? 0 : lotsFor(ground, book),
    quoteAmount: byAmount ? cents(ground.anySize(book) * ground.price(book)) : 0n,
    takeProfit: NO_LEG,
    stopLoss: NO_LEG,
    trigger: leg,
    callbackPpm: trailing ? dice.pick([100, 1000, 10_000, 100_000]) : 0,
    clientOid: ground.newName(),
  });
}

const MARKET = { orderType: OrderType.market, limitTicks: 0 } as const;

function waiting(ground: Ground, uid: number): StrategyOrder | undefined {
  const all = [...ground.account(uid).strategies.values()];
  return all.length === 0 ? undefined : ground.dice.pick(all);
}

/** A waiting order of the account, or of another of the family when it has none, is changed in one of its fields or several. */
export function modifyStrategy(ground: Ground, uid: number): Step {
  const { dice } = ground;
  const order = waiting(ground, uid);
  const book = order?.instrument ?? dice.pick(CONTRACTS);
  const change = (away: number): LegChange => {
    const roll = dice.next();
    if (roll < 0.3) return KEEP_LEG;
    if (roll < 0.4) return { ...KEEP_LEG, triggerTicks: REMOVE };
    return { ...KEEP_LEG, triggerTicks: ticksAt(ground, book, away) };
  };
  const plans = order?.kind === StrategyKind.trigger || order?.kind === StrategyKind.trailing;
  const near = () => 1 + 0.02 * (2 * dice.next() - 1);
  return ground.do({
    type: 'modifyStrategy',
    uid,
    orderId: 0,
    clientOid: order?.clientOid ?? 'none',
    sizeLots: dice.chance(0.4) && order?.quoteAmount === 0n ? lotsFor(ground, book) : 0,
    quoteAmount: (order?.quoteAmount ?? 0n) > 0n && dice.chance(0.5) ? cents(1000 * dice.next()) : 0n,
    takeProfit: plans ? KEEP_LEG : change(near()),
    stopLoss: plans ? KEEP_LEG : change(near()),
    trigger: plans ? change(near()) : KEEP_LEG,
    callbackPpm: order?.kind === StrategyKind.trailing ? dice.pick([0, 500, 5000]) : 0,
  });
}

export function cancelStrategy(ground: Ground, uid: number): Step {
  const clientOid = waiting(ground, uid)?.clientOid ?? 'none';
  return ground.do({ type: 'cancelStrategy', uid, orderId: 0, clientOid });
}
