/** The checks before matching, in their order (rules 1.2), and the limits on orders (rules 1.14). */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { OFF_GRID, OUT_OF_RANGE, type PlaceOrder } from '../../src/core/model/command.ts';
import { OrderType, Side, Source, StpMode, TimeInForce } from '../../src/core/model/enums.ts';
import { SIZE_LOTS_MAX } from '../../src/core/model/limits.ts';
import { formatOrderId } from '../../src/core/model/order-id.ts';
import { refusalName } from './dsl/words.ts';
import { BTCUSDT } from './listings.ts';
import { openFloor, PLENTY, TradingFloor } from './trading-floor.ts';

/** Sizes from 0.001 to 10, amounts from 100, an open order whose client id is taken; it may be the only one. */
function floorFor(faults: readonly Fault[]): TradingFloor {
  const full = faults.some(([name]) => name === 'tooManyOpenOrders');
  const floor = new TradingFloor([
    {
      ...BTCUSDT,
      minOrderQty: '0.001',
      maxOrderQty: '10',
      minOrderAmount: '100',
      maxSymbolOrderNum: full ? '1' : '',
    },
  ]);
  floor.trader('ann', { USDT: '2000' });
  floor.buy('ann', '0.01', '59000', { clientOid: 'taken' });
  return floor;
}

/** An order without any fault: each entry below spoils it in one way. */
function goodOrder(floor: TradingFloor): PlaceOrder {
  return {
    type: 'placeOrder',
    time: floor.now,
    uid: floor.uid('ann'),
    source: Source.api,
    instrument: 0,
    side: Side.buy,
    orderType: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    stpMode: StpMode.none,
    priceTicks: 6_000_000,
    sizeLots: 10_000,
    quoteAmount: 0n,
    clientOid: '',
  };
}

type Fault = readonly [rejectReason: string, spoiled: Partial<PlaceOrder>];

/** In the order of the table; an order with two of them must be refused for the earlier. */
const FAULTS: readonly Fault[] = [
  ['unknownAccount', { uid: 7 }],
  ['unknownInstrument', { instrument: 99 }],
  ['instrumentOffline', {}],
  ['illegalCombination', { quoteAmount: 100n }],
  ['priceOffTick', { priceTicks: OFF_GRID }],
  ['sizeOffStep', { sizeLots: OFF_GRID }],
  ['belowMinimumAmount', { sizeLots: 1_000 }],
  ['buyAboveBand', { priceTicks: 6_300_001 }],
  ['rpiNotAllowed', { timeInForce: TimeInForce.rpi }],
  ['tooManyOpenOrders', {}],
  ['clientOidInUse', { clientOid: 'taken' }],
  ['insufficientBalance', { sizeLots: 1_000_000 }],
];

function refusalOf(floor: TradingFloor, faults: readonly Fault[]): string {
  if (faults.some(([name]) => name === 'instrumentOffline')) floor.setStatus('offline');
  const order = goodOrder(floor);
  for (const [, spoiled] of faults) Object.assign(order, spoiled);
  return refusalName(floor.send(order).rejectReason);
}

for (const fault of FAULTS) {
  test(`an order with one fault alone is refused: ${fault[0]}`, () => {
    const floor = floorFor([fault]);
    const { lastId } = floor.state;
    const told = floor.eventsOf('order').length;
    equal(refusalOf(floor, [fault]), fault[0]);
    if (fault[0] !== 'instrumentOffline') {
      equal(floor.eventsOf('order').length, told);
      equal(floor.state.lastId, lastId);
    }
  });
}

for (let earlier = 0; earlier < FAULTS.length - 1; earlier++) {
  for (let later = earlier + 1; later < FAULTS.length; later++) {
    const pair = [FAULTS[earlier]!, FAULTS[later]!];
    // A small size is no bad grid and a bad grid no small size: one field cannot have both faults.
    const sizes = ['sizeOffStep', 'belowMinimumAmount', 'insufficientBalance'];
    const prices = ['priceOffTick', 'buyAboveBand'];
    if (pair.every(([name]) => sizes.includes(name)) || pair.every(([name]) => prices.includes(name)))
      continue;
    test(`${pair[0]![0]} comes before ${pair[1]![0]}`, () => {
      equal(refusalOf(floorFor(pair), pair), pair[0]![0]);
    });
  }
}

test('an order without any fault is accepted', () => {
  const floor = floorFor([]);
  equal(refusalName(floor.send(goodOrder(floor)).rejectReason), 'none');
});

test('a price off the tick, of 0 or less, or too large', () => {
  const floor = openFloor('ann');
  equal(floor.buy('ann', '1', '59000.001').stands, 'refused priceOffTick');
  equal(floor.sell('ann', '1', '99999999').stands, 'refused priceOutOfRange');
  equal(floor.buy('ann', '1', '-1').stands, 'refused priceOutOfRange');
  equal(floor.buy('ann', '1', '0').stands, 'refused illegalCombination');
});

test('a size off the step, too small or too large is told what would be right', () => {
  const floor = floorFor([]);
  const stands = (qty: string) => {
    const { stands, outcome } = floor.buy('ann', qty, '60000');
    return `${stands} ${outcome.bound ?? ''}`.trimEnd();
  };
  equal(stands('0.0000001'), 'refused sizeOffStep');
  equal(stands('0.000999'), 'refused sizeTooSmall 1000');
  equal(stands('0'), 'refused sizeTooSmall 1000');
  equal(stands('10.000001'), 'refused sizeTooLarge 10000000');
  equal(stands('99999999999'), `refused sizeTooLarge ${SIZE_LOTS_MAX}`);
});

test('the minimum amount is price x quantity, for a market sell at the reference price', () => {
  const floor = openFloor('ann');
  // 60 000 x 0.000016 = 0.96
  equal(floor.buy('ann', '0.000016', '60000').stands, 'refused belowMinimumAmount');
  equal(floor.buy('ann', '0.000017', '60000').stands, 'new 0/0.000017');
  equal(floor.marketSell('ann', '0.000016').stands, 'refused belowMinimumAmount');
  equal(floor.marketSell('ann', '0.000017').stands, 'filled 0.000017/0.000017');
});

test('a market order has no price, a buy no size and a sell no amount', () => {
  const floor = openFloor('ann');
  const market = { ...goodOrder(floor), orderType: OrderType.market };
  const cases: Partial<PlaceOrder>[] = [
    { priceTicks: 6_000_000, sizeLots: 0, quoteAmount: 100_00000000n },
    { priceTicks: 0, sizeLots: 1, quoteAmount: 100_00000000n },
    { priceTicks: 0, side: Side.sell, quoteAmount: 100_00000000n },
  ];
  for (const spoiled of cases) {
    equal(refusalName(floor.send({ ...market, ...spoiled }).rejectReason), 'illegalCombination');
  }
});

test('an amount out of range is refused', () => {
  const floor = openFloor('ann');
  const market = { ...goodOrder(floor), orderType: OrderType.market, priceTicks: 0, sizeLots: 0 };
  for (const quoteAmount of [BigInt(OUT_OF_RANGE), 10n ** 30n + 1n]) {
    equal(refusalName(floor.send({ ...market, quoteAmount }).rejectReason), 'amountOutOfRange');
  }
});

test('a price or size out of range is not mistaken for one off a coarse grid', () => {
  const floor = new TradingFloor([
    {
      ...BTCUSDT,
      futures: { ...coarse, priceMultiplier: '0.1', quantityMultiplier: '0.01' },
    },
  ]);
  floor.trader('ann', PLENTY);
  equal(floor.sell('ann', '1', '99999999').stands, 'refused priceOutOfRange');
  equal(floor.sell('ann', '99999999999', '60000').stands, 'refused sizeTooLarge');
});

const coarse = {
  type: 'perpetual',
  isRwa: 'NO',
  isReality: 'no',
  feeRateUpRatio: '',
  openCostUpRatio: '',
  offTime: '',
  limitOpenTime: '',
  deliveryTime: '',
  deliveryStartTime: '',
  deliveryPeriod: '',
  fundInterval: '',
  minLeverage: '',
  maxLeverage: '',
  maxMarketOrderQty: '',
} as const;

/** 400 open orders over two symbols. */
function fullHouse(): TradingFloor {
  const floor = openFloor('ann', 'bob');
  for (let n = 0; n < 200; n++) {
    floor.buy('ann', '0.001', '50000');
    floor.buy('ann', '0.01', '2000', { on: 'ETHUSDT' });
  }
  return floor;
}

test('case 27: with 400 open orders the next is refused even if it would fill at once', () => {
  const floor = fullHouse();
  floor.sell('bob', '1', '60000');
  const buy = floor.buy('ann', '0.001', '60000', { tif: 'ioc' });
  equal(buy.stands, 'refused tooManyOpenOrders');
  equal(buy.outcome.bound, 400);
  floor.cancelNamed('ann', { orderId: floor.openOrders('ann')[0]! });
  equal(floor.buy('ann', '0.001', '60000').stands, 'filled 0.001/0.001');
  equal(floor.buy('ann', '0.001', '50000').stands, 'new 0/0.001');
  equal(floor.buy('ann', '0.001', '50000').stands, 'refused tooManyOpenOrders');
});

test('the limits of a symbol and of a product count open orders only', () => {
  const limited = { ...BTCUSDT, maxSymbolOrderNum: '1', maxProductOrderNum: '2' };
  const floor = new TradingFloor([
    limited,
    { ...limited, symbol: 'BTC2USDT' },
    { ...limited, symbol: 'BTC3USDT' },
  ]);
  floor.trader('ann', PLENTY);
  const first = floor.buy('ann', '1', '59000');
  equal(floor.buy('ann', '1', '59000').outcome.bound, 1);
  equal(floor.buy('ann', '1', '59000', { on: 'BTC2USDT' }).stands, 'new 0/1');
  const third = floor.buy('ann', '1', '59000', { on: 'BTC3USDT' });
  equal(third.stands, 'refused tooManyOpenOrders');
  equal(third.outcome.bound, 2);
  floor.cancel('ann', first);
  equal(floor.buy('ann', '1', '59000', { on: 'BTC3USDT' }).stands, 'new 0/1');
});

test('case 28: the client id of a filled or cancelled order may be used again', () => {
  const floor = openFloor('ann', 'bob');
  floor.buy('ann', '1', '60000', { clientOid: 'mine' });
  floor.sell('bob', '1', '60000');
  const again = floor.buy('ann', '1', '59000', { clientOid: 'mine' });
  equal(again.stands, 'new 0/1');
  floor.cancel('ann', again);
  equal(floor.buy('ann', '1', '59000', { clientOid: 'mine' }).stands, 'new 0/1');
});

test('case 29: the client id of an open order is taken', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '59000', { clientOid: 'mine' });
  equal(floor.buy('ann', '1', '59000', { clientOid: 'mine' }).stands, 'refused clientOidInUse');
  equal(floor.buy('ann', '1', '2600', { clientOid: 'mine', on: 'ETHUSDT' }).stands, 'refused clientOidInUse');
  equal(order.record.clientOid, 'mine');
  equal(order.outcome.clientOid, 'mine');
});

test('case 30: another account may use the same client id', () => {
  const floor = openFloor('ann', 'bob');
  floor.buy('ann', '1', '59000', { clientOid: 'mine' });
  equal(floor.buy('bob', '1', '59000', { clientOid: 'mine' }).stands, 'new 0/1');
});

test('an order without a client id shows its printed order id', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '59000');
  equal(order.record.clientOid, formatOrderId(order.orderId));
});

test('the printed id an open order answers to is taken as a client id', () => {
  const floor = openFloor('ann');
  const order = floor.buy('ann', '1', '59000');
  const clientOid = formatOrderId(order.orderId);
  equal(floor.buy('ann', '1', '59000', { clientOid }).stands, 'refused clientOidInUse');
});

test('order ids grow with every order, and refused orders have none', () => {
  const floor = openFloor('ann');
  const first = floor.buy('ann', '1', '59000');
  const refused = floor.buy('ann', '1', '64000');
  const second = floor.buy('ann', '1', '59000');
  equal(refused.orderId, 0);
  equal(second.orderId > first.orderId, true);
  deepEqual(floor.openOrders('ann'), [second.orderId, first.orderId]);
});
