import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TriggerLadder } from './trigger-ladder.ts';
import { HIT_STOP_LOSS, HIT_TAKE_PROFIT, SUBMITTING, TriggerTable, triggerOf } from './trigger-table.ts';

const BITS = [HIT_TAKE_PROFIT, HIT_STOP_LOSS];

/** An owner as the obvious table has it: the prices that it waits for, by bit. */
interface Owner {
  readonly id: number;
  readonly seat: number;
  readonly waits: Map<number, { rising: boolean; ticks: number }>;
  reached: number;
}

const ticks = fc.integer({ min: 1, max: 40 });
const step = fc.oneof(
  fc.record({ act: fc.constant('enter' as const), rising: fc.boolean(), ticks, other: ticks }),
  fc.record({ act: fc.constantFrom('disarm' as const, 'leave' as const), of: fc.nat() }),
  fc.record({ act: fc.constant('price' as const), ticks }),
  fc.record({ act: fc.constant('submit' as const) }),
);

test('a price reaches whom it would in the obvious table, and each is submitted once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
      const table = new TriggerTable();
      const ladders = { rise: new TriggerLadder(table, true), fall: new TriggerLadder(table, false) };
      const owners: Owner[] = [];
      let due: Owner[] = [];
      let id = 0;
      for (const step of steps) {
        if (step.act === 'enter') {
          const seat = table.takeSeat(++id, 0);
          const owner: Owner = { id, seat, waits: new Map(), reached: 0 };
          owners.push(owner);
          for (const [n, bit] of BITS.entries()) {
            const rising = n === 0 ? step.rising : !step.rising;
            const at = n === 0 ? step.ticks : step.other;
            table.set(triggerOf(seat, n === 0 ? 0 : 1), rising ? ladders.rise : ladders.fall, at, bit);
            owner.waits.set(bit, { rising, ticks: at });
          }
        } else if (step.act === 'price') {
          if (ladders.rise.nearestTicks <= step.ticks) ladders.rise.fire(step.ticks);
          if (ladders.fall.nearestTicks >= step.ticks) ladders.fall.fire(step.ticks);
          for (const owner of owners) {
            for (const [bit, { rising, ticks }] of owner.waits) {
              if (rising ? step.ticks < ticks : step.ticks > ticks) continue;
              owner.waits.delete(bit);
              if (!due.includes(owner)) due.push(owner);
              owner.reached |= bit;
            }
          }
        } else if (step.act === 'submit') {
          deepEqual(
            [...table.submitDue()].sort((a, b) => a - b),
            due.map((owner) => owner.id).sort((a, b) => a - b),
          );
          for (const owner of due) {
            owner.reached |= SUBMITTING;
            owner.waits.clear();
          }
          due = [];
        } else if (owners.length > 0) {
          const owner = owners[step.of % owners.length]!;
          table.clear(owner.seat);
          owner.waits.clear();
          if (step.act === 'leave') {
            table.giveBack(owner.seat);
            owners.splice(owners.indexOf(owner), 1);
            due = due.filter((other) => other !== owner);
          }
        }
        for (const { seat, reached } of owners) equal(table.reachedOf(seat), reached);
        equal(table.countOrders(), owners.length);
      }
    }),
    { numRuns: 300 },
  );
});
