/**
 * Futures with the unmodified clients against the real server: prices by the operator's hand, leverage and modes,
 * positions opened, enlarged, partly closed, flipped and closed, with a crash in the middle. Every number is held
 * against `position-by-hand.ts`.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import ccxt from 'ccxt';
import { startHosted } from '../harness/hosted-server.ts';
import { Operator } from '../harness/operator-client.ts';
import type { TestServer } from '../harness/server.ts';
import { SignedClient } from '../harness/signed-client.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import {
  type CcxtClient,
  ccxtClients,
  refusalOf,
  refusesWith,
  type SdkClient,
  sdkClient,
} from './clients.ts';
import { decimal, units } from './ledger-by-hand.ts';
import { assertChain } from './ledger-chain.ts';
import { HandPosition, mean, signed } from './position-by-hand.ts';

const SWAP = 'BTC/USDT:USDT';
const CONTRACT = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' } as const;
const TAKER = '0.0006';

/** Marks are taken each second; here a second passes when a test says so. */
const ARGS = ['--rate-limits', 'off', '--clock', 'manual'];
const data = temporaryDirectory();
let server: TestServer;
let port: string;
let operator: Operator;
let alice: CcxtClient;
let sdk: SdkClient;
let maker: SdkClient;
let startMoney: bigint;
/** What alice's trades must have done, since the start and in the position that is open. */
let hand = new HandPosition(TAKER);
let cash = 0n;

before(async () => {
  server = await startHosted({ data, args: ARGS });
  port = new URL(server.url).port;
  operator = new Operator(server);
  [alice] = (await ccxtClients(server.url, [server.account('alice')])) as [CcxtClient];
  sdk = sdkClient(server.url, server.account('alice'));
  maker = sdkClient(server.url, server.account('maker'));
  startMoney = await money();
});

after(async () => {
  await server.stop();
});

async function money(coin = 'USDT', client = sdk): Promise<bigint> {
  const { assets } = (await client.getBalances()).data;
  return units(assets.find((each) => each.coin === coin)!.balance);
}

/** Reports a price, and marks follow. */
async function priceMoves(index: string, price: string): Promise<void> {
  await operator.setPrice(index, price);
  await operator.advanceClock('2s');
}

type Order = Parameters<SdkClient['submitNewOrder']>[0];
const order = (side: 'buy' | 'sell', qty: string, price: string, more: Partial<Order> = {}): Order => ({
  ...CONTRACT,
  side,
  orderType: 'limit',
  qty,
  price,
  ...more,
});

/** A market maker's order that stands there to be taken. */
const quote = (side: 'buy' | 'sell', qty: string, price: string) =>
  maker.submitNewOrder(order(side, qty, price));

async function position() {
  const { list } = (await sdk.getCurrentPosition(CONTRACT)).data;
  assert.equal(list.length, 1);
  return list[0]!;
}

/** Alice takes what the market maker offers; the trade is also done by hand. */
async function takes(
  side: 'buy' | 'sell',
  qty: string,
  price: string,
  more: Partial<Order> = {},
): Promise<string> {
  await quote(side === 'buy' ? 'sell' : 'buy', qty, price);
  const { orderId } = (await sdk.submitNewOrder(order(side, qty, price, more))).data;
  return orderId;
}

test('a contract trades when it is online and its index has a price', async () => {
  const early = await refusalOf(sdk.submitNewOrder(order('buy', '0.1', '60000')));
  assert.equal(early.body.code, '25103');
  await operator.setStatus('USDT-FUTURES', 'BTCUSDT', 'online');
  const blind = await refusalOf(sdk.submitNewOrder(order('buy', '0.1', '60000')));
  assert.equal(blind.body.code, '25108');

  await priceMoves('BTCUSDT', '60000');
  const [ticker] = (await sdk.getTickers(CONTRACT)).data;
  assert.deepEqual([ticker!.indexPrice, ticker!.markPrice, ticker!.openInterest], ['60000', '60000', '0']);
  const { componentList } = (await sdk.getIndexComponents({ symbol: 'BTCUSDT' })).data;
  assert.deepEqual(
    componentList.map(({ equivalentPrice, weight }) => [equivalentPrice, weight]),
    ['0.3', '0.25', '0.2', '0.15', '0.1'].map((weight) => ['60000', weight]),
  );
  assert.equal((await alice.fetchMarkPrice(SWAP)).markPrice, 60000);
});

test('tiers, funding and collateral rates are what the venue works with', async () => {
  const tiers = await alice.fetchMarketLeverageTiers(SWAP);
  assert.deepEqual(
    tiers
      .slice(0, 3)
      .map((t) => [t.tier, t.minNotional, t.maxNotional, t.maxLeverage, t.maintenanceMarginRate]),
    [
      [1, 0, 150_000, 125, 0.004],
      [2, 150_000, 900_000, 100, 0.005],
      [3, 900_000, 12_000_000, 50, 0.01],
    ],
  );
  const funding = await alice.fetchFundingRate(SWAP);
  assert.equal(funding.interval, '8h');
  const eightHours = 8 * 3_600_000;
  assert.equal(funding.fundingTimestamp! % eightHours, 0);
  const now = await operator.time();
  assert.ok(funding.fundingTimestamp! > now && funding.fundingTimestamp! <= now + eightHours);
  const [rate] = (await sdk.getCurrentFundingRate({ symbol: 'BTCUSDT' })).data;
  assert.deepEqual([rate!.minFundingRate, rate!.maxFundingRate], ['-0.003', '0.003']);
  assert.deepEqual(await alice.fetchFundingRateHistory(SWAP), []);
  const rates = (await sdk.getDiscountRate()).data;
  assert.deepEqual(rates.find(({ coin }) => coin === 'BTC')!.list.slice(0, 2), [
    { tierStartValue: '0', discountRate: '0.975' },
    { tierStartValue: '100000', discountRate: '0.97' },
  ]);
  const { list } = (await sdk.getRiskReserveAll({ category: 'USDT-FUTURES' })).data;
  assert.deepEqual([list[0]!.coin, list[0]!.balance], ['USDT', '1000000']);
});

test('leverage is set, shown and refused above its maximum', async () => {
  await alice.setLeverage(20, SWAP);
  const { symbolConfigList, holdMode } = (await sdk.getAccountSettings()).data;
  assert.equal(holdMode, 'one_way_mode');
  assert.deepEqual(symbolConfigList, [{ ...CONTRACT, marginMode: 'crossed', leverage: '20' }]);
  const leverage = await alice.fetchLeverage(SWAP);
  assert.deepEqual([leverage.longLeverage, leverage.marginMode], [20, 'cross']);
  await refusesWith(alice.setLeverage(126, SWAP), ccxt.ExchangeError, '25223');
  const uneven = sdk.setLeverage({
    ...CONTRACT,
    leverage: '5',
    longLeverage: '5',
    shortLeverage: '6',
  });
  assert.equal((await refusalOf(uneven)).body.code, '40017');
});

test('an order or a leverage that is refused leaves the margin mode that came with it behind', async () => {
  const isolated = { marginMode: 'isolated' } as Partial<Order>;
  const codes = [
    await refusalOf(sdk.submitNewOrder(order('buy', '0.1', '60000.05', isolated))),
    await refusalOf(sdk.submitNewOrder(order('buy', '1000', '60000', isolated))),
    await refusalOf(sdk.setLeverage({ ...CONTRACT, leverage: '126', ...isolated } as never)),
  ].map(({ body }) => body.code);
  assert.deepEqual(codes, ['25244', '25233', '25223']);
  const batch = await sdk.placeBatchOrders([order('buy', '0.1', '60000.05', isolated)]);
  assert.equal(batch.data[0]!.code, '25244');
  const { symbolConfigList } = (await sdk.getAccountSettings()).data;
  assert.deepEqual(symbolConfigList, [{ ...CONTRACT, marginMode: 'crossed', leverage: '20' }]);
});

test('a long opens and grows: size, average, margin, break-even and profit by the formulas', async () => {
  await quote('sell', '0.3', '60000');
  await alice.createOrder(SWAP, 'market', 'buy', 0.3);
  hand.trade('buy', '0.3', '60000');
  await quote('sell', '0.2', '60100.5');
  await alice.createOrder(SWAP, 'limit', 'buy', 0.2, 60100.5);
  hand.trade('buy', '0.2', '60100.5');
  await priceMoves('BTCUSDT', '61000');

  const held = await position();
  assert.deepEqual(
    [held.posSide, held.holdMode, held.marginMode, held.leverage, held.total, held.available, held.frozen],
    ['long', 'one_way_mode', 'crossed', '20', '0.5', '0.5', '0'],
  );
  const { markPrice } = held;
  assert.ok(Number(markPrice) > 60100 && Number(markPrice) < 61100, markPrice);
  assert.equal(held.avgPrice, hand.averagePrice());
  assert.equal(held.avgPrice, '60040.2');
  assert.equal(held.unrealisedPnl, signed(hand.unrealised(markPrice)));
  assert.equal(held.positionBalance, decimal(hand.crossedMargin(markPrice, 20n)));
  assert.equal(held.openFeeTotal, signed(-hand.openFee));
  assert.equal(held.breakEvenPrice, hand.breakEven());
  assert.equal(held.mmr, '0.004');
  assert.ok(
    Math.abs(Number(held.profitRate) - Number(held.unrealisedPnl) / Number(held.positionBalance)) < 1e-9,
  );
  const [seen] = await alice.fetchPositions([SWAP]);
  assert.deepEqual(
    [seen!.side, seen!.contracts, seen!.entryPrice],
    ['long', 0.5, Number(hand.averagePrice())],
  );

  const interest = await alice.fetchOpenInterest(SWAP);
  assert.equal(interest.openInterestAmount, 0.5);
  assert.equal(await money(), startMoney + hand.cash);
});

test('the account counts profit and margin of the position', async () => {
  for (let tries = 0; tries < 5; tries++) {
    const before = await position();
    const assets = (await sdk.getBalances()).data;
    if ((await position()).markPrice !== before.markPrice) continue;
    const profit = hand.unrealised(before.markPrice);
    assert.equal(units(assets.unrealisedPnl), profit);
    const tether = assets.assets.find(({ coin }) => coin === 'USDT')!;
    assert.equal(tether.equity, decimal(startMoney + hand.cash + profit));
    assert.equal(tether.balance, decimal(startMoney + hand.cash));
    assert.ok(Math.abs(Number(assets.imr) - Number(before.positionBalance)) < 1e-6);
    const notional = (hand.size * units(before.markPrice)) / 10n ** 8n;
    const maintenance = Number(decimal(notional)) * (0.004 + 0.0006);
    assert.ok(Math.abs(Number(assets.mmr) - maintenance) < 1e-6, `${assets.mmr} is not ${maintenance}`);
    assert.ok(Math.abs(Number(assets.mgnRatio) - maintenance / Number(assets.effEquity)) < 1e-7);
    assert.ok(Number(assets.effEquity) < Number(assets.accountEquity), 'coins count with a discount');
    return;
  }
  assert.fail('the mark price never stood still');
});

test('a reduce-only sell takes off a part, freezes while it waits and realises its share', async () => {
  const resting = (await sdk.submitNewOrder(order('sell', '0.2', '62000', { reduceOnly: 'yes' }))).data;
  assert.deepEqual([(await position()).frozen, (await position()).available], ['0.2', '0.3']);
  const open: Record<string, unknown> = { ...(await sdk.getOrderInfo({ orderId: resting.orderId })).data };
  assert.deepEqual(
    [open.reduceOnly, open.holdMode, open.marginMode, open.tradeSide, open.posSide, open.delegateType],
    ['YES', 'one_way_mode', 'crossed', 'close', '', 'normal'],
  );
  await sdk.cancelOrder({ orderId: resting.orderId });

  const orderId = await takes('sell', '0.1', '60900', { reduceOnly: 'yes' });
  const profit = hand.trade('sell', '0.1', '60900');
  const { list } = (await sdk.getTradeFills({ orderId })).data;
  assert.deepEqual(
    list.map((fill) => [fill.tradeSide, fill.execPnl, fill.execQty, fill.feeDetail[0]]),
    [['close', signed(profit), '0.1', { feeCoin: 'USDT', fee: decimal(hand.closeFee) }]],
  );
  const held = await position();
  assert.deepEqual([held.total, held.curRealisedPnl], ['0.4', signed(hand.realised)]);
  assert.equal(held.breakEvenPrice, hand.breakEven());
  assert.equal(await money(), startMoney + hand.cash);
  const wrongWay = sdk.submitNewOrder(order('buy', '0.1', '60000', { reduceOnly: 'yes' }));
  assert.equal((await refusalOf(wrongWay)).body.code, '25232');
});

test('a larger sell flips the position: one trade, two fills, the old position in history', async () => {
  const orderId = await takes('sell', '0.6', '61000');
  const profit = hand.trade('sell', '0.4', '61000');
  const closed = hand;
  cash += closed.cash;
  hand = new HandPosition(TAKER);
  hand.trade('sell', '0.2', '61000');

  const { list } = (await sdk.getTradeFills({ orderId })).data;
  assert.deepEqual(list.map(({ tradeSide, execQty, execPnl }) => [tradeSide, execQty, execPnl]).reverse(), [
    ['close', '0.4', signed(profit)],
    ['open', '0.2', '0'],
  ]);
  assert.equal(new Set(list.map((fill) => (fill as { execLinkId?: string }).execLinkId)).size, 1);
  const held = await position();
  assert.deepEqual([held.posSide, held.total, held.avgPrice], ['short', '0.2', '61000']);
  assert.equal(await money(), startMoney + cash + hand.cash);

  const [past] = (await sdk.getPositionHistory(CONTRACT)).data.list;
  assert.deepEqual(
    {
      posSide: past!.posSide,
      openPriceAvg: past!.openPriceAvg,
      closePriceAvg: past!.closePriceAvg,
      openTotalPos: past!.openTotalPos,
      closeTotalPos: past!.closeTotalPos,
      cumRealisedPnl: past!.cumRealisedPnl,
      netProfit: past!.netProfit,
      totalFunding: past!.totalFunding,
      openFeeTotal: past!.openFeeTotal,
      closeFeeTotal: past!.closeFeeTotal,
    },
    {
      posSide: 'long',
      openPriceAvg: mean(closed.opened.value, closed.opened.size),
      closePriceAvg: mean(closed.closed.value, closed.closed.size),
      openTotalPos: '0.5',
      closeTotalPos: '0.5',
      cumRealisedPnl: signed(closed.realised),
      netProfit: signed(closed.cash),
      totalFunding: '0',
      openFeeTotal: signed(-closed.openFee),
      closeFeeTotal: signed(-closed.closeFee),
    },
  );
  const [unified] = await alice.fetchPositionsHistory([SWAP]);
  assert.equal(unified!.side, 'long');
});

test('after kill -9 the position, the margin settings and the past are the same', async () => {
  const picture = async () => ({
    position: {
      ...(await position()),
      markPrice: '',
      unrealisedPnl: '',
      positionBalance: '',
      profitRate: '',
      liquidationPrice: '',
    },
    settings: (await sdk.getAccountSettings()).data,
    history: (await sdk.getPositionHistory(CONTRACT)).data,
    fills: (await sdk.getTradeFills(CONTRACT)).data,
    orders: (await sdk.getHistoryOrders(CONTRACT)).data,
    money: await money(),
  });
  const seen = await picture();
  await server.kill();
  server = await startHosted({ data, args: [...ARGS, '--port', port] });
  operator = new Operator(server);
  assert.deepEqual(await picture(), seen);
});

test('the position closes at market', async () => {
  await quote('sell', '0.2', '61050');
  const order = await alice.closePosition(SWAP);
  hand.trade('buy', '0.2', '61050');
  cash += hand.cash;
  const info = (await sdk.getOrderInfo({ orderId: order.id! })).data;
  assert.deepEqual([info.orderStatus, info.delegateType, info.avgPrice], ['filled', 'market', '61050']);
  assert.deepEqual((await sdk.getCurrentPosition(CONTRACT)).data.list, []);
  assert.equal(await money(), startMoney + cash);
  const [past] = (await sdk.getPositionHistory(CONTRACT)).data.list;
  assert.deepEqual([past!.posSide, past!.netProfit], ['short', signed(hand.cash)]);
  hand = new HandPosition(TAKER);
});

test('the largest opening order is the largest that is accepted, and it costs what it says', async () => {
  await sdk.setLeverage({ ...CONTRACT, leverage: '20' });
  const ask = { ...CONTRACT, orderType: 'limit', side: 'buy', price: '60500', size: '1' } as const;
  const { available, maxBuyOpen, maxOpen, buyOpenCost } = (await sdk.getMaxOpenAvailable(ask)).data;
  assert.equal(maxOpen, maxBuyOpen);
  const cost = 60500 * (1 / 20 + 0.0006 * 1.005);
  assert.ok(Math.abs(Number(buyOpenCost) - cost) < 1, `${buyOpenCost} is not about ${cost}`);
  const { effEquity, imr } = (await sdk.getBalances()).data;
  assert.equal(available, signed(units(effEquity) - units(imr)));

  const more = (Number(maxBuyOpen) + 0.0001).toFixed(4);
  const { code } = (await refusalOf(sdk.submitNewOrder(order('buy', more, '60500')))).body;
  assert.ok(['25203', '25218', '25233'].includes(code), code);
  const { orderId } = (await sdk.submitNewOrder(order('buy', maxBuyOpen, '60500'))).data;
  const after = (await sdk.getMaxOpenAvailable(ask)).data;
  assert.ok(Number(after.maxBuyOpen) < 0.001, after.maxBuyOpen);
  assert.equal((await sdk.getBalances()).data.assets.find(({ coin }) => coin === 'USDT')!.locked, '0');
  await sdk.modifyOrder({ orderId, qty: '0.5', price: '60400' });
  const changed = (await sdk.getOrderInfo({ orderId })).data;
  assert.deepEqual([changed.qty, changed.price, changed.orderStatus], ['0.5', '60400', 'new']);
  await sdk.cancelAllOrders(CONTRACT);
  assert.equal((await sdk.getBalances()).data.imr, '0');
});

test('a batch places futures orders; each passes or fails alone', async () => {
  const { data: results } = await sdk.placeBatchOrders([
    order('buy', '0.1', '60000', { clientOid: 'first' }),
    order('sell', '0.1', '60000', { reduceOnly: 'yes' }),
  ]);
  assert.deepEqual(
    results.map(({ clientOid, code }) => [clientOid, code]),
    [
      ['first', undefined],
      ['', '25227'],
    ],
  );
  const [open] = await alice.fetchOpenOrders(SWAP);
  assert.deepEqual([open!.clientOrderId, open!.symbol, open!.reduceOnly], ['first', SWAP, false]);
  await alice.cancelAllOrders(SWAP);
});

test('hedge mode holds a long and a short; closing orders freeze their side', async () => {
  await alice.setPositionMode(true);
  const sideless = sdk.submitNewOrder(order('buy', '0.1', '61000'));
  assert.equal((await refusalOf(sideless)).body.code, '25236');
  await takes('buy', '0.3', '61000', { posSide: 'long' });
  await takes('sell', '0.1', '61000', { posSide: 'short' });
  const [long, short] = [new HandPosition(TAKER), new HandPosition(TAKER)];
  long.trade('buy', '0.3', '61000');
  short.trade('sell', '0.1', '61000');
  const { list } = (await sdk.getCurrentPosition(CONTRACT)).data;
  assert.deepEqual(
    list.map(({ posSide, holdMode, total }) => [posSide, holdMode, total]),
    [
      ['long', 'hedge_mode', '0.3'],
      ['short', 'hedge_mode', '0.1'],
    ],
  );
  const ranks = (await sdk.getPositionAdlRank()).data;
  assert.deepEqual(
    ranks.map(({ holdSide, adlRank }) => [holdSide, adlRank]),
    [
      ['long', '1'],
      ['short', '0'],
    ],
    'the smaller side of a crossed pair is never reduced',
  );
  const mode = sdk.setHoldMode({ holdMode: 'one_way_mode' });
  assert.equal((await refusalOf(mode)).body.code, '25010');

  const resting = (await sdk.submitNewOrder(order('sell', '0.2', '62000', { posSide: 'long' }))).data;
  const tooMuch = sdk.submitNewOrder(order('sell', '0.2', '62000', { posSide: 'long' }));
  assert.equal((await refusalOf(tooMuch)).body.code, '25225');
  await sdk.cancelOrder({ orderId: resting.orderId });
  const buyMade = await quote('buy', '0.3', '60950');
  const sellMade = await quote('sell', '0.1', '61020');
  assert.ok(buyMade.data.orderId < sellMade.data.orderId);
  const { list: closes } = (await sdk.closeAllPositions({ category: 'USDT-FUTURES' })).data;
  assert.deepEqual(
    closes.map(({ code }) => code),
    ['00000', '00000'],
  );
  long.trade('sell', '0.3', '60950');
  short.trade('buy', '0.1', '61020');
  cash += long.cash + short.cash;
  assert.equal(await money(), startMoney + cash);
  await alice.setPositionMode(false);
});

test('leverage of isolated margin in hedge mode: a side may be named, and without one both are meant, as ccxt asks', async () => {
  await alice.setPositionMode(true);
  await alice.setMarginMode('isolated', SWAP);
  const leverages = async () => {
    const { longLeverage, shortLeverage } = await alice.fetchLeverage(SWAP);
    return [longLeverage, shortLeverage];
  };
  await alice.setLeverage(12, SWAP);
  assert.deepEqual(await leverages(), [12, 12]);
  await sdk.setLeverage({ ...CONTRACT, leverage: '15', posSide: 'short' } as never);
  assert.deepEqual(await leverages(), [12, 15]);
  await alice.setLeverage(20, SWAP);
  assert.deepEqual(await leverages(), [20, 20]);
  await alice.setPositionMode(false);
});

test('an isolated position stands on its own margin: its liquidation price, more margin, less margin', async () => {
  await alice.setMarginMode('isolated', SWAP);
  assert.equal((await alice.fetchMarginMode(SWAP)).marginMode, 'isolated');
  await sdk.setLeverage({ ...CONTRACT, longLeverage: '10', shortLeverage: '25' } as never);
  const leverage = await alice.fetchLeverage(SWAP);
  assert.deepEqual([leverage.longLeverage, leverage.shortLeverage], [10, 25]);
  await takes('buy', '1', '61000');
  hand.trade('buy', '1', '61000');
  let iso = units('6100');
  let held = await position();
  assert.deepEqual([held.marginMode, held.positionBalance, held.leverage], ['isolated', '6100', '10']);
  assert.equal(held.liquidationPrice, hand.isolatedLiquidation(iso, '0.004', '0'));
  assert.equal(await money(), startMoney + cash + hand.cash - iso);

  const other = sdk.submitNewOrder(order('buy', '0.1', '60000', { marginMode: 'crossed' }));
  const refused = await refusalOf(other);
  assert.deepEqual([refused.body.code, /isolated/.test(refused.body.msg)], ['25010', true]);

  await alice.addMargin(SWAP, 900, { holdSide: 'long' });
  iso += units('900');
  held = await position();
  assert.equal(held.positionBalance, '7000');
  assert.equal(held.liquidationPrice, hand.isolatedLiquidation(iso, '0.004', '0'));
  const { list: lines } = (await sdk.getFinancialRecords({ category: 'USDT-FUTURES', coin: 'USDT' })).data;
  assert.deepEqual(
    [lines[0]!.type, lines[0]!.symbol, lines[0]!.amount],
    ['FIXED_INCREASE_MARGIN', 'BTCUSDT', '-900'],
  );
  const all = sdk.setMargin({ ...CONTRACT, posSide: 'long', operation: 'remove', amount: '7000' } as never);
  assert.equal((await refusalOf(all)).body.code, '25203');
  assert.equal(await money(), startMoney + cash + hand.cash - iso);
});

test('a fall takes the isolated position, its margin and nothing else', async () => {
  await quote('buy', '1', '58000');
  const before = await money();
  // Venues that stray from the others are left out, so the fall comes in steps of less than 5 %.
  for (const price of ['58500', '56000', '54000']) await priceMoves('BTCUSDT', price);
  assert.deepEqual((await sdk.getCurrentPosition(CONTRACT)).data.list, []);
  const [forced] = (await sdk.getHistoryOrders(CONTRACT)).data.list;
  assert.deepEqual(
    [forced!.execType, forced!.delegateType, forced!.side],
    ['liquidation', 'liquidation', 'sell'],
  );
  const { list } = (await sdk.getTradeFills({ orderId: forced!.orderId })).data;
  assert.equal(list[0]!.tradeSide, 'burst_sell_single');
  assert.equal(await money(), before, 'the loss is limited to the margin of the position');
  const reply = await new SignedClient(server.url).get('/api/v3/market/liquidations', CONTRACT);
  // The side is that of the position: a long was liquidated (wire 5.3).
  assert.deepEqual(
    reply.data.list.map((row: { side: string; amount: string; price: string }) => [
      row.side,
      row.amount,
      row.price,
    ]),
    [['buy', '1', '58000']],
  );
  const { list: funds } = (await sdk.getRiskReserveAll({ category: 'USDT-FUTURES' })).data;
  assert.ok(Number(funds[0]!.balance) > 0, 'what was left of the margin is in the fund');
});

test('every line of the ledger goes on from the balance before it, isolated margin in and out', async () => {
  await takes('buy', '0.1', '54000');
  await sdk.setLeverage({ ...CONTRACT, longLeverage: '5', shortLeverage: '25' } as never);
  await sdk.cancelOrder({ orderId: (await sdk.submitNewOrder(order('buy', '0.1', '53000'))).data.orderId });
  await takes('sell', '0.1', '53900');
  const lines = await assertChain(sdk, 'USDT');
  assert.deepEqual(lines.slice(-5), [
    'BUY_DEAL 0 -3.24',
    'FIXED_INCREASE_MARGIN -540 0',
    'FIXED_INCREASE_MARGIN -540 0',
    'FIXED_REDUCE_MARGIN 1080 0',
    'SELL_DEAL -10 -3.234',
  ]);
  assert.ok(
    lines.some((line) => line.startsWith('RISK_LIQ_USER_OUT')),
    'and over a liquidation',
  );
});

test('a coin-margined contract is sized in coin and pays in coin at the price of the trade', async () => {
  await operator.setStatus('COIN-FUTURES', 'BTCUSD', 'online');
  await priceMoves('BTCUSD', '54000');
  const coin = { category: 'COIN-FUTURES', symbol: 'BTCUSD' } as const;
  const before = await money('BTC');
  const buy = { ...coin, side: 'buy', orderType: 'limit', qty: '0.5', price: '54000' } as const;
  await maker.submitNewOrder({ ...buy, side: 'sell' });
  await sdk.submitNewOrder(buy);
  const [held] = (await sdk.getCurrentPosition(coin)).data.list;
  assert.deepEqual(
    [held!.marginCoin, held!.total, held!.avgPrice, held!.openFeeTotal],
    ['BTC', '0.5', '54000', '-0.0003'],
  );
  await maker.submitNewOrder({ ...buy, price: '55000' });
  const { orderId } = (await sdk.submitNewOrder({ ...buy, side: 'sell', price: '55000', reduceOnly: 'yes' }))
    .data;
  const [fill] = (await sdk.getTradeFills({ orderId })).data.list;
  // 0.5 x (55000 - 54000) dollars are 500 / 55000 coins, cut off.
  const profit = (units('500') * 10n ** 8n) / units('55000');
  assert.deepEqual([fill!.execPnl, fill!.feeDetail[0]!.feeCoin], [decimal(profit), 'BTC']);
  assert.equal(await money('BTC'), before + profit - 2n * units('0.0003'));
});

test('a contract settled in USDC moves USDC only', async () => {
  await operator.setStatus('USDC-FUTURES', 'BTCPERP', 'online');
  await priceMoves('BTCUSDC', '54000');
  const before = [await money('USDC'), await money()];
  const buy = {
    category: 'USDC-FUTURES',
    symbol: 'BTCPERP',
    side: 'buy',
    orderType: 'limit',
    qty: '0.1',
    price: '54000',
  } as const;
  await maker.submitNewOrder({ ...buy, side: 'sell' });
  await sdk.submitNewOrder(buy);
  await maker.submitNewOrder({ ...buy, price: '53900' });
  const { list } = (await sdk.closeAllPositions({ category: 'USDC-FUTURES', symbol: 'BTCPERP' })).data;
  assert.equal(list.length, 1);
  const dollars = new HandPosition(TAKER);
  dollars.trade('buy', '0.1', '54000');
  dollars.trade('sell', '0.1', '53900');
  assert.deepEqual([await money('USDC'), await money()], [before[0]! + dollars.cash, before[1]]);
});
