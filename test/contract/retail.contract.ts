/**
 * Retail price improvement (interface 2.1 `rpi`, interface 2.2 and 2.9 `isRPI`): a market maker's order that only retail orders can take. No
 * client of the interface is retail, so this has a venue of its own, where the living market brings them.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ContractVenue, type Data, limit, openLivingVenue, SPOT } from './venue.ts';

const ON = { category: 'SPOT', symbol: 'BTCUSDT' };
const PATIENCE_SECONDS = 120;
const SIZE = '0.01';

/** Bids inside the spread, one step below the best offer, until somebody has sold to it. */
async function bidUntilTaken(venue: ContractVenue): Promise<Data> {
  const { maker, nobody } = venue;
  for (let second = 0; second < PATIENCE_SECONDS; second += 2) {
    const [{ ask1Price }] = await nobody.get('market/tickers', ON);
    const price = (Number(ask1Price) - 0.01).toFixed(2);
    const bid = limit(SPOT, 'buy', SIZE, price, { timeInForce: 'rpi' });
    const { orderId } = await maker.post('trade/place-order', bid);
    await venue.advance(2000);
    await maker.client.post('/api/v3/trade/cancel-order', { orderId });
    const order = await maker.get('trade/order-info', { orderId });
    if (Number(order.cumExecQty) > 0) return order;
  }
  assert.fail(`interface 2.2: no retail order came in ${PATIENCE_SECONDS} seconds`);
}

export function retail(): void {
  describe('interface 2.1, 2.2, 2.9: retail price improvement', () => {
    it('interface 2.2, 2.9: a fill of an RPI order says so to its maker and to the public', async (test) => {
      const venue = await openLivingVenue();
      test.after(() => venue.server.stop());
      const order = await bidUntilTaken(venue);
      assert.equal(order.timeInForce, 'rpi', 'interface 2.1');
      const { list } = await venue.maker.get('trade/fills', { orderId: order.orderId });
      const [fill] = list;
      assert.deepEqual(
        [fill.isRPI, fill.tradeScope, fill.side],
        ['yes', 'maker', 'buy'],
        'interface 2.2: isRPI',
      );
      const trades: Data[] = await venue.nobody.get('market/fills', ON);
      const trade = trades.find(({ execLinkId }) => execLinkId === fill.execLinkId);
      assert.ok(trade, 'interface 2.2, 2.9: execLinkId is the same for both sides and the public');
      assert.deepEqual(
        [trade.isRPI, trade.side, trade.price],
        ['yes', 'sell', fill.execPrice],
        'interface 2.9',
      );
    });
  });
}
