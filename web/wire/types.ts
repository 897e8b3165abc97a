/** What the exchange sends, as far as the pages read it. Numbers are decimal text. */

export const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const;
export type Category = (typeof CATEGORIES)[number];
export type Side = 'buy' | 'sell';

export interface Instrument {
  readonly symbol: string;
  readonly category: Category;
  readonly baseCoin: string;
  readonly quoteCoin: string;
  readonly pricePrecision: string;
  readonly quantityPrecision: string;
  /** Empty where orders are never sent as an amount. */
  readonly quotePrecision?: string;
  readonly priceMultiplier?: string;
  readonly quantityMultiplier?: string;
  readonly minOrderQty: string;
  readonly minOrderAmount: string;
  readonly status: string;
  readonly type?: string;
  readonly minLeverage?: string;
  readonly maxLeverage?: string;
}

export interface Ticker {
  readonly category: Category;
  readonly symbol: string;
  readonly ts: string;
  readonly lastPrice: string;
  readonly highPrice24h: string;
  readonly lowPrice24h: string;
  readonly ask1Price: string;
  readonly bid1Price: string;
  readonly price24hPcnt: string;
  readonly volume24h: string;
  readonly turnover24h: string;
  readonly indexPrice?: string;
  readonly markPrice?: string;
  readonly fundingRate?: string;
  readonly openInterest?: string;
  readonly nextFundingTime?: string;
}

export type Level = readonly [price: string, size: string];

export interface BookPush {
  readonly a: readonly Level[];
  readonly b: readonly Level[];
  readonly seq: number;
  readonly pseq: number;
  readonly ts: string;
}

export interface PublicTrade {
  readonly i: string;
  readonly p: string;
  readonly v: string;
  readonly S: Side;
  readonly T: string;
}

export interface Kline {
  readonly start: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

export interface Order {
  readonly orderId: string;
  readonly clientOid: string;
  readonly category: Category;
  readonly symbol: string;
  readonly price: string;
  readonly qty: string;
  readonly amount: string;
  readonly orderType: 'limit' | 'market';
  readonly side: Side;
  readonly timeInForce: string;
  readonly reduceOnly: string;
  readonly cumExecQty: string;
  readonly avgPrice: string;
  readonly orderStatus: string;
  readonly cancelReason?: string;
  readonly delegateType?: string;
  readonly createdTime: string;
  readonly updatedTime: string;
}

export interface StrategyOrder {
  readonly orderId: string;
  readonly category: Category;
  readonly symbol: string;
  readonly qty: string;
  readonly side: Side;
  readonly posSide: string;
  readonly type: string;
  readonly status: string;
  readonly takeProfit: string;
  readonly stopLoss: string;
  readonly tpTriggerBy: string;
  readonly slTriggerBy: string;
  readonly triggerBy: string;
  readonly triggerPrice: string;
  readonly triggerOrderType: string;
  readonly triggerOrderPrice: string;
  /** Only HTTP tells it. */
  readonly callbackRatio?: string;
  readonly createdTime: string;
  readonly updatedTime: string;
}

export interface Position {
  readonly symbol: string;
  readonly category: Category;
  readonly marginCoin: string;
  readonly holdMode: string;
  readonly posSide: 'long' | 'short';
  readonly marginMode: 'crossed' | 'isolated';
  readonly size: string;
  readonly available: string;
  readonly leverage: string;
  readonly marginSize: string;
  readonly avgPrice: string;
  readonly markPrice: string;
  readonly breakEvenPrice: string;
  readonly liqPrice: string;
  readonly unrealisedPnl: string;
  readonly curRealisedPnl: string;
  readonly profitRate: string;
  readonly updatedTime: string;
}

export interface Fill {
  readonly execId: string;
  readonly orderId: string;
  readonly category: Category;
  readonly symbol: string;
  readonly side: Side;
  readonly tradeScope: string;
  readonly execPrice: string;
  readonly execQty: string;
  readonly execPnl: string;
  readonly feeDetail: readonly { readonly feeCoin: string; readonly fee: string }[];
  /** Over HTTP. */
  readonly createdTime?: string;
  /** On the stream. */
  readonly execTime?: string;
}

export interface CoinBalance {
  readonly coin: string;
  readonly equity: string;
  readonly balance: string;
  readonly available: string;
  readonly locked: string;
  readonly debts: string;
  readonly usdValue: string;
}

export interface AccountState {
  readonly totalEquity: string;
  readonly effEquity: string;
  readonly mmr: string;
  readonly imr: string;
  readonly mgnRatio: string;
  readonly unrealisedPnL: string;
  readonly coin: readonly CoinBalance[];
}

export interface SessionAccount {
  readonly name: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
}

export interface Session {
  readonly demo: boolean;
  readonly accounts: readonly SessionAccount[];
  readonly clock: string;
  readonly lab: boolean;
  /** Are requests recorded? */
  readonly inspect: boolean;
  readonly version: string;
}

export const isFutures = (category: Category): boolean => category.endsWith('FUTURES');
/** Of coin-margined contracts profit and margin are in the base coin. */
export const isInverse = (category: Category): boolean => category === 'COIN-FUTURES';
/** Margin orders trade on the book of the spot pair. */
export const bookCategory = (category: Category): Category => (category === 'MARGIN' ? 'SPOT' : category);
export const instTypeOf = (category: Category): string => bookCategory(category).toLowerCase();

/** The steps of price and size; spot instruments tell only digits. */
export const tickOf = ({ priceMultiplier, pricePrecision }: Instrument): string =>
  priceMultiplier ?? stepOf(Number(pricePrecision));
export const lotOf = ({ quantityMultiplier, quantityPrecision }: Instrument): string =>
  quantityMultiplier ?? stepOf(Number(quantityPrecision));
const stepOf = (digits: number): string => (digits === 0 ? '1' : `0.${'0'.repeat(digits - 1)}1`);
