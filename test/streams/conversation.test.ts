/** Login, subscriptions, errors, rights and limits of a socket, frame by frame (wire 1.5, 2.5, 5). */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { DemoKeys, TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { type Frame, loginFrame, StreamClient } from '../harness/stream-client.ts';

let server: TestServer;
let operator: Operator;
let alice: DemoKeys;
const clients: StreamClient[] = [];
let addresses = 1;

/** Each from an address of its own, so that the limits of one test are not spent by another. */
async function open(path: '/v3/ws/public' | '/v3/ws/private' | '/v3/ws' = '/v3/ws/public') {
  const client = await StreamClient.open(server.url, { path, localAddress: `127.0.1.${addresses++}` });
  clients.push(client);
  return client;
}

async function login(keys = alice, path: '/v3/ws/private' | '/v3/ws' = '/v3/ws/private') {
  const client = await open(path);
  client.send(loginFrame(keys));
  await client.next((frame) => frame.event === 'login');
  return client;
}

const isError = (frame: Frame) => frame.event === 'error';
const SPOT = { instType: 'spot', symbol: 'BTCUSDT' };
const ORDER = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000', qty: '0.001' };

const pushOf = (clientOid: string) => (frame: Frame) =>
  frame.arg?.topic === 'order' && frame.data?.[0].clientOid === clientOid;
/** What the topic `order` said last of an order. */
const lastPush = async (client: StreamClient, orderId: string): Promise<Frame> => {
  const orders = (frame: Frame): Frame[] => (frame.arg?.topic === 'order' && frame.data) || [];
  await client.next((frame) => orders(frame).some((order) => order.orderId === orderId));
  return client.frames.flatMap(orders).findLast((order) => order.orderId === orderId);
};
const LATE = { receiveWindow: '100', requestTime: '1700000000000' };

before(async () => {
  server = await startHostedInMemory();
  operator = new Operator(server);
  alice = server.account('alice');
});

after(async () => {
  for (const client of clients) client.close();
  await server.stop();
});

describe('login', () => {
  const now = () => Date.now();
  for (const [name, timestamp] of [
    ['seconds as a number', () => Math.round(now() / 1000)],
    ['seconds as text', () => String(Math.floor(now() / 1000))],
    ['milliseconds as text', () => String(now())],
    ['milliseconds as a number', () => now()],
  ] as const) {
    it(`accepts ${name}, and answers with the number 0`, async () => {
      const client = await open('/v3/ws/private');
      client.send({ ...loginFrame(alice, timestamp()), url: 'ws://a.client/adds/this' });
      const frame = await client.next(() => true);
      assert.deepEqual([frame.event, frame.code, frame.msg, 'id' in frame], ['login', 0, 'success', false]);
    });
  }

  for (const [name, code, frame] of [
    ['an unknown key', 30011, () => loginFrame({ ...alice, apiKey: 'nobody' })],
    ['a wrong passphrase', 30012, () => loginFrame({ ...alice, passphrase: 'wrong12345' })],
    ['a timestamp that is none', 30013, () => loginFrame(alice, 'yesterday')],
    ['an old timestamp', 30014, () => loginFrame(alice, Math.floor(Date.now() / 1000) - 60)],
    ['a wrong signature', 30015, () => loginFrame({ ...alice, secretKey: 'guessed' })],
    ['missing fields', 30005, () => ({ op: 'login', args: [{ apiKey: alice.apiKey }] })],
  ] as const) {
    it(`refuses ${name} with ${code} and closes`, async () => {
      const client = await open('/v3/ws/private');
      client.send(frame());
      const error = await client.next(isError);
      assert.equal(error.code, code, error.msg);
      assert.equal((await client.closed).code, 1008);
    });
  }

  for (const kind of ['rsa', 'ed25519'] as const) {
    it(`accepts the signature of an ${kind} key (wire 1.5)`, async () => {
      const pair =
        kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519');
      const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
      const apiKey = await operator.openSignedKey(alice.uid, kind, publicKey);
      const timestamp = Math.floor(Date.now() / 1000);
      const prehash = Buffer.from(`${timestamp}GET/user/verify`);
      const signed = sign(kind === 'rsa' ? 'sha256' : null, prehash, pair.privateKey).toString('base64');
      const client = await open('/v3/ws/private');
      const arg = { apiKey, passphrase: 'test12345', timestamp, sign: signed };
      client.send({ op: 'login', args: [arg] });
      assert.equal((await client.next(() => true)).code, 0);
      const other = await open('/v3/ws/private');
      other.send({ op: 'login', args: [{ ...arg, timestamp: timestamp + 1 }] });
      assert.equal((await other.next(isError)).code, 30015);
    });
  }

  it('is not taken on the public address', async () => {
    const client = await open();
    client.send(loginFrame(alice));
    assert.equal((await client.next(isError)).code, 30005);
  });
});

describe('keep-alive', () => {
  it('answers the text ping and the ping of the protocol', async () => {
    const client = await open();
    client.send('ping');
    assert.equal(await client.next((frame) => frame === 'pong'), 'pong');
    const ponged = new Promise((resolve) => client.ws.once('pong', resolve));
    client.ws.ping();
    await ponged;
  });
});

describe('subscriptions', () => {
  it('repeats the argument in the client’s own words, in the answer and in pushes', async () => {
    const client = await open();
    const arg = { topic: 'ticker', instType: 'SPOT', instId: 'btcusdt', mine: 'kept' };
    await client.subscribe(arg);
    const push = await client.next((frame) => frame.data !== undefined);
    assert.deepEqual([push.arg, push.action, typeof push.ts], [arg, 'snapshot', 'number']);
    assert.equal(push.data[0].symbol, 'BTCUSDT');
  });

  it('ends with unsubscribe, whatever interval a client adds', async () => {
    const client = await open();
    await client.subscribe({ ...SPOT, topic: 'books' });
    client.send({ op: 'unsubscribe', args: [{ ...SPOT, topic: 'books', interval: '1m' }] });
    await client.next((frame) => frame.event === 'unsubscribe');
    const from = client.frames.length;
    await client.subscribe({ ...SPOT, topic: 'books' });
    const push = await client.next((frame) => frame.data !== undefined, from);
    assert.deepEqual([push.action, push.data[0].pseq], ['snapshot', 0]);
  });

  it('answers each argument of a request by itself, in order; one that is wrong spoils no other (wire 5.2)', async () => {
    const client = await open();
    // A market that has never traded has no candles to begin with.
    for (const [name, side] of [
      ['maker', 'sell'],
      ['bob', 'buy'],
    ] as const) {
      const trader = await login(server.account(name));
      const order = { symbol: 'ETHUSDT', side, orderType: 'limit', price: '2500', qty: '0.01' };
      assert.equal((await trader.trade('1', 'place-order', 'spot', order)).code, '0');
    }
    const kline = (interval: string) => ({ instType: 'spot', symbol: 'ETHUSDT', topic: 'kline', interval });
    const args = [kline('1m'), { ...SPOT, topic: 'weather' }, kline('5m'), { ...SPOT, topic: 'ticker' }];
    client.send({ op: 'subscribe', args, uta: true });
    await client.answers();
    const answers = client.frames.filter(({ event }) => event !== undefined);
    assert.deepEqual(
      answers.map(({ event, arg }) => [event, arg]),
      args.map((arg) => [arg.topic === 'weather' ? 'error' : 'subscribe', arg]),
    );
    const beginsWith = (interval: string) => (frame: Frame) =>
      frame.action === 'snapshot' && frame.arg.interval === interval;
    for (const interval of ['1m', '5m']) await client.next(beginsWith(interval));
    const from = client.frames.length;
    const ended = [
      kline('5m'),
      { ...SPOT, topic: 'books' },
      { instType: 'SPOT', topic: 'ticker', instId: 'btcusdt' },
    ];
    client.send({ op: 'unsubscribe', args: ended });
    await client.answers();
    assert.deepEqual(
      client.frames
        .slice(from)
        .filter(({ event }) => event !== undefined)
        .map(({ event, arg }) => [event, arg]),
      ended.map((arg) => ['unsubscribe', arg]),
      'also what nobody had subscribed to',
    );
    await client.subscribe(kline('1m'), kline('5m'));
    await client.next(beginsWith('5m'), from);
    const beginnings = (interval: string) => client.frames.filter(beginsWith(interval)).length;
    assert.deepEqual([beginnings('1m'), beginnings('5m')], [1, 2], 'only the named interval had ended');
  });

  it('asked for twice: a ticker comes again, a book does not', async () => {
    const client = await open();
    for (const topic of ['ticker', 'books']) {
      await client.subscribe({ ...SPOT, topic });
      await client.subscribe({ ...SPOT, topic });
    }
    client.send('ping');
    await client.next((frame) => frame === 'pong');
    assert.deepEqual([client.pushes('ticker').length, client.pushes('books').length], [2, 1]);
  });

  for (const [name, arg] of [
    ['a topic', { ...SPOT, topic: 'weather' }],
    ['a symbol', { instType: 'spot', topic: 'ticker', symbol: 'NOPE' }],
    ['a type', { instType: 'options', topic: 'ticker', symbol: 'BTCUSDT' }],
    ['an interval', { ...SPOT, topic: 'kline', interval: '7m' }],
    ['liquidations on spot', { ...SPOT, topic: 'liquidation' }],
    ['a private topic on the public address', { instType: 'UTA', topic: 'order' }],
  ] as const) {
    it(`${name} that does not exist: 30001, and the socket stays open`, async () => {
      const client = await open();
      client.send({ op: 'subscribe', args: [arg] });
      const error = await client.next(isError);
      assert.deepEqual([error.code, error.arg, 'id' in error], [30001, arg, false]);
      client.send('ping');
      await client.next((frame) => frame === 'pong');
    });
  }

  it('of private topics needs a login first', async () => {
    const client = await open('/v3/ws/private');
    client.send({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] });
    assert.equal((await client.next(isError)).code, 30004);
  });

  it('of private topics needs the permission that HTTP needs', async () => {
    const keys = await operator.openKey(alice.uid, 'transfers only', ['withdraw']);
    const client = await login(keys);
    client.send({ op: 'subscribe', args: [{ instType: 'UTA', topic: 'order' }] });
    assert.equal((await client.next(isError)).code, 40014);
    const refused = await client.trade('1', 'place-order', 'spot', ORDER);
    assert.deepEqual([refused.event, refused.code], ['error', '40014']);
  });

  it('of an account shows only that account', async () => {
    const bob = await login(server.account('bob'));
    await bob.subscribe({ instType: 'UTA', topic: 'order' });
    const client = await login();
    const { args } = await client.trade('1', 'place-order', 'spot', ORDER);
    await client.trade('2', 'cancel-order', 'spot', { orderId: args[0].orderId });
    bob.send('ping');
    await bob.next((frame) => frame === 'pong');
    assert.deepEqual(bob.pushes('order'), []);
  });
});

describe('orders over the socket', () => {
  it('need a login', async () => {
    const client = await open('/v3/ws/private');
    const refused = await client.trade('1', 'place-order', 'spot', ORDER);
    assert.deepEqual([refused.event, refused.code], ['error', '30004']);
  });

  it('are answered under their id even where they are no orders at all', async () => {
    const outside = await open('/v3/ws/public');
    assert.equal((await outside.trade('1', 'place-order', 'spot', ORDER)).code, '30003');
    const client = await login();
    client.send({ op: 'trade', id: 7, topic: 'place-order', category: 'spot', args: 'all' });
    assert.equal((await client.next((frame) => frame.id === '7')).code, '30016');
    client.send({ op: 'trade', id: { a: 1 }, topic: 'place-order', category: 'spot', args: [ORDER] });
    assert.equal((await client.next((frame) => isError(frame) && frame.id === undefined)).code, 30016);
  });

  for (const [field, value] of [
    ['receiveWindow', {}],
    ['receiveWindow', ['5000']],
    ['receiveWindow', '0x1388'],
    ['requestTime', {}],
    ['requestTime', '1e400'],
    ['requestTime', '１２'],
  ] as const) {
    it(`a ${field} that is no number (${JSON.stringify(value)}) is refused by name`, async () => {
      const client = await login(server.account('bot'));
      const times = { receiveWindow: '5000', requestTime: String(Date.now()), [field]: value };
      const { code, msg } = await client.trade('1', 'place-order', 'spot', { ...ORDER, ...times });
      assert.equal(code, '40017', msg);
      assert.match(msg, new RegExp(field));
    });
  }

  it('are carried out also when the socket is gone before the answer (reliability 2.2)', async () => {
    const client = await login(server.account('bob'));
    const args = [{ ...ORDER, clientOid: 'left-at-once' }];
    client.ws.send(
      JSON.stringify({ op: 'trade', id: '1', topic: 'place-order', category: 'spot', args }),
      () => client.ws.terminate(),
    );
    await client.closed;
    const http = new SignedClient(server.url, server.account('bob'));
    const found = () => http.get('/api/v3/trade/order-info', { clientOid: 'left-at-once' });
    let order = await found();
    for (let n = 0; n < 10_000 && order.code !== '00000'; n++) {
      await sleep(10);
      order = await found();
    }
    assert.equal(order.data?.orderStatus, 'new', order.msg);
    http.close();
  });

  it('place, modify and cancel, one and many, also by the names of other clients', async () => {
    const client = await login();
    const placed = await client.trade('a', 'batch-place-order', 'spot', ORDER, {
      ...ORDER,
      clientOid: 'mine',
    });
    assert.deepEqual(
      placed.args.map((item: Frame) => [item.code, item.symbol]),
      [
        ['0', 'BTCUSDT'],
        ['0', 'BTCUSDT'],
      ],
    );
    const [{ orderId }] = placed.args;
    const modified = await client.trade('b', 'modify-order', 'spot', { orderId, qty: '0.002' });
    assert.deepEqual([modified.code, modified.args[0].orderId], ['0', orderId]);
    const both = await client.trade(
      'c',
      'batch-modify-order',
      'spot',
      { orderId, price: '49000' },
      { clientId: 'mine', price: '49000' },
    );
    assert.deepEqual(
      both.args.map((item: Frame) => item.code),
      ['0', '0'],
    );
    const gone = await client.trade('d', 'batch-cancel-order', 'spot', { orderId }, { clientOid: 'mine' });
    assert.deepEqual(
      gone.args.map((item: Frame) => item.code),
      ['0', '0'],
    );
    const missing = await client.trade('e', 'cancel-order', 'spot', { orderId });
    assert.deepEqual([missing.event, missing.code], ['error', '25204']);
  });

  it('that are modified are pushed with the name of the modification, over the socket and over HTTP (wire 4.1)', async () => {
    const keys = server.account('maker');
    const http = new SignedClient(server.url, keys);
    const client = await login(keys);
    await client.subscribe({ instType: 'UTA', topic: 'order' });
    const placed = await client.trade('1', 'batch-place', 'spot', ORDER, ORDER);
    const [one, two] = placed.args.map(({ orderId }: Frame) => orderId);
    await client.trade('2', 'modify-order', 'spot', { orderId: one, qty: '0.002', requestId: 'raise #1' });
    const body = [
      { orderId: one, qty: '0.003', requestId: 'raise-2' },
      { orderId: two, price: '1', autoCancel: 'yes', requestId: 'too-low' },
    ];
    await http.post('/api/v3/trade/batch-modify-order', body);
    await client.trade('3', 'modify-order', 'spot', { orderId: one, qty: '0.004', requestId: 4711 });
    const endless = { orderId: one, qty: '0.005', requestId: 'x'.repeat(33) };
    assert.equal((await client.trade('5', 'modify-order', 'spot', endless)).code, '40017');
    await client.trade('4', 'cancel-order', 'spot', { orderId: one });
    await client.answers();
    const pushes = client.pushes('order').flatMap(({ data }) => data);
    assert.deepEqual(
      [one, two].map((id) =>
        pushes.filter(({ orderId }) => orderId === id).map((push) => push.requestId ?? push.orderStatus),
      ),
      [
        ['new', 'raise #1', 'raise-2', '4711', 'cancelled'],
        ['new', 'too-low'],
      ],
    );
    http.close();
  });

  for (const [name, topic, args, code] of [
    ['an unknown topic', 'buy-low', [ORDER], '40020'],
    ['two orders where one belongs', 'place-order', [ORDER, ORDER], '40017'],
    ['too many in a batch', 'batch-place', Array.from({ length: 21 }, () => ORDER), '40306'],
    ['a missing price', 'place-order', [{ ...ORDER, price: '' }], '40019'],
    ['a missing side', 'place-order', [{ ...ORDER, side: undefined }], '40019'],
    ['a price that is none', 'place-order', [{ ...ORDER, price: '1e5' }], '40017'],
    ['an unknown word', 'place-order', [{ ...ORDER, timeInForce: 'soon' }], '40020'],
    ['a modification that came too late', 'modify-order', [{ orderId: '1', qty: '1', ...LATE }], '25200'],
    ['a late cancellation', 'cancel-order', [{ orderId: '1', ...LATE }], '25200'],
    ['a late one among many', 'batch-cancel', [{ orderId: '1' }, { orderId: '2', ...LATE }], '25200'],
    ['a late order that would wait', 'place-order', [{ ...ORDER, triggerPrice: '1', ...LATE }], '25200'],
  ] as const) {
    it(`refuse ${name} with ${code}`, async () => {
      const client = await login();
      const refused = await client.trade('x', topic, 'spot', ...args);
      assert.deepEqual([refused.event, refused.id, refused.code], ['error', 'x', code], refused.msg);
    });
  }

  it('name the category when they place, and need not when they change or cancel (wire 5.5)', async () => {
    const client = await login(server.account('maker'));
    const ask = (id: string, topic: string, arg: object) => {
      client.send({ op: 'trade', id, topic, args: [arg], apiCode: 'a client adds this' });
      return client.next((frame) => frame.id === id);
    };
    assert.equal((await ask('1', 'place-order', ORDER)).code, '40019');
    const placed = await client.trade('2', 'place-order', 'SPOT', ORDER);
    const { orderId, symbol, clientOid, cTime } = placed.args[0];
    assert.deepEqual([symbol, clientOid, typeof cTime], ['BTCUSDT', orderId, 'string']);
    assert.equal((await ask('3', 'modify-order', { orderId, qty: '0.002' })).code, '0');
    assert.equal((await ask('4', 'cancel-order', { orderId })).code, '0');
  });

  it('answer with the id, the words of the request, text codes and what is left of the quota (wire 5.5)', async () => {
    const client = await login(server.account('maker'));
    const { event, id, category, topic, code, msg, ts, receiveTime, pushTime, rateLimit } =
      await client.trade('17', 'batch-place', 'spot', { ...ORDER, qty: '9999999' });
    assert.deepEqual(
      [event, id, category, topic, code, msg],
      ['trade', '17', 'spot', 'batch-place', '0', 'success'],
    );
    assert.ok([ts, receiveTime, pushTime].every((time) => typeof time === 'string'));
    assert.deepEqual([receiveTime.length, pushTime.length], [ts.length + 3, ts.length + 3], 'microseconds');
    assert.equal(rateLimit[0].limit, '5');
  });

  it('tell the time that the order itself bears (wire 5.5)', async () => {
    const client = await login(server.account('maker'));
    await client.subscribe({ instType: 'UTA', topic: 'order' });
    const { args } = await client.trade('18', 'place-order', 'spot', { ...ORDER, price: '40000' });
    const [{ orderId, cTime }] = args;
    assert.equal((await lastPush(client, orderId)).createdTime, cTime);
    const cancelled = await client.trade('19', 'cancel-order', 'spot', { orderId });
    const { data } = await client.next((frame) => frame.data?.[0]?.orderStatus === 'cancelled');
    assert.equal(data[0].updatedTime, cancelled.args[0].cTime);
  });

  it('may say how old they may be, beside the arguments or in them; without a time the window says nothing', async () => {
    const client = await login(server.account('alice'));
    await client.subscribe({ instType: 'UTA', topic: 'order' });
    const ask = async (id: string, arg: object, more: object = {}): Promise<Frame> => {
      const args = [{ ...ORDER, price: '40000', ...arg }];
      client.send({ op: 'trade', id, topic: 'place-order', category: 'spot', args, ...more });
      const reply = await client.next((frame) => frame.id === id);
      if (reply.code !== '429') return reply;
      // Other tests trade for the same account.
      await sleep(200);
      return ask(`${id}+`, arg, more);
    };
    const old = String(Date.now() - 5_000);
    const fresh = Date.now();
    for (const [id, comesTo, arg, more] of [
      ['1', 'cancel_receiveWindow', { receiveWindow: '1000' }, { requestTime: old }],
      ['2', 'cancel_receiveWindow', { receiveWindow: '1000', requestTime: old }, {}],
      ['3', '40017', { receiveWindow: '9' }, { requestTime: old }],
      ['4', '40017', { receiveWindow: '60001' }, { requestTime: old }],
      ['5', 'new', { receiveWindow: '60000' }, { requestTime: old }],
      ['6', 'new', { receiveWindow: 60_000 }, { requestTime: fresh }],
      ['7', 'new', { receiveWindow: '10' }, {}],
    ] as const) {
      const { code, msg, args } = await ask(id, arg, more);
      const order = code === '0' ? await lastPush(client, args[0].orderId) : { orderStatus: code };
      assert.equal(
        order.cancelReason || order.orderStatus,
        comesTo,
        `${JSON.stringify([arg, more])}: ${msg}`,
      );
    }
  });

  it('that come too late are placed and cancelled, each of a batch on its own, and their history says why (wire 5.5)', async () => {
    const keys = server.account('bot');
    const http = new SignedClient(server.url, keys);
    const client = await login(keys);
    await client.subscribe({ instType: 'UTA', topic: 'order' });
    const { args } = await client.trade(
      '1',
      'batch-place',
      'spot',
      { ...ORDER, clientOid: 'late-1', ...LATE },
      { ...ORDER, clientOid: 'timely' },
      { ...ORDER, clientOid: 'late-2', orderType: 'market', qty: '20', ...LATE },
    );
    assert.deepEqual(
      args.map(({ code, clientOid }: Frame) => [code, clientOid]),
      [
        ['0', 'late-1'],
        ['0', 'timely'],
        ['0', 'late-2'],
      ],
    );
    const told = await Promise.all(args.map(({ orderId }: Frame) => lastPush(client, orderId)));
    const reasons = ['cancel_receiveWindow', '', 'cancel_receiveWindow'];
    assert.deepEqual(
      told.map(({ cancelReason }) => cancelReason),
      reasons,
    );
    const kept = await Promise.all(
      args.map(({ orderId }: Frame) => http.get('/api/v3/trade/order-info', { orderId })),
    );
    assert.deepEqual(
      kept.map(({ data }) => [data.cancelReason ?? '', data.cumExecQty]),
      reasons.map((reason) => [reason, '0']),
    );
    const { data } = await http.get('/api/v3/trade/history-orders', { category: 'SPOT' });
    assert.deepEqual(
      data.list.slice(0, 2).map(({ clientOid, orderStatus }: Frame) => [clientOid, orderStatus]),
      [
        ['late-2', 'cancelled'],
        ['late-1', 'cancelled'],
      ],
    );
    // Over HTTP nobody says how old a request may be: the words are as good as unknown (wire rule 18).
    const body = { category: 'SPOT', ...ORDER, clientOid: 'plain', expired: true, ...LATE };
    assert.equal((await http.post('/api/v3/trade/place-order', body)).code, '00000');
    const plain = await lastPush(client, (await client.next(pushOf('plain'))).data[0].orderId);
    assert.equal(plain.orderStatus, 'new');
  });

  it('take take-profit and stop-loss under both spellings (wire 5.5)', async () => {
    await operator.setStatus('USDT-FUTURES', 'BTCUSDT', 'online');
    await operator.setPrice('BTCUSDT', '60000');
    const prices = await open();
    await prices.subscribe({ instType: 'usdt-futures', topic: 'ticker', symbol: 'BTCUSDT' });
    await prices.next((frame) => Number(frame.data?.[0]?.markPrice) > 0);
    const keys = server.account('bob');
    const client = await login(keys);
    const http = new SignedClient(server.url, keys);
    for (const [takeProfit, stopLoss] of [
      ['takeprofit', 'stoploss'],
      ['takeProfit', 'stopLoss'],
    ] as const) {
      const order = { ...ORDER, [takeProfit]: '70000', [stopLoss]: '40000' };
      const { args } = await client.trade(takeProfit, 'place-order', 'usdt-futures', order);
      const { data } = await http.get('/api/v3/trade/order-info', { orderId: args[0].orderId });
      assert.deepEqual([data.takeProfit, data.stopLoss], ['70000', '40000'], takeProfit);
    }
    http.close();
  });

  it('are told what is wrong in the words of HTTP', async () => {
    const maker = server.account('maker');
    const client = await login(maker);
    const http = new SignedClient(server.url, maker);
    for (const wrong of [{ qty: '0' }, { side: 'hold' }, { price: '1.23456789' }, { symbol: 'NOPE' }]) {
      const body = { ...ORDER, ...wrong };
      const [frame, reply] = [
        await client.trade(JSON.stringify(wrong), 'place-order', 'SPOT', body),
        await http.post('/api/v3/trade/place-order', { category: 'SPOT', ...body }),
      ];
      assert.deepEqual([frame.code, frame.msg], [reply.code, reply.msg]);
    }
    http.close();
  });

  it('share the quota of HTTP: ten places a second together', async () => {
    const keys = server.account('bot');
    const client = await login(keys);
    const http = new SignedClient(server.url, keys);
    await http.get('/api/v3/account/info');
    const bad = { ...ORDER, symbol: 'NOPE' };
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, (_, n) => client.trade(`q${n}`, 'place-order', 'spot', bad)),
      ...Array.from({ length: 8 }, () =>
        http.post('/api/v3/trade/place-order', { category: 'SPOT', ...bad }),
      ),
    ]);
    const refused = replies.filter((reply) => reply.code === '429');
    assert.ok(refused.length > 0, 'sixteen in one second are too many for the account');
    http.close();
  });
});

describe('rights that are taken away', () => {
  it('close the socket of a deleted key', async () => {
    const keys = await operator.openKey(alice.uid, 'short-lived', ['uta_trade', 'uta_mgt']);
    const client = await login(keys);
    await client.subscribe({ instType: 'UTA', topic: 'order' });
    await operator.deleteKey(keys.apiKey);
    assert.equal((await client.next(isError)).code, 30011);
    assert.equal((await client.closed).code, 1008);
  });
});

describe('a second login on one connection (reliability 3.3: bound to the rights at subscribe and at delivery)', () => {
  const PRIVATE = ['account', 'position', 'order', 'fill'].map((topic) => ({ instType: 'UTA', topic }));

  it('with a narrower key ends the topics which that key may not read, says so, and leaves the others', async () => {
    const client = await login();
    await client.subscribe(...PRIVATE);
    const keys = await operator.openKey(alice.uid, 'balances only', ['uta_mgt']);
    const from = client.frames.length;
    client.send(loginFrame(keys));
    await client.next((frame) => frame.event === 'login', from);
    await client.answers();
    const ended: Frame[] = client.frames.slice(from).filter(isError);
    assert.deepEqual(
      ended.map(({ code, arg }) => [code, arg.topic]),
      [
        [40014, 'position'],
        [40014, 'order'],
        [40014, 'fill'],
      ],
    );
    const trader = await login();
    const mark = client.frames.length;
    const { args } = await trader.trade('1', 'place-order', 'spot', ORDER);
    await client.next((frame) => frame.arg?.topic === 'account', mark);
    await trader.trade('2', 'cancel-order', 'spot', { orderId: args[0].orderId });
    await client.answers();
    assert.deepEqual(
      client.pushes('order').map(({ data }) => data),
      [],
    );
    client.send({ op: 'subscribe', args: [PRIVATE[2]] });
    assert.equal((await client.next(isError, mark)).code, 40014);
    assert.equal((await client.trade('3', 'place-order', 'spot', ORDER)).code, '40014');
  });

  it('with a wider key allows more from then on', async () => {
    const keys = await operator.openKey(alice.uid, 'balances first', ['uta_mgt']);
    const client = await login(keys);
    client.send({ op: 'subscribe', args: [PRIVATE[2]] });
    assert.equal((await client.next(isError)).code, 40014);
    const from = client.frames.length;
    client.send(loginFrame(alice));
    await client.next((frame) => frame.event === 'login', from);
    await client.subscribe(PRIVATE[2]!);
  });

  it('of another account is refused and ends the connection: nobody’s topics change hands', async () => {
    const client = await login();
    await client.subscribe(...PRIVATE);
    client.send(loginFrame(server.account('bob')));
    assert.equal((await client.next(isError)).code, 30005);
    assert.equal((await client.closed).code, 1008);
  });
});

describe('who may connect', () => {
  const refusalOf = (options: Parameters<typeof StreamClient.open>[1]) =>
    StreamClient.open(server.url, options).then(
      (client) => {
        clients.push(client);
        return 'accepted';
      },
      (error: Error) => error.message,
    );

  it('no web page of another host, unless it is allowed', async () => {
    const headers = { origin: 'https://evil.example' };
    assert.equal(await refusalOf({ headers }), 'refused with 403');
    assert.equal(await refusalOf({ headers: { origin: server.url } }), 'accepted');
  });

  it('a hundred sockets of one address, not more', async () => {
    const localAddress = '127.0.9.9';
    const opened = await Promise.all(Array.from({ length: 105 }, () => refusalOf({ localAddress })));
    assert.deepEqual(
      ['accepted', 'refused with 429'].map((answer) => opened.filter((each) => each === answer).length),
      [100, 5],
    );
  });

  it('nobody at another path', async () => {
    const answer = await StreamClient.open(`${server.url}/elsewhere`).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
    assert.equal(answer, 'refused with 404');
  });
});
