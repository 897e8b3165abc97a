import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Bucket, FIRST_USER_ACCOUNT, SystemAccount } from '../model/ledger-accounts.ts';
import { Ledger } from './ledger.ts';

type Rows = Record<string, readonly bigint[]>;

interface Move {
  readonly account: number;
  readonly coin: number;
  readonly amount: bigint;
  readonly bucket: Bucket;
}

function rowsOf(
  visitRows: (visit: (account: number, coin: number, buckets: readonly bigint[]) => void) => void,
): Rows {
  const rows: Rows = {};
  visitRows((account, coin, buckets) => {
    rows[`${account} ${coin}`] = buckets;
  });
  return rows;
}

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({
    account: fc.nat(5),
    coin: fc.nat(2),
    amount: fc.bigInt(1n, 100n),
    bucket: fc.constantFrom(Bucket.cash, Bucket.funding),
  }),
  { maxLength: 40 },
);

function apply(ledger: Ledger, made: readonly Move[]): void {
  for (const { account, coin, amount, bucket } of made) {
    const outside = ledger.cell(SystemAccount.external, coin, Bucket.cash);
    ledger.move(outside, ledger.cell(FIRST_USER_ACCOUNT + account, coin, bucket), amount);
  }
}

test('a consistent read shows every row as it was when it began, however much moves between its portions', () => {
  fc.assert(
    fc.property(
      moves,
      fc.array(moves, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      (before, between, portion) => {
        const ledger = new Ledger(() => true);
        apply(ledger, before);
        const expected = rowsOf((visit) => ledger.eachRow(visit));
        const read = ledger.beginRead();
        const seen: Rows = {};
        let turn = 0;
        for (let row = 0; row < read.rowCount; row += portion) {
          apply(ledger, between[turn++ % between.length]!);
          Object.assign(
            seen,
            rowsOf((visit) => read.read(row, row + portion, visit)),
          );
        }
        read.close();
        assert.deepEqual(seen, expected);
      },
    ),
  );
});

test('two reads at once show their own instants', () => {
  const ledger = new Ledger(() => true);
  const put = (amount: bigint) => apply(ledger, [{ account: 0, coin: 0, amount, bucket: Bucket.cash }]);
  const cashIn = (read: ReturnType<Ledger['beginRead']>) =>
    rowsOf((visit) => read.read(0, read.rowCount, visit))[`${FIRST_USER_ACCOUNT} 0`]?.[Bucket.cash];
  put(1n);
  const first = ledger.beginRead();
  put(2n);
  const second = ledger.beginRead();
  put(4n);
  assert.equal(cashIn(first), 1n);
  first.close();
  put(8n);
  assert.equal(cashIn(second), 3n);
  second.close();
});
