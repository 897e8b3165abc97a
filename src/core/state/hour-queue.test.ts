import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOUR_MS, Loan } from '../model/loan.ts';
import { HourQueue } from './hour-queue.ts';

const step = fc.record({
  kind: fc.constantFrom('borrow', 'borrow', 'restore', 'restore', 'charge', 'charge', 'repay', 'touch'),
  pick: fc.nat(1000),
  gap: fc.nat({ max: HOUR_MS / 10 }),
  /** Several may be out of order before somebody asks. */
  asks: fc.boolean(),
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
      for (const [id, { kind, pick, gap, asks }] of steps.entries()) {
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
        if (asks) {
          equal(queue.first(), earliest(loans));
          const soon = now + pick * 1000;
          const due = loans.filter((loan) => loan.nextHour() <= soon).length;
          for (const most of [1, 3, 1000]) equal(queue.countUntil(soon, most), Math.min(due, most));
        }
      }
      for (let due = earliest(loans); due !== undefined; due = earliest(loans)) {
        equal(queue.first(), due);
        queue.remove(due);
        loans = loans.filter((loan) => loan !== due);
      }
      equal(queue.first(), undefined);
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

test('loans of a snapshot come in order, also when their hours are centuries apart', () => {
  for (const hours of [1, 2 ** 33]) {
    const queue = new HourQueue();
    const loans = Array.from({ length: 2000 }, (_, id) =>
      loanOf(id + 1, ((id * 7919) % 500) * HOUR_MS * hours),
    );
    for (const loan of loans) queue.add(loan);
    const order: Loan[] = [];
    for (let loan = queue.first(); loan !== undefined; loan = queue.first()) {
      order.push(loan);
      queue.remove(loan);
    }
    deepEqual(
      order.map(({ id }) => id),
      loans.sort((a, b) => a.nextHour() - b.nextHour() || a.id - b.id).map(({ id }) => id),
    );
  }
});
