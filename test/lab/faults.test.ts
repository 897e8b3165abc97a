/** Faults of requests: for each, what an unmodified bot sees, and what is true in the books. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import ccxt from 'ccxt';
import type { Bourse } from '../../src/testkit/index.ts';
import { startBourse } from '../../src/testkit/index.ts';
import { Operator } from '../../src/testkit/operator.ts';
import { operate, startInMemory } from '../memory/in-process.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const PAIR = 'BTC/USDT';

interface FaultView {
  readonly id: string;
  readonly seen: number;
  readonly hits: number;
  readonly over: boolean;
}

describe('a bot meets', () => {
  let bourse: Bourse;
  let operator: Operator;
  let bot: InstanceType<typeof ccxt.bitget>;
  let orders = 0;
  before(async () => {
    bourse = await startBourse({
      instruments: ['SPOT:BTCUSDT'],
      prices: { BTCUSDT: '60000' },
      rateLimits: false,
      accounts: {
        bot: { USDT: '100000', BTC: '1' },
        other: { USDT: '100000' },
        poor: { BTC: '1' },
        empty: {},
      },
    });
    operator = new Operator(bourse.operatorUrl, bourse.operatorToken);
    bot = new ccxt.bitget({ ...bourse.ccxt('bot'), enableRateLimit: false });
    await bot.loadMarkets();
  });
  after(() => bourse.close());
  afterEach(async () => {
    await operator.delete('/lab/faults');
    for (const order of await bourse.account('bot').openOrders()) await bourse.account('bot').cancel(order);
  });

  const fault = (action: object, when: object = { account: 'bot', path: 'trade/place-order' }) =>
    operator.post<FaultView>('/lab/faults', { when, do: action });
  const counts = async ({ id }: FaultView) => {
    const { faults } = await operator.get<{ faults: FaultView[] }>('/lab/faults');
    const { seen, hits } = faults.find((each) => each.id === id)!;
    return { seen, hits };
  };
  const buy = (clientOid = `order-${++orders}`) =>
    bot.createOrder(PAIR, 'limit', 'buy', 0.001, 50_000, { clientOid });
  /** Client ids of the orders that are open in the books. */
  const inTheBooks = async () => (await bourse.account('bot').openOrders()).map(({ clientOid }) => clientOid);
  /** What the bot sees of an order. */
  const seenError = async (act: () => Promise<unknown>) => {
    try {
      await act();
      return undefined;
    } catch (error) {
      return error as Error;
    }
  };

  for (const [at, arrives] of [
    ['before', []],
    ['after', ['lost']],
  ] as const)
    it(`a connection that is reset ${at} its order: ${arrives.length} in the books`, async () => {
      const standing = await fault({ drop: at });
      const error = await seenError(() => buy('lost'));
      assert.ok(error instanceof ccxt.NetworkError, String(error));
      assert.deepEqual(await inTheBooks(), arrives);
      assert.deepEqual(await counts(standing), { seen: 1, hits: 1 });
    });

  for (const [status, at, body, type, arrives] of [
    [429, 'before', 'vendor', ccxt.DDoSProtection, []],
    [500, 'before', 'html', ccxt.ExchangeNotAvailable, []],
    [502, 'after', 'empty', ccxt.ExchangeNotAvailable, ['refused']],
    [503, 'before', 'html', ccxt.ExchangeNotAvailable, []],
    [503, 'after', 'html', ccxt.ExchangeNotAvailable, ['refused']],
    [504, 'after', 'html', ccxt.RequestTimeout, ['refused']],
  ] as const)
    it(`status ${status} (${body}) ${at} its order: ${arrives.length} in the books`, async () => {
      await fault({ status, at, body, retryAfter: 7 });
      const error = await seenError(() => buy('refused'));
      assert.ok(error instanceof type, `${error?.name}: ${error?.message}`);
      assert.equal(
        bot.last_response_headers?.['Retry-After'] ?? bot.last_response_headers?.['retry-after'],
        '7',
      );
      assert.deepEqual(await inTheBooks(), arrives);
    });

  for (const how of ['truncate', 'html'] as const)
    it(`an answer that does not parse (${how}); the order is in the books`, async () => {
      await fault({ garble: how });
      const placed = await buy('garbled');
      assert.equal(placed.id, undefined);
      assert.throws(() => JSON.parse(String(bot.last_http_response)), SyntaxError);
      assert.deepEqual(await inTheBooks(), ['garbled']);
    });

  it('an answer whose data is text instead of an object', async () => {
    await fault({ garble: 'wrong-type' });
    const placed = await buy('mistyped');
    assert.equal(placed.id, undefined);
    assert.deepEqual(await inTheBooks(), ['mistyped']);
  });

  it('an order that comes late, after the market has moved; and an answer that comes late', async () => {
    for (const [at, price, role] of [
      ['before', 58_000, 'taker'],
      ['after', 59_000, 'maker'],
    ] as const) {
      await operator.delete('/lab/faults');
      await fault({ latency: 150, at });
      const placing = bot.createOrder(PAIR, 'limit', 'buy', 0.001, 59_000, { clientOid: `late-${at}` });
      await new Promise((resolve) => setTimeout(resolve, 50));
      // The order that comes in the meantime is there first, or finds it.
      await bourse.account('poor').place({
        ...{ category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit' },
        ...{ side: 'sell', price: '58000', qty: '0.001', timeInForce: 'gtc' },
      });
      await placing;
      const [trade] = (await bot.fetchMyTrades(PAIR)).slice(-1);
      assert.deepEqual([trade!.price, trade!.takerOrMaker], [price, role], at);
    }
  });

  it('waits that are drawn, the same for the same seed', async () => {
    await fault({ latency: { p50: 1, p99: 5 } });
    await buy();
    await buy();
    assert.equal((await inTheBooks()).length, 2);
  });

  it('a refusal, byte for byte the one that it would get', async () => {
    const poor = new ccxt.bitget({ ...bourse.ccxt('empty'), enableRateLimit: false });
    poor.setMarkets(bot.markets);
    const order = [PAIR, 'limit', 'buy', 0.001, 50_000] as const;
    const real = await seenError(() => poor.createOrder(...order));
    const realBody = poor.last_http_response;
    const realHeaders = { ...(poor.last_response_headers as Record<string, string>) };
    await fault({ reject: '25202' });
    const ordered = await seenError(() => bot.createOrder(...order));
    assert.match(String(realBody), /"25202"/);
    assert.equal(ordered?.constructor, real?.constructor);
    assert.equal(bot.last_http_response, realBody);
    const { Date: _one, ...headers } = bot.last_response_headers as Record<string, string>;
    const { Date: _other, ...expected } = realHeaders;
    assert.deepEqual(
      { ...headers, 'X-Mbx-Used-Remain-Limit': '' },
      { ...expected, 'X-Mbx-Used-Remain-Limit': '' },
    );
    assert.deepEqual(await inTheBooks(), []);
  });

  it('a clock of the exchange that is wrong: signatures are refused until it takes the time from there', async () => {
    const when = { account: 'bot' };
    const before = await bot.fetchTime();
    await fault({ skew: 120_000 }, when);
    await fault({ skew: 120_000 }, { path: 'public/time' });
    const error = await seenError(() => buy('skewed'));
    assert.ok(error instanceof ccxt.InvalidNonce, `${error?.name} ${error?.message}`);
    assert.match(error.message, /behind server time/);
    assert.equal((await bot.fetchTime())! - before!, 120_000);
    await operator.delete('/lab/faults');
    assert.deepEqual(await inTheBooks(), []);
  });

  describe('only', () => {
    const drop = { status: 503, body: 'empty' };
    const outcomes = async (count: number) => {
      const seen: boolean[] = [];
      for (let n = 0; n < count; n++) seen.push((await seenError(() => buy())) === undefined);
      return seen;
    };

    it('the requests that are counted: nth, every, times', async () => {
      await fault(drop, { path: 'trade/place-order', nth: [2, 4] });
      assert.deepEqual(await outcomes(5), [true, false, true, false, true]);
      await operator.delete('/lab/faults');
      const standing = await fault(drop, { path: 'trade/*', method: 'POST', every: 2, times: 2 });
      assert.deepEqual(await outcomes(7), [true, false, true, false, true, true, true]);
      assert.deepEqual(await counts(standing), { seen: 4, hits: 2 });
    });

    it('its own account, path, method and symbol', async () => {
      for (const when of [
        { account: 'other' },
        { path: 'trade/cancel-order' },
        { path: 'place' },
        { path: '/trade/place-order' },
        { method: 'GET' },
        { symbol: 'ETHUSDT' },
      ])
        await fault(drop, when);
      assert.deepEqual(await outcomes(1), [true]);
      await fault(drop, { path: '/api/v3/*/place-order', symbol: 'BTCUSDT', method: 'POST', account: 'bot' });
      assert.deepEqual(await outcomes(1), [false]);
    });

    it('the first that matches, in order of creation', async () => {
      const first = await fault({ reject: '25203' }, { path: 'trade/place-order', times: 1 });
      const second = await fault({ reject: '25211' }, { path: 'trade/place-order' });
      await buy().catch(() => {});
      assert.match(String(bot.last_http_response), /"25203"/);
      await buy().catch(() => {});
      assert.match(String(bot.last_http_response), /"25211"/);
      assert.deepEqual(
        [await counts(first), await counts(second)],
        [
          { seen: 1, hits: 1 },
          { seen: 1, hits: 1 },
        ],
      );
    });

    it('in its time, by the clock of the exchange', async () => {
      await fault(drop, { path: 'trade/place-order', from: '10s', until: '20s' });
      assert.deepEqual(await outcomes(1), [true]);
      await bourse.advance('10s');
      assert.deepEqual(await outcomes(1), [false]);
      await bourse.advance('10s');
      assert.deepEqual(await outcomes(1), [true]);
      const { faults } = await operator.get<{ faults: FaultView[] }>('/lab/faults');
      assert.equal(faults[0]!.over, true);
    });

    it('as often as its probability, and alike after a revert', async () => {
      const rare = await fault(drop, { path: 'trade/place-order', probability: 0.5 });
      await outcomes(2);
      const at = await bourse.snapshot();
      const counted = await counts(rare);
      const first = await outcomes(12);
      assert.ok(first.includes(true) && first.includes(false), String(first));
      await operator.delete(`/lab/faults/${rare.id}`);
      await fault({ reject: '25211' });
      await bourse.revert(at);
      assert.deepEqual(await counts(rare), counted);
      assert.deepEqual(await outcomes(12), first);
      await using fork = await bourse.fork({ from: at });
      const { faults } = await new Operator(fork.operatorUrl, fork.operatorToken).get<{
        faults: FaultView[];
      }>('/lab/faults');
      assert.deepEqual(
        faults.map(({ id, hits }) => [id, hits]),
        [[rare.id, counted.hits]],
      );
    });
  });

  it('a revert while its request is held up: the connection ends, nothing was carried out', async () => {
    const at = await bourse.snapshot();
    await fault({ latency: 60_000 });
    const placing = seenError(() => buy('held'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await bourse.revert(at);
    const error = await placing;
    assert.ok(error instanceof ccxt.NetworkError, `${error?.name} ${error?.message}`);
    assert.deepEqual(await inTheBooks(), []);
  });

  it('nothing while the laboratory is off', async () => {
    const off = await startInMemory({ lab: 'off' });
    assert.equal((await operate(off, 'GET', '/lab/faults')).status, 404);
    await off.stop();
  });

  describe('and the operator is refused', () => {
    const lab = () => ({ operatorUrl: bourse.operatorUrl, operatorToken: bourse.operatorToken });
    const refused = async (body: unknown) => {
      const answer = await fetch(`${bourse.operatorUrl}/lab/faults`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bourse.operatorToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      return `${answer.status} ${error?.code}: ${error?.message}`;
    };
    const drop = { drop: 'after' };

    for (const [body, expected] of [
      [{}, /400 invalid_request: do is missing/],
      [{ do: {} }, /do: must name one of latency, drop, .*, and only one/],
      [{ do: { drop: 'after', reject: '25203' } }, /do: must name one of .*, and only one/],
      [{ do: { explode: 1 } }, /do: must name one of/],
      [{ do: drop, when: { acount: 'bot' } }, /when: acount is not a known field/],
      [{ do: drop, when: { account: 'nobody' } }, /404 unknown_account: there is no account "nobody"/],
      [{ do: drop, when: { method: 'PUT' } }, /when.method: must be one of GET, POST/],
      [{ do: drop, when: { path: 'a b' } }, /when.path: must match/],
      [{ do: drop, when: { nth: [0] } }, /when.nth.0: must be >= 1/],
      [{ do: drop, when: { probability: 1.5 } }, /when.probability: must be <= 1/],
      [{ do: drop, when: { from: 'soon' } }, /when.from: "soon" must be a span such as 10s/],
      [{ do: drop, when: { from: '5m', until: '10s' } }, /when.until: 10s must be later than from, 5m/],
      [{ do: { drop: 'never' } }, /do.drop: must be one of before, after; drop is before/],
      [{ do: { latency: -1 } }, /do.latency: .*latency is milliseconds from 0 to 600000 or \{p50, p99\}/],
      [{ do: { latency: { p50: 9, p99: 2 } } }, /do.latency: p50 must be above 0 and p99 not below it/],
      [{ do: { status: 404 } }, /do.status: must be one of 429, 500, 502, 503, 504/],
      [{ do: { status: 503, body: 'pdf' } }, /do.body: must be one of vendor, html, empty/],
      [{ do: { garble: 'rot13' } }, /do.garble: must be one of truncate, html, wrong-type/],
      [{ do: { reject: '99999' } }, /do.reject: the error catalogue has no "99999"; reject is a code/],
      [{ do: { reject: 25203 } }, /do.reject: must be string/],
      [{ do: { skew: 1e12 } }, /do.skew: must be <=/],
      [{ do: drop, note: 'x' }, /note is not a known field/],
    ] as const)
      it(JSON.stringify(body), async () => {
        assert.match(await refused(body), expected);
      });

    it('an unknown fault, with those there are', async () => {
      const { id } = await fault(drop);
      const { status, content } = await operate(lab() as never, 'DELETE', '/lab/faults/fault-0');
      assert.deepEqual([status, content.error.code], [404, 'unknown_fault']);
      assert.match(content.error.message, new RegExp(`there are: ${id}$`));
    });

    it('more than a hundred', async () => {
      for (let n = 0; n < 100; n++) await fault(drop, { account: 'other' });
      assert.match(await refused({ do: drop }), /422 limit_reached: there are 100 faults/);
    });

    it('nothing without a line in the audit log', async () => {
      const { id } = await fault(drop);
      await operator.delete(`/lab/faults/${id}`);
      const { lines } = await operator.get<{ lines: { action: string; detail: string }[] }>(
        '/admin/audit?limit=4',
      );
      const done = lines.filter(({ detail }) => detail !== undefined);
      const actions = done.map(({ action, detail }) => [action, detail] as const);
      assert.deepEqual(
        actions.toSorted(([one], [other]) => one.localeCompare(other)),
        [
          ['lab.fault', id],
          ['lab.removeFault', `${id}, 0 hits`],
        ],
      );
    });
  });
});
