import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PosSide } from '../model/enums.ts';
import { Position } from '../model/position.ts';
import { Account } from './account.ts';
import { POSITION_COLUMNS, PositionRow, PositionTable } from './position-table.ts';

test('a table has each position once with its own numbers, whichever have left', () => {
  const table = new PositionTable();
  const held = new Set<Position>();
  for (let n = 0; n < 200; n++) {
    const account = new Account(1000 + n, n, 0, n, false, false);
    const position = new Position(n, n, 0, PosSide.none, false, 0);
    table.add(account, position);
    held.add(position);
    position.open(n % 2 === 0, 1 + n, BigInt(100 * n), BigInt(90 * n));
    table.changed(position);
    const leaving = [...held][(n * 7919) % held.size]!;
    if (n % 3 !== 0) continue;
    table.remove(leaving);
    held.delete(leaving);
  }
  assert.equal(table.size, held.size);
  assert.deepEqual(new Set(table.positions), held);
  for (const [row, { id, row: own, size, queueBasis }] of table.positions.entries()) {
    assert.equal(own, row);
    const at = row * POSITION_COLUMNS;
    assert.equal(table.numbers[at + PositionRow.size], size);
    assert.equal(table.numbers[at + PositionRow.queueBasis], Math.abs(Number(queueBasis)));
    assert.equal(table.numbers[at + PositionRow.account], id);
    assert.equal(table.numbers[at + PositionRow.uid], 1000 + id);
  }
});

test('the columns leave a rank open that needs more than they say', () => {
  const table = new PositionTable();
  const account = new Account(1, 1, 0, 1, false, false);
  const basisOf = (position: Position) => {
    table.add(account, position);
    return table.numbers[(table.size - 1) * POSITION_COLUMNS + PositionRow.queueBasis];
  };
  assert.equal(basisOf(new Position(1, 1, 0, PosSide.long, false, 0)), Number.NaN);
  assert.equal(basisOf(new Position(2, 1, 0, PosSide.none, true, 0)), Number.NaN);
  const large = new Position(3, 1, 0, PosSide.none, false, 0);
  large.queueBasis = 2n ** 60n;
  assert.equal(basisOf(large), Number.NaN);
});
