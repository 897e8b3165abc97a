import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OpenOrderCounts } from './open-order-counts.ts';

const step = fc.record({ account: fc.nat(40), instrument: fc.nat(5), opens: fc.boolean() });

test('counts by account and instrument, while orders come and go', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const counts = new OpenOrderCounts();
      const expected = new Map<string, number>();
      for (const { account, instrument, opens } of steps) {
        const name = `${account} ${instrument}`;
        const open = expected.get(name) ?? 0;
        if (opens) counts.add(account, instrument);
        else if (open > 0) counts.drop(account, instrument);
        expected.set(name, opens ? open + 1 : Math.max(0, open - 1));
        equal(counts.of(account, instrument), expected.get(name));
      }
    }),
  );
});

test('a table that grows keeps the counts it has', () => {
  const counts = new OpenOrderCounts();
  for (let account = 0; account < 5000; account++)
    for (let n = 0; n <= account % 3; n++) counts.add(account, account % 11);
  for (let account = 0; account < 5000; account++)
    equal(counts.of(account, account % 11), (account % 3) + 1, `account ${account}`);
});
