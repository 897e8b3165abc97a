/** What the inspector tells of a refusal of the core: checks, values, bounds and what would be right, of the own account alone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunningExchange } from '../../src/app/start/start-exchange.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { verifyAfterEach } from '../lab/verified.ts';
import { keysOf, startInMemory, stopAll } from '../memory/in-process.ts';
import { InspectClient } from './inspect-client.ts';

verifyAfterEach();

const PLACE = '/api/v3/trade/place-order';
const ORDER = {
  category: 'SPOT',
  symbol: 'BTCUSDT',
  orderType: 'limit',
  side: 'buy',
  price: '60000',
  qty: '0.01',
};

describe('a refusal of the exchange in the inspector', () => {
  let exchange: RunningExchange;
  let view: InspectClient;
  before(async () => {
    exchange = await startInMemory({
      clock: 'manual',
      clockStart: '2026-01-01T00:00:00Z',
      instruments: 'BTCUSDT',
    });
    view = await InspectClient.login(exchange.url, keysOf(exchange, 'alice'));
  });
  after(async () => {
    view.close();
    await stopAll();
  });

  async function refused(order: object): Promise<number> {
    const alice = new SignedClient(exchange.url, keysOf(exchange, 'alice'));
    const { msg } = await alice.post(PLACE, { ...ORDER, ...order });
    alice.close();
    return (await view.summary((summary) => summary.refused && summary.msg === msg)).id;
  }

  async function explain(client: InspectClient, id: number) {
    const from = client.frames.length;
    client.send({ op: 'explain', id });
    return client.next((frame) => frame.event === 'explain' && frame.id === id, from);
  }

  it('has its checks, their values and what would have been accepted', async () => {
    const id = await refused({ qty: '500' });
    assert.equal((await view.entry(id))!.why.core, true);
    const { data, msg } = await explain(view, id);
    assert.equal(msg, '');
    assert.equal(data.verdict, 'refused: insufficientBalance');
    const check = data.checks.find(({ verdict }: { verdict: string }) => verdict === 'refused');
    assert.deepEqual([check.inputs.needs, check.inputs.cash], ['30000000 USDT', '100000 USDT']);
    // 100,000 at 60,000, on the step of a millionth.
    assert.equal(data.rightWouldBe, 'a quantity of at most 1.666666');
  });

  it('names the number that was sent off the grid, and its neighbours on it', async () => {
    const { data } = await explain(view, await refused({ price: '59000.001' }));
    assert.equal(data.rightWouldBe, '59000 or 59000.01');
    const check = data.checks.find(({ verdict }: { verdict: string }) => verdict === 'refused');
    assert.deepEqual([check.reason, check.inputs.price], ['priceOffTick', '59000.001']);
  });

  it('is not shown to another account, and what never came to the exchange is not explained by it', async () => {
    const id = await refused({ qty: '501' });
    const bob = await InspectClient.login(exchange.url, keysOf(exchange, 'bob'));
    for (const [client, asked] of [
      [bob, id],
      [view, 1e9],
    ] as const) {
      const { data, msg } = await explain(client, asked);
      assert.deepEqual([data, msg], [null, 'there is no such entry']);
    }
    bob.close();
    const unread = await refused({ side: 'sideways' });
    const { data, msg } = await explain(view, unread);
    assert.equal(data, null);
    assert.match(msg, /did not come to the exchange/);
    view.send({ op: 'explain', id: 'x' });
    const error = await view.next(({ event }) => event === 'error');
    assert.match(error.msg, /id must be the number of an entry/);
  });

  it('says so where there is no laboratory', async () => {
    const plain = await startInMemory({ lab: 'off', instruments: 'BTCUSDT' });
    const client = await InspectClient.login(plain.url, keysOf(plain, 'alice'));
    const { data, msg } = await explain(client, 1);
    assert.deepEqual([data, msg], [null, 'the laboratory is off: start with --lab on']);
    client.close();
  });
});
