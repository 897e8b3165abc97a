/** Client ids that act: for each, what an unmodified bot sees, and what is true in the books. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import ccxt from 'ccxt';
import type { Bourse } from '../../src/testkit/index.ts';
import { startBourse } from '../../src/testkit/index.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { StreamClient } from '../harness/stream-client.ts';
import { keysOf, startInMemory } from '../memory/in-process.ts';
import { spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const PAIR = 'BTC/USDT';

describe('an order whose clientOid is', () => {
  let bourse: Bourse;
  let bot: InstanceType<typeof ccxt.bitget>;
  before(async () => {
    const prices = { BTCUSDT: '60000' };
    bourse = await startBourse({ instruments: ['SPOT:BTCUSDT'], prices, rateLimits: false });
    bot = new ccxt.bitget({ ...bourse.ccxt('bot'), enableRateLimit: false });
    await bot.loadMarkets();
  });
  after(() => bourse.close());
  afterEach(async () => {
    for (const order of await bourse.account('bot').openOrders()) await bourse.account('bot').cancel(order);
  });

  const buy = (clientOid: string) => bot.createOrder(PAIR, 'limit', 'buy', 0.01, 59_000, { clientOid });
  const seen = (act: Promise<unknown>) =>
    act.then(
      () => undefined,
      (error: Error) => error,
    );
  const open = async () =>
    (await bourse.account('bot').openOrders()).map(({ clientOid, cumExecQty }) => [clientOid, cumExecQty]);

  it('sim-reject-CODE: refused, nothing happened', async () => {
    const error = await seen(buy('sim-reject-25211-a'));
    assert.match(String(error), /"code":"25211"/);
    assert.deepEqual(await open(), []);
  });

  it('sim-partial-PERCENT: that part trades', async () => {
    const { id } = await buy('sim-partial-40-a');
    assert.deepEqual(
      [(await bot.fetchOrder(id!, PAIR)).filled, await open()],
      [0.004, [['sim-partial-40-a', '0.004']]],
    );
  });

  it('sim-fill: it trades', async () => {
    const { id } = await buy('sim-fill-a');
    assert.equal((await bot.fetchOrder(id!, PAIR)).status, 'closed');
    assert.deepEqual(await open(), []);
    const sold = await bot.createOrder(PAIR, 'market', 'sell', 0.01, undefined, { clientOid: 'sim-fill-b' });
    const order = await bot.fetchOrder(sold.id!, PAIR);
    assert.equal(order.average, 60_000, JSON.stringify(order.info));
  });

  it('sim-lostack: carried out, and the connection is reset', async () => {
    assert.ok((await seen(buy('sim-lostack-a'))) instanceof ccxt.NetworkError);
    assert.deepEqual(await open(), [['sim-lostack-a', '0']]);
  });

  it('sim-never: it never arrived', async () => {
    assert.ok((await seen(buy('sim-never-a'))) instanceof ccxt.NetworkError);
    assert.deepEqual(await open(), []);
  });

  it('sim-delay-MS: in the books while the bot still waits', async () => {
    let answered = false;
    const placing = buy('sim-delay-4000-a').then(() => {
      answered = true;
    });
    while ((await open()).length === 0);
    assert.equal(answered, false);
    await placing;
  });

  it('anything else after sim-: refused with the list', async () => {
    for (const [id, expected] of [
      [
        'sim-explode-1',
        /clientOid: what begins with sim- must be one of sim-reject-CODE, sim-partial-PERCENT, sim-fill, sim-delay-MS, sim-lostack, sim-never/,
      ],
      ['sim-', /must be one of sim-reject-CODE/],
      ['sim-reject-12345', /needs a code of the error catalogue, not \\"12345\\"/],
      ['sim-partial-100', /needs a percentage from 1 to 99/],
      ['sim-delay-9999999', /needs milliseconds from 0 to 600000/],
    ] as const) {
      const error = await seen(buy(id));
      assert.match(String(error), /"code":"40017"/);
      assert.match(String(error), expected);
    }
    assert.deepEqual(await open(), []);
  });

  it('in a batch: fills act on their own order, anything else is refused', async () => {
    const order = (clientOid: string, price = 59_000) => ({
      ...({ symbol: PAIR, type: 'limit', side: 'buy', amount: 0.01, price } as const),
      params: { clientOid },
    });
    await bot.createOrders([order('plain', 58_000), order('sim-partial-50-b')]);
    assert.deepEqual(
      (await open()).toSorted(([one], [other]) => one!.localeCompare(other!)),
      [
        ['plain', '0'],
        ['sim-partial-50-b', '0.005'],
      ],
    );
    assert.match(String(await seen(bot.createOrders([order('sim-never-b'), order('x')]))), /in a batch only/);
  });

  it('over a socket', async () => {
    const client = await StreamClient.login(bourse.url, bourse.account('bot') as never);
    const args = { symbol: 'BTCUSDT', orderType: 'limit', side: 'buy', price: '59000', qty: '0.01' };
    const refused = await client.trade('1', 'place-order', 'spot', {
      ...args,
      clientOid: 'sim-reject-25211',
    });
    assert.equal(refused.code, '25211');
    const filled = await client.trade('2', 'place-order', 'spot', { ...args, clientOid: 'sim-partial-30' });
    assert.equal(filled.code, '0');
    assert.deepEqual(await open(), [['sim-partial-30', '0.003']]);
    client.close();
  });

  it('an ordinary id where there is no laboratory', async () => {
    const off = await startInMemory({ lab: 'off', instruments: 'SPOT:BTCUSDT' });
    const client = new SignedClient(off.url, keysOf(off, 'alice'));
    const answer = await client.post('/api/v3/trade/place-order', {
      ...spotOrder('buy', '59000'),
      clientOid: 'sim-explode',
    });
    assert.equal(answer.code, '00000');
    await off.stop();
  });
});
