/** What a reader of positions is told while the state runs ahead of the disk (wire 5.4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Push } from '../../src/api/ws/frames.ts';
import type { StreamContext } from '../../src/api/ws/stream-context.ts';
import { PositionChannel } from '../../src/api/ws/topics/position.ts';
import { ManualClock } from '../../src/sequencer/clock.ts';
import { futuresFloor } from '../core/futures/futures-floor.ts';

const PAUSE_MS = 50;

/** The positions of ann, who is long; what was read is on disk when the test says so. */
function reader() {
  const trading = futuresFloor('100000', 'ann', 'bob');
  trading.deal('ann', 'bob', '0.3', '60000');
  const wall = new ManualClock(trading.now);
  const pushes: Push[] = [];
  const waiting: (() => void)[] = [];
  const floor = {
    sequencer: { state: trading.state },
    clock: wall,
    wallClock: wall,
    fanout: { broadcast: (_: unknown, push: Push) => pushes.push(push) },
    durable: { whenDurable: (send: () => void) => waiting.push(send) },
  } as unknown as StreamContext;
  const channel = new PositionChannel('position', floor, trading.uid('ann'));
  let known = trading.events.length;
  return {
    trading,
    look(afterMs = PAUSE_MS): void {
      wall.advance(afterMs);
      channel.poll(wall.now());
    },
    /** Everything that happened is on disk, and so is what was read. */
    settle(): void {
      for (const event of trading.events.slice(known)) {
        if (event.type === 'positionClosed' && event.uid === trading.uid('ann')) channel.closed(event);
        else if (event.type === 'fill') channel.touch();
      }
      known = trading.events.length;
      for (const send of waiting.splice(0)) send();
    },
    touch: () => channel.touch(),
    turn(): void {
      trading.buy('bob', '0.5', '60000');
      trading.sell('ann', '0.5', '60000');
    },
    told(): string[] {
      return pushes.splice(0).map(({ action, data }) => {
        const rows = JSON.parse(data) as { posSide: string; size: string }[];
        return [action, ...rows.map(({ posSide, size }) => `${posSide} ${size}`)].join(', ');
      });
    },
  };
}

test('position: a side ends before the other one opens, also when its end is not on disk yet', () => {
  const ann = reader();
  ann.touch();
  ann.turn();
  ann.look();
  ann.settle();
  ann.look();
  ann.settle();
  assert.deepEqual(ann.told(), ['update, long 0, short 0.2']);
});

test('position: a complete list has no room for what ended; that comes first, and the list at once after it', () => {
  const ann = reader();
  ann.turn();
  ann.look(5_000);
  ann.settle();
  ann.look();
  ann.settle();
  assert.deepEqual(ann.told(), ['update, long 0, short 0.2', 'snapshot, short 0.2']);
});

test('position: what ends while it is on its way to be told ends after that', () => {
  const ann = reader();
  ann.trading.deal('ann', 'bob', '0.1', '60000');
  ann.touch();
  ann.look();
  ann.trading.deal('bob', 'ann', '0.4', '60000');
  ann.settle();
  ann.look();
  ann.settle();
  assert.deepEqual(ann.told(), ['update, long 0.4', 'update, long 0']);
});

test('position: complete every five seconds also to an account that never rests', () => {
  const ann = reader();
  for (let ms = 0; ms < 12_000; ms += PAUSE_MS) {
    ann.touch();
    ann.look();
    ann.settle();
  }
  assert.deepEqual(ann.told(), ['snapshot, long 0.3', 'snapshot, long 0.3']);
});
