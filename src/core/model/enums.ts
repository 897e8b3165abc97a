/**
 * The words of the trade as small integers, with the names people see.
 * Hot state keeps the integer; everything outside prints `NAMES[code]`.
 */

export const Category = { spot: 0, margin: 1, usdtFutures: 2, coinFutures: 3, usdcFutures: 4 } as const;
export type Category = (typeof Category)[keyof typeof Category];
export const CATEGORY_NAMES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const;
export type CategoryName = (typeof CATEGORY_NAMES)[number];

export const Side = { buy: 0, sell: 1 } as const;
export type Side = (typeof Side)[keyof typeof Side];
export const SIDE_NAMES = ['buy', 'sell'] as const;

export const OrderType = { limit: 0, market: 1 } as const;
export type OrderType = (typeof OrderType)[keyof typeof OrderType];
export const ORDER_TYPE_NAMES = ['limit', 'market'] as const;

export const TimeInForce = { gtc: 0, ioc: 1, fok: 2, postOnly: 3, rpi: 4 } as const;
export type TimeInForce = (typeof TimeInForce)[keyof typeof TimeInForce];
export const TIME_IN_FORCE_NAMES = ['gtc', 'ioc', 'fok', 'post_only', 'rpi'] as const;

/** Self-trade prevention: what the taker wants when it meets an order of its own party. */
export const StpMode = { none: 0, cancelTaker: 1, cancelMaker: 2, cancelBoth: 3 } as const;
export type StpMode = (typeof StpMode)[keyof typeof StpMode];
export const STP_MODE_NAMES = ['none', 'cancel_taker', 'cancel_maker', 'cancel_both'] as const;

/** Where an order came from. RPI makers trade only with `retail` takers (rules 1.7). */
export const Source = { api: 0, retail: 1 } as const;
export type Source = (typeof Source)[keyof typeof Source];

export const OrderStatus = { live: 0, new: 1, partiallyFilled: 2, filled: 3, cancelled: 4 } as const;
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];
export const ORDER_STATUS_NAMES = ['live', 'new', 'partially_filled', 'filled', 'cancelled'] as const;

/** Why an order ended unfilled; `none` for every order that is not cancelled. */
export const CancelReason = {
  none: 0,
  normal: 1,
  iocNotFull: 2,
  fokNotFull: 3,
  postOnlyFill: 4,
  stp: 5,
  slippage: 6,
  tradeCountTooSmall: 7,
  modifyLimitOrder: 8,
  delegatedRiskOrder: 9,
  tradeTooManyTimes: 10,
  burst: 11,
  adl: 12,
  delivery: 13,
  tpslPlan: 14,
  receiveWindow: 15,
} as const;
export type CancelReason = (typeof CancelReason)[keyof typeof CancelReason];
export const CANCEL_REASON_NAMES = [
  '',
  'normal_cancel',
  'ioc_not_full_cancel',
  'fok_not_full_cancel',
  'post_only_fill_cancel',
  'stp_cancel',
  'slippage_cancel',
  'trade_count_too_small',
  'modify_limit_order',
  'delegated_risk_order_cancel',
  'trade_too_many_times_cancel',
  'burst_cancel',
  'adl_cancel',
  'delivery_order_cancel',
  'tpsl_plan_cancel',
  'cancel_receiveWindow',
] as const;

export const InstrumentStatus = {
  listed: 0,
  online: 1,
  limitOpen: 2,
  limitClose: 3,
  offline: 4,
  restrictedApi: 5,
} as const;
export type InstrumentStatus = (typeof InstrumentStatus)[keyof typeof InstrumentStatus];
export const INSTRUMENT_STATUS_NAMES = [
  'listed',
  'online',
  'limit_open',
  'limit_close',
  'offline',
  'restrictedAPI',
] as const;
export type InstrumentStatusName = (typeof INSTRUMENT_STATUS_NAMES)[number];

/** Where an account keeps money: the unified account trades, the funding account only holds. */
export const Wallet = { unified: 0, funding: 1 } as const;
export type Wallet = (typeof Wallet)[keyof typeof Wallet];
export const WALLET_NAMES = ['uta', 'spot'] as const;
export type WalletName = (typeof WALLET_NAMES)[number];

/** Which position a futures order belongs to; `none` in one-way mode, where there is one net position. */
export const PosSide = { none: 0, long: 1, short: 2 } as const;
export type PosSide = (typeof PosSide)[keyof typeof PosSide];
export const POS_SIDE_NAMES = ['', 'long', 'short'] as const;

export const HoldMode = { oneWay: 0, hedge: 1 } as const;
export type HoldMode = (typeof HoldMode)[keyof typeof HoldMode];
export const HOLD_MODE_NAMES = ['one_way_mode', 'hedge_mode'] as const;

/** Who made an order: its owner, or the exchange for a reason of its own (rules 2.4). */
export const OrderKind = {
  user: 0,
  offset: 1,
  reduce: 2,
  liquidation: 3,
  adl: 4,
  delivery: 5,
  delisting: 6,
  move: 7,
} as const;
export type OrderKind = (typeof OrderKind)[keyof typeof OrderKind];

/** What a strategy order waits for and what it does then (rules 3.1). */
export const StrategyKind = { attached: 0, partial: 1, full: 2, trigger: 3, trailing: 4 } as const;
export type StrategyKind = (typeof StrategyKind)[keyof typeof StrategyKind];
/** The `type` that lists are filtered by: take-profit and stop-loss records, or orders that may open as well. */
export const STRATEGY_TYPES = ['tpsl', 'tpsl', 'tpsl', 'trigger', 'trigger'] as const;
export type StrategyType = (typeof STRATEGY_TYPES)[number];

/** Rules 3.2. */
export const StrategyStatus = { pending: 0, submitting: 1, success: 2, failed: 3, cancelled: 4 } as const;
export type StrategyStatus = (typeof StrategyStatus)[keyof typeof StrategyStatus];
export const STRATEGY_STATUS_NAMES = ['pending', 'submitting', 'success', 'failed', 'cancelled'] as const;

/** Which price a trigger looks at: the last trade or the mark. */
export const TriggerBy = { market: 0, mark: 1 } as const;
export type TriggerBy = (typeof TriggerBy)[keyof typeof TriggerBy];
export const TRIGGER_BY_NAMES = ['market', 'mark'] as const;

/** Which leg of a take-profit and stop-loss record it is about. */
export const TriggerType = { none: 0, takeProfit: 1, stopLoss: 2 } as const;
export type TriggerType = (typeof TriggerType)[keyof typeof TriggerType];
export const TRIGGER_TYPE_NAMES = ['', 'takeProfit', 'stopLoss'] as const;

/** Why a strategy order was cancelled; `none` for every other end. */
export const StrategyReason = {
  none: 0,
  owner: 1,
  positionGone: 2,
  liquidation: 3,
  delivery: 4,
  delisting: 5,
  frozen: 6,
} as const;
export type StrategyReason = (typeof StrategyReason)[keyof typeof StrategyReason];
export const STRATEGY_REASON_NAMES = [
  '',
  'normal_cancel',
  'position_closed',
  'burst_cancel',
  'delivery_order_cancel',
  'delegated_risk_order_cancel',
  'delegated_risk_order_cancel',
] as const;

/** What made an order of its owner: the owner's hand, or a strategy order that fired (rules 2.4). */
export const OrderOrigin = {
  hand: 0,
  plan: 1,
  trailing: 2,
  takeProfit: 3,
  stopLoss: 4,
  positionTakeProfit: 5,
  positionStopLoss: 6,
  preset: 7,
} as const;
export type OrderOrigin = (typeof OrderOrigin)[keyof typeof OrderOrigin];

/** Prices of futures that have candles of their own. */
export const PRICE_KINDS = ['mark', 'index', 'premium'] as const;
export type PriceKind = (typeof PRICE_KINDS)[number];
