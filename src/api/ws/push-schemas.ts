/** Schemas of pushes by topic, for the AsyncAPI document (`asyncapi.ts`); tests check every frame against them. */

import {
  CANCEL_REASON_NAMES,
  CATEGORY_NAMES,
  HOLD_MODE_NAMES,
  ORDER_STATUS_NAMES,
  ORDER_TYPE_NAMES,
  POS_SIDE_NAMES,
  SIDE_NAMES,
  STP_MODE_NAMES,
  STRATEGY_STATUS_NAMES,
  STRATEGY_TYPES,
  TIME_IN_FORCE_NAMES,
  TRIGGER_BY_NAMES,
  TRIGGER_TYPE_NAMES,
} from '../../core/model/enums.ts';
import { type TProperties, type TSchema, Type } from '../../validation/schema.ts';
import { DELEGATE_TYPES, TRADE_SIDES } from '../../views/futures-enums.ts';
import { DELIVERY_STATUSES } from '../routes/market/market-view.ts';
import { texts } from '../wire/responses.ts';
import type { PrivateTopic, PublicTopic } from './topic-request.ts';

/** Only fields listed here are sent. */
const exactly = <T extends TProperties>(fields: T) => Type.Object(fields, { additionalProperties: false });

const DECIMAL = '-?(0|[1-9][0-9]*)(\\.[0-9]+)?';
const Decimal = Type.String({ pattern: `^${DECIMAL}$` });
/** Empty where there is none, such as the price of a market order. */
const DecimalOrNone = Type.String({ pattern: `^(${DECIMAL})?$` });
/** Ids and times in Unix milliseconds. */
const Digits = Type.String({ pattern: '^[0-9]+$' });

const all = (names: readonly string[], schema: TSchema): TProperties =>
  Object.fromEntries(names.map((name) => [name, schema]));
const decimals = (...names: readonly string[]) => all(names, Decimal);
const digits = (...names: readonly string[]) => all(names, Digits);

const oneOf = (...names: readonly string[]) => Type.Enum([...new Set(names)]);
/** Empty where it does not apply, as fields of positions on spot. */
const oneOfOrEmpty = (...names: readonly string[]) => oneOf('', ...names);

const CategoryName = oneOf(...CATEGORY_NAMES.map((name) => name.toLowerCase()));
const SideName = oneOf(...SIDE_NAMES);
const YesNo = oneOf('yes', 'no');
const FeeDetail = Type.Array(exactly({ feeCoin: Type.String(), ...decimals('fee') }));

const Ticker = exactly({
  category: oneOf(...CATEGORY_NAMES),
  symbol: Type.String(),
  ...digits('ts'),
  ...decimals('lastPrice', 'openPrice24h', 'highPrice24h', 'lowPrice24h', 'ask1Size', 'bid1Size'),
  ...all(['ask1Price', 'bid1Price'], DecimalOrNone),
  ...decimals('price24hPcnt', 'volume24h', 'turnover24h'),
  ...all(['indexPrice', 'markPrice'], Type.Optional(DecimalOrNone)),
  ...all(['fundingRate', 'openInterest'], Type.Optional(Decimal)),
  ...all(['nextFundingTime', 'deliveryStartTime', 'deliveryTime'], Type.Optional(Digits)),
  deliveryStatus: Type.Optional(oneOf(...DELIVERY_STATUSES)),
});

const Kline = exactly({
  ...digits('start'),
  ...decimals('open', 'high', 'low', 'close', 'volume', 'turnover'),
});

const book = (level: string, parts: number) => {
  const Levels = Type.Array(Type.Array(Decimal, { minItems: parts, maxItems: parts }), {
    description: `${level}, best first; size 0 deletes`,
  });
  return exactly({
    a: Levels,
    b: Levels,
    seq: Type.Integer({
      description: 'counts the changes of the book; GET /api/v3/market/orderbook tells the same',
    }),
    pseq: Type.Integer({ description: 'seq of the push before; 0 at the start' }),
    ...digits('ts'),
  });
};
const Book = book('[price, size]', 2);
const RpiBook = book('[price, size, RPI size]', 3);

const PublicTrade = exactly({
  ...digits('i', 'L'),
  ...decimals('p', 'P', 'v'),
  S: Type.Enum([...SIDE_NAMES], { description: 'side of the taker' }),
  ...digits('T'),
  isRPI: YesNo,
});

const Liquidation = exactly({
  symbol: Type.String(),
  side: Type.Enum([...SIDE_NAMES], { description: 'buy: a long was liquidated' }),
  ...decimals('price', 'amount'),
  ...digits('ts'),
});

const Account = exactly({
  ...decimals('totalEquity', 'effEquity', 'mmr', 'imr', 'mgnRatio', 'positionMgnRatio', 'unrealisedPnL'),
  coin: Type.Array(
    exactly({
      coin: Type.String(),
      ...decimals('equity', 'balance', 'available', 'locked', 'borrow', 'debts', 'usdValue'),
    }),
  ),
});

const Position = exactly({
  ...texts('symbol', 'marginCoin'),
  holdMode: oneOf(...HOLD_MODE_NAMES),
  posSide: oneOf('long', 'short'),
  marginMode: oneOf('crossed', 'isolated'),
  ...decimals('size', 'available', 'frozen', 'leverage', 'marginSize', 'avgPrice'),
  ...all(['markPrice', 'breakEvenPrice', 'liqPrice', 'mmr'], DecimalOrNone),
  ...decimals('unrealisedPnl', 'curRealisedPnl'),
  profitRate: DecimalOrNone,
  ...decimals('totalFundingFee', 'openFeeTotal', 'closeFeeTotal'),
  positionStatus: oneOf('opening', 'ended'),
  ...digits('createdTime', 'updatedTime'),
});

const Order = exactly({
  category: CategoryName,
  symbol: Type.String(),
  ...digits('orderId'),
  clientOid: Type.String(),
  requestId: Type.Optional(Type.String({ description: 'of the modification that it comes from' })),
  price: DecimalOrNone,
  ...decimals('qty', 'amount'),
  holdMode: oneOfOrEmpty(...HOLD_MODE_NAMES),
  holdSide: oneOfOrEmpty('long', 'short', 'net'),
  tradeSide: oneOf(...TRADE_SIDES),
  delegateType: oneOf(...DELEGATE_TYPES),
  orderType: oneOf(...ORDER_TYPE_NAMES),
  timeInForce: oneOf(...TIME_IN_FORCE_NAMES),
  side: SideName,
  marginMode: oneOfOrEmpty('crossed', 'isolated'),
  marginCoin: Type.String(),
  reduceOnly: YesNo,
  ...decimals('cumExecQty', 'cumExecValue', 'avgPrice', 'totalProfit'),
  orderStatus: oneOf(...ORDER_STATUS_NAMES),
  cancelReason: oneOf(...CANCEL_REASON_NAMES),
  leverage: DecimalOrNone,
  stpMode: oneOf(...STP_MODE_NAMES),
  feeDetail: FeeDetail,
  ...digits('createdTime', 'updatedTime'),
  posMode: Type.Optional(
    Type.Enum([...HOLD_MODE_NAMES], { description: 'of futures: `holdMode` as one client calls it' }),
  ),
  newSize: Type.Optional(
    Type.String({ pattern: `^${DECIMAL}$`, description: '`qty` of a market sell on spot or margin' }),
  ),
  baseSize: Type.Optional(
    Type.String({ pattern: `^${DECIMAL}$`, description: '`cumExecQty` of a market buy on margin' }),
  ),
});

const fastFill = {
  category: CategoryName,
  symbol: Type.String(),
  ...digits('orderId'),
  clientOid: Type.String(),
  ...digits('execId'),
  side: SideName,
  holdSide: oneOfOrEmpty('long', 'short', 'net'),
  tradeScope: oneOf('maker', 'taker'),
  ...decimals('execPrice', 'execQty'),
  ...digits('execTime', 'updatedTime'),
};
const FastFill = exactly(fastFill);
const Fill = exactly({
  ...fastFill,
  ...digits('execLinkId'),
  orderType: oneOf(...ORDER_TYPE_NAMES),
  tradeSide: oneOf(...TRADE_SIDES),
  ...decimals('execValue', 'execPnl'),
  feeDetail: FeeDetail,
  isRPI: YesNo,
});

const StrategyOrder = exactly({
  category: CategoryName,
  symbol: Type.String(),
  ...digits('orderId'),
  clientOid: Type.String(),
  qty: DecimalOrNone,
  side: SideName,
  posSide: oneOf(...POS_SIDE_NAMES),
  reduceOnly: YesNo,
  type: oneOf(...STRATEGY_TYPES),
  status: oneOf(...STRATEGY_STATUS_NAMES),
  triggerType: oneOf(...TRIGGER_TYPE_NAMES),
  ...all(['tpTriggerBy', 'slTriggerBy', 'triggerBy'], oneOfOrEmpty(...TRIGGER_BY_NAMES)),
  ...all(['tpOrderType', 'slOrderType', 'triggerOrderType'], oneOfOrEmpty(...ORDER_TYPE_NAMES)),
  ...all(['takeProfit', 'stopLoss', 'tpLimitPrice', 'slLimitPrice'], DecimalOrNone),
  ...all(['triggerPrice', 'triggerOrderPrice'], DecimalOrNone),
  ...digits('createdTime', 'updatedTime'),
});

const AdlNotification = exactly({
  category: CategoryName,
  symbol: Type.String(),
  side: SideName,
  status: oneOf('triggered'),
  ...decimals('price', 'amount'),
  ...digits('ts'),
});

interface TopicDescription {
  readonly summary: string;
  /** One element of `data`. */
  readonly data: TSchema;
}

export const TOPIC_DESCRIPTIONS: Readonly<Record<PublicTopic | PrivateTopic, TopicDescription>> = {
  ticker: { summary: 'Best prices and the rolling 24 hours; whole each time, on change', data: Ticker },
  kline: { summary: 'Candles: the past first, then at most once a second', data: Kline },
  books: { summary: 'The book: one snapshot, then differences', data: Book },
  books1: { summary: 'The best level of each side, whole each time', data: Book },
  books5: { summary: 'Five levels a side, whole each time', data: Book },
  books15: { summary: 'Fifteen levels a side, whole each time', data: Book },
  books50: { summary: 'Fifty levels a side, whole each time', data: Book },
  'rpi-books': {
    summary: 'The book with RPI quantities told apart: one snapshot, then differences',
    data: RpiBook,
  },
  'rpi-books1': { summary: 'The best level with RPI quantities told apart', data: RpiBook },
  'rpi-books5': { summary: 'Five levels with RPI quantities told apart', data: RpiBook },
  'rpi-books50': { summary: 'Fifty levels with RPI quantities told apart', data: RpiBook },
  publicTrade: {
    summary: 'Trades as they become durable, newest first; the last ones at the start',
    data: PublicTrade,
  },
  liquidation: {
    summary: 'Forced closes: the largest of a pair and side, at most once a second',
    data: Liquidation,
  },
  account: { summary: 'Balances and margin: at the start, after changes, every five seconds', data: Account },
  position: { summary: 'Positions: the complete list (snapshot), or what changed (update)', data: Position },
  order: { summary: 'Each change of an order, once', data: Order },
  fill: { summary: 'Each fill, once', data: Fill },
  'fast-fill': { summary: 'Each fill, once, in few words', data: FastFill },
  'strategy-order': { summary: 'Each change of a strategy order, once', data: StrategyOrder },
  'adl-notification': { summary: 'A position was reduced to cover a loss of others', data: AdlNotification },
};
