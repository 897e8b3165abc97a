import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BookFold, scaled, unscaled } from './book.ts';

const snapshot = {
  a: [
    ['100.3', '1'],
    ['100.5', '2.5'],
    ['101.2', '4'],
  ],
  b: [
    ['100.1', '0.5'],
    ['99.9', '3'],
  ],
  seq: 7,
  pseq: 0,
  ts: '1',
} as const;

function opened(): BookFold {
  const book = new BookFold(1, 2);
  assert.equal(book.apply('snapshot', snapshot), true);
  return book;
}

test('text and whole numbers, both ways', () => {
  assert.equal(scaled('60274', 1), 602740);
  assert.equal(scaled('0.05', 4), 500);
  assert.equal(unscaled(602740, 1), '60274.0');
  assert.equal(unscaled(5, 4), '0.0005');
  assert.equal(unscaled(7, 0), '7');
});

test('differences change, add and delete levels; sums run from the best', () => {
  const book = opened();
  assert.equal(
    book.apply('update', {
      a: [
        ['100.3', '0'],
        ['100.4', '0.25'],
      ],
      b: [['100.1', '1']],
      seq: 8,
      pseq: 7,
      ts: '2',
    }),
    true,
  );
  assert.deepEqual(book.rows('asks', 3, 1), [
    { priceTicks: 1004, sizeLots: 25, sumLots: 25 },
    { priceTicks: 1005, sizeLots: 250, sumLots: 275 },
    { priceTicks: 1012, sizeLots: 400, sumLots: 675 },
  ]);
  assert.deepEqual(book.rows('bids', 1, 1), [{ priceTicks: 1001, sizeLots: 100, sumLots: 100 }]);
  assert.equal(book.seq, 8);
});

test('a push that does not follow the last one is refused and changes nothing', () => {
  const book = opened();
  assert.equal(book.apply('update', { a: [], b: [['100.1', '9']], seq: 10, pseq: 9, ts: '2' }), false);
  assert.equal(book.best('bids'), 1001);
  assert.equal(book.rows('bids', 1, 1)[0]!.sizeLots, 50);
  assert.equal(book.apply('snapshot', { ...snapshot, seq: 20 }), true);
  assert.equal(book.seq, 20);
});

test('groups: bids are counted downwards, asks upwards, so none looks better than it is', () => {
  const book = opened();
  assert.deepEqual(
    book.rows('asks', 5, 10).map(({ priceTicks, sizeLots }) => [priceTicks, sizeLots]),
    [
      [1010, 350],
      [1020, 400],
    ],
  );
  assert.deepEqual(
    book.rows('bids', 5, 10).map(({ priceTicks, sizeLots }) => [priceTicks, sizeLots]),
    [
      [1000, 50],
      [990, 300],
    ],
  );
});
