/** A small venue for random flows: coins, spot pairs that share them, and the commands that set them up. */
import type { Command, PlaceOrder } from '../../src/core/model/command.ts';
import { OrderType, Side, Source, StpMode, TimeInForce } from '../../src/core/model/enums.ts';
import type { InstrumentSpec } from '../../src/core/model/listing-spec.ts';

/** 2024-01-01T00:00:00Z. */
export const OPENING_TIME = 1_704_067_200_000;

export function coin(name: string): Command {
  return { type: 'listCoin', time: OPENING_TIME, spec: { coin: name, name, chains: [] } };
}

/** A spot pair with whole ticks and lots unless told otherwise. */
export function spotPair(base: string, quote: string, changes: Partial<InstrumentSpec> = {}): Command {
  const spec: InstrumentSpec = {
    symbol: `${base}${quote}`,
    category: 'SPOT',
    baseCoin: base,
    quoteCoin: quote,
    status: 'online',
    buyLimitPriceRatio: '0.05',
    sellLimitPriceRatio: '0.05',
    minOrderQty: '',
    maxOrderQty: '',
    minOrderAmount: '',
    pricePrecision: '0',
    quantityPrecision: '0',
    quotePrecision: '0',
    maxSymbolOrderNum: '',
    maxProductOrderNum: '',
    maxPositionNum: '',
    maintainTime: '',
    launchTime: '',
    symbolType: 'crypto',
    makerFeeRate: '0.001',
    takerFeeRate: '0.001',
    openingPrice: '100',
    indexComponents: [],
    ...changes,
  };
  return { type: 'listInstrument', time: OPENING_TIME, spec };
}

export function account(uid: number, masterUid = 0, marketMaker = false): Command {
  return { type: 'openAccount', time: OPENING_TIME, uid, masterUid, marketMaker, house: false };
}

export function deposit(uid: number, coinIndex: number, amount: bigint): Command {
  return { type: 'deposit', time: OPENING_TIME, uid, coin: coinIndex, amount, reference: '' };
}

/** A limit buy of one lot by account 1 unless told otherwise. */
export function order(changes: Partial<PlaceOrder>): PlaceOrder {
  return {
    type: 'placeOrder',
    time: OPENING_TIME,
    uid: 1,
    source: Source.api,
    instrument: 0,
    side: Side.buy,
    orderType: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    stpMode: StpMode.none,
    priceTicks: 0,
    sizeLots: 0,
    quoteAmount: 0n,
    clientOid: '',
    ...changes,
  };
}
