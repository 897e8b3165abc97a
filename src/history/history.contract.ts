/** What every adapter of the `History` port must do. Each adapter's test calls this with its own storage. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type {
  Event,
  FillRecord,
  LedgerLine,
  LoanReduced,
  LoanRepaid,
  OrderRecord,
  StrategyOrderRecord,
  Transferred,
  WalletRecord,
} from '../core/event.ts';
import type { CandleWidth } from '../core/market/candle-width.ts';
import { Refusal } from '../core/refusal.ts';
import { NO_LEG } from '../core/strategy/trigger-leg.ts';
import {
  CATEGORY_NAMES,
  CancelReason,
  Category,
  OrderKind,
  OrderStatus,
  OrderType,
  PosSide,
  PRICE_KINDS,
  StrategyKind,
  StrategyStatus,
  TriggerType,
  WALLET_NAMES,
  Wallet,
} from '../core/terms.ts';
import { candleRow, priceCandleRow } from '../record/candle-view.ts';
import { conversionView } from '../record/conversion-view.ts';
import { fillView } from '../record/fill-view.ts';
import { parseId } from '../record/ids.ts';
import { LEDGER_TYPES, type LedgerCategory, ledgerView, OTHER_CATEGORY } from '../record/ledger-view.ts';
import { reduceView, repayView } from '../record/loan-view.ts';
import { orderView } from '../record/order-view.ts';
import { closedPositionView } from '../record/position-view.ts';
import { strategyView } from '../record/strategy-view.ts';
import { transferView } from '../record/transfer-view.ts';
import { walletRecordView } from '../record/wallet-record-view.ts';
import {
  aCandle,
  aClosedPosition,
  aConversion,
  aFill,
  aFunding,
  aLedgerLine,
  aLoan,
  anOrder,
  aPriceCandle,
  aReduction,
  aRepayment,
  aRevision,
  aStrategy,
  aTransfer,
  aWalletRecord,
  COINS,
  coinName,
  INSTRUMENTS,
  NO_INSTRUMENT,
  PERPETUAL,
  START_TIME,
} from './example-events.ts';
import { type History, type LoanQuery, type PageQuery, RETENTION_MS, type TransferRole } from './history.ts';

/** One storage, empty at first; it may be opened again after it was closed. */
export interface HistoryStorage {
  open(): Promise<History>;
  remove(): Promise<void>;
}

const ALL_TIME = { startTime: 0, endTime: Number.MAX_SAFE_INTEGER };
const DAY_MS = 24 * 60 * 60 * 1000;

export function historyContract(adapter: string, createStorage: () => Promise<HistoryStorage>): void {
  const contract = (name: string, run: (storage: HistoryStorage) => Promise<void>): void => {
    void test(`${adapter}: ${name}`, async () => {
      const storage = await createStorage();
      const opened: History[] = [];
      const open = async () => {
        const history = await storage.open();
        opened.push(history);
        return history;
      };
      try {
        await run({ ...storage, open });
      } finally {
        for (const history of opened) await history.close();
        await storage.remove();
      }
    });
  };

  /** For the many contracts that need one session only. */
  const session = (name: string, run: (history: History) => Promise<void>): void =>
    contract(name, async (storage) => run(await openDescribed(storage)));

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
    const candle = aCandle({ width: '1H' });
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
    const series = { category: 'SPOT', symbol: 'BTCUSDT', type: 'market', width: '1H' } as const;
    assert.deepEqual(await history.candles({ ...series, limit: 10, from: 'newest' }), [
      candleRow(candle, INSTRUMENTS[0]!),
    ]);
  });

  session('each wallet has its own lines', async (history) => {
    const traded = aLedgerLine({ lineId: 1 });
    const sent = aLedgerLine({ lineId: 2, kind: 'transferOut', instrument: NO_INSTRUMENT, wallet: 0 });
    const came = aLedgerLine({ lineId: 3, kind: 'transferIn', instrument: NO_INSTRUMENT, wallet: 1 });
    history.project({ seq: 1, time: START_TIME, events: [traded, sent, came] });
    const query = { uid: 1, ...ALL_TIME, limit: 10 };
    const unified = await history.ledgerLines({ ...query, wallet: 'uta' });
    assert.deepEqual(unified.map(lineKey), [2, 1]);
    const funding = await history.ledgerLines({ ...query, wallet: 'spot', coin: 'BTC' });
    assert.deepEqual(funding, [ledgerView(came, '', coinName)]);
    assert.equal(funding[0]!.type, 'transfer_in');
  });

  session('a conversion is found by its owner and its coins, newest first', async (history) => {
    const repaid = aConversion({ conversionId: 1, time: START_TIME });
    const forced = aConversion({
      conversionId: 2,
      forced: true,
      fromCoin: 1,
      toCoin: 0,
      time: START_TIME + 1,
    });
    const other = aConversion({ conversionId: 3, uid: 2, time: START_TIME + 2 });
    history.project({ seq: 1, time: START_TIME, events: [repaid, forced, other] });
    const found = async (filters: object) =>
      (await history.conversions({ uid: 1, ...ALL_TIME, limit: 10, ...filters })).map((each) =>
        parseId(each.conversionId),
      );
    assert.deepEqual(await found({}), [2, 1]);
    assert.deepEqual(await found({ limit: 1 }), [2]);
    assert.deepEqual(await found({ beforeId: 2 }), [1]);
    assert.deepEqual(await found({ fromCoin: COINS[1] }), [2]);
    assert.deepEqual(await found({ toCoin: COINS[1] }), [1]);
    assert.deepEqual(await found({ endTime: START_TIME }), [1]);
    const [first] = await history.conversions({ uid: 2, ...ALL_TIME, limit: 1 });
    assert.deepEqual(first, conversionView(other, coinName));
  });

  session('a transfer is found by who sent, received or asked for it', async (history) => {
    const inside = aTransfer({ transferId: 1, clientOid: 'a' });
    const down = aTransfer({ transferId: 2, toUid: 2, coin: 1, clientOid: 'b' });
    const up = aTransfer({ transferId: 3, fromUid: 2, toUid: 1, fromWallet: Wallet.unified });
    const across = aTransfer({ transferId: 4, fromUid: 2, toUid: 3 });
    history.project({ seq: 1, time: START_TIME, events: [inside, down, up, across] });
    const found = async (uid: number, role: TransferRole, filters = {}) =>
      (await history.transfers({ uid, role, ...ALL_TIME, limit: 10, ...filters })).map(transferKey);
    assert.deepEqual(await found(1, 'initiator'), [4, 3, 2, 1]);
    assert.deepEqual(await found(1, 'sender'), [2, 1]);
    assert.deepEqual(await found(1, 'receiver'), [3, 1]);
    assert.deepEqual(await found(1, 'sender', { betweenAccounts: true }), [2]);
    assert.deepEqual(await found(2, 'sender', { fromType: 'uta' }), [3]);
    assert.deepEqual(await found(1, 'initiator', { coin: 'USDT' }), [2]);
    assert.deepEqual(await found(1, 'initiator', { clientOid: 'a' }), [1]);
    assert.deepEqual(await found(3, 'initiator'), []);
    const [first] = await history.transfers({ uid: 3, role: 'receiver', ...ALL_TIME, limit: 1 });
    assert.deepEqual(first, transferView(across, coinName));
  });

  session('a withdrawal is one record that changes once, from pending to its end', async (history) => {
    const asked = aWalletRecord({ recordId: 5, clientOid: 'w' });
    const paid = { ...asked, status: 'success', reference: '0xabc', updatedTime: START_TIME + 9 } as const;
    const query = { uid: 1, type: 'withdraw', ...ALL_TIME, limit: 10 } as const;
    history.project({ seq: 1, time: START_TIME, events: [asked] });
    assert.deepEqual(await history.walletRecords(query), [walletRecordView(asked, coinName)]);
    history.project({ seq: 2, time: START_TIME, events: [paid] });
    assert.deepEqual(await history.walletRecords(query), [walletRecordView(paid, coinName)]);
    // What has ended stays as it is, whatever is projected again.
    history.project({ seq: 3, time: START_TIME, events: [asked] });
    assert.deepEqual(await history.walletRecords(query), [walletRecordView(paid, coinName)]);
    assert.equal((await history.counts()).walletRecords, 1);
  });

  session('deposits and withdrawals are found by id, client id, coin and status', async (history) => {
    const deposit = aWalletRecord({ recordId: 1, kind: 'deposit', status: 'success', fee: 0n });
    const first = aWalletRecord({ recordId: 2, clientOid: 'w' });
    const second = aWalletRecord({ recordId: 3, coin: 0, status: 'fail', reference: 'no' });
    const foreign = aWalletRecord({ recordId: 4, uid: 2, clientOid: 'w' });
    history.project({ seq: 1, time: START_TIME, events: [deposit, first, second, foreign] });
    const found = async (filters: object, type: 'deposit' | 'withdraw' = 'withdraw') =>
      (await history.walletRecords({ uid: 1, type, ...ALL_TIME, limit: 10, ...filters })).map(orderKey);
    assert.deepEqual(await found({}, 'deposit'), [1]);
    assert.deepEqual(await found({}), [3, 2]);
    assert.deepEqual(await found({ clientOid: 'w' }), [2]);
    assert.deepEqual(await found({ coin: 'BTC' }), [3]);
    assert.deepEqual(await found({ status: 'pending' }), [2]);
    assert.deepEqual(await found({ orderId: 3 }), [3]);
    assert.deepEqual(await found({ orderId: 4 }), []);
    assert.deepEqual(await found({ beforeId: 3, limit: 1 }), [2]);
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

  session('pages of thousands of rows have no gap and no repeat', async (history) => {
    const rows = randomRows(6000);
    projectInCommands(history, rows.events);
    const pages = { history, rows };
    await fc.assert(
      fc.asyncProperty(anyQuery(rows.lastTime), (query) => pagesEqualNaive(pages, query)),
      { numRuns: 60 },
    );
  });

  contract('a restart keeps what was stored, and projecting again changes nothing', async (storage) => {
    const rows = randomRows(1500);
    const first = await openDescribed(storage);
    assert.equal(first.confirmedSeq, 0);
    projectInCommands(first, rows.events);
    await first.flush();
    const lastSeq = first.confirmedSeq;
    assert.ok(lastSeq > 0);
    const stored = await everything(first);
    await first.close();

    const second = await openDescribed(storage);
    assert.equal(second.confirmedSeq, lastSeq);
    assert.deepEqual(await everything(second), stored);
    projectInCommands(second, rows.events);
    assert.equal(second.lag(), 0);
    assert.deepEqual(await everything(second), stored);
    second.project({
      seq: lastSeq + 1,
      time: rows.lastTime,
      events: [orderEvent(anOrder({ orderId: 1e6 }))],
    });
    await second.close();

    const third = await openDescribed(storage);
    assert.equal(third.confirmedSeq, lastSeq + 1);
    assert.equal((await third.counts()).closedOrders, stored.counts.closedOrders + 1);
    await third.close();
  });

  session('a flush confirms the last command, with rows or without', async (history) => {
    history.project({ seq: 7, time: START_TIME, events: [orderEvent(anOrder({ orderId: 1 }))] });
    assert.equal(history.lag(), 1);
    await history.flush();
    assert.equal(history.confirmedSeq, 7);
    assert.equal(history.lag(), 0);
    history.project({ seq: 9, time: START_TIME, events: [] });
    await history.flush();
    assert.equal(history.confirmedSeq, 9);
  });

  session('rows become durable without anybody asking', async (history) => {
    history.project({ seq: 1, time: START_TIME, events: [orderEvent(anOrder({ orderId: 1 }))] });
    const deadline = Date.now() + 5000;
    while (history.confirmedSeq < 1 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.equal(history.confirmedSeq, 1);
    assert.equal(history.lag(), 0);
  });

  session('commands out of order are a mistake of the caller', async (history) => {
    history.project({ seq: 5, time: START_TIME, events: [] });
    assert.throws(() => history.project({ seq: 5, time: START_TIME, events: [] }), /5 was projected after 5/);
    assert.throws(() => history.project({ seq: 4, time: START_TIME, events: [] }));
  });

  session('a made-up past answers in every width, and what happened joins it', async (history) => {
    const minute = 60_000;
    const first = 1000 * 60 * minute;
    const count = 100;
    const ticks = Int32Array.from(
      { length: 4 * count },
      (_, n) => 100 + Math.floor(n / 4) + [0, 5, -5, 1][n % 4]!,
    );
    const lots = new Float64Array(count).fill(2);
    const book = { category: 'SPOT', symbol: 'BTCUSDT', type: 'market' } as const;
    const precision = { pricePrecision: 2, quantityPrecision: 6 };
    for (const from of [0, 60]) {
      const part = { ticks: ticks.slice(from * 4, (from + 60) * 4), lots: lots.slice(from, from + 60) };
      history.addGenerated({ ...book, width: '1m', firstOpen: first + from * minute, ...precision, ...part });
    }
    const traded = aCandle({ openTime: first + 99 * minute, highTicks: 900, closeTicks: 300, volumeLots: 7 });
    history.project({ seq: 1, time: START_TIME, events: [traded] });
    const series = { ...book, width: '1m' as CandleWidth };

    const all = await history.candles({ ...series, limit: 1000, from: 'newest' });
    assert.equal(all.length, count);
    assert.deepEqual(all[0], {
      openTime: first,
      open: '1',
      high: '1.05',
      low: '0.95',
      close: '1.01',
      volume: '0.000002',
      turnover: '0.000002',
    });
    const last = all.at(-1)!;
    assert.deepEqual([last.open, last.high, last.close, last.volume], ['1.99', '9', '3', '0.000009']);
    const [older, newer] = await history.candles({
      ...series,
      endTime: first + 61 * minute,
      limit: 2,
      from: 'newest',
    });
    assert.deepEqual([older?.openTime, newer?.openTime], [first + 60 * minute, first + 61 * minute]);
    const [oldest] = await history.candles({ ...series, startTime: first + 3, limit: 1, from: 'oldest' });
    assert.equal(oldest?.openTime, first + minute);

    const halfHours = await history.candles({ ...book, width: '30m', limit: 10, from: 'oldest' });
    assert.deepEqual(
      halfHours.map(({ openTime, open, close, volume }) => [
        (openTime - first) / minute,
        open,
        close,
        volume,
      ]),
      [
        [0, '1', '1.3', '0.00006'],
        [30, '1.3', '1.6', '0.00006'],
        [60, '1.6', '1.9', '0.00006'],
        [90, '1.9', '2', '0.00002'],
      ],
    );
    assert.equal((await history.lastCandleBefore(series, first + 10 * minute))?.openTime, first + 9 * minute);
    assert.equal(await history.lastCandleBefore(series, first), undefined);
    assert.equal((await history.counts()).candles, 1, 'what is made up is counted nowhere');
  });

  session('candles come ascending from the end that was asked for', async (history) => {
    const minute = 60_000;
    const candles = Array.from({ length: 50 }, (_, n) =>
      aCandle({ openTime: n * 2 * minute, closeTicks: n + 1 }),
    );
    const noise = [
      aCandle({ openTime: 6 * minute, width: '5m' }),
      aCandle({ openTime: 6 * minute, instrument: 1 }),
      aCandle({ openTime: 6 * minute, instrument: 2 }),
    ];
    history.project({ seq: 1, time: START_TIME, events: [...candles, ...noise] });
    const width: CandleWidth = '1m';
    const series = { category: 'SPOT', symbol: 'BTCUSDT', type: 'market', width } as const;
    const times = async (query: {
      startTime?: number;
      endTime?: number;
      limit: number;
      from: 'newest' | 'oldest';
    }) => (await history.candles({ ...series, ...query })).map((row) => row.openTime / minute);

    assert.deepEqual(await times({ limit: 3, from: 'newest' }), [94, 96, 98]);
    assert.deepEqual(await times({ limit: 3, from: 'oldest' }), [0, 2, 4]);
    const bounds = { startTime: 4 * minute, endTime: 10 * minute };
    assert.deepEqual(await times({ ...bounds, limit: 9, from: 'newest' }), [4, 6, 8, 10]);
    assert.deepEqual(await times({ ...bounds, limit: 2, from: 'newest' }), [8, 10]);
    assert.deepEqual(await times({ ...bounds, limit: 2, from: 'oldest' }), [4, 6]);

    const before = (openTime: number) => history.lastCandleBefore(series, openTime);
    assert.equal((await before(7 * minute))?.openTime, 6 * minute);
    assert.equal((await before(6 * minute))?.openTime, 4 * minute);
    assert.equal(await before(0), undefined);
    assert.equal((await before(6 * minute))?.close, '0.03');
  });

  session('candles of mark, index and premium are series of their own beside the trades', async (history) => {
    const instrument = PERPETUAL;
    const priced = PRICE_KINDS.map((kind, n) => aPriceCandle({ kind, instrument, closeTicks: -n }));
    const events = [aCandle({ instrument }), ...priced];
    history.project({ seq: 1, time: START_TIME, events });
    history.project({
      seq: 2,
      time: START_TIME,
      events: [aPriceCandle({ kind: 'mark', width: '5m', instrument })],
    });
    const { symbol } = INSTRUMENTS[instrument]!;
    for (const [n, type] of PRICE_KINDS.entries()) {
      const series = { category: 'USDT-FUTURES', symbol, type, width: '1m' } as const;
      const rows = await history.candles({ ...series, limit: 9, from: 'newest' });
      assert.deepEqual(rows, [priceCandleRow(priced[n]!, type, INSTRUMENTS[instrument]!)]);
      assert.deepEqual(await history.lastCandleBefore(series, START_TIME + 1), rows[0]);
    }
  });

  session(
    'rows older than the retention go, candles, late closed orders and pending withdrawals stay',
    async (history) => {
      const now = START_TIME + 200 * DAY_MS;
      const cutoff = now - RETENTION_MS;
      const old = Array.from({ length: 1800 }, (_, n) => [
        orderEvent(anOrder({ orderId: n + 10, createdTime: cutoff - 1, updatedTime: cutoff - 1 })),
        { type: 'fill', fill: aFill({ execId: n + 10, time: cutoff - 1 }) } as const,
        aLedgerLine({ lineId: n + 10, time: cutoff - 1 }),
        aTransfer({ transferId: n + 10, time: cutoff - 1 }),
        aWalletRecord({ recordId: n + 10, status: 'fail', createdTime: cutoff - 1 }),
      ]).flat();
      const kept = [
        orderEvent(anOrder({ orderId: 5, createdTime: START_TIME, updatedTime: cutoff })),
        orderEvent(anOrder({ orderId: 9000, createdTime: cutoff, updatedTime: cutoff })),
        { type: 'fill', fill: aFill({ execId: 9001, time: cutoff }) } as const,
        aLedgerLine({ lineId: 9002, time: cutoff }),
        aTransfer({ transferId: 9003, time: cutoff }),
        aConversion({ conversionId: 2, time: cutoff - 1 }),
        aConversion({ conversionId: 9005, time: cutoff }),
        aWalletRecord({ recordId: 3, createdTime: START_TIME }),
        aWalletRecord({ recordId: 9004, createdTime: cutoff }),
        aCandle({ openTime: START_TIME }),
      ];
      history.project({ seq: 1, time: now, events: [...old, ...kept] });
      assert.equal(await history.prune(now), old.length + 1);
      assert.deepEqual(await history.counts(), {
        closedOrders: 2,
        strategies: 0,
        closedPositions: 0,
        fills: 1,
        ledgerLines: 1,
        transfers: 1,
        walletRecords: 2,
        conversions: 1,
        candles: 1,
        fundingRates: 0,
        insuranceHours: 0,
        liquidations: 0,
        loanRecords: 0,
      });
      assert.notEqual(await history.orderById(1, 5), undefined);
      assert.equal(await history.prune(now), 0);
    },
  );

  session('rows written while pruning runs are kept', async (history) => {
    const old = Array.from({ length: 3000 }, (_, n) =>
      orderEvent(anOrder({ orderId: n + 1, createdTime: 1, updatedTime: 1 })),
    );
    history.project({ seq: 1, time: START_TIME, events: old });
    const pruned = history.prune(START_TIME);
    const fresh = anOrder({ orderId: 5000, createdTime: START_TIME, updatedTime: START_TIME });
    history.project({ seq: 2, time: START_TIME, events: [orderEvent(fresh)] });
    await history.flush();
    assert.equal(await pruned, 3000);
    assert.deepEqual(await history.orderById(1, 5000), viewOf(fresh));
    assert.equal((await history.counts()).closedOrders, 1);
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
      failure: Refusal.insufficientBalance,
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

  session(
    'loan records are paged by number, newest first, and chosen by loan, coins and status',
    async (history) => {
      const loans = [
        aLoan({ loanId: 3 }),
        aLoan({ loanId: 5, borrowTime: START_TIME + 1, status: 'ROLLBACK', term: 0 }),
        aLoan({ loanId: 6, borrowTime: START_TIME + 1, status: 'FORCE', pledgeCoin: 2 }),
        aLoan({ loanId: 8, borrowTime: START_TIME + 2, uid: 2 }),
      ];
      const ongoing = aLoan({ loanId: 9, borrowTime: START_TIME + 3, status: 'ONGOING' });
      // Loans end in another order than they began.
      history.project({ seq: 1, time: START_TIME, events: [loans[2]!, ongoing, ...loans] });
      const query = { uid: 1, ...ALL_TIME, skip: 0, limit: 10 };
      const ids = async (more: Partial<LoanQuery>) =>
        (await history.loanRecords('borrow', { ...query, ...more })).map(orderKey);
      assert.deepEqual(await ids({}), [6, 5, 3]);
      assert.deepEqual(await ids({ skip: 1, limit: 1 }), [5]);
      assert.deepEqual(await ids({ skip: 3 }), []);
      assert.deepEqual(await ids({ choice: 'ROLLBACK' }), [5]);
      assert.deepEqual(await ids({ loanId: 3, loanCoin: 'USDT', pledgeCoin: 'BTC' }), [3]);
      assert.deepEqual(await ids({ pledgeCoin: 'ETH' }), [6]);
      assert.deepEqual(await ids({ startTime: START_TIME + 1 }), [6, 5]);
      assert.deepEqual(await ids({ startTime: START_TIME + 60_000, endedSince: START_TIME + 1 }), [3]);
      const [record] = await history.loanRecords('borrow', { ...query, loanId: 3 });
      assert.deepEqual(record, {
        orderId: '1000000000000000003',
        loanCoin: 'USDT',
        pledgeCoin: 'BTC',
        initPledgeAmount: '0.25641026',
        initLoanAmount: '10000',
        hourRate: '0.000617',
        pledgeDays: '7',
        daily: 'SEVEN',
        status: 'REPAY',
        borrowTime: String(START_TIME),
      });
    },
  );

  session('repayments, revisions and closings by force are records of their own', async (history) => {
    const events = [
      aRepayment({ repayId: 4 }),
      aRevision({ reviseId: 5 }),
      aRevision({ reviseId: 6, into: false, time: START_TIME + 1, before: 5440n, after: 6500n }),
      aReduction({ reduceId: 7 }),
    ];
    history.project({ seq: 1, time: START_TIME, events });
    const query = { uid: 1, ...ALL_TIME, skip: 0, limit: 10 };
    assert.deepEqual(await history.loanRecords('repay', query), [
      repayView(events[0] as LoanRepaid, coinName),
    ]);
    const sides = async (more: Partial<LoanQuery>) =>
      (await history.loanRecords('pledgeRate', { ...query, ...more })).map((row) => row.reviseSide);
    assert.deepEqual(await sides({}), ['up', 'down']);
    assert.deepEqual(await sides({ choice: 'down' }), ['down']);
    const [reduced] = await history.loanRecords('reduce', { ...query, choice: 'COMPLETE' });
    assert.deepEqual(reduced, reduceView(events[3] as LoanReduced, coinName));
    assert.deepEqual(await history.loanRecords('reduce', { ...query, choice: 'WAIT' }), []);
    assert.equal((await history.counts()).loanRecords, 4);
    // Three months are up to 92 days, longer than other records are kept.
    assert.equal(await history.prune(START_TIME + 92 * DAY_MS), 0);
    assert.equal(await history.prune(START_TIME + 92 * DAY_MS + 1), 3);
  });

  session('hours of the insurance fund come oldest first, with the one before them', async (history) => {
    const hour = (n: number, balance: bigint) =>
      ({ type: 'insuranceHour', coin: 1, amount: 5n, balance, time: n * 3_600_000 }) as const;
    const other = { ...hour(2, 77n), coin: 0 };
    history.project({ seq: 1, time: START_TIME, events: [hour(1, 5n), hour(2, 10n), other, hour(4, 15n)] });
    const found = async (from: number) =>
      (await history.insuranceHours('USDT', from * 3_600_000)).map(({ time, balance }) => [
        time / 3_600_000,
        balance,
      ]);
    assert.deepEqual(await found(3), [
      [2, '0.0000001'],
      [4, '0.00000015'],
    ]);
    assert.deepEqual(await found(0), [
      [1, '0.00000005'],
      [2, '0.0000001'],
      [4, '0.00000015'],
    ]);
    assert.deepEqual(await history.insuranceHours('ETH', 0), []);
  });

  session('settled funding rates are kept, newest first, and never pruned', async (history) => {
    const eightHours = 8 * 60 * 60 * 1000;
    const rates = [100_000_000n, -50_000_000n, 3_000_000_000n];
    const events = rates.map((rate, n) => aFunding(START_TIME + n * eightHours, rate));
    history.project({ seq: 1, time: START_TIME, events });
    assert.equal(await history.prune(START_TIME + 2 * RETENTION_MS), 0);
    const query = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', skip: 0, limit: 2 } as const;
    const printed = (row: { fundingRate: string; fundingRateTimestamp: string }) => [
      row.fundingRate,
      Number(row.fundingRateTimestamp),
    ];
    assert.deepEqual((await history.fundingRates(query)).map(printed), [
      ['0.003', START_TIME + 2 * eightHours],
      ['-0.00005', START_TIME + eightHours],
    ]);
    assert.deepEqual((await history.fundingRates({ ...query, skip: 2 })).map(printed), [
      ['0.0001', START_TIME],
    ]);
    assert.deepEqual(await history.fundingRates({ ...query, symbol: 'ETHUSDT' }), []);
  });

  session('fills of forced closes are public as liquidations, other fills are not', async (history) => {
    const futures = { posSide: PosSide.none, closing: true, pnl: -5n } as const;
    const kinds = [OrderKind.user, OrderKind.liquidation, OrderKind.adl, OrderKind.reduce];
    const events = kinds.map((kind, n) => ({
      type: 'fill' as const,
      fill: aFill({
        execId: 10 + n,
        instrument: PERPETUAL,
        category: Category.usdtFutures,
        time: START_TIME + n,
        futures: { ...futures, kind },
      }),
    }));
    history.project({ seq: 1, time: START_TIME, events });
    const query = { category: 'USDT-FUTURES', startTime: START_TIME, limit: 10 } as const;
    const ids = async (more: object) =>
      (await history.liquidations({ ...query, ...more })).map(({ execId }) => parseId(execId));
    assert.deepEqual(await ids({}), [13, 11]);
    assert.deepEqual(await ids({ symbol: 'BTCUSDT', beforeId: 13 }), [11]);
    assert.deepEqual(await ids({ startTime: START_TIME + 2 }), [13]);
    assert.deepEqual(await ids({ symbol: 'ETHUSDT' }), []);
    const [newest] = await history.liquidations(query);
    assert.deepEqual([newest!.side, newest!.price, newest!.amount], ['sell', '60000', '0.001013']);
  });

  contract('a closed history refuses every call', async (storage) => {
    const history = await openDescribed(storage);
    await history.close();
    await history.close();
    await assert.rejects(history.flush(), /closed/);
    await assert.rejects(history.orderById(1, 1), /closed/);
    assert.throws(() => history.project({ seq: 1, time: START_TIME, events: [] }), /closed/);
  });
}

async function openDescribed(storage: HistoryStorage): Promise<History> {
  const history = await storage.open();
  history.describe(INSTRUMENTS, COINS);
  return history;
}

function orderEvent(order: OrderRecord): Event {
  return { type: 'order', order };
}

function viewOf(order: OrderRecord) {
  return orderView(order, INSTRUMENTS[order.instrument]!, coinName);
}

const orderKey = (order: { orderId: string }) => parseId(order.orderId)!;
const fillKey = (fill: { execId: string }) => parseId(fill.execId)!;
const transferKey = (transfer: { transferId: string }) => parseId(transfer.transferId)!;
const lineKey = (line: { id: string }) => parseId(line.id)!;

/** A few events per command, as the exchange makes them. */
function projectInCommands(history: History, events: readonly Event[]): void {
  for (let seq = 1; (seq - 1) * 7 < events.length; seq++) {
    history.project({ seq, time: START_TIME, events: events.slice((seq - 1) * 7, seq * 7) });
  }
}

async function everything(history: History) {
  const query = { uid: 1, ...ALL_TIME, limit: 10_000 };
  return {
    orders: await history.closedOrders(query),
    fills: await history.fills(query),
    ledgerLines: await history.ledgerLines({ ...query, wallet: 'uta' }),
    funding: await history.ledgerLines({ ...query, wallet: 'spot' }),
    transfers: await history.transfers({ ...query, role: 'initiator' }),
    withdrawals: await history.walletRecords({ ...query, type: 'withdraw' }),
    counts: await history.counts(),
  };
}

interface RandomRows {
  readonly events: readonly Event[];
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
  readonly lines: readonly LedgerLine[];
  readonly transfers: readonly Transferred[];
  /** As they were first told. */
  readonly withdrawals: readonly WalletRecord[];
  readonly lastTime: number;
}

/** Ids and times rise together with gaps and ties; orders close long after they were made. */
function randomRows(count: number): RandomRows {
  const random = generator(20_261_225);
  const orders: OrderRecord[] = [];
  const fills: FillRecord[] = [];
  const lines: LedgerLine[] = [];
  const transfers: Transferred[] = [];
  const withdrawals: WalletRecord[] = [];
  const late: Event[] = [];
  const events: Event[] = [];
  let time = START_TIME;
  let id = 0;
  for (let n = 0; n < count; n++) {
    id += 1 + random(3);
    if (random(3) === 0) time += random(20);
    const uid = 1 + random(3);
    const instrument = random(INSTRUMENTS.length);
    const category = INSTRUMENTS[instrument]!.category;
    const kind = random(5);
    if (kind === 0) {
      const clientOid = random(2) === 0 ? `c${random(50)}` : '';
      const order = anOrder({ orderId: id, uid, instrument, category, createdTime: time, clientOid });
      orders.push(order);
      (random(4) === 0 ? late : events).push(orderEvent(order));
    } else if (kind === 1) {
      const fill = aFill({ execId: id, orderId: 1 + random(20), uid, instrument, category, time });
      fills.push(fill);
      events.push({ type: 'fill', fill });
    } else if (kind === 2) {
      const line = aLedgerLine({ lineId: id, uid, coin: random(COINS.length), time, ...ledgerKind(random) });
      lines.push(line);
      events.push(line);
    } else if (kind === 3) {
      const uids = { initiatorUid: 1 + random(3), fromUid: uid, toUid: 1 + random(3) };
      const transfer = aTransfer({ transferId: id, ...uids, coin: random(COINS.length), time });
      transfers.push(transfer);
      events.push(transfer);
    } else {
      const record = aWalletRecord({ recordId: id, uid, coin: random(COINS.length), createdTime: time });
      withdrawals.push(record);
      events.push(record);
      if (random(2) === 0) late.push({ ...record, status: 'success', reference: `tx ${id}` });
    }
  }
  return {
    events: [...events, ...late.reverse()],
    orders,
    fills,
    lines,
    transfers,
    withdrawals,
    lastTime: time,
  };
}

function ledgerKind(random: (below: number) => number): Partial<LedgerLine> {
  const instrument = random(INSTRUMENTS.length);
  const category = INSTRUMENTS[instrument]!.category;
  return [
    { kind: 'deposit', instrument: NO_INSTRUMENT, category: Category.spot } as const,
    { kind: 'deposit', instrument: NO_INSTRUMENT, category: Category.spot, wallet: Wallet.funding } as const,
    { kind: 'tradeIn', instrument, category } as const,
    { kind: 'tradeOut', instrument, category } as const,
  ][random(4)]!;
}

/** Small and repeatable (Lehmer's generator). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

interface AnyQuery {
  readonly uid: number;
  readonly category: string | undefined;
  readonly symbol: string | undefined;
  readonly orderId: number | undefined;
  readonly coin: string | undefined;
  readonly type: string | undefined;
  readonly wallet: (typeof WALLET_NAMES)[number];
  readonly role: TransferRole;
  readonly startTime: number;
  readonly endTime: number;
  readonly limit: number;
}

function anyQuery(lastTime: number): fc.Arbitrary<AnyQuery> {
  const time = fc.oneof(
    fc.constant(0),
    fc.integer({ min: START_TIME - 5, max: lastTime + 5 }),
    fc.constant(Number.MAX_SAFE_INTEGER),
  );
  const sometimes = <T>(values: readonly T[]) =>
    fc.oneof(fc.constant(undefined), fc.constantFrom<T | undefined>(...values));
  return fc
    .record({
      uid: fc.integer({ min: 1, max: 4 }),
      category: sometimes([...CATEGORY_NAMES.slice(0, 3), OTHER_CATEGORY]),
      symbol: sometimes(['BTCUSDT', 'ETHUSDT', 'NONE']),
      orderId: sometimes([1, 2, 3]),
      coin: sometimes(COINS),
      type: sometimes([...Object.values(LEDGER_TYPES), 'NONE']),
      wallet: fc.constantFrom(...WALLET_NAMES),
      role: fc.constantFrom('initiator' as const, 'sender' as const, 'receiver' as const),
      times: fc.tuple(time, time),
      limit: fc.constantFrom(1, 2, 7, 100, 1000),
    })
    .map(({ times, ...rest }) => ({ ...rest, startTime: Math.min(...times), endTime: Math.max(...times) }));
}

/** The same pages from plain arrays, however slow. */
async function pagesEqualNaive(
  { history, rows }: { history: History; rows: RandomRows },
  query: AnyQuery,
): Promise<void> {
  const { uid, startTime, endTime } = query;
  // Pages of one row over everything would take most of the test's time.
  const limit = startTime === 0 && query.limit < 7 ? 100 : query.limit;
  const inRange = (owner: number, time: number) => owner === uid && time >= startTime && time <= endTime;
  const matches = (wanted: string | number | undefined, found: string | number) =>
    wanted === undefined || wanted === found;
  const page = { uid, startTime, endTime, limit, ...given({ symbol: query.symbol }) };
  const category = CATEGORY_NAMES.find((name) => name === query.category);

  const orders = rows.orders
    .filter((o) => inRange(o.uid, o.createdTime))
    .filter((o) => matches(category, CATEGORY_NAMES[o.category]))
    .filter((o) => matches(query.symbol, INSTRUMENTS[o.instrument]!.symbol))
    .map((o) => viewOf(o));
  const orderQuery = { ...page, ...given({ category }) };
  assert.deepEqual(
    await allPages((p) => history.closedOrders({ ...orderQuery, ...p }), orderKey, limit),
    orders.reverse(),
  );

  const fills = rows.fills
    .filter((f) => inRange(f.uid, f.time))
    .filter((f) => matches(category, CATEGORY_NAMES[f.category]))
    .filter((f) => matches(query.symbol, INSTRUMENTS[f.instrument]!.symbol))
    .filter((f) => matches(query.orderId, f.orderId))
    .map((f) => fillView(f, INSTRUMENTS[f.instrument]!, coinName));
  const fillQuery = { ...orderQuery, ...given({ orderId: query.orderId }) };
  assert.deepEqual(
    await allPages((p) => history.fills({ ...fillQuery, ...p }), fillKey, limit),
    fills.reverse(),
  );

  const lines = rows.lines
    .filter((l) => inRange(l.uid, l.time))
    .filter((l) => WALLET_NAMES[l.wallet ?? Wallet.unified] === query.wallet)
    .map((l) => ledgerView(l, INSTRUMENTS[l.instrument]?.symbol ?? '', coinName))
    .filter((l) => matches(query.category, l.category) && matches(query.symbol, l.symbol))
    .filter((l) => matches(query.coin, l.coin) && matches(query.type, l.type));
  const ledgerCategory: LedgerCategory | undefined =
    query.category === OTHER_CATEGORY ? OTHER_CATEGORY : category;
  const lineQuery = {
    ...page,
    wallet: query.wallet,
    ...given({ category: ledgerCategory, coin: query.coin, type: query.type }),
  };
  assert.deepEqual(
    await allPages((p) => history.ledgerLines({ ...lineQuery, ...p }), lineKey, limit),
    lines.reverse(),
  );

  const part = { initiator: 'initiatorUid', sender: 'fromUid', receiver: 'toUid' } as const;
  const transfers = rows.transfers
    .filter((t) => inRange(t[part[query.role]], t.time))
    .map((t) => transferView(t, coinName))
    .filter((t) => matches(query.coin, t.coin));
  const moneyQuery = { uid, startTime, endTime, limit, ...given({ coin: query.coin }) };
  assert.deepEqual(
    await allPages((p) => history.transfers({ ...moneyQuery, role: query.role, ...p }), transferKey, limit),
    transfers.reverse(),
  );

  const withdrawals = rows.withdrawals
    .filter((w) => inRange(w.uid, w.createdTime))
    .map((w) => walletRecordView(w, coinName))
    .filter((w) => matches(query.coin, w.coin));
  const records = await allPages(
    (p) => history.walletRecords({ ...moneyQuery, type: 'withdraw', ...p }),
    orderKey,
    limit,
  );
  assert.deepEqual(records.map(orderKey), withdrawals.reverse().map(orderKey));
}

async function allPages<T>(
  read: (page: Pick<PageQuery, 'beforeId'>) => Promise<T[]>,
  key: (row: T) => number,
  limit: number,
): Promise<T[]> {
  const all: T[] = [];
  let page = await read({});
  while (page.length > 0) {
    assert.ok(page.length <= limit);
    all.push(...page);
    const beforeId = key(page.at(-1)!);
    page = await read({ beforeId });
    for (const row of page) assert.ok(key(row) < beforeId, 'a page starts before the cursor it was given');
  }
  return all;
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Only the fields that have a value: an absent filter is not an undefined one. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
