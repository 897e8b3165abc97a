/** The referee on a bot that follows a script, held against figures that a client works out from the public interface. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import ccxt from 'ccxt';
import type { Entry } from '../../src/inspector/recorder.ts';
import { type ConductRules, conductOf } from '../../src/lab/referee/conduct.ts';
import { faultReports } from '../../src/lab/referee/fault-reports.ts';
import { FINDING_NAMES, findingsOf } from '../../src/lab/referee/findings.ts';
import { junitOf } from '../../src/lab/referee/junit.ts';
import { pageOf } from '../../src/lab/referee/page.ts';
import type { Referee as Report } from '../../src/lab/referee/report.ts';
import { SpotCost } from '../../src/lab/referee/spot-cost.ts';
import { type Bourse, type Referee, startBourse } from '../../src/testkit/index.ts';
import { command } from '../app/bourse-process.ts';
import { startHosted } from '../harness/hosted-server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { spotOrder } from './lab.ts';
import { verifyAfterEach } from './verified.ts';

verifyAfterEach();

const FUTURES = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderType: 'limit' } as const;
const SPOT = { category: 'SPOT', symbol: 'BTCUSDT', orderType: 'limit' } as const;
const START = '2026-01-01T07:59:50Z';
const PERPETUAL = 'BTC/USDT:USDT';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Json = any;

/** Exact decimals of the oracle, in 10^-16; its own arithmetic. */
const SCALE = 16;
const exact = (text: string): bigint => {
  const [, sign, whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)!;
  const units = BigInt(whole! + part.padEnd(SCALE, '0').slice(0, SCALE));
  return sign === '-' ? -units : units;
};
const text = (units: bigint): string => {
  const digits = String(units < 0n ? -units : units).padStart(SCALE + 1, '0');
  const number = `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`.replace(/\.?0+$/, '');
  return units < 0n ? `-${number}` : number;
};
const times = (a: bigint, b: bigint) => (a * b) / 10n ** BigInt(SCALE);
const total = (texts: readonly string[]) => texts.reduce((sum, each) => sum + exact(each), 0n);

describe('the referee of a scripted bot', () => {
  let bourse: Bourse;
  let bot: Json;
  let client: SignedClient;
  let report: Referee;
  let firstEquity: string;

  const account = (name: string) => bourse.account(name);
  const equity = async () => (await client.get('/api/v3/account/assets')).data.accountEquity as string;
  const finding = (name: string) => report.findings.find((each) => each.name === name)!.count;

  before(async () => {
    bourse = await startBourse({ instruments: ['BTCUSDT'], prices: { BTCUSDT: '60000' }, start: START });
    const maker = account('maker');
    for (const order of [FUTURES, SPOT]) {
      await maker.place({ ...order, side: 'sell', qty: '1', price: '60010' });
      await maker.place({ ...order, side: 'buy', qty: '1', price: '59990' });
    }
    await maker.place({ ...FUTURES, side: 'sell', qty: '1', price: '60050' });
    bot = new ccxt.bitget(bourse.ccxt('bot'));
    client = new SignedClient(bourse.url, account('bot') as never);
    firstEquity = await equity();
    await script(bourse, bot, client);
    report = await bourse.referee('bot');
  });
  after(() => bourse.close());

  const fillsOf = async (category: string) =>
    ((await client.get('/api/v3/trade/fills', { category, limit: '100' })).data.list ?? []) as Json[];

  it('counts orders by what became of them', async () => {
    const { orders } = report.trading;
    const lists = await Promise.all(
      ['USDT-FUTURES', 'SPOT'].map(async (category) => [
        ...((await client.get('/api/v3/trade/history-orders', { category, limit: '100' })).data.list ?? []),
        ...((await client.get('/api/v3/trade/unfilled-orders', { category, limit: '100' })).data.list ?? []),
      ]),
    );
    const all = lists.flat();
    const count = (fits: (order: Json) => boolean) => all.filter(fits).length;
    assert.deepEqual(
      [orders.filled, orders.partlyFilled, orders.cancelled, orders.open],
      [
        count(({ orderStatus }) => orderStatus === 'filled'),
        count(({ orderStatus, cumExecQty }) => orderStatus === 'cancelled' && Number(cumExecQty) > 0),
        count(({ orderStatus, cumExecQty }) => orderStatus === 'cancelled' && Number(cumExecQty) === 0),
        count(({ orderStatus }) => orderStatus === 'new' || orderStatus === 'partially_filled'),
      ],
    );
    assert.equal(orders.placed, all.length + orders.rejected);
    assert.ok(orders.filled > 3 && orders.cancelled > 1 && orders.rejected > 0, JSON.stringify(orders));
  });

  it('adds fills, turnover, fees, maker share and realised profit to the last digit', async () => {
    const [futures, spot] = [await fillsOf('USDT-FUTURES'), await fillsOf('SPOT')];
    const all = [...futures, ...spot];
    const { trading } = report;
    assert.equal(trading.fills, all.length);
    assert.equal(trading.turnover.USDT, text(total(all.map(({ execValue }) => execValue))));
    const made = total(
      all.filter(({ tradeScope }) => tradeScope === 'maker').map(({ execValue }) => execValue),
    );
    const share = Number(made) / Number(total(all.map(({ execValue }) => execValue)));
    assert.ok(share > 0 && Math.abs(share - Number(trading.makerShare.USDT)) <= 0.00005);
    for (const coin of ['USDT', 'BTC']) {
      const fees = all.flatMap(({ feeDetail }) => feeDetail).filter(({ feeCoin }: Json) => feeCoin === coin);
      assert.equal(trading.fees[coin], text(total(fees.map(({ fee }: Json) => fee))), coin);
    }
    const pnl = total(futures.map(({ execPnl }) => execPnl));
    // Spot: 0.1 bought at 60010 and sold at 59990.
    const onSpot = times(exact('0.1'), exact('59990')) - times(exact('0.1'), exact('60010'));
    assert.equal(trading.profit.realised.USDT, text(pnl + onSpot));
  });

  it('holds each order against the middle of the book that it met', () => {
    // 0.5 at 60010 on a middle of 60000; 1.2: 0.5 left at 60010 and 0.7 at 60050 on the same middle; the rest as the script says.
    const cost = [
      ['buy', '0.5', '60010', '60000'],
      ['buy', '0.5', '60010', '60000'],
      ['buy', '0.7', '60050', '60000'],
      ...MORE_FILLS,
    ] as const;
    let [beyond, middle] = [0n, 0n];
    for (const [side, qty, price, mid] of cost) {
      const distance = times(exact(qty), exact(price) - exact(mid));
      beyond += side === 'buy' ? distance : -distance;
      middle += times(exact(qty), exact(mid));
    }
    const bps = (beyond * 10_000n * 10_000n * 2n + middle) / (middle * 2n);
    const { all, bySize } = report.trading.slippage;
    assert.equal(exact(all.bps), bps * 10n ** BigInt(SCALE - 4), all.bps);
    assert.equal(
      bySize.reduce((sum, { orders }) => sum + orders, 0),
      all.orders,
    );
  });

  it('tells funding, what the account has gained, and where it stood lowest', async () => {
    const { trading } = report;
    const records = (
      await client.get('/api/v3/account/financial-records', { category: 'USDT-FUTURES', limit: '100' })
    ).data.list as Json[];
    const funding = records.filter(({ type }) => /SETTLE_FEE/.test(type)).map(({ amount }) => amount);
    assert.ok(funding.length > 0);
    assert.equal(trading.funding.USDT, text(total(funding)));
    const now = await equity();
    assert.equal(trading.equity.last, now);
    assert.equal(trading.profit.total, text(exact(now) - exact(firstEquity)));
    assert.equal(trading.equity.paidIn, firstEquity, 'all of it was paid in before the script began');
    const positions = (await account('bot').positions()) as Json[];
    assert.equal(
      trading.profit.unrealised.USDT,
      text(total(positions.map(({ unrealisedPnl }) => unrealisedPnl))),
    );
    const { drawdown, exposure } = trading;
    assert.ok(exact(drawdown.usd) >= exact(firstEquity) - exact(now) && drawdown.from < drawdown.to);
    assert.ok(exact(exposure.most) >= exact('102000') && exact(exposure.average) > 0n);
    assert.ok(exposure.series.length > 1 && exposure.series.length <= 120);
  });

  it('counts what was refused and why, and what was left', async () => {
    const { conduct, rules } = report;
    assert.deepEqual(
      {
        belowMinimum: rules.belowMinimum,
        offTick: rules.offTick,
        reduceOnly: rules.reduceOnly,
        selfTrades: rules.selfTradesPrevented,
        left: rules.left,
        duplicates: conduct!.duplicateIds,
        closed: conduct!.amendsOfClosed,
      },
      {
        belowMinimum: 1,
        offTick: 1,
        reduceOnly: 1,
        selfTrades: 1,
        left: { orders: 1, positions: 1 },
        duplicates: 1,
        closed: 1,
      },
    );
    const requests = await bourse.requests({ account: 'bot', limit: 1000 });
    const limited = requests.filter(({ status }) => status === 429).length;
    assert.ok(limited > 0);
    assert.equal(conduct!.refused429, limited);
    const [first] = conduct!.limits;
    assert.equal(first!.percent, '100');
    for (const name of [
      'rate-limited',
      'duplicate-id',
      'amended-closed',
      'below-minimum',
      'off-tick',
      'left-orders',
    ])
      assert.ok(finding(name) > 0, name);
    for (const name of ['unsafe-retry', 'liquidated', 'no-ping', 'wrong-signature'])
      assert.equal(finding(name), 0, name);
  });

  it('begins where it is told to, and says when it does not reach as far', async () => {
    const late = await bourse.referee('bot', { since: '1s' });
    assert.equal(late.trading.fills, 0);
    assert.equal(late.complete, true);
    assert.equal(late.rules.left.orders, 1, 'also of those from before');
    assert.equal((await bourse.referee('bot', { since: '3000d' })).trading.fills, report.trading.fills);
    await assert.rejects(bourse.referee('bot', { since: 'soon' }), /a span such as 10m/);
    assert.throws(() => bourse.referee('nobody'), /there is no account/);
    const alice = await bourse.referee('alice');
    assert.deepEqual([alice.trading.orders.placed, alice.rules.left.orders], [1, 0]);
  });

  it('is written as tests of JUnit and as a page that stands alone', () => {
    const whole = { ...report, account: '<bot> & "co"' } as unknown as Report;
    const xml = junitOf(whole, new Set(['off-tick', 'liquidated']));
    assert.match(xml, new RegExp(`tests="${FINDING_NAMES.length}" failures="1"`));
    assert.match(xml, /name="off-tick"><failure message="[^"<]+"\/><\/testcase>/);
    assert.doesNotMatch(xml, /<bot>/);
    const page = pageOf(whole);
    assert.ok(page.includes(report.trading.turnover.USDT!) && page.includes('&lt;bot&gt;'));
    assert.doesNotMatch(page, /<script|src=|href=|<bot>/);
  });
});

/** What the script fills beside its first two orders: side, quantity, price, middle at arrival. */
const MORE_FILLS = [
  // A bid of the bot, hit by alice: on arrival the best were 59990 and 60050.
  ['buy', '0.05', '59995', '60020'],
  // Sells into the bid of the maker: its own bid is filled, so the best are 59990 and 60050.
  ['sell', '0.25', '59990', '60020'],
  // Spot, there and back.
  ['buy', '0.1', '60010', '60000'],
  ['sell', '0.1', '59990', '60000'],
] as const;

async function script(bourse: Bourse, bot: Json, client: SignedClient): Promise<void> {
  const PLACE = '/api/v3/trade/place-order';
  await bot.createOrder(PERPETUAL, 'market', 'buy', 0.5);
  await bot.createOrder(PERPETUAL, 'limit', 'buy', 1.2, 60_100);
  await bourse.advance('2s');
  await bot.createOrder(PERPETUAL, 'limit', 'buy', 0.05, 59_995);
  await bourse.account('alice').place({ ...FUTURES, side: 'sell', qty: '0.05', price: '59995' });
  await bot.createOrder(PERPETUAL, 'limit', 'sell', 0.25, 59_990);
  await bot.createOrder('BTC/USDT', 'limit', 'buy', 0.1, 60_010);
  await bot.createOrder('BTC/USDT', 'limit', 'sell', 0.1, 59_990);
  // Over eight o'clock, when funding is paid.
  await bourse.advance('15s');
  const kept = await bot.createOrder(PERPETUAL, 'limit', 'buy', 0.01, 58_000, { clientOrderId: 'kept' });
  const gone = await bot.createOrder(PERPETUAL, 'limit', 'buy', 0.01, 57_900);
  await bot.cancelOrder(gone.id, PERPETUAL);
  await bourse.advance('2s');
  await assert.rejects(bot.cancelOrder(gone.id, PERPETUAL));
  const refused = async (order: object, code: string) =>
    assert.equal(
      (await client.post(PLACE, { ...FUTURES, qty: '0.01', side: 'buy', price: '58000', ...order })).code,
      code,
    );
  await refused({ clientOid: 'kept' }, '25212');
  await refused({ price: '58000.001' }, '25244');
  await refused({ category: 'SPOT', qty: '0.00001' }, '25611');
  await refused({ side: 'buy', reduceOnly: 'yes' }, '25232');
  await bourse.advance('2s');
  // Its own bid is in the way.
  const crossing = { side: 'sell', qty: '0.01', price: '58000', stpMode: 'cancel_taker' };
  await bourse.account('maker').place({ ...SPOT, side: 'buy', qty: '0.001', price: '59000' });
  const own = await client.post(PLACE, { ...SPOT, side: 'buy', qty: '0.01', price: '60000' });
  assert.equal(own.code, '00000');
  await client.post(PLACE, { ...SPOT, ...crossing, price: '60000' });
  await client.post('/api/v3/trade/cancel-order', { orderId: own.data.orderId });
  // More than ten in a second of the machine.
  await Promise.all(
    Array.from({ length: 40 }, () => client.get('/api/v3/trade/order-info', { orderId: kept.id })),
  );
}

const RULES: ConductRules = {
  limitOf: () => undefined,
  codeOf: (code) => code,
  isUnknownOutcome: (code) => code === '40010',
  mistakes: () => [],
};

const PATH = '/api/v3/trade/place-order';
let ids = 0;
function entry(changes: Partial<Entry>): Entry {
  const steps = { parsedUs: 0, admittedUs: 0, appliedUs: 0, durableUs: 0, commands: [] };
  const texts = { peer: '', agent: '', timestamp: '', body: '', answer: '', connection: '', apiKey: '' };
  const numbers = { atMs: 1000 * ids, tookMs: 1, status: 200, left: undefined, uid: 1, mainUid: 1 };
  const base = { ...steps, ...texts, ...numbers, unread: false, finding: undefined };
  return { ...base, id: ++ids, kind: 'http', method: 'POST', target: PATH, ...changes };
}

describe('conduct', () => {
  const retries = (...entries: Entry[]) => conductOf(entries, RULES).retries;
  const plain = JSON.stringify({ symbol: 'BTCUSDT', qty: '1' });
  const named = JSON.stringify({ symbol: 'BTCUSDT', qty: '1', clientOid: 'a' });

  it('tells safe retries from unsafe ones, and both from orders that are merely alike', () => {
    const lost = { body: plain, unread: true };
    assert.deepEqual(retries(entry(lost), entry({ body: plain })), { safe: 0, unsafe: 1 });
    assert.deepEqual(retries(entry(lost), entry(lost), entry({ body: plain })), { safe: 0, unsafe: 2 });
    assert.deepEqual(retries(entry({ body: plain, status: 503 }), entry({ body: plain })), {
      safe: 0,
      unsafe: 1,
    });
    const unknown = { body: plain, answer: '{"code":"40010","msg":"x"}', status: 504 };
    assert.deepEqual(retries(entry(unknown), entry({ body: plain })), { safe: 0, unsafe: 1 });
    assert.deepEqual(retries(entry({ body: named, unread: true }), entry({ body: named })), {
      safe: 1,
      unsafe: 0,
    });
    assert.deepEqual(retries(entry({ body: plain }), entry({ body: plain })), { safe: 0, unsafe: 0 });
    assert.deepEqual(retries(entry(lost), entry({ body: plain, atMs: 1e9 })), { safe: 0, unsafe: 0 });
    assert.deepEqual(retries(entry(lost), entry({ body: '{"qty":"2"}' })), { safe: 0, unsafe: 0 });
  });

  it('counts calls for what a stream was telling, and only while it was', () => {
    const poll = () => entry({ method: 'GET', target: '/api/v3/trade/unfilled-orders?category=SPOT' });
    const frame = (op: string, topic = 'order') =>
      entry({ kind: 'ws', method: 'in', connection: 'c', body: JSON.stringify({ op, args: [{ topic }] }) });
    const close = (answer: object) =>
      entry({ kind: 'ws', method: 'close', connection: 'c', answer: JSON.stringify(answer) });
    const all = [
      poll(),
      frame('subscribe', 'fill'),
      poll(),
      frame('subscribe'),
      poll(),
      poll(),
      frame('unsubscribe'),
      poll(),
      frame('subscribe'),
      close({ closed: 1000, seconds: 90, pings: 0, stalled: true }),
      poll(),
    ];
    const conduct = conductOf(all, RULES);
    assert.equal(conduct.pollingBesideStream, 2);
    assert.deepEqual([conduct.socketsWithoutPing, conduct.unreadSockets], [1, 1]);
    assert.equal(
      conductOf([close({ seconds: 90, pings: 2 }), close({ seconds: 5, pings: 0 })], RULES)
        .socketsWithoutPing,
      0,
    );
  });

  it('looks into batches', () => {
    const answer = JSON.stringify({
      code: '00000',
      msg: '',
      data: [{ code: '25212' }, { code: '00000' }, { code: '25212' }],
    });
    assert.equal(conductOf([entry({ target: '/api/v3/trade/place-batch', answer })], RULES).duplicateIds, 2);
  });
});

describe('faults met', () => {
  it('tell what the account did, when it knew, and which position it could not know of', () => {
    const tally = {
      ordersOfCommand: new Map([[7, 70]]),
      steps: [
        { orderId: 60, instrument: 0, time: 1, lots: 5 },
        { orderId: 70, instrument: 0, time: 2, lots: 3 },
      ],
    };
    const state = { instruments: [{ category: 0, symbol: 'BTCUSDT', quantityPrecision: 1 }] };
    const hit = { fault: 'f1', what: 'drop after', atMs: 5000, entry: 1, commands: [7] };
    const met = (...entries: Entry[]) => faultReports([hit], entries, tally as never, state as never)[0]!;
    const quiet = met(entry({ id: 1, atMs: 5000 }));
    assert.deepEqual(
      [quiet.did, quiet.secondsUntilKnown, quiet.believed, quiet.actual],
      ['', null, { 'SPOT:BTCUSDT': '0.5' }, { 'SPOT:BTCUSDT': '0.8' }],
    );
    const asked = met(
      entry({ id: 1, atMs: 5000 }),
      entry({ id: 2, atMs: 5500 }),
      entry({ id: 3, atMs: 7250, method: 'GET', target: '/api/v3/trade/order-info?clientOid=a' }),
    );
    assert.deepEqual([asked.did, asked.secondsUntilKnown], [`POST ${PATH}`, 2.25]);
    const facts = { conduct: null, rules: { left: {} }, faults: [quiet, asked] } as never;
    assert.equal(findingsOf(facts).find(({ name }) => name === 'unknown-position')!.count, 1);
  });
});

describe('profit of spot trades', () => {
  it('is that of the average cost, long and short, over zero and back', () => {
    const cost = new SpotCost();
    assert.equal(cost.trade(true, 10n, 1000n), 0n);
    assert.equal(cost.trade(true, 10n, 1200n), 0n);
    assert.equal(cost.trade(false, 5n, 600n), 50n);
    assert.equal(cost.trade(false, 25n, 2500n), 1500n - 1650n, '15 of them close, 10 open a short');
    assert.deepEqual([cost.lots, cost.basis], [-10n, 1000n]);
    assert.equal(cost.unrealised(900n), 100n);
    assert.equal(cost.trade(true, 10n, 1100n), -100n);
    assert.deepEqual([cost.lots, cost.basis], [0n, 0n]);
  });
});

describe('a fault that the bot has met', () => {
  it('is told with what the bot did, and what it could believe', async () => {
    await using bourse = await startBourse({ instruments: ['BTCUSDT'], prices: { BTCUSDT: '60000' } });
    const [bot, maker] = [bourse.account('bot'), bourse.account('maker')];
    await maker.place({ ...FUTURES, side: 'sell', qty: '1', price: '60000' });
    const order = { ...FUTURES, side: 'buy', qty: '0.5', price: '60000' } as const;
    const lost = { when: { account: 'bot', path: 'trade/place-order', nth: [1] }, do: { drop: 'after' } };
    await bourse.fault(lost);
    await assert.rejects(bot.place(order));
    await bot.openOrders();
    const { faults, findings } = await bourse.referee('bot');
    const [met, ...others] = faults;
    assert.deepEqual(others, []);
    assert.deepEqual([met!.fault, met!.what], ['fault-1', '{"drop":"after"}']);
    assert.match(met!.did, /^GET .*unfilled-orders$/);
    assert.deepEqual([Object.values(met!.believed), Object.values(met!.actual)], [['0'], ['0.5']]);
    assert.ok(met!.secondsUntilKnown !== null);
    assert.equal(findings.find(({ name }) => name === 'unknown-position')!.count, 0);
    assert.deepEqual((await bourse.referee('maker')).faults, []);
  });
});

describe('bourse lab referee', () => {
  it('ends with 5 when something that was named has happened, and writes its files', async () => {
    const server = await startHosted({ args: ['--clock', 'manual', '--instruments', 'BTCUSDT'] });
    try {
      const alice = new SignedClient(server.url, server.account('alice'));
      await alice.post(PATH, spotOrder('buy', '60000'));
      const [xml, html] = ['out.xml', 'out.html'].map((name) => join(temporaryDirectory(), name)) as [
        string,
        string,
      ];
      const referee = (...words: string[]) =>
        command(['lab', 'referee', 'alice', ...words, '--data', server.data]);
      const failed = await referee('--junit', xml, '--html', html, '--fail-on', 'unsafe-retry,left-orders');
      assert.equal(failed.code, 5, failed.stderr);
      assert.match(failed.stdout, /left-orders +1 +orders were left open/);
      assert.match(readFileSync(xml, 'utf8'), /failures="1"/);
      assert.match(readFileSync(html, 'utf8'), /<h1>alice/);
      assert.equal((await referee('--fail-on', 'unsafe-retry', '--json')).code, 0);
      const wrong = await referee('--fail-on', 'left-order');
      assert.equal(wrong.code, 2);
      assert.match(wrong.stderr, /did you mean left-orders\?/);
      assert.equal((await command(['lab', 'referee', 'nobody', '--data', server.data])).code, 1);
    } finally {
      await server.stop();
    }
  });
});
