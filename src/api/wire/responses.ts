/** Schemas of responses (interface 2). They document and serialise: a field that is not listed here is never sent. */
import { type TProperties, Type } from '../../validation/schema.ts';
import { FILL_FIELDS } from '../../views/fill-view.ts';
import { ORDER_ALIASES, ORDER_END_FIELDS, ORDER_FIELDS } from '../../views/order-view.ts';
import { STRATEGY_FIELDS } from '../../views/strategy-view.ts';

const text = Type.String();
export const texts = <const N extends readonly string[]>(...names: N) =>
  Object.fromEntries(names.map((name) => [name, text])) as Record<N[number], typeof text>;

export const FeeDetail = Type.Array(Type.Object(texts('feeCoin', 'fee')));

/** Fields of all order responses (interface 2.1), with the aliases that one client reads (wire 3.6). */
const orderFields: TProperties = {
  ...texts(...ORDER_FIELDS, ...ORDER_ALIASES),
  feeDetail: FeeDetail,
};

export const OpenOrder = Type.Object(orderFields);
export const HistoryOrder = Type.Object({ ...orderFields, ...texts(...ORDER_END_FIELDS) });
export const OrderDetail = Type.Object({ ...orderFields, ...texts(...ORDER_END_FIELDS, 'tradeSide') });

export const Fill = Type.Object({ ...texts(...FILL_FIELDS), feeDetail: FeeDetail });

/** Interface 2.3, then fields that distinguish the kinds and say how the order ended. */
export const StrategyOrder = Type.Object(texts(...STRATEGY_FIELDS));

export const page = (item: ReturnType<typeof Type.Object>) =>
  Type.Object({ list: Type.Array(item), cursor: Type.String({ description: 'smallest id of the page' }) });

export const OrderIds = Type.Object(texts('orderId', 'clientOid'));
/** `code` and `msg` appear on items that failed. */
export const OrderResult = Type.Object({
  ...texts('orderId', 'clientOid'),
  code: Type.Optional(text),
  msg: Type.Optional(text),
});

export const PublicFill = Type.Object(texts('execId', 'execLinkId', 'price', 'size', 'side', 'ts', 'isRPI'));
export const Candle = Type.Array(text, {
  description: '[open time, open, high, low, close, volume, turnover]',
});
export const Levels = Type.Array(Type.Array(text), { description: '[price, size], best first' });
export const OrderBook = Type.Object({
  a: Levels,
  b: Levels,
  ts: text,
  seq: Type.Integer({
    description: 'counts the changes of the book; the `books` stream tells the same number',
  }),
});

export const Ticker = Type.Object({
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
  indexPrice: Type.Optional(text),
  markPrice: Type.Optional(text),
  fundingRate: Type.Optional(text),
  openInterest: Type.Optional(text),
  deliveryStartTime: Type.Optional(text),
  deliveryTime: Type.Optional(text),
  deliveryStatus: Type.Optional(text),
});

const optionalTexts = <const N extends readonly string[]>(...names: N) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(text)]));

export const Instrument = Type.Object({
  ...texts(
    'symbol',
    'category',
    'baseCoin',
    'quoteCoin',
    'buyLimitPriceRatio',
    'sellLimitPriceRatio',
    'minOrderQty',
    'maxOrderQty',
    'minOrderAmount',
    'pricePrecision',
    'quantityPrecision',
    'quotePrecision',
    'maxSymbolOrderNum',
    'maxProductOrderNum',
    'maxPositionNum',
    'status',
    'maintainTime',
    'launchTime',
    'symbolType',
  ),
  ...optionalTexts(
    'isRwa',
    'isReality',
    'feeRateUpRatio',
    'openCostUpRatio',
    'makerFeeRate',
    'takerFeeRate',
    'priceMultiplier',
    'quantityMultiplier',
    'type',
    'offTime',
    'limitOpenTime',
    'deliveryTime',
    'deliveryStartTime',
    'deliveryPeriod',
    'fundInterval',
    'minLeverage',
    'maxLeverage',
    'maxMarketOrderQty',
    'isIsolatedBaseBorrowable',
    'isIsolatedQuotedBorrowable',
    'warningRiskRatio',
    'liquidationRiskRatio',
    'maxCrossedLeverage',
    'maxIsolatedLeverage',
    'userMinBorrow',
    'areaSymbol',
  ),
});

export const IndexComponents = Type.Object({
  symbol: text,
  componentList: Type.Array(Type.Object(texts('exchange', 'spotPair', 'equivalentPrice', 'weight'))),
});

export const ServerTime = Type.Object(texts('serverTime'));

export const Coin = Type.Object({
  ...texts('coinId', 'coin', 'transfer', 'areaCoin'),
  chains: Type.Array(
    Type.Object(
      texts(
        'chain',
        'needTag',
        'withdrawable',
        'rechargeable',
        'withdrawFee',
        'extraWithdrawFee',
        'depositConfirm',
        'withdrawConfirm',
        'minDepositAmount',
        'minWithdrawAmount',
        'browserUrl',
        'contractAddress',
        'withdrawStep',
        'withdrawMinScale',
        'congestion',
      ),
    ),
  ),
});

export const AccountInfo = Type.Object({
  ...texts('userId', 'inviterId', 'parentId', 'channelCode', 'channel', 'ips', 'permType'),
  permissions: Type.Array(text),
  regisTime: text,
});

const CoinAssets = Type.Array(
  Type.Object(texts('coin', 'equity', 'usdValue', 'balance', 'available', 'debt', 'locked')),
);

export const Assets = Type.Object({
  ...texts(
    'accountEquity',
    'usdtEquity',
    'btcEquity',
    'unrealisedPnl',
    'usdtUnrealisedPnl',
    'btcUnrealizedPnl',
    'effEquity',
    'mmr',
    'imr',
    'mgnRatio',
    'positionMgnRatio',
  ),
  assets: CoinAssets,
});

export const SubAssets = Type.Object({ ...texts('subUid', 'cursor'), assets: CoinAssets });

export const Settings = Type.Object({
  ...texts('uid', 'accountMode', 'assetMode', 'accountLevel', 'holdMode', 'stpMode'),
  symbolConfigList: Type.Array(Type.Object(texts('category', 'symbol', 'marginMode', 'leverage'))),
  coinConfigList: Type.Array(Type.Object(texts('coin', 'leverage'))),
});

export const FeeRate = Type.Object(texts('makerFeeRate', 'takerFeeRate'));
export const SymbolFeeRate = Type.Object(texts('symbol', 'makerFeeRate', 'takerFeeRate'));
export const Success = Type.Literal('success');
