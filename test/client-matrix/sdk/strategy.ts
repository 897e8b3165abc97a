/** The SDK's methods about orders that wait for a price. */
import assert from 'node:assert/strict';
import { type Row, SWAP, type World } from '../world.ts';

const order = { id: '' };

export const STRATEGY_CALLS: Readonly<Record<string, Row<World>>> = {
  submitStrategyOrder: {
    checks: 'a trigger order waits',
    call: async (w) => {
      const body = {
        ...SWAP,
        type: 'trigger',
        side: 'buy',
        qty: '0.01',
        triggerBy: 'market',
        triggerOrderType: 'market',
      };
      const triggerPrice = await w.lowPrice(SWAP);
      order.id = (await w.bob.submitStrategyOrder({ ...body, triggerPrice } as never)).data.orderId;
      assert.match(order.id, /^1[0-9]{18}$/);
    },
  },
  getUnfilledStrategyOrders: {
    checks: 'it is listed',
    call: async ({ bob }) => {
      const list = (await bob.getUnfilledStrategyOrders({ category: SWAP.category })).data;
      assert.deepEqual(
        (list as unknown as { orderId: string; status: string }[]).map(({ orderId, status }) => [
          orderId,
          status,
        ]),
        [[order.id, 'pending']],
      );
    },
  },
  modifyStrategyOrder: {
    checks: 'a new quantity',
    call: async (w) => {
      const triggerPrice = (Number(await w.lowPrice(SWAP)) - 100).toFixed(1);
      const change = { orderId: order.id, qty: '0.02', triggerPrice };
      assert.equal((await w.bob.modifyStrategyOrder(change as never)).data.orderId, order.id);
    },
  },
  cancelStrategyOrder: {
    checks: 'gone',
    call: async ({ bob }) => assert.equal((await bob.cancelStrategyOrder({ orderId: order.id })).data, null),
  },
  getHistoryStrategyOrders: {
    checks: 'cancelled, with the new quantity',
    call: async ({ bob }) => {
      const [past] = (await bob.getHistoryStrategyOrders({ category: SWAP.category })).data
        .list as unknown as {
        orderId: string;
        status: string;
        qty: string;
      }[];
      assert.deepEqual([past!.orderId, past!.status, past!.qty], [order.id, 'cancelled', '0.02']);
    },
  },
};
