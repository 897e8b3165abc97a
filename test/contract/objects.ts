/** Interface 2: every object with every field. The tables stand in the document's order. */
import {
  decimal,
  empty,
  type Fields,
  id,
  integer,
  listOf,
  name,
  objectOf,
  orEmpty,
  positive,
  type Shape,
  shape,
  text,
  time,
  words,
} from './shape.ts';

export const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const;
export type Category = (typeof CATEGORIES)[number];
export const FUTURES = ['USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const;
export const isFutures = (category: string) => (FUTURES as readonly string[]).includes(category);

/** Interface 2.1.1; the third party's name in one of them is whoever's charts it is. */
export const DELEGATE_TYPES =
  `normal stop_profit_market stop_loss_market stop_profit_chase stop_loss_chase trader_delegate trader_stop_profit
  trader_stop_loss follower_delegate reduce_offset_delegate market market_risk plan_limit plan_market back_contract
  trader_back_contract strategy_grid_positive strategy_grid_reverse strategy_unlimited stop_profit_limit stop_loss_limit
  move_stop_limit move_stop_market position_stop_profit_limit position_stop_profit_market position_stop_loss_limit
  position_stop_loss_market tracking_plan_limit tracking_plan_market delivery_close_long delivery_close_short liquidation
  strategy_dca_positive strategy_dca_reverse spot_trace_trader_buy spot_trace_follower_buy spot_trace_trader_sell
  spot_trace_follower_sell strategy_oco_limit strategy_oco_trigger modify_limit_order strategy_regular_buy
  strategy_grid_middle strategy_cta_positive strategy_cta_reverse strategy_tpsl_limit strategy_tpsl_market
  strategy_contract_ai strategy_trace_market strategy_trace_limit strategy_portfolio_buy strategy_portfolio_sell
  sigan_trace mmr_stop_loss_market bbo_opponent1 bbo_opponent5 bbo_companion1 bbo_companion5 bbo_opponent1_profit
  bbo_opponent5_profit bbo_companion1_profit bbo_companion5_profit bbo_opponent1_loss bbo_opponent5_loss
  bbo_companion1_loss bbo_companion5_loss spot_bbo_opponent1_tpsl spot_bbo_opponent5_tpsl spot_bbo_companion1_tpsl
  spot_bbo_companion5_tpsl dummy_bbo_profit dummy_bbo_loss strategy_pre_tpsl_limit strategy_pre_tpsl_market
  future_signal_delegate grant_market tg_signal_limit tg_signal_tp_market tg_signal_sl_market strategy_preset_tpsl_limit
  strategy_preset_tpsl_market trader_iceberg_limit trader_time_share_market strategy_arbitrage_positive
  strategy_arbitrage_reverse liquidation_take_over_long liquidation_take_over_short convert_hedging off_close`.split(
    /\s+/,
  );

/** What is done by users, and the words for what is done to them (wire appendix A). */
const TRADE_SIDES = [
  ...['open', 'close', 'reduce_buy_single', 'reduce_sell_single', 'burst_buy_single', 'burst_sell_single'],
  ...['delivery_buy_single', 'delivery_sell_single'],
  ...['dte_sys_adl_buy_in_single_side_mode', 'dte_sys_adl_sell_in_single_side_mode'],
  ...['reduce_close', 'burst_close', 'offset_close', 'delivery_close', 'dte_sys_adl_close'].flatMap(
    (word) => [`${word}_long`, `${word}_short`],
  ),
];

/** The interface shows the first; the others are those of wire appendix A. */
const CANCEL_REASONS =
  `normal_cancel trade_too_many_times_cancel trade_count_too_small fok_not_full_cancel ioc_not_full_cancel
  post_only_fill_cancel self_trade_cancel trade_max_deal_size_cancel tpsl_plan_cancel back_contract_cancel
  delegated_risk_order_cancel trader_order_cancel delivery_order_cancel modify_limit_order slippage_cancel adl_cancel
  penetrate_cancel stp_cancel call_auction_cancel limit_price_exceed_cancel burst_cancel cancel_receiveWindow`.split(
    /\s+/,
  );

const feeDetail = listOf(objectOf({ feeCoin: name, fee: decimal }));
const triggerBy = orEmpty(words('market', 'mark'));
const executedAs = orEmpty(words('limit', 'market'));

/** What all three order answers share; the last argument is what an order of the futures says and others leave empty. */
const orderFields = (futures: boolean, statuses: readonly string[]): Fields => ({
  orderId: id,
  clientOid: name,
  category: words(...(futures ? FUTURES : ['SPOT', 'MARGIN'])),
  symbol: name,
  price: positive,
  qty: positive,
  amount: positive,
  orderType: words('limit', 'market'),
  cumExecQty: positive,
  cumExecValue: positive,
  avgPrice: positive,
  orderStatus: words(...statuses),
  side: words('buy', 'sell'),
  timeInForce: words('ioc', 'fok', 'gtc', 'post_only', 'rpi'),
  posSide: futures ? orEmpty(words('long', 'short')) : empty,
  holdMode: futures ? words('one_way_mode', 'hedge_mode') : empty,
  delegateType: words(...DELEGATE_TYPES),
  marginMode: futures ? words('crossed', 'isolated') : empty,
  stpMode: words('none', 'cancel_taker', 'cancel_maker', 'cancel_both'),
  takeProfit: orEmpty(positive),
  stopLoss: orEmpty(positive),
  tpTriggerBy: triggerBy,
  slTriggerBy: triggerBy,
  tpOrderType: executedAs,
  slOrderType: executedAs,
  tpLimitPrice: orEmpty(positive),
  slLimitPrice: orEmpty(positive),
  // Upper case everywhere: one client takes every other spelling of `NO` for yes (wire rule 10).
  reduceOnly: words('YES', 'NO'),
  feeDetail,
  createdTime: time,
  updatedTime: time,
  // Names that one client reads instead of the documented ones (wire 3.6).
  priceAvg: positive,
  quoteVolume: positive,
  baseVolume: positive,
});

const OPEN = ['live', 'new', 'partially_filled'];
const ALL = [...OPEN, 'filled', 'cancelled'];

const ending: Fields = {
  cancelReason: orEmpty(words(...CANCEL_REASONS)),
  execType: words('normal', 'offset', 'reduce', 'liquidation', 'delivery'),
};

export const openOrder = (category: string) => shape('2.1', 'order', orderFields(isFutures(category), OPEN));
export const historyOrder = (category: string) =>
  shape('2.1', 'order', { ...orderFields(isFutures(category), ALL), ...ending });
export const orderDetail = (category: string) =>
  shape('2.1', 'order', {
    ...orderFields(isFutures(category), ALL),
    ...ending,
    tradeSide: words(...TRADE_SIDES),
  });

export const FILL = shape('2.2', 'fill', {
  execId: id,
  execLinkId: id,
  orderId: id,
  clientOid: name,
  category: words(...CATEGORIES),
  symbol: name,
  orderType: words('limit', 'market'),
  side: words('buy', 'sell'),
  execPrice: positive,
  execQty: positive,
  execValue: positive,
  tradeScope: words('taker', 'maker'),
  tradeSide: words(...TRADE_SIDES),
  feeDetail,
  createdTime: time,
  updatedTime: time,
  execPnl: decimal,
  isRPI: words('yes', 'no'),
  // Not of the interface; one client reads it (wire 3.9).
  posSide: orEmpty(words('long', 'short')),
});

export const STRATEGY_ORDER = shape('2.3', 'strategy order', {
  orderId: id,
  clientOid: name,
  // The record names only futures; the query takes all five (wire 3.10).
  category: words(...CATEGORIES),
  symbol: name,
  // Nothing is fixed while it guards a whole position.
  qty: orEmpty(positive),
  posSide: orEmpty(words('long', 'short')),
  status: words('pending', 'success', 'failed', 'cancelled', 'submitting'),
  triggerType: orEmpty(words('takeProfit', 'stopLoss')),
  tpTriggerBy: triggerBy,
  slTriggerBy: triggerBy,
  takeProfit: orEmpty(positive),
  stopLoss: orEmpty(positive),
  tpOrderType: executedAs,
  slOrderType: executedAs,
  tpLimitPrice: orEmpty(positive),
  slLimitPrice: orEmpty(positive),
  triggerBy,
  triggerPrice: orEmpty(positive),
  triggerOrderType: executedAs,
  triggerOrderPrice: orEmpty(positive),
  createdTime: time,
  updatedTime: time,
  // Not of the interface: what it is and how it ended.
  side: words('buy', 'sell'),
  type: words('tpsl', 'trigger'),
  reduceOnly: words('YES', 'NO'),
  tpslMode: orEmpty(words('full', 'partial')),
  callbackRatio: orEmpty(positive),
  cancelReason: text,
  failReason: text,
  subOrderId: orEmpty(id),
});

export const POSITION = shape('2.4', 'position', {
  category: words(...FUTURES),
  symbol: name,
  marginCoin: name,
  holdMode: words('one_way_mode', 'hedge_mode'),
  posSide: words('long', 'short'),
  marginMode: words('crossed', 'isolated'),
  positionBalance: decimal,
  available: positive,
  frozen: positive,
  total: positive,
  leverage: integer,
  curRealisedPnl: decimal,
  avgPrice: positive,
  positionStatus: words('normal'),
  unrealisedPnl: decimal,
  liquidationPrice: decimal,
  mmr: positive,
  profitRate: decimal,
  markPrice: positive,
  breakEvenPrice: decimal,
  totalFunding: decimal,
  openFeeTotal: decimal,
  closeFeeTotal: decimal,
  createdTime: time,
  updatedTime: time,
});

export const ADL_RANK = shape('2.5', 'ADL rank record', {
  symbol: name,
  marginCoin: name,
  adlRank: positive,
  holdSide: words('long', 'short'),
});

const instrumentCommon = (category: Category): Fields => ({
  symbol: name,
  category: words(category),
  baseCoin: name,
  quoteCoin: name,
  buyLimitPriceRatio: positive,
  sellLimitPriceRatio: positive,
  minOrderQty: positive,
  // `0` or nothing means no limit.
  maxOrderQty: isFutures(category) ? positive : orEmpty(positive),
  minOrderAmount: positive,
  pricePrecision: integer,
  quantityPrecision: integer,
  quotePrecision: isFutures(category) ? orEmpty(integer) : integer,
  maxSymbolOrderNum: orEmpty(integer),
  maxProductOrderNum: orEmpty(integer),
  maxPositionNum: orEmpty(integer),
  status: words('listed', 'online', 'limit_open', 'limit_close', 'offline', 'restrictedAPI'),
  maintainTime: orEmpty(time),
  launchTime: time,
  symbolType: words('crypto', 'metal', 'stock', 'commodity'),
});

const futuresOnly = (delivery: boolean): Fields => ({
  isRwa: words('YES', 'NO'),
  isReality: words('yes', 'no'),
  feeRateUpRatio: positive,
  openCostUpRatio: positive,
  makerFeeRate: decimal,
  takerFeeRate: decimal,
  priceMultiplier: positive,
  quantityMultiplier: positive,
  type: words(delivery ? 'delivery' : 'perpetual'),
  offTime: orEmpty(time),
  limitOpenTime: orEmpty(time),
  // A contract that delivers pays no funding.
  fundInterval: delivery ? empty : words('1', '2', '4', '8'),
  minLeverage: integer,
  maxLeverage: integer,
  maxMarketOrderQty: positive,
  ...(delivery && {
    deliveryTime: time,
    deliveryStartTime: time,
    deliveryPeriod: words('this_quarter', 'next_quarter'),
  }),
});

const marginOnly: Fields = {
  isIsolatedBaseBorrowable: words('YES', 'NO'),
  isIsolatedQuotedBorrowable: words('YES', 'NO'),
  warningRiskRatio: positive,
  liquidationRiskRatio: positive,
  maxCrossedLeverage: positive,
  maxIsolatedLeverage: positive,
  userMinBorrow: positive,
  maxLeverage: positive,
  areaSymbol: words('YES', 'NO'),
};

/** Which fields an instrument has depends on its category, its kind, and whether it is restricted to an area. */
export function instrument(record: { category?: string; type?: string; areaSymbol?: string }): Shape {
  const category = record.category as Category;
  return shape('2.6', 'instrument', {
    ...instrumentCommon(category),
    ...(isFutures(category) && futuresOnly(record.type === 'delivery')),
    ...(category === 'MARGIN' && marginOnly),
    ...(category === 'SPOT' && record.areaSymbol !== undefined && { areaSymbol: words('YES') }),
  });
}

/** Every kind of instrument. */
export const INSTRUMENTS: readonly Shape[] = [
  ...CATEGORIES.map((category) => instrument({ category })),
  instrument({ category: 'SPOT', areaSymbol: 'YES' }),
  instrument({ category: 'COIN-FUTURES', type: 'delivery' }),
];

const price = orEmpty(positive);

export function ticker(category: string, delivery: boolean): Shape {
  return shape('2.7', 'ticker', {
    category: words('SPOT', ...FUTURES),
    symbol: name,
    ts: time,
    lastPrice: positive,
    openPrice24h: positive,
    highPrice24h: positive,
    lowPrice24h: positive,
    ask1Price: price,
    ask1Size: positive,
    bid1Price: price,
    bid1Size: positive,
    price24hPcnt: decimal,
    volume24h: positive,
    turnover24h: positive,
    ...(isFutures(category) && {
      indexPrice: price,
      markPrice: price,
      fundingRate: decimal,
      openInterest: positive,
    }),
    ...(delivery && {
      deliveryStartTime: time,
      deliveryTime: time,
      deliveryStatus: words(
        'delivery_config_period',
        'delivery_normal',
        'delivery_before',
        'delivery_period',
      ),
    }),
  });
}

/** Every kind of ticker. */
export const TICKERS: readonly Shape[] = [
  ticker('SPOT', false),
  ticker('USDT-FUTURES', false),
  ticker('COIN-FUTURES', true),
];

/** Interface 2.8: time, open, high, low, close, volume in base coin, turnover in quote coin. */
export function candleProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length !== 7) return 'must be an array of 7 strings';
  const [opened, ...numbers] = value;
  return time(opened, '2.8 candle') ?? numbers.map((each) => decimal(each, '2.8 candle')).find(Boolean);
}

export const PUBLIC_FILL = shape('2.9', 'public fill', {
  execId: id,
  execLinkId: id,
  price: positive,
  size: positive,
  side: words('sell', 'buy'),
  ts: time,
  isRPI: words('yes', 'no'),
});

export const INDEX_COMPONENTS = shape('2.10', 'index component', {
  symbol: name,
  componentList: listOf(
    objectOf({ exchange: name, spotPair: name, equivalentPrice: orEmpty(positive), weight: positive }),
  ),
});

export const ACCOUNT_INFO = shape('2.11', 'account info', {
  userId: id,
  inviterId: orEmpty(id),
  parentId: orEmpty(id),
  channelCode: text,
  channel: text,
  ips: text,
  permType: words('read-only', 'read-and-write'),
  permissions: listOf(
    words('uta_mgt', 'uta_trade', 'withdraw', 'copy_futures_position', 'copy_futures_order'),
  ),
  regisTime: time,
});

export const BORROW = shape('2.12', 'borrow record', {
  orderId: id,
  loanCoin: name,
  pledgeCoin: name,
  initPledgeAmount: positive,
  initLoanAmount: positive,
  hourRate: positive,
  pledgeDays: orEmpty(integer),
  daily: words('FLEXIBLE', 'SEVEN', 'THIRTY'),
  borrowTime: time,
  status: words('ROLLBACK', 'FORCE', 'REPAY'),
});

export const PLEDGE_RATE = shape('2.12', 'pledge rate record', {
  loanCoin: name,
  pledgeCoin: name,
  orderId: id,
  reviseTime: time,
  reviseSide: words('down', 'up'),
  reviseAmount: positive,
  afterPledgeRate: positive,
  beforePledgeRate: positive,
});

const debtEntries = listOf(objectOf({ coin: name, amount: positive, amountUsdt: positive }));
export const DEBTS = shape('2.12', 'debt summary', { pledgeInfos: debtEntries, loanInfos: debtEntries });

export const REPAYABLE = shape('2.12', 'repayable coins', {
  repayableCoinList: listOf(objectOf({ coin: name, size: positive, amount: positive })),
  maxSelection: integer,
});

export const BROKER_KEY = shape('2.12', 'broker sub-account API key record', {
  subUid: id,
  label: text,
  apiKey: name,
  permType: words('read_write', 'read_only'),
  permList: listOf(words('uta_trade', 'uta_mgt', 'withdraw')),
  ipList: listOf(name),
});

/** Interface 4.3: what an action says about one order; `code` and `msg` describe a failure. */
export const ORDER_IDS = shape('4.3', 'order ids', { orderId: id, clientOid: name });
export const ORDER_FAILURE = shape('4.3', 'result entry', {
  orderId: text,
  clientOid: text,
  code: name,
  msg: name,
});
