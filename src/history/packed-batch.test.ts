import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FillRecord, LedgerLine, OrderRecord } from '../core/model/event.ts';
import { BatchPacker, unpackBatch } from './packed-batch.ts';

const id = fc.nat(Number.MAX_SAFE_INTEGER);
const code = fc.nat(2) as fc.Arbitrary<never>;
const index = fc.integer({ min: -1, max: 2000 });
const money = fc.bigInt({ min: -(2n ** 100n), max: 2n ** 100n });
const text = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }));
const ticks = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const flag = fc.boolean();

/** Every field, or every field but the optional ones that are named. */
function recordOf<Record>(
  fields: { [Field in keyof Required<Record>]: fc.Arbitrary<Required<Record>[Field]> },
  ...optional: (keyof Record)[]
): fc.Arbitrary<Record> {
  const requiredKeys = (Object.keys(fields) as (keyof Record)[]).filter((key) => !optional.includes(key));
  return fc.record(fields, { requiredKeys, noNullPrototype: true });
}

const leg = fc.record(
  { triggerTicks: ticks, triggerBy: code, orderType: code, limitTicks: ticks },
  { noNullPrototype: true },
);

const order = recordOf<OrderRecord>(
  {
    orderId: id,
    clientOid: text,
    uid: id,
    instrument: index,
    category: code,
    side: code,
    orderType: code,
    timeInForce: code,
    stpMode: code,
    source: code,
    priceTicks: id,
    sizeLots: id,
    quoteAmount: money,
    filledLots: id,
    filledValue: money,
    feeCoin: index,
    fee: money,
    status: code,
    cancelReason: code,
    createdTime: id,
    updatedTime: id,
    futures: recordOf({
      posSide: code,
      hedge: flag,
      reduceOnly: flag,
      closing: flag,
      isolated: flag,
      kind: code,
      pnl: money,
    }),
    origin: code,
    preset: recordOf({ takeProfit: leg, stopLoss: leg }),
  },
  'futures',
  'origin',
  'preset',
);

const fill = recordOf<FillRecord>(
  {
    execId: id,
    execLinkId: id,
    orderId: id,
    clientOid: text,
    uid: id,
    instrument: index,
    category: code,
    side: code,
    orderType: code,
    maker: flag,
    priceTicks: id,
    sizeLots: id,
    value: money,
    feeCoin: index,
    fee: money,
    commission: money,
    rpi: flag,
    time: id,
    futures: recordOf({ posSide: code, closing: flag, kind: code, pnl: money }),
  },
  'futures',
);

const line = recordOf<LedgerLine>(
  {
    type: fc.constant('ledgerLine'),
    lineId: id,
    uid: id,
    coin: index,
    kind: fc.constantFrom('deposit', 'tradeIn', 'fundingOut'),
    instrument: index,
    category: code,
    amount: money,
    fee: money,
    balance: money,
    wallet: code,
    reference: text,
    time: id,
  },
  'wallet',
);

const row = fc.oneof(
  order.map((event) => ['orders', event] as const),
  fill.map((event) => ['fills', event] as const),
  fill.map((event) => ['liquidations', event] as const),
  line.map((event) => ['ledgerLines', event] as const),
  fc.record({ time: id }).map((event) => ['transfers', event as never] as const),
);

test('a batch comes out as it went in, and the next one begins empty', () => {
  const packer = new BatchPacker();
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), id, (rows, seq) => {
      packer.seq = seq;
      for (const [kind, event] of rows) packer.add(kind, event);
      assert.equal(packer.rows, rows.length);
      const batch = unpackBatch(packer.take());
      assert.deepEqual([batch.seq, batch.rows, packer.rows], [seq, rows.length, 0]);
      for (const kind of ['orders', 'fills', 'liquidations', 'ledgerLines', 'transfers'] as const)
        assert.deepEqual(
          batch.byKind[kind],
          rows.filter(([of]) => of === kind).map(([, event]) => event),
        );
    }),
    { numRuns: 200 },
  );
});
