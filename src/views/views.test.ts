import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CancelReason,
  Category,
  OrderKind,
  OrderStatus,
  OrderType,
  PosSide,
  Side,
  Source,
  StpMode,
  TimeInForce,
  Wallet,
} from '../core/model/enums.ts';
import type {
  FillRecord,
  FuturesOrderFields,
  LedgerLine,
  OrderRecord,
  PositionClosed,
  WalletRecord,
} from '../core/model/event.ts';
import type { Instrument } from '../core/model/instrument.ts';
import { candleRow, candleView, flatCandle } from './candle-view.ts';
import { fillView } from './fill-view.ts';
import { ledgerView } from './ledger-view.ts';
import { orderView, withAliases } from './order-view.ts';
import { closedPositionView } from './position-view.ts';
import { transferView } from './transfer-view.ts';
import { walletRecordView } from './wallet-record-view.ts';

/** ETHUSDT of the published sample: price 2 decimals, quantity 4. */
const instrument = {
  symbol: 'ETHUSDT',
  category: Category.spot,
  pricePrecision: 2,
  quantityPrecision: 4,
  valuePerTickLot: 100n,
} as unknown as Instrument;
const coinName = (coin: number) => ['USDT', 'ETH'][coin]!;

const resting: OrderRecord = {
  orderId: 7,
  clientOid: 'mine',
  uid: 1,
  instrument: 0,
  category: Category.spot,
  side: Side.buy,
  orderType: OrderType.limit,
  timeInForce: TimeInForce.postOnly,
  stpMode: StpMode.cancelMaker,
  source: Source.api,
  priceTicks: 268_423,
  sizeLots: 15_000,
  quoteAmount: 0n,
  filledLots: 0,
  filledValue: 0n,
  feeCoin: 1,
  fee: 0n,
  status: OrderStatus.new,
  cancelReason: CancelReason.none,
  createdTime: 1_790_000_000_000,
  updatedTime: 1_790_000_000_005,
};

test('a resting limit order shows every field of the interface', () => {
  assert.deepEqual(orderView(resting, instrument, coinName), {
    orderId: '1000000000000000007',
    clientOid: 'mine',
    category: 'SPOT',
    symbol: 'ETHUSDT',
    price: '2684.23',
    qty: '1.5',
    amount: '0',
    orderType: 'limit',
    cumExecQty: '0',
    cumExecValue: '0',
    avgPrice: '0',
    orderStatus: 'new',
    side: 'buy',
    timeInForce: 'post_only',
    posSide: '',
    holdMode: '',
    tradeSide: 'open',
    delegateType: 'normal',
    marginMode: '',
    stpMode: 'cancel_maker',
    takeProfit: '',
    stopLoss: '',
    tpTriggerBy: '',
    slTriggerBy: '',
    tpOrderType: '',
    slOrderType: '',
    tpLimitPrice: '',
    slLimitPrice: '',
    reduceOnly: 'NO',
    feeDetail: [],
    cancelReason: '',
    execType: 'normal',
    createdTime: '1790000000000',
    updatedTime: '1790000000005',
  });
});

test('a market buy by amount shows its budget and no quantity (rules 1.6)', () => {
  const view = orderView(
    {
      ...resting,
      orderType: OrderType.market,
      timeInForce: TimeInForce.ioc,
      priceTicks: 281_844,
      sizeLots: 0,
      quoteAmount: 10_000_000_000n,
      filledLots: 372,
      filledValue: 9_985_335_600n,
      fee: 744n,
      status: OrderStatus.filled,
    },
    instrument,
    coinName,
  );
  assert.equal(view.qty, '0');
  assert.equal(view.amount, '100');
  assert.equal(view.price, '0');
  assert.equal(view.timeInForce, 'gtc');
  assert.equal(view.delegateType, 'market');
  assert.equal(view.cumExecQty, '0.0372');
  assert.equal(view.cumExecValue, '99.853356');
  assert.equal(view.avgPrice, '2684.23');
  assert.equal(view.orderStatus, 'filled');
  assert.deepEqual(view.feeDetail, [{ feeCoin: 'ETH', fee: '0.00000744' }]);
});

test('the average price rounds half away from zero to the price precision', () => {
  const average = (filledLots: number, filledValue: bigint) =>
    orderView({ ...resting, filledLots, filledValue }, instrument, coinName).avgPrice;
  // One lot at 1.00 and one at 1.01: 1.005 rounds up.
  assert.equal(average(2, 100n * 100n + 101n * 100n), '1.01');
  // Two lots at 1.00 and one at 1.01: 1.00333.. rounds down.
  assert.equal(average(3, 2n * 100n * 100n + 101n * 100n), '1');
});

test('a cancelled order says why, and a rebate is a negative fee', () => {
  const view = orderView(
    {
      ...resting,
      status: OrderStatus.cancelled,
      cancelReason: CancelReason.normal,
      filledLots: 1,
      filledValue: 26_842_300n,
      fee: -5n,
    },
    instrument,
    coinName,
  );
  assert.equal(view.orderStatus, 'cancelled');
  assert.equal(view.cancelReason, 'normal_cancel');
  assert.deepEqual(view.feeDetail, [{ feeCoin: 'ETH', fee: '-0.00000005' }]);
});

test('an order without a name of its own is called by its id', () => {
  assert.equal(
    orderView({ ...resting, clientOid: '' }, instrument, coinName).clientOid,
    '1000000000000000007',
  );
});

test('the aliases repeat average price, value and quantity', () => {
  const view = orderView(
    { ...resting, filledLots: 2, filledValue: 53_684_600n, fee: 2n },
    instrument,
    coinName,
  );
  const aliased = withAliases(view);
  assert.equal(aliased.priceAvg, '2684.23');
  assert.equal(aliased.quoteVolume, '0.536846');
  assert.equal(aliased.baseVolume, '0.0002');
});

test('a fill shows a charged fee as a positive number', () => {
  const fill: FillRecord = {
    execId: 9,
    execLinkId: 8,
    orderId: 7,
    clientOid: '',
    uid: 1,
    instrument: 0,
    category: Category.margin,
    side: Side.sell,
    orderType: OrderType.limit,
    maker: true,
    priceTicks: 268_423,
    sizeLots: 372,
    value: 9_985_335_600n,
    feeCoin: 0,
    fee: 1_997_067n,
    commission: 0n,
    rpi: true,
    time: 1_790_000_000_000,
  };
  assert.deepEqual(fillView(fill, instrument, coinName), {
    execId: '1000000000000000009',
    execLinkId: '1000000000000000008',
    orderId: '1000000000000000007',
    clientOid: '1000000000000000007',
    category: 'MARGIN',
    symbol: 'ETHUSDT',
    orderType: 'limit',
    side: 'sell',
    execPrice: '2684.23',
    execQty: '0.0372',
    execValue: '99.853356',
    tradeScope: 'maker',
    tradeSide: 'open',
    posSide: '',
    feeDetail: [{ feeCoin: 'USDT', fee: '0.01997067' }],
    createdTime: '1790000000000',
    updatedTime: '1790000000000',
    execPnl: '0',
    isRPI: 'yes',
  });
  const taken = fillView({ ...fill, maker: false, rpi: false }, instrument, coinName);
  assert.equal(taken.tradeScope, 'taker');
  assert.equal(taken.isRPI, 'no');
});

test('a ledger line shows a charged fee as a negative number', () => {
  const bought: LedgerLine = {
    type: 'ledgerLine',
    lineId: 10,
    uid: 1,
    coin: 1,
    kind: 'tradeIn',
    instrument: 0,
    category: Category.spot,
    amount: 3_720_000n,
    fee: 744n,
    balance: 3_719_256n,
    reference: '',
    time: 1_790_000_000_000,
  };
  assert.deepEqual(ledgerView(bought, 'ETHUSDT', coinName), {
    category: 'SPOT',
    id: '1000000000000000010',
    symbol: 'ETHUSDT',
    coin: 'ETH',
    type: 'ORDER_DEALT_IN',
    amount: '0.0372',
    fee: '-0.00000744',
    balance: '0.03719256',
    ts: '1790000000000',
  });
  const paid = ledgerView(
    { ...bought, coin: 0, kind: 'tradeOut', amount: -9_985_335_600n, fee: 0n },
    'ETHUSDT',
    coinName,
  );
  assert.equal(paid.type, 'ORDER_DEALT_FROZEN_OUT');
  assert.equal(paid.amount, '-99.853356');
  assert.equal(paid.fee, '0');
});

test('deposits and withdrawals belong to no product line', () => {
  const deposit: LedgerLine = {
    type: 'ledgerLine',
    lineId: 11,
    uid: 1,
    coin: 0,
    kind: 'deposit',
    instrument: -1,
    category: Category.spot,
    amount: 100_000_000n,
    fee: 0n,
    balance: 100_000_000n,
    reference: 'bank-1',
    time: 1_790_000_000_000,
  };
  const received = ledgerView(deposit, '', coinName);
  assert.deepEqual([received.category, received.symbol, received.type], ['OTHER', '', 'TRANSFER_IN']);
  const sent = ledgerView({ ...deposit, kind: 'withdrawal', amount: -1n }, '', coinName);
  assert.deepEqual([sent.type, sent.amount], ['TRANSFER_OUT', '-0.00000001']);
  const funded = ledgerView({ ...deposit, wallet: Wallet.funding }, '', coinName);
  assert.equal(funded.type, 'deposit', 'the funding wallet has words of its own');
});

test('a transfer names wallets and accounts', () => {
  const view = transferView(
    {
      type: 'transfer',
      transferId: 12,
      initiatorUid: 1,
      fromUid: 1,
      toUid: 2,
      fromWallet: Wallet.unified,
      toWallet: Wallet.funding,
      coin: 0,
      amount: 150_000_000n,
      clientOid: 'mine',
      time: 1_790_000_000_000,
    },
    coinName,
  );
  assert.deepEqual(view, {
    transferId: '1000000000000000012',
    fromType: 'uta',
    toType: 'spot',
    coin: 'USDT',
    amount: '1.5',
    fromUserId: '1',
    toUserId: '2',
    status: 'Successful',
    clientOid: 'mine',
    createdTime: '1790000000000',
    updatedTime: '1790000000000',
  });
});

test('a withdrawal shows its transaction once it is paid, and a charged fee as a negative number', () => {
  const pending: WalletRecord = {
    type: 'walletRecord',
    recordId: 13,
    uid: 1,
    kind: 'withdrawal',
    status: 'pending',
    coin: 0,
    amount: 3_000_000_000n,
    fee: 150_000_000n,
    address: 'TFcWfiw5p5DDZ6vi6Bktf7yK1asRYLpN33',
    chain: 'TRC20',
    tag: '',
    counterUid: 0,
    clientOid: 'mine',
    reference: '',
    createdTime: 1_790_000_000_000,
    updatedTime: 1_790_000_000_000,
  };
  assert.deepEqual(walletRecordView(pending, coinName), {
    orderId: '1000000000000000013',
    recordId: '1000000000000000013',
    clientOid: 'mine',
    coin: 'USDT',
    type: 'withdraw',
    dest: 'on_chain',
    size: '30',
    status: 'pending',
    fromAddress: '',
    toAddress: 'TFcWfiw5p5DDZ6vi6Bktf7yK1asRYLpN33',
    chain: 'TRC20',
    fee: '-1.5',
    tag: '',
    createdTime: '1790000000000',
    updatedTime: '1790000000000',
  });
  const recordId = (changes: Partial<WalletRecord>) =>
    walletRecordView({ ...pending, ...changes }, coinName).recordId;
  assert.equal(recordId({ status: 'success', reference: '0xabc' }), '0xabc');
  assert.equal(recordId({ status: 'fail', reference: 'why not' }), '1000000000000000013');
});

test('between accounts of the venue the addresses are uids', () => {
  const inner = { uid: 1, counterUid: 2, address: '', chain: '', tag: '' };
  const shown = (kind: WalletRecord['kind']) => {
    const record = { ...inner, kind, recordId: 1, status: 'success', coin: 0 } as unknown as WalletRecord;
    const view = walletRecordView({ ...record, amount: 1n, fee: 0n, reference: '7' }, coinName);
    return [view.dest, view.fromAddress, view.toAddress, view.recordId];
  };
  assert.deepEqual(shown('withdrawal'), ['internal_transfer', '1', '2', '1000000000000000001']);
  assert.deepEqual(shown('deposit'), ['internal_transfer', '2', '1', '1000000000000000001']);
});

test('a candle is seven strings; a gap repeats the close without volume', () => {
  const row = candleRow(
    {
      openTime: 1_790_000_040_000,
      openTicks: 268_400,
      highTicks: 268_423,
      lowTicks: 268_000,
      closeTicks: 268_010,
      volumeLots: 372,
      turnover: 9_985_335_600n,
    },
    instrument,
  );
  const view = ['1790000040000', '2684', '2684.23', '2680', '2680.1', '0.0372', '99.853356'];
  assert.deepEqual(candleView(row), view);
  assert.deepEqual(candleView(flatCandle(1_790_000_100_000, row.close)), [
    '1790000100000',
    '2680.1',
    '2680.1',
    '2680.1',
    '2680.1',
    '0',
    '0',
  ]);
});

const contract = {
  ...instrument,
  category: Category.usdtFutures,
  futures: { settle: 0 },
} as unknown as Instrument;

function futuresOrder(
  futures: Partial<FuturesOrderFields>,
  side: Side,
  orderType: OrderType = OrderType.market,
) {
  const fields: FuturesOrderFields = {
    posSide: PosSide.none,
    hedge: false,
    reduceOnly: false,
    closing: false,
    isolated: false,
    kind: OrderKind.user,
    pnl: 0n,
    ...futures,
  };
  const order = { ...resting, category: Category.usdtFutures, side, orderType, futures: fields };
  return orderView(order, contract, coinName);
}

test('a futures order says which position it is for, in which modes, and what it does to it', () => {
  const { posSide, holdMode, marginMode, tradeSide, reduceOnly, delegateType, execType } = futuresOrder(
    { reduceOnly: true, closing: true, isolated: true },
    Side.sell,
    OrderType.limit,
  );
  assert.deepEqual(
    [posSide, holdMode, marginMode, tradeSide, reduceOnly, delegateType, execType],
    ['', 'one_way_mode', 'isolated', 'close', 'YES', 'normal', 'normal'],
  );
  const hedged = futuresOrder({ hedge: true, posSide: PosSide.short }, Side.sell);
  assert.deepEqual(
    [
      hedged.posSide,
      hedged.holdMode,
      hedged.marginMode,
      hedged.tradeSide,
      hedged.reduceOnly,
      hedged.delegateType,
    ],
    ['short', 'hedge_mode', 'crossed', 'open', 'NO', 'market'],
  );
});

test('forced orders are called what rules 1.11 and 2.4 call them', () => {
  const rows: readonly [OrderKind, PosSide, Side, string, string, string][] = [
    [OrderKind.reduce, PosSide.long, Side.sell, 'reduce', 'market_risk', 'reduce_close_long'],
    [OrderKind.reduce, PosSide.none, Side.buy, 'reduce', 'market_risk', 'reduce_buy_single'],
    [OrderKind.liquidation, PosSide.short, Side.buy, 'liquidation', 'liquidation', 'burst_close_short'],
    [OrderKind.liquidation, PosSide.none, Side.sell, 'liquidation', 'liquidation', 'burst_sell_single'],
    [OrderKind.offset, PosSide.long, Side.sell, 'offset', 'reduce_offset_delegate', 'offset_close_long'],
    [OrderKind.adl, PosSide.short, Side.buy, 'reduce', 'market_risk', 'dte_sys_adl_close_short'],
    [OrderKind.adl, PosSide.none, Side.sell, 'reduce', 'market_risk', 'dte_sys_adl_sell_in_single_side_mode'],
    [OrderKind.delivery, PosSide.none, Side.buy, 'delivery', 'delivery_close_short', 'delivery_buy_single'],
    [OrderKind.delivery, PosSide.long, Side.sell, 'delivery', 'delivery_close_long', 'delivery_close_long'],
    [OrderKind.delisting, PosSide.none, Side.sell, 'normal', 'off_close', 'close'],
    // An owner's own doing, told like its market orders.
    [OrderKind.move, PosSide.long, Side.sell, 'normal', 'market', 'close'],
  ];
  for (const [kind, posSide, side, execType, delegateType, tradeSide] of rows) {
    const view = futuresOrder({ kind, posSide, hedge: posSide !== PosSide.none, closing: true }, side);
    assert.deepEqual([view.execType, view.delegateType, view.tradeSide], [execType, delegateType, tradeSide]);
  }
});

test('the published closed position: gross profit, fees and funding make the net profit', () => {
  const closed: PositionClosed = {
    type: 'positionClosed',
    positionId: 5,
    uid: 1,
    instrument: 0,
    category: Category.usdtFutures,
    long: false,
    hedge: true,
    isolated: false,
    openedLots: 20_000,
    openedValue: 537_000_00_000_000n,
    closedLots: 20_000,
    closedValue: 537_011_60_000_000n,
    realised: -11_600_000n,
    funding: 0n,
    openFee: 2_273_601_160n,
    closeFee: 2_273_598_840n,
    createdTime: 1,
    updatedTime: 2,
  };
  const view = closedPositionView(closed, contract, coinName);
  assert.deepEqual(
    [view.cumRealisedPnl, view.openFeeTotal, view.closeFeeTotal, view.netProfit, view.posSide, view.holdMode],
    ['-0.116', '-22.7360116', '-22.7359884', '-45.588', 'short', 'hedge_mode'],
  );
});
