/** Every unified method that ccxt says it has for this venue: one call each, and what is looked at in its result. */
import assert from 'node:assert/strict';
import type ccxt from 'ccxt';
import type { Row, World } from './world.ts';

export interface CcxtWorld {
  readonly world: World;
  /** The client under test; everything else is done by others. */
  readonly me: InstanceType<typeof ccxt.pro.bitget>;
}

const SPOT = 'BTC/USDT';
const SWAP = 'BTC/USDT:USDT';
const ids = new Map<string, string>();

const some = (list: readonly unknown[], what: string) => assert.ok(list.length > 0, `${what} are empty`);
const positive = (value: unknown, what: string) => assert.ok(Number(value) > 0, `${what}: ${String(value)}`);
const low = async ({ world }: CcxtWorld) =>
  Number(await world.lowPrice({ category: 'SPOT', symbol: 'BTCUSDT' }));

type Call = Row<CcxtWorld>['call'];
const row = (checks: string, call: Call): Row<CcxtWorld> => ({ checks, call });

/** What is left open is taken away by another client, so that the row shows only its own requests. */
const cleared = ({ world }: CcxtWorld) =>
  Promise.all([
    world.alice.cancelAllOrders({ category: 'SPOT' }),
    world.alice.cancelAllOrders({ category: 'USDT-FUTURES' }),
  ]);

/** Takes away what waits for a price. */
async function unplanned({ world }: CcxtWorld): Promise<void> {
  const waiting = (await world.alice.getUnfilledStrategyOrders({ category: 'USDT-FUTURES' } as never)).data;
  for (const { orderId } of waiting as unknown as { orderId: string }[]) {
    await world.alice.cancelStrategyOrder({ orderId });
  }
}

async function opened({ world }: CcxtWorld): Promise<void> {
  const order = {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'market',
    qty: '0.01',
  } as const;
  await world.alice.submitNewOrder(order);
}

export const CCXT_CALLS: Readonly<Record<string, Row<CcxtWorld>>> = {
  fetchTime: row('the time', async ({ me }) =>
    assert.ok(Math.abs(Number(await me.fetchTime()) - Date.now()) < 60_000),
  ),
  fetchMarkets: row('spot, swap and future markets', async ({ me }) => {
    const kinds = new Set((await me.fetchMarkets()).map((market) => market!.type));
    assert.deepEqual(kinds, new Set(['spot', 'swap', 'future']));
  }),
  fetchCurrencies: row('coins with their networks', async ({ me }) => {
    assert.ok(Object.keys((await me.fetchCurrencies())!.USDT!.networks).length > 0);
  }),
  fetchCurrenciesWs: row('the same', async ({ me }) => assert.ok((await me.fetchCurrenciesWs())!.BTC)),
  fetchDepositWithdrawFees: row('fees of every network', async ({ me }) => {
    assert.ok((await me.fetchDepositWithdrawFees(['USDT'])).USDT);
  }),
  fetchDepositWithdrawFee: row('fees of one coin', async ({ me }) =>
    assert.ok(await me.fetchDepositWithdrawFee('USDT')),
  ),
  fetchTicker: row('a traded price', async ({ me }) => positive((await me.fetchTicker(SPOT)).last, 'last')),
  fetchTickers: row('all swaps, or those named', async ({ me }) => {
    assert.ok(Object.keys(await me.fetchTickers()).length > 5);
    positive((await me.fetchTickers([SPOT]))[SPOT]!.last, 'last');
  }),
  fetchMarkPrice: row('mark and index price', async ({ me }) =>
    positive((await me.fetchMarkPrice(SWAP)).markPrice, 'mark'),
  ),
  fetchOrderBook: row('levels of both sides', async ({ me }) => {
    const { asks, bids } = await me.fetchOrderBook(SPOT, 20);
    assert.ok(asks.length > 3 && Number(asks[0]![0]) > Number(bids[0]![0]));
  }),
  fetchL2OrderBook: row('the same', async ({ me }) => some((await me.fetchL2OrderBook(SPOT)).asks, 'asks')),
  fetchTrades: row('trades of the market', async ({ me }) =>
    positive((await me.fetchTrades(SPOT))[0]!.price, 'price'),
  ),
  fetchOHLCV: row('candles', async ({ me }) => positive((await me.fetchOHLCV(SPOT, '1m'))[0]![1], 'open')),
  fetchMarkOHLCV: row('candles of the mark price', async ({ me }) =>
    some(await me.fetchMarkOHLCV(SWAP, '1m'), 'candles'),
  ),
  fetchIndexOHLCV: row('candles of the index', async ({ me }) =>
    some(await me.fetchIndexOHLCV(SWAP, '1m'), 'candles'),
  ),
  fetchFundingRate: row('rate and next settlement', async ({ me }) => {
    assert.ok((await me.fetchFundingRate(SWAP)).fundingTimestamp! > Date.now());
  }),
  fetchFundingRates: row('every swap', async ({ me }) => assert.ok((await me.fetchFundingRates())[SWAP])),
  fetchFundingInterval: row('eight hours', async ({ me }) =>
    assert.equal((await me.fetchFundingInterval(SWAP)).interval, '8h'),
  ),
  fetchFundingIntervals: row('every swap', async ({ me }) =>
    assert.ok((await me.fetchFundingIntervals())[SWAP]),
  ),
  fetchFundingRateHistory: row('a list', async ({ me }) =>
    assert.ok(Array.isArray(await me.fetchFundingRateHistory(SWAP))),
  ),
  fetchOpenInterest: row('contracts held', async ({ me }) => {
    positive((await me.fetchOpenInterest(SWAP)).openInterestAmount, 'open interest');
  }),
  fetchMarketLeverageTiers: row('tiers', async ({ me }) =>
    some(await me.fetchMarketLeverageTiers(SWAP), 'tiers'),
  ),
  fetchCrossBorrowRate: row('daily interest', async ({ me }) =>
    positive((await me.fetchCrossBorrowRate('USDT')).rate, 'rate'),
  ),

  fetchBalance: row('the unified account, and the funding wallet', async ({ me }) => {
    positive((await me.fetchBalance()).USDT!.free, 'USDT');
    assert.ok(await me.fetchBalance({ type: 'funding' }));
  }),
  fetchTradingFee: row('maker and taker', async ({ me }) =>
    positive((await me.fetchTradingFee(SPOT)).taker, 'taker'),
  ),
  fetchTradingFees: row('every spot pair', async ({ me }) =>
    positive((await me.fetchTradingFees())[SPOT]!.taker, 'taker'),
  ),

  createOrder: row('a limit order rests', async (c) => {
    const order = await c.me.createOrder(SPOT, 'limit', 'buy', 0.001, await low(c));
    ids.set('first', order.id!);
    assert.match(order.id!, /^1[0-9]{18}$/);
  }),
  fetchOrder: row('open, with price and amount', async ({ me }) => {
    const order = await me.fetchOrder(ids.get('first')!, SPOT);
    assert.deepEqual([order.status, order.amount, order.side], ['open', 0.001, 'buy']);
  }),
  fetchOpenOrders: row('the order', async ({ me }) => {
    assert.deepEqual(
      (await me.fetchOpenOrders(SPOT)).map(({ id }) => id),
      [ids.get('first')],
    );
  }),
  editOrder: row('a new amount, the same id', async (c) => {
    const id = ids.get('first')!;
    const price = await low(c);
    assert.equal((await c.me.editOrder(id, SPOT, 'limit', 'buy', 0.002, price)).id, id);
    assert.equal((await c.world.alice.getOrderInfo({ orderId: id })).data.qty, '0.002');
  }),
  cancelOrder: row('the order is gone', async ({ me, world }) => {
    const orderId = ids.get('first')!;
    await me.cancelOrder(orderId, SPOT);
    assert.equal((await world.alice.getOrderInfo({ orderId })).data.orderStatus, 'cancelled');
  }),
  createLimitOrder: row('a limit order', async (c) => {
    assert.ok((await c.me.createLimitOrder(SPOT, 'buy', 0.001, await low(c))).id);
    await cleared(c);
  }),
  createPostOnlyOrder: row('rests as a maker', async (c) => {
    const { id } = await c.me.createPostOnlyOrder(SPOT, 'limit', 'buy', 0.001, await low(c));
    assert.equal((await c.world.alice.getOrderInfo({ orderId: id! })).data.timeInForce, 'post_only');
    await cleared(c);
  }),
  createMarketOrder: row('filled', async (c) => {
    const { id } = await c.me.createMarketOrder(SPOT, 'sell', 0.001);
    assert.equal((await c.world.alice.getOrderInfo({ orderId: id! })).data.orderStatus, 'filled');
  }),
  createMarketBuyOrderWithCost: row('spends that much', async ({ me, world }) => {
    const { id } = await me.createMarketBuyOrderWithCost(SPOT, 100);
    const order = (await world.alice.getOrderInfo({ orderId: id! })).data;
    assert.equal(order.amount, '100');
    assert.ok(Number(order.cumExecValue) > 95 && Number(order.cumExecValue) <= 100);
  }),
  createOrders: row('an id for each', async (c) => {
    const order = { symbol: SPOT, type: 'limit', side: 'buy', amount: 0.001, price: await low(c) } as const;
    const orders = await c.me.createOrders([order, order, order]);
    assert.equal(new Set(orders.map(({ id }) => id)).size, 3);
    ids.set('a', orders[0]!.id!).set('b', orders[1]!.id!);
  }),
  cancelOrders: row('two are gone', async ({ me }) => {
    assert.equal((await me.cancelOrders([ids.get('a')!, ids.get('b')!], SPOT)).length, 2);
  }),
  cancelAllOrders: row('the rest is gone', async ({ me, world }) => {
    await me.cancelAllOrders(SPOT);
    assert.deepEqual((await world.alice.getUnfilledOrders()).data.list, []);
  }),
  fetchClosedOrders: row('filled orders', async ({ me }) => {
    assert.ok((await me.fetchClosedOrders(SPOT)).every(({ status }) => status === 'closed'));
  }),
  fetchCanceledOrders: row('cancelled orders', async ({ me }) => {
    assert.ok((await me.fetchCanceledOrders(SPOT)).every(({ status }) => status === 'canceled'));
  }),
  fetchCanceledAndClosedOrders: row('both', async ({ me }) => {
    const statuses = new Set((await me.fetchCanceledAndClosedOrders(SPOT)).map(({ status }) => status));
    assert.deepEqual(statuses, new Set(['closed', 'canceled']));
  }),
  fetchMyTrades: row('the fills', async ({ me }) =>
    positive((await me.fetchMyTrades(SPOT))[0]!.amount, 'amount'),
  ),
  createTriggerOrder: row('waits below the market', async (c) => {
    const price = await low(c);
    assert.ok((await c.me.createTriggerOrder(SWAP, 'market', 'buy', 0.01, undefined, price)).id);
    await unplanned(c);
  }),
  createStopOrder: row('the same by another name', async (c) => {
    assert.ok((await c.me.createStopOrder(SWAP, 'market', 'buy', 0.01, undefined, await low(c))).id);
    await unplanned(c);
  }),
  createStopMarketOrder: row('a market order waits', async (c) => {
    assert.ok((await c.me.createStopMarketOrder(SWAP, 'buy', 0.01, await low(c))).id);
    await unplanned(c);
  }),
  createStopLimitOrder: row('a limit order waits', async (c) => {
    const price = await low(c);
    assert.ok((await c.me.createStopLimitOrder(SWAP, 'buy', 0.01, price, price)).id);
    await unplanned(c);
  }),
  createStopLossOrder: row('guards a position', async (c) => {
    await opened(c);
    const stop = Number((await low(c)).toFixed(1));
    const { id } = await c.me.createStopLossOrder(SWAP, 'market', 'sell', 0.01, undefined, stop, {
      reduceOnly: true,
    });
    assert.ok(id);
    await unplanned(c);
  }),
  createTakeProfitOrder: row('guards a position', async (c) => {
    const profit = Number(((await low(c)) * 1.08).toFixed(1));
    const { id } = await c.me.createTakeProfitOrder(SWAP, 'market', 'sell', 0.01, undefined, profit, {
      reduceOnly: true,
    });
    assert.ok(id);
    await unplanned(c);
    await c.world.alice.closeAllPositions({ category: 'USDT-FUTURES' });
  }),
  createTrailingPercentOrder: row('follows the price', async (c) => {
    await opened(c);
    const activation = Number(((await low(c)) * 1.08).toFixed(1));
    const { id } = await c.me.createTrailingPercentOrder(
      SWAP,
      'market',
      'sell',
      0.01,
      undefined,
      2,
      activation,
      {
        reduceOnly: true,
      },
    );
    assert.ok(id);
    await unplanned(c);
    await c.world.alice.closeAllPositions({ category: 'USDT-FUTURES' });
  }),
  createOrderWithTakeProfitAndStopLoss: row('both are preset on the order', async (c) => {
    const price = await low(c);
    const [profit, loss] = [price * 1.05, price * 0.95].map((each) => Number(each.toFixed(1)));
    const { id } = await c.me.createOrderWithTakeProfitAndStopLoss(
      SWAP,
      'limit',
      'buy',
      0.01,
      price,
      profit,
      loss,
    );
    const order = (await c.world.alice.getOrderInfo({ orderId: id! })).data as unknown as Record<
      string,
      string
    >;
    assert.deepEqual([Number(order.takeProfit), Number(order.stopLoss)], [profit, loss]);
    await cleared(c);
  }),

  setPositionMode: row('hedge and back', async ({ me, world }) => {
    await me.setPositionMode(true);
    assert.equal((await world.alice.getAccountSettings()).data.holdMode, 'hedge_mode');
    await me.setPositionMode(false);
  }),
  setLeverage: row('shown in the settings', async ({ me, world }) => {
    await me.setLeverage(12, SWAP);
    assert.equal((await world.alice.getAccountSettings()).data.symbolConfigList[0]!.leverage, '12');
  }),
  setMarginMode: row('isolated', async ({ me, world }) => {
    await me.setMarginMode('isolated', SWAP);
    assert.equal((await world.alice.getAccountSettings()).data.symbolConfigList[0]!.marginMode, 'isolated');
  }),
  fetchLeverage: row('what was set', async ({ me }) =>
    assert.equal((await me.fetchLeverage(SWAP)).longLeverage, 12),
  ),
  fetchMarginMode: row('what was set', async ({ me }) =>
    assert.equal((await me.fetchMarginMode(SWAP)).marginMode, 'isolated'),
  ),
  fetchPositions: row('the position that an order opened', async ({ me, world }) => {
    const order = {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'market',
      qty: '0.02',
    } as const;
    await world.alice.submitNewOrder(order);
    const [position] = await me.fetchPositions([SWAP]);
    assert.deepEqual([position!.side, position!.contracts, position!.marginMode], ['long', 0.02, 'isolated']);
  }),
  fetchPosition: row('the same', async ({ me }) =>
    assert.equal((await me.fetchPosition(SWAP)).contracts, 0.02),
  ),
  addMargin: row('more margin', ({ me }) => me.addMargin(SWAP, 20, { holdSide: 'long' })),
  reduceMargin: row('less margin', ({ me }) => me.reduceMargin(SWAP, -10, { holdSide: 'long' })),
  closePosition: row('closed at market', async ({ me, world }) => {
    await me.closePosition(SWAP);
    assert.deepEqual((await world.alice.getCurrentPosition({ category: 'USDT-FUTURES' })).data.list, []);
  }),
  closeAllPositions: row('all of a category', async ({ me, world }) => {
    const order = {
      category: 'USDT-FUTURES',
      symbol: 'ETHUSDT',
      side: 'sell',
      orderType: 'market',
      qty: '0.1',
    } as const;
    await world.alice.submitNewOrder(order);
    assert.equal((await me.closeAllPositions({ productType: 'USDT-FUTURES' })).length, 1);
  }),
  fetchPositionsHistory: row('positions that were', async ({ me }) =>
    some(await me.fetchPositionsHistory([SWAP]), 'positions'),
  ),
  fetchPositionHistory: row('the same', async ({ me }) =>
    some(await me.fetchPositionHistory(SWAP), 'positions'),
  ),
  fetchFundingHistory: row('a list', async ({ me }) =>
    assert.ok(Array.isArray(await me.fetchFundingHistory(SWAP))),
  ),
  fetchLedger: row('a line for each movement', async ({ me }) => some(await me.fetchLedger('USDT'), 'lines')),

  transfer: row('to the funding wallet', async ({ me, world }) => {
    await me.transfer('USDT', 300, 'uta', 'spot');
    assert.equal((await world.alice.getFundingAssets({ coin: 'USDT' })).data[0]!.available, '300');
  }),
  fetchTransfers: row('the transfer', async ({ me, world }) => {
    // ccxt asks for what left the funding wallet.
    await world.alice.submitTransfer({ fromType: 'spot', toType: 'uta', amount: '100', coin: 'USDT' });
    assert.equal((await me.fetchTransfers('USDT'))[0]!.amount, 100);
  }),
  fetchDepositAddress: row('an address', async ({ me }) => {
    assert.match((await me.fetchDepositAddress('USDT', { network: 'ERC20' })).address!, /^bourse1/);
  }),
  fetchDeposits: row('what the operator credited', async ({ me, world }) => {
    await world.operator.deposit({ account: 'alice', coin: 'USDT', amount: '30', reference: 'matrix-ccxt' });
    assert.ok((await me.fetchDeposits('USDT')).some(({ amount }) => amount === 30));
  }),
  fetchDeposit: row('by its id', async ({ me, world }) => {
    const [deposit] = (await world.alice.getDepositRecords(world.lately())).data;
    assert.equal((await me.fetchDeposit(deposit!.orderId, 'USDT')).amount, 30);
  }),
  withdraw: row('waits for the operator', async ({ me }) => {
    const { id } = await me.withdraw('USDT', 100, 'somewhere', undefined, { network: 'ERC20' });
    ids.set('withdrawal', id!);
    assert.match(id!, /^1[0-9]{18}$/);
  }),
  fetchWithdrawals: row('pending', async ({ me }) => {
    assert.deepEqual(
      (await me.fetchWithdrawals('USDT')).map(({ id, status }) => [id, status]),
      [[ids.get('withdrawal'), 'pending']],
    );
  }),
  fetchWithdrawal: row('by its id', async ({ me }) => {
    const id = ids.get('withdrawal')!;
    assert.equal((await me.fetchWithdrawal(id, 'USDT')).id, id);
  }),

  watchTicker: row('pushed', async ({ me }) => positive((await me.watchTicker(SPOT)).last, 'last')),
  watchTickers: row('pushed', async ({ me }) => assert.ok((await me.watchTickers(['ETH/USDT']))['ETH/USDT'])),
  watchBidsAsks: row('pushed', async ({ me }) =>
    positive((await me.watchBidsAsks([SPOT]))[SPOT]!.bid, 'bid'),
  ),
  watchOrderBook: row('a book that grows with updates', async ({ me }) => {
    await me.watchOrderBook(SPOT);
    const { asks, bids } = await me.watchOrderBook(SPOT);
    assert.ok(Number(asks[0]![0]) > Number(bids[0]![0]));
  }),
  watchOrderBookForSymbols: row('pushed', async ({ me }) =>
    some((await me.watchOrderBookForSymbols(['ETH/USDT'])).asks, 'asks'),
  ),
  watchTrades: row('pushed', async ({ me }) => positive((await me.watchTrades(SPOT))[0]!.price, 'price')),
  watchTradesForSymbols: row('pushed', async ({ me }) =>
    some(await me.watchTradesForSymbols(['ETH/USDT']), 'trades'),
  ),
  watchOHLCV: row('pushed', async ({ me }) => positive((await me.watchOHLCV(SPOT, '1m'))[0]![1], 'open')),
  watchBalance: row('pushed', async ({ me }) => positive((await me.watchBalance()).USDT!.total, 'USDT')),
  watchOrders: row('an order as it is placed', async (c) => {
    const watched = c.me.watchOrders(SPOT);
    await settled();
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      qty: '0.001',
    } as const;
    const { orderId } = (await c.world.alice.submitNewOrder({ ...order, price: String(await low(c)) })).data;
    assert.equal((await watched)[0]!.id, orderId);
    await cleared(c);
  }),
  watchMyTrades: row('a fill as it happens', async ({ me, world }) => {
    const watched = me.watchMyTrades(SPOT);
    await settled();
    const order = {
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'sell',
      orderType: 'market',
      qty: '0.001',
    } as const;
    const { orderId } = (await world.alice.submitNewOrder(order)).data;
    assert.equal((await watched)[0]!.order, orderId);
  }),
  watchPositions: row('the positions there are', async ({ me, world }) => {
    const order = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'market', qty: '0.01' } as const;
    await world.alice.submitNewOrder({ ...order, side: 'buy' });
    assert.equal((await me.watchPositions([SWAP]))[0]!.symbol, SWAP);
    await world.alice.closeAllPositions({ category: 'USDT-FUTURES' });
  }),
};

/** A subscription takes a moment; the channels of an account push nothing that was before it. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 500));

/** What ccxt says about itself: no method, no call. */
export const CCXT_FLAGS = ['publicAPI', 'privateAPI', 'spot', 'margin', 'swap', 'future', 'ws'];

const older =
  'asks the older interface for a margin account of its own, which a unified account does not have';
const convert = 'conversion at a quoted price is another business; trade the pair';
/** Method, the arguments to try it with, why it is not served. */
export const CCXT_NOT_SERVED: Readonly<Record<string, readonly [args: readonly unknown[], reason: string]>> =
  {
    borrowCrossMargin: [['USDT', 10], older],
    borrowIsolatedMargin: [[SPOT, 'USDT', 10], older],
    repayCrossMargin: [['USDT', 10], older],
    repayIsolatedMargin: [[SPOT, 'USDT', 10], older],
    fetchBorrowInterest: [['USDT', SPOT], older],
    fetchIsolatedBorrowRate: [[SPOT], older],
    fetchMyLiquidations: [[SPOT], older],
    fetchConvertCurrencies: [[], convert],
    fetchConvertQuote: [['USDT', 'BTC', 100], convert],
    createConvertTrade: [['id', 'USDT', 'BTC', 100, { price: 1, toAmount: 1 }], convert],
    fetchConvertTradeHistory: [['USDT', 0], convert],
    fetchLongShortRatioHistory: [[SWAP, '5m'], 'statistics about who trades'],
  };

/** ccxt says it has them and throws by itself. */
export const CCXT_UNSUPPORTED: Readonly<Record<string, readonly unknown[]>> = {
  createMarketOrderWs: [SPOT, 'sell', 0.001],
};
