/**
 * The same life of a position in the three futures categories, with both unmodified clients, on a clock that moves by
 * hand: leverage and modes set, opened, enlarged, partly closed, flipped, funded, closed; then an isolated one that adds
 * margin by itself. Every number is held against `position-by-hand.ts`.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RestClientV2 } from 'bitget-api';
import ccxt from 'ccxt';
import { startHostedInMemory } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import {
  type CcxtClient,
  ccxtClients,
  refusalOf,
  refusesWith,
  type SdkClient,
  sdkClient,
} from './clients.ts';
import { decimal, units } from './ledger-by-hand.ts';
import { HandCoinPosition, HandPosition, mean, signed } from './position-by-hand.ts';

const TAKER = '0.0006';
const LEVERAGE = 20n;
const HOUR = 3_600_000;
const EIGHT = Date.UTC(2026, 2, 2, 8);
const START = EIGHT - 2 * HOUR;

interface Line {
  readonly category: 'USDT-FUTURES' | 'USDC-FUTURES' | 'COIN-FUTURES';
  readonly symbol: string;
  readonly unified: string;
  readonly index: string;
  readonly coin: string;
  readonly Hand: typeof HandPosition;
}

const LINES: readonly Line[] = [
  {
    category: 'USDT-FUTURES',
    symbol: 'BTCUSDT',
    unified: 'BTC/USDT:USDT',
    index: 'BTCUSDT',
    coin: 'USDT',
    Hand: HandPosition,
  },
  {
    category: 'USDC-FUTURES',
    symbol: 'BTCPERP',
    unified: 'BTC/USDC:USDC',
    index: 'BTCUSDC',
    coin: 'USDC',
    Hand: HandPosition,
  },
  {
    category: 'COIN-FUTURES',
    symbol: 'BTCUSD',
    unified: 'BTC/USD:BTC',
    index: 'BTCUSD',
    coin: 'BTC',
    Hand: HandCoinPosition,
  },
];

let server: TestServer;
let operator: Operator;
let alice: CcxtClient;
let sdk: SdkClient;
let older: RestClientV2;
let maker: SdkClient;
/** By category: the open position by hand, and what the account had before. */
const hands = new Map<string, HandPosition>();
const purses = new Map<string, bigint>();

before(async () => {
  const clock = ['--clock', 'manual', '--clock-start', String(START)];
  server = await startHostedInMemory([...clock, '--rate-limits', 'off']);
  operator = new Operator(server);
  const keys = server.account('alice');
  [alice] = (await ccxtClients(server.url, [keys])) as [CcxtClient];
  sdk = sdkClient(server.url, keys);
  older = new RestClientV2({
    baseUrl: server.url,
    apiKey: keys.apiKey,
    apiSecret: keys.secretKey,
    apiPass: keys.passphrase,
  });
  maker = sdkClient(server.url, server.account('maker'));
  for (const { category, symbol, coin } of LINES) {
    await operator.setStatus(category, symbol, 'online');
    purses.set(category, await money(coin));
  }
  await price('60000');
});

after(() => server.stop());

async function money(coin: string): Promise<bigint> {
  const { assets } = (await sdk.getBalances()).data;
  return units(assets.find((each) => each.coin === coin)!.balance);
}

/** All indices, seen a second later. */
async function price(btc: string): Promise<void> {
  for (const { index } of LINES) await operator.setPrice(index, btc);
  await operator.advanceClock('2s');
}

type Order = Parameters<SdkClient['submitNewOrder']>[0];

const order = (
  { category, symbol }: Line,
  side: 'buy' | 'sell',
  qty: string,
  at: string,
  more = {},
): Order => ({
  category,
  symbol,
  side,
  orderType: 'limit',
  qty,
  price: at,
  ...more,
});

/** A market maker's order that stands there to be taken. */
const quote = (line: Line, side: 'buy' | 'sell', qty: string, at: string) =>
  maker.submitNewOrder(order(line, side, qty, at));

async function position({ category, symbol }: Line) {
  const { list } = (await sdk.getCurrentPosition({ category, symbol })).data;
  assert.equal(list.length, 1);
  return list[0]!;
}

/** What a contract is marked at. */
async function markOf({ category, symbol }: Line): Promise<string> {
  return (await sdk.getTickers({ category, symbol })).data[0]!.markPrice!;
}

async function assertPosition(line: Line, index: string): Promise<void> {
  const hand = hands.get(line.category)!;
  const held = await position(line);
  const { markPrice } = held;
  assert.deepEqual(
    {
      coin: held.marginCoin,
      side: held.posSide,
      total: held.total,
      avgPrice: held.avgPrice,
      balance: held.positionBalance,
      unrealised: held.unrealisedPnl,
      profitRate: held.profitRate,
      realised: held.curRealisedPnl,
      breakEven: held.breakEvenPrice,
      funding: held.totalFunding,
      fees: [held.openFeeTotal, held.closeFeeTotal],
      mmr: held.mmr,
      leverage: held.leverage,
    },
    {
      coin: line.coin,
      side: hand.size > 0n ? 'long' : 'short',
      total: decimal(hand.size < 0n ? -hand.size : hand.size),
      avgPrice: hand.averagePrice(),
      balance: decimal(hand.crossedMargin(markPrice, LEVERAGE, index)),
      unrealised: signed(hand.unrealised(markPrice, index)),
      profitRate: hand.profitRate(markPrice, LEVERAGE),
      realised: signed(hand.realised),
      breakEven: hand.breakEven(index),
      funding: signed(hand.funding),
      fees: [signed(-hand.openFee), signed(-hand.closeFee)],
      mmr: '0.004',
      leverage: String(LEVERAGE),
    },
  );
  const [seen] = await alice.fetchPositions([line.unified]);
  assert.deepEqual(
    [seen!.side, seen!.contracts, seen!.entryPrice, seen!.unrealizedPnl],
    [held.posSide, Number(held.total), Number(held.avgPrice), Number(held.unrealisedPnl)],
  );
  assert.equal(await money(line.coin), purses.get(line.category)! + hand.cash);
}

for (const line of LINES) {
  const { category, symbol, unified, Hand } = line;

  test(`${category}: leverage and tiers`, async () => {
    await alice.setLeverage(Number(LEVERAGE), unified);
    const { symbolConfigList } = (await sdk.getAccountSettings()).data;
    assert.deepEqual(
      symbolConfigList.find((each) => each.symbol === symbol),
      { category, symbol, marginMode: 'crossed', leverage: String(LEVERAGE) },
    );
    const leverage = await alice.fetchLeverage(unified);
    assert.deepEqual([leverage.longLeverage, leverage.marginMode], [Number(LEVERAGE), 'cross']);
    await refusesWith(alice.setLeverage(126, unified), ccxt.ExchangeError, '25223');
    const tiers = await alice.fetchMarketLeverageTiers(unified);
    assert.deepEqual(
      tiers.slice(0, 2).map((t) => [t.minNotional, t.maxNotional, t.maxLeverage, t.maintenanceMarginRate]),
      [
        [0, 150_000, 125, 0.004],
        [150_000, 900_000, 100, 0.005],
      ],
    );
    const { singleUserLimit } = (await sdk.getOpenInterestLimit({ category, symbol })).data;
    assert.equal(Number(singleUserLimit), tiers.at(-1)!.maxNotional);
  });

  test(`${category}: a long opens and grows`, async () => {
    const hand = new Hand(TAKER);
    hands.set(category, hand);
    await quote(line, 'sell', '0.3', '60000');
    await alice.createOrder(unified, 'market', 'buy', 0.3);
    hand.trade('buy', '0.3', '60000');
    await assertPosition(line, '60000');
    await quote(line, 'sell', '0.2', '60100.5');
    await alice.createOrder(unified, 'limit', 'buy', 0.2, 60100.5);
    hand.trade('buy', '0.2', '60100.5');
    await price('60500');
    await assertPosition(line, '60500');
    const interest = await alice.fetchOpenInterest(unified);
    assert.equal(interest.openInterestAmount, 0.5);
  });

  test(`${category}: a part closes and pays its share`, async () => {
    const hand = hands.get(category)!;
    await quote(line, 'buy', '0.1', '60400');
    const { id } = await alice.createOrder(unified, 'limit', 'sell', 0.1, 60400, { reduceOnly: true });
    const profit = hand.trade('sell', '0.1', '60400', await markOf(line));
    const { list } = (await sdk.getTradeFills({ orderId: id! })).data;
    assert.deepEqual(
      list.map((fill) => [fill.tradeSide, fill.execPnl, fill.execQty, fill.feeDetail[0]]),
      [['close', signed(profit), '0.1', { feeCoin: line.coin, fee: decimal(hand.closeFee) }]],
    );
    await assertPosition(line, '60500');
  });

  test(`${category}: a larger sell flips the position, and the long is history`, async () => {
    const long = hands.get(category)!;
    await price('61000');
    await quote(line, 'buy', '0.6', '61000');
    const { orderId } = (await sdk.submitNewOrder(order(line, 'sell', '0.6', '61000'))).data;
    const profit = long.trade('sell', '0.4', '61000', await markOf(line));
    purses.set(category, purses.get(category)! + long.cash);
    const short = new Hand(TAKER);
    hands.set(category, short);
    short.trade('sell', '0.2', '61000');
    const { list } = (await sdk.getTradeFills({ orderId })).data;
    assert.deepEqual(list.map(({ tradeSide, execQty, execPnl }) => [tradeSide, execQty, execPnl]).reverse(), [
      ['close', '0.4', signed(profit)],
      ['open', '0.2', '0'],
    ]);
    await assertPosition(line, '61000');
    await assertHistory(line, long, 'long');
    await price('60000');
  });
}

async function assertHistory({ category, symbol, unified, coin }: Line, hand: HandPosition, side: string) {
  const [past] = (await sdk.getPositionHistory({ category, symbol })).data.list;
  const { positionId: _id, createdTime: _created, updatedTime: _updated, ...shown } = past!;
  assert.deepEqual(shown, {
    category,
    symbol,
    marginCoin: coin,
    holdMode: 'one_way_mode',
    posSide: side,
    marginMode: 'crossed',
    openPriceAvg: mean(hand.opened.value, hand.opened.size),
    closePriceAvg: mean(hand.closed.value, hand.closed.size),
    openTotalPos: decimal(hand.opened.size),
    closeTotalPos: decimal(hand.closed.size),
    cumRealisedPnl: signed(hand.realised),
    netProfit: signed(hand.cash),
    totalFunding: signed(hand.funding),
    openFeeTotal: signed(-hand.openFee),
    closeFeeTotal: signed(-hand.closeFee),
  });
  const [seen] = await alice.fetchPositionsHistory([unified]);
  assert.equal(seen!.side, side);
}

test('funding of all three: the rate of the minutes that had an index, paid at 08:00 and told by both clients', async () => {
  await price('61000');
  await operator.advanceClock('1m');
  const from = await operator.time();
  // A market maker's book above the index from now on: what 25 000 are worth at its bids is the premium.
  for (const line of LINES) {
    await quote(line, 'buy', '3', '61500');
    await quote(line, 'sell', '3', '61510');
  }
  const { minutes } = samples(from);
  await operator.tryAdvance({ to: new Date(EIGHT).toISOString() });
  const premium = 500 / 61_000;
  const weights = (count: number) => (count * (count + 1)) / 2;
  const average = (premium * (weights(minutes.all) - weights(minutes.before))) / weights(minutes.all);
  const rate = Math.min(0.003, average + Math.max(-0.0005, Math.min(0.0005, 0.0001 - average)));
  for (const line of LINES) {
    const { category, symbol, unified } = line;
    const [settled] = await alice.fetchFundingRateHistory(unified);
    assert.equal(settled!.timestamp, EIGHT);
    assert.equal(settled!.fundingRate!.toFixed(8), rate.toFixed(8), category);
    const { resultList } = (await sdk.getHistoryFundingRate({ category, symbol })).data as never as {
      resultList: { fundingRate: string }[];
    };
    const hand = hands.get(category)!;
    const mark = await markOf(line);
    const received = hand.settles(mark, resultList[0]!.fundingRate, '61000');
    assert.ok(received > 0n, 'a positive rate is paid by longs');
    await assertPosition(line, '61000');
    const [booked] = await alice.fetchFundingHistory(unified);
    assert.equal(booked!.amount, Number(decimal(received)));
    await maker.cancelAllOrders({ category, symbol });
  }
  // Without its book the mark is back at the index.
  await price('61000');
  await operator.advanceClock('5m');
});

/** Whole minutes since the index had a price: before an instant, and up to the settlement with it. */
function samples(from: number) {
  const minute = (time: number) => Math.floor(time / 60_000);
  return { minutes: { before: minute(from) - minute(START), all: minute(EIGHT) - minute(START) } };
}

for (const line of LINES) {
  const { category, symbol, unified } = line;

  test(`${category}: the short closes at market with its funding`, async () => {
    const hand = hands.get(category)!;
    await quote(line, 'sell', '0.2', '60900');
    await alice.closePosition(unified);
    hand.trade('buy', '0.2', '60900', await markOf(line));
    assert.deepEqual((await sdk.getCurrentPosition({ category, symbol })).data.list, []);
    assert.equal(await money(line.coin), purses.get(category)! + hand.cash);
    await assertHistory(line, hand, 'short');
  });
}

test('hedge mode and isolated margin in all three', async () => {
  await alice.setPositionMode(true);
  for (const { unified } of LINES) {
    await alice.setMarginMode('isolated', unified);
    assert.equal((await alice.fetchMarginMode(unified)).marginMode, 'isolated');
    await alice.setLeverage(10, unified, { posSide: 'long' });
  }
});

for (const line of LINES) {
  const { category, symbol, unified, coin, Hand } = line;

  test(`${category}: an isolated long takes margin by itself, as much as it may, then falls`, async () => {
    await price('60000');
    const before = await money(coin);
    const hand = new Hand(TAKER);
    await quote(line, 'sell', '0.5', '60000');
    await sdk.submitNewOrder(order(line, 'buy', '0.5', '60000', { posSide: 'long' }));
    hand.trade('buy', '0.5', '60000');
    // A tenth of 30 000, in coin at the price of the trade.
    const inCoin = (usd: string, at: string) =>
      coin === 'BTC' ? (units(usd) * 10n ** 8n) / units(at) : units(usd);
    let iso = inCoin('3000', '60000');
    let held = await position(line);
    assert.deepEqual([held.marginMode, held.positionBalance], ['isolated', decimal(iso)]);
    assert.equal(held.liquidationPrice, hand.isolatedLiquidation(iso, '0.004', '0'));
    assert.equal(await money(coin), before + hand.cash - iso);

    const extra = inCoin('1000', '50000');
    const wrong = older.setFuturesPositionAutoMargin({
      symbol,
      marginCoin: coin,
      autoMargin: 'on',
      amount: decimal(extra),
      holdSide: 'short',
    });
    assert.equal((await refusalOf(wrong)).body.code, '25227');
    await older.setFuturesPositionAutoMargin({
      symbol,
      marginCoin: coin,
      autoMargin: 'on',
      amount: decimal(extra),
      holdSide: 'long',
    });
    const asked = { symbol, productType: category, marginCoin: coin };
    const told = async () => (await alice.privateMixGetV2MixAccountAccount(asked)).data;
    assert.deepEqual(
      [(await told()).isolatedLongAutoMargin, (await told()).isolatedShortAutoMargin],
      ['on', 'off'],
    );
    for (const at of ['57500', '55500', '53900']) await price(at);
    iso += extra;
    held = await position(line);
    assert.equal(held.positionBalance, decimal(iso), 'all that it was allowed, which is less than it wanted');
    assert.equal(held.liquidationPrice, hand.isolatedLiquidation(iso, '0.004', '0'));
    assert.equal((await told()).isolatedLongAutoMargin, 'off');
    const { list } = (await sdk.getFinancialRecords({ category, coin })).data;
    assert.deepEqual([list[0]!.type, list[0]!.amount], ['FIXED_INCREASE_MARGIN', `-${decimal(extra)}`]);

    await alice.privateMixPostV2MixAccountSetAutoMargin({ ...asked, autoMargin: 'on', holdSide: 'long' });
    assert.equal((await told()).isolatedLongAutoMargin, 'on');
    await alice.privateMixPostV2MixAccountSetAutoMargin({ ...asked, autoMargin: 'off', holdSide: 'long' });
    await quote(line, 'buy', '0.5', '52000');
    for (const at of ['52500', '51500']) await price(at);
    assert.deepEqual((await sdk.getCurrentPosition({ category, symbol })).data.list, []);
    assert.equal(await money(coin), before - hand.openFee - iso, 'what it stood on is lost, nothing else');
    const [forced] = (await sdk.getHistoryOrders({ category, symbol })).data.list;
    assert.deepEqual([forced!.execType, forced!.side], ['liquidation', 'sell']);
    await maker.cancelAllOrders({ category, symbol });
    for (const at of ['53500', '55500', '58000']) await price(at);
    assert.equal((await alice.fetchPositions([unified])).length, 0);
  });
}
