/** Loan records. */
import assert from 'node:assert/strict';
import type { LoanReduced, LoanRepaid } from '../../src/core/model/event.ts';
import type { LoanQuery } from '../../src/history/history.ts';
import { reduceView, repayView } from '../../src/views/loan-view.ts';
import { aLoan, aReduction, aRepayment, aRevision, coinName, START_TIME } from './example-events.ts';
import { ALL_TIME, type Contract, orderKey } from './storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export function loanContract({ session }: Contract): void {
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
}
