import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SIZE_LOTS_MAX } from '../model/limits.ts';
import { LevelLots } from './level-lots.ts';

test('sums are those of big integers, beyond exact numbers and back again', () => {
  const order = fc.record({
    level: fc.nat(2),
    lots: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(SIZE_LOTS_MAX), fc.maxSafeNat()),
  });
  fc.assert(
    fc.property(fc.array(order, { maxLength: 40 }), fc.array(fc.nat(39)), (orders, ends) => {
      const lots = new LevelLots(2);
      lots.grow(4);
      const sums = [0n, 0n, 0n];
      const compare = () => {
        for (const [level, sum] of sums.entries()) equal(lots.of(level), Number(sum));
      };
      const open = new Set(orders);
      for (const { level, lots: each } of orders) {
        lots.add(level, each);
        sums[level]! += BigInt(each);
        compare();
      }
      for (const end of [...ends, ...orders.keys()]) {
        const order = orders[end];
        if (order === undefined || !open.delete(order)) continue;
        lots.take(order.level, order.lots);
        sums[order.level]! -= BigInt(order.lots);
        compare();
      }
      equal(open.size, 0);
    }),
  );
});
