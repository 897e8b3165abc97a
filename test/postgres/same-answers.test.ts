/** PostgreSQL answers every read exactly as SQLite does: the same random events into both, then random questions to both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CANDLE_INTERVALS } from '../../src/core/model/candle-interval.ts';
import {
  CATEGORY_NAMES,
  Category,
  OrderKind,
  OrderStatus,
  PosSide,
  StrategyKind,
  StrategyStatus,
  WALLET_NAMES,
} from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import type { GeneratedPast } from '../../src/history/generated-candles.ts';
import type { History } from '../../src/history/history.ts';
import { openMemoryHistory } from '../../src/history/sqlite-history.ts';
import {
  aCandle,
  aClosedPosition,
  aConversion,
  aFill,
  aFunding,
  aLedgerLine,
  aLoan,
  aMove,
  anOrder,
  aPriceCandle,
  aReduction,
  aRepayment,
  aRevision,
  aStrategy,
  aTransfer,
  aWalletRecord,
  COINS,
  INSTRUMENTS,
  PERPETUAL,
  START_TIME,
} from '../history/example-events.ts';
import { openDescribed } from '../history/storage.ts';
import { NO_SERVER } from './server.ts';
import { createStorage, unexpected } from './storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;
const RUNS = 8;
const QUESTIONS = 60;

test('the same events give the same answers as in SQLite', { skip: NO_SERVER }, async () => {
  const storage = await createStorage();
  await fc.assert(
    fc
      .asyncProperty(
        commands(),
        fc.array(question(), { minLength: QUESTIONS, maxLength: QUESTIONS }),
        async (all, asked) => {
          const expected = await openMemoryHistory({ onFailure: unexpected });
          expected.describe(INSTRUMENTS, COINS);
          const actual = await openDescribed(storage);
          try {
            for (const history of [expected, actual]) tell(history, all);
            for (const [name, ask] of asked)
              assert.deepEqual(await ask(actual), await ask(expected), `${name} differs`);
            const now = START_TIME + 91 * DAY_MS;
            assert.equal(await actual.prune(now), await expected.prune(now));
            assert.deepEqual(await actual.counts(), await expected.counts());
          } finally {
            await Promise.all([expected.close(), actual.close()]);
          }
        },
      )
      .afterEach(() => storage.server.run(storage.empty, storage.database)),
    { numRuns: RUNS },
  );
  await storage.remove();
});

interface Told {
  readonly events: readonly Event[];
  readonly past?: GeneratedPast | undefined;
}

/** Each event twice in a third of the commands: what was projected before stays. */
function tell(history: History, commands: readonly Told[]): void {
  commands.forEach(({ events, past }, n) => {
    if (past !== undefined) history.addGenerated(past);
    history.project({ seq: n + 1, time: START_TIME, events: n % 3 === 0 ? [...events, ...events] : events });
  });
}

const small = (max: number) => fc.integer({ min: 0, max });
const uid = fc.integer({ min: 1, max: 3 });
/** What a literal of PostgreSQL has to escape, and what SQLite stores as bytes. */
const text = fc.oneof(
  fc.constantFrom('', 'a', 'NULL', '{}', '","', '\\', '\\x41', "'", 'é€𝄞', '\n\t', ' '),
  // Not `fc.string`, which makes a table of all characters: seconds of processor time.
  fc
    .array(fc.integer({ min: 1, max: 0x10ffff }), { maxLength: 8 })
    .map((points) => String.fromCodePoint(...points).toWellFormed()),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty'),
);
const money = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });

/** Ids rise with time, with ties. */
function commands(): fc.Arbitrary<Told[]> {
  const seeds = fc.record({
    kind: small(EVENTS.length - 1),
    uid,
    other: uid,
    step: small(3),
    wait: fc.constantFrom(0, 0, 1, 20, DAY_MS),
    instrument: small(INSTRUMENTS.length - 1),
    coin: small(COINS.length - 1),
    text,
    money,
    flag: fc.boolean(),
    third: small(2),
    interval: fc.constantFrom(...CANDLE_INTERVALS),
  });
  return fc.array(fc.array(seeds, { maxLength: 6 }), { minLength: 10, maxLength: 60 }).map((all) => {
    let id = 0;
    let time = START_TIME;
    return all.map((events, n) => ({
      events: events.flatMap((seed) => {
        id += 1 + seed.step;
        time += seed.wait;
        return EVENTS[seed.kind]!({ ...seed, id, time });
      }),
      past: n % 17 === 3 ? generatedPast(n) : undefined,
    }));
  });
}

interface Seed {
  readonly id: number;
  readonly time: number;
  readonly uid: number;
  readonly other: number;
  readonly instrument: number;
  readonly coin: number;
  readonly text: string;
  readonly money: bigint;
  readonly flag: boolean;
  readonly third: number;
  readonly interval: (typeof CANDLE_INTERVALS)[number];
}

const EVENTS: readonly ((seed: Seed) => Event[])[] = [
  ({ id, uid, instrument, time, text, flag }) => {
    const { category } = INSTRUMENTS[instrument]!;
    const status = flag ? OrderStatus.filled : OrderStatus.cancelled;
    return [
      {
        type: 'order',
        order: anOrder({
          orderId: id,
          uid,
          instrument,
          category,
          createdTime: time,
          clientOid: text,
          status,
        }),
      },
    ];
  },
  ({ id, uid, instrument, time, text, coin, flag, third }) => {
    const { category } = INSTRUMENTS[instrument]!;
    const kind = flag ? OrderKind.liquidation : OrderKind.user;
    const futures =
      instrument === PERPETUAL ? { futures: { posSide: PosSide.long, closing: flag, kind, pnl: 5n } } : {};
    const fill = aFill({
      execId: id,
      orderId: 1 + third,
      uid,
      instrument,
      category,
      time,
      clientOid: text,
      feeCoin: coin,
      ...futures,
    });
    return [{ type: 'fill', fill }];
  },
  ({ id, uid, time, coin, money, text, third }) => [
    aLedgerLine({
      lineId: id,
      uid,
      coin,
      time,
      amount: money,
      reference: text,
      ...(third === 0 && { kind: 'deposit', instrument: -1 }),
      ...(third === 1 && { wallet: 1 }),
    }),
  ],
  ({ id, uid, other, time, coin, money, text }) => [
    aTransfer({
      transferId: id,
      initiatorUid: other,
      fromUid: uid,
      toUid: 1,
      coin,
      amount: money,
      clientOid: text,
      time,
    }),
  ],
  ({ id, uid, time, coin, text, flag, third }) => {
    const record = aWalletRecord({
      recordId: id,
      uid,
      coin,
      createdTime: time,
      tag: text,
      kind: third === 0 ? 'deposit' : 'withdrawal',
    });
    return flag
      ? [record, { ...record, status: 'success', reference: text, updatedTime: time + 1 }]
      : [record];
  },
  ({ id, uid, time, third }) => [
    aClosedPosition({ positionId: id, uid, createdTime: time, updatedTime: time + third * 1000 }),
  ],
  ({ id, uid, other, time }) => [aMove({ orderId: id, masterUid: uid, fromUid: other, time })],
  ({ id, uid, time, flag, text }) => [
    {
      type: 'strategyOrder',
      order: aStrategy({
        orderId: id,
        uid,
        createdTime: time,
        clientOid: text,
        kind: flag ? StrategyKind.trigger : StrategyKind.partial,
        status: StrategyStatus.cancelled,
      }),
    },
  ],
  ({ id, uid, time, coin }) => [aConversion({ conversionId: id, uid, time, toCoin: coin })],
  ({ instrument, time, interval }) => [
    aCandle({ instrument, interval, openTime: time - (time % MINUTE_MS) }),
  ],
  ({ time, interval, third }) => [
    aPriceCandle({
      kind: (['mark', 'index', 'premium'] as const)[third]!,
      interval,
      openTime: time - (time % MINUTE_MS),
    }),
  ],
  ({ time, money }) => [aFunding(time, money % 10n ** 9n)],
  ({ time, coin, money }) => [{ type: 'insuranceHour', coin, amount: money, balance: -money, time }],
  ({ id, uid, time, third }) => [
    aLoan({ loanId: id, uid, borrowTime: time, status: (['REPAY', 'FORCE', 'ROLLBACK'] as const)[third]! }),
  ],
  ({ id, uid, time, third }) => [aRepayment({ repayId: id, loanId: 1 + third, uid, time })],
  ({ id, uid, time, flag }) => [aRevision({ reviseId: id, uid, time, into: flag })],
  ({ id, uid, time }) => [aReduction({ reduceId: id, uid, time })],
];

function generatedPast(n: number): GeneratedPast {
  const count = 30;
  const firstOpen = START_TIME - (START_TIME % MINUTE_MS) - (n + 40) * MINUTE_MS;
  const candles = {
    category: 'SPOT',
    symbol: 'BTCUSDT',
    interval: '1m' as const,
    firstOpen,
    pricePrecision: 2,
    quantityPrecision: 6,
    ticks: Int32Array.from({ length: 4 * count }, (_, place) => 100 + place + n),
    lots: Float64Array.from({ length: count }, (_, place) => place + 1),
  };
  const rates = [{ time: START_TIME - n * DAY_MS, fundingRate: '0.0001' }];
  return {
    candles: [candles],
    funding: { category: CATEGORY_NAMES[Category.usdtFutures], symbol: 'BTCUSDT', rates },
  };
}

type Question = readonly [name: string, ask: (history: History) => Promise<unknown>];

function question(): fc.Arbitrary<Question> {
  const sometimes = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 1 });
  const time = fc.oneof(
    fc.constantFrom(0, Number.MAX_SAFE_INTEGER),
    small(40 * DAY_MS).map((after) => START_TIME + after),
  );
  return fc
    .record({
      which: small(READS.length - 1),
      uid,
      times: fc.tuple(time, time),
      id: small(300),
      beforeId: sometimes(small(300)),
      limit: fc.constantFrom(1, 3, 20, 1000),
      skip: small(3),
      symbol: sometimes(fc.constantFrom('BTCUSDT', 'ETHUSDT', 'NONE')),
      category: sometimes(fc.constantFrom(...CATEGORY_NAMES)),
      coin: sometimes(fc.constantFrom(...COINS)),
      text: fc.oneof(text, fc.constant('a\0b')),
      flag: fc.boolean(),
      third: small(2),
      interval: fc.constantFrom(...CANDLE_INTERVALS),
      wallet: fc.constantFrom(...WALLET_NAMES),
    })
    .map(({ which, times, ...rest }) => {
      const [name, ask] = READS[which]!;
      const asked = given({ ...rest, startTime: Math.min(...times), endTime: Math.max(...times) }) as Asked;
      return [`${name}(${JSON.stringify(asked)})`, (history) => ask(history, asked)];
    });
}

interface Asked {
  readonly uid: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly id: number;
  readonly beforeId?: number;
  readonly limit: number;
  readonly skip: number;
  readonly symbol?: string;
  readonly category?: (typeof CATEGORY_NAMES)[number];
  readonly coin?: string;
  readonly text: string;
  readonly flag: boolean;
  readonly third: number;
  readonly interval: (typeof CANDLE_INTERVALS)[number];
  readonly wallet: (typeof WALLET_NAMES)[number];
}

const READS: readonly (readonly [string, (history: History, q: Asked) => Promise<unknown>])[] = [
  ['closedOrders', (history, q) => history.closedOrders(q)],
  ['orderById', (history, q) => history.orderById(q.uid, q.id)],
  ['latestOrderByClientOid', (history, q) => history.latestOrderByClientOid(q.uid, q.text)],
  ['fills', (history, q) => history.fills(q.flag ? { ...q, orderId: 1 + q.third } : q)],
  [
    'commissions',
    (history, q) =>
      history.commissions({
        ...q,
        uids: [1, 2, 3].slice(0, q.third),
        categories: q.flag ? CATEGORY_NAMES : ['SPOT'],
      }),
  ],
  [
    'endedStrategies',
    (history, q) => history.endedStrategies({ ...q, category: 'SPOT', ...(q.flag && { type: 'tpsl' }) }),
  ],
  ['endedStrategy', (history, q) => history.endedStrategy(q.uid, q.flag ? 0 : q.id, q.text)],
  ['closedPositions', (history, q) => history.closedPositions({ ...q, category: 'USDT-FUTURES' })],
  ['positionMoves', (history, q) => history.positionMoves({ ...q, category: 'USDT-FUTURES' })],
  ['ledgerLines', (history, q) => history.ledgerLines(q)],
  [
    'transfers',
    (history, q) =>
      history.transfers({
        ...q,
        role: (['initiator', 'sender', 'receiver'] as const)[q.third]!,
        betweenAccounts: q.flag,
      }),
  ],
  ['walletRecords', (history, q) => history.walletRecords({ ...q, type: q.flag ? 'deposit' : 'withdraw' })],
  [
    'familyWalletRecords',
    (history, q) =>
      history.familyWalletRecords({
        ...q,
        uids: q.third === 0 ? undefined : [q.uid, 2],
        ...(q.flag && { status: 'pending' }),
      }),
  ],
  [
    'conversions',
    (history, q) => history.conversions({ ...q, ...(q.coin !== undefined && { toCoin: q.coin }) }),
  ],
  [
    'candles',
    (history, q) =>
      history.candles({
        ...seriesOf(q),
        startTime: q.startTime,
        endTime: q.endTime,
        limit: q.limit,
        from: q.flag ? 'newest' : 'oldest',
      }),
  ],
  ['lastCandleBefore', (history, q) => history.lastCandleBefore(seriesOf(q), START_TIME + q.id * MINUTE_MS)],
  [
    'generatedPart',
    (history, q) =>
      history.generatedPart(seriesOf(q), START_TIME - (START_TIME % MINUTE_MS) - q.id * MINUTE_MS),
  ],
  [
    'gaplessCandles',
    (history, q) =>
      history.gaplessCandles({
        series: seriesOf(q),
        running: undefined,
        now: START_TIME + q.id * MINUTE_MS,
        startTime: q.flag ? START_TIME - 100 * MINUTE_MS : undefined,
        endTime: undefined,
        limit: Math.min(q.limit, 20),
      }),
  ],
  [
    'generatedCandles',
    (history, q) =>
      history.generatedCandles({
        category: 'SPOT',
        symbol: 'BTCUSDT',
        startTime: START_TIME - q.id * MINUTE_MS,
      }),
  ],
  ['generatedBooks', (history) => history.generatedBooks()],
  [
    'fundingRates',
    (history, q) =>
      history.fundingRates({ category: 'USDT-FUTURES', symbol: 'BTCUSDT', skip: q.skip, limit: q.limit }),
  ],
  ['insuranceHours', (history, q) => history.insuranceHours(q.coin ?? 'BTC', q.startTime)],
  ['liquidations', (history, q) => history.liquidations({ ...q, category: 'USDT-FUTURES' })],
  [
    'loans',
    (history, q) =>
      history.loanRecords('borrow', { ...q, ...(q.flag && { endedSince: START_TIME + DAY_MS }) }),
  ],
  ['repayments', (history, q) => history.loanRecords('repay', { ...q, loanId: 1 + q.third })],
  ['revisions', (history, q) => history.loanRecords('pledgeRate', q.flag ? { ...q, choice: 'down' } : q)],
  ['reductions', (history, q) => history.loanRecords('reduce', q)],
  ['counts', (history) => history.counts()],
];

function seriesOf({ interval, third, flag }: Asked) {
  const type = (['market', 'mark', 'premium'] as const)[third]!;
  return { type, category: flag ? 'SPOT' : 'USDT-FUTURES', symbol: 'BTCUSDT', interval } as const;
}

function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}
