/** Names of futures orders and fills on the wire, by origin and reason (rules 1.11, 2.4). */
import { OrderKind, OrderOrigin, OrderType, PosSide, Side } from '../core/model/enums.ts';

interface ForcedNames {
  readonly execType: string;
  readonly delegateType: string;
  /** Before `long` or `short` in hedge mode. */
  readonly hedge: string;
  /** One-way mode: of a buy and of a sell. */
  readonly buy: string;
  readonly sell: string;
}

/** Kinds with the names of users' orders: a position moved between accounts of one owner is shown as a market order. */
type ChosenKind = typeof OrderKind.user | typeof OrderKind.move;

const FORCED: Readonly<Record<Exclude<OrderKind, ChosenKind>, ForcedNames>> = {
  [OrderKind.offset]: {
    execType: 'offset',
    delegateType: 'reduce_offset_delegate',
    hedge: 'offset_close_',
    // Netting needs a long and a short, which one-way mode does not have.
    buy: 'close',
    sell: 'close',
  },
  [OrderKind.reduce]: {
    execType: 'reduce',
    delegateType: 'market_risk',
    hedge: 'reduce_close_',
    buy: 'reduce_buy_single',
    sell: 'reduce_sell_single',
  },
  [OrderKind.liquidation]: {
    execType: 'liquidation',
    delegateType: 'liquidation',
    hedge: 'burst_close_',
    buy: 'burst_buy_single',
    sell: 'burst_sell_single',
  },
  [OrderKind.adl]: {
    execType: 'reduce',
    delegateType: 'market_risk',
    hedge: 'dte_sys_adl_close_',
    buy: 'dte_sys_adl_buy_in_single_side_mode',
    sell: 'dte_sys_adl_sell_in_single_side_mode',
  },
  [OrderKind.delivery]: {
    execType: 'delivery',
    delegateType: 'delivery_close_',
    hedge: 'delivery_close_',
    buy: 'delivery_buy_single',
    sell: 'delivery_sell_single',
  },
  [OrderKind.delisting]: {
    execType: 'normal',
    delegateType: 'off_close',
    hedge: 'close',
    buy: 'close',
    sell: 'close',
  },
};

interface Trading {
  readonly kind: OrderKind;
  readonly posSide: PosSide;
  readonly side: Side;
  readonly closing: boolean;
}

/** `open` or `close` for orders of users, a longer name for those of the exchange. */
export function tradeSideOf({ kind, posSide, side, closing }: Trading): string {
  if (isChosen(kind)) return closing ? 'close' : 'open';
  const words = FORCED[kind];
  if (posSide === PosSide.none) return side === Side.buy ? words.buy : words.sell;
  return words.hedge.endsWith('_') ? words.hedge + closedSide(side) : words.hedge;
}

/** Orders of strategy orders, before `limit` or `market`. */
const STRATEGY_DELEGATES: Readonly<Record<Exclude<OrderOrigin, typeof OrderOrigin.hand>, string>> = {
  [OrderOrigin.plan]: 'plan_',
  [OrderOrigin.trailing]: 'tracking_plan_',
  [OrderOrigin.takeProfit]: 'stop_profit_',
  [OrderOrigin.stopLoss]: 'stop_loss_',
  [OrderOrigin.positionTakeProfit]: 'position_stop_profit_',
  [OrderOrigin.positionStopLoss]: 'position_stop_loss_',
  [OrderOrigin.preset]: 'strategy_preset_tpsl_',
};

export function delegateTypeOf(
  kind: OrderKind,
  orderType: OrderType,
  side: Side,
  origin: OrderOrigin = OrderOrigin.hand,
): string {
  const market = orderType === OrderType.market;
  if (origin !== OrderOrigin.hand) return STRATEGY_DELEGATES[origin] + (market ? 'market' : 'limit');
  if (isChosen(kind)) return market ? 'market' : 'normal';
  const { delegateType } = FORCED[kind];
  return delegateType.endsWith('_') ? delegateType + closedSide(side) : delegateType;
}

/** Every value that the two functions return. */
const KINDS = Object.values(OrderKind);
const SIDES = Object.values(Side);
export const TRADE_SIDES: readonly string[] = unique(
  KINDS.flatMap((kind) =>
    Object.values(PosSide).flatMap((posSide) =>
      SIDES.flatMap((side) => [true, false].map((closing) => tradeSideOf({ kind, posSide, side, closing }))),
    ),
  ),
);
export const DELEGATE_TYPES: readonly string[] = unique(
  KINDS.flatMap((kind) =>
    Object.values(OrderType).flatMap((orderType) =>
      SIDES.flatMap((side) =>
        Object.values(OrderOrigin).map((origin) => delegateTypeOf(kind, orderType, side, origin)),
      ),
    ),
  ),
);

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}

export function execTypeOf(kind: OrderKind): string {
  return isChosen(kind) ? 'normal' : FORCED[kind].execType;
}

function isChosen(kind: OrderKind): kind is ChosenKind {
  return kind === OrderKind.user || kind === OrderKind.move;
}

/** Forced orders only close: a sell closes a long. */
function closedSide(side: Side): string {
  return side === Side.sell ? 'long' : 'short';
}

export function marginModeName(isolated: boolean): 'crossed' | 'isolated' {
  return isolated ? 'isolated' : 'crossed';
}
