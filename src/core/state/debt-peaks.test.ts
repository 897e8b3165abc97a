import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DebtPeaks } from './debt-peaks.ts';

const COINS = 4;
const change = fc.record({
  account: fc.nat({ max: 3 }),
  coin: fc.nat({ max: COINS - 1 }),
  peak: fc.bigInt({ min: 0n, max: 2n }),
  clear: fc.constantFrom(false, false, false, false, false, false, false, true),
});

test('an account has a peak while one of its rows has', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const peaks = new DebtPeaks();
      const expected = new Map<number, bigint>();
      for (const { account, coin, peak, clear } of changes) {
        const row = account * COINS + coin;
        if (clear) {
          peaks.clear();
          expected.clear();
        } else {
          peaks.set(account, row, peak);
          if (peak > 0n) expected.set(row, peak);
          else expected.delete(row);
        }
        assert.deepEqual(new Map(peaks.entries()), expected);
        assert.equal(peaks.size, expected.size);
        assert.equal(peaks.of(row), expected.get(row) ?? 0n);
        for (let each = 0; each < 4; each++) {
          const rows = [...expected.keys()].filter((known) => Math.floor(known / COINS) === each);
          assert.equal(peaks.has(each), rows.length > 0);
        }
      }
    }),
  );
});
