/** Orders, fills and positions. */
import assert from 'node:assert/strict';
import {
  CATEGORY_NAMES,
  CancelReason,
  Category,
  OrderStatus,
  OrderType,
  StrategyKind,
  StrategyStatus,
  TriggerType,
} from '../../src/core/model/enums.ts';
import type { StrategyOrderRecord } from '../../src/core/model/event.ts';
import { RejectReason } from '../../src/core/model/reject-reason.ts';
import { NO_LEG } from '../../src/core/model/tpsl.ts';
import { candleRow } from '../../src/views/candle-view.ts';
import { fillView } from '../../src/views/fill-view.ts';
import { ledgerView } from '../../src/views/ledger-view.ts';
import { moveView } from '../../src/views/move-view.ts';
import { closedPositionView } from '../../src/views/position-view.ts';
import { strategyView } from '../../src/views/strategy-view.ts';
import {
  aCandle,
  aClosedPosition,
  aFill,
  aLedgerLine,
  aMove,
  anOrder,
  aStrategy,
  aTransfer,
  aWalletRecord,
  coinName,
  INSTRUMENTS,
  NO_INSTRUMENT,
  START_TIME,
} from './example-events.ts';
import {
  ALL_TIME,
  type Contract,
  fillKey,
  lineKey,
  orderEvent,
  orderKey,
  transferKey,
  viewOf,
} from './storage.ts';

export function tradingContract({ session }: Contract): void {
  session('fees and commissions add up by account, category, pair and coin of the fee', async (history) => {
    const fill = (execId: number, uid: number, fee: bigint, commission: bigint, time = START_TIME) =>
      ({ type: 'fill', fill: aFill({ execId, uid, value: 200_000_000n, fee, commission, time }) }) as const;
    const fills = [
      fill(1, 7, 10n, 3n),
      fill(2, 7, 20n, 6n),
      fill(3, 8, -5n, 0n),
      fill(4, 9, 99n, 99n),
      fill(5, 7, 1n, 1n, START_TIME + 1),
    ];
    history.project({ seq: 1, time: START_TIME, events: fills });
    const { fill: first } = fills[0]!;
    const category = CATEGORY_NAMES[first.category];
    const of = { category, symbol: INSTRUMENTS[first.instrument]!.symbol, coin: coinName(first.feeCoin) };
    const period = { startTime: START_TIME, endTime: START_TIME };
    const query = { uids: [7, 8], categories: [category], ...period, skip: 0, limit: 10 };
    const sums = [
      { uid: '7', ...of, dealtAmount: '4', totalFee: '0.0000003', totalCommission: '0.00000009' },
      { uid: '8', ...of, dealtAmount: '2', totalFee: '-0.00000005', totalCommission: '0' },
    ];
    assert.deepEqual(await history.commissions(query), sums);
    assert.deepEqual(await history.commissions({ ...query, limit: 1 }), sums.slice(0, 1));
    assert.deepEqual(await history.commissions({ ...query, skip: 1 }), sums.slice(1));
    assert.deepEqual(await history.commissions({ ...query, skip: 2 }), []);
    assert.deepEqual(await history.commissions({ ...query, categories: [] }), []);
  });

  session('an order is stored when it is closed, and reads back as it was', async (history) => {
    const filled = anOrder({ orderId: 1, filledLots: 372, filledValue: 99_853_356_00n, fee: 744n });
    const cancelled = anOrder({
      orderId: 2,
      status: OrderStatus.cancelled,
      cancelReason: CancelReason.normal,
    });
    history.project({
      seq: 1,
      time: START_TIME,
      events: [
        orderEvent(anOrder({ orderId: 3, status: OrderStatus.new })),
        orderEvent(anOrder({ orderId: 4, status: OrderStatus.partiallyFilled, filledLots: 1 })),
        orderEvent(anOrder({ orderId: 5, status: OrderStatus.live })),
        orderEvent(cancelled),
        orderEvent(filled),
      ],
    });
    assert.deepEqual(await history.closedOrders({ uid: 1, ...ALL_TIME, limit: 10 }), [
      viewOf(cancelled),
      viewOf(filled),
    ]);
    assert.deepEqual(await history.orderById(1, 1), viewOf(filled));
    assert.equal(await history.orderById(1, 3), undefined);
  });

  session('fills, ledger lines and candles read back as they were', async (history) => {
    const fill = aFill({ execId: 10, execLinkId: 9, orderId: 8, maker: true, rpi: true, fee: -3n });
    const bought = aLedgerLine({ lineId: 11 });
    const deposited = aLedgerLine({ lineId: 12, kind: 'deposit', instrument: NO_INSTRUMENT, reference: 'r' });
    const candle = aCandle({ interval: '1H' });
    history.project({
      seq: 1,
      time: START_TIME,
      events: [{ type: 'fill', fill }, bought, deposited, candle],
    });
    assert.deepEqual(await history.fills({ uid: 1, ...ALL_TIME, limit: 10 }), [
      fillView(fill, INSTRUMENTS[0]!, coinName),
    ]);
    assert.deepEqual(await history.ledgerLines({ uid: 1, wallet: 'uta', ...ALL_TIME, limit: 10 }), [
      ledgerView(deposited, '', coinName),
      ledgerView(bought, INSTRUMENTS[0]!.symbol, coinName),
    ]);
    const series = { category: 'SPOT', symbol: 'BTCUSDT', type: 'market', interval: '1H' } as const;
    assert.deepEqual(await history.candles({ ...series, limit: 10, from: 'newest' }), [
      candleRow(candle, INSTRUMENTS[0]!),
    ]);
  });

  session('nobody sees the rows of another', async (history) => {
    const fill = aFill({ execId: 10, orderId: 1, uid: 1 });
    const events = [
      orderEvent(anOrder({ orderId: 1, uid: 1, clientOid: 'a' })),
      { type: 'fill', fill } as const,
      aLedgerLine({ lineId: 11, uid: 1 }),
      aTransfer({ transferId: 12 }),
      aWalletRecord({ recordId: 13 }),
    ];
    history.project({ seq: 1, time: START_TIME, events });
    const other = { uid: 2, ...ALL_TIME, limit: 10 };
    assert.deepEqual(await history.closedOrders(other), []);
    assert.deepEqual(await history.closedOrders({ ...other, symbol: 'BTCUSDT' }), []);
    assert.equal(await history.orderById(2, 1), undefined);
    assert.equal(await history.latestOrderByClientOid(2, 'a'), undefined);
    assert.deepEqual(await history.fills(other), []);
    assert.deepEqual(await history.fills({ ...other, orderId: 1 }), []);
    assert.deepEqual(await history.ledgerLines({ ...other, wallet: 'uta' }), []);
    for (const role of ['initiator', 'sender', 'receiver'] as const) {
      assert.deepEqual(await history.transfers({ ...other, role }), []);
    }
    assert.deepEqual(await history.walletRecords({ ...other, type: 'withdraw', orderId: 13 }), []);
  });

  session('a client id used again finds the newest order', async (history) => {
    const orders = [
      anOrder({ orderId: 5, clientOid: 'again' }),
      anOrder({ orderId: 9, clientOid: 'again' }),
      anOrder({ orderId: 7, clientOid: 'again' }),
      anOrder({ orderId: 11, clientOid: 'other' }),
    ];
    history.project({ seq: 1, time: START_TIME, events: orders.map(orderEvent) });
    assert.equal((await history.latestOrderByClientOid(1, 'again'))?.orderId, '1000000000000000009');
    assert.equal(await history.latestOrderByClientOid(1, 'AGAIN'), undefined);
    assert.equal(await history.latestOrderByClientOid(1, ''), undefined);
  });

  session('both time bounds are inclusive', async (history) => {
    const at = [1000, 1001, 1002, 1003].map((time, index) => ({ time, id: index + 1 }));
    history.project({
      seq: 1,
      time: 1003,
      events: at.flatMap(({ time, id }) => [
        orderEvent(anOrder({ orderId: id, createdTime: time, updatedTime: 9999 })),
        { type: 'fill', fill: aFill({ execId: id, time }) } as const,
        aLedgerLine({ lineId: id, time }),
        aTransfer({ transferId: id, time }),
        aWalletRecord({ recordId: id, createdTime: time, updatedTime: 9999 }),
      ]),
    });
    const query = { uid: 1, startTime: 1001, endTime: 1002, limit: 10 };
    assert.deepEqual((await history.closedOrders(query)).map(orderKey), [3, 2]);
    assert.deepEqual((await history.closedOrders({ ...query, symbol: 'BTCUSDT' })).map(orderKey), [3, 2]);
    assert.deepEqual((await history.fills(query)).map(fillKey), [3, 2]);
    assert.deepEqual((await history.ledgerLines({ ...query, wallet: 'uta' })).map(lineKey), [3, 2]);
    assert.deepEqual((await history.transfers({ ...query, role: 'sender' })).map(transferKey), [3, 2]);
    assert.deepEqual((await history.walletRecords({ ...query, type: 'withdraw' })).map(orderKey), [3, 2]);
  });

  session('strategy orders are kept once they have ended, and paged by type', async (history) => {
    const told = (order: StrategyOrderRecord) => ({ type: 'strategyOrder', order }) as const;
    const stop = aStrategy({ orderId: 4 });
    const trigger = aStrategy({
      orderId: 7,
      kind: StrategyKind.trigger,
      triggerType: TriggerType.none,
      stopLoss: NO_LEG,
      trigger: { ...NO_LEG, triggerTicks: 6_100_000, orderType: OrderType.limit, limitTicks: 6_100_100 },
      createdTime: START_TIME + 5,
      updatedTime: START_TIME + 5,
    });
    const failed = aStrategy({
      orderId: 9,
      status: StrategyStatus.failed,
      failure: RejectReason.insufficientBalance,
      childOrderId: 0,
      createdTime: START_TIME + 9,
    });
    const waiting = aStrategy({ orderId: 11, status: StrategyStatus.pending, childOrderId: 0 });
    const stranger = aStrategy({ orderId: 12, uid: 2 });
    const orders = [stop, trigger, failed, waiting, stranger];
    history.project({ seq: 1, time: START_TIME, events: orders.map(told) });
    const views = [failed, trigger, stop].map((order) => strategyView(order, INSTRUMENTS[0]!));
    const query = { uid: 1, category: 'SPOT', ...ALL_TIME, limit: 10 } as const;
    assert.deepEqual(await history.endedStrategies(query), views);
    assert.deepEqual(await history.endedStrategies({ ...query, type: 'trigger' }), [views[1]]);
    assert.deepEqual(await history.endedStrategies({ ...query, type: 'tpsl', beforeId: 9 }), [views[2]]);
    assert.deepEqual(await history.endedStrategies({ ...query, limit: 1 }), [views[0]]);
    assert.deepEqual(await history.endedStrategies({ ...query, category: 'MARGIN' }), []);
    assert.deepEqual(await history.endedStrategy(1, 7, ''), views[1]);
    assert.deepEqual(await history.endedStrategy(1, 0, 'strategy-4'), views[2]);
    assert.equal(await history.endedStrategy(2, 7, ''), undefined);
    assert.equal(await history.endedStrategy(1, 11, ''), undefined);
    assert.equal((await history.counts()).strategies, 4);
  });

  session('closed positions are paged by the time they ended, whenever they began', async (history) => {
    const category = Category.usdtFutures;
    const position = (positionId: number, opened: number, ended: number, more = {}) =>
      aClosedPosition({
        positionId,
        category,
        createdTime: START_TIME + opened,
        updatedTime: START_TIME + ended,
        ...more,
      });
    const long = position(4, 0, 900_000);
    const short = position(9, 5, 10, { long: false, isolated: true });
    const same = position(7, 2, 10);
    const stranger = position(12, 5, 20, { uid: 2 });
    history.project({ seq: 1, time: START_TIME, events: [short, stranger, same, long] });
    const query = { uid: 1, category: 'USDT-FUTURES', ...ALL_TIME, limit: 10 } as const;
    const views = [long, short, same].map((p) => closedPositionView(p, INSTRUMENTS[p.instrument]!, coinName));
    assert.deepEqual(await history.closedPositions(query), views);
    assert.deepEqual(await history.closedPositions({ ...query, limit: 1 }), [views[0]]);
    const ids = async (more: object) =>
      (await history.closedPositions({ ...query, ...more })).map(({ positionId }) => positionId.slice(-2));
    assert.deepEqual(await ids({ beforeId: 4 }), ['09', '07']);
    assert.deepEqual(await ids({ symbol: 'BTCUSDT', beforeId: 9 }), ['07']);
    assert.deepEqual(await ids({ beforeId: 7 }), []);
    // Nothing of the other account's row is used.
    assert.deepEqual(await ids({ beforeId: 12 }), ['04', '09', '07']);
    assert.deepEqual(await ids({ endTime: START_TIME + 10 }), ['09', '07']);
    assert.deepEqual(await ids({ startTime: START_TIME + 11 }), ['04']);
    assert.deepEqual(await history.closedPositions({ ...query, category: 'USDC-FUTURES' }), []);
    assert.equal((await history.counts()).closedPositions, 4);
  });

  session('moved positions are found by the main account, newest first', async (history) => {
    const first = aMove({ orderId: 10 });
    const second = aMove({
      orderId: 20,
      fromUid: 1,
      toUid: 3,
      long: false,
      openExecId: 0,
      time: START_TIME + 5,
    });
    const stranger = aMove({ orderId: 30, masterUid: 7, fromUid: 7, toUid: 8, time: START_TIME + 5 });
    history.project({ seq: 1, time: START_TIME + 5, events: [first, second, stranger] });
    const query = { uid: 1, category: 'USDT-FUTURES', ...ALL_TIME, limit: 10 } as const;
    const views = [second, first].map((move) => moveView(move, INSTRUMENTS[move.instrument]!));
    assert.deepEqual(await history.positionMoves(query), views);
    assert.equal(views[0]!.openExecId, '', 'a house account’s fill is not told');
    const ids = async (more: object) =>
      (await history.positionMoves({ ...query, ...more })).map(({ orderId }) => orderId.slice(-2));
    assert.deepEqual(await ids({ limit: 1 }), ['20']);
    assert.deepEqual(await ids({ beforeId: 20 }), ['10']);
    assert.deepEqual(await ids({ symbol: 'BTCUSDT', beforeId: 20 }), ['10']);
    assert.deepEqual(await ids({ symbol: 'ETHUSDT' }), []);
    assert.deepEqual(await ids({ endTime: START_TIME + 4 }), ['10']);
    assert.deepEqual(await ids({ category: 'COIN-FUTURES' }), []);
    // Those who gave or took are not asked for; the history belongs to their main account.
    assert.deepEqual(await ids({ uid: 2 }), []);
    assert.deepEqual(await ids({ uid: 7 }), ['30']);
    assert.equal((await history.counts()).positionMoves, 3);
  });
}
