import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amountOf } from './amount.ts';
import { PosSide } from './enums.ts';
import { NumberBlocks } from './number-blocks.ts';
import { Position } from './position.ts';
import { POSITION_NUMBERS, PositionColumn } from './position-numbers.ts';

const COLUMNS = Object.keys(PositionColumn) as (keyof typeof PositionColumn)[];

/** Rules 1.11 and 4.5 in big integers, for a position whose lots are `direction` times positive. */
class ByHand {
  size = 0n;
  basis = 0n;
  queueBasis = 0n;
  iso = 0n;
  openedLots = 0n;
  openedValue = 0n;
  closedLots = 0n;
  closedValue = 0n;
  private readonly direction: bigint;

  constructor(long: boolean) {
    this.direction = long ? 1n : -1n;
  }

  open(lots: bigint, value: bigint, queueValue: bigint): void {
    this.size += lots * this.direction;
    this.basis += value * this.direction;
    this.queueBasis += queueValue * this.direction;
    this.openedLots += lots;
    this.openedValue += value;
  }

  close(lots: bigint, value: bigint) {
    const size = this.size * this.direction;
    const share = (amount: bigint) => {
      const product = amount * lots;
      return lots === size ? amount : product / size - (product % size < 0n ? 1n : 0n);
    };
    const released = share(this.basis * this.direction);
    const queued = share(this.queueBasis * this.direction);
    const margin = share(this.iso);
    this.size -= lots * this.direction;
    this.basis -= released * this.direction;
    this.queueBasis -= queued * this.direction;
    this.closedLots += lots;
    this.closedValue += value;
    return { realised: (value - released) * this.direction, margin };
  }
}

const value = fc.oneof(
  fc.bigInt(0n, 10n ** 10n),
  fc.bigInt(2n ** 53n - 5n, 2n ** 53n + 5n),
  fc.bigInt(0n, 2n ** 80n),
);
const step = fc.record({
  opens: fc.boolean(),
  lots: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 40 })),
  value,
  queueValue: value,
  margin: fc.oneof(value, fc.bigInt(-(10n ** 10n), 0n)),
  all: fc.boolean(),
});

test('a position in numbers is one in big integers, to the last unit', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 30 }), (long, steps) => {
      const block = new NumberBlocks().take(POSITION_NUMBERS);
      const position = new Position(1, 2, 3, PosSide.none, true, 4, block);
      const hand = new ByHand(long);
      for (const { opens, lots, value, queueValue, margin, all } of steps) {
        if (opens || position.size === 0) {
          position.open(long, lots, amountOf(value), amountOf(queueValue));
          hand.open(BigInt(lots), value, queueValue);
        } else {
          const closing = all ? position.lots : Math.min(lots, position.lots);
          const { realised, margin } = position.close(closing, amountOf(value));
          deepEqual(
            { realised: BigInt(realised), margin: BigInt(margin) },
            hand.close(BigInt(closing), value),
          );
        }
        position.add(PositionColumn.iso, amountOf(margin));
        hand.iso += margin;
        for (const name of ['size', 'openedLots', 'closedLots'] as const)
          equal(BigInt(position[name]), hand[name], name);
        for (const name of ['basis', 'queueBasis', 'iso', 'openedValue', 'closedValue'] as const)
          equal(position[name], hand[name], name);
      }
    }),
  );
});

test('numbers that leave their block are the same, and the block is free for the next position', () => {
  const blocks = new NumberBlocks();
  const position = new Position(1, 2, 3, PosSide.none, false, 4, blocks.take(POSITION_NUMBERS));
  position.open(true, 5, 2n ** 60n, 77);
  position.fundingOwed = 11n;
  const before = COLUMNS.map((name) => position[name]);
  blocks.giveBack(position.leaveBlock(), POSITION_NUMBERS);
  const next = new Position(2, 2, 3, PosSide.none, false, 9, blocks.take(POSITION_NUMBERS));
  next.open(false, 1, 1);
  deepEqual(
    COLUMNS.map((name) => position[name]),
    before,
  );
  equal(next.basis, -1n);
  equal(next.fundingOwed, 0n);
});

test('what is tried out on a copy does not change the position', () => {
  const position = new Position(1, 2, 3, PosSide.none, true, 4);
  position.open(true, 5, 2n ** 60n);
  position.iso = 2n ** 70n;
  const before = COLUMNS.map((name) => position[name]);
  const copy = position.copy();
  deepEqual(
    COLUMNS.map((name) => copy[name]),
    before,
  );
  copy.close(5, 1);
  copy.iso = 0n;
  deepEqual(
    COLUMNS.map((name) => position[name]),
    before,
  );
});
