/** `bourse/testkit` as a test of one's own bot uses it: through its public interface alone, with real clients. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RestClientV3 } from 'bitget-api';
import ccxt from 'ccxt';
import { type Bourse, BourseError, type BourseOptions, startBourse } from '../../src/testkit/index.ts';
import { programUrl } from '../harness/program.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { verifyAfterEach } from '../lab/verified.ts';

verifyAfterEach();

const PERPETUAL = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
const SMALL: BourseOptions = { instruments: ['BTCUSDT'], prices: { BTCUSDT: '60000' } };

/** Alice is long one contract of maker. */
async function openPosition(bourse: Bourse): Promise<void> {
  const order = { ...PERPETUAL, qty: '1', price: '60000', orderType: 'limit' } as const;
  await bourse.account('maker').place({ ...order, side: 'sell' });
  await bourse.account('alice').place({ ...order, side: 'buy' });
}

const cashOf = async (bourse: Bourse, name: string) => Number((await bourse.account(name).balances()).USDT);

describe('an exchange inside a test', () => {
  it('trades with unmodified clients and with its own accounts', async () => {
    await using bourse = await startBourse(SMALL);
    const exchange = new ccxt.bitget(bourse.ccxt('bot'));
    const order = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 58_000);
    const [open] = await bourse.account('bot').openOrders();
    assert.deepEqual([open?.orderId, open?.price, open?.orderStatus], [order.id, '58000', 'new']);
    const sdk = new RestClientV3(bourse.sdk('alice'));
    const placed = await sdk.submitNewOrder({
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'sell',
      orderType: 'limit',
      qty: '0.001',
      price: '58000',
    });
    assert.equal(placed.code, '00000');
    assert.deepEqual(await bourse.account('bot').openOrders(), []);
    assert.equal((await bourse.account('bot').balances()).BTC, '2.000999');
  });

  it('follows ccxt over its streams', async () => {
    await using bourse = await startBourse(SMALL);
    const exchange = new ccxt.pro.bitget(bourse.ccxt('bot'));
    // ccxt asks for it where a stream is not encrypted.
    await exchange.loadHttpProxyAgent();
    // Before both subscriptions: else they wait for it side by side, and their order is open.
    await exchange.loadMarkets();
    const watched = exchange.watchOrders('BTC/USDT');
    // The subscription is there before the order is placed.
    await exchange.watchBalance();
    await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50_000);
    assert.equal((await watched)[0]!.status, 'open');
    await exchange.close();
  });

  it('has the accounts that are asked for, and names them', async () => {
    await using bourse = await startBourse({ ...SMALL, accounts: { ann: { USDT: '12.5' }, joe: {} } });
    assert.deepEqual(await bourse.account('ann').balances(), { USDT: '12.5' });
    await bourse.account('joe').deposit('BTC', '3');
    assert.deepEqual(await bourse.account('joe').balances(), { BTC: '3' });
    assert.throws(() => bourse.account('alice'), /no account "alice"; there are ann, joe/);
  });

  it('moves time, prices and what is due then', async () => {
    await using bourse = await startBourse(SMALL);
    await openPosition(bourse);
    const before = await cashOf(bourse, 'alice');
    const { from, to, events } = await bourse.advance({ to: '2026-01-01T08:00:00Z' });
    assert.deepEqual(
      [from.toISOString(), to.toISOString()],
      ['2026-01-01T00:00:01.000Z', '2026-01-01T08:00:00.000Z'],
    );
    assert.ok(events.fundingSettled! >= 1, JSON.stringify(events));
    // A price that was set eight hours ago still holds: the contract goes on.
    await bourse
      .account('alice')
      .place({ ...PERPETUAL, side: 'buy', orderType: 'limit', qty: '1', price: '50000' });
    const paid = await cashOf(bourse, 'alice');
    assert.notEqual(paid, before);
    await bourse.force.funding('BTCUSDT');
    assert.notEqual(await cashOf(bourse, 'alice'), paid);
    await bourse.shock('BTC', -10, '20s');
    const [position] = await bourse.account('alice').positions();
    assert.ok(Number(position!.markPrice) < 58_000, JSON.stringify(position));
  });

  it('liquidates and halts when told to', async () => {
    await using bourse = await startBourse(SMALL);
    await openPosition(bourse);
    const rest = { ...PERPETUAL, side: 'buy', orderType: 'limit', qty: '1', price: '59900' } as const;
    await bourse.account('maker').place(rest);
    await bourse.force.liquidation('alice');
    assert.deepEqual(await bourse.account('alice').positions(), []);
    await bourse.force.halt();
    await assert.rejects(bourse.account('alice').place(rest), BourseError);
    await bourse.force.resume();
    await bourse.account('alice').place(rest);
  });

  it('says what it saw of each request', async () => {
    await using bourse = await startBourse(SMALL);
    const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '1' } as const;
    await assert.rejects(
      bourse.account('bot').place({ ...order, price: '1e9' }),
      (error) => error instanceof BourseError && error.code !== '00000',
    );
    const [refused] = await bourse.requests({ account: 'bot', path: 'place-order' });
    assert.deepEqual(
      [refused!.method, refused!.path, refused!.refused],
      ['POST', '/api/v3/trade/place-order', true],
    );
  });

  it('comes to the same state hash with the same test, and to another with another', async () => {
    const run = async (price: string) => {
      await using bourse = await startBourse(SMALL);
      await openPosition(bourse);
      await bourse.price('BTCUSDT', price);
      await bourse.advance('10m');
      return bourse.stateHash();
    };
    const first = await run('61000');
    assert.equal(await run('61000'), first);
    assert.notEqual(await run('61001'), first);
  });

  it('sees nothing of its neighbours', async () => {
    const exchanges = await Promise.all([1, 2, 3].map(() => startBourse(SMALL)));
    await openPosition(exchanges[0]!);
    await exchanges[1]!.account('bob').deposit('USDT', '1');
    const seen = await Promise.all(
      exchanges.map(async (bourse) => [
        (await bourse.account('alice').positions()).length,
        await cashOf(bourse, 'bob'),
      ]),
    );
    assert.deepEqual(seen, [
      [1, 100_000],
      [0, 100_001],
      [0, 100_000],
    ]);
    for (const bourse of exchanges) await bourse.close();
  });

  it('keeps a data directory where one is given', async () => {
    const data = temporaryDirectory();
    const first = await startBourse({ ...SMALL, data });
    await first.account('bot').place({
      category: 'SPOT',
      symbol: 'BTCUSDT',
      side: 'buy',
      orderType: 'limit',
      qty: '1',
      price: '1000',
    });
    await first.account('bot').deposit('USDT', '1');
    await first.close();
    const open = globSync('**/*', { cwd: data }).filter(
      (file) => (statSync(join(data, file)).mode & 0o077) !== 0,
    );
    assert.deepEqual(open, [], 'readable by others');
    await using second = await startBourse({ ...SMALL, data });
    assert.equal((await second.account('bot').openOrders()).length, 1);
    await second.account('bot').deposit('USDT', '1');
    assert.equal((await second.account('bot').balances()).USDT, '100002');
  });

  it('has a market that moves with its clock', async () => {
    await using bourse = await startBourse({ instruments: ['BTCUSDT'], market: 'normal', seed: 7 });
    const { events } = await bourse.advance('30s');
    assert.ok(events.trade! > 0, JSON.stringify(events));
    await assert.rejects(bourse.price('BTCUSDT', '1'), /market has its own prices/);
    await bourse.shock('BTC', 5);
  });
});

describe('what is wrong is said at once', () => {
  it('every wrong option in one message', async () => {
    const wrong = {
      port: 99_999,
      market: 'mad',
      colour: 'red',
      clock: 'wall',
      start: '2026-01-01',
      instruments: ['BTCUSDT', 'NOPE'],
      accounts: { 'A b': { XYZ: '1', USDT: '-1' } },
      prices: { BTCUSDT: 'high' },
    } as unknown as BourseOptions;
    await assert.rejects(startBourse(wrong), (error) => {
      assert.ok(error instanceof TypeError);
      for (const part of [
        'port',
        'market',
        'colour',
        'start',
        'NOPE',
        'A b',
        'XYZ',
        'USDT',
        'prices.BTCUSDT',
      ])
        assert.ok(error.message.includes(part), `${part} in ${error.message}`);
      return true;
    });
  });

  it('options of another type, all of them', async () => {
    const wrong = {
      accounts: { bot: null },
      instruments: 'BTCUSDT',
      prices: null,
      start: 5,
      data: 5,
      from: 5,
      seed: -1,
    };
    await assert.rejects(startBourse(wrong as unknown as BourseOptions), (error) => {
      assert.ok(error instanceof TypeError);
      for (const name of Object.keys(wrong)) assert.match(error.message, new RegExp(`${name}: .*must be`));
      return true;
    });
    for (const options of [null, 'x', 5, []])
      await assert.rejects(startBourse(options as unknown as BourseOptions), /options must be an object/);
  });

  it('what is not there is answered with what there is', async () => {
    await using bourse = await startBourse(SMALL);
    for (const by of [null, 5, {}, { to: '2026-02-01', next: 'funding' }])
      await assert.rejects(bourse.advance(by as never), /advance: give a span such as '8h'/);
    await assert.rejects(bourse.advance({ to: new Date(Number.NaN) }), /must be a Date or text of one/);
    await assert.rejects(bourse.advance('99999d'), /time ends with the year 2099/);
    await assert.rejects(bourse.requests({ acount: 'bot' } as never), /no acount; there are account, code/);
    await assert.rejects(bourse.price('EURUSD', '1'), /no index "EURUSD"; there are BTCUSDT/);
    await assert.rejects(bourse.shock('EUR', 1), /"EUR"; there are BTC/);
    await assert.rejects(bourse.advance('soon'), /span such as 8h/);
    await assert.rejects(bourse.force.funding('EURUSD'), /USDT-FUTURES:BTCUSDT/);
    await assert.rejects(bourse.advance({ to: '2020-01-01' }), /time does not go back/);
  });

  it('a taken port leaves nothing open', async () => {
    await using bourse = await startBourse(SMALL);
    const port = Number(new URL(bourse.url).port);
    await assert.rejects(startBourse({ ...SMALL, port }), /in use/);
  });
});

it('nothing stays open after close: the process ends by itself', () => {
  const program = `
    const { startBourse } = await import(${JSON.stringify(programUrl('src/testkit/index.ts'))});
    const bourse = await startBourse({ instruments: ['BTCUSDT'] });
    await bourse.account('bot').balances();
    await bourse.close();
    await bourse.close();
  `;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.deepEqual([status, stderr], [0, '']);
});

describe('the laboratory in a test', () => {
  it('goes back to a snapshot, prices and deposits included, as often as it likes', async () => {
    await using bourse = await startBourse(SMALL);
    const calm = await bourse.snapshot('calm');
    const hashes: string[] = [];
    for (let round = 0; round < 3; round++) {
      await bourse.price('BTCUSDT', '30000');
      await bourse.account('alice').deposit('USDT', '1');
      await bourse.advance('20m');
      hashes.push(await bourse.stateHash());
      await bourse.revert(calm);
      assert.equal(await bourse.stateHash(), calm.stateHash);
      assert.deepEqual(await bourse.now(), calm.time);
    }
    assert.equal(new Set(hashes).size, 1, 'the same steps lead to the same state');
  });

  it('forks, and says what differs', async () => {
    await using bourse = await startBourse(SMALL);
    const start = await bourse.snapshot();
    await using fork = await bourse.fork({ from: start });
    await openPosition(fork);
    assert.deepEqual(await bourse.account('alice').positions(), []);
    assert.equal((await fork.account('alice').positions()).length, 1);
    await openPosition(bourse);
    const { positions, orders } = await bourse.diff(start);
    assert.deepEqual([positions.count, orders.count], [2, 0]);
    assert.equal(await fork.stateHash(), await bourse.stateHash());
    await fork.advance('1h');
  });
});
