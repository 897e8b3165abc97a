/** What is kept: through restarts, and for how long. */
import assert from 'node:assert/strict';
import { LEDGER_RETENTION_MS, RETENTION_MS } from '../../src/history/history.ts';
import {
  aCandle,
  aConversion,
  aFill,
  aLedgerLine,
  aMove,
  anOrder,
  aTransfer,
  aWalletRecord,
  START_TIME,
} from './example-events.ts';
import { everything, projectInCommands, randomRows } from './random-rows.ts';
import { type Contract, openDescribed, orderEvent, viewOf } from './storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export function keepingContract({ session, contract, restart }: Contract): void {
  restart('a restart keeps what was stored, and projecting again changes nothing', async (storage) => {
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
    while (history.confirmedSeq < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(history.confirmedSeq, 1);
    assert.equal(history.lag(), 0);
  });

  session('commands out of order are a mistake of the caller', async (history) => {
    history.project({ seq: 5, time: START_TIME, events: [] });
    assert.throws(() => history.project({ seq: 5, time: START_TIME, events: [] }), /5 was projected after 5/);
    assert.throws(() => history.project({ seq: 4, time: START_TIME, events: [] }));
  });

  session(
    'rows older than the retention go, candles, late closed orders and pending withdrawals stay',
    async (history) => {
      const now = START_TIME + 200 * DAY_MS;
      const cutoff = now - RETENTION_MS;
      const ledgerCutoff = now - LEDGER_RETENTION_MS;
      const old = Array.from({ length: 1800 }, (_, n) => [
        orderEvent(anOrder({ orderId: n + 10, createdTime: cutoff - 1, updatedTime: cutoff - 1 })),
        { type: 'fill', fill: aFill({ execId: n + 10, time: cutoff - 1 }) } as const,
        aLedgerLine({ lineId: n + 10, time: ledgerCutoff - 1 }),
        aTransfer({ transferId: n + 10, time: cutoff - 1 }),
        aWalletRecord({ recordId: n + 10, status: 'fail', createdTime: cutoff - 1 }),
      ]).flat();
      const kept = [
        orderEvent(anOrder({ orderId: 5, createdTime: START_TIME, updatedTime: cutoff })),
        orderEvent(anOrder({ orderId: 9000, createdTime: cutoff, updatedTime: cutoff })),
        { type: 'fill', fill: aFill({ execId: 9001, time: cutoff }) } as const,
        aLedgerLine({ lineId: 9002, time: ledgerCutoff }),
        aTransfer({ transferId: 9003, time: cutoff }),
        aMove({ orderId: 4, time: cutoff - 1 }),
        aMove({ orderId: 9006, time: cutoff }),
        aConversion({ conversionId: 2, time: cutoff - 1 }),
        aConversion({ conversionId: 9005, time: cutoff }),
        aWalletRecord({ recordId: 3, createdTime: START_TIME }),
        aWalletRecord({ recordId: 9004, createdTime: cutoff }),
        aCandle({ openTime: START_TIME }),
      ];
      history.project({ seq: 1, time: now, events: [...old, ...kept] });
      assert.equal(await history.prune(now), old.length + 2);
      assert.deepEqual(await history.counts(), {
        closedOrders: 2,
        strategies: 0,
        closedPositions: 0,
        positionMoves: 1,
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

  contract('a closed history refuses every call', async (storage) => {
    const history = await openDescribed(storage);
    await history.close();
    await history.close();
    await assert.rejects(history.flush(), /closed/);
    await assert.rejects(history.orderById(1, 1), /closed/);
    assert.throws(() => history.project({ seq: 1, time: START_TIME, events: [] }), /closed/);
  });
}
