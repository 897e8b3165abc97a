import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS, Loan } from '../model/loan.ts';
import { HourQueue } from './hour-queue.ts';

const step = fc.record({
  kind: fc.constantFrom('borrow', 'restore', 'charge', 'charge', 'repay', 'touch'),
  pick: fc.nat(1000),
  gap: fc.nat({ max: HOUR_MS / 10 }),
});

function loanOf(id: number, borrowTime: number): Loan {
  const loan = new Loan();
  loan.id = id;
  loan.borrowTime = borrowTime;
  loan.hours = 1;
  return loan;
}

/** The same by looking at all. */
function earliest(loans: readonly Loan[]): Loan | undefined {
  return [...loans].sort((a, b) => a.nextHour() - b.nextHour() || a.id - b.id)[0];
}

test('the first of the queue is that of all, whatever was lent, charged, repaid and read from a snapshot', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const queue = new HourQueue();
      let loans: Loan[] = [];
      let now = 100 * HOUR_MS;
      for (const [id, { kind, pick, gap }] of steps.entries()) {
        const known = loans[pick % Math.max(1, loans.length)];
        const due = earliest(loans);
        if (kind === 'borrow' || kind === 'restore' || known === undefined || due === undefined) {
          // A snapshot has them in the order of their ids.
          const loan = loanOf(id, kind === 'restore' ? now - gap : now);
          loans.push(loan);
          queue.add(loan);
        } else if (kind === 'charge') {
          now = Math.max(now, due.nextHour());
          due.hours++;
          queue.settle(due);
        } else if (kind === 'repay') {
          queue.remove(known);
          loans = loans.filter((loan) => loan !== known);
        } else queue.settle(known);
        equal(queue.first(), earliest(loans));
      }
    }),
  );
});

test('loans of one hour come in the order of their ids', () => {
  const queue = new HourQueue();
  const loans = [3, 1, 2].map((id) => loanOf(id, 0));
  for (const loan of loans) queue.add(loan);
  const order: number[] = [];
  for (let loan = queue.first(); loan !== undefined; loan = queue.first()) {
    order.push(loan.id);
    queue.remove(loan);
  }
  equal(order.join(), '1,2,3');
});
