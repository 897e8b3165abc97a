/** The SDK's methods about orders and their fills. */
import assert from 'node:assert/strict';
import type { SdkClient } from '../../api/clients.ts';
import { positive, until } from '../checks.ts';
import { type Row, SPOT, SWAP, type World } from '../world.ts';

const placed = new Map<string, string>();

async function rest(client: SdkClient, world: World, name: string): Promise<string> {
  const price = await world.lowPrice(SPOT);
  const order = { ...SPOT, side: 'buy', orderType: 'limit', qty: '0.001', price } as const;
  const { orderId } = (await client.submitNewOrder(order)).data;
  placed.set(name, orderId);
  return orderId;
}

export const ORDER_CALLS: Readonly<Record<string, Row<World>>> = {
  submitNewOrder: {
    checks: 'a limit order rests, a market order fills',
    call: async (w) => {
      assert.match(await rest(w.alice, w, 'first'), /^1[0-9]{18}$/);
      const order = { ...SPOT, side: 'sell', orderType: 'market', qty: '0.01' } as const;
      const { orderId } = (await w.alice.submitNewOrder(order)).data;
      placed.set('market', orderId);
      assert.equal((await w.alice.getOrderInfo({ orderId })).data.orderStatus, 'filled');
    },
  },
  getOrderInfo: {
    checks: 'the order',
    call: async ({ alice }) => {
      const orderId = placed.get('first')!;
      assert.equal((await alice.getOrderInfo({ orderId })).data.orderStatus, 'new');
    },
  },
  modifyOrder: {
    checks: 'a new price, the same id',
    call: async (w) => {
      const orderId = placed.get('first')!;
      const price = (Number(await w.lowPrice(SPOT)) - 100).toFixed(1);
      assert.equal((await w.alice.modifyOrder({ orderId, price })).data.orderId, orderId);
      assert.equal(Number((await w.alice.getOrderInfo({ orderId })).data.price), Number(price));
    },
  },
  placeBatchOrders: {
    checks: 'an id for each',
    call: async (w) => {
      const price = await w.lowPrice(SPOT);
      const order = { ...SPOT, side: 'buy', orderType: 'limit', qty: '0.001', price } as const;
      const results = (await w.alice.placeBatchOrders([order, order])).data;
      for (const [n, { orderId }] of results.entries()) placed.set(`batch${n}`, orderId);
      assert.equal(new Set(results.map(({ orderId }) => orderId)).size, 2);
    },
  },
  batchModifyOrders: {
    checks: 'a new quantity',
    call: async ({ alice }) => {
      const orderId = placed.get('batch0')!;
      await alice.batchModifyOrders([{ orderId, qty: '0.002', ...SPOT }]);
      assert.equal((await alice.getOrderInfo({ orderId })).data.qty, '0.002');
    },
  },
  getUnfilledOrders: {
    checks: 'the open orders',
    call: async ({ alice }) => {
      const open = (await alice.getUnfilledOrders(SPOT)).data.list;
      const expected = ['first', 'batch0', 'batch1'].map((name) => placed.get(name)!);
      assert.deepEqual(open.map(({ orderId }) => orderId).sort(), expected.sort());
      assert.ok(open.every(({ orderStatus, side }) => orderStatus === 'new' && side === 'buy'));
    },
  },
  cancelOrder: {
    checks: 'the order is gone',
    call: async ({ alice }) => {
      const orderId = placed.get('first')!;
      await alice.cancelOrder({ orderId });
      assert.equal((await alice.getOrderInfo({ orderId })).data.orderStatus, 'cancelled');
    },
  },
  cancelBatchOrders: {
    checks: 'the order is gone',
    call: async ({ alice }) => {
      const orderId = placed.get('batch0')!;
      const [result] = (await alice.cancelBatchOrders([{ ...SPOT, orderId }])).data;
      assert.equal(result!.orderId, orderId);
      assert.equal((await alice.getOrderInfo({ orderId })).data.orderStatus, 'cancelled');
    },
  },
  cancelAllOrders: {
    checks: 'the rest is gone',
    call: async ({ alice }) => {
      assert.equal((await alice.cancelAllOrders(SPOT)).data.list.length, 1);
      assert.deepEqual((await alice.getUnfilledOrders(SPOT)).data.list, []);
    },
  },
  getHistoryOrders: {
    checks: 'filled and cancelled orders',
    call: async ({ alice }) => {
      const statuses = (await alice.getHistoryOrders({ category: 'SPOT' })).data.list.map(
        (each) => each.orderStatus,
      );
      assert.deepEqual(new Set(statuses), new Set(['filled', 'cancelled']));
    },
  },
  getTradeFills: {
    checks: 'the fills of an order add up',
    call: async ({ alice }) => {
      const { list } = (await alice.getTradeFills({ orderId: placed.get('market')! })).data;
      assert.equal(list.reduce((sum, fill) => sum + Number(fill.execQty), 0).toFixed(6), '0.010000');
    },
  },
  countdownCancelAll: {
    checks: 'switched off an order rests, at its end it is gone',
    call: async (w) => {
      const orderId = await rest(w.alice, w, 'counted');
      const statusOf = async () => (await w.alice.getOrderInfo({ orderId })).data.orderStatus;
      await w.alice.countdownCancelAll({ countdown: '5' });
      assert.equal((await w.alice.countdownCancelAll({ countdown: '0' })).data, 'success');
      assert.equal(await statusOf(), 'new');
      await w.alice.countdownCancelAll({ countdown: '5' });
      await until('cancelled', async () => ((await statusOf()) === 'cancelled' ? true : undefined));
    },
  },
  getMaxOpenAvailable: {
    checks: 'how much can be bought',
    call: async ({ alice }) => {
      const asked = { ...SWAP, orderType: 'market', side: 'buy' } as const;
      positive((await alice.getMaxOpenAvailable(asked)).data.maxOpen, 'maxOpen');
    },
  },
};
