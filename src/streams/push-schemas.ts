/** What the venue pushes, topic by topic, as schemas for the document (`asyncapi.ts`); a test holds real pushes to them. */
import Type, { type TProperties, type TSchema } from 'typebox';
import { FeeDetail, texts } from '../gateway/answers.ts';
import type { PrivateTopic, PublicTopic } from './topic-request.ts';

/** Nothing leaves that is not named here. */
const exactly = <T extends TProperties>(fields: T) => Type.Object(fields, { additionalProperties: false });
const optionalTexts = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())]));

const Ticker = exactly({
  ...texts(
    'category',
    'symbol',
    'ts',
    'lastPrice',
    'openPrice24h',
    'highPrice24h',
    'lowPrice24h',
    'ask1Price',
    'ask1Size',
    'bid1Price',
    'bid1Size',
    'price24hPcnt',
    'volume24h',
    'turnover24h',
  ),
  ...optionalTexts('indexPrice', 'markPrice', 'fundingRate', 'openInterest', 'nextFundingTime'),
  ...optionalTexts('deliveryStartTime', 'deliveryTime', 'deliveryStatus'),
});

const Kline = exactly(texts('start', 'open', 'high', 'low', 'close', 'volume', 'turnover'));

const book = (level: string) => {
  const Levels = Type.Array(Type.Array(Type.String()), {
    description: `${level}, best first; size 0 deletes`,
  });
  return exactly({
    a: Levels,
    b: Levels,
    seq: Type.Integer({
      description: 'counts the changes of the book; GET /api/v3/market/orderbook tells the same',
    }),
    pseq: Type.Integer({ description: 'seq of the push before; 0 at the start' }),
    ts: Type.String(),
  });
};
const Book = book('[price, size]');
const RpiBook = book('[price, size, RPI size]');

const PublicTrade = exactly({
  ...texts('i', 'L', 'p', 'P', 'v'),
  S: Type.Enum(['buy', 'sell'] as const, { description: 'side of the taker' }),
  ...texts('T', 'isRPI'),
});

const Liquidation = exactly({
  symbol: Type.String(),
  side: Type.Enum(['buy', 'sell'] as const, { description: 'buy: a long was liquidated' }),
  ...texts('price', 'amount', 'ts'),
});

const Account = exactly({
  ...texts('totalEquity', 'effEquity', 'mmr', 'imr', 'mgnRatio', 'positionMgnRatio', 'unrealisedPnL'),
  coin: Type.Array(
    exactly(texts('coin', 'equity', 'balance', 'available', 'locked', 'borrow', 'debts', 'usdValue')),
  ),
});

const Position = exactly({
  ...texts('symbol', 'marginCoin', 'holdMode', 'posSide', 'marginMode', 'size', 'available', 'frozen'),
  ...texts('leverage', 'marginSize', 'avgPrice', 'markPrice', 'breakEvenPrice', 'liqPrice', 'mmr'),
  ...texts(
    'unrealisedPnl',
    'curRealisedPnl',
    'profitRate',
    'totalFundingFee',
    'openFeeTotal',
    'closeFeeTotal',
  ),
  positionStatus: Type.Enum(['opening', 'ended'] as const),
  ...texts('createdTime', 'updatedTime'),
});

const Order = exactly({
  ...texts('category', 'symbol', 'orderId', 'clientOid', 'price', 'qty', 'amount', 'holdMode', 'holdSide'),
  ...texts('tradeSide', 'delegateType', 'orderType', 'timeInForce', 'side', 'marginMode', 'marginCoin'),
  ...texts(
    'reduceOnly',
    'cumExecQty',
    'cumExecValue',
    'avgPrice',
    'totalProfit',
    'orderStatus',
    'cancelReason',
    'leverage',
  ),
  stpMode: Type.String(),
  feeDetail: FeeDetail,
  ...texts('createdTime', 'updatedTime'),
});

const fillNames = [
  'category',
  'symbol',
  'orderId',
  'clientOid',
  'execId',
  'side',
  'holdSide',
  'tradeScope',
  'execPrice',
  'execQty',
  'execTime',
  'updatedTime',
] as const;
const FastFill = exactly(texts(...fillNames));
const Fill = exactly({
  ...texts(...fillNames),
  ...texts('execLinkId', 'orderType', 'tradeSide', 'execValue', 'execPnl', 'isRPI'),
  feeDetail: FeeDetail,
});

const StrategyOrder = exactly({
  ...texts('category', 'symbol', 'orderId', 'clientOid', 'qty', 'side', 'posSide', 'reduceOnly', 'type'),
  ...texts('status', 'triggerType', 'tpTriggerBy', 'slTriggerBy', 'takeProfit', 'stopLoss', 'tpOrderType'),
  ...texts('slOrderType', 'tpLimitPrice', 'slLimitPrice', 'triggerBy', 'triggerPrice', 'triggerOrderType'),
  ...texts('triggerOrderPrice', 'createdTime', 'updatedTime'),
});

const AdlNotification = exactly(texts('category', 'symbol', 'side', 'status', 'price', 'amount', 'ts'));

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
