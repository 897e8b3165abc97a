/** Pages against plain arrays. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CATEGORY_NAMES, WALLET_NAMES, Wallet } from '../../src/core/model/enums.ts';
import type { History, PageQuery, TransferRole } from '../../src/history/history.ts';
import { fillView } from '../../src/views/fill-view.ts';
import {
  LEDGER_TYPES,
  type LedgerCategory,
  ledgerView,
  OTHER_CATEGORY,
} from '../../src/views/ledger-view.ts';
import { transferView } from '../../src/views/transfer-view.ts';
import { walletRecordView } from '../../src/views/wallet-record-view.ts';
import { COINS, coinName, INSTRUMENTS, START_TIME } from './example-events.ts';
import { projectInCommands, type RandomRows, randomRows } from './random-rows.ts';
import { type Contract, fillKey, lineKey, orderKey, transferKey, viewOf } from './storage.ts';

export function pagingContract({ session }: Contract): void {
  session('pages of thousands of rows have no gap and no repeat', async (history) => {
    const rows = randomRows(6000);
    projectInCommands(history, rows.events);
    const pages = { history, rows };
    await fc.assert(
      fc.asyncProperty(anyQuery(rows.lastTime), (query) => pagesEqualNaive(pages, query)),
      { numRuns: 60 },
    );
  });
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
  const { uid, startTime } = query;
  // Pages of one row over everything would take most of the test's time: they are of a tenth of it.
  const limit = startTime === 0 && query.limit < 7 ? 100 : query.limit;
  const latest = startTime + Math.ceil((rows.lastTime - START_TIME) / 10);
  const endTime = limit < 7 ? Math.min(query.endTime, latest) : query.endTime;
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
