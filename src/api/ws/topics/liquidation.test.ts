/** Largest of a pair and side, at most once a second (wire 5.3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Category, OrderKind, Side } from '../../../core/model/enums.ts';
import type { FillRecord } from '../../../core/model/event.ts';
import { ManualClock } from '../../../sequencer/clock.ts';
import { isLiquidation } from '../../../views/market-record-view.ts';
import type { Push } from '../frames.ts';
import type { StreamContext } from '../stream-context.ts';
import { LiquidationChannel } from './liquidation.ts';

const INSTRUMENTS = ['BTCUSDT', 'ETHUSDT'].map((symbol, index) => ({
  symbol,
  index,
  pricePrecision: 1,
  quantityPrecision: 3,
}));

function fill(
  instrument: number,
  side: Side,
  sizeLots: number,
  kind: OrderKind = OrderKind.liquidation,
): FillRecord {
  const category = Category.usdtFutures;
  return {
    instrument,
    side,
    sizeLots,
    category,
    priceTicks: 600_000,
    time: 7,
    futures: { kind },
  } as unknown as FillRecord;
}

test('of the forced closes of a second only the largest of each pair and side is told', () => {
  const wallClock = new ManualClock(10_000);
  const pushes: Push[] = [];
  const context = {
    sequencer: { state: { instruments: INSTRUMENTS } },
    clock: wallClock,
    wallClock,
    fanout: { broadcast: (_: unknown, push: Push) => pushes.push(push) },
    durable: { whenDurable: (send: () => void) => send() },
  } as unknown as StreamContext;
  const channel = new LiquidationChannel('all', context, 'USDT-FUTURES', undefined);
  const forced = [
    fill(0, Side.sell, 10),
    fill(0, Side.sell, 30),
    fill(0, Side.sell, 20),
    fill(0, Side.buy, 5),
    fill(1, Side.sell, 1),
  ];
  for (const each of forced) channel.liquidated(each);
  channel.poll(wallClock.now());
  const pushed = (push: Push) =>
    (JSON.parse(push.data) as { symbol: string; side: string; amount: string }[]).map(
      ({ symbol, side, amount }) => `${symbol} ${side} ${amount}`,
    );
  // A sell closes a long, and `buy` names the long.
  assert.deepEqual(pushed(pushes[0]!), ['BTCUSDT buy 0.03', 'BTCUSDT sell 0.005', 'ETHUSDT buy 0.001']);
  assert.equal(pushes[0]!.action, 'update');

  channel.liquidated(fill(0, Side.sell, 40));
  wallClock.advance(999);
  channel.poll(wallClock.now());
  assert.equal(pushes.length, 1, 'not twice within a second');
  channel.liquidated(fill(0, Side.sell, 50));
  wallClock.advance(1);
  channel.poll(wallClock.now());
  assert.deepEqual(pushed(pushes[1]!), ['BTCUSDT buy 0.05']);
});

test('deleveraging and closes of the owner are no liquidations', () => {
  assert.deepEqual(
    [OrderKind.liquidation, OrderKind.reduce, OrderKind.adl, OrderKind.user].map((kind) =>
      isLiquidation(fill(0, Side.sell, 1, kind)),
    ),
    [true, true, false, false],
  );
});
