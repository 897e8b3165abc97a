/** What of the house's trading is public: liquidations and RPI prints are, orders and ordinary fills are not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderKind } from '../../src/core/model/enums.ts';
import type { Event } from '../../src/core/model/event.ts';
import { Rig } from './rig.ts';

async function eventsOf(ms: number, shocks: readonly number[]): Promise<{ rig: Rig; events: Event[] }> {
  const rig = await new Rig({ only: (_category, symbol) => symbol === 'BTCUSDT' }).open();
  const events: Event[] = [];
  rig.venue.onPublished((published) => events.push(...published.events));
  rig.run(40_000, 500);
  for (const factor of shocks) {
    rig.market.shock('BTC', factor, 2000);
    rig.run(ms, 500);
  }
  return { rig, events };
}

test('leveraged retail is liquidated by a fall and a rise, and the public hears of it', async () => {
  const { rig, events } = await eventsOf(30_000, [0.95, 1.1]);
  const retail = new Set(
    rig.market.members.filter(({ agent }) => agent.kind === 'retail').map(({ agent }) => agent.uid),
  );
  const fills = events.flatMap((event) => (event.type === 'fill' ? [event.fill] : []));
  assert.ok(fills.length > 0, 'somebody was liquidated');
  for (const { uid, futures } of fills) {
    assert.ok(retail.has(uid));
    assert.ok(futures!.kind === OrderKind.liquidation || futures!.kind === OrderKind.reduce);
  }
  assert.equal(
    events.some(({ type }) => type === 'ledgerLine' || type === 'order'),
    false,
  );
});

test('trades of retail orders with RPI makers are marked, on spot and on futures', async () => {
  const { rig, events } = await eventsOf(40_000, [1]);
  const marked = new Set(
    events.flatMap((event) => (event.type === 'trade' && event.rpi ? [event.instrument] : [])),
  );
  const books = rig.market.views.map(({ instrument }) => instrument.index);
  assert.deepEqual(marked, new Set(books));
});
